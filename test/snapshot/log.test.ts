/** The publication log and what follows from it: who published, went back, held; and what nobody can do unseen. */
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname, userInfo } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { LOG, POINTER } from '../../builder/snapshot/files/layout.ts'
import { openSigner, type Signer } from '../../builder/snapshot/keys/key-file.ts'
import { newPrivateKey, publicPart } from '../../builder/snapshot/keys/sign.ts'
import { adoptHistory } from '../../builder/snapshot/log/adopt.ts'
import { keysInLog, parseLog } from '../../builder/snapshot/log/log.ts'
import type { LogRecord } from '../../builder/snapshot/log/log-record.ts'
import { holdSnapshots, releaseSnapshots, useSnapshot } from '../../builder/snapshot/log/use.ts'
import { disk } from '../../builder/system/effects.ts'
import { sha256 } from '../../builder/system/hash.ts'
import { addLine, pointerTo } from '../evidence/attacker.ts'
import { suite } from '../suite.ts'
import { ACME, current, makeRoot, publish, rejects, verified } from '../support/snapshots.ts'

interface Context {
  scratch: string
  root: string
  state: string
  signer: Signer
  /** Three snapshots; the last is current. */
  ids: readonly [string, string, string]
  log: string
  pointer: string
}

const test = suite<Context>('publication log')
test.before.each(async (context) => {
  Object.assign(context, makeRoot())
  context.signer = await openSigner(context.state)
  const ids: string[] = []
  for (const text of ['one', 'two', 'three'])
    ids.push((await publish(context.root, { 'a.json': text, 'b.json': 'b' }, context)).snapshotId)
  context.ids = ids as [string, string, string]
  context.log = join(context.root, ACME, LOG)
  context.pointer = join(context.root, ACME, POINTER)
})

const linesOf = (path: string): string[] => readFileSync(path, 'utf8').trimEnd().split('\n')
const recordsOf = (path: string): LogRecord[] => linesOf(path).map((line) => JSON.parse(line) as LogRecord)
const eventsOf = (path: string): string[] =>
  recordsOf(path).map(({ Event, SnapshotId }) => `${Event} ${SnapshotId}`)

test('every publication is a signed line that names who, when, what, and the line before it', async ({
  log,
  ids,
  root,
  signer,
}) => {
  const lines = linesOf(log)
  const records = recordsOf(log)
  assert.equal(
    eventsOf(log),
    ids.map((id) => `publish ${id}`),
  )
  for (const [i, record] of records.entries()) {
    assert.is(record.Seq, i + 1)
    assert.is(record.Before, i === 0 ? null : sha256(lines[i - 1]!))
    assert.is(record.By, `${userInfo().username}@${hostname()}`)
    assert.ok(Math.abs(Date.parse(record.At) - Date.now()) < 60_000)
    assert.is(record.KeyId, signer.keyId)
  }
  const { all, notes } = await verified(root, signer)
  assert.equal([...all, ...notes], [])
})

const headerOf = (line: string): { kid?: string; jwk?: unknown } => {
  const [, header] = /"Signature":"([\w-]+)\.\./.exec(line)!
  return JSON.parse(Buffer.from(header!, 'base64url').toString('utf8'))
}

test('the first line that a key signs carries the key, later ones its id alone; none may be without the first', async ({
  root,
  log,
  signer,
}) => {
  const lines = linesOf(log)
  assert.equal(
    lines.map((line) => 'jwk' in headerOf(line)),
    [true, false, false],
  )
  assert.equal(
    lines.map((line) => headerOf(line).kid),
    lines.map(() => signer.keyId),
  )
  assert.equal(
    (await keysInLog(readFileSync(log, 'utf8'))).map(({ kid }) => kid),
    [signer.keyId],
  )
  // The key is taken out of the header of the first line, which it then no longer signs; or a key of that id is claimed.
  const carried = headerOf(lines[0]!)
  const withHeader = (header: object) =>
    lines[0]!.replace(
      /"Signature":"[\w-]+\.\./,
      `"Signature":"${Buffer.from(JSON.stringify(header), 'utf8').toString('base64url')}..`,
    )
  const { jwk: _, ...named } = carried
  const other = await newPrivateKey()
  for (const [first, says] of [
    [
      withHeader(named),
      `line 1 of log.jsonl is signed with key ${signer.keyId}, which no line before it carries`,
    ],
    [
      withHeader({ ...carried, jwk: publicPart(other) }),
      'line 1 of log.jsonl was changed: its signature is over another text',
    ],
  ] as const) {
    writeFileSync(log, `${[first, ...lines.slice(1)].join('\n')}\n`)
    assert.is((await parseLog(readFileSync(log, 'utf8'), signer.known)).damage?.message, says)
    assert.ok((await verified(root, signer)).all.includes('log - log.jsonl'))
  }
})

