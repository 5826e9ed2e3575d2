/**
 * Board packs, read back by programs that did not write them: read-excel-file, LibreOffice (which calculates every formula anew) and
 * openpyxl. Every number is held against the statements that the report shows, and those of accounts and totals against the JSON.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import readWorkbook, { type SheetData } from 'read-excel-file/node'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { formatInteger } from '../../builder/contract/currency.ts'
import { exportPack, type PackRequest } from '../../builder/export/pack.ts'
import { type ShownStatement, shownStatement } from '../../builder/report/report.ts'
import { metricsPath, statementPath } from '../../builder/snapshot/layout.ts'
import { openCurrent } from '../../builder/snapshot/open.ts'
import { suite } from '../suite.ts'
import {
  buildIn,
  CHART,
  COMPANY,
  companyYaml,
  inWorkspace,
  ledgerCsv,
  readStatement,
  scopeOf,
} from '../support/workspace.ts'
import { cellsOf, type Parts, partsOf, withoutResults, writeParts } from './parts.ts'

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url))

/** Names that would be formulas, codes of a footer, or no XML, were they not written as what they are: text. */
const EVIL = {
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
  'commentary/2025-02.md': `# ${EVIL.rent}\n=Rent() was low, and this is said in a sentence that is longer than the sheet is wide, so that it goes on below.\n`,
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

const test = suite<Context>('board pack')

const ask = (root: string, company: string, to: string, request: Partial<PackRequest> = {}) =>
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

async function packed(
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

test.before(async (context) => {
  context.top = mkdtempSync(join(tmpdir(), 'tieout-pack-test-'))
  context.packs = []
  const companies = [
    ...GOLDEN.map((name) => join(REPOSITORY, 'test/golden', name, 'input')),
    ...SAMPLES.map((name) => join(REPOSITORY, 'datasets', name)),
  ]
  const add = async (name: string, company: string, snapshots: string) => {
    const root = join(context.top, name, 'snapshots')
    cpSync(snapshots, root, { recursive: true })
    context.packs.push(await packed(root, company, join(context.top, name, 'pack.xlsx')))
  }
  for (const [i, folder] of companies.entries()) {
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
  await inWorkspace(OWN, async (workspace) => {
    const { result } = await buildIn(workspace, COMPANY)
    assert.is(result.outcome, 'published', JSON.stringify(result.findings))
    await add('own', COMPANY, workspace.snapshots)
  })
})
test.after(({ top }) => rmSync(top, { recursive: true, force: true }))

const own = ({ packs }: Context): Packed => packs.find(({ company }) => company === COMPANY)!

const PAGES = [
  ['Profit and loss', 'ProfitAndLoss', 'month'],
  ['Profit and loss by month', 'ProfitAndLoss', 'months'],
  ['Balance sheet', 'BalanceSheet', 'month'],
  ['Cash flow', 'CashFlow', 'month'],
] as const

const shows = async (
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

const HEAD = 5

/** The lines of a statement below its heads: the label and the figures. */
function linesIn(data: SheetData, columns: number): [label: string, figures: (number | null)[]][] {
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

async function holdsFigures(packed: Packed, sheets: ReadonlyMap<string, SheetData>): Promise<number> {
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

test('every figure is the one that the report shows', async ({ packs }) => {
  for (const packed of packs) assert.ok((await holdsFigures(packed, packed.sheets)) > 10, packed.company)
})

test('the month and the totals are those of the published JSON', async ({ packs }) => {
  for (const packed of packs) {
    const snapshot = (await openCurrent(packed.root, packed.company))!
    for (const page of PAGES.filter(([, , view]) => view === 'month')) {
      const shown = await shows(packed, page)
      const path = join(snapshot.folder, statementPath(scopeOf(page[1])))
      const { months, rows, totals } = readStatement(readFileSync(path, 'utf8'))
      const at = months.indexOf(shown.month)
      const data = linesIn(packed.sheets.get(page[0])!, shown.columns.length)
      let compared = 0
      for (const [i, line] of shown.lines.entries()) {
        const stated =
          line.kind === 'account' && line.accounts.length === 1 ? rows[line.accounts[0]!] : totals[line.id]
        if (stated === undefined) continue
        assert.is(data[i]![1][0], Number(stated[at]), `${packed.company} ${page[0]} ${line.label}`)
        compared++
      }
      assert.ok(compared > 3, `${packed.company} ${page[0]}`)
    }
  }
})

test('metrics are those of the published JSON', async ({ packs }) => {
  const measured = packs.filter(({ sheets }) => sheets.has('Metrics'))
  assert.equal(
    measured.map(({ company }) => company).sort(),
    packs
      .map(({ company }) => company)
      .filter((company) => ['harbor', 'metrics'].includes(company))
      .sort(),
  )
  for (const { root, company, sheets } of measured) {
    const snapshot = (await openCurrent(root, company))!
    const path = metricsPath({ budgetId: null, classId: null, departmentId: null })
    const { Data } = JSON.parse(readFileSync(join(snapshot.folder, path), 'utf8')) as {
      Data: { NonFinancialId: string; Values: (number | null)[] }[]
    }
    const published = Data.map(({ Values }) => JSON.stringify(Values.slice(-12)))
    const rows = sheets.get('Metrics')!.slice(HEAD + 1)
    assert.ok(rows.length > 0)
    for (const [name, , ...values] of rows)
      assert.ok(published.includes(JSON.stringify(values.slice(0, 12))), `${company} ${name}: ${values}`)
  }
})

const isWhole = ({ lines }: ShownStatement, column: number): boolean =>
  lines.every(({ kind, cells }) => kind === 'heading' || cells[column] != null)

const FORMULA = /<f>([^<]*)<\/f>/
const OWN_FORMULA = /^[A-Z]+\d+$|^-?(ROUND\()?[A-Z0-9():,+\-/]+$/

test('sums, variances and percentages are formulas, accounts are numbers, and nothing that people wrote is a formula', async ({
  packs,
}) => {
  for (const packed of packs)
    for (const [i, page] of PAGES.entries()) {
      const shown = await shows(packed, page)
      const xml = packed.parts.get(`xl/worksheets/sheet${i + 2}.xml`)!
      const cells = cellsOf(xml)
      const data = packed.sheets.get(page[0])!
      const first = data[HEAD]![0] === 'No.' ? 2 : 1
      let row = HEAD + 1
      for (const line of shown.lines) {
        while (data[row]!.every((cell) => cell === null)) row++
        row++
        for (const [c, column] of shown.columns.entries()) {
          const value = line.cells[c] ?? null
          if (value === null || line.kind === 'heading') continue
          const cell = cells.get(`${String.fromCharCode(65 + first + c)}${row}`)!
          const formula = FORMULA.exec(cell)?.[1]
          const where = `${packed.company}, ${page[0]}, ${line.label}, ${column.title}: ${cell}`
          if (column.kind !== 'amount') assert.ok(formula, where)
          else if (line.kind === 'account') assert.ok(!formula || column.title === 'Year to date', where)
          else if (line.id === 'BeginningCash') assert.not.ok(formula, where)
          // Of a budget that leaves months of an account out, the sheet has no figure from which its total would follow.
          else if (value !== 0 && isWhole(shown, c)) assert.ok(formula, where)
          if (formula) assert.match(formula, OWN_FORMULA, where)
        }
      }
    }
  for (const [name, xml] of packs.flatMap(({ parts }) => [...parts]))
    for (const [, formula] of xml.matchAll(/<f>([^<]*)<\/f>/g)) assert.match(formula!, OWN_FORMULA, name)
})

test('a sum of a budget that leaves accounts out has its mark in the cell, and the sheet says what it means', async (context) => {
  const pack = own(context)
  const shown = await shows(pack, PAGES[0])
  const [, formats = ''] = /<numFmts[^>]*>(.*?)<\/numFmts>/s.exec(pack.parts.get('xl/styles.xml')!) ?? []
  const codes = new Map(
    [...formats.matchAll(/numFmtId="(\d+)" formatCode="([^"]*)"/g)].map(([, id, code]) => [id, code!]),
  )
  const [, xfs = ''] = /<cellXfs[^>]*>(.*?)<\/cellXfs>/s.exec(pack.parts.get('xl/styles.xml')!) ?? []
  const formatIds = [...xfs.matchAll(/<xf [^>]*numFmtId="(\d+)"/g)].map(([, id]) => id)
  const cells = cellsOf(pack.parts.get('xl/worksheets/sheet2.xml')!)
  const data = pack.sheets.get(PAGES[0][0])!
  const rows = data
    .slice(HEAD + 1)
    .flatMap((row, i) => (row.some((cell) => cell !== null) ? [HEAD + 2 + i] : []))
  let marked = 0
  for (const [l, line] of shown.lines.entries())
    for (const [c, { kind }] of shown.columns.entries()) {
      if (line.kind === 'heading' || line.cells[c] == null || kind !== 'amount') continue
      const [, style] = /s="(\d+)"/.exec(cells.get(`${String.fromCharCode(67 + c)}${rows[l]}`)!) ?? []
      const hasMark = codes.get(formatIds[Number(style)])?.includes('&quot;*&quot;') ?? false
      assert.is(hasMark, line.partial.includes(c), `${line.label} ${c}`)
      if (hasMark) marked++
    }
  assert.ok(marked > 2)
  assert.ok(data.some((row) => String(row[0]).startsWith('* partial')))
})

test('names that look like formulas, codes or markup are the text that they are', async (context) => {
  const { sheets, parts } = own(context)
  const texts = [...sheets.values()]
    .flatMap((data) => data.flat())
    .map((cell) => String(cell).replaceAll('_x005F_', '_'))
  for (const text of [EVIL.company, EVIL.rent, EVIL.power, EVIL.sales])
    assert.ok(
      texts.some((each) => each.startsWith(text)),
      text,
    )
  assert.ok(texts.some((each) => each.includes('budget: =Plan()')))
  assert.ok(texts.some((each) => each.startsWith('=Rent() was low')))
  const footer = /<oddFooter>(.*?)<\/oddFooter>/.exec(parts.get('xl/worksheets/sheet2.xml')!)![1]!
  assert.match(footer, /^&amp;L=HYPERLINK\(&quot;http:\/\/evil\.test&quot;,&quot;x&quot;\)&amp;&amp;P A/)
  assert.ok(footer.replaceAll('&amp;', '&').replaceAll('&quot;', '"').length <= 255)
})

test('a class alone is in the title, the figures and the provenance', async (context) => {
  const { root, company, path } = own(context)
  const east = await packed(root, company, path.replace('pack.xlsx', 'east.xlsx'), {
    classId: 'EAST',
    month: '2024-02',
  })
  const data = east.sheets.get('Profit and loss')!
  assert.match(String(data[3]![0]), /class =East\(\), snapshot/)
  assert.equal((data[2]![0] as unknown as Date).toISOString().slice(0, 10), '2024-02-29')
  const sales = data.find((row) => String(row[1]).startsWith('-2+3'))!
  assert.is(sales[2], 250.05)
  const line = (label: string) => east.sheets.get('Provenance')!.find(([first]) => first === label)!
  assert.is(line('Class')[1], 'EAST')
  assert.is(line('Months')[1], '2024-01 to 2024-02')
  assert.is(line('Snapshot')[1], (await openCurrent(root, company))!.id)
  assert.is(line('Manifest SHA-256')[1], (await openCurrent(root, company))!.manifestHash)
})

test('equal packs are equal bytes, and hold no day but those of the books', async (context) => {
  const { root, company, path } = own(context)
  const again = path.replace('pack.xlsx', 'again.xlsx')
  await ask(root, company, again)
  assert.ok(readFileSync(path).equals(readFileSync(again)))
})

test('what is missing is said, and nothing is written', async (context) => {
  const { root, company, path } = own(context)
  const place = join(context.top, 'refused')
  mkdirSync(place)
  for (const [request, pattern] of [
    [{ month: '2023-01' }, /2023-01 is not covered/],
    [{ month: 'March' }, /is not a month/],
    [{ basis: 'CASH' }, /have no cash basis/],
    [{ basis: 'CASH', budgetId: 'plan' }, /have no cash basis/],
    [{ classId: 'nord' }, /has no class "nord"/],
    [{ departmentId: 'hq' }, /department/],
    [{ budgetId: 'wish' }, /has no budget "wish"/],
    [{ company: 'nobody' }, /nothing is published of company/],
    [{ to: join(place, 'x.xls') }, /does not end in \.xlsx/],
  ] as const) {
    const { findings } = await ask(root, company, join(place, 'x.xlsx'), request)
    assert.match(findings?.map(({ message }) => message).join('\n') ?? '', pattern)
  }
  const taken = await ask(root, company, path).then(
    () => null,
    (caught: Error) => caught,
  )
  assert.match(taken?.message ?? '', /is there already/)
  assert.equal(readdirSync(place), [])
})

test('a sum of more digits than a spreadsheet keeps is a text, in no formula, and counted', () =>
  inWorkspace(
    {
      'company.yaml': companyYaml(),
      'chart.csv': CHART,
      'ledger.csv': ledgerCsv(
        ['01', '02']
          .map(
            (
              month,
            ) => `${month}a 2025-${month}-02 bank 6000000000000.01; ${month}a 2025-${month}-02 sales -6000000000000.01
              ${month}b 2025-${month}-03 bank -6000000000000.00; ${month}b 2025-${month}-03 cogs 6000000000000.00`,
          )
          .join('\n'),
      ),
    },
    async (workspace) => {
      const { result } = await buildIn(workspace, COMPANY)
      assert.is(result.outcome, 'published', JSON.stringify(result.findings))
      const { sheets } = await packed(workspace.snapshots, COMPANY, join(workspace.snapshots, 'pack.xlsx'))
      const found = sheets.get('Profit and loss by month')!.map((row) => row.slice(1))
      const line = (name: string) => found.find(([label]) => label === name)!.slice(1)
      assert.equal(line('Sales'), [6000000000000.01, 6000000000000.01, '12000000000000.02'])
      assert.equal(line('Total income'), line('Sales'))
      assert.equal(line('Gross profit'), [0.01, 0.01, 0.02])
      assert.match(
        String(sheets.get('Provenance')!.at(-1)![0]),
        /^\d+ figures of more than 15 digits are texts/,
      )
    },
  ))

/** The children of a worksheet, in the order of the schema (ECMA-376 §18.3.1.99). */
const ORDER = [
  ...[
    'sheetPr',
    'dimension',
    'sheetViews',
    'sheetFormatPr',
    'cols',
    'sheetData',
    'mergeCells',
    'hyperlinks',
    'printOptions',
  ],
  ...['pageMargins', 'pageSetup', 'headerFooter', 'rowBreaks', 'ignoredErrors'],
]

test('the package is whole: parts, relationships, looks, and the order of the schema', ({ packs }) => {
  for (const { parts, company } of packs) {
    const types = parts.get('[Content_Types].xml')!
    for (const name of parts.keys())
      if (!/\.rels$|Content_Types/.test(name)) assert.ok(types.includes(`PartName="/${name}"`), name)
    const targets = [...parts.get('xl/_rels/workbook.xml.rels')!.matchAll(/Target="([^"]+)"/g)].map(
      (found) => found[1]!,
    )
    assert.is(targets.length, parts.size - 4, 'all but the types, the relationships and the workbook itself')

    for (const target of targets) assert.ok(parts.has(`xl/${target}`), target)
    const styles = parts.get('xl/styles.xml')!
    for (const list of ['numFmts', 'fonts', 'fills', 'borders', 'cellXfs']) {
      const [, count, inside] = new RegExp(`<${list} count="(\\d+)">(.*?)</${list}>`).exec(styles)!
      const child = { numFmts: 'numFmt', fonts: 'font', fills: 'fill', borders: 'border', cellXfs: 'xf' }[
        list
      ]!
      assert.is(inside!.split(new RegExp(`<${child}[ >]`)).length - 1, Number(count), list)
    }
    const looks = Number(/<cellXfs count="(\d+)"/.exec(styles)![1])
    for (const [name, xml] of parts) {
      if (!name.startsWith('xl/worksheets/')) continue
      for (const [, look] of xml.matchAll(/<c [^>]*s="(\d+)"/g))
        assert.ok(Number(look) < looks, `${company} ${name}`)
      const outline = xml.replace(/<sheetData>.*<\/sheetData>/s, '<sheetData/>')
      const places = ORDER.map((child) => outline.search(new RegExp(`<${child}[ />]`))).filter(
        (place) => place !== -1,
      )
      assert.equal(
        places,
        [...places].sort((a, b) => a - b),
        name,
      )
    }
  }
})

const office = spawnSync('soffice', ['--version'])
if (office.error)
  process.stdout.write(
    'LibreOffice is not installed (apt-get install libreoffice-calc): its calculation is skipped\n',
  )
const calculated = office.error ? test.skip : test

/** Has LibreOffice read and write workbooks, all at once. */
function throughOffice(top: string, paths: readonly string[]): string {
  const out = join(top, 'office')
  execFileSync(
    'soffice',
    [
      `-env:UserInstallation=file://${join(top, 'profile')}`,
      '--headless',
      '--convert-to',
      'xlsx',
      '--outdir',
      out,
      ...paths,
    ],
    { stdio: 'ignore', timeout: 180_000 },
  )
  return out
}

calculated(
  'LibreOffice calculates the published figures, without being given any, and others where an account is another',
  async ({ packs, top }) => {
    const paths: string[] = []
    for (const [i, { parts }] of packs.entries()) {
      paths.push(join(top, `calculated-${i}.xlsx`))
      await writeParts(paths[i]!, withoutResults(parts))
    }
    const changed = join(top, 'changed.xlsx')
    const { parts, sheets } = own({ top, packs })
    const place = 'xl/worksheets/sheet2.xml'
    const sales = sheets.get('Profit and loss')!.findIndex((row) => String(row[1]).startsWith('-2+3')) + 1
    const xml = parts
      .get(place)!
      .replace(new RegExp(`(<c r="C${sales}"[^>]*>)<v>7.00</v>`), '$1<v>1007.00</v>')
    assert.is.not(xml, parts.get(place))
    await writeParts(changed, withoutResults(new Map([...parts, [place, xml]])))
    const out = throughOffice(top, [...paths, changed])
    for (const [i, packed] of packs.entries()) {
      const book = await readWorkbook(join(out, `calculated-${i}.xlsx`))
      await holdsFigures(packed, new Map(book.map(({ sheet, data }) => [sheet, data])))
    }
    const profit = (data: SheetData) => data.findLast((row) => row[1] === 'Profit')![2] as number
    const other = (await readWorkbook(join(out, 'changed.xlsx'))).find(
      ({ sheet }) => sheet === 'Profit and loss',
    )!.data
    assert.is(profit(other).toFixed(2), (profit(sheets.get('Profit and loss')!) + 1000).toFixed(2))
  },
)

const READ = `
import json, sys, warnings
warnings.simplefilter('error')
import openpyxl
book = openpyxl.load_workbook(sys.argv[1])
print(json.dumps([{
  'name': s.title, 'titles': s.print_title_rows, 'columns': s.print_title_cols, 'freeze': s.freeze_panes,
  'landscape': s.page_setup.orientation, 'wide': s.page_setup.fitToWidth, 'high': s.page_setup.fitToHeight,
  'fit': s.sheet_properties.pageSetUpPr is not None and s.sheet_properties.pageSetUpPr.fitToPage,
  'links': [c.hyperlink.location for row in s.iter_rows() for c in row if c.hyperlink],
  'levels': max([d.outlineLevel for d in s.row_dimensions.values()] or [0]),
  'formats': sorted({c.number_format for row in s.iter_rows() for c in row if c.value is not None}),
  'dates': [str(c.value) for row in s.iter_rows(min_row=6, max_row=6) for c in row if c.is_date],
} for s in book.worksheets]))
`
const peer = spawnSync('python3', ['-c', 'import openpyxl'])
if (peer.status !== 0)
  process.stdout.write('no python3 with openpyxl (pip install openpyxl): it does not read packs\n')
const read = peer.status === 0 ? test : test.skip

read(
  'openpyxl reads it without a warning: titles on each page, frozen heads, links, groups, dates, formats',
  ({ packs }) => {
    for (const { path, sheets } of packs) {
      const found = JSON.parse(execFileSync('python3', ['-c', READ, path], { encoding: 'utf8' })) as {
        readonly [key: string]: unknown
        readonly name: string
      }[]
      assert.equal(
        found.map(({ name }) => name),
        [...sheets.keys()],
      )
      const [contents, result, , position] = found
      assert.equal(
        contents!.links,
        found.slice(1).map(({ name }) => `'${name}'!A1`),
      )
      for (const sheet of found)
        assert.equal(
          [sheet.landscape, sheet.wide ?? 1, sheet.high, sheet.fit],
          ['landscape', 1, 0, true],
          sheet.name,
        )
      assert.equal([result!.titles, result!.columns, result!.freeze], ['$6:$6', '$A:$B', 'C7'])
      assert.ok((result!.levels as number) > 0)
      assert.ok((result!.formats as string[]).includes('#,##0_);(#,##0);"–"_)'))
      assert.match((position!.dates as string[])[0]!, /^20\d\d-\d\d-(28|29|30|31) 00:00:00$/)
    }
  },
)

const VALIDATE = `
import json, sys
from openxml_audit import FileFormat, OpenXmlValidator
for path in sys.argv[1:]:
  found = OpenXmlValidator(file_format=FileFormat.OFFICE_2019, max_errors=0).validate(path)
  print(json.dumps([path, [f'{e.part_uri}: {e.description}' for e in found.errors if 'inline-string' not in e.description]]))
`
const validator = spawnSync('python3', ['-c', 'import openxml_audit'])
if (validator.status !== 0)
  process.stdout.write('no python3 with openxml_audit (pip install openxml-audit): packs are not validated\n')
const validated = validator.status === 0 ? test : test.skip

/** Excel moves inline texts elsewhere when somebody saves; it opens them as they are. */
validated(
  "Microsoft's validation of Open XML finds nothing in a pack, and finds what is wrong",
  async ({ packs }) => {
    const paths = packs.map(({ path }) => path)
    const broken = `${paths[0]!}.broken.xlsx`
    const changed = (xml: string) => xml.replace('<sheetData>', '<sheetDatum/><sheetData>')
    await writeParts(broken, new Map([...packs[0]!.parts].map(([name, xml]) => [name, changed(xml)])))
    const out = execFileSync('python3', ['-c', VALIDATE, ...paths, broken], { encoding: 'utf8' })
    const found = new Map(
      out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as [string, string[]]),
    )
    for (const path of paths) assert.equal(found.get(path), [], path)
    assert.ok(found.get(broken)!.length > 0)
  },
)

test.run()
