/**
 * A ledger in a bucket, up to what a cluster is asked: how it is set up, and each thing that goes wrong before or around a job, in words.
 * Needs no Spark; test/spark/bucket.all.test.ts has the jobs.
 */
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { addCompany } from '../../builder/ingest/add/add.ts'
import { datasetFolder, type Workspace } from '../../builder/workspace/workspace.ts'
import { suite } from '../suite.ts'
import { leftBy } from '../support/engines.ts'
import { writeParquet } from '../support/parquet.ts'
import { type Fault, missing, type Store, startStore } from '../support/s3.ts'
import { moveToBucket, put, useBucket } from '../support/table-bucket.ts'
import { CHART, COMPANY, companyYaml, inWorkspace } from '../support/workspace.ts'
import { tieout } from './command.ts'

const table = suite('a table in a bucket')
let store: Store

/** Entries of a month, of which a file with 200,000 rows is large enough to tell its footer from the rest. */
const rows = (entry: string, count: number): string =>
  `SELECT '${entry}' || (range // 2) AS transaction_id, DATE '2025-01-05' AS date, if(range % 2 = 0, 'bank', 'sales') AS account,
    (if(range % 2 = 0, 1, -1) * (hash(range // 2) % 100000) / 100)::DECIMAL(18, 2) AS amount FROM range(${count})`

interface Case {
  readonly workspace: Workspace
  readonly bucket: string
  run(...args: string[]): ReturnType<typeof tieout>
}

/** A company with two files in a bucket; the program with this source text stands in for spark-sql. */
const withTable = (
  work: (made: Case) => Promise<void>,
  source = 'process.exit(1)',
  count = 2,
): Promise<void> =>
  inWorkspace(
    { 'company.yaml': companyYaml('ledger: [{ files: "gl/*.parquet" }]'), 'chart.csv': CHART },
    async (workspace) => {
      const folder = datasetFolder(workspace, COMPANY)
      await writeParquet(join(folder, 'gl/a.parquet'), rows('A', count))
      await writeParquet(join(folder, 'gl/b.parquet'), rows('B', count))
      for (const name of ['a', 'b'])
        copyFileSync(join(folder, `gl/${name}.parquet`), join(workspace.root, `${name}.parquet`))
      const program = join(workspace.root, 'engine.mjs')
      writeFileSync(program, source)
      const bucket = await moveToBucket(workspace, COMPANY, store)
      const command = [process.execPath, program]
      const opened = useBucket(workspace, COMPANY, bucket, { command, endpoint: store.endpoint })
      const run = (...args: string[]) => tieout(args, { cwd: workspace.root, env: store.env })
      await work({ workspace: opened, bucket, run })
    },
  )

/** Refused with this message, and nothing is left. */
async function refused({ workspace, run }: Case, message: RegExp): Promise<string> {
  const { code, out, err } = await run('build', COMPANY)
  const said = (out + err).replace(/\s+/g, ' ')
  assert.is(code, 3, said)
  assert.match(said, message, said)
  assert.equal(leftBy(workspace), [], 'the scratch folder is empty')
  assert.not.ok(existsSync(join(workspace.snapshots, COMPANY, 'current.json')), 'nothing was published')
  return said
}

/** Answers as S3 does, with this status and code. */
const answers =
  (status: number, code: string, which: (path: string) => boolean = () => true): Fault =>
  (asked, response) => {
    if (!which(asked.url ?? '')) return false
    asked.resume()
    response.writeHead(status, { 'content-type': 'application/xml' })
    response.end(`<Error><Code>${code}</Code><Message>said by the test</Message></Error>`)
    return true
  }

table.needs(missing)
table.before(async () => {
  store = await startStore()
})
table.after(() => store.stop())
table.after.each(() => store.fail(null))

table(
  'the engine is asked with the addresses, and neither its arguments, its statements nor its log hold a credential',
  () =>
    withTable(
      async (made) => {
        const { workspace, bucket } = made
        await refused(made, /the job of the engine ended with exit code 1: java.io.IOException: stop/)
        const asked = readFileSync(join(workspace.root, 'asked.txt'), 'utf8')
        assert.match(asked, `parquet.\`s3a://${bucket}/gl\`\n`)
        assert.match(asked, '-f')
        const log = readFileSync(join(workspace.state, 'engine', `${COMPANY}.log`), 'utf8')
        assert.match(log, 'secret …')
        for (const [name, secret] of Object.entries(store.env))
          if (/KEY/.test(name) && secret !== 'tests')
            for (const text of [asked, log]) assert.not.match(text, secret)
      },
      `import { readFileSync, writeFileSync } from 'node:fs'
    const args = process.argv.slice(2)
    writeFileSync('asked.txt', args.join(' ') + readFileSync(args.at(-1), 'utf8'))
    console.log('secret ' + process.env.AWS_SECRET_ACCESS_KEY)
    console.log('java.io.IOException: stop')
    process.exit(1)`,
    ),
)

