/** Closed months: what was published for them is published again, or somebody says why not. */
import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { build } from '../../builder/build/build.ts'
import type { BuildResult } from '../../builder/build/result.ts'
import { differenceOf } from '../../builder/evidence/verify/document-difference.ts'
import { verifyCompanies } from '../../builder/evidence/verify/verify.ts'
import { relabelledAccounts } from '../../builder/snapshot/closing/labels.ts'
import { restatedBetween } from '../../builder/snapshot/closing/restated.ts'
import { companyFolder, MANIFEST, RESTATEMENT, snapshotFolder } from '../../builder/snapshot/files/layout.ts'
import type { Manifest, RestatedFigure } from '../../builder/snapshot/files/manifest.ts'
import { openSnapshot, readPointer } from '../../builder/snapshot/files/open.ts'
import { openSigner } from '../../builder/snapshot/keys/key-file.ts'
import { closeMonth, reopenMonth } from '../../builder/snapshot/log/close.ts'
import { readHistory } from '../../builder/snapshot/log/history.ts'
import type { Workspace } from '../../builder/workspace/workspace.ts'
import { suite } from '../suite.ts'
import {
  CHART,
  COMPANY,
  codes,
  companyYaml,
  type Files,
  findingsText,
  inWorkspace,
  ledgerCsv,
  only,
  writeFiles,
} from '../support/workspace.ts'

const test = suite('restatement')

const BASE = `1 2025-01-01 bank 1000.00; 1 2025-01-01 capital -1000.00
  2 2025-01-10 bank 250.00 - a; 2 2025-01-10 sales -250.00 east a
  3 2025-02-10 rent 40.00; 3 2025-02-10 bank -40.00`
const MARCH = '4 2025-03-05 rent 41.00; 4 2025-03-05 bank -41.00'
const CLASSES = 'id,name\neast,East\nwest,West\n'
const DEPARTMENTS = 'id,name\na,A\nb,B\n'
const METRICS = 'metric,2025-01,2025-02,2025-03\nheads,5,6,\n'
const planCsv = (january: string) => `account,2025-01,2025-02,2025-03\nrent,${january},45.00,\n`
const yaml = (lockDate: string | null, more = '') =>
  companyYaml(
    `classes: classes.csv
departments: departments.csv
budgets: [{ id: plan, name: Plan, files: plan.csv }]
metrics: [{ files: metrics.csv }]
nonFinancial: [{ id: heads, name: Heads, aggregation: last }]
${lockDate === null ? '' : `lockDate: ${lockDate}\n`}${more}`,
  )

const FILES: Files = {
  'company.yaml': yaml('2025-01-31'),
  'chart.csv': CHART,
  'classes.csv': CLASSES,
  'departments.csv': DEPARTMENTS,
  'plan.csv': planCsv('44.00'),
  'metrics.csv': METRICS,
  'ledger.csv': ledgerCsv(BASE),
}

const publish = (workspace: Workspace, files: Files = {}, restate?: string): Promise<BuildResult> => {
  writeFiles(join(workspace.datasets, COMPANY), files)
  return build(workspace, COMPANY, { publish: true, ...(restate === undefined ? {} : { restate }) })
}

/** The first publication of each company, in a folder that is copied for each test. */
const firsts = new Map<string, { readonly root: string; readonly first: BuildResult }>()
test.after(() => {
  for (const { root } of firsts.values()) rmSync(root, { recursive: true, force: true })
})

async function firstOf(workspace: Workspace, files: Files): Promise<BuildResult> {
  const key = JSON.stringify(files)
  const made = firsts.get(key)
  if (made) cpSync(made.root, workspace.root, { recursive: true })
  const first = made?.first ?? (await publish(workspace, files))
  if (!made) {
    const root = mkdtempSync(join(tmpdir(), 'tieout-guard-'))
    cpSync(workspace.root, root, { recursive: true })
    firsts.set(key, { root, first })
  }
  return first
}

