/**
 * Board packs, read back by a program that did not write them: read-excel-file. Every number is held against the statements that the report shows, and those
 * of accounts and totals against the JSON.
 */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import type { ShownStatement } from '../../builder/report/report.ts'
import { metricsPath, statementPath } from '../../builder/snapshot/files/layout.ts'
import { openCurrent } from '../../builder/snapshot/files/open.ts'
import { inPublished } from '../support/published.ts'
import { CHART, COMPANY, companyYaml, ledgerCsv, readStatement, scopeOf } from '../support/workspace.ts'
import {
  ask,
  EVIL,
  HEAD,
  holdsFigures,
  linesIn,
  OPENING,
  own,
  PAGES,
  packed,
  packSuite,
  shows,
} from './packs.ts'
import { cellsOf } from './parts.ts'

const test = packSuite('board pack')

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
      const xml = packed.parts.get(`xl/worksheets/sheet${i + 3}.xml`)!
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
          else if (line.kind === 'account')
            assert.ok(!formula || ['Year to date', 'Total'].includes(column.title), where)
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
  const cells = cellsOf(pack.parts.get('xl/worksheets/sheet3.xml')!)
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
  const footer = /<oddFooter>(.*?)<\/oddFooter>/.exec(parts.get('xl/worksheets/sheet3.xml')!)![1]!
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
  inPublished(
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

test('the summary comes first, with the key figures of the published JSON', async ({ packs }) => {
  for (const { root, company, sheets } of packs) {
    assert.is([...sheets.keys()][0], 'Summary')
    const snapshot = (await openCurrent(root, company))!
    const data = sheets.get('Summary')!
    let compared = 0
    for (const [statement, label, total] of KEY_FIGURES) {
      const path = join(snapshot.folder, statementPath(scopeOf(statement)))
      const { totals } = readStatement(readFileSync(path, 'utf8'))
      const row = data.find(([name]) => name === label)
      // A figure that is zero in every column has no row.
      assert.is(row?.[1] ?? 0, Number(totals[total]!.at(-1)), `${company} ${label}`)
      if (row !== undefined) compared++
    }
    assert.ok(compared >= 7, company)
  }
})

const KEY_FIGURES = [
  ['ProfitAndLoss', 'Income', 'TotalIncome'],
  ['ProfitAndLoss', 'Gross profit', 'GrossProfit'],
  ['ProfitAndLoss', 'Expenses', 'TotalExpense'],
  ['ProfitAndLoss', 'Operating income', 'OperatingIncome'],
  ['ProfitAndLoss', 'Net income', 'NetIncome'],
  ['CashFlow', 'Cash', 'EndingCash'],
  ['BalanceSheet', 'Total assets', 'TotalAssets'],
  ['BalanceSheet', 'Equity', 'TotalEquity'],
] as const

test('its variances and prior years are those of the profit and loss', async ({ packs }) => {
  for (const packed of packs) {
    const shown = await shows(packed, PAGES[0])
    const net = shown.lines.find(({ id }) => id === 'NetIncome')
    if (net === undefined) continue
    const wanted = net.cells.map((cell, i) =>
      cell === null
        ? null
        : Number(cell) / (shown.columns[i]!.kind === 'percent' ? 1000 : 10 ** shown.decimals),
    )
    const row = packed.sheets.get('Summary')!.find(([name]) => name === 'Net income')!
    assert.equal(row.slice(1, wanted.length + 1), wanted, packed.company)
  }
})

test('each chart draws the published months, which stand in the cells that it names', async ({ packs }) => {
  let charts = 0
  for (const { root, company, parts } of packs) {
    const snapshot = (await openCurrent(root, company))!
    const read = (statement: 'ProfitAndLoss' | 'CashFlow') =>
      readStatement(readFileSync(join(snapshot.folder, statementPath(scopeOf(statement))), 'utf8'))
    const [result, cash] = [read('ProfitAndLoss'), read('CashFlow')]
    const cells = cellsOf(parts.get('xl/worksheets/sheet1.xml')!)
    const drawn = [...parts].filter(([name]) => name.startsWith('xl/charts/'))
    assert.is(drawn.length, 2)
    for (const [, xml] of drawn)
      for (const [series] of xml.matchAll(/<c:ser>.*?<\/c:ser>/gs)) {
        const name = /<c:v>(.*?)<\/c:v>/.exec(series)![1]!
        const [, column, from, through] = /<c:val>.*?\$([A-Z]+)\$(\d+):\$[A-Z]+\$(\d+)</.exec(series)!
        const values = [...series.split('<c:val>')[1]!.matchAll(/<c:v>(.*?)<\/c:v>/g)].map(
          (found) => found[1]!,
        )
        assert.is(Number(through) - Number(from) + 1, values.length)
        for (const [i, value] of values.entries()) {
          const at = result.months.length - values.length + i
          const sum = (...names: string[]) =>
            names.reduce((total, each) => total + Math.round(Number(result.totals[each]![at]) * 1000), 0) /
            1000
          const wanted = {
            'All income': () => sum('TotalIncome', 'TotalOtherIncome'),
            'All costs': () => sum('TotalCostOfSales', 'TotalExpense', 'TotalOtherExpense'),
            'Net income': () => sum('NetIncome'),
            Cash: () => Number(cash.totals.EndingCash![at]),
          }[name]!()
          assert.is(Number(value), wanted, `${company} ${name} ${at}`)
          assert.match(cells.get(`${column}${Number(from) + i}`)!, `<v>${value}</v>`)
        }
        charts++
      }
  }
  assert.is(charts, packs.length * 4)
})

test('of one class, the summary has no commentary and no cash chart', async ({ packs, top }) => {
  const { root, company } = own({ packs, top })
  const { sheets, parts } = await packed(root, company, join(top, 'class.xlsx'), { classId: 'EAST' })
  assert.is([...parts.keys()].filter((name) => name.startsWith('xl/charts/')).length, 1)
  assert.not(sheets.get('Summary')!.flat().includes('Commentary'))
})

test('commentary of the month begins with its opening text, on the first sheet', (context) => {
  const texts = own(context)
    .sheets.get('Summary')!
    .map(([cell]) => cell)
  assert.is(texts[texts.indexOf('Commentary') + 1], OPENING)
})

test('no hash stands before the appendix', ({ packs }) => {
  for (const { sheets } of packs)
    for (const [name, data] of sheets)
      if (name !== 'Provenance')
        assert.not(
          data.flat().some((cell) => /\b[0-9a-f]{32,}\b/.test(String(cell))),
          name,
        )
})

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
  ...['pageMargins', 'pageSetup', 'headerFooter', 'rowBreaks', 'ignoredErrors', 'drawing'],
]

test('the package is whole: parts, relationships, looks, and the order of the schema', ({ packs }) => {
  for (const { parts, company } of packs) {
    const types = parts.get('[Content_Types].xml')!
    for (const name of parts.keys())
      if (!/\.rels$|Content_Types/.test(name)) assert.ok(types.includes(`PartName="/${name}"`), name)
    const targets = [...parts.get('xl/_rels/workbook.xml.rels')!.matchAll(/Target="([^"]+)"/g)].map(
      (found) => found[1]!,
    )
    const drawn = [...parts.keys()].filter((name) => /drawing|chart|sheet1\.xml\.rels/.test(name))
    assert.is(
      targets.length,
      parts.size - 4 - drawn.length,
      'all but types, relationships and the workbook itself',
    )

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
