/** Parquet ledgers: what is read, and what each mistake in the files or the settings says. */
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import * as assert from 'uvu/assert'
import { build } from '../../builder/build/build.ts'
import { present } from '../../builder/contract/present.ts'
import { ingest } from '../../builder/ingest/ingest.ts'
import type { Finding } from '../../builder/workspace/findings/finding.ts'
import { datasetFolder, readCompany, type Workspace } from '../../builder/workspace/workspace.ts'
import { suite } from '../suite.ts'
import { writeParquet } from '../support/parquet.ts'
import {
  type Built,
  buildIn,
  CHART,
  COMPANY,
  codes,
  companyYaml,
  inWorkspace,
  only,
  postings,
} from '../support/workspace.ts'

const test = suite('parquet')

/** Two entries, of sales and of rent; a line is the text of an SQL row of these columns. */
const COLUMNS = 'transaction_id, date, account, amount, class, line_id'
const SALE = [
  "'S1', DATE '2025-01-05', 'bank', 100.00, 'shop', 'L1'",
  "'S1', DATE '2025-01-05', 'sales', -100.00, 'shop', 'L2'",
]
const RENT = [
  "'R1', DATE '2025-02-05', 'rent', 12.34, NULL, 'L3'",
  "'R1', DATE '2025-02-05', 'bank', -12.34, NULL, 'L4'",
]
const rowsOf = (...lines: readonly string[]): string =>
  `SELECT * REPLACE (amount::DECIMAL(18, 2) AS amount) FROM (VALUES ${lines.map((line) => `(${line})`).join(', ')}) t(${COLUMNS})`

/** File → query, or what is done to the folder of the company after the files were written. */
type Lake = Readonly<Record<string, string>>

type Change = (folder: string) => unknown

/** The company with this lake, whose folder `change` may alter before it is looked at. */
async function withLake<T>(
  lake: Lake,
  more: string,
  change: Change,
  look: (workspace: Workspace, folder: string) => Promise<T>,
): Promise<T> {
  const settings = { ledger: '[{ files: "lake/**/*.parquet" }]', classes: 'classes.csv' }
  const lines = Object.entries(settings).filter(([key]) => !more.includes(`${key}:`))
  const yaml = companyYaml(`${lines.map(([key, value]) => `${key}: ${value}`).join('\n')}\n${more}`)
  const files = { 'company.yaml': yaml, 'chart.csv': CHART, 'classes.csv': 'id,name\nshop,Shop\n' }
  return inWorkspace(files, async (workspace) => {
    const folder = datasetFolder(workspace, COMPANY)
    for (const [file, query] of Object.entries(lake)) await writeParquet(join(folder, file), query)
    await change(folder)
    return look(workspace, folder)
  })
}

const inLake = <T>(lake: Lake, look: (built: Built) => T | Promise<T>, more = ''): Promise<T> =>
  withLake(
    lake,
    more,
    () => {},
    async (workspace) => look(await buildIn(workspace, COMPANY)),
  )

const findingsIn = async (lake: Lake, more = '', change: Change = () => {}): Promise<readonly Finding[]> => {
  const check = (workspace: Workspace) => build(workspace, COMPANY, { publish: false })
  return (await withLake(lake, more, change, check)).findings
}

/** What is found before any row is read. */
const foundInFooters = (lake: Lake, more = '', change: Change = () => {}): Promise<readonly Finding[]> =>
  withLake(lake, more, change, async (workspace, folder) => {
    const intake = await ingest(present(readCompany(workspace, COMPANY).value, 'company'), folder)
    await intake.dispose()
    return intake.findings
  })

/** The published lines of a sound lake. */
const linesIn = (lake: Lake, more = ''): Promise<string[]> =>
  inLake(
    lake,
    (built) => postings(built, 'seq, transaction_id, date, account, amount, class, file, row'),
    more,
  )

const PUBLISHED = [
  '1 S1 2025-01-05 bank 100.00 shop lake/a.parquet 1',
  '2 S1 2025-01-05 sales -100.00 shop lake/a.parquet 2',
  '3 R1 2025-02-05 rent 12.34  lake/a.parquet 3',
  '4 R1 2025-02-05 bank -12.34  lake/a.parquet 4',
]
const SOUND = rowsOf(...SALE, ...RENT)
const SOUND_LAKE = { 'lake/a.parquet': SOUND }
const mended = (...changes: readonly string[]): Lake => ({
  'lake/a.parquet': `SELECT * REPLACE (${changes.join(', ')}) FROM (${SOUND})`,
})

