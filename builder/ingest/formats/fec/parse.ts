/**
 * The header of a FEC (fichier des écritures comptables, article A47 A-1 of the French Livre des procédures fiscales), and each line below
 * it as an accounting line with exact amounts. Knows nothing of entries, years or accounts.
 */

import type { LedgerSetting } from '../../../workspace/company.ts'
import { error, type Finding } from '../../../workspace/findings/finding.ts'
import type { FindingCode } from '../../../workspace/findings/finding-codes.ts'
import { parseFigure } from '../../text/amount.ts'
import { cellsOf } from '../../text/delimited.ts'
import { LONGEST_LINE } from '../../text/lines.ts'
import { parseDate } from '../../text/months.ts'
import { remembered } from '../../text/remembered.ts'

const COLUMNS = [
  'JournalCode',
  'JournalLib',
  'EcritureNum',
  'EcritureDate',
  'CompteNum',
  'CompteLib',
  'CompAuxNum',
  'CompAuxLib',
  'PieceRef',
  'PieceDate',
  'EcritureLib',
  'Debit',
  'Credit',
  'Montant',
  'Sens',
  'EcritureLet',
  'DateLet',
  'ValidDate',
] as const
/** Columns that some files have by the same regulation, and that say nothing about the amounts, which are in euros. */
const BESIDE = ['Montantdevise', 'Idevise', 'DateRglt', 'ModeRglt', 'NatOp', 'IdClient'].map((name) =>
  name.toLowerCase(),
)
export type Column = (typeof COLUMNS)[number]

/** Columns that every file has; those of amounts are checked apart, since there are two ways to write them. */
const REQUIRED = ['JournalCode', 'EcritureDate', 'CompteNum'] as const

export interface FecLayout {
  readonly delimiter: string
  readonly at: { readonly [column in Column]?: number }
  /** All others, by header. */
  readonly others: readonly (readonly [header: string, at: number])[]
  /** Columns up to the last one that has a name. */
  readonly width: number
  /** Cells of the header: one more where the program ends each line with the delimiter. */
  readonly cells: number
  /** Each cell stands in quotation marks, against the rule. */
  readonly quoted: boolean
  /** A date as `YYYY-MM-DD`; null where the text is none. */
  readonly dayOf: (text: string) => string | null
  readonly decimals: number
}

