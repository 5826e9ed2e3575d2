/** Checks a table of a lake that is to be an entry of "ledger". */
import type { LedgerEngineName } from '../workspace/engines.ts'
import { error, type Finding } from '../workspace/finding.ts'
import { isTableAddress, parseTableAddress, TABLE_FORM } from '../workspace/table-address.ts'

export interface TableEntry {
  readonly table: string
  readonly engine?: LedgerEngineName
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