test('each manifest names the line before its publication, outside of what is reproducible', async ({
  root,
  log,
}) => {
  const { manifest } = await current(root)
  assert.is(manifest.Build.LogSha256, sha256(linesOf(log)[1]!))
})

test('nothing to do is no line', async ({ root, signer, log }) => {
  assert.is((await publish(root, { 'a.json': 'three', 'b.json': 'b' }, { signer })).outcome, 'unchanged')
  assert.is(linesOf(log).length, 3)
})

test('back to an earlier snapshot, and forward again: logged, and no damage', async ({
  root,
  ids,
  signer,
  log,
}) => {
  const used = await useSnapshot(root, ACME, ids[0], 'wrong rate', { signer })
  assert.equal(used, { changed: true, before: ids[2], restatement: null, candidate: null })
  assert.is((await current(root)).id, ids[0])
  const back = await verified(root, signer)
  assert.equal(back.all, [])
  assert.match(back.notes.join(), new RegExp(`^${ids[0]} is in use since .*${ids[2]} is newer: wrong rate$`))
  assert.is((await useSnapshot(root, ACME, ids[0], null, { signer })).changed, false)
  await useSnapshot(root, ACME, ids[2], null, { signer })
  assert.equal(eventsOf(log).slice(3), [`use ${ids[0]}`, `use ${ids[2]}`])
  const forward = await verified(root, signer)
  assert.equal([...forward.all, ...forward.notes], [])
})

test('after a rollback the next snapshot follows the newest one: the chain stays one line', async ({
  root,
  ids,
  signer,
}) => {
  await useSnapshot(root, ACME, ids[0], null, { signer })
  const next = await publish(root, { 'a.json': 'four' }, { signer })
  assert.is(next.outcome, 'published')
  assert.is((await current(root)).manifest.Previous?.SnapshotId, ids[2])
  const { all, notes } = await verified(root, signer)
  assert.equal([...all, ...notes], [])
})

test('what somebody went back from is not published again by the next build', async ({
  root,
  ids,
  signer,
}) => {
  await useSnapshot(root, ACME, ids[1], null, { signer })
  const again = await publish(root, { 'a.json': 'three', 'b.json': 'b' }, { signer })
  assert.equal([again.outcome, again.snapshotId, again.rolledBackFrom], ['unchanged', ids[1], ids[2]])
  // An older one is: nobody went back from that.
  assert.is((await publish(root, { 'a.json': 'one', 'b.json': 'b' }, { signer })).outcome, 'published')
})

test('a damaged or unknown snapshot is not taken into use', async ({ root, ids, signer, log }) => {
  rmSync(join(root, ACME, ids[0], 'b.json'))
  await rejects(useSnapshot(root, ACME, ids[0], null, { signer }), /is damaged: b\.json is missing/)
  await rejects(
    useSnapshot(root, ACME, '2026-10-r7-abcdef', null, { signer }),
    /acme has no snapshot "2026-10-r7/,
  )
  await rejects(useSnapshot(root, ACME, '../x', null, { signer }), /acme has no snapshot/)
  await rejects(
    useSnapshot(root, 'nobody', ids[0], null, { signer }),
    /nothing is published of company "nobody"/,
  )
  assert.not.ok(existsSync(join(root, 'nobody')))
  assert.is((await current(root)).id, ids[2])
  assert.is(linesOf(log).length, 3)
})

test('holds are logged, once each', async ({ root, ids, signer, log }) => {
  await holdSnapshots(root, ACME, ids[0], 'tax audit', { signer })
  await rejects(holdSnapshots(root, ACME, ids[0], 'again', { signer }), /is held since .*: tax audit/)
  await releaseSnapshots(root, ACME, ids[0], null, { signer })
  await rejects(releaseSnapshots(root, ACME, ids[0], null, { signer }), /is not held/)
  assert.equal(eventsOf(log).slice(3), [`hold ${ids[0]}`, `release ${ids[0]}`])
})

/** As somebody would who can write the files, but has no key. */
const pointBy = (path: string, id: string, hash: string): void =>
  writeFileSync(path, JSON.stringify({ SnapshotId: id, ManifestSha256: hash }))

