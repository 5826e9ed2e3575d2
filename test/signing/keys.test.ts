/** The key that signs: replaced, revoked, lost; what a log says of it, and what an auditor who has the first key can follow. */
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { type VerifyOptions, verifyFolder } from '../../builder/evidence/verify/verify.ts'
import { LOG } from '../../builder/snapshot/files/layout.ts'
import { readPointer } from '../../builder/snapshot/files/open.ts'
import { openSigner, readKeyFile, revokedKeys, signingKeyPath } from '../../builder/snapshot/keys/key-file.ts'
import { composeLine, readLog } from '../../builder/snapshot/log/log.ts'
import {
  listSigningKeys,
  replaceLostKey,
  revokeSigningKey,
  rotateSigningKey,
} from '../../builder/snapshot/signing/keys.ts'
import { type SigningWorkspace, workspaceSigner } from '../../builder/snapshot/signing/signing.ts'
import { FindingsError } from '../../builder/workspace/findings/finding.ts'
import { suite } from '../suite.ts'
import {
  assertVerified,
  idsOf,
  judged,
  newSigningWorkspace,
  ownKeys,
  publishOf,
  recordsOf,
} from '../support/signing.ts'
import { rejects } from '../support/snapshots.ts'

interface Context {
  workspace: SigningWorkspace
  /** Id of the first key, as an auditor wrote it down. */
  first: ReadonlySet<string>
}
const test = suite<Context>('signing keys')
test.before.each(async (context) => {
  context.workspace = newSigningWorkspace()
  for (const company of ['acme', 'bolt']) await publishOf(context.workspace, company, 'one')
  context.first = idsOf(await ownKeys(context.workspace))
})

const REASON = 'every year in January'
const fileOf = ({ state }: SigningWorkspace): string => signingKeyPath(state)
const codeOf = async (promise: Promise<unknown>): Promise<string> => {
  const problem = await rejects(promise, /./)
  assert.instance(problem, FindingsError)
  return (problem as FindingsError).findings[0]!.code
}

test('rotated: who has the first key can verify what later keys signed', async ({ workspace, first }) => {
  const { keyId, decided, entered, pending } = await rotateSigningKey(workspace, REASON)
  assert.equal([decided, entered, pending], [true, ['acme', 'bolt'], []])
  for (const company of ['acme', 'bolt']) {
    const line = recordsOf(workspace, company).at(-1)!
    assert.equal([line.Event, line.KeyId, line.Reason], ['rotate', keyId, REASON])
  }
  await publishOf(workspace, 'acme', 'two')
  await rotateSigningKey(workspace, null)
  await publishOf(workspace, 'acme', 'three')
  await publishOf(workspace, 'bolt', 'two')
  await assertVerified(workspace, first, 'the first key')
  const all = await ownKeys(workspace)
  assert.is(all.length, 3)
  await assertVerified(workspace, idsOf(all), 'all keys')
})

test('the file keeps one private key, closed to others', async ({ workspace }) => {
  await rotateSigningKey(workspace, REASON)
  const { keys } = readKeyFile(fileOf(workspace))
  assert.equal(
    keys.map(({ d }) => d !== undefined),
    [false, true],
  )
  assert.is(statSync(fileOf(workspace)).mode & 0o777, 0o600)
})

test('a company that comes later has the whole history of keys in its log', async ({ workspace, first }) => {
  await rotateSigningKey(workspace, REASON)
  await publishOf(workspace, 'carl', 'one')
  assert.equal(
    recordsOf(workspace, 'carl').map(({ Event }) => Event),
    ['rotate', 'publish'],
  )
  await assertVerified(workspace, first, 'the first key')
  await publishOf(workspace, 'carl', 'two')
  await assertVerified(workspace, first, 'and goes on')
})

test('a log that cannot be written gets its line later', async ({ workspace, first }) => {
  const log = join(workspace.snapshots, 'acme', LOG)
  const whole = readFileSync(log, 'utf8')
  writeFileSync(log, whole.replace('"publish"', '"Publish"'))
  const { entered, pending } = await rotateSigningKey(workspace, REASON)
  assert.equal(entered, ['bolt'])
  assert.match(
    pending.map(({ company, why, failed }) => `${company} ${failed} ${why}`).join(),
    /^acme true .*log\.jsonl/,
  )
  assert.equal(
    (await listSigningKeys(workspace))!.pending.map(({ company }) => company),
    ['acme'],
  )
  writeFileSync(log, whole)
  await publishOf(workspace, 'acme', 'two')
  assert.equal(
    recordsOf(workspace, 'acme').map(({ Event }) => Event),
    ['publish', 'rotate', 'publish'],
  )
  assert.equal((await listSigningKeys(workspace))!.pending, [])
  await assertVerified(workspace, first)
})

