/** Shared by the chart, the classes and the departments: rows with unique ids, and a yes-or-no column. */

import { error, type Finding } from '../../workspace/finding.ts'
import type { Origin } from '../format/intake.ts'
import { textAt } from '../text/csv.ts'
import { cellPlace, type Table } from './table.ts'

const YES = ['', 'true', 'yes', 'y', '1', 'x']
const NO = ['false', 'no', 'n', '0']

/** Reads whether the row is active. An empty cell means yes: exports without the column list what is in use. */
export function readActive(
  table: Table,
  row: Table['rows'][number],
  column: number | undefined,
): { readonly isActive: boolean; readonly findings: readonly Finding[] } {
  const text = column === undefined ? '' : textAt(row.cells, column).toLowerCase()
  if (column === undefined || YES.includes(text)) return { isActive: true, findings: [] }
  if (NO.includes(text)) return { isActive: false, findings: [] }
  const finding = error('invalid-active', `"${text}" is neither yes nor no`, {
    ...cellPlace(table, row, column),
    remedy: 'write true or false, or leave it empty for true',
  })
  return { isActive: true, findings: [finding] }
}

/** Reports ids that stand twice, of which the first row counts, and ids that are reserved for computed rows. */
export function idFindings(
  rows: readonly (Origin & { readonly id: string })[],
  reserved: (id: string) => boolean,
): Finding[] {
  const first = new Map<string, Origin>()
  const findings: Finding[] = []
  for (const { id, file, row } of rows) {
    const place = { file, row, column: 'id', text: id }
    const before = first.get(id)
    if (reserved(id))
      findings.push(
        error('reserved-id', `the id "${id}" is kept for a row or a filter of our own`, {
          ...place,
          remedy: 'give it another id',
        }),
      )
    if (before === undefined) first.set(id, { file, row })
    else
      findings.push(
        error('duplicate-id', `the id "${id}" stands in row ${before.row} of ${before.file} already`, {
          ...place,
          remedy: 'remove one of the rows, or give each its own id',
        }),
      )
  }
  return findings
}