test('a pointer rolled back by hand is damage, and nothing is built on it until somebody decides', async ({
  root,
  ids,
  signer,
  pointer,
  log,
}) => {
  pointBy(pointer, ids[0], recordsOf(log)[0]!.ManifestSha256)
  const { all, damages } = await verified(root, signer)
  assert.equal(all, [`rolled-back - ${POINTER}`])
  assert.match(damages[0]!.message, /says that .* is current \(publish, .*\): it was rolled back by hand/)
  const refused = await rejects(publish(root, { 'a.json': 'four' }, { signer }), /./)
  assert.match(JSON.stringify(refused), new RegExp(`tieout use acme ${ids[2]}`))
  await useSnapshot(root, ACME, ids[2], 'somebody had changed it', { signer })
  assert.equal((await verified(root, signer)).all, [])
  assert.is((await publish(root, { 'a.json': 'four' }, { signer })).outcome, 'published')
})

test('a rollback undone by hand is damage too', async ({ root, ids, signer, pointer, log }) => {
  await useSnapshot(root, ACME, ids[0], null, { signer })
  pointBy(pointer, ids[2], recordsOf(log)[2]!.ManifestSha256)
  const { all, damages } = await verified(root, signer)
  assert.equal(all, [`rolled-back - ${POINTER}`])
  assert.match(damages[0]!.message, /changed by hand, or "tieout use" was interrupted/)
})

test('a publication that was interrupted before its line is a note, and the next build enters it', async ({
  root,
  ids,
  signer,
  log,
}) => {
  writeFileSync(log, `${linesOf(log).slice(0, 2).join('\n')}\n`)
  const { all, notes } = await verified(root, signer)
  assert.equal(all, [])
  assert.match(notes.join(), new RegExp(`${ids[2]} is current and not in ${LOG}`))
  assert.is((await publish(root, { 'a.json': 'three', 'b.json': 'b' }, { signer })).outcome, 'unchanged')
  assert.is(recordsOf(log)[2]!.SnapshotId, ids[2])
  assert.match(recordsOf(log)[2]!.Reason!, /entered afterwards/)
  const after = await verified(root, signer)
  assert.equal([...after.all, ...after.notes], [])
})

test('one that was interrupted before the pointer moved is a note, and the next build finishes it', async ({
  root,
  ids,
  signer,
  log,
  pointer,
}) => {
  pointBy(pointer, ids[1], recordsOf(log)[1]!.ManifestSha256)
  writeFileSync(log, `${linesOf(log).slice(0, 2).join('\n')}\n`)
  const { all, notes } = await verified(root, signer)
  assert.equal(all, [])
  assert.match(notes.join(), new RegExp(`${ids[2]} follows ${ids[1]} and is not in ${LOG}: .* interrupted`))
  assert.is((await publish(root, { 'a.json': 'three', 'b.json': 'b' }, { signer })).outcome, 'unchanged')
  assert.is((await current(root)).id, ids[2])
  const after = await verified(root, signer)
  assert.equal([...after.all, ...after.notes], [])
})

test('one that is not whole is not finished', async ({ root, ids, signer, log, pointer }) => {
  pointBy(pointer, ids[1], recordsOf(log)[1]!.ManifestSha256)
  writeFileSync(log, `${linesOf(log).slice(0, 2).join('\n')}\n`)
  rmSync(join(root, ACME, ids[2], 'a.json'))
  await publish(root, { 'a.json': 'two', 'b.json': 'b' }, { signer })
  assert.is((await current(root)).id, ids[1])
})

test('a torn last line is a note, and goes with the next change', async ({ root, ids, signer, log }) => {
  appendFileSync(log, '{"Seq":4,"At":"2026-')
  const { all, notes } = await verified(root, signer)
  assert.equal(all, [])
  assert.match(notes.join(), /the last line of log\.jsonl was never finished/)
  await holdSnapshots(root, ACME, ids[0], 'case', { signer })
  assert.equal(
    recordsOf(log).map(({ Seq }) => Seq),
    [1, 2, 3, 4],
  )
  const after = await verified(root, signer)
  assert.equal([...after.all, ...after.notes], [])
})

test('zeros in the place of a last line (a power failure) are a torn line', async ({ root, signer, log }) => {
  appendFileSync(log, `${'\0'.repeat(400)}\n`)
  const { all, notes } = await verified(root, signer)
  assert.equal(all, [])
  assert.match(notes.join(), /never finished/)
})

