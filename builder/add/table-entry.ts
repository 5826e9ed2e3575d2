/** Checks a table of a lake that is to be an entry of "ledger". */
import type { LedgerEngineName } from '../workspace/engines.ts'
import { error, type Finding } from '../workspace/finding.ts'
import { isTableAddress, parseTableAddress, TABLE_FORM } from '../workspace/table-address.ts'
import type { StatedSettings } from './stated.ts'

export interface TableEntry {
  readonly table: string
  readonly engine?: LedgerEngineName
}

/** The entry. Its files are not read here, so that a basis counts where one is stated, whatever they say. */
export const tableEntry = (
  table: TableEntry,
  { basis }: Pick<StatedSettings, 'basis'>,
): { readonly [key: string]: string } => ({ ...table, ...(basis === undefined ? {} : { basis }) })

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
