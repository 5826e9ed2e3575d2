/**
 * For `tieout add`: recognises a sheet of metrics by day, by unique dates and columns of numbers that are not
 * money.
 */
import { NO_CURRENCY, plainNumber } from '../../text/amount.ts'
import { parseDate, parseMonth } from '../../text/months.ts'
import { positionsOf } from '../header.ts'
import { isSummaryLabel } from './columns.ts'

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
