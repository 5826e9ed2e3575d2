/**
 * Exports, read back by readers that did not write them: csv-parse, DuckDB, apache-arrow, read-excel-file. Every figure
 * is held against the published JSON, and every posting against the books.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Table as ArrowTable, tableFromIPC } from 'apache-arrow'
import { parse } from 'csv-parse/sync'
import readWorkbook, { type SheetData } from 'read-excel-file/node'
import * as assert from 'uvu/assert'
import { STATEMENTS } from '../../builder/contract/vocabulary.ts'
import { type Database, openDatabase, quoted } from '../../builder/database/database.ts'
import { trialBalance } from '../../builder/inspect/trial-balance.ts'
import { type Exported, type ExportRequest, exportFigures } from '../../builder/report/export/export.ts'
import type { Provenance } from '../../builder/report/export/provenance.ts'
import { statementPath } from '../../builder/snapshot/files/layout.ts'
import { openCurrent, type Snapshot } from '../../builder/snapshot/files/open.ts'
import { sha256 } from '../../builder/system/hash.ts'
import { suite } from '../suite.ts'
import { trialBalanceOf } from '../support/asked.ts'
import { centsText } from '../support/oracle.ts'
import { inPublished } from '../support/published.ts'
import { CHART, COMPANY, companyYaml, readStatement, scopeOf } from '../support/workspace.ts'

/** Names and memos that a spreadsheet would take for formulas, that CSV must quote, and that XML cannot hold. */
const EVIL = {
  formula: '=HYPERLINK("http://evil.test","x")',
  minus: '-2+3',
  plus: '+47 22 00',
  at: '@SUM(A1)',
  wide: '＝1+1',
  quotes: 'a "quoted", text; with | all',
  lines: 'two\nlines',
  markup: '<b>&amp;"\'</b>',
  literal: '_x0041_ is no A',
  accents: 'Ærø ÅÄÖ 東京 🚢',
}
const csvCell = (text: string) => `"${text.replaceAll('"', '""')}"`
const LEDGER = `transaction_id,date,account,amount,class,department,memo
${[
  ['1', '2024-12-30', 'bank', '1000.10', '', '', EVIL.formula],
  ['1', '2024-12-30', 'capital', '-1000.10', '', '', EVIL.minus],
  ['2', '2025-01-15', 'bank', '250.05', 'EAST', '', EVIL.plus],
  ['2', '2025-01-15', 'sales', '-250.05', 'EAST', '', EVIL.at],
  ['3', '2025-02-28', 'rent', '40.00', 'west', 'hq', EVIL.quotes],
  ['3', '2025-02-28', 'bank', '-40.00', 'west', 'hq', EVIL.lines],
  ['4', '2025-02-28', 'rent', '0.05', '', 'hq', EVIL.markup],
  ['4', '2025-02-28', 'bank', '-0.05', '', 'hq', EVIL.literal],
  ['5', '2025-03-01', 'plant', '9007199254.74', '', '', EVIL.accents],
  ['5', '2025-03-01', 'bank', '-9007199254.74', '', '', EVIL.wide],
  ['6', '2025-03-02', 'bank', '7.00', '', '', ''],
  ['6', '2025-03-02', 'sales', '-7.00', '', '', 'plain'],
]
  .map((row) => row.map(csvCell).join(','))
  .join('\n')}
`

interface Context {
  top: string
  root: string
  snapshot: Snapshot
  place: string
  db: Database
}
const test = suite<Context>('export')
test.before(async (context) => {
  context.top = mkdtempSync(join(tmpdir(), 'tieout-export-test-'))
  context.root = join(context.top, 'snapshots')
  const files = {
    'company.yaml': `${companyYaml('name: "=Acme"')}classes: classes.csv\ndepartments: departments.csv\nbudgets: [{ id: plan, name: Plan, files: plan.csv }]\n`,
    'chart.csv': CHART.replace('rent,6000,Rent', 'rent,6000,=RENT()'),
    'ledger.csv': LEDGER,
    'classes.csv': 'id,name,parent\nEAST,East,\nwest,West,\n',
    'departments.csv': 'id,name,parent\nhq,Head office,\n',
    'plan.csv': 'account,month,amount\nsales,2025-01,300.00\nrent,2025-02,45.50\n',
  }
  await inPublished(files, async (workspace) => {
    const { cpSync } = await import('node:fs')
    cpSync(workspace.snapshots, context.root, { recursive: true })
  })
  context.snapshot = (await openCurrent(context.root, COMPANY))!
  context.db = await openDatabase({ folders: null })
})
test.before.each((context) => {
  context.place = mkdtempSync(join(context.top, 'place-'))
})
test.after(({ db }) => db.close())

