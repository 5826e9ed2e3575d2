/**
 * Reads ledgers whose column map does more than rename: a column that states debit or credit, an amount with the
 * opposite sign, a value joined from several columns, rows that are not entries. They are copied record by record
 * into canonical CSV.
 */

import { present } from '../../contract/present.ts'
import type { LedgerSetting } from '../../workspace/company.ts'
import { error, type Finding, warning } from '../../workspace/finding.ts'
import { COMPANY_FILE } from '../../workspace/workspace.ts'
import { canonicalPlan, ROW } from '../format/canonical-plan.ts'
import type { SourceFile } from '../format/format.ts'
import {
  basisOfEntry,
  LEDGER_COLUMNS,
  type LedgerColumn,
  type LedgerInput,
  type LedgerPlan,
  nameOf,
  type SourceName,
  type SourceRecord,
  sheetName,
} from '../format/intake.ts'
import { csvRow, type FileRecord, fileRecords } from '../format/records.ts'
import { DELIMITERS, detectDelimiter, firstRecords, parseHeader, TITLE_ROWS, textAt } from '../text/csv.ts'
import { undecodable } from '../text/decode.ts'
import { ISO_DATE, parseDate } from '../text/months.ts'
import type { Scratch } from '../text/scan.ts'
import { positionsOf } from './header.ts'
import { columnsNotRead, duplicateColumn, emptyFile, missingColumn } from './table.ts'

export interface FileReading {
  readonly inputs: readonly LedgerInput[]
  readonly sources: readonly SourceRecord[]
  readonly findings: readonly Finding[]
  /** Warnings about columns that are not read. */
  readonly notRead: readonly Finding[]
}

/** The key of a column map for the column that states debit or credit. */
export const DIRECTION = 'direction'
const JOIN = ' + '

export const isMapped = ({ columns, skip }: LedgerSetting): boolean =>
  skip !== undefined ||
  Object.entries(columns ?? {}).some(
    ([name, header]) => name === DIRECTION || header.includes(JOIN) || header.startsWith('-'),
  )

