/**
 * Published books of a ledger that Spark read, beside those of DuckDB: each command that reads them says the same, and so does the server of
 * any range of days.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { present } from '../../builder/contract/present.ts'
import { companyFolder, openWorkspace } from '../../builder/workspace/workspace.ts'
import { writeCompany, writeWorkspace } from '../bench/ledger.ts'
import { begin, printed, tieout } from '../cli/command.ts'
import { suite } from '../suite.ts'
import { useDuckDb, useSpark } from '../support/engines.ts'
import { changeParquet, ledgersToParquet } from '../support/parquet.ts'
import { skipAll } from '../support/skipped.ts'
import { NO_SPARK, SPARK, startCluster, WITHOUT_CODE } from '../support/spark.ts'

const reading = suite('reading a snapshot that Spark made')

const ID = 'bench'
/** The workspaces whose ledger DuckDB and Spark read. */
const folder = mkdtempSync(join(tmpdir(), 'tieout-reading-'))
const roots = ['duckdb', 'spark'].map((engine) => join(folder, engine))

/** Publishes the same two ledgers in both workspaces; the second has other amounts in an entry of June. */
async function publishBoth(): Promise<void> {
  const [duckdb, spark] = roots as [string, string]
  writeWorkspace(duckdb)
  const size = { postings: 2000, classes: 4, departments: 2, months: 12, seed: 11, monthly: true }
  await writeCompany(duckdb, ID, size)
  await ledgersToParquet(openWorkspace(duckdb), ID)
  cpSync(duckdb, spark, { recursive: true })
  useDuckDb(openWorkspace(duckdb), ID)
  const cluster = await startCluster(WITHOUT_CODE)
  try {
    useSpark(openWorkspace(spark), ID, cluster.command)
    await done(['build', ID])
    for (const root of roots)
      await changeParquet(
        join(companyFolder(openWorkspace(root), ID), 'ledger/accrual/2025-06.parquet'),
        '* REPLACE (CASE WHEN transaction_id = min(transaction_id) OVER () THEN -amount ELSE amount END AS amount)',
      )
    await done(['build', ID])
  } finally {
    await cluster.close()
  }
}

/** What a command prints in each workspace. */
const done = (args: readonly string[]): Promise<string[]> =>
  Promise.all(
    roots.map(async (cwd) => {
      const { code, out, err } = await tieout(args, { cwd })
      assert.is(code, 0, `${args.join(' ')}: ${out}${err}`)
      return out
    }),
  )

/** What a command prints in both, without what names one build: the hash of its manifest. */
async function same(...args: readonly string[]): Promise<string> {
  const [duckdb, spark] = (await done(args)).map((out) => out.replaceAll(/"manifestSha256": "\w+"/g, ''))
  assert.is(spark, duckdb)
  return present(spark, 'output')
}

/** The id of the first account of a kind. */
const accountOf = (classification: string): string => {
  const chart = readFileSync(join(companyFolder(openWorkspace(roots[0]!), ID), 'chart.csv'), 'utf8')
  return present(
    chart
      .split('\n')
      .find((line) => line.includes(`,${classification},`))
      ?.split(',')[0],
    'account',
  )
}

if (SPARK === null) skipAll(NO_SPARK)
else {
  reading.before(publishBoth)
  reading.after(() => rmSync(folder, { recursive: true, force: true }))

  reading('explain: a movement, a balance and a total, with all lines', async () => {
    for (const account of [accountOf('Expense'), accountOf('Asset'), 'NetIncome', 'TotalAssets'])
      assert.match(await same('explain', ID, account, '2025-06', '--all', '--json'), /"addsUp": true/)
    assert.match(
      await same('explain', ID, accountOf('Asset'), '2025-06', '--csv'),
      /ledger\/accrual\/2025-06\.parquet/,
    )
  })

  reading('diff: the figures and the lines that changed', async () => {
    const { changes, lines } = JSON.parse(await same('diff', ID, '--json')) as Record<
      string,
      { date: string }[]
    >
    assert.ok(changes!.length > 0 && lines!.length > 0)
    assert.ok(lines!.every(({ date }) => date.startsWith('2025-06')))
  })

  reading('export: all postings, and the statements', async () => {
    for (const what of ['postings', 'statements']) {
      await done(['export', ID, '--what', what, '--to', `${what}.csv`])
      const [duckdb, spark] = roots.map((root) => readFileSync(join(root, `${what}.csv`), 'utf8'))
      assert.ok(duckdb!.length > 10_000)
      assert.is(spark, duckdb)
    }
  })

  reading('verify: every figure again', async () => {
    const found = await done(['verify', ID])
    for (const out of found) assert.match(out, /2 snapshots/)
  })

  reading('other ranges over HTTP', async () => {
    const ranges = ['StartDate=2025-03-10&EndDate=2025-07-19', 'StartDate=2025-06-05&EndDate=2025-06-25']
    const answers = await Promise.all(
      roots.map(async (cwd) => {
        const running = begin(['start', '--port', '0', '--json'], { cwd })
        try {
          const { address, curl } = JSON.parse(await printed(running, /\n}\n/)) as Record<
            'address' | 'curl',
            string
          >
          const headers = { authorization: present(/Bearer [^'"]+/.exec(curl)?.[0], 'token') }
          const texts = []
          for (const statement of ['profit-loss', 'balance-sheet', 'cash-flow-statement'])
            for (const range of ranges) {
              const answer = await fetch(
                `${address}/companies/${ID}/${statement}?${range}&AccountingBasis=ACCRUAL`,
                { headers },
              )
              assert.is(answer.status, 200)
              texts.push(await answer.text())
            }
          return texts
        } finally {
          running.kill('SIGTERM')
          await running
        }
      }),
    )
    assert.equal(answers[1], answers[0])
  })
}

reading.run()