const ask = ({ root }: Context, request: Partial<ExportRequest> & Pick<ExportRequest, 'format' | 'to'>) =>
  exportFigures(root, {
    company: COMPANY,
    snapshotId: null,
    what: 'statements',
    statements: STATEMENTS,
    basis: null,
    budgetId: null,
    classId: null,
    departmentId: null,
    from: null,
    through: null,
    software: 'Tieout test',
    ...request,
  })

async function exported(context: Context, request: Parameters<typeof ask>[1]): Promise<Exported> {
  const { value, findings } = await ask(context, request)
  assert.ok(value, JSON.stringify(findings))
  return value
}

type Row = Readonly<Record<string, string | null>>

const readCsv = (path: string): Row[] =>
  parse(readFileSync(path), {
    columns: true,
    cast: (value, { quoting }) => (value === '' && !quoting ? null : value),
  }) as Row[]
const readParquet = ({ db }: Context, path: string): Promise<Row[]> =>
  db.rows<Record<string, string>>(`SELECT COLUMNS(*)::VARCHAR FROM read_parquet(${quoted(path)})`)

const arrowAt = (path: string): ArrowTable => tableFromIPC(readFileSync(path))
function readArrow(path: string): Row[] {
  const table = arrowAt(path)
  const text = (value: unknown, type: string): string | null => {
    if (value === null) return null
    if (type.startsWith('Date')) return new Date(Number(value)).toISOString().slice(0, 10)
    if (!type.startsWith('Decimal')) return String(value)
    const [low, , , high] = value as Uint32Array
    const minor = BigInt.asIntN(64, (BigInt((value as Uint32Array)[1]!) << 32n) | BigInt(low!))
    assert.ok(high === 0 || high === 0xffffffff)
    return centsText(minor)
  }
  return Array.from({ length: table.numRows }, (_, i) =>
    Object.fromEntries(
      table.schema.fields.map((field, c) => [
        field.name,
        text(table.getChildAt(c)!.get(i), String(field.type)),
      ]),
    ),
  )
}

const READERS = {
  csv: async (_: Context, path: string) => readCsv(path),
  parquet: readParquet,
  arrow: async (_: Context, path: string) => readArrow(path),
} as const
type Columnar = keyof typeof READERS

/** What CSV writes of a text. */
const inCsv = (text: string | null) => (text !== null && /^[=+\-@＝]/.test(text) ? `'${text}` : text)

/** The published figures, as the text that stands in the JSON: `statement line account month` → figure. */
function published(
  { snapshot }: Context,
  filters: Parameters<typeof scopeOf>[1] = {},
): Map<string, string | null> {
  const figures = new Map<string, string | null>()
  for (const statement of STATEMENTS) {
    const path = join(snapshot.folder, statementPath(scopeOf(statement, filters)))
    if (!existsSync(path)) continue
    const { months, rows, totals } = readStatement(readFileSync(path, 'utf8'))
    for (const [line, found] of [
      ['account', rows],
      ['total', totals],
    ] as const)
      for (const [id, values] of Object.entries(found))
        for (const [i, month] of months.entries())
          figures.set(`${statement} ${line} ${id} ${month}-01`, values[i]!)
  }
  return figures
}
const keyed = (rows: readonly Row[]): Map<string, string | null> =>
  new Map(
    rows.map((row) => [
      `${row.statement} ${row.line} ${row.account!.replace(/^'/, '')} ${row.month}`,
      row.amount ?? null,
    ]),
  )
const sorted = (map: ReadonlyMap<string, unknown>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1))