test('a file is read with its days and decimals, and its input stands in the manifest with size and hash', () =>
  inLake(SOUND_LAKE, async (built) => {
    assert.equal(built.result.findings, [])
    assert.equal(
      await postings(built, 'seq, transaction_id, date, account, amount, class, file, row'),
      PUBLISHED,
    )
    const { Inputs } = JSON.parse(built.read('manifest.json')) as { Inputs: Record<string, unknown>[] }
    const input = Inputs.find(({ Role }) => Role === 'ledger')!
    assert.match(String(input.Sha256), /^[0-9a-f]{64}$/)
    assert.equal(
      [
        input.File,
        input.Format,
        input.Encoding,
        input.RowsRead,
        input.Postings,
        input.Debit,
        input.FirstDate,
      ],
      ['lake/a.parquet', 'parquet', 'parquet', 4, 4, '112.34', '2025-01-05'],
    )
  }))

test('whole numbers as ids, other decimals, a timestamp and dates as text are exact as well', async () => {
  for (const changes of [
    ['amount::DECIMAL(38, 6) AS amount'],
    ['amount::DECIMAL(9, 2) AS amount', 'date::TIMESTAMP + INTERVAL 1 HOUR AS date'],
    ['date::VARCHAR AS date', "upper('  ' || transaction_id || ' ') AS transaction_id"],
  ])
    assert.equal(await linesIn(mended(...changes)), PUBLISHED, changes.join())
  const numbers = `SELECT * REPLACE (CASE transaction_id WHEN 'S1' THEN 17 ELSE 18 END AS transaction_id) FROM (${SOUND})`
  const lines = await linesIn({ 'lake/a.parquet': numbers })
  assert.is(lines[0], PUBLISHED[0]!.replace('S1', '17'))
})

test('amounts in minor units have a name of their own', async () => {
  const minor = `SELECT * EXCLUDE amount, (amount * 100)::BIGINT AS amount_minor FROM (${SOUND})`
  assert.equal(await linesIn({ 'lake/a.parquet': minor }), PUBLISHED)
  const sides = `SELECT * EXCLUDE amount, greatest(amount, 0)::DECIMAL(18, 2) AS soll, (-least(amount, 0) * 100)::INTEGER AS haben FROM (${SOUND})`
  const map = 'ledger: [{ files: lake/*.parquet, columns: { debit: soll, credit_minor: haben } }]'
  assert.equal(await linesIn({ 'lake/a.parquet': sides }, map), PUBLISHED)
})

test('money that is not exact is refused with the reason', async () => {
  for (const [type, reason] of [
    [
      'DOUBLE',
      /is DOUBLE, where DECIMAL, such as DECIMAL\(18, 2\) is needed: binary floating point holds most amounts/,
    ],
    ['FLOAT', /is FLOAT, where DECIMAL/],
    ['VARCHAR', /is text, where DECIMAL/],
    ['BIGINT', /does not say whether it counts whole units or cents/],
  ] as const) {
    const found = only(await foundInFooters(mended(`amount::${type} AS amount`)), 'column-type')
    assert.match(found.message, reason)
    assert.equal([found.file, found.row, found.column], ['lake/a.parquet', null, 'amount'])
    assert.match(
      found.remedy!,
      type === 'BIGINT' ? /columns: \{ amount_minor: amount \}/ : /DECIMAL\(18, 2\)/,
    )
  }
})

test('a day that depends on a time zone is refused, as are lists where ids belong', async () => {
  const instant = mended("(date::TIMESTAMP AT TIME ZONE 'UTC') AS date")
  assert.match(
    only(await foundInFooters(instant), 'column-type').message,
    /TIMESTAMP in UTC.*depends on the time zone/,
  )
  const list = mended('[account] AS account')
  assert.match(
    only(await foundInFooters(list), 'column-type').message,
    /list or structure, where text or whole numbers/,
  )
})

test('an amount with more decimals than the currency, or too large, names its row by the key', async () => {
  const cases = {
    'too-many-decimals': '100.005::DECIMAL(18, 3)',
    'amount-too-large': '99999999999999999999.00::DECIMAL(38, 2)',
  }
  for (const [code, amount] of Object.entries(cases)) {
    const wrong = mended(`CASE line_id WHEN 'L1' THEN ${amount} ELSE amount END AS amount`)
    const [found] = (await findingsIn(wrong)).filter((each) => each.code === code)
    assert.ok(found, code)
    assert.match(found!.message, /^entry S1, line L1: /)
    assert.equal([found!.file, found!.row, found!.column], ['lake/a.parquet', null, 'amount'])
  }
})

