/** Board packs to be read back, and what must stand in them. */
import { cpSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import readWorkbook, { type SheetData } from 'read-excel-file/node'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { formatInteger } from '../../builder/contract/currency.ts'
import { exportPack, type PackRequest } from '../../builder/report/export/pack.ts'
import { type ShownStatement, shownStatement } from '../../builder/report/report.ts'
import { alike } from '../seed.ts'
import { suite, type Test } from '../suite.ts'
import { inPublished } from '../support/published.ts'
import { buildIn, CHART, COMPANY, companyYaml, inWorkspace } from '../support/workspace.ts'
import { type Parts, partsOf } from './parts.ts'

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url))

/** Names that would be formulas, codes of a footer, or no XML, were they not written as what they are: text. */
export const EVIL = {
  company: '=HYPERLINK("http://evil.test","x")&P A "very" long name that no footer holds, & more of it',
  group: '@SUM(1+1)*cmd|calc',
  rent: '=1+2',
  power: '+47 <b>&amp;"quoted"</b>',
  sales: '-2+3 _x0041_ is no A',
}
const ROWS = [
  ...CHART.trim().split('\n'),
  `power,6010,"${EVIL.power.replaceAll('"', '""')}",Expense,Expense`,
  `office,5900,${EVIL.group},Expense,Expense`,
]
/** The text above all headings of the month's commentary. */
export const OPENING = '=A quiet month & a <long> winter.'
const OWN = {
  'company.yaml': companyYaml(
    `name: '${EVIL.company}'\nbudgets: [{ id: plan, name: "=Plan()", files: plan.csv }]\nclasses: classes.csv\nlayout:\n  profitAndLoss:\n    - section: Income\n    - line: Goods\n      accounts: [cogs]\n    - total: Margin\n    - group: Premises\n      accounts: [office]\n    - total: EBITDA\n    - section: Expense\n      label: Other\n    - section: OtherIncome\n    - section: OtherExpense\n    - total: Profit`,
  ),
  'chart.csv': ROWS.map((line) => {
    if (line.startsWith('id,')) return `${line},parent`
    return `${line},${/^(rent|power),/.test(line) ? 'office' : ''}`
  })
    .join('\n')
    .replace('6000,Rent', `6000,${EVIL.rent}`)
    .replace('4000,Sales', `4000,${EVIL.sales}`),
  'classes.csv': 'id,name,parent\nEAST,=East(),\n',
  'plan.csv': 'account,month,amount\nsales,2025-01,300.10\nsales,2025-02,0.20\nrent,2025-02,45.50\n',
  'ledger.csv': `transaction_id,date,account,amount,class
1,2024-01-01,bank,1000.10,
1,2024-01-01,capital,-1000.10,
2,2024-02-15,bank,250.05,EAST
2,2024-02-15,sales,-250.05,EAST
3,2025-01-28,rent,40.10,
3,2025-01-28,bank,-40.10,
4,2025-01-28,power,0.20,
4,2025-01-28,bank,-0.20,
5,2025-02-01,plant,9007199254.74,
5,2025-02-01,loan,-9007199254.74,
6,2025-02-02,bank,7.00,EAST
6,2025-02-02,sales,-7.00,EAST
7,2025-02-03,cogs,2.30,
7,2025-02-03,creditors,-2.30,
8,2025-02-28,depreciation,10.00,
8,2025-02-28,plantdep,-10.00,
9,2025-02-28,tax,0.10,
9,2025-02-28,bank,-0.10,
`,
  'commentary/2025-02.md': `${OPENING}\n\n# ${EVIL.rent}\n=Rent() was low, and this is said in a sentence that is longer than the sheet is wide, so that it goes on below.\n`,
}

const GOLDEN = [
  'budgets',
  'metrics',
  'dinar-with-three-decimals',
  'yen-without-decimals',
  'april-to-march',
  'cash-flow-textbook',
]
const SAMPLES = ['harbor', 'lakeside', 'nordvik']

interface Packed {
  readonly root: string
  readonly company: string
  readonly path: string
  readonly parts: Parts
  readonly sheets: ReadonlyMap<string, SheetData>
}
interface Context {
  top: string
  packs: Packed[]
}

export const ask = (root: string, company: string, to: string, request: Partial<PackRequest> = {}) =>
  exportPack(root, {
    ...{
      company,
      to,
      snapshotId: null,
      month: null,
      basis: null,
      budgetId: null,
      classId: null,
      departmentId: null,
    },
    ...{ cents: false, software: 'Tieout test' },
    ...request,
  })