for (const format of Object.keys(READERS) as Columnar[]) {
  test(`every figure of the statements as ${format} is the one in the JSON`, async (context) => {
    for (const [i, filters] of [
      {},
      { classId: 'EAST' },
      { classId: 'west', departmentId: 'hq' },
      { budgetId: 'plan' },
      { classId: 'unassigned' },
    ].entries()) {
      const to = join(context.place, `${i}.${format}`)
      const { provenance } = await exported(context, { format, to, ...filters })
      const rows = await READERS[format](context, to)
      const expected = published(context, filters)
      assert.ok(expected.size > 0)
      assert.equal(sorted(keyed(rows)), sorted(expected))
      assert.is(rows.length, expected.size)
      assert.is(provenance.Tables[0]!.Rows, rows.length)
      assert.is(provenance.Tables[0]!.ControlTotals.amount, sumOf(rows, 'amount'))
      assert.equal(
        [...new Set(rows.map((row) => [row.company, row.snapshot, row.currency].join()))],
        [[COMPANY, context.snapshot.id, 'USD'].join()],
      )
    }
  })

  test(`postings as ${format} are those of the books, with file and row`, async (context) => {
    const to = join(context.place, `p.${format}`)
    const { provenance } = await exported(context, { format, to, what: 'postings' })
    const rows = await READERS[format](context, to)
    const own = parse(LEDGER, { columns: true }) as Row[]
    const as = format === 'csv' ? inCsv : (text: string | null) => text
    assert.equal(
      rows.map((row) => [
        row.transaction_id,
        row.date,
        row.account,
        row.amount,
        row.class,
        row.department,
        row.memo,
        row.file,
        row.row,
      ]),
      own.map((row, i) => [
        row.transaction_id,
        row.date,
        row.account,
        row.amount,
        row.class || null,
        row.department || null,
        as(row.memo || null),
        'ledger.csv',
        String(i + 2),
      ]),
    )
    assert.is(rows.find(({ account }) => account === 'rent')!.name, as('=RENT()'))
    assert.is(provenance.Tables[0]!.ControlTotals.amount, '0.00')
    assert.is(provenance.Tables[0]!.ControlTotals.debit, sumOf(rows, 'debit'))
    assert.is(
      provenance.Tables[0]!.ControlTotals.debit,
      provenance.Sources.find(({ Role }) => Role === 'ledger')!.Debit,
    )
    assert.is(provenance.Tables[0]!.ControlTotals.credit, sumOf(rows, 'credit'))
  })

  test(`the trial balance as ${format} is that of every month`, async (context) => {
    const to = join(context.place, `t.${format}`)
    await exported(context, { format, to, what: 'trial-balance' })
    const rows = await READERS[format](context, to)
    for (const month of ['2024-12', '2025-01', '2025-02', '2025-03']) {
      const { value } = await trialBalance(context.root, trialBalanceOf({ month }))
      const of = (row: { [column in 'opening' | 'debit' | 'credit' | 'closing']?: string | null }) => [
        row.opening,
        row.debit,
        row.credit,
        row.closing,
      ]
      assert.equal(
        rows.filter((row) => row.month === `${month}-01`).map((row) => [row.account, ...of(row)]),
        value!.rows.map((row) => [row.id, ...of(row)]),
      )
    }
  })
}

const sumOf = (rows: readonly Row[], column: string): string =>
  centsText(rows.reduce((sum, row) => sum + BigInt((row[column] ?? '0.00').replace('.', '')), 0n))

test('months and filters narrow every table, and stand in what the export says of itself', async (context) => {
  const narrow = { from: '2025-01', through: '2025-02', classId: 'west', departmentId: 'hq' }
  const to = join(context.place, 'narrow')
  const { provenance, files } = await exported(context, { format: 'csv', what: 'all', to, ...narrow })
  assert.equal(readdirSync(to).sort(), [
    'postings.csv',
    'provenance.json',
    'statements.csv',
    'trial-balance.csv',
  ])
  const statements = readCsv(join(to, 'statements.csv'))
  assert.equal([...new Set(statements.map(({ month }) => month))], ['2025-01-01', '2025-02-01'])
  assert.equal([...new Set(statements.map((row) => `${row.class} ${row.department}`))], ['west hq'])
  assert.equal(
    readCsv(join(to, 'postings.csv')).map(({ amount }) => amount),
    ['40.00', '-40.00'],
  )
  assert.equal([...new Set(readCsv(join(to, 'trial-balance.csv')).map(({ month }) => month))], ['2025-02-01'])
  const { From, Through, ClassId, DepartmentId, Basis, What } = provenance.Parameters
  assert.equal(
    [From, Through, ClassId, DepartmentId, Basis, What],
    ['2025-01', '2025-02', 'west', 'hq', 'accrual', 'all'],
  )
  const stored = JSON.parse(readFileSync(join(to, 'provenance.json'), 'utf8')) as Provenance & {
    Files: { File: string; Sha256: string }[]
  }
  assert.equal(stored.Parameters, provenance.Parameters)
  assert.is(stored.ManifestSha256, context.snapshot.manifestHash)
  assert.equal(stored.Sources, context.snapshot.manifest.Inputs)
  for (const { File, Sha256 } of stored.Files) assert.is(sha256(readFileSync(join(to, File))), Sha256)
  assert.is(files.length, 4)
})

