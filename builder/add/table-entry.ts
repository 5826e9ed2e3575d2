/** A table of a lake as an entry of "ledger". */
import { join } from 'node:path'
import { folderValues } from '../ingest/parquet/folders.ts'
import { readFooter } from '../ingest/parquet/footer.ts'
import type { CompanyEdit } from '../workspace/company-edit.ts'
import type { LedgerEngineName } from '../workspace/engines.ts'
import { error, type Finding } from '../workspace/finding.ts'
import { findFiles } from '../workspace/source-files.ts'
import { isTableAddress, parseTableAddress, TABLE_FORM } from '../workspace/table-address.ts'
import { BLANK } from '../workspace/yaml-file.ts'
import { LEDGER_ABOUT } from './format.ts'

export interface TableEntry {
  readonly table: string
  readonly engine?: LedgerEngineName
}

/** Writes the entry. The basis is asked unless the first file states it; files in a bucket are not read here. */
export async function describeTable(edit: CompanyEdit, folder: string, table: TableEntry): Promise<void> {
  const [file] = isTableAddress(table.table) ? [] : (await findFiles(folder, table.table, 'ledger')).files
  const footer = file === undefined ? null : await readFooter(join(folder, file))
  const columns = footer === null || footer.problem !== null ? [] : footer.columns.map(({ name }) => name)
  const hasBasis = [...columns, ...folderValues(file ?? '').map(([name]) => name)].some((name) =>
    /^basis$/i.test(name),
  )
  const comment = hasBasis
    ? null
    : 'basis: accrual or cash; take it out where the files have a column of this name'
  edit.addToList('ledger', { ...table, ...(hasBasis ? {} : { basis: BLANK }) }, comment, LEDGER_ABOUT)
}

/** What stands against an entry for a table in a bucket. */
export function tableFindings({ table, engine }: TableEntry): Finding[] {
  if (!isTableAddress(table)) return []
  if (parseTableAddress(table) === null)
    return [error('invalid-setting', `"${table}" ${TABLE_FORM}`, { text: table, remedy: 'correct --table' })]
  return engine === undefined
    ? [
        error('invalid-setting', `"${table}" lies in a bucket, where only an engine on a cluster reads it`, {
          text: table,
          remedy: 'name the engine: --engine spark',
        }),
      ]
    : []
}
