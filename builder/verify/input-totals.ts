/**
 * Whether the books of a snapshot hold what its manifest says was read: for each source the number of its postings and
 * values, and what they add up to, against the control totals that an auditor compares with the source.
 */
import type { BooksTotals, FileTotals } from '../books/file-totals.ts'
import { BOOKS, bookPath, MANIFEST } from '../snapshot/layout.ts'
import type { InputEntry, Manifest } from '../snapshot/manifest.ts'

export interface TotalsProblem {
  readonly path: string
  readonly message: string
}

/** How many postings stand in the books before those that the program books itself. */
export const postingsRead = ({ Inputs }: Pick<Manifest, 'Inputs'>): number =>
  Inputs.reduce((sum, { Postings }) => sum + (Number.isSafeInteger(Postings) ? Postings! : 0), 0)

export function inputProblems({ Inputs }: Pick<Manifest, 'Inputs'>, totals: BooksTotals): TotalsProblem[] {
  const { postings, openings, values } = totals
  const listed = new Set(Inputs.map(({ File }) => File))
  const unlisted = (found: readonly FileTotals[], path: string, what: string) =>
    found.flatMap(({ file, lines }) =>
      file === null || listed.has(file)
        ? []
        : [
            {
              path,
              message: `${path} has ${lines} ${what} of ${file}, which is none of the sources that ${MANIFEST} lists`,
            },
          ],
    )
  const of = (found: readonly FileTotals[], { File }: InputEntry): FileTotals =>
    found.find(({ file }) => file === File) ?? { file: File, lines: 0, debit: '0', credit: '0' }
  // Metrics of earlier versions do not say which file they are of.
  const namesFiles = (role: string) => role !== 'metrics' || values.every(({ file }) => file !== null)
  return [
    ...unlisted(postings, bookPath('postings.parquet'), 'postings'),
    ...unlisted(openings, bookPath('openings.parquet'), 'balances'),
    ...unlisted(values, BOOKS, 'values of budgets and metrics'),
    ...Inputs.flatMap((input) => [
      ...(input.Role === 'ledger' ? ledgerProblems(input, of(postings, input)) : []),
      ...(input.Values != null && namesFiles(input.Role) ? valueProblems(input, of(values, input)) : []),
    ]),
  ]
}

const inBooks = ({ lines, debit, credit }: FileTotals): string =>
  `${lines} postings with debits of ${debit} and credits of ${credit}`

function ledgerProblems(input: InputEntry, found: FileTotals): TotalsProblem[] {
  const { File, RowsRead, Debit, Credit, Postings, PostedDebit, PostedCredit } = input
  const problem = (message: string) => [{ path: bookPath('postings.parquet'), message }]
  if (
    Postings !== undefined &&
    !(Postings === found.lines && isSame(PostedDebit, found.debit) && isSame(PostedCredit, found.credit))
  )
    return problem(
      `the books hold ${inBooks(found)} of ${File}; ${MANIFEST} states ${Postings} with debits of ${PostedDebit} and credits of ${PostedCredit}`,
    )
  if (found.lines > RowsRead)
    return problem(
      `the books hold ${found.lines} postings of ${File}, from which ${RowsRead} rows were read: postings that no source holds`,
    )
  // The other rows are opening balances, which are no postings.
  if (found.lines < RowsRead) return []
  // An amount below zero on one side counts there, and in the books on the other: both sides are off by the same.
  const beyond = minus(found.debit, Debit)
  if (beyond >= 0n && beyond === minus(found.credit, Credit)) return []
  return problem(
    `the books hold ${inBooks(found)} of ${File}; the control totals of that source are debits of ${Debit} and credits of ${Credit}`,
  )
}

function valueProblems({ File, Values, Total }: InputEntry, found: FileTotals): TotalsProblem[] {
  if (found.lines === Values && minus(found.debit, found.credit) === millionths(Total)) return []
  return [
    {
      path: BOOKS,
      message: `the books hold ${found.lines} values of ${File}, ${found.debit} less ${found.credit} in sum; its control totals are ${Values} values of ${Total}`,
    },
  ]
}

const DECIMALS = 6

/** Decimal text of up to six decimals, exactly. What is none equals nothing. */
function millionths(text: string | null | undefined): bigint | null {
  const [, sign, whole, fraction = ''] = /^(-?)(\d+)(?:\.(\d{1,6}))?$/.exec(text ?? '') ?? []
  if (whole === undefined) return null
  const magnitude = BigInt(whole + fraction.padEnd(DECIMALS, '0'))
  return sign === '-' ? -magnitude : magnitude
}

const isSame = (a: string | null | undefined, b: string): boolean => millionths(a) === millionths(b)
const minus = (a: string, b: string | null): bigint => (millionths(a) ?? 0n) - (millionths(b) ?? 0n)