table('only the ends of files are read here, and the build says how much', () =>
  withTable(
    async (made) => {
      const ranges: string[] = []
      store.fail(({ method, url, headers }) => {
        if (method === 'GET' && url?.includes('.parquet')) ranges.push(String(headers.range))
        return false
      })
      const { workspace, run } = made
      const { out } = await run('build', COMPANY, '--json')
      assert.equal(ranges, ['bytes=-65536', 'bytes=-65536'])
      const { tables } = (JSON.parse(out) as { companies: [{ tables: Record<string, number> }] }).companies[0]
      assert.is(tables.objects, 2)
      assert.ok(tables.bytes! > 1_000_000 && tables.read! <= 2 * 65_536, JSON.stringify(tables))
      assert.match(
        (await run('build', COMPANY)).out,
        /acme: 2 objects of \d\.\d MB in a bucket, of which 131.1 KB were read here/,
      )
      assert.equal(leftBy(workspace), [])
    },
    undefined,
    200_000,
  ),
)

table('an object that is replaced while the job runs, one that comes and one that goes', () =>
  withTable(
    async (made) => {
      const said = await refused(
        made,
        /error s3a:\/\/books-\d+\/gl\/a.parquet was replaced \(ETag \w+ before, \w+ now\) while the table was read/,
      )
      assert.match(said, /gl\/b.parquet was removed while the table was read/)
      assert.match(said, /gl\/new.parquet was added while the table was read/)
    },
    // The job fails besides, as it may for that reason.
    `const at = process.env.AWS_ENDPOINT_URL + '/' + /s3a:..([^/]+)/.exec((await import('node:fs')).readFileSync(process.argv.at(-1), 'utf8'))[1]
    const headers = { authorization: 'AWS tests:x' }
    await fetch(at + '/gl/a.parquet', { method: 'PUT', body: 'another', headers })
    await fetch(at + '/gl/new.parquet', { method: 'PUT', body: 'another', headers })
    await fetch(at + '/gl/b.parquet', { method: 'DELETE', headers })
    process.exit(1)`,
  ),
)

table('a bucket that does not answer, refuses, or knows no such key', () =>
  withTable(async (made) => {
    for (const [fault, message] of [
      [
        answers(403, 'AccessDenied'),
        /its rules do not allow this; the credentials need s3:GetObject and s3:ListBucket \[table-unreachable\]/,
      ],
      [answers(403, 'AccessDenied', (path) => path.includes('.parquet')), /its rules do not allow this/],
      [answers(403, 'InvalidAccessKeyId'), /it does not know the access key; set AWS_ACCESS_KEY_ID/],
      [answers(403, 'SignatureDoesNotMatch'), /it refuses the secret key; set AWS_SECRET_ACCESS_KEY/],
      [answers(404, 'NoSuchBucket'), /there is no bucket of this name/],
    ] as const) {
      store.fail(fault)
      await refused(made, message)
    }
    store.fail(null)
    const settings = join(made.workspace.root, 'tieout.yaml')
    writeFileSync(settings, readFileSync(settings, 'utf8').replace(store.endpoint, 'http://127.0.0.1:1'))
    await refused(made, /nothing listens there; correct the endpoint, or start the store/)
  }),
)

table('a store that goes away during the job', () =>
  withTable(async (made) => {
    let asked = 0
    // A list and two footers; then the job runs.
    store.fail((request, response) => ++asked > 3 && answers(403, 'AccessDenied')(request, response))
    await refused(made, /nobody can say whether it stayed as it was: the bucket .* cannot be used/)
  }),
)

