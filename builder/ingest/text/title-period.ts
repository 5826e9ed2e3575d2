/** The dates that the title of a report or of a sheet says it covers. */
import { firstDay, lastDay, monthOf } from '../../contract/calendar.ts'
import type { DateRange } from '../../contract/document.ts'
import { parseDate, parseMonth } from './months.ts'

/** A report of all dates has no beginning: nothing came before it. */
export type ReportPeriod = DateRange | 'all'

const FULL = /^(january|february|march|april|may|june|july|august|september|october|november|december)$/i
const dayOf = (text: string): string | null => {
  const plain = text.replace(/[A-Za-z]+/, (name) => (FULL.test(name) ? name.slice(0, 3) : name))
  for (const form of ['MMM D, YYYY', 'MMM D YYYY', 'D MMM YYYY', 'YYYY-MM-DD']) {
    const date = parseDate(plain, form)
    if (date !== null) return date
  }
  return null
}
const monthIn = (text: string): number | null => {
  const month = parseMonth(text.replace(',', ''))
  return month === null ? null : monthOf(`${month}-01`)
}

/** `January 1-December 31, 2025`, `January through March 2025`, `For the period 1 January 2025 to 31 March 2025`, `All Dates`. */
export function periodOf(title: string): ReportPeriod | null {
  const text = title.replace(/\s+/g, ' ').trim()
  if (/^all( dates)?$/i.test(text)) return 'all'
  const [, count, unit, last] =
    /^(?:for the )?(\d+ )?(year|months?|quarter) (?:ended|ending) (.+)$/i.exec(text) ?? []
  if (unit !== undefined && last !== undefined) {
    const end = dayOf(last)
    if (end === null) return null
    const months = /year/i.test(unit) ? 12 : /quarter/i.test(unit) ? 3 : Number(count ?? 1)
    return { startDate: firstDay(monthOf(end) - months + 1), endDate: end }
  }
  const plain = text.replace(/^(for the period )?(from )?/i, '')
  const [from = '', to, ...more] = plain.split(
    /\s+(?:through|thru|to)\s+|\s*[-\u2010-\u2015]\s*(?=[A-Za-z0-9])/i,
  )
  if (to === undefined) {
    const month = monthIn(plain)
    return month === null ? null : { startDate: firstDay(month), endDate: lastDay(month) }
  }
  if (more.length > 0) return null
  const year = /\b(\d{4})$/.exec(to)?.[1] ?? ''
  // `January 1-31, 2025` names the month once, `January 1-March 31, 2025` the year.
  const month = /^[A-Za-z]+/.exec(from)?.[0] ?? ''
  const end = /^\d{1,2},? \d{4}$/.test(to) ? `${month} ${to}` : to
  const start = /\b\d{4}$/.test(from)
    ? from
    : `${from}${/\d/.test(from) && /^[A-Za-z]/.test(from) ? ',' : ''} ${year}`
  const startMonth = monthIn(start)
  const endMonth = monthIn(end)
  const startDate = startMonth === null ? dayOf(start) : firstDay(startMonth)
  const endDate = endMonth === null ? dayOf(end) : lastDay(endMonth)
  return startDate === null || endDate === null || endDate < startDate ? null : { startDate, endDate }
}