test('whatever is done to a line that is not the last one is named, and stops every change', async ({
  root,
  ids,
  signer,
  log,
}) => {
  const lines = linesOf(log)
  const [one, two, three] = lines as [string, string, string]
  const hands: [string, string[], RegExp][] = [
    ['changed', [one, two.replace(/"By":"[^"]*"/, '"By":"nobody@x"'), three], /line 2 .* was changed/],
    ['unknown', [one, two, three.replace('"publish"', '"praise"')], /line 3 .* is a "praise", an event that/],
    ['last line torn', [one, two, three.slice(0, 80)], /line 3 .* is not a record/],
    ['torn', [one, two.slice(0, 80), three], /line 2 .* is not a record/],
    ['taken away', [one, three], /line 2 .* does not follow/],
    ['first taken away', [two, three], /line 1 .* is not the first/],
    ['swapped', [one, three, two], /line 2 .* does not follow/],
    ['put in', [one, one, two, three], /line 2 .* does not follow/],
    ['unsigned', [one, two.replace(/,"Signature":"[^"]*"/, ''), three], /line 2 .* lost its signature/],
    [
      'signature of another',
      [one, two.replace(/"Signature":"[^"]*"/, /"Signature":"[^"]*"/.exec(one)![0]), three],
      /line 2 .* was changed/,
    ],
  ]
  for (const [what, changed, pattern] of hands) {
    writeFileSync(log, `${changed.join('\n')}\n`)
    const { all, damages } = await verified(root, signer)
    assert.ok(all.includes(`log - ${LOG}`), `${what}: ${all.join()}`)
    assert.match(damages[0]!.message, pattern, what)
    const refused = await rejects(publish(root, { 'a.json': 'four' }, { signer }), /./)
    assert.match(JSON.stringify(refused), /log-damaged/, what)
    await rejects(useSnapshot(root, ACME, ids[0], null, { signer }), /./)
  }
  writeFileSync(log, `${lines.join('\n')}\n`)
  assert.equal((await verified(root, signer)).all, [])
})

test('lines that another key signed are named where the keys are known', async ({
  root,
  ids,
  signer,
  scratch,
  log,
}) => {
  const forger = await openSigner(join(scratch, 'forger'))
  const { all } = await verified(root, signer)
  assert.equal(all, [])
  const forging = { signer: { ...forger, known: signer.known } }
  await rejects(useSnapshot(root, ACME, ids[0], null, forging), /which is none of the known ones/)
  assert.is(linesOf(log).length, 3)
  await addLine(join(root, ACME), 'use', pointerTo(join(root, ACME), ids[0]), forger)
  const forged = await verified(root, signer)
  assert.match(forged.damages[0]!.message, /line 4 .* is signed with key .*, which is none of the known ones/)
  await rejects(holdSnapshots(root, ACME, ids[0], 'x', { signer }), /./)
  assert.is(linesOf(log).length, 4)
})

test('a log that is gone or empty is damage, and stops every change until somebody vouches for the rest', async ({
  root,
  ids,
  signer,
  log,
}) => {
  for (const lose of [() => rmSync(log), () => writeFileSync(log, '')]) {
    lose()
    const { all, damages } = await verified(root, signer)
    assert.equal(all, [`log-missing - ${LOG}`])
    assert.match(damages[0]!.message, `although manifest.json of ${ids[1]} names a line of it`)
    const refused = await rejects(holdSnapshots(root, ACME, ids[1], 'case', { signer }), /./)
    assert.match(JSON.stringify(refused), /tieout snapshots adopt acme --reason/)
  }
  assert.equal(await adoptHistory(root, ACME, 'the disk of the log broke', { signer }), {
    adopted: 3,
    candidate: null,
  })
  await holdSnapshots(root, ACME, ids[1], 'case', { signer })
  assert.equal(eventsOf(log), [`adopt ${ids[2]}`, `publish ${ids[2]}`, `hold ${ids[1]}`])
  assert.equal((await verified(root, signer)).all, [])
})

test('what cannot be entered in the log is published, said, and entered by the next build', async ({
  root,
  signer,
  log,
}) => {
  const full = {
    ...disk,
    append: () => {
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
    },
  }
  const problem = await rejects(
    publish(root, { 'a.json': 'four' }, { signer, effects: full }),
    /is published and current, but could not be entered in log\.jsonl: ENOSPC/,
  )
  const { id } = await current(root)
  assert.match(problem.message, id)
  assert.is((await publish(root, { 'a.json': 'four' }, { signer })).outcome, 'unchanged')
  assert.is(recordsOf(log).at(-1)!.SnapshotId, id)
})
