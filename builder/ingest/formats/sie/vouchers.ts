/** SIE vouchers as rows of the books: their ids, and one effective date per line. */
import { type Finding, warning } from '../../../workspace/finding.ts'
import { type FiscalYear, yearLabel } from '../../format/intake.ts'
import { EntryText } from './csv.ts'
import { plainId, referenceOf } from './numbers.ts'
import type { VoucherVisitor } from './parse.ts'
import type { SieLine, SieVoucher } from './records.ts'
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
  /** Lines that are dated outside of the year; `moved` is the day on which one counts. */
  readonly outside: Some<{ readonly date: string; readonly moved: string; readonly line: number }> | null
  /** Lines that are dated after the last day that the file covers. */
  readonly later: Some<{ readonly date: string; readonly line: number }> | null
  readonly uses: MemberUses
}

const plusOne = <Line>(some: Some<Line> | null, line: Line): Some<Line> =>
  some === null ? { count: 1, first: line } : { count: some.count + 1, first: some.first }

/** The rows of the vouchers that it is told of. */
export class VoucherRows implements VoucherVisitor {
  readonly #file: string
  readonly #context: VoucherContext
  readonly #ids: ReadonlyMap<number, string>
  readonly #label: string
  readonly #tagger: Tagger
  readonly #text = new EntryText()
  #outside: VoucherRemarks['outside'] = null
  #later: VoucherRemarks['later'] = null

  /** `ids`: the line of a voucher → its id, where that is not the plain one. */
  constructor(file: string, context: VoucherContext, ids: ReadonlyMap<number, string>) {
    this.#file = file
    this.#context = context
    this.#ids = ids
    this.#label = yearLabel(context.year)
    this.#tagger = new Tagger(context.rules)
  }

  begin(voucher: SieVoucher): void {
    const reference = referenceOf(voucher)
    const id = this.#ids.get(voucher.line) ?? plainId(this.#label, reference)
    this.#text.begin({ id, reference, journal: voucher.series })
  }

  line({ account, amount, objects, text, date: own, line }: SieLine): void {
    const { year, coveredTo } = this.#context
    const date = insideYear(own, year)
    if (date !== own && own !== '') this.#outside = plusOne(this.#outside, { date: own, moved: date, line })
    if (coveredTo !== null && date > coveredTo) this.#later = plusOne(this.#later, { date: own, line })
    const tags = this.#tagger.use(objects, { file: this.#file, row: line })
    this.#text.add({ row: line, date, account, amount, tags, memo: text })
  }

  /** What was written since the last call, as CSV. */
  written(): string {
    return this.#text.written()
  }

  remarks(): VoucherRemarks {
    return {
      outside: this.#outside,
      later: this.#later,
      uses: this.#tagger.uses(),
    }
  }
}

/** What is wrong with the vouchers of a file. */
export const voucherFindings = (
  file: string,
  { year, coveredTo }: Pick<VoucherContext, 'year' | 'coveredTo'>,
  { outside, later }: VoucherRemarks,
): Finding[] => [...datedOutside(file, year, outside), ...datedAfterCoverage(file, coveredTo, later)]

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
