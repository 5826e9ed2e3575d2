/** What is done to a company's snapshots, small enough to be done again for each way in which it can go wrong. */
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as assert from 'uvu/assert'
import { parseSnapshotId } from '../../builder/snapshot/files/layout.ts'
import type { InputEntry } from '../../builder/snapshot/files/manifest.ts'
import { readPointer } from '../../builder/snapshot/files/open.ts'
import { beginStage } from '../../builder/snapshot/files/stage.ts'
import type { Signer } from '../../builder/snapshot/keys/key-file.ts'
import { candidatesIn } from '../../builder/snapshot/log/candidates.ts'
import type { ChangeOptions } from '../../builder/snapshot/log/change.ts'
import { closeMonth, reopenMonth } from '../../builder/snapshot/log/close.ts'
import { readHistory } from '../../builder/snapshot/log/history.ts'
import { prune } from '../../builder/snapshot/log/prune.ts'
import { holdSnapshots, useSnapshot } from '../../builder/snapshot/log/use.ts'
import type { Effects } from '../../builder/system/effects.ts'
import { sha256 } from '../../builder/system/hash.ts'
import { ACME, current, through, verified } from '../support/snapshots.ts'
import { operationsOf, quick } from './effects.ts'

export interface Scenario {
  readonly name: string
  /** What is there before. */
  prepare(root: string, signer: Signer, effects: Effects): Promise<void>
  act(root: string, signer: Signer, effects: Effects): Promise<unknown>
  /** The text of `a.json` in the current snapshot, before and after. */
  readonly before: string | null
  readonly after: string
  /** Snapshots that lie there in the end. */
  readonly left: number
  /** Through which day the books are closed in the end, where they are. */
  readonly closed?: string
  /** What waits for approval in the end. */
  readonly waiting?: number
  /** Whether it synchronises everything at once, where the system can. */
  readonly syncsAll?: boolean
}

const inputOf = (File: string, text: string): InputEntry => ({
  File,
  Role: 'ledger',
  Bytes: text.length,
  Sha256: sha256(text),
  Encoding: 'utf-8',
  RowsRead: 1,
  RowsRejected: 0,
  Debit: null,
  Credit: null,
  Values: null,
  Total: null,
  FirstDate: null,
  LastDate: null,
  Kept: true,
})

export async function publishText(
  root: string,
  text: string,
  options: ChangeOptions,
  LockedThrough: string | null = null,
): Promise<void> {
  const source = join(dirname(root), `${text}.csv`)
  if (!existsSync(source)) writeFileSync(source, text)
  const stage = await beginStage(root, ACME, options)
  try {
    // In pieces, as what may be large.
    stage.write('a.json', [Buffer.from(text.slice(0, 1)), Buffer.from(text.slice(1))])
    stage.write('statements/b.json', 'the same in all')
    const file = `${text}.csv`
    await stage.keep([{ file, path: source, sha256: sha256(text) }])
    const Inputs = [inputOf(file, text)]
    await stage.publish({ ...through('2026-10'), LockedThrough, Inputs }, Date.parse('2026-11-01'))
  } finally {
    stage.discard()
  }
}

const texts = ['one', 'two']
const two: Scenario['prepare'] = async (root, signer, effects) => {
  for (const text of texts) await publishText(root, text, { signer, effects })
}
const closed: Scenario['prepare'] = async (root, signer, effects) => {
  await two(root, signer, effects)
  await closeMonth(root, ACME, '2026-10', { today: '2026-11-30', signer, effects })
}
const idOf = async (root: string, number: number): Promise<string> =>
  [...(await readHistory(root, ACME)).published.keys()][number]!

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'the first publication',
    prepare: async () => {},
    act: (root, signer, effects) => publishText(root, 'one', { signer, effects }),
    before: null,
    after: 'one',
    left: 1,
    syncsAll: true,
  },
  {
    name: 'a publication',
    prepare: two,
    act: (root, signer, effects) => publishText(root, 'three', { signer, effects }),
    before: 'two',
    after: 'three',
    left: 3,
    syncsAll: true,
  },
  {
    name: 'a rollback',
    prepare: two,
    act: async (root, signer, effects) =>
      useSnapshot(root, ACME, await idOf(root, 0), 'reason', { signer, effects }),
    before: 'two',
    after: 'one',
    left: 2,
  },
  {
    name: 'a hold',
    prepare: two,
    act: async (root, signer, effects) => {
      const id = await idOf(root, 0)
      if (!(await readHistory(root, ACME)).held.has(id))
        await holdSnapshots(root, ACME, id, 'reason', { signer, effects })
      // Done already: what is left behind goes with the next change.
      else await publishText(root, 'two', { signer, effects })
    },
    before: 'two',
    after: 'two',
    left: 2,
  },
  {
    name: 'a hold on the company',
    prepare: two,
    act: async (root, signer, effects) => {
      if (!(await readHistory(root, ACME)).allHeld)
        await holdSnapshots(root, ACME, null, 'reason', { signer, effects })
      // Done already: what is left behind goes with the next change.
      else await publishText(root, 'two', { signer, effects })
    },
    before: 'two',
    after: 'two',
    left: 2,
  },
  {
    name: 'a pruning',
    prepare: two,
    act: (root, signer, effects) =>
      prune(root, { company: ACME, policy: { keepLast: 1 }, inUse: async () => new Set() }, null, {
        signer,
        effects,
      }),
    before: 'two',
    after: 'two',
    left: 1,
  },
  {
    name: 'a month that is closed',
    prepare: two,
    act: (root, signer, effects) =>
      closeMonth(root, ACME, '2026-10', { today: '2026-11-30', signer, effects }),
    before: 'two',
    after: 'two',
    left: 2,
    closed: '2026-10-31',
  },
  {
    name: 'a month that is reopened',
    prepare: closed,
    act: async (root, signer, effects) => {
      if ((await readHistory(root, ACME)).closed?.Event === 'close')
        await reopenMonth(root, ACME, '2026-10', 'the bill came late', { signer, effects })
      else await publishText(root, 'two', { signer, effects }, '2026-09-30')
    },
    before: 'two',
    after: 'two',
    left: 2,
    closed: '2026-09-30',
  },
  {
    name: 'a publication that closes',
    prepare: two,
    act: (root, signer, effects) => publishText(root, 'three', { signer, effects }, '2026-10-31'),
    before: 'two',
    after: 'three',
    left: 3,
    closed: '2026-10-31',
    syncsAll: true,
  },
  {
    name: 'a rollback that closed months feel',
    prepare: closed,
    act: async (root, signer, effects) =>
      useSnapshot(root, ACME, await idOf(root, 0), 'reason', {
        signer,
        effects,
        compare: async ({ SnapshotId: Since }, _now, LockDate) => ({ ...RESTATED, Since, LockDate }),
      }),
    before: 'two',
    after: 'one',
    left: 2,
    closed: '2026-10-31',
  },
]

