/**
 * Checks that the books of a snapshot hold what its manifest says was read: for each source, the number of
 * its postings or values and their totals agree with the control totals that an auditor compares with the
 * source.
 */
import type { BooksTotals, FileTotals } from '../../books/read/file-totals.ts'
import { ROLES } from '../../ingest/format/intake.ts'
import { BOOKS, bookPath, MANIFEST } from '../../snapshot/files/layout.ts'
import { fileOf, type InputEntry, type Manifest } from '../../snapshot/files/manifest.ts'

interface TotalsProblem {
  readonly path: string
  readonly message: string
}

/**
 * How many postings were read from the ledgers, according to the manifest. Postings that the program makes
 * itself are not included.
 */
export const postingsRead = ({ Inputs }: Pick<Manifest, 'Inputs'>): number =>
  Inputs.reduce((sum, { Postings = 0 }) => sum + (Number.isSafeInteger(Postings) ? Postings : 0), 0)

/** Whether rows of the ledgers may be opening balances. Earlier versions did not state how many rows are postings. */
export const mayHaveOpeningLines = ({ Inputs }: Pick<Manifest, 'Inputs'>): boolean =>
  Inputs.some(({ Role, RowsRead, Postings }) => Role === 'ledger' && Postings !== RowsRead)

/**
 * Compares each source's totals in the manifest with those of the books; returns the file at fault and a
 * message for each difference.
 */
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
              message: `${path} has ${lines} ${what} of ${file}, which ${MANIFEST} does not list as a source`,
            },
          ],
    )
  const totalsOf = (found: readonly FileTotals[], { File }: InputEntry): FileTotals =>
    found.find(({ file }) => file === File) ?? {
      ...{ file: File, lines: 0, debit: '0', credit: '0', first: null, last: null },
    }
  // Earlier versions did not store which file a metric is from; then metrics cannot be compared by file.
  const namesFiles = (role: string) => role !== 'metrics' || values.every(({ file }) => file !== null)
  return [
    ...unlisted(postings, bookPath('postings.parquet'), 'postings'),
    ...unlisted(openings, bookPath('openings.parquet'), 'balances'),
    ...unlisted(values, BOOKS, 'values of budgets and metrics'),
    ...Inputs.flatMap((input) => [
      ...(input.Role === 'ledger'
        ? ledgerProblems(input, totalsOf(postings, input), totalsOf(openings, input))
        : []),
      ...(input.Values != null && namesFiles(input.Role)
        ? valueProblems(input, totalsOf(values, input))
        : []),
    ]),
  ]
}

/** A sentence for each statement about sources that contradicts another one of the same manifest. */
export function inputContradictions({
  Inputs,
  Configuration,
}: Pick<Manifest, 'Inputs' | 'Configuration'>): string[] {
  const files = new Map<string, InputEntry>()
  const named = new Set<string>()
  return Inputs.flatMap((input): string[] => {
    const {
      File,
      Role,
      Sha256,
      Bytes,
      RowsRead,
      RowsRejected,
      Postings = 0,
      Kept,
      FirstDate,
      LastDate,
    } = input
    const file = fileOf(input)
    const same = files.get(file) ?? input
    files.set(file, same)
    const isRepeated = named.has(`${Role} ${File}`)
    named.add(`${Role} ${File}`)
    const isInside = Sha256 === null || !/^[/\\]|^[a-z]:|(^|[/\\])\.\.([/\\]|$)|\0/i.test(file)
    const keeps = Configuration?.KeepInputs && Sha256 !== null
    const wrong: [isWrong: boolean, what: string][] = [
      [!isInside, 'lies outside the folder of the company'],
      [!(ROLES as readonly string[]).includes(Role), `is read as "${Role}", which is no role of a source`],
      [isRepeated, 'is listed twice'],
      [same.Sha256 !== Sha256 || same.Bytes !== Bytes, 'has two sizes or hashes'],
      [
        RowsRejected > 0 || Postings > RowsRead,
        `has ${RowsRead} rows, ${RowsRejected} rejected, and ${Postings} postings`,
      ],
      [(FirstDate ?? '') > (LastDate ?? ''), `begins on ${FirstDate} and ends on ${LastDate}`],
      [
        Kept !== undefined && keeps !== undefined && Kept !== keeps,
        `was ${Kept ? '' : 'not '}kept, against the setting keepInputs`,
      ],
    ]
    return wrong.flatMap(([isWrong, what]) => (isWrong ? [`${MANIFEST} says that ${File} ${what}`] : []))
  })
}

const inBooks = ({ lines, debit, credit }: FileTotals): string =>
  `${lines} postings with debits of ${debit} and credits of ${credit}`

function ledgerProblems(input: InputEntry, found: FileTotals, opened: FileTotals): TotalsProblem[] {
  const { File, RowsRead, Debit, Credit, Postings, PostedDebit, PostedCredit, FirstDate, LastDate, Values } =
    input
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
  const { first, last } = found
  const isWithin = first === null || ((FirstDate ?? '~') <= first && (LastDate ?? '') >= (last ?? ''))
  // Rows that are opening balances may have other days. Those of a file without rows are of its budget.
  const hasAllDays = found.lines === RowsRead && (RowsRead > 0 || Values == null)
  if (!isWithin || (hasAllDays && (FirstDate !== first || LastDate !== last)))
    return problem(
      `the books hold postings of ${File} from ${first} through ${last}; ${MANIFEST} states ${FirstDate} through ${LastDate}`,
    )
  // Of the remaining rows, opening balances of later years are not in the books.
  if (found.lines + opened.lines !== RowsRead) return []
  // A negative debit counts as a debit in the control totals and as a credit in the books (and vice versa),
  // so that both sides differ by the same amount.
  const beyond = minus(found.debit, Debit) + minus(opened.debit, null)
  if (beyond >= 0n && beyond === minus(found.credit, Credit) + minus(opened.credit, null)) return []
  return problem(
    `the books hold ${inBooks(found)} of ${File}; the control totals of that source are debits of ${Debit} and credits of ${Credit}`,
  )
}

function valueProblems({ File, Values, Total }: InputEntry, found: FileTotals): TotalsProblem[] {
  if (found.lines === Values && minus(found.debit, found.credit) === millionths(Total)) return []
  return [
    {
      path: BOOKS,
      message: `the books hold ${found.lines} values of ${File}, debits of ${found.debit} less credits of ${found.credit}; its control totals are ${Values} values of ${Total}`,
    },
  ]
}

const DECIMALS = 6

/**
 * Parses decimal text of at most six decimals into millionths, exactly. Null where it is not such a number.
 */
function millionths(text: string | null | undefined): bigint | null {
  const [, sign, whole, fraction = ''] = /^(-?)(\d+)(?:\.(\d{1,6}))?$/.exec(text ?? '') ?? []
  if (whole === undefined) return null
  const magnitude = BigInt(whole + fraction.padEnd(DECIMALS, '0'))
  return sign === '-' ? -magnitude : magnitude
}

const isSame = (a: string | null | undefined, b: string): boolean => millionths(a) === millionths(b)
const minus = (a: string, b: string | null): bigint => (millionths(a) ?? 0n) - (millionths(b) ?? 0n)
