/** What the dates of a SIE file's vouchers contradict. */
import { type Finding, warning } from '../../../workspace/findings/finding.ts'
import type { FiscalYear } from '../../format/intake.ts'
import type { SieFile } from './records.ts'
import type { Lines } from './uses.ts'

interface Dated extends Lines {
  readonly date: string
}

export function voucherFindings({ file, coveredTo, uses }: SieFile, year: FiscalYear): Finding[] {
  const dates = [...uses.dates].map(([date, lines]) => ({ date, ...lines }))
  const isOutside = ({ date }: Dated) => date !== '' && date !== insideYear(date, year)
  return [
    ...datedOutside(file, year, together(dates.filter(isOutside))),
    ...datedAfterCoverage(
      file,
      coveredTo,
      together(dates.filter(({ date }) => coveredTo !== null && insideYear(date, year) > coveredTo)),
    ),
  ]
}

/** All of these lines, with the date of the first; null where there are none. */
const together = (dates: readonly Dated[]): Dated | null =>
  dates.length === 0
    ? null
    : {
        ...dates.reduce((first, each) => (each.firstLine < first.firstLine ? each : first)),
        lines: dates.reduce((sum, { lines }) => sum + lines, 0),
      }

function datedOutside(file: string, year: FiscalYear, found: Dated | null): Finding[] {
  if (found === null) return []
  const { lines, firstLine, date } = found
  return [
    warning(
      'date-outside-year',
      `${lines} ${lines === 1 ? 'line is' : 'lines are'} dated outside the fiscal year ${year.start} to ${year.end} that their vouchers belong to and count on its nearest day; the first, of ${date}, on ${insideYear(date, year)}`,
      { file, row: firstLine, text: date, remedy: 'correct the dates in the accounting program' },
    ),
  ]
}

function datedAfterCoverage(file: string, coveredTo: string | null, found: Dated | null): Finding[] {
  if (found === null) return []
  const { lines, firstLine, date } = found
  return [
    warning(
      'date-after-coverage',
      `the file says that it covers the days up to ${coveredTo} (#OMFATTN), and ${lines} ${lines === 1 ? 'line is' : 'lines are'} dated later, the first ${date}; they count`,
      {
        file,
        row: firstLine,
        text: date,
        remedy: 'are all entries of these days in the file? else export the whole fiscal year',
      },
    ),
  ]
}

/** A posting counts in the year of its voucher: one that is dated outside it, on the nearest day of that year. The books do the same (`isWithin`). */
const insideYear = (date: string, { start, end }: FiscalYear): string =>
  date < start ? start : date > end ? end : date
