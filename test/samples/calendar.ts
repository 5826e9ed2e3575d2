/** Days and months as ISO text, computed in UTC: no clock, no time zone, no locale. */

const iso = (time: number): string => new Date(time).toISOString().slice(0, 10)
const timeOf = (date: string): number => Date.parse(`${date}T00:00:00Z`)

export const addDays = (date: string, days: number): string => iso(timeOf(date) + days * 86_400_000)
/** 0 is Sunday. */
export const weekday = (date: string): number => new Date(timeOf(date)).getUTCDay()
export const monthOf = (date: string): string => date.slice(0, 7)
export const yearOf = (date: string): number => Number(date.slice(0, 4))
/** 1 to 12 */
export const monthNumber = (month: string): number => Number(month.slice(5, 7))

export const lastDay = (month: string): string =>
  iso(Date.UTC(Number(month.slice(0, 4)), monthNumber(month), 0))
export const daysIn = (month: string): number => Number(lastDay(month).slice(8))

/** The given day of a month, or its last day where the month is shorter. */
export const dayOf = (month: string, day: number): string =>
  `${month}-${String(Math.min(day, daysIn(month))).padStart(2, '0')}`

export const addMonths = (month: string, count: number): string =>
  iso(Date.UTC(Number(month.slice(0, 4)), monthNumber(month) - 1 + count, 1)).slice(0, 7)

export function monthsBetween(first: string, last: string): string[] {
  const months: string[] = []
  for (let month = first; month <= last; month = addMonths(month, 1)) months.push(month)
  return months
}

/** The day itself; where it falls on a weekend the Monday after, or the Friday before where Monday is next month. */
export function businessDay(date: string): string {
  const day = weekday(date)
  if (day !== 0 && day !== 6) return date
  const monday = addDays(date, day === 6 ? 2 : 1)
  return monthOf(monday) === monthOf(date) ? monday : addDays(date, day === 6 ? -1 : -2)
}
