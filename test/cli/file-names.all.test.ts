/**
 * Names of files and folders mean nothing: every command gives the figures of a plain folder where names hold what DuckDB takes for
 * patterns or for columns, and where the files that such a pattern would meet lie beside.
 */
import { readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { openDatabase } from '../../builder/database/database.ts'
import { suite } from '../suite.ts'
import { writeParquet } from '../support/parquet.ts'
import { missing, startStore } from '../support/s3.ts'
import { CHART, companyYaml, type Files, ledgerCsv, writeFiles } from '../support/workspace.ts'
import { begin, inFolder, printed, tieout } from './command.ts'

const names = suite('names of files and folders')

/** A folder whose name is a pattern, a column of the books or of a ledger, or unusual in SQL or a shell. */
const ODD = [
  ...[
    'x[1]',
    'a?b',
    '**',
    'y[!a]',
    'amount=5',
    'date=2020-01-01',
    'row=7',
    'memo=other',
    'account=1',
    'basis=cash',
  ],
  ...[
    'file=none',
    'c3=777',
    'class=east',
    'file_row_number=9',
    `it's "q"; DROP TABLE posting; --`,
    'ünï ©',
    '%41',
    '~',
    '{u,v}',
  ],
]
/** The folder that all of these patterns meet. */
const DECOY = ODD.map((name) => ({ 'x[1]': 'x1', 'a?b': 'aXb', '**': 'any', 'y[!a]': 'yb' })[name] ?? name)

const ledger = (sale: string): string =>
  ledgerCsv(`1 2025-01-01 bank 1000.00; 1 2025-01-01 capital -1000.00
     2 2025-02-10 bank ${sale}; 2 2025-02-10 sales -${sale}
     3 2025-02-20 rent 40.00 east; 3 2025-02-20 bank -40.00 east`)

/** Each ledger of a pattern's name lies beside one that the pattern meets. */
const FILES: Files = {
  'company.yaml': companyYaml(`classes: classes.csv
ledger: [{ files: "ledger\\\\[1\\\\].csv" }, { files: "lake[[]1]/*=1/*.parquet" }]`),
  'chart.csv': CHART,
  'classes.csv': 'id,name\neast,East\n',
  'ledger[1].csv': ledger('250.00'),
  'ledger1.csv': ledger('999.00'),
}

/** Rows of Parquet with columns of the names that the program gives to places of rows. */
const sale = (id: string, amount: string, more = ''): string =>
  `SELECT ${more}5 AS row, 6 AS "file", 7 AS filename, '${id}' AS transaction_id, DATE '2025-02-11' AS date, account, amount::DECIMAL(18, 2) AS amount
   FROM (VALUES ('bank', ${amount}), ('sales', -${amount})) line(account, amount)`

async function writeCompany(root: string, amount: string): Promise<void> {
  writeFiles(root, { 'tieout.yaml': 'datasets: datasets\nsnapshots: snapshots\nkeepInputs: true\n' })
  const company = join(root, 'datasets/acme')
  writeFiles(company, { ...FILES, 'ledger[1].csv': ledger(amount) })
  await writeParquet(
    join(company, 'lake[1]/amount=1/p[1].parquet'),
    sale('L', '3.00', '9 AS file_row_number, '),
  )
  await writeParquet(join(company, 'lake[1]/amount=1/p.parquet'), sale('M', '4.00'))
  await writeParquet(join(company, 'lake1/amount=1/p1.parquet'), sale('L', '777.00'))
}

type Said = Record<string, string>

/** Everything that the command says of the figures, in the workspace at `root`. */
async function said(root: string, to: string): Promise<Said> {
  const all: Record<string, string> = {}
  const run = async (...args: readonly string[]) => {
    const { code, out, err } = await tieout(args, { cwd: root })
    assert.is(code, 0, `${args.join(' ')}: ${out}${err}`)
    return out
  }
  const keep = async (...args: readonly string[]) => {
    all[args.join(' ')] = await run(...args)
  }
  await keep('check', 'acme')
  await run('build', 'acme')
  await keep('show', 'acme', '--cents')
  await keep('trial-balance', 'acme', '--csv')
  await keep('explain', 'acme', 'bank', '2025-02', '--csv')
  await keep('explain', 'acme', 'sales', '2025-02', '--source', '--all')
  for (const format of ['csv', 'parquet']) {
    const file = join(to, `out[1].${format}`)
    await run('export', 'acme', '--what', 'postings', '--to', file)
    all[file.slice(to.length)] = format === 'csv' ? readFileSync(file, 'utf8') : await rowsOf(file)
  }
  await run('verify', 'acme', '--sources')
  await run('archive', 'acme', '--to', join(to, 'bag[1]'))
  await run('verify', join(to, 'bag[1]'))
  writeFiles(join(root, 'datasets/acme'), { 'ledger[1].csv': ledger('260.00') })
  await run('build', 'acme')
  await keep('diff', 'acme', '--csv')
  await keep('diff', 'acme', '--lines', '--csv')
  all.served = await served(root)
  return all
}

async function rowsOf(file: string): Promise<string> {
  const db = await openDatabase({ folders: null })
  try {
    const copy = join(file, '../copy.parquet')
    symlinkSync(file, copy)
    const from = `read_parquet('${copy.replaceAll("'", "''").replace(/[[*?]/g, '[$&]')}', hive_partitioning = false)`
    return JSON.stringify(await db.rows(`SELECT COLUMNS(*)::VARCHAR FROM ${from}`), null, 1)
  } finally {
    db.close()
  }
}

/** A month, and a range that the child process computes from the books. */
async function served(root: string): Promise<string> {
  const running = begin(['start', '--port', '0', '--json'], { cwd: root })
  try {
    const { address, curl } = JSON.parse(await printed(running, /\n}\n/)) as { address: string; curl: string }
    const headers = { authorization: /Authorization: (Bearer [^']+)/.exec(curl)![1]! }
    const answers = ['2025-02-01&EndDate=2025-02-28', '2025-02-09&EndDate=2025-02-15'].map(async (range) => {
      const path = `/companies/acme/profit-loss?StartDate=${range}&AccountingBasis=ACCRUAL`
      const answer = await fetch(address + path, { headers })
      assert.is(answer.status, 200)
      return `${answer.headers.get('tie-out')?.split(';')[0]} ${await answer.text()}`
    })
    return (await Promise.all(answers)).join('\n')
  } finally {
    running.kill('SIGKILL')
    await running
  }
}

/** Without what is different in each workspace: paths, and what is made of times, seconds, random numbers and settings. */
const alike = (text: string, root: string): string =>
  text
    .replaceAll(root, '')
    .replace(/ +\d+\.\d$/gm, '')
    .replaceAll(/"(?:SnapshotId|BuiltAt|IssuedAt|RequestId)":"[^"]*"/g, '')

names('every command gives the figures of a plain folder', () =>
  inFolder(async (top) => {
    const [plain, odd, decoy] = [join(top, 'plain'), join(top, ...ODD), join(top, ...DECOY)]
    await writeCompany(plain, '250.00')
    await writeCompany(odd, '250.00')
    await writeCompany(decoy, '999.00')
    assert.is((await tieout(['build', 'acme'], { cwd: decoy })).code, 0)
    const [expected, found] = (await Promise.all([said(plain, plain), said(odd, odd)])) as [Said, Said]
    for (const [command, text] of Object.entries(expected))
      assert.is(alike(found[command]!, odd), alike(text, plain), command)
    assert.match(expected['show acme --cents']!, /Net income +217\.00/)
    assert.match(expected.served!, /"NetIncome","Values":\[227\.00\]/)
    assert.match(expected.served!, /"NetIncome","Values":\[267\.00\]/)
    assert.match(expected['explain acme bank 2025-02 --csv']!, /ledger\[1\]\.csv,4/)
    assert.match(expected['explain acme bank 2025-02 --csv']!, /lake\[1\]\/amount=1\/p\[1\]\.parquet,1/)
  }),
)

const inBucket = missing === null ? names : names.skip
inBucket('and so where snapshots are published in a bucket', async () => {
  const store = await startStore()
  try {
    await inFolder(async (top) => {
      const [odd, decoy] = [join(top, ...ODD), join(top, ...DECOY)]
      const place = `${await store.bucket()}/books`
      const run = async (root: string, ...args: readonly string[]) => {
        const { code, out, err } = await tieout(args, { cwd: root, env: store.env })
        assert.is(code, 0, `${args.join(' ')}: ${out}${err}`)
        return out
      }
      await writeCompany(decoy, '999.00')
      await writeCompany(odd, '250.00')
      writeFiles(odd, {
        'tieout.yaml': `snapshots: { bucket: "s3://${place}", endpoint: "${store.endpoint}" }\n`,
      })
      await run(odd, 'build', 'acme')
      rmSync(join(odd, '.tieout/bucket'), { recursive: true })
      assert.match(await run(odd, 'show', 'acme', '--cents'), /Net income +217\.00/)
      assert.match(await run(odd, 'trial-balance', 'acme', '--csv'), /sales,.*257\.00/)
      await run(odd, 'verify', 'acme')
    })
  } finally {
    await store.stop()
  }
})
