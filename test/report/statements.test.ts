/**
 * Statements as people read them: every figure that is shown is a published one, or a sum or difference of published
 * ones. The figures are read here from the published JSON, with arithmetic of this test alone.
 */
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as assert from 'uvu/assert'
import { build } from '../../builder/build/build.ts'
import { VIEWS } from '../../builder/report/views.ts'
import { openCurrent } from '../../builder/snapshot/files/open.ts'
import { openWorkspace, type Workspace } from '../../builder/workspace/workspace.ts'
import { chosen } from '../seed.ts'
import { publishedSuite } from '../support/published.ts'
import { CHART, COMPANY, companyYaml, ledgerCsv } from '../support/workspace.ts'
import { shows } from './shows.ts'

const STATEMENTS = ['ProfitAndLoss', 'BalanceSheet', 'CashFlow'] as const
const FOLDER = { ProfitAndLoss: 'profit-loss', BalanceSheet: 'balance-sheet', CashFlow: 'cash-flow' }

/** Rent and power stand below an account that heads them. */
const GROUPED = [
  ...CHART.trim().split('\n'),
  'power,6010,Power,Expense,Expense',
  'office,5900,Office,Expense,Expense',
]
  .map((line) => {
    if (line.startsWith('id,')) return `${line},parent`
    return `${line},${/^(rent|power),/.test(line) ? 'office' : ''}`
  })
  .join('\n')

const YEAR = `1 2025-01-01 bank 1000.00; 1 2025-01-01 capital -1000.00
  2 2025-02-10 bank 250.00; 2 2025-02-10 sales -250.00
  3 2025-02-11 rent 40.00; 3 2025-02-11 bank -40.00
  4 2025-02-12 power 7.50; 4 2025-02-12 bank -7.50
  5 2025-02-28 depreciation 10.00; 5 2025-02-28 plantdep -10.00
  6 2026-01-10 bank 300.00; 6 2026-01-10 sales -300.00
  7 2026-01-11 rent 44.00; 7 2026-01-11 bank -44.00
  8 2026-02-10 debtors 200.00; 8 2026-02-10 sales -200.00
  9 2026-02-11 power 9.25; 9 2026-02-11 bank -9.25
  10 2026-02-28 depreciation 10.00; 10 2026-02-28 plantdep -10.00
  11 2026-02-28 rent 46.00; 11 2026-02-28 creditors -46.00`

const FILES = {
  'company.yaml': companyYaml('budgets: [{ id: plan, name: Plan, files: plan.csv }]'),
  'chart.csv': GROUPED,
  'ledger.csv': ledgerCsv(YEAR),
  'plan.csv': 'account,2026-01,2026-02,2026-03\nsales,280.00,220.00,100.00\nrent,45.00,45.00,45.00\n',
}

const report = publishedSuite('statements as people read them', FILES)

report(
  'a profit and loss in percent of income: of the month and of the year to date, rounded half away from zero',
  async ({ snapshots }) => {
    const shown = await shows(snapshots, { company: COMPANY, hasShares: true })
    const at = (title: string) => shown.columns.findIndex((column) => column.title === title)
    const income = shown.lines.find(({ id }) => id === 'TotalIncome')!
    let compared = 0
    for (const [title, of] of [
      ['% of income', 'Feb 2026'],
      ['YTD % of income', 'Year to date'],
    ] as const)
      for (const { kind, label, cells } of shown.lines.filter((line) => line.kind !== 'heading')) {
        const [part, whole] = [Number(cells[at(of)] ?? 0), Number(income.cells[at(of)])]
        const tenths = Math.sign(part) * Math.round((Math.abs(part) * 1000) / whole)
        assert.is(Number(cells[at(title)]), tenths, `${kind} ${label}, ${title}`)
        compared++
      }
    assert.ok(compared > 12)
    for (const view of ['months', 'years'] as const)
      assert.not.ok(
        (await shows(snapshots, { company: COMPANY, view, hasShares: true })).columns.some(
          ({ kind }) => kind === 'share',
        ),
      )
    const position = await shows(snapshots, {
      company: COMPANY,
      statement: 'BalanceSheet',
      hasShares: true,
    })
    assert.not.ok(position.columns.some(({ kind }) => kind === 'share'))
  },
)

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** A sample company of this repository, published in a folder of its own. */
async function inSample(company: string, run: (workspace: Workspace) => Promise<void>): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'tieout-report-'))
  const workspace = { ...openWorkspace(ROOT), root, snapshots: join(root, 'snapshots') }
  await build(workspace, company, { publish: true })
  await run(workspace)
}

