/** Attempts on closed months by what is done to snapshots, log and keys: no figure of one differs without a reason in the log. */
import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { LOG, MANIFEST, POINTER, RESTATEMENT } from '../../builder/snapshot/layout.ts'
import { appendRecord, readLog } from '../../builder/snapshot/log.ts'
import { openSigner } from '../../builder/snapshot/sign.ts'
import {
  addLine,
  copyOf,
  linesOf,
  manifestOf,
  point,
  pointerTo,
  rewriteHistory,
  snapshotsIn,
  writeLines,
  writeManifest,
} from './attacker.ts'
import {
  type Attempt,
  cutLog,
  endOf,
  ledger,
  MARCH,
  makeCompany,
  SALE,
  settings,
  type World,
} from './closed-months.ts'

const test = suite<{ top: string }>('closed months: snapshots, log and keys')
test.before(async (context) => {
  context.top = mkdtempSync(join(tmpdir(), 'tieout-closed-'))
  for (const by of ['command', 'setting'] as const) await makeCompany(context.top, by)
})
test.after(({ top }) => rmSync(top, { recursive: true, force: true }))

const WANTED = ledger(SALE.wanted)
const FEBRUARY = ledger(SALE.closed, '5 2025-02-11 rent 9.00; 5 2025-02-11 bank -9.00')
/** Published folders are read-only. */
const writable = (folder: string): string => copyOf(folder, mkdtempSync(join(tmpdir(), 'tieout-writable-')))
const replaced = (folder: string, change: (copy: string) => void): void => {
  const copy = writable(folder)
  change(copy)
  rmSync(folder, { recursive: true, force: true })
  cpSync(copy, folder, { recursive: true })
  rmSync(copy, { recursive: true, force: true })
}
const inFile = (path: string, from: string, to: string): void =>
  writeFileSync(path, readFileSync(path, 'utf8').replace(from, to))
const stranger = (world: World) => openSigner(join(world.root, 'stranger'))
/** A day in the life of a clock that is wrong. */
async function at<T>(day: string, work: () => Promise<T>): Promise<T> {
  const Real = Date
  const offset = Real.parse(day) - Real.now()
  globalThis.Date = class extends Real {
    constructor(...given: ConstructorParameters<typeof Date> | []) {
      super(...((given.length === 0 ? [Real.now() + offset] : given) as [number]))
    }
    static override now(): number {
      return Real.now() + offset
    }
  } as DateConstructor
  try {
    return await work()
  } finally {
    globalThis.Date = Real
  }
}

