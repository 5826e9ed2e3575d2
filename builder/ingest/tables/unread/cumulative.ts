/** Figures that are stated since the beginning of the fiscal year: a month's own is what it adds to the month before. */
import { monthOf, monthText } from '../../../contract/calendar.ts'
import { byCodePoint } from '../../../contract/vocabulary.ts'
import { error, type Finding } from '../../../workspace/findings/finding.ts'
import type { ColumnRows } from '../../format/column-rows.ts'
import { monthsOfFiscalYear } from '../../format/fiscal-years.ts'
import type { Origin } from '../../format/intake.ts'
import { shiftPoint } from '../../text/amount.ts'
import type { FiscalCalendar } from '../periods.ts'

/** The number of the month with which the fiscal year of a month begins. */
function yearStart(month: number, { fiscalMonthEnd, fiscalYears }: FiscalCalendar): number {
  const stated = fiscalYears.map((year) => monthsOfFiscalYear(year, fiscalYears))
  const own = stated.find(({ first, last }) => first <= month && month <= last)
  return own?.first ?? month - ((month - fiscalMonthEnd + 12) % 12)
}

/** `shown` says of what a row is and when (null where it is read as it stands), and writes another figure into it. */
export function ownOfMonths<Row extends Origin>(
  figures: 'cumulative' | undefined,
  rows: ColumnRows<Row>,
  kept: ColumnRows<Row>,
  calendar: FiscalCalendar,
  shown: {
    readonly place: (
      row: Row,
    ) => { readonly of: string; readonly date: string; readonly figure: string } | null
    readonly with: (row: Row, figure: string) => Row
  },
): { readonly rows: ColumnRows<Row>; readonly findings: Finding[] } {
  if (figures === undefined) return { rows, findings: [] }
  const findings: Finding[] = []
  const placed = [...rows].map((row) => ({ row, place: shown.place(row) }))
  const before = new Map<string, { readonly month: number; readonly figure: string }>()
  const inOrder = [...placed].sort((a, b) => byCodePoint(a.place?.date ?? '', b.place?.date ?? ''))
  for (const each of inOrder) {
    if (each.place === null) continue
    const { of, date, figure } = each.place
    const month = monthOf(date)
    const last = before.get(of)
    before.set(of, { month, figure })
    const start = yearStart(month, calendar)
    const isFollowing = last !== undefined && last.month >= start
    if (month - (isFollowing ? last.month : start - 1) > 1)
      findings.push(
        error(
          'cumulative-gap',
          `the figure is stated through ${monthText(month)} and not through ${monthText(month - 1)}, so that the month's own is not known`,
          { file: each.row.file, row: each.row.row, text: figure, remedy: 'state every month of the year' },
        ),
      )
    else if (isFollowing) each.row = shown.with(each.row, minus(figure, last.figure))
  }
  for (const { row } of placed) kept.push(row)
  return { rows: kept, findings }
}

/** Values have 6 decimals at most, and amounts fewer. */
const minus = (a: string, b: string): string =>
  shiftPoint(String(BigInt(shiftPoint(a, 6)) - BigInt(shiftPoint(b, 6))), -6)
