/**
 * The same ledger read by DuckDB and by Spark, without a cluster, which bucket.all.test.ts has: the same bytes, for companies with figures checked by hand whose ledgers are
 * read in different ways, a sample of the repository, and a random one; and for faulty ones the same findings. A third of the cases of
 * a kind runs a day, since each waits for a job of Spark.
 */
import { appendFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { present } from '../../builder/contract/present.ts'
import { openDatabase, quoted } from '../../builder/database/database.ts'
import { datasetFolder, type Workspace } from '../../builder/workspace/workspace.ts'
import { tieout } from '../cli/command.ts'
import { alike } from '../seed.ts'
import { suite } from '../suite.ts'
import { atOnce } from '../support/at-once.ts'
import { contentOf, leftBy, useDuckDb, useSpark } from '../support/engines.ts'
import { ledgersToParquet, writeParquet } from '../support/parquet.ts'
import { missing as noStore, startStore } from '../support/s3.ts'
import { skipAll } from '../support/skipped.ts'
import { type Application, NO_SPARK, SPARK, startLocal, WITHOUT_CODE } from '../support/spark.ts'
import { moveToBucket, useBucket } from '../support/table-bucket.ts'
import {
  buildIn,
  CHART,
  COMPANY,
  codes,
  companyYaml,
  findingsText,
  inWorkspace,
  writeFiles,
} from '../support/workspace.ts'

const GOLDEN = fileURLToPath(new URL('../golden', import.meta.url))
const DATASETS = fileURLToPath(new URL('../../datasets', import.meta.url))

const same = suite('the same ledger by DuckDB and by Spark')

/** Jobs of small companies wait more than they compute, so that some run at once. */
const works = atOnce(same, 3)
const check: typeof works.check = (name, run) => SPARK !== null && works.check(name, run)
let starting: Promise<Application> | undefined

if (SPARK === null) skipAll(NO_SPARK)
else {
  same.before(async () => {
    starting = startLocal(WITHOUT_CODE)
    await starting
    works.start()
  })
  same.after(async () => {
    await works.ended()
    await (await starting)?.close()
  })
}

const withSpark = async (workspace: Workspace, id: string, scratch?: string) =>
  useSpark(workspace, id, (await starting!).command, scratch)

/** Publishes the company that `fill` writes with both engines and compares the bytes. */
const compare = (id: string, fill: (workspace: Workspace) => unknown, scratch?: string): Promise<void> =>
  inWorkspace(
    {},
    async (workspace) => {
      await fill(workspace)
      await ledgersToParquet(workspace, id)
      useDuckDb(workspace, id)
      const before = contentOf(await buildIn(workspace, id))
      const spark = await buildIn(await withSpark(workspace, id, scratch), id)
      assert.ok(spark.result.snapshotId, findingsText(spark.result.findings))
      assert.ok(existsSync(join(workspace.state, 'engine', `${id}.log`)), 'Spark was asked')
      assert.equal(
        readdirSync(join(workspace.state, 'engine')),
        [`${id}.log`],
        'nothing is left in the scratch folder',
      )
      assert.equal(contentOf(spark), before)
    },
    id,
  )

/** What marks an opening, and bases by column, by file and by settlement. The others differ in what is made of their lines. */
for (const name of alike([
  'bases-by-column',
  'bases-by-file',
  'closing-entries',
  'dinar-with-three-decimals',
  'opening-inside-year',
  'opening-results-not-closed',
]))
  check(name, () => {
    const input = join(GOLDEN, name, 'input')
    const { id } = parse(readFileSync(join(input, 'company.yaml'), 'utf8')) as { id: string }
    return compare(id, ({ datasets }) => cpSync(input, join(datasets, id), { recursive: true }))
  })

check('parties, due dates, and who entered a line when', () =>
  compare('acme', ({ datasets }) =>
    writeFiles(join(datasets, 'acme'), {
      ...{ 'company.yaml': companyYaml(), 'chart.csv': CHART },
      'ledger.csv': `transaction_id,date,account,amount,party,party_id,due_date,entered_on,entered_by
1,2025-01-20,debtors,10.00,Smith & Co,C1,2025-02-19,2025-01-21 16:30,ann
1,2025-01-20,sales,-10.00,Smith & Co,C1,,2025-01-21,ann
2,2025-01-25,debtors,20.00, Jones ,,soon,2025-1-9,
2,2025-01-25,sales,-20.00,,,,,
`,
    }),
  ),
)

check('a scratch folder with a name that is a pattern, or names a column', () =>
  compare(
    'lakeside',
    ({ datasets }) => cpSync(join(DATASETS, 'lakeside'), join(datasets, 'lakeside'), { recursive: true }),
    'x[1]/a?b/{u,v}/**/amount=5/row=7',
  ),
)

/** The rows of two entries, as SQL: `changes` replace columns. */
const rows = (...changes: readonly string[]): string => {
  const all = `SELECT * REPLACE (amount::DECIMAL(18, 2) AS amount) FROM (VALUES
    ('S1', DATE '2025-01-05', 'bank', 100.00, 'shop', 'L1', NULL), ('S1', DATE '2025-01-05', 'sales', -100.00, 'shop', 'L2', NULL),
    ('R1', DATE '2025-02-05', 'rent', 12.34, NULL, 'L3', NULL), ('R1', DATE '2025-02-05', 'bank', -12.34, NULL, 'L4', NULL)
    ) t(transaction_id, date, account, amount, class, line_id, settles)`
  return changes.length === 0 ? all : `SELECT * REPLACE (${changes.join(', ')}) FROM (${all})`
}
/** The entries of a second file. */
const second = (...changes: readonly string[]): string =>
  `SELECT * REPLACE (transaction_id || 'b' AS transaction_id, line_id || 'b' AS line_id) FROM (${rows(...changes)})`

/**
 * Publishes files of a lake with both engines and compares what they say, and the bytes where both publish. `expected` is the code of the
 * first error, null for none, undefined for any.
 */
const compareLake = (
  lake: Readonly<Record<string, string>>,
  more = '',
  expected?: string | null,
): Promise<void> =>
  inWorkspace(
    {
      'company.yaml': companyYaml(`ledger: [{ files: "lake/**/*.parquet" }]\nclasses: classes.csv\n${more}`),
      'chart.csv': CHART,
      'classes.csv': 'id,name\nshop,Shop\nköket,Köket\n',
    },
    async (workspace) => {
      for (const [file, query] of Object.entries(lake))
        await writeParquet(join(datasetFolder(workspace, COMPANY), file), query)
      useDuckDb(workspace, COMPANY)
      const duckdb = await buildIn(workspace, COMPANY)
      const said = findingsText(duckdb.result.findings)
      const first = duckdb.result.findings.find(({ severity }) => severity === 'error')?.code ?? null
      if (expected !== undefined) assert.is(first, expected)
      const before = duckdb.result.snapshotId === null ? null : contentOf(duckdb)
      const spark = await buildIn(await withSpark(workspace, COMPANY), COMPANY)
      assert.is(findingsText(spark.result.findings), said)
      assert.is(spark.result.snapshotId === null, before === null)
      if (before !== null) assert.equal(contentOf(spark), before)
    },
  )

/** A sound file, and one with each of these changes. */
const manyBad = (...changes: readonly string[]): Record<string, string> =>
  Object.fromEntries([
    ['lake/sound.parquet', rows()],
    ...changes.map((change, i) => [
      `lake/${i}.parquet`,
      `SELECT * REPLACE (transaction_id || '-${i}' AS transaction_id, line_id || '-${i}' AS line_id) FROM (${rows(change)})`,
    ]),
  ])
const bad = (change: string) => ({ 'lake/a.parquet': rows(), 'lake/b.parquet': second(change) })
for (const [name, lake, more = ''] of alike([
  [
    'folders of a partitioned table, names with blanks and quotes, other types',
    {
      'lake/class=shop/month=2025-01/part 0;{1}.parquet': `SELECT * EXCLUDE (class) FROM (${rows('amount::DECIMAL(38, 6) AS amount')})`,
      "lake/class=k%C3%B6ket/it's.parquet": `SELECT * EXCLUDE (class) FROM (${second('amount::DECIMAL(9, 2) AS amount', 'date::TIMESTAMP + INTERVAL 1 HOUR AS date')})`,
      'lake/class=__HIVE_DEFAULT_PARTITION__/c.parquet': `SELECT * EXCLUDE (class) REPLACE (transaction_id || 'c' AS transaction_id, line_id || 'c' AS line_id, ' ' || date::VARCHAR AS date) FROM (${rows()})`,
    },
  ],
  [
    'minor units, padded texts, whole numbers as ids',
    {
      'lake/a.parquet': `SELECT (amount * 100)::BIGINT AS amount_minor, ascii(transaction_id) AS transaction_id, date, ' ' || account || chr(9) AS account, class || chr(160) AS class FROM (${rows()})`,
    },
  ],
  [
    'rounding',
    bad(`(amount + 0.004)::DECIMAL(18, 4) AS amount`),
    'rounding: { tolerance: 0.05, account: rent }',
  ],
  ['sums beyond 2^53', bad(`(amount * 500000000000)::DECIMAL(38, 2) AS amount`)],
  [
    'fractions of a minor unit, on both sides of what may be rounded',
    manyBad(
      ...[0.004, 0.005, 0.0049999, 0.0050001, 0.009999, -0.005, -0.0049999].map(
        (fraction) => `(amount + ${fraction})::DECIMAL(38, 9) AS amount`,
      ),
    ),
    'rounding: { tolerance: 0.05, account: rent }',
  ],
  [
    'a mistake of its own in each of many files',
    manyBad(
      '(amount + 0.001)::DECIMAL(18, 3) AS amount',
      '(amount * 1000000000000000000)::DECIMAL(38, 2) AS amount',
      `CASE WHEN line_id = 'L3' THEN '4x00' ELSE account END AS account`,
      `'nowhere' AS class`,
      `CASE WHEN line_id = 'L1' THEN NULL ELSE account END AS account, CASE WHEN line_id = 'L2' THEN NULL ELSE date END AS date, CASE WHEN line_id = 'L3' THEN NULL ELSE amount END AS amount`,
      `CASE WHEN line_id = 'L3' THEN DATE '0202-02-05' ELSE date END AS date`,
    ),
  ],
  [
    'entries that do not balance, as a whole and by month',
    manyBad(
      `CASE WHEN line_id = 'L3' THEN 12.35 ELSE amount END::DECIMAL(18, 2) AS amount`,
      `CASE WHEN line_id = 'L3' THEN DATE '2025-03-05' ELSE date END AS date`,
    ),
  ],
  ['repeated line ids', bad(`'L7' AS line_id`)],
  ['settles what is not there', bad(`'none' AS settles`)],
  [
    'the same entries in two files',
    { 'lake/a.parquet': rows(), 'lake/b.parquet': `FROM (${rows(`line_id || 'b' AS line_id`)})` },
  ],
  [
    'a missing column',
    { 'lake/a.parquet': rows(), 'lake/b.parquet': `SELECT * EXCLUDE (class) FROM (${second()})` },
  ],
  ['money that is not exact', bad('amount::DOUBLE AS amount')],
] as [string, Record<string, string>, string?][]))
  check(`lake: ${name}`, () => compareLake(lake, more))

/** All absolute amounts of a basis add up to less than 2^53: an entry of two lines has half of it. */
const HALF_OF_EXACT = 2n ** 52n
const LARGEST_FIGURE = 10n ** 15n - 1n

type Amount = readonly [minor: bigint, type: string]

/** A file for each amount, with an entry of two lines of it: minor units as a decimal of this type, or as a type of whole numbers. */
const entriesOf = (...amounts: readonly Amount[]): Record<string, string> =>
  Object.fromEntries(
    amounts.map(([minor, type], i) => {
      const places = /DECIMAL\(\d+, (\d+)\)/.exec(type)?.[1]
      const isWhole = places === undefined || places === '0'
      const value = isWhole ? `${minor}` : `${minor / 100n}.${String(minor % 100n).padStart(2, '0')}`
      const column = `CASE WHEN amount > 0 THEN ${value} ELSE -${value} END::${type} AS amount`
      const named = `SELECT * REPLACE (transaction_id || '-${i}' AS transaction_id, line_id || '-${i}' AS line_id)`
      const lines = `${named} FROM (${rows()}) WHERE transaction_id LIKE 'S1%'`
      return [
        `lake/${i}.parquet`,
        places === undefined
          ? `SELECT * EXCLUDE (amount), ${column}_minor FROM (${lines})`
          : `SELECT * REPLACE (${column}) FROM (${lines})`,
      ]
    }),
  )
const DECIMAL = 'DECIMAL(38, 2)'
for (const [name, amounts, expected] of alike([
  [
    'the largest figure, one amount with the most decimals',
    [
      [LARGEST_FIGURE - 1n, DECIMAL],
      [1n, 'DECIMAL(38, 18)'],
    ],
    null,
  ],
  [
    'the largest figure in minor units, one amount the largest INTEGER',
    [
      [LARGEST_FIGURE - 2n ** 31n + 1n, 'BIGINT'],
      [2n ** 31n - 1n, 'INTEGER'],
    ],
    null,
  ],
  ['one more than the largest figure', [[LARGEST_FIGURE + 1n, DECIMAL]], 'figure-too-large'],
  ['the largest sum of amounts that is exact', [[HALF_OF_EXACT - 1n, DECIMAL]], 'figure-too-large'],
  ['a sum of amounts of 2^53', [[HALF_OF_EXACT, DECIMAL]], 'turnover-too-large'],
  ['the largest exact amount', [[2n * HALF_OF_EXACT - 1n, DECIMAL]], 'turnover-too-large'],
  [
    'amounts of 2^53, at the end of BIGINT, whose sums lie beyond it, and at the end of DECIMAL',
    [
      [2n * HALF_OF_EXACT, DECIMAL],
      [2n ** 63n - 1n, DECIMAL],
      [10n ** 38n - 1n, 'DECIMAL(38, 0)'],
    ],
    'amount-too-large',
  ],
  [
    'minor units of 2^53 and at the end of BIGINT',
    [
      [2n * HALF_OF_EXACT, 'BIGINT'],
      [2n ** 63n - 1n, 'BIGINT'],
    ],
    'amount-too-large',
  ],
] as [string, Amount[], string | null][]))
  check(`limit: ${name}`, () => compareLake(entriesOf(...amounts), '', expected))

/** A hundred files with an entry each; one lacks a column, and one has an unknown account. */
async function writeHundred(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const db = await openDatabase({ folders: null })
  try {
    await db.run(`CREATE TABLE line AS SELECT n, 'S' || n AS transaction_id, DATE '2025-01-05' + (n % 300)::INTEGER AS date,
        CASE WHEN n = 61 AND side = 1 THEN '4x00' WHEN side = 1 THEN 'bank' ELSE 'sales' END AS account,
        (side * n)::DECIMAL(18, 2) AS amount, 'memo' AS memo
      FROM range(1, 101) t(n), (VALUES (1), (-1)) s(side)`)
    for (let n = 1; n <= 100; n++) {
      const file = join(folder, `${String(n).padStart(4, '0')}.parquet`)
      const columns = `EXCLUDE (n${n === 30 ? ', memo' : ''})`
      await db.run(`COPY (SELECT * ${columns} FROM line WHERE n = ${n}) TO ${quoted(file)} (FORMAT parquet)`)
    }
  } finally {
    db.close()
  }
}

check('one bad row in one of a hundred files, and a column that one of them lacks', () =>
  inWorkspace(
    { 'company.yaml': companyYaml('ledger: [{ files: "lake/*.parquet" }]'), 'chart.csv': CHART },
    async (workspace) => {
      const lake = join(datasetFolder(workspace, COMPANY), 'lake')
      await writeHundred(lake)
      const using = await withSpark(workspace, COMPANY)
      const refused = async (): Promise<string> => {
        const { code, out, err } = await tieout(['build', COMPANY], { cwd: workspace.root })
        assert.is(code, 3)
        assert.not.ok(existsSync(join(workspace.snapshots, COMPANY)))
        assert.equal(leftBy(using), [])
        return out + err
      }
      assert.match(await refused(), /lake\/0030\.parquet.*?memo.*?\[columns-differ\]/s)
      assert.not.ok(existsSync(join(workspace.state, 'engine')), 'the engine was not asked')

      rmSync(join(lake, '0030.parquet'))
      const said = await refused()
      assert.match(said, /1 error; nothing was published/)
      assert.match(said, /lake\/0061\.parquet.*?entry S61.*?account "4x00" is not in the chart/s)

      rmSync(join(lake, '0061.parquet'))
      useDuckDb(workspace, COMPANY)
      assert.is((await tieout(['build', COMPANY], { cwd: workspace.root })).code, 0)
    },
  ),
)

if (noStore === null)
  check('a cluster without hadoop-aws is told what it lacks to read a bucket', () =>
    inWorkspace(
      { 'company.yaml': companyYaml('ledger: [{ files: "lake/*.parquet" }]'), 'chart.csv': CHART },
      async (workspace) => {
        const store = await startStore()
        try {
          await writeParquet(join(datasetFolder(workspace, COMPANY), 'lake/a.parquet'), rows())
          const bucket = await moveToBucket(workspace, COMPANY, store)
          const { command } = await present(starting, 'cluster')
          const using = useBucket(workspace, COMPANY, bucket, { command, endpoint: store.endpoint })
          const { result } = await buildIn(using, COMPANY)
          assert.equal(codes(result.findings), ['engine-failed'])
          assert.match(
            result.findings[0]!.remedy!,
            /give the cluster hadoop-aws/,
            findingsText(result.findings),
          )
          assert.equal(leftBy(using), [])
        } finally {
          await store.stop()
        }
      },
    ),
  )

/** As Spark runs where nobody says otherwise. */
const WITH_CODE = Object.keys(WITHOUT_CODE).flatMap((name) => [
  '--conf',
  `${name}=${name.endsWith('factoryMode') ? 'FALLBACK' : 'true'}`,
])

/** A name of a column that the shell of Spark would take for the end of a statement, a text or a comment. */
const ODD = `me"m;o' --\`x`

check('spark-sql itself runs the statements, and what it says is kept', () =>
  inWorkspace(
    {
      'company.yaml': companyYaml(
        `ledger: [{ files: "lake/*.parquet", columns: { line_id: ${JSON.stringify(ODD)} } }]\nclasses: classes.csv`,
      ),
      'chart.csv': CHART,
      'classes.csv': 'id,name\nshop,Shop\n',
    },
    async (workspace) => {
      const lake = join(datasetFolder(workspace, COMPANY), 'lake/a.parquet')
      await writeParquet(lake, `SELECT * RENAME (line_id AS "${ODD.replaceAll('"', '""')}") FROM (${rows()})`)
      appendFileSync(join(workspace.root, 'tieout.yaml'), 'keepInputs: true\n')
      const { sparkSql } = await present(starting, 'cluster')
      const built = await buildIn(useSpark(workspace, COMPANY, [...sparkSql, ...WITH_CODE]), COMPANY)
      assert.ok(built.result.snapshotId, findingsText(built.result.findings))
      const log = readFileSync(join(workspace.state, 'engine', `${COMPANY}.log`), 'utf8')
      assert.match(log, /Spark master: local/)
      const cwd = workspace.root
      assert.is((await tieout(['verify', COMPANY, '--sources'], { cwd })).code, 0)
      const explained = await tieout(['explain', COMPANY, 'rent', '2025-02', '--csv'], { cwd })
      assert.match(explained.out, /lake\/a\.parquet/)
      assert.is(
        (await tieout(['export', COMPANY, '--what', 'postings', '--to', 'postings.csv'], { cwd })).code,
        0,
      )
    },
  ),
)