/** Words with which programs label the opening balance of an account. */
const OPENING = /^'?(?:(?:beginning|opening|initial) balance|opening|balance (?:brought )?forward)'?$/
/** An amount other than zero. */
const AMOUNT = /^[-(]?\D{0,3}\d[\d.,' ]*[.,]\d\d\)?-?$/

const DEBIT = /^(d|dr|deb|debit|s|soll|debet|\+|1)$/i
const CREDIT = /^(c|cr|cred|credit|h|haben|k|kredit|-|-1)$/i

/** Debit or credit, in the words of several languages; null where the text states neither. */
export const sideOf = (text: string): 'debit' | 'credit' | null =>
  CREDIT.test(text) ? 'credit' : DEBIT.test(text) ? 'debit' : null

/** The column of a value, or several columns that are joined by a dash. */
export interface MappedValue {
  readonly at: readonly number[]
  readonly isReversed: boolean
}

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

export const valueAt = (cells: readonly string[], { at }: MappedValue): string =>
  at
    .map((index) => cells[index]?.trim() ?? '')
    .filter((part) => part !== '')
    .join('-')

interface MappedTable extends SourceName {
  readonly header: readonly string[]
  readonly headerRow: number
  readonly delimiter: string | null
  readonly records: (findings: Finding[]) => AsyncIterable<FileRecord>
}

/** Reads a file by such a map; mistakes are findings. */
export async function readMapped(
  source: SourceFile,
  setting: LedgerSetting,
  key: string,
  scratch: Scratch,
): Promise<FileReading> {
  const { file, scan, look } = source
  const record = { file, bytes: scan.bytes, sha256: scan.sha256, role: 'ledger' as const, rows: null }
  const inputs: LedgerInput[] = []
  const sources: SourceRecord[] = []
  const findings: Finding[] = []
  const notRead: Finding[] = []
  const isText = look.workbook === null
  if (isText && look.encoding === 'utf-8' && scan.encoding !== 'utf-8')
    findings.push(undecodable(file, 'utf-8', null))
  else if (isText && look.head.trim() === '') findings.push(emptyFile(file))
  if (findings.length > 0)
    return { inputs, sources: [{ ...record, encoding: look.encoding }], findings, notRead }
  for (const table of tablesOf(source, setting)) {
    const mapped = new MappedRows(table, setting, key, look.workbook !== null)
    sources.push({
      ...record,
      ...nameOf(table),
      encoding: look.workbook === null ? look.encoding : 'xlsx',
      ...(table.delimiter === null ? {} : { delimiter: table.delimiter }),
    })
    if (mapped.findings.length === 0) {
      const path = await scratch.written(mapped.canonical())
      inputs.push(mapped.plan(path))
    }
    findings.push(...mapped.findings)
    notRead.push(...mapped.notRead)
  }
  return { inputs, sources, findings, notRead }
}

/** The header is the first row that names all columns of the map; where none does, the first row is taken. */
export function tablesOf(source: SourceFile, setting: LedgerSetting): MappedTable[] {
  const { file, look } = source
  const wanted = [...Object.values(setting.columns ?? {}), ...Object.keys(setting.skip ?? {})]
  const headerIn = (rows: readonly (readonly string[])[]) =>
    rows
      .slice(0, TITLE_ROWS + 1)
      .findIndex((cells) => wanted.every((text) => mappedValue(cells, text) !== null))
  if (look.workbook !== null) {
    const names = [setting.sheet ?? []].flat()
    const sheets = look.workbook.sheets.filter(
      ({ name, isHidden, rows }) => rows.length > 0 && (names.length > 0 ? names.includes(name) : !isHidden),
    )
    const found = sheets.filter(({ rows }) => headerIn(rows.map(({ cells }) => cells)) !== -1)
    return (found.length > 0 ? found : sheets.slice(0, 1)).map(({ name, rows }) => {
      const at = Math.max(0, headerIn(rows.map(({ cells }) => cells)))
      const records = async function* () {
        yield* rows.slice(at + 1)
      }
      const { row, cells } = present(rows[at], 'row of the header')
      return {
        ...sheetName(file, name, found.length <= 1),
        header: cells,
        headerRow: row,
        delimiter: null,
        records,
      }
    })
  }
  const usual = setting.delimiter ?? detectDelimiter(look.head)
  const all =
    setting.delimiter === undefined ? [usual, ...DELIMITERS.filter((other) => other !== usual)] : [usual]
  const tables = all.map((delimiter) => {
    const found = firstRecords(look.head, delimiter, TITLE_ROWS + 1).map(({ cells }) => cells)
    // Where an unclosed quote leaves no records, only the first line can be looked at.
    const rows = found.length > 0 ? found : [parseHeader(look.head, delimiter, file).header]
    const at = headerIn(rows)
    const header = (rows[Math.max(0, at)] ?? []).map((cell) => cell.replace(/^\uFEFF/, ''))
    const headerRow = Math.max(0, at) + 1
    const shape = { delimiter, width: header.length, headerRow }
    const records = (findings: Finding[]) => fileRecords(source, shape, findings)
    return { isFound: at !== -1, file, header, headerRow, delimiter, records }
  })
  return [tables.find(({ isFound }) => isFound) ?? tables[0] ?? []].flat()
}

class MappedRows {
  readonly findings: Finding[] = []
  readonly notRead: readonly Finding[]
  readonly #table: MappedTable
  readonly #setting: LedgerSetting
  readonly #key: string
  readonly #isWorkbook: boolean
  readonly #values = new Map<LedgerColumn, MappedValue>()
  readonly #direction: MappedValue | null
  readonly #skips: readonly {
    readonly header: string
    readonly at: number
    readonly values: Map<string, number>
  }[]
  /** Rows with balances brought forward that the map leaves out. */
  readonly #openings: number[] = []
  #noSide: { count: number; readonly row: number; readonly text: string } | null = null

  constructor(table: MappedTable, setting: LedgerSetting, key: string, isWorkbook: boolean) {
    this.#table = table
    this.#setting = setting
    this.#key = key
    this.#isWorkbook = isWorkbook
    const { header } = table
    const { [DIRECTION]: direction, ...map } = setting.columns ?? {}
    this.#direction = direction === undefined ? null : this.#find(DIRECTION, direction)
    for (const [name, text] of Object.entries(map)) {
      if (!(LEDGER_COLUMNS as readonly string[]).includes(name)) {
        this.findings.push(this.#unknownColumn(name, text))
        continue
      }
      const value = this.#find(name, text)
      if (value !== null) this.#values.set(name as LedgerColumn, value)
    }
    const hasMoney = ['amount', 'debit', 'credit'].some((name) => name in map)
    for (const name of LEDGER_COLUMNS) {
      const [own] = positionsOf(header, name)
      const isOther = name in map || (name === 'basis' && setting.basis !== undefined)
      const isMoney = name === 'amount' || name === 'debit' || name === 'credit'
      if (own !== undefined && !isOther && !(isMoney && hasMoney))
        this.#values.set(name, { at: [own], isReversed: false })
    }
    for (const name of ['transaction_id', 'date', 'account'] as const)
      if (!this.#values.has(name) && !(name in map)) this.findings.push(missingColumn(this.#head, name, name))
    if (!this.#values.has('amount') && !(this.#values.has('debit') && this.#values.has('credit')))
      if (!('amount' in map)) this.findings.push(missingColumn(this.#head, 'amount', 'amount'))
    this.#skips = Object.entries(setting.skip ?? {}).flatMap(([name, values]) => {
      const [at] = positionsOf(header, name)
      if (at === undefined) this.findings.push(missingColumn(this.#head, name, name))
      return at === undefined
        ? []
        : [
            {
              header: name,
              at,
              values: new Map([values].flat().map((value) => [value.trim().toLowerCase(), 0])),
            },
          ]
    })
    const read = new Set([
      ...[...this.#values.values()].flatMap(({ at }) => at),
      ...(this.#direction?.at ?? []),
      ...this.#skips.map(({ at }) => at),
    ])
    const others = header.filter((cell, i) => cell.trim() !== '' && !read.has(i))
    this.notRead = columnsNotRead(this.#head, others, [...LEDGER_COLUMNS, DIRECTION])
  }

  get #head() {
    return { ...this.#table, key: this.#key }
  }

  #find(name: string, text: string): MappedValue | null {
    const value = mappedValue(this.#table.header, text)
    for (const at of value?.at ?? []) {
      const own = textAt(this.#table.header, at)
      if (positionsOf(this.#table.header, own).length > 1)
        this.findings.push(duplicateColumn(this.#head, own))
    }
    if (value === null) this.findings.push(missingColumn(this.#head, text, name))
    return value
  }

  /** Whether a single amount becomes a debit or a credit, by its sign or by the column beside it. */
  get #isSided(): boolean {
    return this.#values.has('amount') && (this.#direction !== null || this.#isReversed)
  }

  get #isReversed(): boolean {
    return this.#values.get('amount')?.isReversed ?? false
  }

  get #columns(): readonly LedgerColumn[] {
    const names = [...this.#values.keys()].filter((name) => !(this.#isSided && name === 'amount'))
    return this.#isSided ? [...names, 'debit', 'credit'] : names
  }

  plan(path: string): LedgerPlan {
    const { basis, dateFormat, decimal, thousands } = this.#setting
    return {
      ...canonicalPlan(
        { file: this.#table.file, path, basis: this.#values.has('basis') ? null : basisOfEntry({ basis }) },
        [ROW, ...this.#columns],
      ),
      dateFormat: this.#isWorkbook ? ISO_DATE : (dateFormat ?? ISO_DATE),
      decimal: decimal ?? '.',
      thousands: thousands ?? '',
    }
  }

  async *canonical(): AsyncGenerator<string> {
    let part = csvRow([ROW, ...this.#columns])
    for await (const { row, cells } of this.#table.records(this.findings)) {
      if (cells === null || this.#isSkipped(row, cells)) continue
      part += csvRow([String(row), ...this.#canonicalRow(row, cells)])
      if (part.length < 1 << 16) continue
      yield part
      part = ''
    }
    yield part
    if (this.#noSide !== null) this.findings.push(this.#sideUnknown(this.#noSide))
    if (this.#openings.length > 0) this.findings.push(this.#openingsSkipped())
    for (const { header, values } of this.#skips)
      for (const [value, count] of values)
        if (count === 0) this.findings.push(this.#nothingSkipped(header, value))
  }

  #isSkipped(row: number, cells: readonly string[]): boolean {
    for (const { at, values } of this.#skips) {
      const value = cells[at]?.trim().toLowerCase() ?? ''
      const count = values.get(value)
      if (count === undefined) continue
      values.set(value, count + 1)
      if (OPENING.test(value) && cells.some((cell) => AMOUNT.test(cell.trim()))) this.#openings.push(row)
      return true
    }
    return false
  }

  #canonicalRow(row: number, cells: readonly string[]): string[] {
    const value = (name: LedgerColumn): string => {
      const found = this.#values.get(name)
      return found === undefined ? '' : valueAt(cells, found)
    }
    const sides = this.#isSided ? this.#sides(row, cells, value('amount')) : null
    return this.#columns.map((name) => {
      if (sides !== null && (name === 'debit' || name === 'credit')) return sides[name]
      if (name === 'date' && this.#isWorkbook)
        return parseDate(value(name), this.#setting.dateFormat) ?? value(name)
      return value(name)
    })
  }

  #sides(row: number, cells: readonly string[], amount: string): { debit: string; credit: string } {
    const text = this.#direction === null ? 'debit' : valueAt(cells, this.#direction)
    const side = sideOf(text)
    if (side === null && amount !== '') {
      this.#noSide ??= { count: 0, row, text }
      this.#noSide.count++
    }
    const isCredit = (side === 'credit') !== this.#isReversed
    return isCredit ? { debit: '', credit: amount } : { debit: amount, credit: '' }
  }

  #sideUnknown({ count, row, text }: { count: number; row: number; text: string }): Finding {
    return error(
      'unreadable-side',
      `${text === '' ? 'whether it is a debit or a credit is not stated' : `"${text}" says neither debit nor credit`}${count === 1 ? '' : `; so it is on ${count} rows`}`,
      {
        file: this.#table.file,
        row,
        column: this.#setting.columns?.[DIRECTION] ?? null,
        text,
        remedy:
          'D or C, Dr or Cr, Debit or Credit, S or H, Soll or Haben, + or - are read; other columns leave the rows out by "skip"',
      },
    )
  }

  #openingsSkipped(): Finding {
    const [row = null] = this.#openings
    return error(
      'openings-skipped',
      `${this.#openings.length === 1 ? 'a row' : `${this.#openings.length} rows`} with balances brought forward ${this.#openings.length === 1 ? 'is' : 'are'} left out by "skip": the books would begin without them`,
      {
        file: this.#table.file,
        row,
        remedy:
          'take the opening balances in as an entry of the first day, in a file of its own, and leave these rows out of the export; a General Ledger of Sage 50 needs no map: take "columns" and "skip" out of its entry',
      },
    )
  }

  #nothingSkipped(header: string, value: string): Finding {
    return warning(
      'mark-without-match',
      `no row of ${this.#table.file} has "${value}" in the column "${header}"`,
      {
        file: COMPANY_FILE,
        column: `${this.#key}.skip.${header}`,
        text: value,
        remedy: 'correct it, or take it out: as it stands, it leaves nothing out',
      },
    )
  }

  #unknownColumn(name: string, text: string): Finding {
    return error('unknown-column', `"${name}" is not a column that is read here`, {
      file: COMPANY_FILE,
      column: `${this.#key}.columns.${name}`,
      text,
      remedy: `"columns" maps these to headers of the file: ${[...LEDGER_COLUMNS, DIRECTION].join(', ')}`,
    })
  }
}