const plain = (cell: string): string => cell.replace(/[\s\0\x1a\ufeff"_]+/g, '').toLowerCase()
function firstLine(text: string): string {
  const [line = ''] = text.replace(/^[\ufeff\s]+/, '').split(/[\r\n]/, 1)
  return line
}

function positions(cells: readonly string[]): FecLayout['at'] {
  const names = cells.map(plain)
  return Object.fromEntries(
    COLUMNS.flatMap((column) => {
      const at = names.indexOf(column.toLowerCase())
      return at === -1 ? [] : [[column, at]]
    }),
  )
}

/** By rule a tab or "|"; other separators have been seen. */
const delimiterOf = (line: string): string =>
  ['\t', '|', ';', ','].reduce((best, each) =>
    line.split(each).length > line.split(best).length ? each : best,
  )

/** The first line names journal, date and account in the words of the regulation. */
export function looksLikeFec(head: string): boolean {
  const line = firstLine(head)
  const at = positions(line.split(delimiterOf(line)))
  return at.JournalCode !== undefined && at.CompteNum !== undefined && at.EcritureDate !== undefined
}

/** By rule YYYYMMDD; a French program that breaks the rule writes the day first, or the ISO form. */
const DATE_FORMATS = ['YYYYMMDD', 'DD/MM/YYYY', 'YYYY-MM-DD', 'DD-MM-YYYY'] as const

const firstOf = (formats: readonly string[], text: string): string | null =>
  formats.map((format) => parseDate(text, format)).find((date) => date !== null) ?? null

export function readHeader(
  head: string,
  file: string,
  { delimiter: stated, dateFormat }: Pick<LedgerSetting, 'delimiter' | 'dateFormat'>,
  decimals: number,
): { readonly layout: FecLayout; readonly findings: readonly Finding[] } {
  const line = firstLine(head)
  const delimiter = stated ?? delimiterOf(line)
  const cells = line.split(delimiter)
  const at = positions(cells)
  const isSigned = at.Montant !== undefined && at.Sens !== undefined
  const missing = [
    ...REQUIRED.filter((column) => at[column] === undefined),
    ...(isSigned ? [] : (['Debit', 'Credit'] as const).filter((column) => at[column] === undefined)),
  ]
  return {
    layout: {
      delimiter,
      at,
      others: cells.flatMap((cell, i): [string, number][] =>
        plain(cell) === '' || BESIDE.includes(plain(cell)) || Object.values(at).includes(i)
          ? []
          : [[cell.replace(/["\0\ufeff]/g, '').trim(), i]],
      ),
      width: cells.findLastIndex((cell) => plain(cell) !== '') + 1,
      cells: cells.length,
      quoted: /^\s*"[^"]*"\s*$/.test(cells[0] ?? ''),
      dayOf: remembered((text) => firstOf(dateFormat === undefined ? DATE_FORMATS : [dateFormat], text)),
      decimals,
    },
    findings: missing.map((column) =>
      error('missing-column', `the file has no column ${column}`, {
        file,
        row: 1,
        column,
        text: cells.join(' ').slice(0, 200),
        remedy: 'export the FEC again with all 18 columns of the regulation',
      }),
    ),
  }
}

/** Where labels stand: the delimiter may occur in them, since a FEC has no way to quote. The likeliest first. */
const LABELS = ['EcritureLib', 'CompAuxLib', 'CompteLib', 'JournalLib', 'PieceRef'] as const

export interface FecLine {
  readonly row: number
  readonly journal: string
  readonly journalName: string
  /** Number of the entry; empty where the file has none. */
  readonly number: string
  readonly date: string
  readonly account: string
  readonly accountName: string
  /** Auxiliary account: which customer or supplier. */
  readonly party: string
  readonly partyName: string
  readonly document: string
  readonly text: string
  /** Minor units, as written: a negative debit stays one. */
  readonly debit: number
  readonly credit: number
  /** Settlement letter (lettrage). */
  readonly letter: string
  /** The day on which the entry became final; as written where it is none, empty where the file has none. */
  readonly valid: string
  /** Cells of the columns that are not read. */
  readonly others: readonly string[]
  /** The line held the delimiter in a label. */
  readonly mended: boolean
}

/** A line that cannot be read: why, and of which entry and account it is; null where these cannot be read either. */
export interface UnreadLine {
  readonly findings: readonly Finding[]
  readonly entry: Pick<FecLine, 'journal' | 'number'> | null
  readonly account: string | null
}
export const isUnread = (line: FecLine | UnreadLine): line is UnreadLine => 'findings' in line

/** Control characters and no-break spaces are blanks; those around a cell are dropped. Tabs are separators. */
const CONTROL = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u00a0]/
const ALL_CONTROL = new RegExp(CONTROL, 'g')
const plainCells = (text: string, delimiter: string): string[] => {
  const line = text.endsWith('\r') ? text.slice(0, -1) : text
  const plainText = CONTROL.test(line) ? line.replace(ALL_CONTROL, ' ') : line
  return cellsOf(plainText, delimiter)
}

/** A line, what is wrong with it, or null where it is blank. */
export function parseLine(
  text: string,
  row: number,
  layout: FecLayout,
  file: string,
): FecLine | UnreadLine | null {
  const place = { file, row }
  if (text.length > LONGEST_LINE)
    return unread(
      error('line-too-long', `the line is longer than ${LONGEST_LINE} characters`, {
        ...place,
        text: text.slice(0, 80),
        remedy:
          'this is not a line of a FEC: was the file cut off, or were its line ends lost? export it again',
      }),
    )
  const split = plainCells(text, layout.delimiter)
  if (split.every((cell) => cell === '')) return null
  const cells = layout.quoted ? split.map((cell) => cell.replace(/^"(.*)"$/, '$1').trim()) : split
  if (cells.length < layout.width) return unread(columnCount(cells, row, layout, file))
  const isWhole = cells.slice(layout.width).every((cell) => cell === '')
  const direct = isWhole ? readCells(cells, row, layout, file, false) : null
  const isUsual = cells.length === layout.width || cells.length === layout.cells
  if (direct !== null && !isUnread(direct) && (isUsual || isPlausible(cells, layout))) return direct
  const joined = mend(cells, layout)
  if (joined !== null) return readCells(joined, row, layout, file, true)
  return direct !== null && isUnread(direct) ? direct : unread(columnCount(cells, row, layout, file))
}

const unread = (finding: Finding): UnreadLine => ({ findings: [finding], entry: null, account: null })

const columnCount = (cells: readonly string[], row: number, layout: FecLayout, file: string): Finding =>
  error('column-count', `has ${cells.length} cells where the header has ${layout.cells}`, {
    file,
    row,
    text: cells.join(layout.delimiter).slice(0, 200),
    remedy:
      cells.length < layout.width
        ? 'the line, or the file, was cut off: export it again'
        : `a label holds the separator "${layout.delimiter}": correct it in the accounting program, or export with tabs`,
  })

/** More cells than columns: one label holds the delimiter. It is the one by which the other cells fit their columns. */
function mend(cells: readonly string[], layout: FecLayout): readonly string[] | null {
  // With and without the delimiter that some programs end each line with.
  const extras = [...new Set([cells.length - layout.cells, cells.length - layout.width])]
  for (const label of LABELS)
    for (const extra of extras) {
      const at = layout.at[label]
      if (at === undefined || extra <= 0) continue
      const whole = cells.slice(at, at + extra + 1).join(` ${layout.delimiter} `)
      const joined = [...cells.slice(0, at), whole, ...cells.slice(at + extra + 1)]
      if (isPlausible(joined, layout)) return joined
    }
  return null
}

/** Whether dates, amounts, account and side have their forms. Where cells are shifted by a column, they do not. */
function isPlausible(cells: readonly string[], layout: FecLayout): boolean {
  const cell = (column: Column): string => cells[layout.at[column] ?? -1] ?? ''
  const isDay = (text: string) => layout.dayOf(text) !== null
  const isMoney = (text: string) => text === '' || amountOf(text, layout.decimals).minor !== undefined
  return (
    isDay(cell('EcritureDate')) &&
    /^\w+$/.test(cell('CompteNum')) &&
    (['PieceDate', 'DateLet', 'ValidDate'] as const).every(
      (column) => cell(column) === '' || isDay(cell(column)),
    ) &&
    (['Debit', 'Credit', 'Montant'] as const).every((column) => isMoney(cell(column))) &&
    (layout.at.Sens === undefined || sideOf(cell('Sens')) !== null) &&
    (cell('Debit') + cell('Credit') + cell('Montant')).length > 0
  )
}

function readCells(
  cells: readonly string[],
  row: number,
  layout: FecLayout,
  file: string,
  mended: boolean,
): FecLine | UnreadLine {
  const line = new LineCells(cells, row, layout, file)
  const date = readDate(line)
  const account = line.text('CompteNum')
  if (account === '') line.fault('missing-account', 'the line has no account', 'CompteNum', AGAIN)
  const hasSides = layout.at.Debit !== undefined && layout.at.Credit !== undefined
  const amounts = hasSides ? readSides(line) : readSigned(line)
  const number = line.text('EcritureNum')
  // Some programs write 0 for "none".
  const entry = { journal: line.text('JournalCode'), number: /^0*$/.test(number) ? '' : number }
  if (date === null || line.findings.length > 0)
    return { findings: line.findings, entry, account: account || null }
  return {
    row,
    ...entry,
    journalName: line.text('JournalLib'),
    date,
    account,
    accountName: line.text('CompteLib'),
    party: line.text('CompAuxNum'),
    partyName: line.text('CompAuxLib'),
    document: line.text('PieceRef'),
    text: line.text('EcritureLib'),
    ...amounts,
    letter: line.text('EcritureLet'),
    valid: layout.dayOf(line.text('ValidDate')) ?? line.text('ValidDate'),
    others: layout.others.map(([, at]) => cells[at] ?? ''),
    mended,
  }
}

/** The cells of one line by column, and what is wrong with them. */
class LineCells {
  readonly findings: Finding[] = []
  readonly layout: FecLayout
  readonly #cells: readonly string[]
  readonly #row: number
  readonly #file: string

  constructor(cells: readonly string[], row: number, layout: FecLayout, file: string) {
    this.layout = layout
    this.#cells = cells
    this.#row = row
    this.#file = file
  }

  text(column: Column): string {
    return this.#cells[this.layout.at[column] ?? -1] ?? ''
  }

  fault(code: FindingCode, message: string, column: Column, remedy: string): void {
    const place = { file: this.#file, row: this.#row, column, text: this.text(column) || null }
    this.findings.push(error(code, message, { ...place, remedy }))
  }
}

const AGAIN = 'export the file again'

function readDate(line: LineCells): string | null {
  const text = line.text('EcritureDate')
  const date = line.layout.dayOf(text)
  if (date === null)
    line.fault(
      'unreadable-date',
      text === '' ? 'the line has no date' : `"${text}" is not a date of the form YYYYMMDD`,
      'EcritureDate',
      'correct the date in the accounting program and export again',
    )
  return date
}

type Amounts = Pick<FecLine, 'debit' | 'credit'>

/** Columns for debit and credit. */
function readSides(line: LineCells): Amounts {
  const amounts = { debit: readAmount(line, 'Debit'), credit: readAmount(line, 'Credit') }
  const [debit, credit] = [line.text('Debit'), line.text('Credit')]
  if (debit === '' && credit === '') line.fault('missing-amount', 'the line has no amount', 'Debit', AGAIN)
  if (amounts.debit !== 0 && amounts.credit !== 0)
    line.fault(
      'debit-and-credit',
      `debit ${debit} and credit ${credit} stand in one line`,
      'Debit',
      'book two lines, one for each, and export again',
    )
  return amounts
}

/** One column for the amount (Montant), one for its side (Sens). */
function readSigned(line: LineCells): Amounts {
  const amount = readAmount(line, 'Montant')
  const side = sideOf(line.text('Sens'))
  if (line.text('Montant') === '') line.fault('missing-amount', 'the line has no amount', 'Montant', AGAIN)
  if (side === null)
    line.fault(
      'unreadable-side',
      `"${line.text('Sens')}" is neither debit nor credit`,
      'Sens',
      'write D or C',
    )
  return side === 'credit' ? { debit: 0, credit: amount } : { debit: amount, credit: 0 }
}

/** In minor units; 0 where the cell is empty, or, with a finding, where it cannot be read. */
function readAmount(line: LineCells, column: 'Debit' | 'Credit' | 'Montant'): number {
  const text = line.text(column)
  if (text === '') return 0
  const { decimals } = line.layout
  const { minor, problem } = amountOf(text, decimals)
  if (problem === undefined) return minor
  const what = {
    'too-many-decimals': `${text} has more decimals than the currency has (${decimals})`,
    'amount-too-large': `${text} is too large to be an exact amount`,
    'unreadable-amount': `"${text}" is not an amount`,
  }[problem]
  line.fault(problem, what, column, 'correct the amount; a FEC writes 1234,50, without thousands separators')
  return 0
}

/** A decimal comma by rule, a point in some; three digits behind it are too many for euros, not thousands. */
const amountOf = (text: string, decimals: number) => {
  const decimal = text.includes(',') ? ',' : '.'
  return parseFigure(text, decimals, { decimal, thousands: ' ' })
}

const sideOf = (text: string): 'debit' | 'credit' | null =>
  /^(d|debit|débit|\+?1)$/i.test(text) ? 'debit' : /^(c|credit|crédit|-1)$/i.test(text) ? 'credit' : null