test('missing values, unknown names and days outside of all years are found row by row', async () => {
  const cases: Record<string, [change: string, message: RegExp]> = {
    'missing-transaction-id': ["nullif(transaction_id, 'R1') AS transaction_id", /^line L3: /],
    'missing-account': ["nullif(account, 'rent') AS account", /^entry R1, line L3: the row has no account/],
    'missing-amount': ["CASE line_id WHEN 'L3' THEN NULL ELSE amount END AS amount", /^entry R1, line L3: /],
    'unknown-account': [
      "replace(account, 'rent', 'rrent') AS account",
      /^entry R1, line L3: account "rrent"/,
    ],
    'unknown-class': [
      "replace(class, 'shop', 'shpo') AS class",
      /^entry S1, line L1: class "shpo".*so it is on 2 rows/,
    ],
  }
  for (const [code, [change, message]] of Object.entries(cases)) {
    const [found] = (await findingsIn(mended(change))).filter((each) => each.code === code)
    assert.ok(found, code)
    assert.match(found!.message, message)
    assert.is(found!.row, null)
  }
  for (const [date, message] of [
    ['NULL', /the row has no date/],
    ["DATE '2925-02-05'", /lies outside the years 1900 to 2199/],
  ] as const) {
    const wrong = mended(`CASE line_id WHEN 'L3' THEN ${date} ELSE date END AS date`)
    assert.match(only(await findingsIn(wrong), 'unreadable-date').message, message)
  }
})

test('an entry that does not balance, and a line id that stands twice, are named by their keys', async () => {
  const unbalanced = mended("CASE line_id WHEN 'L3' THEN 12.35 ELSE amount END::DECIMAL(18, 2) AS amount")
  const found = only(await findingsIn(unbalanced), 'unbalanced-transaction')
  assert.match(found.message, /^entry R1, line L3: transaction R1 of 2025-02-05 does not balance/)
  assert.is(found.row, null)
  const twice = only(await findingsIn(mended("replace(line_id, 'L4', 'L1') AS line_id")), 'duplicate-line-id')
  assert.match(twice.message, /^entry R1, line L1: line id "L1" stands already in lake\/a.parquet$/)
})

test('without a line id, an entry is the key; without either, the place in the file', async () => {
  const without = (query: string) => ({ 'lake/a.parquet': `SELECT * EXCLUDE line_id FROM (${query})` })
  const [unknown] = (
    await findingsIn(
      without(`SELECT * REPLACE (replace(account, 'rent', 'rrent') AS account) FROM (${SOUND})`),
    )
  ).filter(({ code }) => code === 'unknown-account')
  assert.match(unknown!.message, /^entry R1: account "rrent"/)
  const nameless = without(
    `SELECT * REPLACE (nullif(transaction_id, 'R1') AS transaction_id) FROM (${SOUND})`,
  )
  const [missing] = (await findingsIn(nameless)).filter(({ code }) => code === 'missing-transaction-id')
  assert.match(missing!.message, /^record 3 of the file: /)
})

test('a missing column says which there are', async () => {
  const found = only(
    await foundInFooters({ 'lake/a.parquet': `SELECT * RENAME (account AS konto) FROM (${SOUND})` }),
    'missing-column',
  )
  assert.match(found.text!, /transaction_id, date, konto, amount/)
  assert.is(found.row, null)
  const renamed = 'ledger: [{ files: lake/*.parquet, columns: { account: konto } }]'
  assert.equal(
    await linesIn({ 'lake/a.parquet': `SELECT * RENAME (account AS konto) FROM (${SOUND})` }, renamed),
    PUBLISHED,
  )
  const none = { 'lake/a.parquet': `SELECT * EXCLUDE amount FROM (${SOUND})` }
  assert.match(only(await foundInFooters(none), 'missing-column').message, /no column "amount"/)
})

test('columns that are not read, and not those of the parts of a date, are named', async () => {
  const more = { 'lake/year=2025/cost_centre=7/a.parquet': `SELECT *, 1 AS batch FROM (${SOUND})` }
  assert.is(only(await foundInFooters(more), 'columns-not-read').message, 'not read: "batch", "cost_centre"')
})

