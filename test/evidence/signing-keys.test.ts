/**
 * The catalogue of manipulations, for keys: what somebody does who can write the snapshots and got hold of a key that does not
 * sign any more, or makes one of their own; what verification must say where an auditor has the first key alone.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { verifyFolder } from '../../builder/evidence/verify/verify.ts'
import { openSigner, readKeyFile, type Signer, signingKeyPath } from '../../builder/snapshot/keys/key-file.ts'
import { type KeyChange, type Rotation, rotationText } from '../../builder/snapshot/keys/key-ring.ts'
import { idOf, newPrivateKey } from '../../builder/snapshot/keys/sign.ts'
import { composeLine, parseLog, readLog } from '../../builder/snapshot/log/log.ts'
import { revokeSigningKey, rotateSigningKey } from '../../builder/snapshot/signing/keys.ts'
import type { SigningWorkspace } from '../../builder/snapshot/signing/signing.ts'
import { suite } from '../suite.ts'
import { assertVerified, idsOf, judged, newSigningWorkspace, ownKeys, publishOf } from '../support/signing.ts'
import { rejects } from '../support/snapshots.ts'
import { addLine, copyOf, linesOf, pointerTo, snapshotsIn, writeLines, writeManifest } from './attacker.ts'

interface Context {
  victim: SigningWorkspace
  /** What an auditor wrote down before anything else. */
  first: ReadonlySet<string>
  /** The first key, replaced by now and then revoked; the second, replaced. */
  revoked: Signer
  replaced: Signer
  forger: Signer
}
const test = suite<Context>('manipulations of keys')

/** A signer with the keys of a state folder as it lies there now, for a program that looks at nothing else. */
async function thief({ root, state }: SigningWorkspace, name: string): Promise<Signer> {
  const folder = join(root, name)
  cpSync(state, folder, { recursive: true })
  return { ...(await openSigner(folder)), changes: [] }
}

/** Lines of acme: publish, rotate, publish, rotate, revoke, publish. */
test.before(async (context) => {
  const victim = newSigningWorkspace()
  await publishOf(victim, 'acme', 'one')
  context.first = idsOf(await ownKeys(victim))
  context.revoked = await thief(victim, 'one')
  await rotateSigningKey(victim, 'every year in January')
  await publishOf(victim, 'acme', 'two')
  context.replaced = await thief(victim, 'two')
  await rotateSigningKey(victim, 'every year in January')
  await revokeSigningKey(victim, context.revoked.keyId, 'a laptop was stolen')
  await publishOf(victim, 'acme', 'three')
  context.forger = { ...(await openSigner(join(victim.root, 'forger'))), changes: [] }
  context.victim = victim
  await assertVerified(victim, context.first, 'before anybody touched it')
})

const rotationTo = async (signer: Signer, Replaces: string): Promise<Rotation> => {
  const PublicKey = (await newPrivateKey()).x!
  const said: Rotation = {
    Event: 'rotate',
    At: '2026-11-01T00:00:00Z',
    By: 'eve@home',
    Reason: null,
    Replaces,
    PublicKey,
    Signature: null,
  }
  return { ...said, Signature: (await signer.sign(rotationText(said))).trimEnd() }
}

async function addChange(folder: string, change: KeyChange, signer: Signer | null): Promise<void> {
  const pointer = pointerTo(folder, snapshotsIn(folder)[0]!)
  await addLine(folder, change.Event, pointer, signer, { KeyChange: change }, change.Reason)
}

const revocationOf = (KeyId: string): KeyChange => ({
  Event: 'revoke',
  At: '2026-11-01T00:00:00Z',
  By: 'eve@home',
  Reason: 'it is mine',
  KeyId,
})

interface Manipulation {
  act(folder: string, context: Context): Promise<void> | void
  readonly says: RegExp
}

