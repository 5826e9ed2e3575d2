/** SIE vouchers as rows of the books: their ids, one effective date per line, and whether each voucher balances. */
import { error, type Finding, warning } from '../../../workspace/finding.ts'
import { type FiscalYear, yearLabel } from '../../format/intake.ts'
import { EntryText } from './csv.ts'
import { plainId, referenceOf } from './numbers.ts'
import type { VoucherVisitor } from './parse.ts'
import type { SieLine, SieVoucher } from './records.ts'
import type { Shown } from './stated.ts'
import { type DimensionRules, type MemberUses, Tagger } from './tags.ts'

/** What rows of vouchers need of the whole file, and of the other files of its entry. */
export interface VoucherContext {
  /** To which the vouchers belong. */
  readonly year: FiscalYear
  readonly coveredTo: string | null
  readonly rules: DimensionRules
}

/** Lines of which the first is told. */
interface Some<Line> {
  readonly count: number
  readonly first: Line
}

/** What is said of all vouchers together. */
export interface VoucherRemarks {
  readonly findings: readonly Finding[]
  /** Lines that are dated outside of the year; `moved` is the day on which one counts. */
  readonly outside: Some<{ readonly date: string; readonly moved: string; readonly line: number }> | null
  /** Lines that are dated after the last day that the file covers. */
  readonly later: Some<{ readonly date: string; readonly line: number }> | null
  readonly uses: MemberUses
}

/** The day on which a line counts, and its amount in minor units. */
interface CountedLine {
  readonly date: string
  readonly minor: number
}

const plusOne = <Line>(some: Some<Line> | null, line: Line): Some<Line> =>
  some === null ? { count: 1, first: line } : { count: some.count + 1, first: some.first }

interface OpenVoucher {
  readonly voucher: SieVoucher
  readonly id: string
  readonly lines: CountedLine[]
}

/** The rows of the vouchers that it is told of. */
export class VoucherRows implements VoucherVisitor {
  readonly #file: string
  readonly #context: VoucherContext
  readonly #ids: ReadonlyMap<number, string>
  readonly #shown: Shown
  readonly #label: string
  readonly #tagger: Tagger
  readonly #findings: Finding[] = []
  readonly #text = new EntryText()
  #outside: VoucherRemarks['outside'] = null
  #later: VoucherRemarks['later'] = null
  #open: OpenVoucher | null = null

  /** `ids`: the line of a voucher → its id, where that is not the plain one. */
  constructor(file: string, context: VoucherContext, ids: ReadonlyMap<number, string>, shown: Shown) {
    this.#file = file
    this.#context = context
    this.#ids = ids
    this.#shown = shown
    this.#label = yearLabel(context.year)
    this.#tagger = new Tagger(context.rules)
  }

  begin(voucher: SieVoucher): void {
    const reference = referenceOf(voucher)
    const id = this.#ids.get(voucher.line) ?? plainId(this.#label, reference)
    this.#open = { voucher, id, lines: [] }
    this.#text.begin({ id, reference, journal: voucher.series })
  }

  line({ account, amount, minor, objects, text, date: own, line }: SieLine): void {
    const { year, coveredTo } = this.#context
    const date = insideYear(own, year)
    if (date !== own && own !== '') this.#outside = plusOne(this.#outside, { date: own, moved: date, line })
    if (coveredTo !== null && date > coveredTo) this.#later = plusOne(this.#later, { date: own, line })
    this.#open?.lines.push({ date, minor })
    const tags = this.#tagger.use(objects, { file: this.#file, row: line })
    this.#text.add({ row: line, date, account, amount, tags, memo: text })
  }

  end(isDamaged: boolean): void {
    // Where a line could not be read, the sum of the voucher is not known: that line has its own finding.
    if (this.#open !== null && !isDamaged) this.#balance(this.#open)
    this.#open = null
  }

  /** What was written since the last call, as CSV. */
  written(): string {
    return this.#text.written()
  }

  remarks(): VoucherRemarks {
    return {
      findings: this.#findings,
      outside: this.#outside,
      later: this.#later,
      uses: this.#tagger.uses(),
    }
  }

  /** A voucher balances as a whole, and in each month that its lines are dated in. */
  #balance({ voucher, id, lines }: OpenVoucher): void {
    let off = 0
    let isOneDay = true
    for (const { date, minor } of lines) {
      off += minor
      isOneDay &&= date === lines[0]?.date
    }
    if (off === 0 && isOneDay) return
    this.#findings.push(...unbalanced(this.#file, voucher, id, lines, off, this.#shown))
  }
}

/** What is wrong with the vouchers of a file. */
export const voucherFindings = (
  file: string,
  { year, coveredTo }: Pick<VoucherContext, 'year' | 'coveredTo'>,
  { findings, outside, later }: VoucherRemarks,
): Finding[] => [
  ...findings,
  ...datedOutside(file, year, outside),
  ...datedAfterCoverage(file, coveredTo, later),
]

/** Debit minus credit by month. */
function sumsByMonth(lines: readonly CountedLine[]): Map<string, number> {
  const months = new Map<string, number>()
  for (const { date, minor } of lines) {
    const month = date.slice(0, 7)
    months.set(month, (months.get(month) ?? 0) + minor)
  }
  return months
}

function unbalanced(
  file: string,
  voucher: SieVoucher,
  id: string,
  lines: readonly CountedLine[],
  off: number,
  shown: Shown,
): Finding[] {
  const name = `voucher ${referenceOf(voucher) || id} of ${voucher.date}`
  const report = (message: string, remedy: string) =>
    error('unbalanced-transaction', `${name} ${message}`, {
      file,
      row: voucher.line,
      text: voucher.text || null,
      remedy,
    })
  if (off !== 0) {
    const debit = lines.reduce((sum, { minor }) => sum + Math.max(minor, 0), 0)
    return [
      report(
        `does not balance: debit ${shown(debit)}, credit ${shown(debit - off)}, difference ${shown(off)}`,
        'correct the voucher in the accounting program and export again',
      ),
    ]
  }
  return [...sumsByMonth(lines)].flatMap(([month, sum]) =>
    sum === 0
      ? []
      : [
          report(
            `balances, but not in each month that its lines are dated in: ${month} is off by ${shown(sum)}`,
            'date its lines in one month, or book through an interim account',
          ),
        ],
  )
}

function datedOutside(file: string, year: FiscalYear, lines: VoucherRemarks['outside']): Finding[] {
  if (lines === null) return []
  const { count, first } = lines
  return [
    warning(
      'date-outside-year',
      `${count} ${count === 1 ? 'line is' : 'lines are'} dated outside the fiscal year ${year.start} to ${year.end} that their vouchers belong to and count on its nearest day; the first, of ${first.date}, on ${first.moved}`,
      { file, row: first.line, text: first.date, remedy: 'correct the dates in the accounting program' },
    ),
  ]
}

function datedAfterCoverage(
  file: string,
  coveredTo: string | null,
  lines: VoucherRemarks['later'],
): Finding[] {
  if (lines === null) return []
  const { count, first } = lines
  return [
    warning(
      'date-after-coverage',
      `the file says that it covers the days up to ${coveredTo} (#OMFATTN), and ${count} ${count === 1 ? 'line is' : 'lines are'} dated later, the first ${first.date}; they count`,
      {
        file,
        row: first.line,
        text: first.date,
        remedy: 'are all entries of these days in the file? else export the whole fiscal year',
      },
    ),
  ]
}

/** A posting counts in the year of its voucher: one that is dated outside it, on the nearest day of that year. */
const insideYear = (date: string, { start, end }: FiscalYear): string =>
  date < start ? start : date > end ? end : date
