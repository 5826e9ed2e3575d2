/** The numbers of SIE vouchers, the ids that they have in the books, and what is missing or repeated. Reads no lines of vouchers. */
import { type Finding, ofLedger, warning } from '../../../workspace/findings/finding.ts'
import { type FiscalYear, yearLabel } from '../../format/intake.ts'
import { Numbering, shortList } from '../../format/numbering.ts'

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
export class VoucherNumbers {
  readonly numbering = new Numbering()
  /** Series → number that several vouchers have → the line of the last. */
  readonly repeated = new Map<string, Map<number, number>>()
  /** By reference the first voucher that has it, and all others. */
  readonly #first = new Map<string, Numbered>()
  readonly #others: Numbered[] = []
  /** References without zeros in front of the number, of vouchers that have such zeros. */
  readonly #padded = new Set<string>()

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
}

/** `B 12`, as people write it; empty where the voucher has neither series nor number. */
export const referenceOf = ({ series, number }: Pick<SieVoucher, 'series' | 'number'>): string =>
  series === '' || number === '' ? series + number : `${series} ${number}`

/** `2011 B 12`, where the year's label is `2011`; the label alone where the voucher has neither series nor number. */
export const plainId = (label: string, reference: string): string =>
  reference === '' ? label : `${label} ${reference}`

interface NumberedFile {
  readonly file: string
  readonly numbers: VoucherNumbers
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
    return file.numbers.doubtful(!isOne).map((voucher) => ({
      ...{ ...voucher, file, plain: plainId(label, voucher.reference) },
      written: plainId(label, file.numbers.placeOf(voucher)),
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
export const seriesFindings = ({ file, numbers: { numbering, repeated: all } }: NumberedFile): Finding[] => [
  ...numbering.findings(file, { isShared: false, column: null, remedy: ASK }),
  ...[...all].flatMap(([name, repeated]) => {
    const numbers = [...repeated.keys()].sort((a, b) => a - b)
    const [first] = numbers
    if (first === undefined) return []
    return [
      warning(
        'voucher-repeat',
        `${name === '' ? 'vouchers without a series' : `voucher series ${name}`}: used more than once ${ofLedger(shortList(numbers))}`,
        { file, row: repeated.get(first) ?? null, text: name || null, remedy: ASK },
      ),
    ]
  }),
]
