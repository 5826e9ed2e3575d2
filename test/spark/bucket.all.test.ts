/**
 * A ledger in a bucket, which a real cluster of Spark reads where it lies: the same figures as of the same files in a folder, the same
 * findings, and what goes wrong there in words; and what becomes of a job where machines of the cluster fail.
 */
import { appendFileSync, cpSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { present } from '../../builder/contract/present.ts'
import { datasetFolder, type Workspace } from '../../builder/workspace/workspace.ts'
import { writeCompany } from '../bench/ledger.ts'
import { tieout } from '../cli/command.ts'
import { seed } from '../seed.ts'
import { suite } from '../suite.ts'
import { atOnce } from '../support/at-once.ts'
import { contentOf, leftBy, useDuckDb, useSpark, writing } from '../support/engines.ts'
import { HADOOP_AWS, NO_HADOOP_AWS, sparkSettings } from '../support/hadoop-aws.ts'
import { ledgersToParquet, writeParquet } from '../support/parquet.ts'
import { missing, type Store, startStore } from '../support/s3.ts'
import { skipAll } from '../support/skipped.ts'
import { type Cluster, NO_SPARK, SPARK, startCluster, WITHOUT_CODE } from '../support/spark.ts'
import { keepVersions, ledgerOf, moveToBucket, put, useBucket } from '../support/table-bucket.ts'
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
const lake = suite('a ledger in a bucket')
let store: Store
let cluster: Cluster

/** Jobs of small companies wait more than they compute, so that some run at once. */
const works = atOnce(lake, 3)
const { check } = works

const settings = () => ({ command: cluster.command, endpoint: store.endpoint })

/** Publishes the company with DuckDB from a folder, and with Spark from a bucket, and compares figures and findings. */
async function compare(workspace: Workspace, id: string, scheme = 's3a'): Promise<void> {
  useDuckDb(workspace, id)
  const duckdb = await buildIn(workspace, id)
  const said = findingsText(duckdb.result.findings)
  const before = duckdb.result.snapshotId === null ? null : ledgerOf(duckdb)
  const bucket = await moveToBucket(workspace, id, store)
  const address = `${scheme}://${bucket}/`
  const spark = await buildIn(useBucket(workspace, id, bucket, { ...settings(), scheme }), id)
  assert.is(findingsText(spark.result.findings).replaceAll(address, ''), said)
  assert.is(spark.result.snapshotId === null, before === null)
  assert.equal(leftBy(workspace), [], 'nothing is left in the scratch folder')
  assert.ok(existsSync(join(workspace.state, 'engine', `${id}.log`)), 'Spark was asked')
  if (before !== null) assert.equal(ledgerOf(spark, address), before)
}

const golden = (name: string, scheme: string): Promise<void> => {
  const input = join(GOLDEN, name, 'input')
  const { id } = parse(readFileSync(join(input, 'company.yaml'), 'utf8')) as { id: string }
  return inWorkspace(
    {},
    async (workspace) => {
      cpSync(input, join(workspace.datasets, id), { recursive: true })
      await ledgersToParquet(workspace, id)
      await compare(workspace, id, scheme)
    },
    id,
  )
}

/** The rows of two entries, as SQL: `changes` replace columns, and `name` is added to ids. */
const rows = (name: string, ...changes: readonly string[]): string => {
  const all = `SELECT * REPLACE (amount::DECIMAL(18, 2) AS amount, transaction_id || '${name}' AS transaction_id, line_id || '${name}' AS line_id)
    FROM (VALUES ('S1', DATE '2025-01-05', 'bank', 100.00, 'shop', 'L1'), ('S1', DATE '2025-01-05', 'sales', -100.00, 'shop', 'L2'),
    ('R1', DATE '2025-02-05', 'rent', 12.34, NULL, 'L3'), ('R1', DATE '2025-02-05', 'bank', -12.34, NULL, 'L4')
    ) t(transaction_id, date, account, amount, class, line_id)`
  return changes.length === 0 ? all : `SELECT * REPLACE (${changes.join(', ')}) FROM (${all})`
}
const FILES = {
  'company.yaml': companyYaml('ledger: [{ files: "lake/**/*.parquet" }]\nclasses: classes.csv'),
  'chart.csv': CHART,
  'classes.csv': 'id,name\nshop,Shop\nköket,Köket\n',
}
const withLake = (
  files: Readonly<Record<string, string>>,
  run: (workspace: Workspace) => Promise<void>,
): Promise<void> =>
  inWorkspace(FILES, async (workspace) => {
    for (const [file, query] of Object.entries(files))
      await writeParquet(join(datasetFolder(workspace, COMPANY), file), query)
    await run(workspace)
  })

const why = SPARK === null ? NO_SPARK : HADOOP_AWS === null ? NO_HADOOP_AWS : missing
if (why !== null) skipAll(why)
else {
  lake.before(async () => {
    store = await startStore()
    cluster = await startCluster({ ...WITHOUT_CODE, ...sparkSettings(store.endpoint) })
    works.start()
  })
  lake.after(async () => {
    await works.ended()
    await cluster?.close()
    await store?.stop()
  })

  check('figures checked by hand, of files that are marked as openings', () =>
    golden('opening-results-not-closed', 's3a'),
  )

  check('a cluster that calls the bucket s3', () => golden('bases-by-file', 's3'))

  check(
    'folders of a partitioned table, odd names, other types, and files beside them that are not meant',
    () =>
      withLake(
        {
          'lake/class=shop/month=2025-01/part 0;{1}--2.parquet': `SELECT * EXCLUDE (class) FROM (${rows('', 'amount::DECIMAL(38, 6) AS amount')})`,
          "lake/class=k%C3%B6ket/it's [a]+b ö.parquet": `SELECT * EXCLUDE (class) FROM (${rows('b', 'amount::DECIMAL(9, 2) AS amount', 'date::TIMESTAMP + INTERVAL 1 HOUR AS date')})`,
          'lake/class=__HIVE_DEFAULT_PARTITION__/c.parquet': `SELECT * EXCLUDE (class) REPLACE (' ' || date::VARCHAR AS date) FROM (${rows('c')})`,
        },
        async (workspace) => {
          useDuckDb(workspace, COMPANY)
          const before = ledgerOf(await buildIn(workspace, COMPANY))
          const bucket = await moveToBucket(workspace, COMPANY, store)
          for (const beside of [
            'lake/class=shop/readme.txt',
            'lake/class=shop/month=2025-01/_SUCCESS',
            'lake/.crc',
          ])
            await put(store, bucket, beside, Buffer.from('no Parquet'))
          const spark = await buildIn(useBucket(workspace, COMPANY, bucket, settings()), COMPANY)
          assert.ok(spark.result.snapshotId, findingsText(spark.result.findings))
          assert.equal(ledgerOf(spark, `s3a://${bucket}/`), before)
        },
      ),
  )

  check('a mistake of its own in each of many files is said in the same words, with the key of its row', () =>
    withLake(
      Object.fromEntries(
        [
          '(amount + 0.001)::DECIMAL(18, 3) AS amount',
          '(amount * 1000000000000000000)::DECIMAL(38, 2) AS amount',
          `CASE WHEN account = 'rent' THEN '4x00' ELSE account END AS account`,
          `'nowhere' AS class`,
          `CASE WHEN account = 'bank' THEN NULL ELSE account END AS account, CASE WHEN account = 'sales' THEN NULL ELSE date END AS date`,
          `CASE WHEN account = 'rent' THEN DATE '0202-02-05' ELSE date END AS date`,
          `CASE WHEN account = 'rent' THEN 12.35 ELSE amount END::DECIMAL(18, 2) AS amount`,
          `'L7' AS line_id`,
        ].map((change, i) => [`lake/${i}.parquet`, rows(`-${i}`, change)]),
      ),
      (workspace) => compare(workspace, COMPANY),
    ),
  )

  check('one ledger, three ways; then nothing to do, until an object is another', () =>
    withLake({ 'lake/a.parquet': rows(''), 'lake/b.parquet': rows('b') }, async (workspace) => {
      useDuckDb(workspace, COMPANY)
      const duckdb = await buildIn(workspace, COMPANY)
      const before = ledgerOf(duckdb)
      const folder = await buildIn(useSpark(workspace, COMPANY, cluster.command), COMPANY)
      assert.equal(contentOf(folder), contentOf(duckdb))
      await writeParquet(join(workspace.root, 'other.parquet'), rows('c'))
      const a = readFileSync(join(datasetFolder(workspace, COMPANY), 'lake/a.parquet'))
      const bucket = await moveToBucket(workspace, COMPANY, store)
      await keepVersions(store, bucket)
      await put(store, bucket, 'lake/a.parquet', a)
      const inBucket = useBucket(workspace, COMPANY, bucket, settings())
      const spark = await buildIn(inBucket, COMPANY)
      assert.ok(spark.result.snapshotId, findingsText(spark.result.findings))
      assert.equal(ledgerOf(spark, `s3a://${bucket}/`), before)
      const { Inputs } = JSON.parse(spark.read('manifest.json')) as { Inputs: Record<string, unknown>[] }
      const [first, second] = Inputs.filter(({ Role }) => Role === 'ledger')
      assert.equal([first!.File, first!.Sha256, first!.Kept], [`s3a://${bucket}/lake/a.parquet`, null, false])
      assert.match(String(first!.ETag), /^[0-9a-f]{32}$/)
      assert.type(first!.VersionId, 'string')
      assert.is(second!.VersionId, undefined)
      const again = await buildIn(inBucket, COMPANY)
      assert.is(again.result.outcome, 'unchanged')
      assert.is(again.result.tables, undefined, 'no footer was read')

      const run = (...args: string[]) => tieout(args, { cwd: workspace.root, env: store.env })
      const doctor = await run('doctor', '--json')
      assert.match(doctor.out, /it runs statements, and reads the tables/, doctor.out + doctor.err)
      assert.equal(readdirSync(join(workspace.state, 'engine')).sort(), [`${COMPANY}.log`, 'doctor.log'])
      const proof = (await run('proof', COMPANY)).out
      assert.match(
        proof,
        /by the ETag that its store gave them\nETag [0-9a-f]{32}, version \S+ +[\d,]+ bytes +s3a:/,
      )
      assert.is((await run('verify', COMPANY)).code, 0)
      const verified = await run('verify', COMPANY, '--sources')
      assert.match(
        (verified.out + verified.err).replace(/\s+/g, ' '),
        /lies in a bucket, and no copy of it was kept/,
      )
      assert.match(
        (await run('explain', COMPANY, 'rent', '2025-02', '--csv')).out,
        `s3a://${bucket}/lake/a.parquet`,
      )

      await put(store, bucket, 'lake/b.parquet', readFileSync(join(workspace.root, 'other.parquet')))
      const changed = await buildIn(inBucket, COMPANY)
      assert.is(changed.result.outcome, 'published', findingsText(changed.result.findings))
      assert.is(changed.result.tables?.objects, 2)
    }),
  )

  lake('an object that is replaced while Spark reads ends the build', async () => {
    await works.ended()
    await withLake({ 'lake/a.parquet': rows(''), 'lake/b.parquet': rows('b') }, async (workspace) => {
      await writeParquet(join(workspace.root, 'other.parquet'), rows('c'))
      const bucket = await moveToBucket(workspace, COMPANY, store)
      let replacing: Promise<void> | null = null
      store.fail(({ url, headers, method }) => {
        if (method === 'GET' && /Hadoop/.test(String(headers['user-agent'])) && url?.includes('a.parquet'))
          replacing ??= put(
            store,
            bucket,
            'lake/b.parquet',
            readFileSync(join(workspace.root, 'other.parquet')),
          )
        return false
      })
      const { result } = await buildIn(useBucket(workspace, COMPANY, bucket, settings()), COMPANY)
      store.fail(null)
      await present(replacing, 'replacement')
      assert.is(result.outcome, 'refused')
      assert.ok(codes(result.findings).includes('source-changed'), findingsText(result.findings))
      assert.match(findingsText(result.findings), /lake\/b.parquet.*was replaced \(ETag/)
      assert.equal(leftBy(workspace), [])
      assert.not.ok(existsSync(join(workspace.snapshots, COMPANY, 'current.json')))
    })
  })

  lake('a bucket that refuses the cluster, and not Tieout, is named with what to do', () =>
    withLake({ 'lake/a.parquet': rows('') }, async (workspace) => {
      const bucket = await moveToBucket(workspace, COMPANY, store)
      store.fail(({ headers }, response) => {
        if (!/Hadoop/.test(String(headers['user-agent']))) return false
        response.writeHead(403, { 'content-type': 'application/xml' })
        response.end('<Error><Code>InvalidAccessKeyId</Code><Message>no such key</Message></Error>')
        return true
      })
      const { result } = await buildIn(useBucket(workspace, COMPANY, bucket, settings()), COMPANY)
      store.fail(null)
      assert.equal(codes(result.findings), ['engine-failed'])
      assert.match(result.findings[0]!.message, /AccessDenied|403/, findingsText(result.findings))
      assert.match(
        result.findings[0]!.remedy!,
        /allow the credentials of the cluster s3:GetObject and s3:ListBucket/,
      )
      assert.equal(leftBy(workspace), [])
      assert.not.ok(existsSync(join(workspace.snapshots, COMPANY, 'current.json')))
    }),
  )

  lake('spark-sql itself reads the bucket, by credentials of the environment', () =>
    withLake({ 'lake/a.parquet': rows('') }, async (workspace) => {
      const bucket = await moveToBucket(workspace, COMPANY, store)
      useBucket(workspace, COMPANY, bucket, { command: cluster.sparkSql, endpoint: store.endpoint })
      const run = (...args: string[]) => tieout(args, { cwd: workspace.root, env: store.env })
      const { code, out, err } = await run('build', COMPANY)
      assert.is(code, 0, out + err)
      const log = readFileSync(join(workspace.state, 'engine', `${COMPANY}.log`), 'utf8')
      assert.match(log, /Spark master: local/)
      assert.not.match(log, store.env.AWS_SECRET_ACCESS_KEY!)
    }),
  )

  lake(
    'a job outlives a worker that is killed; without any worker or master it fails, and nothing is published',
    () =>
      inWorkspace(
        {},
        async (workspace) => {
          // Many small files, so that a job has many tasks.
          await writeCompany(workspace.root, 'bench', {
            ...{ postings: 8000, classes: 4, departments: 2, months: 12, seed, monthly: true },
          })
          await ledgersToParquet(workspace, 'bench')
          useDuckDb(workspace, 'bench')
          const before = contentOf(await buildIn(workspace, 'bench'))
          const using = useSpark(workspace, 'bench', cluster.command)
          await cluster.addWorker()

          const building = buildIn(using, 'bench')
          await writing(using)
          cluster.killWorker()
          const spark = await building
          assert.ok(spark.result.snapshotId, findingsText(spark.result.findings))
          assert.equal(contentOf(spark), before)

          // Other bytes among its inputs, so that the engine is asked again.
          appendFileSync(join(datasetFolder(workspace, 'bench'), 'company.yaml'), '# once more\n')
          const failing = buildIn(using, 'bench')
          await writing(using)
          await cluster.close()
          const { result } = await failing
          assert.is(result.outcome, 'refused')
          assert.equal(codes(result.findings), ['engine-failed'])
          const { SnapshotId } = JSON.parse(
            readFileSync(join(workspace.snapshots, 'bench', 'current.json'), 'utf8'),
          ) as { SnapshotId: string }
          assert.is(SnapshotId, spark.result.snapshotId)
          assert.equal(readdirSync(join(workspace.state, 'engine')), ['bench.log'])
        },
        'bench',
      ),
  )
}