/** Figures of one published document as integers of minor units, from the text of the JSON. */
function publishedOf(folder: string, statement: (typeof STATEMENTS)[number], basis: string) {
  const text = readFileSync(
    join(folder, 'statements', FOLDER[statement], basis, 'actuals/all/all.json'),
    'utf8',
  )
  const document = JSON.parse(text.replace(/(?<=[[,])(-?\d+\.\d+)(?=[,\]])/g, '"$1"'))
  const minor = (value: string | number): bigint => BigInt(String(value).replace('.', ''))
  const months: string[] = document.Periods.map(({ Month }: { Month: string }) => Month)
  const figures = new Map<string, bigint[]>()
  for (const { AccountId, Values } of document.Data) figures.set(AccountId, Values.map(minor))
  for (const { Name, Values } of document.Summary) figures.set(Name, Values.map(minor))
  return {
    months,
    figures,
    accounts: document.Data.map((row: { AccountId: string }) => row.AccountId) as string[],
  }
}

/** Accounts of property with their payables, and of income tax. */
const PROPERTY: Readonly<Record<string, RegExp>> = {
  harbor: /^(15[1-5]0|2012)$/,
  lakeside: /^11[35]0$/,
  nordvik: /^(11[13]0|12[1245]0)$/,
}
const INCOME_TAX = /^(90[12]0|9940|8910)$/

/** A figure below a statement, by month: a total and the rows of some accounts; null where the line is none of these. */
function keyFigure(
  id: string,
  company: string,
  accounts: readonly string[],
  of: (id: string) => readonly bigint[],
): readonly bigint[] | null {
  const [total, pattern] =
    id === 'before-tax'
      ? ['NetIncome', INCOME_TAX]
      : id === 'capital-expenditure'
        ? [null, PROPERTY[company]]
        : id === 'free-cash-flow'
          ? ['NetCashFromOperating', PROPERTY[company]]
          : []
  if (pattern === undefined) return null
  const parts = [...(total ? [total] : []), ...accounts.filter((each) => pattern.test(each))].map(of)
  return parts.reduce((sum, part) => sum.map((figure, i) => figure + part[i]!))
}

/** Holds every line and month of every statement against the published documents of a company. */
async function compare(root: string, company: string): Promise<number> {
  const snapshot = await openCurrent(root, company)
  let compared = 0
  for (const basis of ['ACCRUAL', 'CASH'] as const)
    for (const statement of STATEMENTS) {
      if (!snapshot!.has(`statements/${FOLDER[statement]}/${basis.toLowerCase()}/actuals/all/all.json`))
        continue
      const { months, figures, accounts } = publishedOf(snapshot!.folder, statement, basis.toLowerCase())
      const shown = await shows(root, { company, statement, basis, view: 'months' })
      const last = months.length - 1
      const count = shown.columns.filter(({ title }) => /^(\d\d )?[A-Z][a-z]{2} \d{4}$/.test(title)).length
      // Nothing stands twice, and nothing that is not zero is left out.
      const stated = shown.lines.filter(({ kind }) => kind === 'account').flatMap((line) => line.accounts)
      assert.is(new Set(stated).size, stated.length, `${company} ${statement}: an account stands twice`)
      const within = (id: string) => figures.get(id)!.slice(last - count + 1)
      const zero = (id: string) => within(id).every((figure) => figure === 0n)
      assert.equal(
        [...stated].sort(),
        accounts.filter((id) => !zero(id) || stated.includes(id)).sort(),
        `${company} ${statement}: accounts that are left out`,
      )
      for (const { id, kind, accounts: own, less, cells } of shown.lines.filter(
        (line) => line.kind !== 'heading',
      ))
        for (let i = 0; i < count; i++) {
          const of = figures.has(id) && kind !== 'account' ? [id] : own
          const total = (ids: readonly string[]) => ids.reduce((sum, each) => sum + within(each)[i]!, 0n)
          const sum = keyFigure(id, company, accounts, within)?.[i] ?? total(of) - total(less)
          assert.is(cells[i], Number(sum), `${company} ${statement} ${basis} ${id}`)
          compared++
        }
    }
  return compared
}

for (const company of chosen(['harbor', 'lakeside', 'nordvik']))
  report(`${company}: every figure of every statement is the published one, or a sum of published ones`, () =>
    inSample(company, async (workspace) => {
      const compared = await compare(workspace.snapshots, company)
      assert.ok(compared > 100, `${compared} figures`)
      // Every other view can be composed too, of every statement.
      for (const view of VIEWS)
        for (const statement of STATEMENTS)
          assert.ok((await shows(workspace.snapshots, { company, statement, view })).lines.length > 3)
    }),
  )
