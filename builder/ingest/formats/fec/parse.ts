/**
 * The lines of a FEC (fichier des écritures comptables, article A47 A-1 of the French Livre des procédures fiscales):
 * its header, and each line as an accounting line with exact amounts. Knows nothing of entries, years or accounts.
 */
import { error, type Finding } from '../../../workspace/finding.ts'
import type { FindingCode } from '../../../workspace/finding-codes.ts'
import { parseFigure } from '../../text/amount.ts'
import { cellsOf } from '../../text/delimited.ts'
import { LONGEST_LINE } from '../../text/lines.ts'
import { parseDate } from '../../text/months.ts'

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
type Column = (typeof COLUMNS)[number]

/** What a file cannot do without; the amounts are judged apart, since there are two ways to write them. */
const REQUIRED = ['JournalCode', 'EcritureDate', 'CompteNum'] as const

/** Where labels stand: the delimiter may occur in them, since a FEC has no way to quote. The likeliest first. */
const LABELS = ['EcritureLib', 'CompAuxLib', 'CompteLib', 'JournalLib', 'PieceRef'] as const

export interface FecLayout {
  readonly delimiter: string
  readonly at: { readonly [column in Column]?: number }
  /** Columns up to the last one that has a name. */
  readonly width: number
  /** Cells of the header: one more where the program ends each line with the delimiter. */
  readonly cells: number
  /** Each cell stands in quotation marks, against the rule. */
  readonly quoted: boolean
  readonly dateFormat: string | undefined
  /** Days that were read already: a year has few, its lines are many. */
  readonly days: Map<string, string | null>
  readonly decimals: number
}

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
  /** The line held the delimiter in a label. */
  readonly mended: boolean
}

/** A line that cannot be read: why, and of which entry and account it is; null where that cannot be told either. */
export interface UnreadLine {
  readonly findings: readonly Finding[]
  readonly entry: Pick<FecLine, 'journal' | 'number'> | null
  readonly account: string | null
}
export const isUnread = (line: FecLine | UnreadLine): line is UnreadLine => 'findings' in line

