/**
 * The vouchers of a SIE file: their numbers, the ids that they have in the books, what is missing, repeated or dated outside, and what their
 * lines use; noted while the file is read, because to read the lines of vouchers again takes as long.
 */
import { type Finding, ofLedger, warning } from '../../../workspace/findings/finding.ts'
import { type FiscalYear, yearLabel } from '../../format/intake.ts'
import { Numbering, shortList } from '../../format/numbering.ts'

export interface SieObject {
  readonly dimension: string
  readonly id: string
}

/** Lines that are alike: how many, and the first of them. */
export interface Lines {
  lines: number
  readonly firstLine: number
}

/** The lines that carry an object of a dimension; sums in minor units. */
export interface DimensionUse extends Lines {
  readonly objects: Set<string>
  debit: number
  credit: number
}

/** The lines that carry these objects together. */
export interface ObjectsUse extends Lines {
  /** What stands in the place of class and department in their rows; empty where there are no objects. */
  readonly tag: string
  readonly objects: readonly SieObject[]
  debit: number
  credit: number
}

/** Fields of a line hold no line ends. */
function textOf(objects: readonly SieObject[]): string {
  let text = ''
  for (const { dimension, id } of objects) text += `${dimension}\n${id}\n`
  return text
}

const INTEGER = /^\d{1,9}$/

/** Begins and ends so that the books, which leave out blanks around an id, take it as it is. */
const isBare = (reference: string): boolean => /^[\p{L}\p{N}](.*[\p{L}\p{N}])?$/su.test(reference)

/** What its #VER says of a voucher. */
export interface SieVoucher {
  /** Empty where the voucher has none; some programs write `#` for that. */
  readonly series: string
  readonly number: string
  readonly date: string
  readonly text: string
  readonly line: number
}

/** A voucher, with how people write its number. */
interface Numbered extends Pick<SieVoucher, 'date' | 'line'> {
  readonly reference: string
}

/** The vouchers of a file. */
export class Vouchers {
  readonly numbering = new Numbering()
  /** Series → number that several vouchers have → the line of the last. */
  readonly repeated = new Map<string, Map<number, number>>()
  /** By reference the first voucher that has it, and all others. */
  readonly #first = new Map<string, Numbered>()
  readonly #others: Numbered[] = []
  /** References without zeros in front of the number, of vouchers that have such zeros. */
  readonly #padded = new Set<string>()
  /** Account → the first line with it. */
  readonly accounts = new Map<string, number>()
  /** Objects as they stand on lines, by {@link textOf}. */
  readonly objects = new Map<string, ObjectsUse>()
  /** Date of lines → how many have it. */
  readonly dates = new Map<string, Lines>()
  readonly #file: string

  constructor(file: string) {
    this.#file = file
  }

