/**
 * Finds the header of a table. Reports begin with the name of the company, the period and a blank row: the header
 * is the first row that names every column which a table of its kind needs.
 */

import { statedOf } from '../format/keys.ts'
import { LEDGER_COLUMNS } from '../format/ledger-columns.ts'
import { type Delimiter, delimitersFor, firstRecords, TITLE_ROWS } from '../text/csv.ts'
import { isPeriodHeading } from '../text/months.ts'
import { withoutScale } from '../text/scale.ts'

/** All columns of a table of each kind. */
export const COLUMNS = {
  chart: ['id', 'number', 'name', 'classification', 'type', 'parent', 'cash_flow', 'is_active'],
  classes: ['id', 'name', 'parent', 'is_active'],
  departments: ['id', 'name', 'parent', 'is_active'],
  ledger: LEDGER_COLUMNS,
  budget: ['account', 'class', 'department', 'month', 'date', 'amount'],
  metrics: ['metric', 'date', 'month', 'value', 'class', 'department', 'budget'],
  mapping: ['account', 'group_account'],
  departmentMapping: ['department', 'group_department'],
  rates: ['currency', 'month', 'average', 'closing', 'budget'],
  historical: ['member', 'date', 'account', 'rate'],
  intercompany: ['member', 'account', 'with_member', 'with_account'],
} as const

/** The columns that a table of each kind must have. */
export const REQUIRED = {
  chart: ['id', 'name', 'classification'],
  classes: ['id', 'name'],
  departments: ['id', 'name'],
  ledger: ['transaction_id', 'date', 'account'],
  budget: ['account'],
  metrics: ['metric'],
  mapping: ['account', 'group_account'],
  departmentMapping: ['department', 'group_department'],
  rates: ['currency', 'month', 'average', 'closing'],
  historical: ['member', 'date', 'account', 'rate'],
  intercompany: ['member', 'account', 'with_member', 'with_account'],
} as const
export type TableKind = keyof typeof REQUIRED

/** The role of a table among the sources: maps have one. */
export const roleOf = (kind: TableKind) => (kind === 'departmentMapping' ? 'mapping' : kind)

/** Canonical column → header in the file. */
export type ColumnMap = { readonly [column: string]: string }

/** `Cash Flow`, `cash-flow` and `cash_flow` are the same header. */
const plain = (header: string): string =>
  header
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_')

/** Positions of a header: compared exactly, else without regard to capitals and spacing. */
export function positionsOf(header: readonly string[], wanted: string): number[] {
  const where = (is: (cell: string) => boolean) => header.flatMap((cell, i) => (is(cell) ? [i] : []))
  const exact = where((cell) => cell.trim() === wanted.trim())
  return exact.length > 0 ? exact : where((cell) => plain(cell) === plain(wanted))
}

/** The column of a value, or several columns that are joined by a dash. */
export interface MappedValue {
  readonly at: readonly number[]
  readonly isReversed: boolean
}

export const JOIN = ' + '

/**
 * `Amount`, `-Amount`, `Type + No.`; a header of exactly this name is preferred. Null where the header lacks a
 * column.
 */
export function mappedValue(header: readonly string[], text: string): MappedValue | null {
  const one = (name: string) => positionsOf(header, name)[0]
  const own = one(text)
  if (own !== undefined) return { at: [own], isReversed: false }
  if (text.startsWith('-')) {
    const reversed = one(text.slice(1).trim())
    return reversed === undefined ? null : { at: [reversed], isReversed: true }
  }
  const parts = text.split(JOIN).map((part) => one(part))
  return parts.length > 1 && parts.every((part) => part !== undefined)
    ? { at: parts as number[], isReversed: false }
    : null
}

/** The header in the file for a canonical column. */
export const headerFor = (column: string, map: ColumnMap): string => statedOf(map, column) ?? column

/** Index of the header among the first rows; null where none of them is one. */
export function headerAt(
  rows: readonly (readonly string[])[],
  kind: TableKind,
  map: ColumnMap = {},
): number | null {
  const first = rows.slice(0, TITLE_ROWS + 1)
  const naming = (texts: readonly string[]) =>
    first.findIndex((cells) => texts.every((text) => mappedValue(cells, text) !== null))
  const at = naming(REQUIRED[kind].map((column) => headerFor(column, map)))
  if (at !== -1) return at
  if (kind === 'metrics') return headerOfDays(rows, map)
  const mapped = Object.values(map)
  const others = kind === 'budget' ? first.findIndex(namesMonths) : mapped.length > 0 ? naming(mapped) : -1
  return others === -1 ? null : others
}

/** The header of a sheet of metrics with a row for each day and a column for each metric. */
function headerOfDays(rows: readonly (readonly string[])[], map: ColumnMap): number | null {
  const at = rows
    .slice(0, TITLE_ROWS + 1)
    .findIndex((cells) =>
      ['date', 'month'].some((column) => positionsOf(cells, headerFor(column, map)).length > 0),
    )
  return at === -1 ? null : at
}

/** Whether a budget's header names months; the rows are then named by a column left of them. */
export const namesMonths = (cells: readonly string[]): boolean =>
  cells.filter((cell) => {
    const text = withoutScale(cell)
    return /\D/.test(text) && isPeriodHeading(text)
  }).length > 1

interface Located {
  readonly delimiter: Delimiter
  /** The number of rows above the header. */
  readonly title: number
  /** Where the header begins, in bytes of the text as UTF-8. */
  readonly start: number
}

/** Bytes of text in which the title and the header are looked for. */
const HEAD = 1 << 20

/**
 * Finds the header in delimited text, and its delimiter, since a title may have none or another. Where there is no
 * header, the first row is taken, so that a finding can name what it lacks.
 */
export function locateHeader(
  text: string,
  kind: TableKind,
  {
    delimiter,
    columns,
  }: { readonly delimiter?: Delimiter | undefined; readonly columns?: ColumnMap | undefined },
): Located {
  const head = text.slice(0, HEAD)
  const candidates = delimitersFor(head, delimiter)
  for (const candidate of candidates) {
    const records = firstRecords(head, candidate, TITLE_ROWS + 1)
    const at = headerAt(
      records.map(({ cells }) => cells),
      kind,
      columns,
    )
    if (at !== null) return { delimiter: candidate, title: at, start: records[at - 1]?.end ?? 0 }
  }
  return { delimiter: candidates[0], title: 0, start: 0 }
}