test('Parquet, Arrow and CSV carry where they come from, and equal exports are equal bytes', async (context) => {
  const { place, db, snapshot } = context
  for (const format of ['csv', 'parquet', 'arrow'] as const)
    for (const name of ['a', 'b']) await exported(context, { format, to: join(place, `${name}.${format}`) })
  for (const format of ['csv', 'parquet', 'arrow'])
    assert.ok(
      readFileSync(join(place, `a.${format}`)).equals(readFileSync(join(place, `b.${format}`))),
      format,
    )
  const [stored] = await db.rows<{ value: string }>(
    `SELECT decode(value) AS value FROM parquet_kv_metadata(${quoted(join(place, 'a.parquet'))}) WHERE decode(key) = 'tieout.provenance'`,
  )
  const beside = JSON.parse(readFileSync(join(place, 'a.provenance.json'), 'utf8'))
  const { schema } = arrowAt(join(place, 'a.arrow'))
  for (const found of [
    JSON.parse(stored!.value),
    JSON.parse(schema.metadata.get('tieout.provenance')!),
    beside,
  ]) {
    assert.is(found.SnapshotId, snapshot.id)
    assert.is(found.CompanyName, '=Acme')
    assert.equal(found.TieOuts, snapshot.manifest.TieOuts)
    assert.is(found.Tables[0].Table, 'statements')
  }
  assert.is(beside.Files[0].Sha256, sha256(readFileSync(join(place, 'a.csv'))))
  const types = await db.rows<{ column_name: string; column_type: string }>(
    `SELECT column_name, column_type FROM (DESCRIBE FROM read_parquet(${quoted(join(place, 'a.parquet'))}))`,
  )
  assert.equal(
    types
      .filter(({ column_type }) => column_type !== 'VARCHAR')
      .map(({ column_name, column_type }) => `${column_name} ${column_type}`),
    ['month DATE', 'amount DECIMAL(18,2)'],
  )
  assert.is(String(schema.fields.at(-1)!.type), 'Decimal[18e+2]')
})

test('no text of a CSV begins like a formula, and no figure is changed', async (context) => {
  const to = join(context.place, 'p.csv')
  await exported(context, { format: 'csv', to, what: 'postings' })
  const rows = readCsv(to)
  const money = new Set(['amount', 'debit', 'credit'])
  for (const row of rows)
    for (const [column, text] of Object.entries(row))
      if (!money.has(column)) assert.not.match(text ?? '', /^[=+\-@\t\r＝＋－＠]/)
  assert.ok(rows.some(({ amount }) => amount === '-1000.10'))
})

test('a workbook has statements as people read them, and every figure of the JSON', async (context) => {
  const to = join(context.place, 'w.xlsx')
  await exported(context, { format: 'xlsx', what: 'all', to })
  const book = await readWorkbook(to)
  const sheet = (name: string): SheetData => book.find((each) => each.sheet === name)!.data
  assert.equal(
    book.map((each) => each.sheet),
    ['Profit and loss', 'Balance sheet', 'Cash flow', 'Trial balance', 'Postings', 'Provenance'],
  )
  const expected = published(context)
  let figures = 0
  for (const [i, statement] of STATEMENTS.entries()) {
    const [head, ...rows] = book[i]!.data
    const months = head!.slice(3)
    assert.is(months.length, 15)
    assert.equal([months[0], months.at(-1)], ['2024-01', '2025-03'])
    const chart = readStatement(
      readFileSync(join(context.snapshot.folder, statementPath(scopeOf(statement))), 'utf8'),
    )
    assert.is(rows.length, Object.keys(chart.rows).length + Object.keys(chart.totals).length)
    const byNumber = new Map(CHART.split('\n').map((line) => [line.split(',')[1], line.split(',')[0]]))
    for (const row of rows) {
      const words = String(row[2])
      const total = Object.keys(chart.totals).find(
        (name) => name.toLowerCase() === words.replaceAll(' ', '').toLowerCase(),
      )
      const id = total ?? byNumber.get(String(row[1])) ?? words.toLowerCase().replaceAll(' ', '-')
      for (const [m, month] of months.entries()) {
        const stated = expected.get(
          `${statement} ${total === undefined ? 'account' : 'total'} ${id} ${month}-01`,
        )
        assert.is(typeof row[m + 3], 'number', `${statement} ${id} ${month}`)
        assert.is(
          (row[m + 3] as number).toFixed(2).replace(/^-0\.00$/, '0.00'),
          stated,
          `${statement} ${id} ${month}`,
        )
        figures++
      }
    }
  }
  assert.is(figures, expected.size)
  const profit = book[0]!.data.map((row) => row[2])
  assert.ok(profit.indexOf('Total income') < profit.indexOf('=RENT()'), 'a total stands below its section')
  assert.is(profit.at(-1), 'Net income')

  const postings = sheet('Postings')
  const memo = postings[0]!.indexOf('memo')
  const own = parse(LEDGER, { columns: true }) as Row[]
  assert.equal(
    postings.slice(1).map((row) => row[memo]?.toString().replaceAll('_x005F_', '_') ?? null),
    own.map((row) => row.memo || null),
    'texts are texts, also those that look like formulas',
  )
  const date = postings[0]!.indexOf('date')
  assert.equal((postings[1]![date] as unknown as Date).toISOString().slice(0, 10), '2024-12-30')
  const provenance = sheet('Provenance').map((row) => row.filter((cell) => cell !== null))
  const line = (label: string) => provenance.find(([first]) => first === label)
  assert.equal(line('Snapshot'), ['Snapshot', context.snapshot.id])
  assert.equal(line('Company'), ['Company', `=Acme (${COMPANY})`])
  assert.equal(line('Months'), ['Months', '2024-01 to 2025-03'])
  const ledger = context.snapshot.manifest.Inputs.find(({ File }) => File === 'ledger.csv')!
  const ofLedger = provenance.filter(([first]) => first === 'ledger.csv')
  assert.equal(ofLedger[1], ['ledger.csv', ledger.Sha256])
  const facts = ofLedger.slice(2).map(([, what, value]) => [what, value])
  assert.equal(facts[0], ['Read as', 'ledger, csv, utf-8'])
  assert.equal(facts.at(-1), ['Kept', 'no'])
})

