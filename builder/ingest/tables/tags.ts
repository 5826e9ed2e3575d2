/** Reads the class and the department of a row of a spreadsheet. */
import { error, type Finding } from '../../workspace/finding.ts'
import { type Keys, resolve } from '../format/keys.ts'
import { type TextRow, textAt } from '../text/csv.ts'
import { cellPlace, type Table } from './table.ts'

export interface Dimensions {
  readonly classes: Keys
  readonly departments: Keys
}

export interface Tags {
  readonly class: string | null
  readonly department: string | null
}

/** Ids of the members that the row names; null, with findings, where one of them does not exist. */
export function readTags(
  table: Table,
  row: TextRow,
  at: { readonly class?: number | undefined; readonly department?: number | undefined },
  dimensions: Dimensions,
): { readonly tags: Tags | null; readonly findings: readonly Finding[] } {
  const findings: Finding[] = []
  const read = (kind: 'class' | 'department', keys: Keys): string | null => {
    const column = at[kind]
    if (column === undefined || row.cells[column] === '') return null
    const found = resolve(keys, textAt(row.cells, column))
    if (found.problem === undefined) return found.id
    const place = cellPlace(table, row, column)
    findings.push(
      found.problem === 'unknown'
        ? error(`unknown-${kind}`, `there is no ${kind} "${place.text}"`, {
            ...place,
            remedy: `write the id of a ${kind}, or leave it empty for none`,
          })
        : error(`ambiguous-${kind}`, `"${place.text}" means more than one ${kind}`, {
            ...place,
            remedy: 'write the id of the one that is meant',
          }),
    )
    return null
  }
  const tags = {
    class: read('class', dimensions.classes),
    department: read('department', dimensions.departments),
  }
  return { tags: findings.length > 0 ? null : tags, findings }
}