test('an interrupted rotation is finished, not begun anew', async ({ workspace, first }) => {
  const log = join(workspace.snapshots, 'acme', LOG)
  renameSync(log, `${log}.aside`)
  writeFileSync(log, 'no line\n')
  const begun = await rotateSigningKey(workspace, REASON)
  renameSync(`${log}.aside`, log)
  const again = await rotateSigningKey(workspace, 'another one now')
  assert.equal([again.decided, again.keyId, again.entered], [false, begun.keyId, ['acme']])
  assert.is((await ownKeys(workspace)).length, 2)
  await assertVerified(workspace, first)
})

test('a backup of the keys that is older than the log signs nothing', async ({ workspace }) => {
  const before = readFileSync(fileOf(workspace))
  await rotateSigningKey(workspace, REASON)
  writeFileSync(fileOf(workspace), before)
  // Its own key is known, the one after it is not.
  assert.is(await codeOf(publishOf(workspace, 'acme', 'two')), 'signing-key-ended')
})

test('revoked: what it signed stays, what it signs is damage', async ({ workspace, first }) => {
  const [old] = await ownKeys(workspace)
  const file = readFileSync(fileOf(workspace))
  await rejects(
    revokeSigningKey(workspace, old!.kid!, 'a laptop was stolen'),
    /signs at present: replace it first/,
  )
  await rotateSigningKey(workspace, REASON)
  const revoked = await revokeSigningKey(workspace, old!.kid!.slice(0, 6), 'a laptop was stolen')
  assert.equal([revoked.keyId, revoked.decided, revoked.entered], [old!.kid, true, ['acme', 'bolt']])
  await publishOf(workspace, 'acme', 'two')
  await assertVerified(workspace, first)
  assert.equal(
    (await listSigningKeys(workspace))!.keys.map(({ status, reason }) => [status, reason]),
    [
      ['signs', null],
      ['revoked', 'a laptop was stolen'],
    ],
  )
  const again = await revokeSigningKey(workspace, old!.kid!, 'a laptop was stolen')
  assert.equal([again.decided, again.entered], [false, []])
  await rejects(revokeSigningKey(workspace, 'zzzz', 'a laptop was stolen'), /no key begins with "zzzz"/)
  // Who has the stolen file can sign with it, with a program that looks at nothing.
  const stolen = join(workspace.root, 'stolen')
  mkdirSync(stolen)
  writeFileSync(signingKeyPath(stolen), file)
  const thief = await openSigner(stolen)
  assert.is(thief.keyId, old!.kid)
})

test('a revocation that the log lacks: by the word of whoever verifies nothing counts that is not vouched for', async ({
  workspace,
}) => {
  const copy = join(workspace.root, 'copy')
  cpSync(join(workspace.snapshots, 'acme'), copy, { recursive: true })
  cpSync(workspace.state, join(workspace.root, 'stolen'), { recursive: true })
  const thief = await openSigner(join(workspace.root, 'stolen'))
  const [old] = await ownKeys(workspace)
  await rotateSigningKey(workspace, REASON)
  await revokeSigningKey(workspace, old!.kid!, 'a laptop was stolen')
  const given = {
    figures: false,
    known: idsOf(await ownKeys(workspace)),
    revoked: await revokedKeys(fileOf(workspace)),
  }
  const told = async (folder: string, more: Partial<VerifyOptions> = {}) => {
    const { companies } = await verifyFolder(folder, 'company', { ...given, ...more })
    const { damages, notes, snapshots } = companies[0]!
    const all = [...damages, ...snapshots.flatMap((each) => each.damages)]
    return { damages: all.map(({ kind, message }) => `${kind}: ${message}`), notes: notes.join('\n') }
  }
  assert.equal((await told(join(workspace.snapshots, 'acme'))).damages, [])
  const [damage, ...more] = (await told(copy)).damages
  assert.equal(more, [])
  assert.match(damage!, /^ended-key: line 1 of log\.jsonl and what follows it are signed with key/)
  assert.match(damage!, 'Name the SHA-256 of the last line that was noted before, with --expect')
  const { hashes } = await readLog(copy)
  assert.equal((await told(copy, { expect: hashes.at(-1)! })).damages, [])
  const ours = await told(copy, { isOurs: true })
  assert.equal(ours.damages, [])
  assert.match(ours.notes, /log\.jsonl does not say so yet: the next change enters it/)
  // What the thief adds is dated after the revocation, or before it: neither counts.
  const pointer = (await readPointer(workspace.root, 'copy'))!
  const line = await composeLine(await readLog(copy), 'hold-all', pointer, 'nobody looks', thief)
  appendFileSync(join(copy, LOG), `${line}\n`)
  assert.match((await told(copy, { isOurs: true })).damages.join(), 'that was signed afterwards')
  assert.match((await told(copy, { expect: hashes.at(-1)! })).damages.join(), 'line 2 of log.jsonl')
})