/** After a first publication with January closed. */
const published = (
  run: (workspace: Workspace, first: BuildResult) => Promise<void>,
  files: Files = {},
): Promise<void> =>
  inWorkspace({}, async (workspace) => {
    const first = await firstOf(workspace, { ...FILES, ...files })
    assert.is(first.outcome, 'published', findingsText(first.findings))
    assert.is(first.restatement, null, 'the first snapshot restates nothing')
    await run(workspace, first)
  })

const manifestOf = (workspace: Workspace, id: string | null): Manifest =>
  JSON.parse(readFileSync(join(snapshotFolder(workspace.snapshots, COMPANY, id!), MANIFEST), 'utf8'))

const ledger = (entries: string): Files => ({ 'ledger.csv': ledgerCsv(entries) })
const textOf = ({ Statement, Basis, BudgetId, ClassId, DepartmentId, Id, Month, Old, New }: RestatedFigure) =>
  [Statement, BudgetId ?? Basis, ClassId ?? 'all', DepartmentId ?? 'all', Id, Month, `${Old} → ${New}`].join(
    ' ',
  )

/** Refused, with the current snapshot as it was; what would have been restated. */
async function refused(workspace: Workspace, files: Files): Promise<string[]> {
  const before = await readPointer(workspace.snapshots, COMPANY)
  const result = await publish(workspace, files)
  assert.is(result.outcome, 'refused', findingsText(result.findings))
  const finding = only(result.findings, 'closed-month-restated')
  assert.is(finding.severity, 'error')
  assert.match(finding.remedy!, /--restate "reason"/)
  assert.equal(await readPointer(workspace.snapshots, COMPANY), before)
  return result.restatement!.First.map(textOf)
}

async function passes(workspace: Workspace, files: Files): Promise<BuildResult> {
  const result = await publish(workspace, files)
  assert.is(result.outcome, 'published', findingsText(result.findings))
  assert.is(result.restatement, null)
  assert.is(manifestOf(workspace, result.snapshotId).Restatement, null)
  return result
}

test('a correction inside a closed month is refused, and named by statement, account and month', () =>
  published(async (workspace) => {
    const seen = await refused(workspace, ledger(BASE.replaceAll('250.00', '260.00')))
    for (const text of [
      'ProfitAndLoss ACCRUAL all all sales 2025-01 250.00 → 260.00',
      'ProfitAndLoss ACCRUAL all all NetIncome 2025-01 250.00 → 260.00',
      'ProfitAndLoss ACCRUAL east a sales 2025-01 250.00 → 260.00',
      'BalanceSheet ACCRUAL all all bank 2025-01 1250.00 → 1260.00',
      'CashFlow ACCRUAL all all NetChangeInCash 2025-01 1250.00 → 1260.00',
    ])
      assert.ok(seen.includes(text), `${text} in\n${seen.join('\n')}`)
    assert.ok(
      seen.every((text) => text.includes(' 2025-01 ')),
      'February is open',
    )
    assert.ok(
      seen.findIndex((text) => !text.includes(' all all ')) >
        seen.findLastIndex((text) => text.includes(' all all ')),
      'the company as a whole comes first',
    )
  }))

test('with a reason it is published; the reason, the figures and all of them in a file are kept', () =>
  published(async (workspace, first) => {
    const result = await publish(
      workspace,
      ledger(BASE.replaceAll('250.00', '260.00')),
      'typed wrongly: "250"',
    )
    assert.is(result.outcome, 'published', findingsText(result.findings))
    const manifest = manifestOf(workspace, result.snapshotId)
    const kept = manifest.Restatement!
    assert.is(kept.Reason, 'typed wrongly: "250"')
    assert.is(kept.Since, first.snapshotId)
    assert.is(kept.LockDate, '2025-01-31')
    assert.equal(kept.Months, ['2025-01'])
    assert.equal(kept, result.restatement)
    const path = join(snapshotFolder(workspace.snapshots, COMPANY, result.snapshotId!), RESTATEMENT)
    const file = JSON.parse(readFileSync(path, 'utf8'))
    const figures = file.Rows.reduce((sum: number, { Figures }: { Figures: [] }) => sum + Figures.length, 0)
    assert.is(figures, kept.Figures)
    assert.is(file.DocumentList.length, kept.Documents)
    assert.ok(
      manifest.Files.some(({ Path }) => Path === RESTATEMENT),
      'with its hash',
    )
    // The same build again has nothing to restate, and nothing to publish.
    const again = await publish(workspace, {}, 'not needed')
    assert.is(again.outcome, 'unchanged')
    assert.is(again.restatement, null)
    // The next snapshot has nothing of it; the figures' hash is that of a build that never restated.
    const next = await passes(workspace, ledger(`${BASE.replaceAll('250.00', '260.00')}; ${MARCH}`))
    assert.not.ok(manifestOf(workspace, next.snapshotId).Files.some(({ Path }) => Path === RESTATEMENT))
  }))

