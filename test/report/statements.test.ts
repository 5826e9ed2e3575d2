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
import { type ShownStatement, shownStatement } from '../../builder/report/report.ts'
import { VIEWS } from '../../builder/report/views.ts'
import { openCurrent } from '../../builder/snapshot/files/open.ts'
import { openWorkspace, type Workspace } from '../../builder/workspace/workspace.ts'
import { chosen } from '../seed.ts'
import { inPublished, publishedSuite } from '../support/published.ts'
import { CHART, COMPANY, companyYaml, ledgerCsv } from '../support/workspace.ts'
import { ASKED, shows } from './shows.ts'

const STATEMENTS = ['ProfitAndLoss', 'BalanceSheet', 'CashFlow'] as const
const FOLDER = { ProfitAndLoss: 'profit-loss', BalanceSheet: 'balance-sheet', CashFlow: 'cash-flow' }

/** `label: cells` with cents, `.` for no figure. */
const texts = ({ lines }: ShownStatement): string[] =>
  lines.map(({ label, depth, kind, cells }) => {
    const figures = kind === 'heading' ? '' : `: ${cells.map((cell) => cell ?? '.').join(' ')}`
    return `${'  '.repeat(depth)}${label}${figures}`
  })

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

const built = <T>(files: Record<string, string>, run: (workspace: Workspace) => Promise<T>): Promise<T> =>
  inPublished(files, async (workspace) => {
    return run(workspace)
  })

report('profit and loss: groups of the chart, budget, prior year and year to date', async ({ snapshots }) => {
  const shown = await shows(snapshots, { company: COMPANY })
  assert.equal(
    shown.columns.map(({ title }) => title),
    [
      'Feb 2026',
      'Budget',
      'Variance',
      '%',
      'Feb 2025',
      'Year to date',
      'YTD budget',
      'YTD variance',
      'YTD %',
      'Prior YTD',
    ],
  )
  assert.equal(shown.budget, { id: 'plan', name: 'Plan' })
  assert.equal(texts(shown), [
    'Income',
    '  Sales: 20000 22000 -2000 -91 25000 50000 50000 0 0 25000',
    'Total income: 20000 22000 -2000 -91 25000 50000 50000 0 0 25000',
    'Gross profit: 20000 22000 -2000 -91 25000 50000 50000 0 0 25000',
    'Expenses',
    '  Office',
    '    Rent: 4600 4500 100 22 4000 9000 9000 0 0 4000',
    '    Power: 925 . . . 750 925 . . . 750',
    '  Total Office: 5525 4500 1025 228 4750 9925 9000 925 103 4750',
    '  Depreciation: 1000 . . . 1000 1000 . . . 1000',
    'Total expenses: 6525 4500 2025 450 5750 10925 9000 1925 214 5750',
    'Operating income: 13475 17500 -4025 -230 19250 39075 41000 -1925 -47 19250',
    'Net income: 13475 17500 -4025 -230 19250 39075 41000 -1925 -47 19250',
  ])
  const better = (label: string) => shown.lines.find((line) => line.label === label)?.better
  assert.equal([better('Sales'), better('Rent'), better('Net income')], ['more', 'less', 'more'])
})

report(
  'balance sheet: month, month before, year end, a year ago, and the change since the year end',
  async ({ snapshots }) => {
    const shown = await shows(snapshots, { company: COMPANY, statement: 'BalanceSheet' })
    assert.equal(
      shown.columns.map(({ title }) => title),
      ['28 Feb 2026', '31 Jan 2026', '31 Dec 2025', '28 Feb 2025', 'Change since 31 Dec 2025'],
    )
    assert.ok(texts(shown).includes('Total assets: 162925 144850 119250 119250 43675'))
    // In the first month of a year the month before is the year end; it stands there once.
    const january = await shows(snapshots, { company: COMPANY, statement: 'BalanceSheet', month: '2026-01' })
    assert.equal(
      january.columns.map(({ title }) => title),
      ['31 Jan 2026', '31 Dec 2025', '31 Jan 2025', 'Change since 31 Dec 2025'],
    )
  },
)