test('a revocation of the key that signs, written into the key file by hand, publishes nothing', async ({
  workspace,
  first,
}) => {
  const path = fileOf(workspace)
  const { keys } = JSON.parse(readFileSync(path, 'utf8'))
  const [own] = await ownKeys(workspace)
  const at = new Date().toISOString()
  const revoke = { Event: 'revoke', At: at, By: 'x@y', Reason: 'tidy', KeyId: own!.kid }
  writeFileSync(path, JSON.stringify({ keys, changes: [revoke] }))
  const before = recordsOf(workspace, 'acme')
  assert.is(await codeOf(publishOf(workspace, 'acme', 'two')), 'signing-key-ended')
  assert.equal(recordsOf(workspace, 'acme'), before)
  await assertVerified(workspace, first)
})

test('the key is lost: nothing is signed with a new one before somebody says so', async ({
  workspace,
  first,
}) => {
  await rotateSigningKey(workspace, REASON)
  await publishOf(workspace, 'acme', 'two')
  const before = idsOf(await ownKeys(workspace))
  const { KeyId: last } = recordsOf(workspace, 'acme').at(-1)!
  rmSync(workspace.state, { recursive: true })
  assert.is(await codeOf(workspaceSigner(workspace)), 'signing-key-lost')
  assert.is(await codeOf(rotateSigningKey(workspace, REASON)), 'signing-key-lost')
  assert.is(await listSigningKeys(workspace), null)
  const begun = await replaceLostKey(workspace, 'the disk of the office computer broke')
  assert.equal([begun.decided, begun.entered], [true, ['acme', 'bolt']])
  const change = recordsOf(workspace, 'acme').at(-1)!.KeyChange!
  assert.is(change.Event === 'rotate' && change.Replaces, last)
  await publishOf(workspace, 'bolt', 'two')
  await publishOf(workspace, 'carl', 'one')
  // What the old keys signed stays known; the new one is known by the publisher's word alone.
  await assertVerified(workspace, idsOf(await ownKeys(workspace)), 'in the workspace')
  for (const known of [first, before])
    assert.match(
      (await judged(workspace, known)).told,
      /begins with key \S+ since the one before it was lost/,
    )
  await assertVerified(workspace, new Set([...first, begun.keyId]), 'once the publisher has said so')
  await rejects(
    replaceLostKey(workspace, 'the disk of the office computer broke'),
    /exists: to replace the signing key/,
  )
})

test('of a lost key a log alone may tell: the snapshots were pruned, or never signed', async ({
  workspace,
}) => {
  for (const company of ['acme', 'bolt']) {
    const log = readFileSync(join(workspace.snapshots, company, LOG))
    rmSync(join(workspace.snapshots, company), { recursive: true })
    mkdirSync(join(workspace.snapshots, company))
    writeFileSync(join(workspace.snapshots, company, LOG), log)
  }
  rmSync(workspace.state, { recursive: true })
  assert.is(await codeOf(workspaceSigner(workspace)), 'signing-key-lost')
})

test('a publication that was interrupted before a rotation is finished with it, and verified', async ({
  workspace,
  first,
}) => {
  // As a kill leaves it: the snapshot in its place, the line not written.
  const log = join(workspace.snapshots, 'acme', LOG)
  const before = readFileSync(log)
  await publishOf(workspace, 'acme', 'two')
  writeFileSync(log, before)
  await rotateSigningKey(workspace, REASON)
  assert.equal(
    recordsOf(workspace, 'acme').map(({ Event }) => Event),
    ['publish', 'rotate', 'publish'],
  )
  await publishOf(workspace, 'acme', 'three')
  await assertVerified(workspace, first)
})

test('of two rotations at once one is decided after the other, or told to wait', async ({
  workspace,
  first,
}) => {
  const outcomes = await Promise.allSettled([1, 2, 3].map(() => rotateSigningKey(workspace, REASON)))
  assert.ok(outcomes.some(({ status }) => status === 'fulfilled'))
  await rotateSigningKey(workspace, REASON)
  await publishOf(workspace, 'acme', 'two')
  await assertVerified(workspace, first)
})

test('a copy of the workspace signs with its keys', async ({ workspace, first }) => {
  await rotateSigningKey(workspace, REASON)
  const copy = newSigningWorkspace()
  cpSync(workspace.root, copy.root, { recursive: true })
  await publishOf(copy, 'acme', 'two')
  await assertVerified(copy, first)
})