  /** What stands in the place of the id in the rows of the voucher: its reference, where no voucher above has it. */
  add({ series, number, date, line }: SieVoucher): string {
    const voucher = { reference: referenceOf({ series, number }), date, line }
    const isFirst = !this.#first.has(voucher.reference)
    if (isFirst) this.#first.set(voucher.reference, voucher)
    else this.#others.push(voucher)
    if (INTEGER.test(number)) {
      this.numbering.add(series, number, line)
      const repeated = this.repeated.get(series) ?? new Map<number, number>()
      this.repeated.set(series, repeated)
      // 007 and 7 are one number.
      const plain = number.startsWith('0')
        ? referenceOf({ series, number: `${Number(number)}` })
        : voucher.reference
      const isPadded = plain !== voucher.reference
      if (!isFirst || this.#padded.has(plain) || (isPadded && this.#first.has(plain)))
        repeated.set(Number(number), line)
      if (isPadded) this.#padded.add(plain)
    }
    return this.placeOf(voucher)
  }

  placeOf({ reference, line }: Numbered): string {
    return isBare(reference) && this.#first.get(reference)?.line === line ? reference : `#${line}`
  }

  /** In the order of the file, the vouchers whose reference is no id: another one has it, or the books would not take it as it is; or `all`. */
  doubtful(all: boolean): readonly Numbered[] {
    const repeated = new Set(this.#others.map(({ reference }) => reference))
    const found = [...this.#first.values()].filter(
      ({ reference }) => all || repeated.has(reference) || !isBare(reference),
    )
    return [...found, ...this.#others].sort((a, b) => a.line - b.line)
  }

  /** Notes a line, and returns the tag of its objects. */
  note(account: string, objects: readonly SieObject[], minor: number, date: string, line: number): string {
    if (!this.accounts.has(account)) this.accounts.set(account, line)
    const dated = this.dates.get(date) ?? { lines: 0, firstLine: line }
    if (dated.lines++ === 0) this.dates.set(date, dated)
    if (objects.length === 0) return ''
    const text = textOf(objects)
    let use = this.objects.get(text)
    if (use === undefined) {
      const tag = `#${this.objects.size + 1} ${this.#file}`
      use = { tag, objects, lines: 0, debit: 0, credit: 0, firstLine: line }
      this.objects.set(text, use)
    }
    use.lines++
    if (minor > 0) use.debit += minor
    else use.credit -= minor
    return use.tag
  }

  get dimensions(): ReadonlyMap<string, DimensionUse> {
    const uses = new Map<string, DimensionUse>()
    for (const { objects, lines, debit, credit, firstLine } of this.objects.values())
      for (const dimension of new Set(objects.map((object) => object.dimension))) {
        const use = uses.get(dimension) ?? { objects: new Set(), lines: 0, debit: 0, credit: 0, firstLine }
        uses.set(dimension, use)
        for (const object of objects) if (object.dimension === dimension) use.objects.add(object.id)
        use.lines += lines
        use.debit += debit
        use.credit += credit
      }
    return uses
  }
}

/** `B 12`, as people write it; empty where the voucher has neither series nor number. */
export const referenceOf = ({ series, number }: Pick<SieVoucher, 'series' | 'number'>): string =>
  series === '' || number === '' ? series + number : `${series} ${number}`

/** `2011 B 12`, where the year's label is `2011`; the label alone where the voucher has neither series nor number. */
export const plainId = (label: string, reference: string): string =>
  reference === '' ? label : `${label} ${reference}`

interface NumberedFile {
  readonly file: string
  readonly vouchers: Vouchers
}

/** Of each file what stands in the place of an id, with the label of its year → the id, where that is another. */
export type GivenIds = ReadonlyMap<NumberedFile, ReadonlyMap<string, string>>

/** The plain id of a voucher; where that repeats in any file, with the date, then counted in the order of the files. */
export function givenIds(
  years: readonly { readonly file: NumberedFile; readonly year: FiscalYear }[],
): GivenIds {
  const vouchers = years.flatMap(({ file, year }) => {
    const label = yearLabel(year)
    // Ids of years with different labels differ.
    const isOne = years.filter((other) => yearLabel(other.year) === label).length === 1
    return file.vouchers.doubtful(!isOne).map((voucher) => ({
      ...{ ...voucher, file, plain: plainId(label, voucher.reference) },
      written: plainId(label, file.vouchers.placeOf(voucher)),
    }))
  })
  const counts = new Map<string, number>()
  for (const { plain } of vouchers) counts.set(plain, (counts.get(plain) ?? 0) + 1)
  const given = new Map(years.map(({ file }) => [file, new Map<string, string>()]))
  const known = new Set<string>()
  const last = new Map<string, number>()
  for (const { file, reference, date, plain, written } of vouchers) {
    const dated = counts.get(plain) === 1 && reference !== '' ? plain : `${plain} ${date}`
    let id = dated
    for (let n = last.get(dated) ?? 2; known.has(id); n++) {
      id = `${dated} (${n})`
      last.set(dated, n)
    }
    known.add(id)
    if (id !== written) given.get(file)?.set(written, id)
  }
  return given
}

const ASK = 'ask the bookkeeper why; where vouchers are missing, export the file again'

/** An auditor's first look at a series: each number once, none left out. Numbers that are not integers have no order. */
export const seriesFindings = ({ file, vouchers: { numbering, repeated: all } }: NumberedFile): Finding[] => [
  ...numbering.findings(file, { isShared: false, column: null, remedy: ASK }),
  ...[...all].flatMap(([name, repeated]) => {
    const numbers = [...repeated.keys()].sort((a, b) => a - b)
    const [first] = numbers
    if (first === undefined) return []
    return [
      warning(
        'voucher-repeat',
        `${name === '' ? 'vouchers without a series' : `voucher series ${ofLedger(name)}`}: used more than once ${ofLedger(shortList(numbers))}`,
        { file, row: repeated.get(first) ?? null, text: name || null, remedy: ASK },
      ),
    ]
  }),
]

/** What the dates of the vouchers contradict: the fiscal year, and the days that the file says to cover. */
export function voucherFindings(
  { file, coveredTo, vouchers }: NumberedFile & { readonly coveredTo: string | null },
  year: FiscalYear,
): Finding[] {
  const dates = [...vouchers.dates].filter(([date]) => date !== '')
  const found = (
    isMeant: (date: string) => boolean,
    code: 'date-outside-year' | 'date-after-coverage',
    message: (lines: string, first: string) => string,
    remedy: string,
  ): Finding[] => {
    const meant = dates.filter(([date]) => isMeant(date))
    const [first] = meant
    if (first === undefined) return []
    const [text, { firstLine: row }] = first
    const lines = meant.reduce((sum, [, each]) => sum + each.lines, 0)
    const said = message(`${lines} ${lines === 1 ? 'line is' : 'lines are'} dated`, text)
    return [warning(code, said, { file, row, text, remedy })]
  }
  return [
    ...found(
      (date) => date !== insideYear(date, year),
      'date-outside-year',
      (lines, first) =>
        `${lines} outside the fiscal year ${year.start} to ${year.end} that their vouchers belong to and count on its nearest day; the first, of ${first}, on ${insideYear(first, year)}`,
      'correct the dates in the accounting program',
    ),
    ...found(
      (date) => coveredTo !== null && insideYear(date, year) > coveredTo,
      'date-after-coverage',
      (lines, first) =>
        `the file says that it covers the days up to ${coveredTo} (#OMFATTN), and ${lines} later, the first ${first}; they count`,
      'are all entries of these days in the file? else export the whole fiscal year',
    ),
  ]
}

/** A posting counts in the year of its voucher: one that is dated outside it, on the nearest day of that year. The books do the same (`isWithin`). */
const insideYear = (date: string, { start, end }: FiscalYear): string =>
  date < start ? start : date > end ? end : date