const MANIPULATIONS: Readonly<Record<string, Manipulation>> = {
  'a line signed with a key that was replaced': {
    act: (folder, { replaced }) =>
      addLine(folder, 'use', pointerTo(folder, snapshotsIn(folder)[0]!), replaced),
    says: /line 7 of log\.jsonl is signed with key \S+, which was replaced by line 4/,
  },
  'a line signed with a key that was revoked': {
    act: (folder, { revoked }) => addLine(folder, 'use', pointerTo(folder, snapshotsIn(folder)[0]!), revoked),
    says: /line 7 of log\.jsonl is signed with key \S+, which was revoked by line 2/,
  },
  "a key of one's own in the place of the present one, signed by itself": {
    act: async (folder, { forger, victim }) => {
      const present = (await ownKeys(victim)).at(-1)!.kid!
      await addChange(folder, await rotationTo(forger, present), forger)
    },
    says: /line 7 of log\.jsonl names key \S+ in the place of \S+, which did not sign that/,
  },
  "a key of one's own in the place of one's own": {
    act: async (folder, { forger }) => addChange(folder, await rotationTo(forger, forger.keyId), forger),
    says: /line 7 of log\.jsonl replaces key \S+, which is none of the known ones/,
  },
  'a new key after one that was replaced': {
    act: async (folder, { replaced }) =>
      addChange(folder, await rotationTo(replaced, replaced.keyId), replaced),
    says: /line 7 of log\.jsonl replaces key \S+, which was replaced by line 4/,
  },
  'a new key after one that was revoked': {
    act: async (folder, { revoked }) => addChange(folder, await rotationTo(revoked, revoked.keyId), revoked),
    says: /line 7 of log\.jsonl replaces key \S+, which was revoked by line 2/,
  },
  'a new key that is said to follow a lost one': {
    act: async (folder, { forger, victim }) => {
      const present = (await ownKeys(victim)).at(-1)!.kid!
      await addChange(folder, { ...(await rotationTo(forger, present)), Signature: null }, forger)
    },
    says: /line 7 of log\.jsonl begins with key \S+ since the one before it was lost/,
  },
  'the key that was replaced brought back': {
    act: async (folder, { forger, revoked }) => {
      const { KeyChange } = (await readLog(folder)).records[1]!
      await addChange(folder, { ...(KeyChange as Rotation), Replaces: revoked.keyId }, forger)
    },
    says: /line 7 of log\.jsonl brings back key \S+, which was replaced by line 4/,
  },
  'another key in the statement of the old one': {
    act: async (folder) => {
      const { x } = await newPrivateKey()
      writeLines(
        folder,
        linesOf(folder).map((line, i) => (i === 1 ? line.replace(/("PublicKey":")[^"]*/, `$1${x}`) : line)),
      )
    },
    says: /line 2 of log\.jsonl was changed: its signature is over another text/,
  },
  'the line that changes the key taken out': {
    act: (folder) => writeLines(folder, linesOf(folder).toSpliced(1, 1)),
    says: /line 2 of log\.jsonl does not follow the line before it/,
  },
  'a new key without a line that says so': {
    act: (folder, { forger }) => addLine(folder, 'hold', pointerTo(folder, snapshotsIn(folder)[0]!), forger),
    says: /line 7 of log\.jsonl is signed with key \S+, which is none of the known ones/,
  },
  'the present key revoked by somebody else': {
    act: async (folder, { forger, victim }) => {
      await addChange(folder, revocationOf((await ownKeys(victim)).at(-1)!.kid!), forger)
    },
    says: /line 7 of log\.jsonl is signed with key \S+, which is none of the known ones/,
  },
  'the present key revoked by the key before it': {
    act: async (folder, { replaced, victim }) => {
      await addChange(folder, revocationOf((await ownKeys(victim)).at(-1)!.kid!), replaced)
    },
    says: /line 7 of log\.jsonl is signed with key \S+, which was replaced by line 4/,
  },
  'a key revoked by a line that nobody signed': {
    act: async (folder, { victim }) => {
      await addChange(folder, revocationOf((await ownKeys(victim)).at(-1)!.kid!), null)
    },
    says: /line 7 of log\.jsonl changes the keys, and is not signed/,
  },
  'a revocation for another reason than was decided': {
    act: async (folder, { victim }) => {
      const signer = { ...(await openSigner(victim.state)), changes: [] }
      const pointer = pointerTo(folder, snapshotsIn(folder)[0]!)
      await addLine(folder, 'revoke', pointer, signer, { KeyChange: revocationOf('nobody') })
    },
    says: /line 7 of log\.jsonl is a "revoke" of a key with another reason than that of the change/,
  },
  'a line of keys that does not say which': {
    act: async (folder, { forger }) => {
      const pointer = pointerTo(folder, snapshotsIn(folder)[0]!)
      const line = await composeLine(await readLog(folder), 'rotate', pointer, null, forger)
      writeLines(folder, [...linesOf(folder), line])
    },
    says: /line 7 of log\.jsonl is not a record/,
  },
}