const plain = (cell: string): string => cell.replace(/[\s\0\x1a\ufeff"_]+/g, '').toLowerCase()
const firstLine = (text: string): string => /^[^\r\n]*/.exec(text.replace(/^[\ufeff\s]+/, ''))![0]

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

export function readHeader(
  head: string,
  file: string,
  form: { readonly delimiter?: string; readonly dateFormat?: string; readonly decimals: number },
): { readonly layout: FecLayout; readonly findings: readonly Finding[] } {
  const line = firstLine(head)
  const delimiter = form.delimiter ?? delimiterOf(line)
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
      width: cells.findLastIndex((cell) => plain(cell) !== '') + 1,
      cells: cells.length,
      quoted: /^"[^"]*"$/.test(cells[0]!.trim()),
      dateFormat: form.dateFormat,
      days: new Map(),
      decimals: form.decimals,
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

/** Control characters and no-break spaces are blanks; those around a cell are no part of it. Tabs are separators. */
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
        remedy: 'this is no FEC line: was the file cut off, or its line ends lost? export it again',
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

/** More cells than columns: one label held the delimiter. It is the one that puts date, account and amounts right again. */
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

/** All cells that have a form are of that form: a line that was read in another column is not. */
function isPlausible(cells: readonly string[], layout: FecLayout): boolean {
  const cell = (column: Column): string => cells[layout.at[column] ?? -1] ?? ''
  const isDay = (text: string) => dateOf(text, layout) !== null
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
  const cell = (column: Column): string => cells[layout.at[column] ?? -1] ?? ''
  const findings: Finding[] = []
  const fault = (code: FindingCode, message: string, column: Column, remedy: string) =>
    void findings.push(error(code, message, { file, row, column, text: cell(column) || null, remedy }))
  const date = dateOf(cell('EcritureDate'), layout)
  if (date === null)
    fault(
      'unreadable-date',
      cell('EcritureDate') === ''
        ? 'the line has no date'
        : `"${cell('EcritureDate')}" is no date of the form YYYYMMDD`,
      'EcritureDate',
      'correct the date in the accounting program and export again',
    )
  if (cell('CompteNum') === '')
    fault('missing-account', 'the line has no account', 'CompteNum', 'export the file again')
  const money = (column: 'Debit' | 'Credit' | 'Montant'): number => {
    if (cell(column) === '') return 0
    const { minor, problem } = amountOf(cell(column), layout.decimals)
    if (problem === undefined) return minor
    const what = {
      'too-many-decimals': `${cell(column)} has more decimals than the currency has (${layout.decimals})`,
      'amount-too-large': `${cell(column)} is too large to be an exact amount`,
      'unreadable-amount': `"${cell(column)}" is no amount`,
    }[problem]
    fault(problem, what, column, 'correct the amount; a FEC writes 1234,50, without thousands separators')
    return 0
  }
  let debit = 0
  let credit = 0
  if (layout.at.Debit !== undefined && layout.at.Credit !== undefined) {
    debit = money('Debit')
    credit = money('Credit')
    if (cell('Debit') === '' && cell('Credit') === '')
      fault('missing-amount', 'the line has no amount', 'Debit', 'export the file again')
    if (debit !== 0 && credit !== 0)
      fault(
        'debit-and-credit',
        `debit ${cell('Debit')} and credit ${cell('Credit')} stand in one line`,
        'Debit',
        'book two lines, one for each, and export again',
      )
  } else {
    const amount = money('Montant')
    const side = sideOf(cell('Sens'))
    if (cell('Montant') === '')
      fault('missing-amount', 'the line has no amount', 'Montant', 'export the file again')
    if (side === null)
      fault('unreadable-side', `"${cell('Sens')}" is neither debit nor credit`, 'Sens', 'write D or C')
    if (side === 'credit') credit = amount
    else debit = amount
  }
  const entry = {
    journal: cell('JournalCode'),
    // Some programs write 0 for "none".
    number: /^0*$/.test(cell('EcritureNum')) ? '' : cell('EcritureNum'),
  }
  if (findings.length > 0) return { findings, entry, account: cell('CompteNum') || null }
  return {
    row,
    ...entry,
    journalName: cell('JournalLib'),
    date: date!,
    account: cell('CompteNum'),
    accountName: cell('CompteLib'),
    party: cell('CompAuxNum'),
    partyName: cell('CompAuxLib'),
    document: cell('PieceRef'),
    text: cell('EcritureLib'),
    debit,
    credit,
    letter: cell('EcritureLet'),
    mended,
  }
}

/** By rule YYYYMMDD; a French program that breaks the rule writes the day first, or the ISO form. */
const DATE_FORMATS = ['YYYYMMDD', 'DD/MM/YYYY', 'YYYY-MM-DD', 'DD-MM-YYYY'] as const

function dateOf(text: string, { dateFormat: stated, days }: FecLayout): string | null {
  if (stated === undefined && /^\d{8}$/.test(text)) {
    let day = days.get(text)
    if (day !== undefined) return day
    day = parseDate(text, 'YYYYMMDD')
    if (days.size < 10_000) days.set(text, day)
    return day
  }
  for (const format of stated === undefined ? DATE_FORMATS : [stated]) {
    const date = parseDate(text, format)
    if (date !== null) return date
  }
  return null
}

/** A decimal comma by rule, a point in some; three digits behind it are too many for euros, not thousands. */
const amountOf = (text: string, decimals: number) => {
  const decimal = text.includes(',') ? ',' : '.'
  return parseFigure(text, decimals, { decimal, thousands: ' ' })
}

const sideOf = (text: string): 'debit' | 'credit' | null =>
  /^(d|debit|débit|\+?1)$/i.test(text) ? 'debit' : /^(c|credit|crédit|-1)$/i.test(text) ? 'credit' : null