test('a reason changes no hash of the figures, and is not kept where nothing is restated', () =>
  published(async (workspace) => {
    const corrected = ledger(BASE.replaceAll('40.00', '42.00'))
    const result = await publish(workspace, corrected, 'not needed: February is open')
    assert.is(result.outcome, 'published')
    assert.is(manifestOf(workspace, result.snapshotId).Restatement, null)
    await publish(workspace, ledger(BASE.replaceAll('250.00', '260.00')), 'one')
    const back = await publish(workspace, corrected, 'two')
    assert.is(
      manifestOf(workspace, back.snapshotId).ContentHash,
      manifestOf(workspace, result.snapshotId).ContentHash,
    )
  }))

test('open months change as they like: new entries, corrections, a new month, memos, names of what is not stated', () =>
  published(async (workspace) => {
    await passes(workspace, ledger(BASE.replaceAll('40.00', '42.00')))
    await passes(workspace, ledger(`${BASE}; ${MARCH}`))
    await passes(workspace, { 'chart.csv': CHART.replace('tax,8900,Income tax', 'tax,8901,Taxes') })
    // An account that is there from now on, without figures in closed months.
    await passes(workspace, {
      'chart.csv': `${CHART}fees,6200,Fees,Expense,Expense\n`,
      ...ledger(`${BASE}; 4 2025-03-05 fees 41.00 west b; 4 2025-03-05 bank -41.00`),
    })
  }))

test('other names for what closed months state: two accounts exchanged, a unit, a class; not what they do not state', () =>
  published(async (workspace) => {
    const names: Files = {
      // Bank and sales are stated in January; the tax is not.
      'chart.csv': CHART.replace('Bank,Asset', 'Chest,Asset')
        .replace('Sales,Income', 'Bank,Income')
        .replace('Income tax', 'Taxes'),
      'classes.csv': 'id,name\neast,West\nwest,East\n',
      'company.yaml': yaml('2025-01-31').replace(
        'name: Heads, aggregation: last',
        'name: Heads, unit: dozens, aggregation: sum',
      ),
    }
    assert.equal(await refused(workspace, names), [], 'no figure differs')
    const before = await readPointer(workspace.snapshots, COMPANY)
    const result = await publish(workspace, {}, 'the chart was translated')
    assert.is(result.outcome, 'published', findingsText(result.findings))
    const { Labels, Reason } = manifestOf(workspace, result.snapshotId).Restatement!
    assert.is(Reason, 'the chart was translated')
    assert.equal(
      Labels!.map(({ Kind, Id, Old, New }) => `${Kind} ${Id}: ${Old} → ${New}`),
      [
        'Account bank: 1000 Bank → 1000 Chest',
        'Account sales: 4000 Sales → 4000 Bank',
        'Class east: East → West',
        'Class west: West → East',
        'Metric heads: Heads, Last → Heads (dozens), Sum',
      ],
    )
    const { verified, companies } = await verifyCompanies(workspace.snapshots, [COMPANY], {
      figures: true,
      known: null,
    })
    assert.ok(verified, JSON.stringify(companies.map(({ damages, snapshots }) => [damages, snapshots])))
    // By the rule of earlier versions the aggregation was not compared.
    const open = (id: string) => openSnapshot(workspace.snapshots, COMPANY, id)
    const [first, second] = [await open(before!.SnapshotId), await open(result.snapshotId!)]
    const through = { lock: '2025-01-31', logged: null, isFormat1: false, comparesAggregations: false }
    const earlier = await restatedBetween(first, second, through)
    assert.is(earlier!.part.Labels!.at(-1)!.New, 'Heads (dozens)')
    assert.is((await publish(workspace)).outcome, 'unchanged')
  }))