const cased = ({ victim }: Context): SigningWorkspace => {
  const root = mkdtempSync(join(victim.root, 'case-'))
  copyOf(victim.snapshots, join(root, 'snapshots'))
  cpSync(victim.state, join(root, '.tieout'), { recursive: true })
  return { root, snapshots: join(root, 'snapshots'), state: join(root, '.tieout'), signer: null }
}

for (const [name, { act, says }] of Object.entries(MANIPULATIONS))
  test(name, async (context) => {
    const workspace = cased(context)
    const folder = join(workspace.snapshots, 'acme')
    await act(folder, context)
    for (const known of [context.first, idsOf(await ownKeys(context.victim))]) {
      // The keys of the workspace know the key that is brought back; who has the first one learns of it by the log.
      const { verified, told } = await judged(workspace, known)
      assert.match(told, says)
      assert.is(verified, false)
    }
    // Nothing more is published behind it.
    await rejects(publishOf(workspace, 'acme', 'four'), /./)
  })

test('no new key has an id that a command would read as an option', async () => {
  for (let made = 0; made < 400; made += 1) assert.not.ok((await idOf(await newPrivateKey())).startsWith('-'))
})

test('a line of a key that no line introduces, or of nobody: found where the auditor has no key at all', async (context) => {
  const options = { figures: false, known: null }
  const honest = await verifyFolder(join(context.victim.snapshots, 'acme'), 'company', options)
  assert.ok(honest.verified)
  const { keyId } = context.forger
  for (const [signer, says] of [
    [
      context.forger,
      new RegExp(`line 7 of log\\.jsonl is signed with key ${keyId}, which no line puts in the`),
    ],
    [null, /line 7 of log\.jsonl is not signed, although lines before it are/],
  ] as const) {
    const folder = join(cased(context).snapshots, 'acme')
    await addLine(folder, 'use', pointerTo(folder, snapshotsIn(folder)[0]!), signer)
    writeFileSync(
      join(folder, 'current.json'),
      `${JSON.stringify(pointerTo(folder, snapshotsIn(folder)[0]!))}\n`,
    )
    const { verified, companies } = await verifyFolder(folder, 'company', options)
    assert.is(verified, false)
    assert.match(companies[0]!.damages[0]!.message, says)
  }
})

test('a key that is said to follow a lost one, and signs lines alone: named among those to ask the publisher about', async (context) => {
  const folder = join(cased(context).snapshots, 'acme')
  const present = (await ownKeys(context.victim)).at(-1)!.kid!
  const signer = { ...(await openSigner(join(context.victim.root, 'lost'))), changes: [] }
  const PublicKey = readKeyFile(signingKeyPath(join(context.victim.root, 'lost'))).keys.at(-1)!.x!
  const change: Rotation = { ...(await rotationTo(signer, present)), PublicKey, Signature: null }
  await addChange(folder, change, signer)
  const { companies } = await verifyFolder(folder, 'company', { figures: false, known: null })
  assert.match(
    companies[0]!.notes.join('\n'),
    new RegExp(`signed with keys .*${signer.keyId}: ask the publisher`),
  )
})

