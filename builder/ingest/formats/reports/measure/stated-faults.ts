/** The findings of reports whose programs mark their rows; figures come as people read them. */
import { error, type Finding } from '../../../../workspace/finding.ts'

type Place = Partial<Pick<Finding, 'file' | 'row'>>

export const AGAIN = 'export the report again, whole, and change nothing in the file'

export const noEnd = (id: string, place: Place): Finding =>
  error('total-missing', `account ${id} has no total, which the program writes below every account`, {
    ...place,
    text: id,
    remedy: `rows were deleted, or the report was cut off: ${AGAIN}`,
  })

export const noGrand = (place: Place): Finding =>
  error('report-cut-off', 'the total of all accounts is missing at the end: the report was cut off', {
    ...place,
    remedy: AGAIN,
  })

export const resultsDiffer = (by: string, place: Place): Finding =>
  error(
    'opening-differs',
    `at the beginning of the year results and equity change by ${by} in total; moving a result into equity would leave their sum as it was`,
    { ...place, remedy: AGAIN },
  )

interface ShownSides {
  readonly debit: string
  readonly credit: string
}

/** The report leaves out openings of accounts without lines, so that it cannot open the books. */
export const openingsIncomplete = (whole: ShownSides, own: ShownSides, place: Place): Finding =>
  error(
    'openings-incomplete',
    `the report opens with debits of ${whole.debit} and credits of ${whole.credit}; the openings of its accounts are ${own.debit} and ${own.credit}`,
    {
      ...place,
      remedy:
        'export it grouped by account, and from the day of the first entry: accounts without entries in the period are left out with their openings',
    },
  )

export const openingWithoutAccount = (amount: string, place: Place): Finding =>
  error(
    'opening-without-account',
    `an opening of ${amount} stands above no line, so that its account is unknown`,
    {
      ...place,
      remedy: 'export the report from an earlier day, so that the account has entries in it',
    },
  )