test('a tag that moved changes filtered statements alone', () =>
  published(async (workspace) => {
    const seen = await refused(workspace, ledger(BASE.replace('sales -250.00 east', 'sales -250.00 west')))
    assert.ok(seen.includes('ProfitAndLoss ACCRUAL east all sales 2025-01 250.00 → 0.00'), seen.join('\n'))
    assert.ok(
      seen.includes('ProfitAndLoss ACCRUAL west all sales 2025-01 0.00 → 250.00'),
      'it had no document',
    )
    assert.ok(seen.every((text) => !text.includes(' all all ')))
  }))

test('an amount that moves to another account, one that is new', () =>
  published(async (workspace) => {
    const seen = await refused(workspace, {
      'chart.csv': `${CHART}web,4010,Web sales,Income,Sales\n`,
      ...ledger(BASE.replace('sales', 'web')),
    })
    assert.ok(seen.includes('ProfitAndLoss ACCRUAL all all web 2025-01 0.00 → 250.00'), seen.join('\n'))
    assert.ok(seen.includes('ProfitAndLoss ACCRUAL all all sales 2025-01 250.00 → 0.00'))
    assert.not.ok(seen.some((text) => text.includes('TotalIncome')))
  }))

test('an account of another kind changes totals without any entry', () =>
  published(async (workspace) => {
    const seen = await refused(workspace, {
      'chart.csv': CHART.replace('sales,4000,Sales,Income,Sales', 'sales,4000,Sales,OtherIncome,OtherIncome'),
    })
    assert.ok(
      seen.includes('ProfitAndLoss ACCRUAL all all TotalIncome 2025-01 250.00 → 0.00'),
      seen.join('\n'),
    )
  }))

test('a budget and a metric of a closed month; what is stated for the first time restates nothing', () =>
  published(async (workspace) => {
    const budget = await refused(workspace, { 'plan.csv': planCsv('44.50') })
    assert.ok(budget.includes('ProfitAndLoss plan all all rent 2025-01 44.00 → 44.50'), budget.join('\n'))
    const gone = await refused(workspace, { 'plan.csv': planCsv('') })
    assert.ok(gone.includes('ProfitAndLoss plan all all rent 2025-01 44.00 → null'), gone.join('\n'))
    const metric = await refused(workspace, {
      'plan.csv': planCsv('44.00'),
      'metrics.csv': METRICS.replace('heads,5', 'heads,7'),
    })
    assert.ok(metric.includes('NonFinancial  all all heads 2025-01 5 → 7'), metric.join('\n'))
    const more = yaml('2025-01-31').replace(
      '[{ id: plan, name: Plan, files: plan.csv }',
      '[{ id: plan, name: Plan, files: plan.csv }, { id: new, name: New, files: new.csv }',
    )
    await passes(workspace, { 'metrics.csv': METRICS, 'company.yaml': more, 'new.csv': planCsv('50.00') })
    // A class that groups others is new in all months.
    await passes(workspace, {
      'classes.csv': 'id,name,parent\nall-of-us,Us,\neast,East,all-of-us\nwest,West,all-of-us\n',
    })
  }))