const ATTEMPTS: Readonly<Record<string, Attempt>> = {
  'back to a snapshot from before the close': {
    by: 'command',
    act: (world) => world.use(world.ids[0]!),
    ends: 'reason',
  },
  'back, and forward again': {
    by: 'command',
    async act(world) {
      const [first, second] = world.ids
      await world.use(first!)
      await world.use(second!, 'the first one was right after all')
      assert.is(world.explained, 2, 'each says what it changes')
    },
    ends: 'reason',
  },
  'back, with blanks as the reason': {
    by: 'command',
    async act(world) {
      await world.command('use', 'acme', world.ids[0]!, '--reason', '               ')
      await world.command('use', 'acme', world.ids[0]!)
    },
    ends: 'refused',
    says: /too short/,
  },
  'back, and what it changed taken out of its line': {
    by: 'command',
    async act(world) {
      await world.use(world.ids[0]!)
      await world.forge((folder) =>
        writeLines(
          folder,
          linesOf(folder).map((line) => line.replace(/,"Restatement":\{.*?\}(?=,"Signature)/, '')),
        ),
      )
    },
    ends: 'damage',
    says: /line \d of log\.jsonl was changed/,
  },
  'back by a line, signed with the true key, that does not say what it changes': {
    by: 'command',
    async act(world) {
      const signer = await openSigner(world.workspace.state)
      const first = pointerTo(world.folder, world.ids[0]!)
      await world.forge(async (folder) => {
        await appendRecord(folder, await readLog(folder), 'use', first, 'a reason that sounds well', signer)
        point(folder, first)
      })
    },
    ends: 'damage',
    says: /takes \S+ into use, which states closed months differently, and does not say so: \d+ figures/,
  },
  'back, then a build that goes on from there': {
    by: 'command',
    async act(world) {
      await world.use(world.ids[0]!)
      await world.build(ledger(SALE.wanted, MARCH))
      assert.is(world.steps.at(-1), 'refused')
      await world.build(ledger(SALE.first, MARCH))
      assert.is(world.steps.at(-1), 'done')
    },
    ends: 'reason',
  },
  'restated, rolled back, went on': {
    by: 'command',
    async act(world) {
      const before = world.ids.at(-1)!
      await world.build(WANTED, 'invoice 17 was booked twice')
      await world.use(before, 'it was not booked twice')
      await world.build(ledger(SALE.closed, MARCH))
      assert.equal(world.steps, ['done', 'done', 'done'], world.said.join('\n'))
    },
    ends: 'reason',
  },
  'back behind a closed month, which comes back with other figures': {
    by: 'command',
    async act(world) {
      await world.build(ledger(SALE.closed, MARCH))
      await world.close('2025-03')
      await world.use(world.ids[1]!, 'March was published too early')
      await world.build(ledger(SALE.closed, MARCH.replaceAll('41.00', '999.00')))
      assert.equal(world.steps, ['done', 'done', 'done', 'refused'])
    },
    ends: 'reason',
    says: /2025-03, closed before, was not covered by it/,
  },
  'back behind a closed month, which comes back with a reason': {
    by: 'command',
    async act(world) {
      await world.build(ledger(SALE.closed, MARCH))
      await world.close('2025-03')
      await world.use(world.ids[1]!, 'March was published too early')
      await world.build(ledger(SALE.closed, MARCH.replaceAll('41.00', '42.00')), 'the rent of March is final')
      assert.equal(world.steps, ['done', 'done', 'done', 'done'], world.said.join('\n'))
    },
    ends: 'reason',
  },
  'the older snapshot pruned, then January changed': {
    by: 'command',
    async act(world) {
      await world.prune()
      await world.build(WANTED)
    },
    ends: 'refused',
    says: /closed-month-restated/,
  },
  'back, the other one pruned, forward again': {
    by: 'command',
    async act(world) {
      const [, second] = world.ids
      await world.use(world.ids[0]!)
      await world.prune()
      await world.use(second!, 'the first one was right after all')
    },
    ends: 'reason',
  },
  'pruned, restored from an archive, taken into use': {
    by: 'command',
    async act(world) {
      const [first, second] = world.ids
      await world.use(first!)
      const archive = await world.archive()
      await world.use(second!, 'the first one was right after all')
      await world.prune()
      await world.restore(archive)
      await world.use(first!, 'the archive is what was filed')
      assert.equal(world.steps, ['done', 'done', 'done', 'done', 'done'], world.said.join('\n'))
    },
    ends: 'reason',
  },
  'archived, restored in a workspace of its own, changed there': {
    by: 'setting',
    async act(world) {
      const other = world.elsewhere(true)
      await other.restore(await world.archive())
      await other.build({ ...settings(null), ...WANTED })
      assert.equal(other.steps, ['done', 'refused'], other.said.join('\n'))
      return other
    },
    ends: 'anchor',
    says: /lockDate is gone/,
  },
  'another workspace over the same snapshots, with a key of its own': {
    by: 'command',
    async act(world) {
      rmSync(join(world.root, '.tieout'), { recursive: true })
      await world.build(WANTED)
    },
    ends: 'damage',
    says: /none of the known ones/,
  },
  'another workspace with the true key, without settings': {
    by: 'setting',
    async act(world) {
      rmSync(join(world.root, 'datasets'), { recursive: true })
      await world.build({
        'company.yaml': `id: acme\nname: Acme\nfiscalMonthEnd: 12\ncurrency: USD\nchartOfAccounts: chart.csv\nopening: none\nledger: [{ files: ledger.csv }]\n`,
        'chart.csv':
          'id,number,name,classification,type\nbank,1000,Bank,Asset,Bank\nsales,4000,Sales,Income,Sales\n',
        'ledger.csv':
          'transaction_id,date,account,amount\n1,2025-02-01,bank,1.00\n1,2025-02-01,sales,-1.00\n',
      })
    },
    ends: 'refused',
    says: /lockDate is gone/,
  },
  'a fresh clone without snapshots: the setting counts, and what was noted is not there': {
    by: 'setting',
    async act(world) {
      await world.forge((folder) => rmSync(folder, { recursive: true }))
      await world.build(WANTED)
      await world.build(ledger(SALE.closed))
      assert.equal(world.steps.slice(1), ['done', 'refused'])
    },
    ends: 'anchor',
  },
  'the log deleted, January changed': {
    by: 'command',
    async act(world) {
      await world.forge((folder) => rmSync(join(folder, LOG)))
      await world.build(WANTED)
      assert.is(world.steps.at(-1), 'refused')
    },
    ends: 'damage',
    says: /log\.jsonl is missing or empty/,
  },
  'the log deleted, adopted as lost, January changed': {
    by: 'command',
    async act(world) {
      await world.forge((folder) => rmSync(join(folder, LOG)))
      await world.adopt()
      await world.build(WANTED)
      assert.equal(world.steps, ['done', 'done', 'refused'])
    },
    ends: 'anchor',
    says: /closed-month-restated/,
  },
  'a history that is whole, adopted': {
    by: 'setting',
    async act(world) {
      await world.adopt('to be on the safe side')
      await world.build({ ...settings(null), ...WANTED })
    },
    ends: 'refused',
    says: /lockDate is gone/,
  },
  'the closing cut off the end of the log, January changed': {
    by: 'command',
    async act(world) {
      await world.forge((folder) => cutLog(folder, 1))
      await world.build(WANTED)
      assert.is(world.steps.at(-1), 'done')
    },
    ends: 'anchor',
    says: /nothing here has the SHA-256 that was noted/,
  },
  'the closing cut off the log after a publication that names it': {
    by: 'command',
    async act(world) {
      await world.build(ledger(SALE.closed, MARCH))
      await world.forge((folder) => cutLog(folder, 2))
      await world.build(ledger(SALE.wanted, MARCH))
    },
    ends: 'damage',
    says: /lacks the line that was its last/,
  },
  'the closing taken out of the log': {
    by: 'command',
    async act(world) {
      await world.build(ledger(SALE.closed, MARCH))
      await world.forge((folder) =>
        writeLines(
          folder,
          linesOf(folder).filter((line) => !line.includes('"Event":"close"')),
        ),
      )
      await world.build(ledger(SALE.wanted, MARCH))
      assert.is(world.steps.at(-1), 'refused')
    },
    ends: 'damage',
    says: /does not follow the line before it/,
  },
  'the day in the closing changed': {
    by: 'command',
    async act(world) {
      await world.forge((folder) =>
        writeLines(
          folder,
          linesOf(folder).map((line) =>
            line.replace('"ClosedThrough":"2025-01-31"', '"ClosedThrough":"2024-12-31"'),
          ),
        ),
      )
      await world.build(WANTED)
    },
    ends: 'damage',
    says: /was changed: its signature is over another text/,
  },
  'a reopening without a signature': {
    by: 'command',
    async act(world) {
      await world.forge(async (folder) => {
        const pointer = pointerTo(folder, world.ids.at(-1)!)
        const details = { ClosedThrough: '2024-12-31' }
        await appendRecord(
          folder,
          await readLog(folder),
          'reopen',
          pointer,
          'for a good reason',
          null,
          undefined,
          details,
        )
      })
      await world.build(WANTED)
      assert.is(world.steps.at(-1), 'refused')
    },
    ends: 'damage',
    says: /is not signed/,
  },
  'a reopening signed by a stranger': {
    by: 'command',
    async act(world) {
      await world.forge(async (folder) => {
        const pointer = pointerTo(folder, world.ids.at(-1)!)
        const details = { ClosedThrough: '2024-12-31' }
        const signer = await stranger(world)
        await appendRecord(
          folder,
          await readLog(folder),
          'reopen',
          pointer,
          'for a good reason',
          signer,
          undefined,
          details,
        )
      })
      await world.build(WANTED)
      assert.is(world.steps.at(-1), 'refused')
    },
    ends: 'damage',
    says: /none of the known ones/,
  },
  'a reopening without a reason, signed with the true key': {
    by: 'command',
    async act(world) {
      await world.forge(async (folder) => {
        const pointer = pointerTo(folder, world.ids.at(-1)!)
        const details = { ClosedThrough: '2024-12-31' }
        const signer = await openSigner(world.workspace.state)
        await appendRecord(folder, await readLog(folder), 'reopen', pointer, null, signer, undefined, details)
      })
      await world.build(WANTED)
    },
    ends: 'damage',
    says: /is not a record/,
  },
  'a publication, signed with the true key, under a lower lock date than the log': {
    by: 'setting',
    async act(world) {
      await world.build(ledger(SALE.closed, MARCH))
      await world.forge(async (folder) => {
        const signer = await openSigner(world.workspace.state)
        const id = world.ids.at(-1)!
        const lines = linesOf(folder)
        replaced(folder, (copy) => writeLines(copy, lines.slice(0, -1)))
        replaced(join(folder, id), () => {})
        const pointer = await writeManifest(folder, id, signer, (manifest) => ({
          ...manifest,
          LockedThrough: null,
        }))
        await addLine(folder, 'publish', pointer, signer)
        point(folder, pointer)
      })
    },
    ends: 'damage',
    says: /says that the books were closed through no day, although log\.jsonl had closed them through 2025-01-31/,
  },
  'all of the history written anew by a stranger': {
    by: 'command',
    async act(world) {
      await world.forge(async (folder) => {
        const signer = await stranger(world)
        replaced(folder, () => {})
        await rewriteHistory(folder, signer)
      })
      await world.build(WANTED)
      assert.is(world.steps.at(-1), 'refused')
    },
    ends: 'damage',
    says: /none of the known ones/,
  },
  'the pointer moved back by hand, then built': {
    by: 'command',
    async act(world) {
      await world.forge((folder) => point(folder, pointerTo(folder, world.ids[0]!)))
      await world.build(WANTED)
      assert.is(world.steps.at(-1), 'refused')
    },
    ends: 'damage',
    says: /although log\.jsonl says that/,
  },
  'a statement of January edited': {
    by: 'command',
    act: (world) =>
      world.forge((folder) =>
        replaced(join(folder, world.ids.at(-1)!), (copy) =>
          inFile(join(copy, 'statements/profit-loss/accrual/actuals/all/all.json'), '250.00', '990.00'),
        ),
      ),
    ends: 'damage',
    says: /profit-loss/,
  },
  'the current snapshot damaged, so that nothing can be compared': {
    by: 'command',
    async act(world) {
      await world.forge((folder) => rmSync(join(folder, world.ids.at(-1)!, 'books/frame.json')))
      await world.build(WANTED)
      assert.is(world.steps.at(-1), 'refused')
    },
    ends: 'damage',
    says: /whether their figures stay as published/,
  },
  'the current snapshot damaged, then back to another one': {
    by: 'command',
    async act(world) {
      const last = world.ids.at(-1)!
      const path = join(world.folder, last, 'books/frame.json')
      const text = readFileSync(path)
      await world.forge(() => rmSync(path))
      await world.use(world.ids[0]!)
      assert.match(linesOf(world.folder).at(-1)!, /"Uncompared":"books\/frame\.json/)
      await world.forge(() => writeFileSync(path, text, { mode: 0o444 }))
    },
    ends: 'reason',
  },
  'the manifest of the current snapshot deleted': {
    by: 'command',
    async act(world) {
      await world.forge((folder) => rmSync(join(folder, world.ids.at(-1)!, MANIFEST)))
      await world.build(WANTED)
      assert.is(world.steps.at(-1), 'refused')
    },
    ends: 'damage',
    says: /manifest\.json/,
  },
  'the current snapshot deleted, with the pointer': {
    by: 'command',
    async act(world) {
      await world.forge((folder) => {
        rmSync(join(folder, world.ids.at(-1)!), { recursive: true })
        rmSync(join(folder, POINTER))
      })
      await world.build(WANTED)
    },
    ends: 'damage',
  },
  'two snapshots that exchange their folders': {
    by: 'command',
    async act(world) {
      await world.forge((folder) => {
        const [first, second] = snapshotsIn(folder).map((id) => join(folder, id))
        renameSync(first!, `${first}.aside`)
        renameSync(second!, first!)
        renameSync(`${first}.aside`, second!)
      })
      await world.build(WANTED)
    },
    ends: 'damage',
  },
  'the list of what was restated deleted': {
    by: 'command',
    async act(world) {
      await world.build(WANTED, 'invoice 17 was booked twice')
      await world.forge((folder) => rmSync(join(folder, world.ids.at(-1)!, RESTATEMENT)))
    },
    ends: 'damage',
    says: /restatement\.json is missing/,
  },
  'the restatement taken out of the manifest': {
    by: 'command',
    async act(world) {
      await world.build(WANTED, 'invoice 17 was booked twice')
      await world.forge(async (folder) => {
        const id = world.ids.at(-1)!
        replaced(join(folder, id), (copy) => rmSync(join(copy, RESTATEMENT)))
        const pointer = await writeManifest(
          folder,
          id,
          await openSigner(world.workspace.state),
          (manifest) => ({
            ...manifest,
            Restatement: null,
            Files: manifest.Files.filter(({ Path }) => Path !== RESTATEMENT),
          }),
        )
        const lines = linesOf(folder)
        replaced(folder, (copy) => writeLines(copy, lines.slice(0, -1)))
        await addLine(folder, 'publish', pointer, await openSigner(world.workspace.state))
        point(folder, pointer)
      })
      assert.is(manifestOf(world.folder, world.ids.at(-1)!).Restatement, null)
    },
    ends: 'damage',
    says: /states closed months differently than before, and gives no reason/,
  },
  'a clock that was set back': {
    by: 'command',
    act: (world) => at('2025-01-05', () => world.build(WANTED)),
    ends: 'refused',
    says: /closed-month-restated/,
  },
  'a clock that runs ahead: opened by nobody': {
    by: 'setting',
    act: (world) => at('2031-01-05', () => world.build({ ...settings(null), ...WANTED })),
    ends: 'refused',
    says: /lockDate is gone/,
  },
  'February closed, opened, changed, closed; January with it': {
    by: 'command',
    async act(world) {
      await world.close('2025-02')
      await world.build(FEBRUARY)
      await world.reopen('2025-02', 'the bill came late')
      await world.build(FEBRUARY)
      await world.close('2025-02')
      await world.build(ledger(SALE.wanted))
      assert.equal(world.steps, ['done', 'refused', 'done', 'done', 'done', 'refused'])
    },
    ends: 'refused',
    says: /closed-month-restated/,
  },
}

for (const [name, attempt] of Object.entries(ATTEMPTS))
  test(name, async ({ top }) => {
    const { end, said } = await endOf(attempt, top)
    assert.is(end, attempt.ends, said)
    if (attempt.says) assert.match(said, attempt.says)
  })

test.run()
