/** Log and pointer gone while snapshots lie there: nothing begins a new history, whoever lost them, and what mends it is said. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { LOG, MANIFEST, POINTER, PRUNED, prunedFolder } from '../../builder/snapshot/files/layout.ts'
import { openSigner, type Signer } from '../../builder/snapshot/keys/key-file.ts'
import { adoptHistory } from '../../builder/snapshot/log/adopt.ts'
import { closeMonth, reopenMonth } from '../../builder/snapshot/log/close.ts'
import type { LogRecord } from '../../builder/snapshot/log/log-record.ts'
import { holdSnapshots, releaseSnapshots, useSnapshot } from '../../builder/snapshot/log/use.ts'
import { FindingsError } from '../../builder/workspace/findings/finding.ts'
import { suite } from '../suite.ts'
import { ACME, current, makeRoot, publish, verified } from '../support/snapshots.ts'

interface Context {
  scratch: string
  root: string
  state: string
  signer: Signer
  /** Of the company. */
  folder: string
  /** Three snapshots; the last was current. */
  ids: readonly [string, string, string]
}

const test = suite<Context>('a log and a pointer that are gone')
test.before.each(async (context) => {
  Object.assign(context, makeRoot())
  context.signer = await openSigner(context.state)
  const ids: string[] = []
  for (const text of ['one', 'two', 'three'])
    ids.push((await publish(context.root, { 'a.json': text }, context)).snapshotId)
  context.ids = ids as [string, string, string]
  context.folder = join(context.root, ACME)
})

const today = '2026-11-30'
const CHANGES: Readonly<Record<string, (context: Context) => Promise<unknown>>> = {
  'a build': ({ root, signer }) => publish(root, { 'a.json': 'four' }, { signer }),
  'a build that has nothing to do': ({ root, signer }) => publish(root, { 'a.json': 'three' }, { signer }),
  'a hold': ({ root, signer, ids }) => holdSnapshots(root, ACME, ids[0], 'tax audit', { signer }),
  'a hold of all': ({ root, signer }) => holdSnapshots(root, ACME, null, 'tax audit', { signer }),
  'a release': ({ root, signer, ids }) => releaseSnapshots(root, ACME, ids[0], null, { signer }),
  'a closing': ({ root, signer }) => closeMonth(root, ACME, '2026-09', { signer, today }),
  'a reopening': ({ root, signer }) => reopenMonth(root, ACME, '2026-09', 'found late', { signer }),
  'another one in use': ({ root, signer, ids }) => useSnapshot(root, ACME, ids[2], 'it was lost', { signer }),
}

async function refused(work: Promise<unknown>): Promise<{ message: string; remedy: string }> {
  const problem = await work.then(
    () => null,
    (found: unknown) => found,
  )
  assert.instance(problem, FindingsError, String(problem))
  const [finding] = (problem as FindingsError).findings
  assert.is(finding!.code, 'log-damaged')
  return { message: finding!.message, remedy: finding!.remedy ?? '' }
}

for (const [name, change] of Object.entries(CHANGES))
  for (const isEmpty of [false, true])
    test(`${name} is refused, ${isEmpty ? 'the log emptied' : 'the log deleted'}`, async (context) => {
      const { folder, ids } = context
      rmSync(join(folder, POINTER))
      if (isEmpty) writeFileSync(join(folder, LOG), '')
      else rmSync(join(folder, LOG))
      const before = readdirSync(folder)
      const { message, remedy } = await refused(change(context))
      assert.match(message, /^log\.jsonl is missing or empty, although manifest\.json of /)
      assert.match(message, ids[1])
      assert.match(message, 'current.json is missing too')
      assert.match(remedy, 'restore log.jsonl and current.json from a backup of the snapshots')
      assert.match(remedy, 'restore its snapshots from archives')
      assert.equal(readdirSync(folder), before)
      assert.ok(!existsSync(join(folder, POINTER)))
    })

test('what stays of a pruned snapshot names the log as well', async (context) => {
  const { folder, ids } = context
  rmSync(join(folder, POINTER))
  rmSync(join(folder, LOG))
  const { mkdirSync, renameSync } = await import('node:fs')
  mkdirSync(join(folder, PRUNED))
  renameSync(join(folder, ids[1]), prunedFolder(folder, ids[1]))
  for (const id of [ids[0], ids[2]]) rmSync(join(folder, id), { recursive: true })
  await refused(CHANGES['a build']!(context))
})

test('the first publication, whose line was never written, is finished: it names no log', async (context) => {
  const { folder, ids, root, signer } = context
  for (const name of [POINTER, LOG, ids[1], ids[2]]) rmSync(join(folder, name), { recursive: true })
  assert.is((await publish(root, { 'a.json': 'one' }, { signer })).outcome, 'unchanged')
  assert.equal((await verified(root, signer)).all, [])
})

test('without a backup a person vouches for what lies there: the newest is current, and months stay closed', async (context) => {
  const { folder, ids, root, signer } = context
  rmSync(join(folder, POINTER))
  rmSync(join(folder, LOG))
  const adopted = await adoptHistory(root, ACME, 'the disk of the log broke', { signer })
  assert.equal(adopted, { adopted: 3, candidate: null })
  assert.is((await current(root)).id, ids[2])
  const [line] = readFileSync(join(folder, LOG), 'utf8').split('\n')
  const { Event, SnapshotId, ClosedThrough } = JSON.parse(line!) as LogRecord
  assert.equal([Event, SnapshotId, ClosedThrough], ['adopt', ids[2], '2026-10-31'])
  assert.equal((await verified(root, signer)).all, [])
  await holdSnapshots(root, ACME, ids[0], 'tax audit', { signer })
  assert.equal((await verified(root, signer)).all, [])
})

test('an adoption that was killed before the pointer was there again is finished by the next change', async (context) => {
  const { folder, ids, root, signer } = context
  rmSync(join(folder, POINTER))
  rmSync(join(folder, LOG))
  await adoptHistory(root, ACME, 'the disk of the log broke', { signer })
  rmSync(join(folder, POINTER))
  await holdSnapshots(root, ACME, ids[0], 'tax audit', { signer })
  assert.is((await current(root)).id, ids[2])
  assert.equal((await verified(root, signer)).all, [])
})

test('what was changed meanwhile is not vouched for', async (context) => {
  const { folder, ids, root, signer } = context
  rmSync(join(folder, POINTER))
  rmSync(join(folder, LOG))
  const path = join(folder, ids[2], MANIFEST)
  const text = readFileSync(path, 'utf8')
  rmSync(path)
  writeFileSync(path, text.replace('"USD"', '"EUR"'))
  const problem = await adoptHistory(root, ACME, 'the log broke', { signer }).catch((found: Error) => found)
  assert.instance(problem, FindingsError)
  assert.ok(!existsSync(join(folder, POINTER)) && !existsSync(join(folder, LOG)))
})
