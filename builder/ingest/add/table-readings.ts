/**
 * Tells from the header of a table what kind of table it is, and which columns hold its figures and dates. Judges
 * no figures.
 */

import { isKind } from '../format/ledger-columns.ts'
import type { Sample } from '../format/preview.ts'
import { COLUMNS, mappedValue, namesMonths, positionsOf } from '../tables/header.ts'
import { isSummaryLabel } from '../tables/metrics/sheet.ts'
import { guessColumns, withUsualNames } from '../tables/other-headers.ts'
import { findColumns, type Head } from '../tables/table.ts'
import { NO_CURRENCY, plainNumber } from '../text/amount.ts'
import { isPeriodHeading, parseDate, parseMonth } from '../text/months.ts'
import { withoutScale } from '../text/scale.ts'
import { type ChartTexts, type ProposedColumn, proposeMap } from './propose-map.ts'

/** Canonical column → header in the file; null where none could be found. */
export type ColumnGuess = { readonly [column: string]: string | null }

/** What the user said about a ledger of another program (`--map`). */
export interface MapRequest {
  /** The user said that the file is a ledger: its columns are to be found, whatever its header looks like. */
  readonly isMap: boolean
  /** Canonical column → header, as the user wrote it. */
  readonly stated: { readonly [column: string]: string }
  /** Of the accounts in the chart; empty where there is no chart. */
  readonly accounts: ChartTexts
}

/** The kind of a table and its columns: positions of figures and of the date, from 0. */
export interface Reading {
  readonly kind: 'ledger' | 'chart' | 'members' | 'budget' | 'metrics'
  readonly columns: ColumnGuess | null
  readonly proposal: readonly ProposedColumn[] | null
  readonly hasBasis: boolean
  readonly figures: readonly (number | undefined)[]
  readonly date: number | undefined
  /** Of a ledger: the positions of the columns that are read. Those of the kind of entry are left out, since they may be asked about. */
  readonly read?: readonly number[]
}

const reading = (kind: Reading['kind'], figures: Reading['figures'] = [], date?: number): Reading => ({
  ...{ kind, columns: null, proposal: null, hasBasis: false },
  figures,
  date,
})

const asHead = (header: readonly string[]): Head => ({ file: '', key: '', header, headerRow: 1 })

export function readHeader(header: readonly string[]): Reading | null {
  const head = asHead(header)
  const ledger = findColumns(head, COLUMNS.ledger, []).at
  const isMoney = ledger.amount !== undefined || (ledger.debit !== undefined && ledger.credit !== undefined)
  if (
    ledger.transaction_id !== undefined &&
    ledger.date !== undefined &&
    ledger.account !== undefined &&
    isMoney
  )
    return {
      ...reading('ledger', [ledger.amount, ledger.debit, ledger.credit], ledger.date),
      hasBasis: ledger.basis !== undefined,
      read: Object.entries(ledger).flatMap(([name, at]) => (isKind(name) ? [] : [at])),
    }
  const periods = header.flatMap((cell, i) => (isPeriodHeading(withoutScale(cell)) ? [i] : []))
  const named = findColumns(head, COLUMNS.budget, []).at
  // A column called amount may be of anything; one called budget says what the table is.
  const budget = named.amount === undefined ? withUsualNames(named, header) : named
  // A table with account, date, amount and an entry number is a journal, whatever the program calls that column.
  const isJournal = guessColumns(header)?.transaction_id != null
  const month = budget.month ?? (isJournal ? undefined : budget.date)
  if (
    budget.account !== undefined &&
    (periods.length > 0 || (month !== undefined && budget.amount !== undefined))
  )
    return reading('budget', [...periods, budget.amount], budget.date)
  const metrics = findColumns(head, COLUMNS.metrics, []).at
  if (metrics.metric !== undefined && (periods.length > 0 || metrics.value !== undefined))
    return reading('metrics', [...periods, metrics.value], metrics.date)
  const chart = findColumns(head, COLUMNS.chart, []).at
  if (chart.id !== undefined && chart.name !== undefined)
    return reading(chart.classification === undefined ? 'members' : 'chart')
  return null
}

/** Whether the cells are headers: more than two of them, and none is a number. */
const isNames = (cells: readonly string[]): boolean =>
  cells.filter((cell) => cell.trim() !== '').length > 2 &&
  !cells.some((cell) => /^[-(]?\d[\d.,/-]*\)?$/.test(cell.trim()))

/**
 * Readers for tables that are added together with a ledger whose map the user asked for. A chart is recognised
 * before the ledger; the other kinds only where the table is not a ledger.
 */
export const readChartHeader: Read = (header) => only(readHeader(header), 'chart')
export const readOtherHeader: Read = (header) =>
  only(readHeader(header), 'chart', 'members', 'budget', 'metrics')

