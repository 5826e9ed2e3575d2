/**
 * The same ledger read by DuckDB and by a cluster of Spark: the same bytes, for every company with figures checked by hand, the samples
 * of the repository, and random ones; and for faulty ones the same findings.
 */
import { appendFileSync, cpSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { present } from '../../builder/contract/present.ts'
import { companyFolder, type Workspace } from '../../builder/workspace/workspace.ts'
import { writeCompany } from '../bench/ledger.ts'
import { tieout } from '../cli/command.ts'
import { atMost, contentOf, useDuckDb, useSpark } from '../support/engines.ts'
import { ledgersToParquet, writeParquet } from '../support/parquet.ts'
import { skipAll } from '../support/skipped.ts'
import { type Cluster, NO_SPARK, SPARK, startCluster } from '../support/spark.ts'
import { until } from '../support/until.ts'
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
const inTurn = atMost(3)
let starting: Promise<Cluster> | undefined
const work: [name: string, run: () => Promise<void>][] = []
const running: Promise<unknown>[] = []

if (SPARK === null) skipAll(NO_SPARK)
else {
  same.before(async () => {
    starting = startCluster()
    await starting
    for (const [, run] of work)
      running.push(
        inTurn(run).then(
          () => null,
          (problem: unknown) => problem,
        ),
      )
  })
  same.after(async () => {
    await Promise.all(running)
    await (await starting)?.close()
  })
}

/** A test whose work runs beside that of the others. */
function check(name: string, run: () => Promise<void>): void {
  if (SPARK === null) return
  const at = work.push([name, run]) - 1
  same(name, async () => {
    const problem = await running[at]
    if (problem !== null) throw problem
  })
}

const withSpark = async (workspace: Workspace, id: string) =>
  useSpark(workspace, id, (await starting!).command)

/** Publishes the company that `fill` writes with both engines and compares the bytes. */
const compare = (id: string, fill: (workspace: Workspace) => unknown): Promise<void> =>
  inWorkspace(
    {},
    async (workspace) => {
      await fill(workspace)
      await ledgersToParquet(workspace, id)
      useDuckDb(workspace, id)
      const before = contentOf(await buildIn(workspace, id))
      const spark = await buildIn(await withSpark(workspace, id), id)
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

/** Publishes files of a lake with both engines and compares what they say, and the bytes where both publish. */
const compareLake = (lake: Readonly<Record<string, string>>, more = ''): Promise<void> =>
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

/** A company of many small files, so that a job has many tasks. */
const large = (run: (workspace: Workspace, before: unknown) => Promise<void>): Promise<void> =>
  inWorkspace(
    {},
    async (workspace) => {
      writeCompany(workspace.root, 'bench', {
        ...{ postings: 20_000, classes: 4, departments: 2, months: 12, seed: 7, monthly: true },
      })
      await ledgersToParquet(workspace, 'bench')
      useDuckDb(workspace, 'bench')
      const before = contentOf(await buildIn(workspace, 'bench'))
      await run(workspace, before)
    },
    'bench',
  )

/** The scratch folder of the job that runs, once its first statement writes. */
const writing = (workspace: Workspace): Promise<void> => {
  const begun = () => {
    const folder = join(workspace.state, 'engine')
    const [own] = existsSync(folder) ? readdirSync(folder).filter((name) => !name.endsWith('.log')) : []
    assert.ok(own !== undefined && existsSync(join(folder, own, 'line', '_temporary')))
  }
  return until(() => until(() => until(begun)))
}

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
    await Promise.all(running)
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