test('a workbook holds no formula, freezes its headers, and opens in another program', async (context) => {
  const to = join(context.place, 'w.xlsx')
  await exported(context, { format: 'xlsx', what: 'all', to })
  if (spawnSync('unzip', ['-v']).status !== 0) return
  const part = (name: string) => execFileSync('unzip', ['-p', to, name], { encoding: 'utf8', maxBuffer: 1e8 })
  for (let sheet = 1; sheet <= 6; sheet++) assert.not.match(part(`xl/worksheets/sheet${sheet}.xml`), /<f[ >]/)
  assert.match(
    part('xl/worksheets/sheet1.xml'),
    '<pane xSplit="3" ySplit="1" topLeftCell="D2" activePane="bottomRight" state="frozen"/>',
  )
  assert.match(part('xl/styles.xml'), 'formatCode="#,##0.00"')
  assert.match(part('xl/worksheets/sheet2.xml'), '<v>9007199254.74</v>')
  if (spawnSync('python3', ['-c', 'import openpyxl']).status === 0) {
    const script =
      'import openpyxl,sys; b=openpyxl.load_workbook(sys.argv[1]); print(len(b.sheetnames), b.worksheets[4]["Q2"].value)'
    assert.match(execFileSync('python3', ['-c', script, to], { encoding: 'utf8' }), /^6 /)
  }
})

test('what cannot be exported so says why, and writes nothing', async (context) => {
  const { place } = context
  const cases: readonly [Parameters<typeof ask>[1], RegExp][] = [
    [{ format: 'csv', to: join(place, 'x.parquet') }, /does not end in \.csv/],
    [{ format: 'xlsx', what: 'all', to: join(place, 'x') }, /does not end in \.xlsx/],
    [{ format: 'csv', what: 'all', to: join(place, 'x.csv') }, /which need a folder/],
    [{ format: 'csv', to: join(place, 'x.csv'), classId: 'nord' }, /has no class "nord"/],
    [{ format: 'csv', to: join(place, 'x.csv'), basis: 'CASH' }, /have no cash basis/],
    [{ format: 'csv', to: join(place, 'x.csv'), budgetId: 'plan', what: 'postings' }, /neither postings nor/],
    [{ format: 'csv', to: join(place, 'x.csv'), from: '2023-01' }, /2023-01 is not covered/],
    [{ format: 'csv', to: join(place, 'x.csv'), from: '2025-02', through: '2025-01' }, /is after/],
    [{ format: 'csv', to: join(place, 'x.csv'), through: 'May' }, /is not a month/],
    [{ format: 'csv', to: join(place, 'x.csv'), company: 'nobody' }, /nothing is published of company/],
  ]
  for (const [request, pattern] of cases) {
    const { findings } = await ask(context, request)
    assert.match(findings?.map(({ message }) => message).join('\n') ?? '', pattern)
  }
  writeFileSync(join(place, 'taken.provenance.json'), '')
  for (const name of ['taken.provenance.json', 'taken.csv']) {
    const problem = await ask(context, {
      format: 'csv',
      to: join(place, name.replace('.provenance.json', '.csv')),
    }).then(
      () => null,
      (caught: Error) => caught,
    )
    assert.match(problem?.message ?? '', /is there already/)
  }
  assert.equal(readdirSync(place), ['taken.provenance.json'])
})
