/**
 * The same ledger read by DuckDB and by a cluster of Spark: the same bytes, for every company with figures checked by hand, the samples
 * of the repository, and random ones; and for faulty ones the same findings.
 */
import { appendFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { openDatabase, quoted } from '../../builder/books/database.ts'
import { present } from '../../builder/contract/present.ts'
import { companyFolder, type Workspace } from '../../builder/workspace/workspace.ts'
import { writeCompany } from '../bench/ledger.ts'
import { tieout } from '../cli/command.ts'
import { suite } from '../suite.ts'
import { atOnce } from '../support/at-once.ts'
import { contentOf, leftBy, useDuckDb, useSpark, writing } from '../support/engines.ts'
import { ledgersToParquet, writeParquet } from '../support/parquet.ts'
import { skipAll } from '../support/skipped.ts'
import { type Cluster, NO_SPARK, SPARK, startCluster } from '../support/spark.ts'
import {
  buildIn,
  CHART,
  COMPANY,
  codes,
  companyYaml,
  findingsText,
  inWorkspace,
} from '../support/workspace.ts'

const GOLDEN = fileURLToPath(new URL('../golden', import.meta.url))
const DATASETS = fileURLToPath(new URL('../../datasets', import.meta.url))
/** One is SIE, which states more than lines; the other is refused for what stands in its rows of text. */
const NO_TABLES = ['refused', 'sie-repeated-opening']

const same = suite('the same ledger by DuckDB and by Spark')

/** Jobs of small companies wait more than they compute, so that some run at once. */
const works = atOnce(same, 3)
const check: typeof works.check = (name, run) => SPARK !== null && works.check(name, run)
let starting: Promise<Cluster> | undefined

if (SPARK === null) skipAll(NO_SPARK)
else {
  same.before(async () => {
    starting = startCluster()
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

for (const name of readdirSync(GOLDEN).filter((each) => !NO_TABLES.includes(each)))
  check(name, () => {
    const input = join(GOLDEN, name, 'input')
    const { id } = parse(readFileSync(join(input, 'company.yaml'), 'utf8')) as { id: string }
    return compare(id, ({ datasets }) => cpSync(input, join(datasets, id), { recursive: true }))
  })

check('a scratch folder with a name that is a pattern, or names a column', () =>
  compare(
    'lakeside',
    ({ datasets }) => cpSync(join(DATASETS, 'lakeside'), join(datasets, 'lakeside'), { recursive: true }),
    'x[1]/a?b/{u,v}/**/amount=5/row=7',
  ),
)

for (const name of ['harbor', 'lakeside'])
  check(name, () =>
    compare(name, ({ datasets }) => cpSync(join(DATASETS, name), join(datasets, name), { recursive: true })),
  )

for (const [seed, postings] of [
  [1, 5000],
  [2, 50_000],
] as const)
  check(`random company of ${postings} postings`, () =>
    compare('bench', ({ root }) =>
      writeCompany(root, 'bench', {
        ...{ postings, classes: 3 * seed, departments: 4 - seed, months: 5 + 7 * seed, seed },
        monthly: seed === 2,
      }),
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
        await writeParquet(join(companyFolder(workspace, COMPANY), file), query)
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
for (const [name, lake, more = ''] of [
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
] as [string, Record<string, string>, string?][])
  check(`lake: ${name}`, () => compareLake(lake, more))

/** All absolute amounts of a basis add up to less than 2^53: an entry of two lines has half of it. */
const HALF_OF_EXACT = 2n ** 52n
const LARGEST_FIGURE = 10n ** 15n - 1n

/** An entry of two lines of so many minor units, as a decimal with two places unless `type` is another one. */
const entryOf = (minor: bigint, type = 'DECIMAL(38, 2)'): Record<string, string> => {
  const places = Number(/DECIMAL\(\d+, (\d+)\)/.exec(type)?.[1])
  const value = places === 0 ? `${minor}` : `${minor / 100n}.${String(minor % 100n).padStart(2, '0')}`
  return {
    'lake/a.parquet': `SELECT * REPLACE (CASE WHEN amount > 0 THEN ${value} ELSE -${value} END::${type} AS amount) FROM (${rows()}) WHERE transaction_id = 'S1'`,
  }
}
/** Minor units, of a type of whole numbers. */
const minorOf = (minor: bigint, type: string): Record<string, string> => ({
  'lake/a.parquet': `SELECT * EXCLUDE (amount), CASE WHEN amount > 0 THEN ${minor} ELSE -${minor} END::${type} AS amount_minor FROM (${rows()}) WHERE transaction_id = 'S1'`,
})
for (const [name, lake, expected] of [
  ['the largest figure', entryOf(LARGEST_FIGURE), null],
  ['the largest figure, in minor units', minorOf(LARGEST_FIGURE, 'BIGINT'), null],
  ['the largest INTEGER of minor units', minorOf(2n ** 31n - 1n, 'INTEGER'), null],
  ['the most decimals, which are zero', entryOf(LARGEST_FIGURE, 'DECIMAL(38, 18)'), null],
  ['one more than the largest figure', entryOf(LARGEST_FIGURE + 1n), 'figure-too-large'],
  ['the largest sum of amounts that is exact', entryOf(HALF_OF_EXACT - 1n), 'figure-too-large'],
  ['a sum of amounts of 2^53', entryOf(HALF_OF_EXACT), 'turnover-too-large'],
  ['the largest exact amount', entryOf(2n * HALF_OF_EXACT - 1n), 'turnover-too-large'],
  ['an amount of 2^53', entryOf(2n * HALF_OF_EXACT), 'amount-too-large'],
  ['minor units of 2^53', minorOf(2n * HALF_OF_EXACT, 'BIGINT'), 'amount-too-large'],
  ['minor units at the end of BIGINT', minorOf(2n ** 63n - 1n, 'BIGINT'), 'amount-too-large'],
  ['an amount at the end of BIGINT, whose sums lie beyond it', entryOf(2n ** 63n - 1n), 'amount-too-large'],
  ['the largest DECIMAL', entryOf(10n ** 38n - 1n, 'DECIMAL(38, 0)'), 'amount-too-large'],
] as [string, Record<string, string>, string | null][])
  check(`limit: ${name}`, () => compareLake(lake, '', expected))

/** A thousand files with an entry each; one lacks a column, and one has an unknown account. */
async function writeThousand(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const db = await openDatabase({ folders: null })
  try {
    await db.run(`CREATE TABLE line AS SELECT n, 'S' || n AS transaction_id, DATE '2025-01-05' + (n % 300)::INTEGER AS date,
        CASE WHEN n = 617 AND side = 1 THEN '4x00' WHEN side = 1 THEN 'bank' ELSE 'sales' END AS account,
        (side * n)::DECIMAL(18, 2) AS amount, 'memo' AS memo
      FROM range(1, 1001) t(n), (VALUES (1), (-1)) s(side)`)
    for (let n = 1; n <= 1000; n++) {
      const file = join(folder, `${String(n).padStart(4, '0')}.parquet`)
      const columns = `EXCLUDE (n${n === 300 ? ', memo' : ''})`
      await db.run(`COPY (SELECT * ${columns} FROM line WHERE n = ${n}) TO ${quoted(file)} (FORMAT parquet)`)
    }
  } finally {
    db.close()
  }
}

check('one bad row in one of a thousand files, and a column that one of them lacks', () =>
  inWorkspace(
    { 'company.yaml': companyYaml('ledger: [{ files: "lake/*.parquet" }]'), 'chart.csv': CHART },
    async (workspace) => {
      const lake = join(companyFolder(workspace, COMPANY), 'lake')
      await writeThousand(lake)
      const using = await withSpark(workspace, COMPANY)
      const refused = async (): Promise<string> => {
        const { code, out, err } = await tieout(['build', COMPANY], { cwd: workspace.root })
        assert.is(code, 3)
        assert.not.ok(existsSync(join(workspace.snapshots, COMPANY)))
        assert.equal(leftBy(using), [])
        return out + err
      }
      assert.match(await refused(), /lake\/0300\.parquet.*?memo.*?\[columns-differ\]/s)
      assert.not.ok(existsSync(join(workspace.state, 'engine')), 'the engine was not asked')

      rmSync(join(lake, '0300.parquet'))
      const said = await refused()
      assert.match(said, /1 error; nothing was published/)
      assert.match(said, /lake\/0617\.parquet.*?entry S617.*?account "4x00" is not in the chart/s)

      rmSync(join(lake, '0617.parquet'))
      useDuckDb(workspace, COMPANY)
      assert.is((await tieout(['build', COMPANY], { cwd: workspace.root })).code, 0)
    },
  ),
)

/** A company of many small files, so that a job has many tasks. */
const large = (run: (workspace: Workspace, before: unknown) => Promise<void>): Promise<void> =>
  inWorkspace(
    {},
    async (workspace) => {
      await writeCompany(workspace.root, 'bench', {
        ...{ postings: 20_000, classes: 4, departments: 2, months: 12, seed: 7, monthly: true },
      })
      await ledgersToParquet(workspace, 'bench')
      useDuckDb(workspace, 'bench')
      const before = contentOf(await buildIn(workspace, 'bench'))
      await run(workspace, before)
    },
    'bench',
  )

if (SPARK !== null) {
  same('spark-sql itself runs the statements, and what it says is kept', () =>
    inWorkspace(
      {
        'company.yaml': companyYaml('ledger: [{ files: "lake/*.parquet" }]\nclasses: classes.csv'),
        'chart.csv': CHART,
        'classes.csv': 'id,name\nshop,Shop\n',
      },
      async (workspace) => {
        await writeParquet(join(companyFolder(workspace, COMPANY), 'lake/a.parquet'), rows())
        appendFileSync(join(workspace.root, 'tieout.yaml'), 'keepInputs: true\n')
        const { sparkSql } = await present(starting, 'cluster')
        const built = await buildIn(useSpark(workspace, COMPANY, sparkSql), COMPANY)
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

  same('a worker that is killed in the middle of a job changes nothing', async () => {
    await works.ended()
    await large(async (workspace, before) => {
      const building = buildIn(await withSpark(workspace, 'bench'), 'bench')
      await writing(workspace)
      ;(await starting)?.killWorker()
      const spark = await building
      assert.ok(spark.result.snapshotId, findingsText(spark.result.findings))
      assert.equal(contentOf(spark), before)
    })
  })

  same('without any worker or master the job fails, and nothing is published', () =>
    large(async (workspace) => {
      const { snapshotId } = JSON.parse(
        readFileSync(join(workspace.snapshots, 'bench', 'current.json'), 'utf8'),
      ) as { snapshotId: string }
      const building = buildIn(await withSpark(workspace, 'bench'), 'bench')
      await writing(workspace)
      await (await starting)?.close()
      const { result } = await building
      assert.is(result.outcome, 'refused')
      assert.equal(codes(result.findings), ['engine-failed'])
      const after = readFileSync(join(workspace.snapshots, 'bench', 'current.json'), 'utf8')
      assert.is((JSON.parse(after) as { snapshotId: string }).snapshotId, snapshotId)
      assert.equal(readdirSync(join(workspace.state, 'engine')), ['bench.log'])
    }),
  )
}

same.run()