/** [label, the figures, and which of them leave lines out]. */
const budgeted = ({ lines, columns }: ShownStatement) =>
  lines
    .filter(({ kind }) => kind !== 'heading')
    .map(({ label, cells, partial }) => [
      label,
      ...columns.flatMap(({ title }, i) =>
        /budget$/i.test(title) ? [`${cells[i] ?? '.'}${partial.includes(i) ? '*' : ''}`] : [],
      ),
    ])

report(
  'a line of a budget has its own figure whether or not there is a budget of income; what is missing is blank',
  () =>
    built({ ...FILES, 'plan.csv': 'account,2026-02\nrent,350.00\n' }, async ({ snapshots }) => {
      const shown = await shows(snapshots, { company: COMPANY })
      assert.equal(budgeted(shown), [
        ['Sales', '.'],
        ['Total income', '.'],
        ['Gross profit', '.'],
        ['Rent', '35000'],
        ['Power', '.'],
        ['Total Office', '35000*'],
        ['Depreciation', '.'],
        ['Total expenses', '35000*'],
        ['Operating income', '-35000*'],
        ['Net income', '-35000*'],
      ])
    }),
)

report('zero is zero in a budget, and a sum over months says which of its lines leave some out', () =>
  built(
    {
      ...FILES,
      'plan.csv':
        'account,2026-01,2026-02\nsales,100.00,0.00\nrent,45.00,\npower,,5.00\ndepreciation,1.00,1.00\n',
    },
    async ({ snapshots }) => {
      const shown = await shows(snapshots, { company: COMPANY })
      assert.equal(budgeted(shown), [
        ['Sales', '0', '10000'],
        ['Total income', '0', '10000'],
        ['Gross profit', '0', '10000'],
        ['Rent', '.', '4500*'],
        ['Power', '500', '500*'],
        ['Total Office', '500*', '5000*'],
        ['Depreciation', '100', '200'],
        ['Total expenses', '600*', '5200*'],
        ['Operating income', '-600*', '4800*'],
        ['Net income', '-600*', '4800*'],
      ])
    },
  ),
)

report(
  'cash flow: net income first, depreciation by its name, then working capital; no budget where it has none',
  async ({ snapshots }) => {
    const shown = await shows(snapshots, { company: COMPANY, statement: 'CashFlow' })
    assert.is(shown.budget, null)
    assert.equal(
      shown.columns.map(({ title }) => title),
      ['Feb 2026', 'Feb 2025', 'Year to date', 'Prior YTD'],
    )
    assert.equal(texts(shown), [
      'Operating activities',
      '  Net income: 13475 19250 39075 19250',
      '  Depreciation and amortization: 1000 1000 1000 1000',
      '  Changes in working capital',
      '    Debtors: -20000 0 -20000 0',
      '    Creditors: 4600 0 4600 0',
      'Net cash from operating activities: -925 20250 24675 20250',
      'Net cash from investing activities: 0 0 0 0',
      'Financing activities',
      '  Capital: 0 0 0 100000',
      'Net cash from financing activities: 0 0 0 100000',
      'Net change in cash: -925 20250 24675 120250',
      'Cash at the beginning: 145850 100000 120250 0',
      'Cash at the end: 144925 120250 144925 120250',
    ])
  },
)

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

