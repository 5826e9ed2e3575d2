/** The tables that a ledger may be, and what a column map can say beside renaming: a column of debit or credit, the opposite sign, joined columns, rows that are left out. */
import type { LedgerSetting } from '../../../workspace/company.ts'
import type { Finding } from '../../../workspace/findings/finding.ts'
import { recordOf, type SourceFile } from '../../format/format.ts'
import type { SourceRecord } from '../../format/intake.ts'
import { type RecordTable, recordsOfFile, recordsOfSheet } from '../../format/records.ts'
import { firstRecords, parseHeader } from '../../text/csv.ts'
import { JOIN, locateHeader, type MappedValue } from '../header.ts'
import { type Table, tablesIn } from '../table.ts'

/** The key of a column map for the column that states debit or credit. */
export const DIRECTION = 'direction'

/** Whether it does more than rename. */
export const isMapped = ({ columns, skip, count }: LedgerSetting): boolean =>
  skip !== undefined ||
  count !== undefined ||
  Object.entries(columns ?? {}).some(
    ([name, header]) => name === DIRECTION || header.includes(JOIN) || header.startsWith('-'),
  )

const DEBIT = /^(d|dr|deb|debit|s|soll|debet|\+|1)$/i
const CREDIT = /^(c|cr|cred|credit|h|haben|k|kredit|-|-1)$/i

/** Debit or credit, in the words of several languages; null where the text states neither. */
export const sideOf = (text: string): 'debit' | 'credit' | null =>
  CREDIT.test(text) ? 'credit' : DEBIT.test(text) ? 'debit' : null

export const valueAt = (cells: readonly string[], { at }: MappedValue): string => {
  const [first = 0] = at
  if (at.length === 1) return cells[first]?.trim() ?? ''
  return at
    .map((index) => cells[index]?.trim() ?? '')
    .filter((part) => part !== '')
    .join('-')
}

/** A text, or a sheet of a workbook. */
export interface MappedTable extends RecordTable {
  readonly file: string
  readonly header: readonly string[]
  /** The row of the header; those above it are a title. */
  readonly headerRow: number
  readonly titles: readonly string[]
  /** The sheet; null for a text. */
  readonly sheet: Table | null
}

export interface LedgerTables {
  readonly tables: readonly MappedTable[]
  readonly sources: readonly SourceRecord[]
  readonly findings: readonly Finding[]
}

/** The header is the first row that names what every ledger needs; where none does, the first row is taken. */
export function tablesOf(source: SourceFile, setting: LedgerSetting, key: string): LedgerTables {
  const { workbook } = source.look
  if (workbook === null) return textIn(source, setting)
  const { tables, ...reading } = tablesIn(workbook, recordOf(source), setting, 'ledger', key)
  return {
    ...reading,
    tables: tables.map((sheet) => ({
      ...{ file: sheet.file, header: sheet.header, headerRow: sheet.headerRow, source, sheet },
      shape: null,
      titles: sheet.above.flatMap(({ cells }) => cells),
      records: () => recordsOfSheet(sheet.rows),
    })),
  }
}

function textIn(source: SourceFile, setting: LedgerSetting): LedgerTables {
  const { file, look } = source
  const { delimiter, title, start } = locateHeader(look.head, 'ledger', setting)
  const below = Buffer.from(look.head).subarray(start).toString('utf8')
  const { header, findings } = parseHeader(below, delimiter, file)
  const shape = { delimiter, width: header.length, headerRow: title + 1 }
  const titles = firstRecords(look.head, delimiter, title).flatMap(({ cells }) => cells)
  const text = { file, source, header, titles, shape, sheet: null, headerRow: title + 1 }
  return {
    tables: findings.length > 0 ? [] : [{ ...text, records: () => recordsOfFile(source, shape) }],
    sources: [{ ...recordOf(source), role: 'ledger', rows: null, delimiter }],
    findings,
  }
}
