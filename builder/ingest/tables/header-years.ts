/**
 * The months of a header that does not state them whole: `Jan`, `P1`, `31/01/2025`, or a day that a spreadsheet made of `Jan-25`.
 * The year is taken from the title, or from the name of the sheet or file; what these leave open, or contradict, is asked.
 */
import { lastDay, monthOf } from '../../contract/calendar.ts'
import { error, type Finding } from '../../workspace/findings/finding.ts'
import { dateForm } from '../text/forms.ts'
import {
  bareMonth,
  barePeriod,
  monthsOf,
  parseDate,
  parseMonth,
  parsePeriod,
  periodOf,
} from '../text/months.ts'
import { withoutScale } from '../text/scale.ts'
import { type FiscalCalendar, monthsOfPeriod } from './periods.ts'
import type { Table } from './table.ts'

/** What a title states about the year. `months` is null where it names a fiscal year whose months are not clear. */
interface Year {
  readonly text: string
  readonly isCalendar: boolean
  readonly months: readonly string[] | null
}

const FISCAL =
  /\b(?:FY|fiscal year|financial year)[ -]?'?(?:20)?\d\d(?:[-/–](?:20)?\d\d)?\b(?![-/–]\d)|\b20\d\d ?[-/–] ?(?:20)?\d\d\b/i
/** A part of a title that names its days or months: `Budget for the year ended 30 June 2026`, `Budget: July 2025 – June 2026`. */
const DAYS =
  /(?:(?:for the )?(?:\d+ )?(?:year|months) (?:ended|ending) .*|(?:\d{1,2} )?[A-Z]\p{L}+\.?(?: \d{1,2})?,?(?: \d{4})? ?(?:[-–—]| to | through ) ?.*\d{4})$/iu

function yearIn(text: string, calendar: FiscalCalendar): Year | null {
  const days = periodOf(DAYS.exec(text.slice(-500))?.[0] ?? '')
  if (days !== null && days !== 'all')
    return { text, isCalendar: false, months: monthsOf({ first: days.startDate, last: days.endDate }) }
  const named = FISCAL.exec(text)?.[0]
    .replace(/(fiscal|financial) year/i, 'FY')
    .replace(/ ?([-/–]) ?/, '$1')
  const period = named === undefined ? null : parsePeriod(named.replace(/^FY-/i, 'FY'))
  if (period?.kind === 'year') {
    const months = monthsOfPeriod(period, calendar)
    // `2025-2026` over July to June says the years of its months, whatever the company's fiscal year.
    return {
      text,
      isCalendar: false,
      months: months ?? (period.fiscal === 'both' ? twoYears(period.year) : null),
    }
  }
  const years = new Set(text.match(/\b20\d\d\b/g))
  const [year] = years
  return year === undefined || years.size > 1 ? null : { text, isCalendar: true, months: yearOf(year) }
}

const yearOf = (year: string | number): string[] => monthsOf({ first: `${year}-01`, last: `${year}-12` })
const twoYears = (year: number): string[] => [...yearOf(year - 1), ...yearOf(year)]

export interface Dated {
  readonly table: Table
  readonly findings: readonly Finding[]
}