const RESTATED = {
  Reason: null,
  Figures: 1,
  Documents: 1,
  Days: 0,
  Months: ['2026-10'],
  GoneMonths: [],
  First: [],
}

export interface Context {
  scratch: string
  root: string
  state: string
  signer: Signer
}

/** Fresh copies of what is there before, and the operations that it takes undisturbed. */
export async function prepared(scenario: Scenario, { scratch, signer }: Context) {
  const origin = join(scratch, 'origin')
  mkdirSync(origin)
  await scenario.prepare(origin, signer, quick)
  const fresh = (name: string): string => {
    const root = join(scratch, name)
    rmSync(root, { recursive: true, force: true })
    cpSync(origin, root, { recursive: true })
    return root
  }
  const trial = fresh('trial')
  const operations = await operationsOf((effects) => scenario.act(trial, signer, effects))
  await assertDone(scenario, trial, signer, 'undisturbed')
  return { origin, fresh, operations }
}

/** The text that the current snapshot has, every file of it verified; null where nothing is published. */
export async function currentText(root: string): Promise<string | null> {
  if ((await readPointer(root, ACME)) === null) return null
  const snapshot = await current(root)
  for (const { Path } of snapshot.manifest.Files) await snapshot.read(Path)
  return (await snapshot.read('a.json')).toString()
}

/** After it was interrupted: old or new, whole, and verified but for what it may tell. */
export async function assertSound(
  scenario: Scenario,
  root: string,
  signer: Signer,
  where: string,
): Promise<void> {
  const text = await currentText(root)
  assert.ok(text === scenario.before || text === scenario.after, `${where}: current is ${text}`)
  if (text === null && !hasSnapshots(root)) return
  const { all, damages } = await verified(root, signer)
  const told = all.filter((each) => !(text === null && each.startsWith('pointer-missing')))
  assert.equal(told, [], `${where}: ${damages.map(({ message }) => message).join('; ')}`)
}

/** Done once more, or for the first time: done, verified, nothing left over, and entered in the log once. */
export async function assertDone(
  scenario: Scenario,
  root: string,
  signer: Signer,
  where: string,
): Promise<void> {
  assert.is(await currentText(root), scenario.after, where)
  const { all, damages, snapshots } = await verified(root, signer)
  assert.equal(all, [], `${where}: ${damages.map(({ message }) => message).join('; ')}`)
  assert.is(snapshots.length, scenario.left, where)
  const names = readdirSync(join(root, ACME)).filter((name) => !parseSnapshotId(name))
  const { waiting = 0 } = scenario
  const expected = ['current.json', 'inputs', 'log.jsonl', ...(names.includes('pruned') ? ['pruned'] : [])]
  assert.equal(names.sort(), [...(waiting > 0 ? ['candidates'] : []), ...expected], where)
  const candidates = await candidatesIn(join(root, ACME))
  assert.equal(
    candidates.map(({ isStale }) => isStale),
    Array.from({ length: waiting }, () => false),
    where,
  )
  assert.is(readdirSync(join(root, ACME, 'inputs')).length, scenario.left, where)
  const { published, closed: closing } = await readHistory(root, ACME)
  assert.is(closing?.ClosedThrough, scenario.closed, where)
  for (const { snapshotId } of snapshots)
    assert.ok(published.has(snapshotId), `${where}: ${snapshotId} is in the log`)
}

const hasSnapshots = (root: string): boolean =>
  existsSync(join(root, ACME)) && readdirSync(join(root, ACME)).some((name) => parseSnapshotId(name) !== null)