test('files with different columns are an error for each column', async () => {
  const lake = {
    'lake/a.parquet': rowsOf(...SALE),
    'lake/b.parquet': `SELECT * EXCLUDE class FROM (${rowsOf(...RENT)})`,
    'lake/c.parquet': `SELECT * EXCLUDE class REPLACE ('R2' AS transaction_id, line_id || 'c' AS line_id) FROM (${rowsOf(...RENT)})`,
  }
  const found = only(await foundInFooters(lake), 'columns-differ')
  assert.is(found.message, 'it and 1 more have no column "class", which lake/a.parquet has')
  assert.is(found.file, 'lake/b.parquet')
  const apart = 'ledger: [{ files: lake/a.parquet }, { files: "lake/{b,c}.parquet" }]'
  assert.equal(codes(await findingsIn(lake, apart)), [])
})

test('types may differ among files where each is exact', async () => {
  const lake = {
    'lake/a.parquet': rowsOf(...SALE),
    'lake/b.parquet': `SELECT * REPLACE (amount::DECIMAL(38, 4) AS amount, date::TIMESTAMP AS date) FROM (${rowsOf(...RENT)})`,
  }
  assert.equal(
    (await linesIn(lake)).map((line) => line.replace(/ lake.*/, '')),
    PUBLISHED.map((line) => line.replace(/ lake.*/, '')),
  )
})

test('folders of a partitioned table state a class and a basis', () => {
  const rows = (lines: readonly string[]) => `SELECT * EXCLUDE class FROM (${rowsOf(...lines)})`
  const lake = {
    'lake/basis=accrual/class=shop/part-0.parquet': rows(SALE),
    'lake/basis=accrual/class=__HIVE_DEFAULT_PARTITION__/part-0.parquet': rows(RENT),
    'lake/basis=cash/class=shop/part-0.parquet': rows(SALE),
  }
  return inLake(lake, async (built) => {
    assert.equal(await postings(built, "basis, transaction_id, account, amount, coalesce(class, '-')"), [
      'accrual R1 bank -12.34 -',
      'accrual R1 rent 12.34 -',
      'accrual S1 bank 100.00 shop',
      'accrual S1 sales -100.00 shop',
      'cash S1 bank 100.00 shop',
      'cash S1 sales -100.00 shop',
    ])
  })
})

test('a column of the file counts before a folder of its name', async () =>
  assert.equal(
    (await linesIn({ 'lake/class=other/a.parquet': SOUND })).map((line) => line.split(' lake')[0]),
    PUBLISHED.map((line) => line.split(' lake')[0]),
  ))

test('a damaged, cut off, encrypted or other file says so', async () => {
  const damage = (change: (path: string) => void) => (folder: string) =>
    change(join(folder, 'lake/a.parquet'))
  const overwrite = (at: number, bytes: string) => (path: string) => {
    const content = readFileSync(path)
    content.write(bytes, at < 0 ? content.length + at : at, 'latin1')
    writeFileSync(path, content)
  }
  const cases: [change: (path: string) => void, message: RegExp][] = [
    [(path) => truncateSync(path, 200), /was cut off: its footer is missing/],
    [(path) => truncateSync(path, 6), /was cut off/],
    [overwrite(-8, '\xff\xff\xff\x7f'), /its footer cannot be read/],
    [overwrite(-40, '\xff'.repeat(20)), /damaged Parquet file|cannot be read as Parquet/],
    [overwrite(-4, 'PARE'), /is an encrypted Parquet file/],
    [overwrite(8, '\xff'.repeat(60)), /cannot be read as Parquet: /],
  ]
  for (const [change, message] of cases) {
    const found = only(await findingsIn(SOUND_LAKE, '', damage(change)), 'unreadable-parquet')
    assert.match(found.message, message)
    assert.is(found.file, 'lake/a.parquet')
  }
  const csv = await foundInFooters(SOUND_LAKE, 'ledger: [{ files: chart.csv, format: parquet }]')
  assert.match(only(csv, 'unreadable-parquet').message, /is no Parquet file/)
})

test('columns that are nested deeper than the engine reads are refused before any row is read', async () => {
  const nested = (depth: number) => ({
    'lake/a.parquet': `SELECT *, ${"{'a': ".repeat(depth)}1${'}'.repeat(depth)} AS deep FROM (${SOUND})`,
  })
  assert.match(
    only(await foundInFooters(nested(110)), 'unreadable-parquet').message,
    'columns that are nested more than 100 deep',
  )
  assert.not.ok((await findingsIn(nested(90))).some(({ severity }) => severity === 'error'))
})