test('months, budgets and members that are not published any more, and months that are new', () =>
  published(async (workspace) => {
    const shrunk = await publish(workspace, ledger('9 2025-02-10 rent 40.00; 9 2025-02-10 bank -40.00'))
    assert.is(shrunk.outcome, 'refused')
    const yearGone = await publish(workspace, {
      ...ledger('9 2025-02-10 rent 40.00; 9 2025-02-10 bank -40.00'),
      'company.yaml': yaml('2025-01-31', 'fiscalYears: [{ start: 2025-02-01, end: 2025-12-31 }]'),
    })
    assert.is(yearGone.outcome, 'refused', findingsText(yearGone.findings))
    assert.equal(yearGone.restatement!.GoneMonths, ['2025-01'])
    assert.not.ok('NewMonths' in yearGone.restatement!)
    const earlier = await publish(workspace, {
      ...ledger(`0 2024-12-31 rent 5.00; 0 2024-12-31 bank -5.00\n${BASE}`),
      'company.yaml': yaml('2025-01-31'),
    })
    assert.is(earlier.outcome, 'refused', findingsText(earlier.findings))
    const months = Array.from({ length: 12 }, (_, i) => `2024-${String(i + 1).padStart(2, '0')}`)
    assert.equal(earlier.restatement!.NewMonths, months, 'the fiscal year of the new entry')
    assert.ok(
      yearGone
        .restatement!.First.map(textOf)
        .includes('ProfitAndLoss ACCRUAL all all sales 2025-01 250.00 → null'),
    )
    const noBudget = yaml('2025-01-31').replace(/^budgets:.*$/m, '')
    const seen = await refused(workspace, { ...ledger(BASE), 'company.yaml': noBudget })
    assert.ok(seen.includes('ProfitAndLoss plan all all rent 2025-01 44.00 → null'), seen.join('\n'))
  }))

test('an entry that moves inside a closed month moves no monthly figure, but a day', () =>
  published(async (workspace) => {
    const result = await publish(workspace, ledger(BASE.replaceAll('2025-01-10', '2025-01-20')))
    assert.is(result.outcome, 'refused')
    const { Figures, Days } = result.restatement!
    assert.equal([Figures, Days], [0, 4])
    assert.match(only(result.findings, 'closed-month-restated').message, /moved within months/)
    const dry = await build(workspace, COMPANY, { publish: false })
    assert.is(dry.restatement!.Days, 4)
    const done = await publish(workspace, {}, 'dated wrongly')
    const path = join(snapshotFolder(workspace.snapshots, COMPANY, done.snapshotId!), RESTATEMENT)
    const days = JSON.parse(readFileSync(path, 'utf8')).DayList as Record<string, string>[]
    assert.equal(
      days.map((day) => [day.Date, day.Account, day.Class, day.Old, day.New].join(' ')),
      [
        '2025-01-10 bank  250.00 0.00',
        '2025-01-10 sales east -250.00 0.00',
        '2025-01-20 bank  0.00 250.00',
        '2025-01-20 sales east 0.00 -250.00',
      ],
    )
  }))

test('a lock date that moves back, or is gone, opens nothing, and is refused: reopening does, with a reason', () =>
  published(async (workspace) => {
    for (const moved of ['2024-12-31', null]) {
      await refused(workspace, {
        'company.yaml': yaml(moved),
        ...ledger(BASE.replaceAll('250.00', '260.00')),
      })
      // By itself too, and a reason for other figures is none for opening the month.
      for (const reason of [undefined, 'a reason for other figures']) {
        const { outcome, findings } = await publish(workspace, ledger(BASE), reason)
        assert.is(outcome, 'refused')
        const finding = only(findings, 'lock-date-moved-back')
        assert.is(finding.severity, 'error')
        assert.match(finding.remedy!, 'tieout reopen acme 2025-01 --reason "…"')
      }
    }
    const signer = await openSigner(workspace.state)
    await reopenMonth(workspace.snapshots, COMPANY, '2025-01', 'the invoice came late', { signer })
    await passes(workspace, ledger(BASE.replaceAll('250.00', '260.00')))
  }))

