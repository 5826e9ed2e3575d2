/** Parquet files for tests, written by DuckDB. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parse, stringify } from 'yaml'
import { currencyDecimals } from '../../builder/contract/currency.ts'
import { present } from '../../builder/contract/present.ts'
import { openDatabase, quoted } from '../../builder/database/database.ts'
import type { LedgerPlan } from '../../builder/ingest/format/intake.ts'
import { ingest } from '../../builder/ingest/ingest.ts'
import { datasetFolder, readCompany, type Workspace } from '../../builder/workspace/workspace.ts'

/** Writes the rows of `query` into a Parquet file; `options` are those of COPY, such as `COMPRESSION zstd`. */
export async function writeParquet(path: string, query: string, options = ''): Promise<void> {
  mkdirSync(dirname(path), { recursive: true })
  const db = await openDatabase({ folders: null })
  try {
    await db.run(`COPY (${query}) TO ${quoted(path)} (FORMAT parquet${options === '' ? '' : `, ${options}`})`)
  } finally {
    db.close()
  }
}

/**
 * Writes the CSV ledgers of a company as Parquet with the canonical columns and their types, takes the CSV away, and lets
 * company.yaml name the new files. Returns how many files were written.
 */
export async function ledgersToParquet(workspace: Workspace, id: string): Promise<number> {
  const company = present(readCompany(workspace, id).value, 'company')
  const folder = datasetFolder(workspace, id)
  const intake = await ingest(company, folder)
  let files = 0
  try {
    for (const input of intake.ledger)
      if (input.kind === 'csv') {
        await writeParquet(join(folder, parquetName(input.file)), canonicalRows(input, company.currency))
        rmSync(join(folder, input.file))
        files++
      }
  } finally {
    await intake.dispose()
  }
  const path = join(folder, 'company.yaml')
  const settings = parse(readFileSync(path, 'utf8')) as Settings
  settings.ledger = settings.ledger.map(({ files, basis }) => ({
    files: parquetName(files),
    ...(basis === undefined ? {} : { basis }),
  }))
  const { opening } = settings
  if (typeof opening === 'object' && opening.files) opening.files = opening.files.map(parquetName)
  writeFileSync(path, stringify(settings))
  return files
}

interface Settings {
  ledger: { files: string; basis?: string }[]
  opening?: 'none' | { files?: string[] }
}

const parquetName = (file: string): string => file.replace(/\.csv$/, '.parquet')

/** The rows of a CSV ledger with the canonical columns: days, decimals of the currency, and texts. */
function canonicalRows(plan: LedgerPlan, currency: string): string {
  const decimals = currencyDecimals(currency)
  const value = (header: string) => `nullif(trim(c${plan.header.indexOf(header)}), '')`
  const typed: Record<string, (text: string) => string> = {
    date: (text) => `strptime(${text}, ${quoted(strptimeOf(plan.dateFormat))})::DATE`,
  }
  for (const amount of ['debit', 'credit', 'amount'])
    typed[amount] = (text) =>
      `replace(replace(${text}, ${quoted(plan.thousands || ' ')}, ''), ${quoted(plan.decimal)}, '.')::DECIMAL(18, ${decimals})`
  const columns = Object.entries(plan.columns).map(
    ([column, header]) => `${(typed[column] ?? String)(value(header))} AS ${column}`,
  )
  const texts = plan.header.map((_, i) => `'c${i}': 'VARCHAR'`).join(', ')
  return `SELECT ${columns.join(', ')} FROM read_csv(${quoted(plan.path)}, auto_detect = false, header = false, skip = 1,
    columns = {${texts}}, delim = ${quoted(plan.delimiter)}, quote = '"', escape = '"')`
}

const strptimeOf = (format: string): string =>
  format.replace(/YYYY|MM|DD/g, (token) => ({ YYYY: '%Y', MM: '%m', DD: '%d' })[token] ?? token)