test('settings that only text has are refused', async () => {
  for (const [setting, message] of [
    ['skip: { class: [shop] }', /neither joined, reversed nor left out by rows/],
    ['columns: { amount: "-amount" }', /neither joined, reversed/],
    ['format: csv', /the files are Parquet, and not csv/],
  ] as const) {
    const found = only(
      await foundInFooters(SOUND_LAKE, `ledger: [{ files: lake/a.parquet, ${setting} }]`),
      'invalid-setting',
    )
    assert.match(found.message, message)
  }
})

test('a copy of a file would count twice; files without rows may be alike', async () => {
  const copy = (folder: string) =>
    copyFileSync(join(folder, 'lake/a.parquet'), join(folder, 'lake/b.parquet'))
  assert.ok(codes(await foundInFooters(SOUND_LAKE, '', copy)).includes('same-file-twice'))
  const empty = `SELECT * FROM (${SOUND}) WHERE false`
  const lake = { ...SOUND_LAKE, 'lake/b.parquet': empty, 'lake/c.parquet': empty }
  assert.equal(codes(await findingsIn(lake)), [])
})

test('columns whose names differ only in capitals are refused, as engines take them for one', async () => {
  const lake = { 'lake/a.parquet': SOUND }
  const twin = (folder: string) => writeTwin(join(folder, 'lake/a.parquet'))
  const found = only(await foundInFooters(lake, '', twin), 'duplicate-column')
  assert.match(found.message, /"Account" and "account"|"account" and "Account"/)
})

/** DuckDB writes no two such columns: the name of another one is overwritten in the file. */
function writeTwin(path: string): void {
  const content = readFileSync(path)
  for (let at = content.indexOf('line_id'); at !== -1; at = content.indexOf('line_id', at + 1))
    content.write('Account', at)
  writeFileSync(path, content)
}

/** Writes an empty file, with the folders above it. */
function touch(file: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, '')
}

for (const [format, log] of [
  ['Delta Lake', '_delta_log/00000000000000000000.json'],
  ['Delta Lake', '_delta_log/00000000000000000010.checkpoint.parquet'],
  ['Apache Iceberg', 'metadata/00000-c7dbfc39-13af-427c-b4c8-6679253c27ec.metadata.json'],
  ['Apache Hudi', '.hoodie/hoodie.properties'],
] as const)
  test(`a file of a table of ${format} is refused, since deleted rows may be in it (${log})`, async () => {
    for (const file of ['lake/a.parquet', 'lake/data/month=2025-01/a.parquet']) {
      const found = await foundInFooters(
        { [file]: SOUND },
        'ledger: [{ files: "lake/**/a.parquet" }]',
        (folder) => touch(join(folder, 'lake', log)),
      )
      assert.equal(codes(found), ['table-with-log'])
      const { message, file: place } = only(found, 'table-with-log')
      assert.is(place, file)
      assert.match(message, new RegExp(`^belongs to a table of ${format} \\(lake/${dirname(log)}\\)`))
    }
  })

test('a link to a file of a table with a log is refused, and folders that only have such names are not', async () => {
  const table = mkdtempSync(join(tmpdir(), 'tieout-table-'))
  touch(join(table, '_delta_log/00000000000000000000.json'))
  await writeParquet(join(table, 'a.parquet'), SOUND)
  const linked = await foundInFooters({}, '', (folder) => {
    mkdirSync(join(folder, 'lake'))
    symlinkSync(join(table, 'a.parquet'), join(folder, 'lake/a.parquet'))
  })
  assert.equal(codes(linked), ['table-with-log'])
  assert.match(only(linked, 'table-with-log').message, /Delta Lake \(_delta_log\)/)
  // Where the command is started says nothing of the files.
  const here = process.cwd()
  process.chdir(table)
  try {
    assert.equal(await findingsIn(SOUND_LAKE), [])
  } finally {
    process.chdir(here)
  }
  const others = await findingsIn(SOUND_LAKE, '', (folder) => {
    for (const file of ['metadata/report.pdf.metadata.json', '_delta_log/readme.md', '.hoodie/x'])
      touch(join(folder, 'lake', file))
  })
  assert.equal(others, [])
})