table('an empty prefix, a file that is no Parquet, a hidden one, and the same file twice', () =>
  withTable(async (made) => {
    const { workspace, bucket } = made
    const companyPath = join(datasetFolder(workspace, COMPANY), 'company.yaml')
    const yaml = readFileSync(companyPath, 'utf8')
    const named = (pattern: string) => writeFileSync(companyPath, yaml.replace('gl/*.parquet', pattern))
    named('ledger/*.parquet')
    await refused(made, /there is no object "s3a:\/\/books-\d+\/ledger\/\*\.parquet"/)
    await put(store, bucket, 'gl/text.csv', Buffer.from('transaction_id,date\\n'.repeat(10)))
    named('gl/*')
    await refused(made, /text.csv is a Parquet file that was cut off: its footer is missing/)
    await put(store, bucket, 'gl/_temporary/x.parquet', readFileSync(join(workspace.root, 'a.parquet')))
    named('gl/**/*.parquet')
    await refused(made, /_temporary\/x.parquet is passed over by engines of Hadoop/)
    await put(store, bucket, 'gl/copy.parquet', readFileSync(join(workspace.root, 'a.parquet')))
    named('gl/*.parquet')
    await refused(made, /gl\/copy.parquet is s3a:\/\/books-\d+\/gl\/a.parquet under another name/)
  }),
)

table('an address needs an engine, and must be one', () =>
  withTable(async (made) => {
    const companyPath = join(datasetFolder(made.workspace, COMPANY), 'company.yaml')
    const yaml = readFileSync(companyPath, 'utf8')
    writeFileSync(companyPath, yaml.replace('engine: spark', ''))
    await refused(made, /must be spark: only an engine on a cluster reads a table in a bucket/)
    writeFileSync(companyPath, yaml.replace(/s3a:\S+/, 's3a://UPPER/x/*.parquet'))
    await refused(made, /must be the address of a bucket with a pattern of Parquet files/)
  }),
)

table(
  '"tieout add --table --engine" writes the entry; without an engine, or with half an address, nothing',
  () =>
    withTable(async ({ workspace, bucket }) => {
      const chart = join(workspace.root, 'chart.csv')
      writeFileSync(chart, CHART)
      const stated = { currency: 'USD', fiscalMonthEnd: 12 }
      const add = (of: Parameters<typeof addCompany>[3]) =>
        addCompany(workspace, 'group', [chart], { stated, ...of })
      const address = `s3a://${bucket}/gl/*.parquet`
      for (const wrong of [{ table: address }, { table: 's3a://lake', engine: 'spark' as const }])
        assert.equal(
          (await add({ table: wrong })).findings.map(({ code }) => code),
          ['invalid-setting'],
        )
      assert.not.ok(existsSync(datasetFolder(workspace, 'group')))
      const asked = await add({ table: { table: address, engine: 'spark' } })
      assert.equal(asked.findings, [])
      assert.ok(asked.questions.some(({ column }) => column === 'ledger.0.basis'))
    }),
)

table('"tieout doctor" says whether the table can be listed, and whether the engine answers', () =>
  withTable(
    async ({ workspace, bucket, run }) => {
      const outcomes = async () => {
        const { code, out } = await run('doctor', '--json')
        const { checks } = JSON.parse(out) as {
          checks: Record<'part' | 'outcome' | 'found' | 'remedy', string>[]
        }
        return {
          code,
          checks: checks
            .filter(({ part }) => part !== 'machine')
            .map(({ part, outcome, found }) => [part, outcome, found]),
          all: out,
        }
      }
      assert.equal(await outcomes().then(({ code, checks }) => ({ code, checks })), {
        code: 0,
        checks: [
          ['table', 'holds', `s3a://${bucket}/gl/*.parquet, 2 objects`],
          ['engine', 'holds', 'it runs statements, and reads the tables'],
        ],
      })
      assert.equal(leftBy(workspace), [])
      writeFileSync(join(workspace.root, 'lacks'), '')
      store.fail(answers(403, 'AccessDenied'))
      const failing = await outcomes()
      assert.is(failing.code, 1)
      assert.equal(
        failing.checks.map(([part, outcome]) => [part, outcome]),
        [
          ['table', 'fails'],
          ['engine', 'fails'],
        ],
      )
      assert.match(failing.all, /the credentials need s3:GetObject and s3:ListBucket/)
      assert.match(failing.all, /give the cluster hadoop-aws/)
      assert.equal(readdirSync(join(workspace.state, 'engine')), ['doctor.log'])
    },
    `import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
    if (existsSync('lacks')) {
      console.log('java.lang.RuntimeException: java.lang.ClassNotFoundException: Class org.apache.hadoop.fs.s3a.S3AFileSystem not found')
      process.exit(1)
    }
    for (const [, folder] of readFileSync(process.argv.at(-1), 'utf8').matchAll(/DIRECTORY 'file:([^']+)'/g)) {
      mkdirSync(folder)
      writeFileSync(folder + '/part-0.parquet', '')
    }`,
  ),
)
