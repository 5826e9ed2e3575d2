/**
 * `npm run bench -- lake [--large] [--huge]`: a ledger of Parquet files, built as a process: a million postings beside the same
 * as CSV, and with `--large` ten million, with `--huge` a hundred million, which take 19 GB of disk. Where
 * there is Spark, a cluster of two workers with one core each reads the same right after DuckDB.
 */
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase, quoted } from '../../builder/books/database.ts'
import { SPARK, startCluster } from '../support/spark.ts'
import { inFolder } from './build.ts'
import { MEASURED, writeCompany, writeWorkspace } from './ledger.ts'
import { tieout } from './processes.ts'
import type { Result } from './results.ts'

const GB = 1024 ** 3
/** Each entry has as many lines. */
const LINES = 4
const YEARS = [2021, 2022, 2023, 2024, 2025] as const

export async function lake({
  large,
  huge,
}: {
  readonly large: boolean
  readonly huge: boolean
}): Promise<Result[]> {
  const results: Result[] = []
  for (const [name, postings, target] of [
    ['1M', 1_000_000, null],
    ...(large ? ([['10M', 10_000_000, null]] as const) : []),
    ...(huge ? ([['100M', 100_000_000, '≤ 6']] as const) : []),
  ] as const) {
    results.push(...(await measured(name, postings, target)))
    if (SPARK !== null) results.push(...(await bySpark(name, postings)))
  }
  return results
}

/** The build by a cluster of this machine, with its stages and shuffled bytes as Spark's event log has them. */
const bySpark = (name: string, postings: number): Promise<Result[]> =>
  inFolder(async (folder) => {
    const events = join(folder, 'events')
    mkdirSync(events)
    const cluster = await startCluster({
      'spark.executor.memory': '3g',
      'spark.driver.memory': '1g',
      'spark.sql.shuffle.partitions': String(Math.max(4, Math.ceil(postings / 500_000))),
      'spark.eventLog.enabled': 'true',
      'spark.eventLog.dir': `file:${events}`,
    })
    try {
      writeWorkspace(folder)
      await writeLake(folder, 'bench', postings)
      const path = join(folder, 'datasets', 'bench', 'company.yaml')
      writeFileSync(
        path,
        readFileSync(path, 'utf8').replace(
          '{ files: "lake/*.parquet"',
          '{ table: "lake/*.parquet", engine: spark',
        ),
      )
      appendFileSync(join(folder, 'tieout.yaml'), `engine: { command: ${JSON.stringify(cluster.command)} }\n`)
      const { wall } = await tieout(folder, 'build', 'bench')
      const { stages, seconds, shuffled } = stagesIn(events)
      process.stderr.write(
        `${name} by Spark: ${wall.toFixed(1)} s; ${stages} stages, ${seconds.toFixed(1)} s of executors\n`,
      )
      const row = (what: string, value: number, unit: string): Result => ({
        ...{ part: 'lake', name: `${name} postings by Spark${what}`, value, unit, target: null },
      })
      return [
        row('', wall, 's'),
        row(', time of all tasks', seconds, 's'),
        row(', stages', stages, ''),
        row(', shuffled', shuffled / 1e6, 'MB'),
      ]
    } finally {
      await cluster.close()
    }
  })

interface StageEvent {
  readonly Event: string
  readonly 'Stage Info'?: {
    readonly Accumulables: readonly { readonly Name?: string; readonly Value: unknown }[]
  }
}

/** What all stages of an event log took together. */
function stagesIn(folder: string) {
  const lines = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.') && !entry.name.startsWith('appstatus'))
    .flatMap((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8').split('\n'))
  const stages = lines
    .filter((line) => line.includes('"SparkListenerStageCompleted"'))
    .map((line) => (JSON.parse(line) as StageEvent)['Stage Info']?.Accumulables ?? [])
  const sum = (name: string): number =>
    stages.flat().reduce((total, each) => (each.Name === name ? total + Number(each.Value) : total), 0)
  return {
    stages: stages.length,
    seconds: sum('internal.metrics.executorRunTime') / 1000,
    shuffled: sum('internal.metrics.shuffle.write.bytesWritten'),
  }
}

const measured = (name: string, postings: number, target: string | null): Promise<Result[]> =>
  inFolder(async (folder) => {
    writeWorkspace(folder)
    await writeLake(folder, 'bench', postings)
    const { wall, cpu, peak } = await tieout(folder, 'build', 'bench')
    rmSync(join(folder, 'datasets'), { recursive: true })
    process.stderr.write(`${name}: ${wall.toFixed(1)} s, ${(peak / GB).toFixed(2)} GB\n`)
    return [
      { part: 'lake', name: `${name} postings in Parquet`, value: wall, unit: 's', target: null },
      {
        part: 'lake',
        name: `${name} postings in Parquet, processor time`,
        value: cpu,
        unit: 's',
        target: null,
      },
      {
        part: 'lake',
        name: `${name} postings in Parquet, peak memory`,
        value: peak / GB,
        unit: 'GB',
        target,
      },
    ]
  })

/** Writes the company of the other benchmarks with its ledger as one Parquet file for each year. */
export async function writeLake(folder: string, id: string, postings: number): Promise<void> {
  await writeCompany(folder, id, { ...MEASURED, postings: 2 })
  const company = join(folder, 'datasets', id)
  const settings = readFileSync(join(company, 'company.yaml'), 'utf8')
  writeFileSync(
    join(company, 'company.yaml'),
    `${settings.replace(/^ {2}- .*\n/gm, '')}  - { files: "lake/*.parquet", basis: accrual }\nopening: none\n`,
  )
  rmSync(join(company, 'ledger'), { recursive: true })
  mkdirSync(join(company, 'lake'))
  const accounts = readFileSync(join(company, 'chart.csv'), 'utf8')
    .split('\n')
    .slice(1)
    .filter((row) => row !== '')
  const db = await openDatabase({ memoryLimit: '2GB', folders: null })
  try {
    for (const year of YEARS)
      await db.run(
        `COPY (${entriesOf(year, postings / LINES / YEARS.length, accounts.length)}) TO ${quoted(join(company, 'lake', `${year}.parquet`))} (FORMAT parquet, COMPRESSION zstd)`,
      )
  } finally {
    db.close()
  }
}

/** Entries of one year in the order of their days. Three lines have amounts by chance, and the last one balances them. */
const entriesOf = (year: number, entries: number, accounts: number): string => {
  const chance = (what: string, below: number) => `(hash(i, n, '${what}') % ${below})::BIGINT`
  const amount = (n: number) => `((hash(i, ${n}) % 2000000)::BIGINT - 1000000)`
  return `
    SELECT '${year}-' || i AS transaction_id, DATE '${year}-01-01' + (i * 365 // ${entries})::INTEGER AS date,
      (1000 + 10 * ${chance('account', accounts)})::VARCHAR AS account,
      ((CASE n WHEN 1 THEN ${amount(1)} WHEN 2 THEN ${amount(2)} WHEN 3 THEN ${amount(3)} ELSE -(${amount(1)} + ${amount(2)} + ${amount(3)}) END)
        * 0.01::DECIMAL(3, 2))::DECIMAL(18, 2) AS amount,
      'C' || (1 + ${chance('class', MEASURED.classes)}) AS class, 'D' || (1 + ${chance('department', MEASURED.departments)}) AS department,
      'entry ' || i AS memo, '${year}-' || i || '-' || n AS line_id
    FROM range(${entries}) e(i), range(1, ${LINES + 1}) l(n)`
}