export async function packed(
  root: string,
  company: string,
  to: string,
  request: Partial<PackRequest> = {},
): Promise<Packed> {
  const { findings } = await ask(root, company, to, request)
  assert.is(findings, undefined, JSON.stringify(findings))
  const book = await readWorkbook(to)
  const sheets = new Map(book.map(({ sheet, data }) => [sheet, data]))
  return { root, company, path: to, parts: await partsOf(to), sheets }
}

/** A third a day of golden companies and samples, one of which is among them. */
const COMPANIES = alike([
  ...GOLDEN.map((name) => join(REPOSITORY, 'test/golden', name, 'input')),
  ...SAMPLES.map((name) => join(REPOSITORY, 'datasets', name)),
])

/** A suite with the packs of these companies, and of one with odd names. */
export function packSuite(name: string): Test<Context> {
  const test = suite<Context>(name)
  test.before(makePacks)
  return test
}

async function makePacks(context: Context): Promise<void> {
  context.top = mkdtempSync(join(tmpdir(), 'tieout-pack-test-'))
  context.packs = []
  const add = async (name: string, company: string, snapshots: string) => {
    const root = join(context.top, name, 'snapshots')
    cpSync(snapshots, root, { recursive: true })
    context.packs.push(await packed(root, company, join(context.top, name, 'pack.xlsx')))
  }
  for (const [i, folder] of COMPANIES.entries()) {
    const { id } = parse(readFileSync(join(folder, 'company.yaml'), 'utf8')) as { id: string }
    await inWorkspace(
      {},
      async (workspace) => {
        cpSync(folder, join(workspace.datasets, id), { recursive: true })
        const { result } = await buildIn(workspace, id)
        assert.is(result.outcome, 'published', `${id}: ${JSON.stringify(result.findings)}`)
        await add(String(i), id, workspace.snapshots)
      },
      id,
    )
  }
  await inPublished(OWN, async (workspace) => {
    await add('own', COMPANY, workspace.snapshots)
  })
}
export const own = ({ packs }: Context): Packed => packs.find(({ company }) => company === COMPANY)!

export const PAGES = [
  ['Profit and loss', 'ProfitAndLoss', 'month'],
  ['Profit and loss by month', 'ProfitAndLoss', 'months'],
  ['Balance sheet', 'BalanceSheet', 'month'],
  ['Cash flow', 'CashFlow', 'month'],
] as const

export const shows = async (
  { root, company }: Packed,
  [, statement, view]: (typeof PAGES)[number],
): Promise<ShownStatement> => {
  const { value, findings } = await shownStatement(root, {
    ...{ company, statement, view, snapshotId: null, month: null, basis: null },
    ...{ budgetId: null, classId: null, departmentId: null },
  })
  assert.ok(value, JSON.stringify(findings))
  return value
}

/** What each cell of a figure is, as the double nearest to its decimal text. */
function expected({
  columns,
  lines,
  decimals,
}: ShownStatement): [label: string, figures: (number | null)[]][] {
  return lines.map(({ label, kind, cells, isRatio }) => [
    label,
    columns.map((column, i) => {
      const cell = cells[i] ?? null
      if (kind === 'heading' || cell === null) return null
      return Number(formatInteger(String(cell), column.kind === 'percent' || isRatio ? 3 : decimals))
    }),
  ])
}

export const HEAD = 5

/** The lines of a statement below its heads: the label and the figures. */
export function linesIn(data: SheetData, columns: number): [label: string, figures: (number | null)[]][] {
  const isNumbered = data[HEAD]![0] === 'No.'
  const first = isNumbered ? 2 : 1
  return data
    .slice(HEAD + 1)
    .filter((row) => row.some((cell) => cell !== null))
    .map((row) => [
      String(row[first - 1])
        .replace(/ \[\d+\]$/, '')
        .replaceAll('_x005F_', '_'),
      Array.from({ length: columns }, (_, i) => (row[first + i] ?? null) as number | null),
    ])
}

export async function holdsFigures(packed: Packed, sheets: ReadonlyMap<string, SheetData>): Promise<number> {
  let figures = 0
  for (const page of PAGES) {
    const shown = await shows(packed, page)
    const wanted = expected(shown)
    const found = linesIn(sheets.get(page[0])!, shown.columns.length).slice(0, wanted.length)
    for (const [i, [label, cells]] of wanted.entries())
      assert.equal(found[i], [label, cells], `${packed.company}, ${page[0]}, ${label}`)
    figures += wanted.flatMap(([, cells]) => cells.filter((cell) => cell !== null)).length
  }
  return figures
}
