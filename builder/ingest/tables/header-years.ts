/** Months without a year in a header: the year is taken from the title, or from the name of the sheet or file. */
import { bareMonth } from '../text/months.ts'
import { withoutScale } from '../text/scale.ts'
import { type FiscalCalendar, monthsOfPeriod } from './periods.ts'
import type { Table } from './table.ts'

/**
 * What a title states about the year: a calendar year, a fiscal year named by its end, or two calendar years, named
 * by the first.
 */
interface Year {
  readonly kind: 'calendar' | 'fiscal' | 'two'
  readonly year: number
}

function yearIn(text: string): Year | null {
  const fiscal = /\b(?:FY|fiscal year|financial year)[ -]?'?(\d{4}|\d{2})\b(?![-/–]\d)/i.exec(text)?.[1]
  if (fiscal !== undefined) return { kind: 'fiscal', year: Number(fiscal.padStart(4, '20')) }
  const two = /\b(20\d\d) ?[-/–] ?(?:20)?(\d\d)\b/.exec(text)
  if (two && (Number(two[1]) + 1) % 100 === Number(two[2])) return { kind: 'two', year: Number(two[1]) }
  const years = new Set(text.match(/\b20\d\d\b/g))
  return years.size === 1 ? { kind: 'calendar', year: Number([...years][0]) } : null
}

/**
 * The table with `Jan 2026` for `Jan` where one year is named; unchanged where none is, or where the months could
 * belong to two.
 */
export function withYears(table: Table, calendar: FiscalCalendar): Table {
  const months = table.header.map((header) => bareMonth(withoutScale(header)))
  if (months.filter((month) => month !== null).length < 2) return table
  const texts = [
    ...table.above.flatMap(({ cells }) => cells),
    table.sheet ?? '',
    table.file.replace(/^.*\//, ''),
  ]
  const found = texts.map(yearIn).find((year) => year !== null)
  if (found === undefined || found === null) return table
  const named = months.filter((month) => month !== null)
  const wrap = named.findIndex((month, i) => i > 0 && month <= (named[i - 1] ?? 0))
  const fiscal = monthsOfPeriod({ kind: 'year', year: found.year, fiscal: true }, calendar) ?? []
  if (found.kind === 'calendar' && wrap !== -1) return table
  let met = 0
  const header = table.header.map((text, column) => {
    const month = months[column]
    if (month == null) return text
    const behind = wrap !== -1 && met++ >= wrap
    const two = String(month).padStart(2, '0')
    if (found.kind === 'fiscal') return fiscal.find((each) => each.endsWith(`-${two}`)) ?? text
    return `${found.year + (behind ? 1 : 0)}-${two}`
  })
  return { ...table, header }
}
