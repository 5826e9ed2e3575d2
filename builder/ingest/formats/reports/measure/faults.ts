/** The findings of single rows of a report. */
import { currencyDecimals, displayMinor } from '../../../../contract/currency.ts'
import { error, type Finding, warning } from '../../../../workspace/finding.ts'

type Place = Partial<Pick<Finding, 'file' | 'row' | 'column' | 'text'>>

const money = (minor: number, currency: string): string => displayMinor(minor, currencyDecimals(currency))

export const totalDiffers = (
  label: string,
  stated: number,
  found: number,
  currency: string,
  place: Place,
): Finding =>
  error(
    'total-differs',
    `${label} is stated as ${money(stated, currency)}, its lines add up to ${money(found, currency)}`,
    { ...place, remedy: 'rows are missing or were changed: export the report again' },
  )

/** A column that should repeat debit less credit, and does not. */
export const amountDiffers = (stated: number, found: number, currency: string, place: Place): Finding =>
  error(
    'amount-differs',
    `the line is stated as ${money(stated, currency)}; debit and credit give ${money(found, currency)}`,
    { ...place, remedy: 'export it again, and change nothing in the file' },
  )

/** Lines of days that the title does not cover: the title was changed, or the dates were read in a wrong form. */
export const outsidePeriod = (
  { count, date }: { readonly count: number; readonly date: string },
  { startDate, endDate }: { readonly startDate: string; readonly endDate: string },
  place: Place,
): Finding =>
  warning(
    'dates-outside-period',
    `the title says ${startDate} to ${endDate}; ${count === 1 ? 'a line is' : `${count} lines are`} dated outside of it, such as ${date}`,
    {
      ...place,
      text: date,
      remedy: 'export the report again; or state the form of its dates as "dateFormat" in company.yaml',
    },
  )

export const duplicateOpening = (id: string, row: number, place: Place): Finding =>
  error('duplicate-opening', `account ${id} has another balance brought forward, in row ${row}`, {
    ...place,
    text: id,
    remedy: 'export the report again, grouped by account alone',
  })