test('a manifest signed with a key that ended, which the log does not name: told, and never finished', async (context) => {
  for (const [signer, says] of [
    [context.replaced, /manifest\.json\.sig of \S+ is of key \S+, which was replaced by line 4/],
    [context.revoked, /manifest\.json\.sig of \S+ is of key \S+, which was revoked by line 2/],
  ] as const) {
    const workspace = cased(context)
    const folder = join(workspace.snapshots, 'acme')
    const id = await planted(workspace, signer)
    const { told, verified } = await judged(workspace, context.first)
    assert.match(told, says)
    assert.is(verified, false)
    const before = linesOf(folder).length
    await publishOf(workspace, 'acme', 'four').catch(() => null)
    assert.not.ok(
      linesOf(folder)
        .slice(before)
        .some((line) => line.includes(id)),
      'it was taken up',
    )
  }
})

/** Signs the newest snapshot anew, as one that follows it. */
async function planted(workspace: SigningWorkspace, signer: Signer): Promise<string> {
  const folder = join(workspace.snapshots, 'acme')
  const newest = snapshotsIn(folder).at(-1)!
  writeFileSync(join(folder, 'current.json'), `${JSON.stringify(pointerTo(folder, newest))}\n`)
  const id = newest.replace(/-r(\d+)-/, (_, n: string) => `-r${Number(n) + 1}-`)
  copyOf(join(folder, newest), join(folder, id))
  const before = pointerTo(folder, newest)
  const head = (await readLog(folder)).hashes.at(-1)!
  await writeManifest(folder, id, signer, (manifest) => ({
    ...manifest,
    SnapshotId: id,
    Revision: manifest.Revision + 1,
    Previous: before,
    ComparedWith: before,
    Build: { ...manifest.Build, LogSha256: head },
  }))
  return id
}

test('a copy of one snapshot, signed with a revoked key: not without what was noted when it was published', async (context) => {
  const { victim, revoked, first } = context
  const [id] = snapshotsIn(join(victim.snapshots, 'acme'))
  const folder = join(victim.snapshots, 'acme', id!)
  const { ManifestSha256 } = pointerTo(join(victim.snapshots, 'acme'), id!)
  const options = {
    figures: false,
    known: first,
    revoked: new Map([[revoked.keyId, '2026-11-01T00:00:00Z']]),
  }
  const lone = await verifyFolder(folder, 'snapshot', options)
  assert.is(lone.verified, false)
  assert.match(
    lone.companies[0]!.damages[0]!.message,
    /which was revoked on 2026-11-01, and nothing here says that/,
  )
  const noted = await verifyFolder(folder, 'snapshot', { ...options, expect: ManifestSha256 })
  assert.ok(noted.verified)
})

test('what only an anchor outside can find: the end cut off and written anew with a key that was replaced', async (context) => {
  const workspace = cased(context)
  const folder = join(workspace.snapshots, 'acme')
  const head = (await parseLog(readFileSync(join(folder, 'log.jsonl'), 'utf8'))).hashes.at(-1)!
  writeLines(folder, linesOf(folder).slice(0, 3))
  const [, , third] = snapshotsIn(folder)
  rmSync(join(folder, third!), { recursive: true })
  const [, second] = snapshotsIn(folder)
  writeFileSync(join(folder, 'current.json'), `${JSON.stringify(pointerTo(folder, second!))}\n`)
  await addLine(folder, 'hold', pointerTo(folder, second!), context.replaced)
  const options = { figures: false, known: context.first }
  assert.ok((await verifyFolder(folder, 'company', options)).verified)
  assert.not.ok((await verifyFolder(folder, 'company', { ...options, expect: head })).verified)
})

test('the public keys say which were revoked', async ({ victim, revoked }) => {
  const keys = await ownKeys(victim)
  assert.equal(
    keys.map((key) => [key.kid === revoked.keyId, 'revoked' in key]),
    [
      [true, true],
      [false, false],
      [false, false],
    ],
  )
  assert.is(readKeyFile(signingKeyPath(victim.state)).keys.filter(({ d }) => d !== undefined).length, 1)
})