/** The table with `2026-01` for `Jan` where one year is named. A finding where the months could belong to two years, or to another than the title says. */
export function withYears(source: Table, calendar: FiscalCalendar): Dated {
  const titles = [...source.above.flatMap(({ cells }) => cells), source.sheet ?? '']
  const said = titles.flatMap((text) => yearIn(text, calendar) ?? [])
  const found = said[0] ?? yearIn(source.file.replace(/^.*\//, ''), calendar)
  const table = withMonthsOfDays(source)
  const bare = table.header.map((header) => bareMonth(withoutScale(header)))
  const periods = table.header.map((header) => barePeriod(withoutScale(header)))
  const isBare = (column: number) => bare[column] != null || periods[column] != null
  if (table.header.filter((_, column) => isBare(column)).length < 2) {
    const typed = typedMonths(table, said)
    return typed.findings.length > 0 ? typed : { ...typed, findings: otherYear(typed.table, said) }
  }
  if (found === null) return { table, findings: [] }
  const { months } = found
  const ofPeriods = found.isCalendar ? monthsOfPeriod(yearPeriod(months), calendar) : months
  const inOrder: string[] = []
  const header = table.header.map((text, column) => {
    if (!isBare(column)) return text
    const wanted = `-${String(bare[column]).padStart(2, '0')}`
    const isNext = (month: string) => month.endsWith(wanted) && month > (inOrder.at(-1) ?? '')
    const month = periods[column] != null ? ofPeriods?.[periods[column] - 1] : months?.find(isNext)
    inOrder.push(month ?? '')
    return month ?? text
  })
  // Of two years, months that all lie in one may be of the other.
  const isOfBoth =
    months === null || months.length <= 12 || inOrder[0]?.slice(0, 4) !== inOrder.at(-1)?.slice(0, 4)
  const isClear = isOfBoth && inOrder.every((month, i) => month !== '' && month > (inOrder[i - 1] ?? ''))
  return isClear ? { table: { ...table, header }, findings: [] } : { table, findings: [asked(table, found)] }
}

/** Months of which none lies in the year that a title names: one of them was left from the year before. */
function otherYear(table: Table, said: readonly Year[]): Finding[] {
  const months = table.header.flatMap(
    (text) => parseMonth(withoutScale(text)) ?? parseDate(text)?.slice(0, 7) ?? [],
  )
  const [year] = said.filter(({ text, isCalendar }) => !isCalendar || CALLED.test(text.trim()))
  if (months.length < 2 || year?.months == null) return []
  return months.some((month) => year.months?.includes(month)) ? [] : [asked(table, year)]
}
/** A title that names a year alone, `Budget 2025`; a day on which something was printed is another matter. */
const CALLED = /^(?:\p{L}+ ){0,2}20\d\d$/u

const yearPeriod = (months: Year['months']) =>
  ({ kind: 'year', year: Number(months?.[0]?.slice(0, 4)), part: 1, fiscal: false }) as const

const asked = (table: Table, { text, months }: Year): Finding =>
  error(
    'unclear-period',
    months === null
      ? `which months "${text}" means is not clear with these fiscal years`
      : `the title "${text}" and the months above the figures do not fit: it names ${months[0]} to ${months.at(-1)}`,
    {
      ...{
        file: table.file,
        row: table.headerRow,
        text: table.header.filter((each) => each !== '').join(', '),
      },
      remedy:
        'write the months above the figures with their years, such as Jul 2025, and the same year into the title; where fiscal years end in January or February, "fiscalYearName: end" or "fiscalYearName: start" in company.yaml says after which year they are called',
    },
  )

/** A header of days written like 31/01/2025, in the only form in which each is of another month. */
function withMonthsOfDays(table: Table): Table {
  const days = table.header.filter((text) => /^\d{1,4}[./-]\d{1,2}[./-]\d{1,4}$/.test(text))
  if (days.length < 2) return table
  const monthIn = (text: string, form: string) => parseDate(text, form)?.slice(0, 7)
  const forms = dateForm(days).formats.filter(
    (form) => new Set(days.map((text) => monthIn(text, form))).size === days.length,
  )
  const [form] = forms
  if (form === undefined || forms.length > 1) return table
  return {
    ...table,
    header: table.header.map((text) => (days.includes(text) ? (monthIn(text, form) ?? text) : text)),
  }
}

/**
 * Spreadsheets take a typed `Jan-25` for 25 January of the year in which it is typed. Where all headings are such days, the months
 * that were typed count if the title names their year, or if only they follow each other; where nothing tells, they are asked for.
 */
function typedMonths(table: Table, said: readonly Year[]): Dated {
  const days = table.header.filter((text) => parseDate(text) !== null)
  const stored = days.map((day) => day.slice(0, 7))
  const typed = days.map((day) => `20${day.slice(8)}-${day.slice(5, 7)}`)
  const follow = (months: readonly string[]) =>
    months.every((month, i) => i === 0 || monthOf(month) === monthOf(months[i - 1] ?? '') + 1)
  const areEnds = days.every((day) => day === lastDay(monthOf(day)))
  if (days.length < 2 || areEnds || !days.every((day) => day.slice(8) > '12') || !follow(typed))
    return { table, findings: [] }
  const isSaid = (months: readonly string[]) =>
    said.some((year) => months.every((month) => year.months?.includes(month)))
  if (isSaid(stored) || stored.join() === typed.join()) return { table, findings: [] }
  if (isSaid(typed) || !follow(stored)) {
    const header = table.header.map((text) => typed[days.indexOf(text)] ?? text)
    return { table: { ...table, header }, findings: [] }
  }
  const [first = '', last = ''] = [days[0], days.at(-1)]
  const finding = error(
    'unclear-period',
    `the months above the figures are days, ${first} to ${last}: spreadsheets make such days of a typed ${MONTH.format(new Date(first))}-${first.slice(8)}`,
    {
      ...{ file: table.file, row: table.headerRow, text: first },
      remedy: `write the months with their years, such as ${typed[0]} or ${stored[0]}`,
    },
  )
  return { table, findings: [finding] }
}

const MONTH = new Intl.DateTimeFormat('en', { month: 'short', timeZone: 'UTC' })
