/** What a sheet of a budget or of metrics says about its figures in columns that nobody reads, in its title and its name. */
import type { Finding } from '../../../workspace/finding.ts'
import {
  type Answers,
  type ClaimFacts,
  claimColumns,
  claimText,
  meaningOf,
  meaningOfHeader,
} from '../../claims/claims.ts'
import { textAt } from '../../text/csv.ts'
import { columnLetters } from '../../workbook/sheet.ts'
import { periodOf } from '../periods.ts'
import type { Table } from '../table.ts'
import { unreadColumns } from './unread.ts'

const hasFigures = ({ rows }: Table, column: number): boolean =>
  rows.some(({ cells }) => /^[-+(]?\d/.test(textAt(cells, column)))

/** A company may be a number, and some cells of a unit or of a scenario are. */
const maySay = (table: Table, column: number): boolean => {
  const meaning = meaningOfHeader(textAt(table.header, column))
  return (
    meaning === 'company' ||
    (meaning !== null && table.rows.some(({ cells }) => /^[^-+(\d]/.test(textAt(cells, column))))
  )
}

/** The table with letters over columns of texts that have no header, by which company.yaml can name them. */
export function withLetters(table: Table): Table {
  const header = table.header.map((text, column) =>
    text === '' && table.rows.some(({ cells }) => cells[column] !== '') && !hasFigures(table, column)
      ? columnLetters(column)
      : text,
  )
  return { ...table, header }
}

/** Questions, and the columns that may be figures or are harmless. */
export function claimFigures(
  table: Table,
  others: readonly number[],
  setting: Answers & { readonly dateFormat?: string | undefined; readonly scale?: number | undefined },
  facts: ClaimFacts,
): { readonly others: readonly number[]; readonly findings: readonly Finding[] } {
  const { file, key, header, sheet, above } = table
  const unread = others.filter(
    (column) =>
      periodOf(table, column, setting.dateFormat) === null &&
      (!hasFigures(table, column) || maySay(table, column)),
  )
  const columns = unreadColumns(table, unread, setting)
  // One unit in all rows is what "scale" states.
  const scaled = columns.filter(
    (column) =>
      setting.scale !== undefined && column.values?.size === 1 && meaningOf(column, facts) === 'unit',
  )
  const open = columns.filter((column) => !scaled.includes(column))
  const { questions, harmless } = claimColumns(open, key, setting, facts)
  const plain = new Set([...harmless, ...scaled].map((column) => column.header))
  const titles = above.flatMap(({ row, cells }) =>
    [...new Set(cells)].flatMap((text) => claimText(text, { file, row, what: 'title' }, key, setting, facts)),
  )
  const name = sheet === null ? [] : claimText(sheet, { file, row: null, what: 'sheet' }, key, setting, facts)
  return {
    others: others.filter((column) => !unread.includes(column) || plain.has(textAt(header, column))),
    findings: [...questions, ...titles, ...name],
  }
}