const only = (reading: Reading | null, ...kinds: readonly Reading['kind'][]): Reading | null =>
  reading !== null && kinds.includes(reading.kind) ? reading : null

/** Recognises a ledger with the headers of another program, or any table where the user says that it is a ledger. */
export const guessLedger =
  ({ isMap, stated, accounts }: MapRequest) =>
  (header: readonly string[], rows: Sample['rows']): Reading | null => {
    const isLikely =
      Object.values(stated).every((text) => mappedValue(header, text) !== null) &&
      (guessColumns(header) !== null || (isMap && isNames(header)))
    const proposal = isLikely ? proposeMap(header, rows, stated, accounts) : null
    if (proposal === null) return null
    const columns = Object.fromEntries(proposal.map(({ column, header: name }) => [column, name]))
    const at = (column: string) => {
      const name = columns[column]
      return name == null ? undefined : mappedValue(header, name)?.at[0]
    }
    return {
      kind: 'ledger',
      columns,
      proposal,
      hasBasis: positionsOf(header, 'basis').length > 0,
      read: Object.entries(columns).flatMap(([column, name]) =>
        name == null || isKind(column) ? [] : (mappedValue(header, name)?.at ?? []),
      ),
      figures: [at('amount'), at('debit'), at('credit')],
      date: at('date'),
    }
  }

/**
 * Recognises a budget by its title or file name. It has months as headers, and no column need be called account; or it has an account, a
 * month and an amount in each row, and no number of an entry.
 */
const CALLED_BUDGET = /budget|forecast|prognos|\bplan\b/i
export const callsItselfBudget = (titles: Sample['rows'], file: string): boolean =>
  CALLED_BUDGET.test([...titles.flat(), file.replace(/[_-]/g, ' ')].join(' '))

export const budgetByName =
  (file: string): Read =>
  (header, _rows, above) => {
    if (!callsItselfBudget(above, file)) return null
    const at = withUsualNames(findColumns(asHead(header), COLUMNS.budget, []).at, header)
    if (at.account !== undefined && at.month !== undefined && at.amount !== undefined)
      return guessColumns(header)?.transaction_id == null ? reading('budget', [at.amount], at.date) : null
    if (!namesMonths(header)) return null
    const figures = header.flatMap((cell, i) => (isPeriodHeading(withoutScale(cell)) ? [i] : []))
    return reading('budget', figures)
  }

/** Recognises metrics in a table with a row for each day and a column for each metric. */
export const readDays: Read = (header, rows) => {
  const days = daysOf(header, rows)
  return days && reading('metrics', days.metrics, days.when)
}

export type Read = (header: readonly string[], rows: Sample['rows'], above: Sample['rows']) => Reading | null

const TAGS = ['class', 'department', 'budget']
const MONEY =
  /account|konto|amount|belopp|betrag|montant|debit|credit|debet|kredit|balance|saldo|paid|deposit|withdraw|value|transaction|voucher|journal/i
/** Includes dates that can be read in two ways; the user is asked which is meant. */
const DATE = /^\d{1,4}[./-]\d{1,2}[./-]\d{1,4}$/

/** Positions of the date and of the metrics; null where the rows are something else. */
export function daysOf(
  header: readonly string[],
  rows: readonly (readonly string[])[],
): { readonly when: number; readonly metrics: readonly number[] } | null {
  const when = [...positionsOf(header, 'date'), ...positionsOf(header, 'month')][0]
  if (when === undefined || header.some((cell) => MONEY.test(cell))) return null
  const tags = TAGS.flatMap((name) => positionsOf(header, name))
  const filled = rows.filter((cells) => cells.some((cell) => cell.trim() !== ''))
  const days = filled.filter((cells) => !isSummaryLabel(cells[when] ?? ''))
  const texts = days.map((cells) => (cells[when] ?? '').trim())
  const isDay = (text: string) => DATE.test(text) || parseDate(text) !== null || parseMonth(text) !== null
  const keys = new Set(days.map((cells) => [when, ...tags].map((column) => cells[column]).join('\n')))
  if (days.length < 2 || !texts.every(isDay) || keys.size < days.length) return null
  const metrics = header.flatMap((name, column) => {
    if (name.trim() === '' || column === when || tags.includes(column)) return []
    const cells = days.map((row) => (row[column] ?? '').trim()).filter((cell) => cell !== '')
    return cells.length > 0 && cells.every(isNumber) ? [column] : []
  })
  return metrics.length === 0 ? null : { when, metrics }
}

const isNumber = (text: string): boolean =>
  /^[-+]?\d[\d.,\s]*%?$/.test(plainNumber(text, { decimal: '.', thousands: '', currency: NO_CURRENCY })) ||
  /^[-+]?\d[\d.,\s]*%?$/.test(text)