test('the setting is known to the log from the publication on, also after many builds', () =>
  published(async (workspace) => {
    const closed = async () => (await readHistory(workspace.snapshots, COMPANY)).closed!
    assert.equal([(await closed()).Event, (await closed()).ClosedThrough], ['publish', '2025-01-31'])
    for (const rent of ['41.00', '42.00']) await passes(workspace, ledger(BASE.replaceAll('40.00', rent)))
    assert.is((await closed()).Seq, 1, 'what the log knows it is not told again')
    assert.is((await publish(workspace, { 'company.yaml': yaml(null) })).outcome, 'refused')
    // The log alone may say it: then no setting is needed.
    const [signer, today] = [await openSigner(workspace.state), '2025-03-01']
    await closeMonth(workspace.snapshots, COMPANY, '2025-01', { signer, today })
    assert.is((await publish(workspace)).outcome, 'unchanged')
    await refused(workspace, ledger(BASE.replaceAll('250.00', '260.00')))
  }))

test('a month closed by the log is guarded; closing alone makes no other snapshot, whichever way that is found out', () =>
  published(
    async (workspace, first) => {
      const [signer, today] = [await openSigner(workspace.state), '2025-03-01']
      await closeMonth(workspace.snapshots, COMPANY, '2025-01', { signer, today })
      assert.is((await publish(workspace)).outcome, 'unchanged')
      // Made anew, with all documents: settings that make no difference.
      const renamed = { 'company.yaml': yaml(null, 'timeZone: Europe/Stockholm') }
      assert.is((await publish(workspace, renamed)).outcome, 'unchanged')
      const finding = only(
        (await publish(workspace, ledger(BASE.replaceAll('250.00', '260.00')))).findings,
        'closed-month-restated',
      )
      assert.equal([finding.file, finding.text], [null, '2025-01-31'])
      assert.match(finding.remedy!, 'tieout reopen acme 2025-01 --reason')
      const next = await passes(workspace, ledger(BASE.replaceAll('40.00', '42.00')))
      const [before, after] = [first, next].map(({ snapshotId }) => manifestOf(workspace, snapshotId))
      assert.equal([before!.LockedThrough, after!.LockedThrough], [null, '2025-01-31'])
      // A setting that is behind the log is told, whether or not anything else changed.
      const behind = await publish(workspace, { 'company.yaml': yaml('2024-12-31') })
      assert.match(
        only(behind.findings, 'lock-date-moved-back').message,
        /closed through 2025-01-31 \(close of /,
      )
      assert.is((await publish(workspace, { 'company.yaml': yaml('2025-01-31') })).outcome, 'unchanged')
    },
    { 'company.yaml': yaml(null) },
  ))

test('months that are closed while a build runs: it is not published', () =>
  published(
    async (workspace) => {
      const [signer, today] = [await openSigner(workspace.state), '2025-03-01']
      writeFiles(join(workspace.datasets, COMPANY), ledger(BASE.replaceAll('250.00', '260.00')))
      let closing: Promise<unknown> | null = null
      const result = await build(workspace, COMPANY, {
        publish: true,
        progress: (step) => {
          if (step === 'books')
            closing ??= closeMonth(workspace.snapshots, COMPANY, '2025-01', { signer, today })
        },
      })
      await closing
      assert.is(result.outcome, 'refused', findingsText(result.findings))
      assert.equal(codes(result.findings).sort(), ['closed-meanwhile', 'closed-month-restated'])
    },
    { 'company.yaml': yaml(null) },
  ))

test('months that are closed by this very edit count too; a lock date inside a month leaves the month open', () =>
  published(async (workspace) => {
    const corrected = ledger(BASE.replaceAll('40.00', '42.00'))
    const seen = await refused(workspace, { 'company.yaml': yaml('2025-02-28'), ...corrected })
    assert.ok(seen.includes('ProfitAndLoss ACCRUAL all all rent 2025-02 40.00 → 42.00'), seen.join('\n'))
    await passes(workspace, { 'company.yaml': yaml('2025-02-09'), ...corrected })
    // But the days up to it are closed: this entry was dated the 10th.
    const { restatement } = await publish(workspace, {
      ...ledger(BASE.replaceAll('2025-02-10', '2025-02-08').replaceAll('40.00', '42.00')),
    })
    assert.is(restatement!.Figures, 0)
    assert.is(restatement!.Days, 2)
  }))

test('months that are published for the first time and closed by the same edit restate nothing', () =>
  published(async (workspace) => {
    const files = { 'ledger.csv': ledgerCsv(`${BASE}\n${MARCH}`), 'company.yaml': yaml('2025-03-31') }
    const result = await publish(workspace, files)
    assert.is(result.outcome, 'published', findingsText(result.findings))
    assert.is(manifestOf(workspace, result.snapshotId).Restatement, null)
    const { verified } = await verifyCompanies(workspace.snapshots, [COMPANY], { figures: true, known: null })
    assert.ok(verified)
  }))

test('a dry run tells it as a warning', () =>
  published(async (workspace) => {
    writeFiles(join(workspace.datasets, COMPANY), ledger(BASE.replaceAll('250.00', '260.00')))
    const dry = await build(workspace, COMPANY, { publish: false })
    assert.is(dry.outcome, 'checked')
    assert.is(only(dry.findings, 'closed-month-restated').severity, 'warning')
    const wet = await publish(workspace)
    assert.equal(dry.restatement, wet.restatement)
  }))

test('without a lock date, and where another currency is stated', () =>
  published(
    async (workspace) => {
      await passes(workspace, ledger(BASE.replaceAll('250.00', '260.00')))
      const seen = await refused(workspace, { 'company.yaml': yaml('2025-01-31').replace('USD', 'EUR') })
      assert.ok(seen.includes('ProfitAndLoss ACCRUAL all all sales 2025-01 260.00 → null'), seen.join('\n'))
    },
    { 'company.yaml': yaml(null) },
  ))

test('where the current snapshot is damaged nothing is published unless a reason is given', async () => {
  const damages: [string, (folder: string) => void][] = [
    ['its manifest', (folder) => replace(join(folder, MANIFEST), '{}')],
    [
      'a document',
      (folder) => replace(join(folder, 'statements/profit-loss/accrual/actuals/all/all.json'), '{}'),
    ],
    ['the folder', (folder) => rmSync(folder, { recursive: true })],
  ]
  for (const [what, damage] of damages)
    await published(async (workspace, first) => {
      damage(snapshotFolder(workspace.snapshots, COMPANY, first.snapshotId!))
      const corrected = ledger(BASE.replaceAll('250.00', '260.00'))
      const result = await publish(workspace, corrected)
      assert.is(result.outcome, 'refused', what)
      assert.match(only(result.findings, 'restatement-unknown').remedy!, /tieout verify/)
      const told = await publish(workspace, {}, 'restored from nothing')
      assert.is(told.outcome, 'published', what)
      const kept = manifestOf(workspace, told.snapshotId).Restatement!
      assert.is(kept.Reason, 'restored from nothing')
      assert.ok(kept.Uncompared, what)
      assert.not.ok(
        existsSync(join(companyFolder(workspace.snapshots, COMPANY), told.snapshotId!, RESTATEMENT)),
      )
    })
})

test('a damaged snapshot of a company that closes no months stops nothing', () =>
  published(
    async (workspace, first) => {
      replace(join(snapshotFolder(workspace.snapshots, COMPANY, first.snapshotId!), MANIFEST), '{}')
      await passes(workspace, ledger(BASE.replaceAll('250.00', '260.00')))
    },
    { 'company.yaml': yaml(null) },
  ))

function replace(path: string, text: string): void {
  chmodSync(path, 0o644)
  writeFileSync(path, text)
}

test('the name of an account counts, also where its id is a word of JavaScript', () => {
  const document = (name: string) =>
    JSON.stringify({
      Periods: [{ Month: '2025-01' }],
      Data: [{ AccountId: 'constructor', AccountName: name, Values: [1] }],
    })
  assert.is(relabelledAccounts(document('Rent'), document('Consulting'), '2025-01').length, 1)
  assert.is(differenceOf('a.json', document('Rent'), document('Consulting'))?.what, 'stated')
})