report('months, quarters and years side by side, with their sum', async ({ snapshots }) => {
  const months = await shows(snapshots, { company: COMPANY, view: 'months' })
  assert.equal(
    months.columns.map(({ title }) => title),
    [
      ...['Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'].map((name) => `${name} 2025`),
      ...['Jan 2026', 'Feb 2026', 'Total'],
    ],
  )
  assert.ok(texts(months).includes('Net income: 0 0 0 0 0 0 0 0 0 0 25600 13475 39075'))
  const quarters = await shows(snapshots, { company: COMPANY, view: 'quarters' })
  assert.equal(
    quarters.columns.map(({ title }) => title),
    [...['Q1 2025', 'Q2 2025', 'Q3 2025', 'Q4 2025', 'Year to Dec 2025'], 'Q1 2026 to Feb', 'Year to date'],
  )
  assert.ok(texts(quarters).includes('Net income: 19250 0 0 0 19250 39075 39075'))
  const years = await shows(snapshots, { company: COMPANY, view: 'years' })
  assert.equal(
    years.columns.map(({ title }) => title),
    ['Year to Dec 2025', 'Jan to Feb 2026'],
  )
  assert.ok(texts(years).includes('Net income: 19250 39075'))
})

const YEARS = (years: string) => ({
  'company.yaml': companyYaml(years),
  'chart.csv':
    'id,number,name,classification,type\nbank,1000,Bank,Asset,Bank\nsales,4000,Sales,Income,Sales\n',
  'ledger.csv': ledgerCsv(
    Array.from({ length: 30 }, (_, i) => {
      const date = `${2023 + Math.floor((i + 6) / 12)}-${String(((i + 6) % 12) + 1).padStart(2, '0')}-10`
      return `${i} ${date} bank ${i + 1}.00; ${i} ${date} sales -${i + 1}.00`
    }).join('\n'),
  ),
})
const quartersOf = async (years: string, month: string): Promise<string[]> => {
  let titles: string[] = []
  await built(YEARS(years), async ({ snapshots }) => {
    const shown = await shows(snapshots, { company: COMPANY, view: 'quarters', month })
    titles = shown.columns.map(({ title }) => title)
  })
  return titles
}

report('at least eight quarters stand side by side, whichever quarter the month is in', async () => {
  const ofYear = (year: number) => [1, 2, 3, 4].map((number) => `Q${number} ${year}`)
  assert.equal(await quartersOf('', '2025-09'), [
    ...[
      ...ofYear(2023),
      'Year to Dec 2023',
      ...ofYear(2024),
      'Year to Dec 2024',
      ...ofYear(2025).slice(0, 3),
      'Year to date',
    ],
  ])
})

report('quarters of short fiscal years in one calendar year are told apart by their months', async () => {
  const years = [
    ['2023-07-01', '2023-12-31'],
    ['2024-01-01', '2024-12-31'],
    ['2025-01-01', '2025-06-30'],
    ['2025-07-01', '2025-12-31'],
  ].map(([start, end]) => `{ start: ${start}, end: ${end} }`)
  const titles = await quartersOf(`fiscalYears: [${years.join(', ')}]`, '2025-12')
  assert.equal(titles.slice(-6), [
    ...[
      'Jan to Mar 2025',
      'Apr to Jun 2025',
      'Jan to Jun 2025',
      'Jul to Sep 2025',
      'Oct to Dec 2025',
      'Year to date',
    ],
  ])
  assert.is(new Set(titles).size, titles.length)
})

report('what is not there is named, with what there is', async ({ snapshots }) => {
  for (const [request, message] of [
    [{ company: 'none' }, 'nothing is published of company "none"'],
    [{ month: '2027-01' }, '2027-01 is not covered'],
    [{ month: 'March' }, '"March" is not a month'],
    [{ budgetId: 'plans' }, 'acme has no budget "plans"'],
    [{ classId: 'east' }, 'acme has no class "east"'],
    [{ basis: 'CASH' }, 'the books of acme have no cash basis'],
  ] as const) {
    const asked = {
      statement: 'ProfitAndLoss',
      view: 'month',
      company: COMPANY,
      ...ASKED,
      ...request,
    } as const
    const { findings } = await shownStatement(snapshots, asked)
    assert.is(findings?.[0]?.message, message)
    assert.ok(findings?.[0]?.remedy)
  }
})

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
