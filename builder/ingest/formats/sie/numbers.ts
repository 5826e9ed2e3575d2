/** The numbers of SIE vouchers, the ids that they have in the books, and what is missing or repeated. Reads no lines of vouchers. */
import { type Finding, ofLedger, warning } from '../../../workspace/findings/finding.ts'
import { ColumnRows } from '../../format/column-rows.ts'
import { type FiscalYear, yearLabel } from '../../format/intake.ts'
import { Numbering, shortList } from '../../format/numbering.ts'

const INTEGER = /^\d{1,9}$/

/** Begins and ends so that the books, which leave out blanks around an id, take it as it is. */
const isBare = (reference: string): boolean => /^[\p{L}\p{N}](.*[\p{L}\p{N}])?$/su.test(reference)

/** What stands in the place of an id where the reference of a voucher may not be its own. No reference that is bare begins so. */
const placeId = (line: number): string => `#${line}`

/** What its #VER says of a voucher. */
export interface SieVoucher {
  /** Empty where the voucher has none; some programs write `#` for that. */
  readonly series: string
  readonly number: string
  readonly date: string
  readonly text: string
  readonly line: number
}

/** The vouchers of a file; a year may have a million. */
export class VoucherNumbers {
  /** In the order of the file. */
  readonly vouchers = new ColumnRows<Pick<SieVoucher, 'series' | 'date' | 'line'> & { integer: number }>({
    series: 'repeated',
    integer: 'whole',
    date: 'repeated',
    line: 'whole',
  })
  /** Line of a voucher → its number, where that is not written as a plain integer. */
  readonly otherNumbers = new Map<number, string>()
  readonly numbering = new Numbering()
  /** `numbers` while they ascend, and from then on `seen`, which has all of them; `repeated`: number that several have → the line of the last. */
  readonly series = new Map<
    string,
    { readonly numbers: number[]; seen: Set<number> | null; readonly repeated: Map<number, number> }
  >()
  /** Lines of the vouchers that have {@link placeId} in the place of an id, since their reference may not be their own. */
  readonly byPlace = new Set<number>()
  /** References that several vouchers may have: those that repeat, and all that are not written with a plain integer. */
  readonly doubtful = new Set<string>()

  /** What stands in the place of the id in the rows of the voucher: its reference, where no voucher above has it. */
  add({ series, number, date, line }: SieVoucher): string {
    const reference = referenceOf({ series, number })
    const isInteger = INTEGER.test(number)
    const isPlain = isInteger && (number === '0' || !number.startsWith('0')) && isBare(reference)
    this.vouchers.push({ series, integer: isPlain ? Number(number) : -1, date, line })
    if (!isPlain) this.otherNumbers.set(line, number)
    if (isInteger) this.numbering.add(series, number, line)
    const isOwn = isInteger ? this.#isFirst(series, Number(number), line) : !PLAIN_END.test(reference)
    const isOwnOther = isPlain || (isBare(reference) && !this.doubtful.has(reference))
    if (!isPlain || !isOwn) this.doubtful.add(reference)
    if (isOwn && isOwnOther) return reference
    this.byPlace.add(line)
    return placeId(line)
  }

  /** Notes a number of a series. Whether the series did not have it yet. */
  #isFirst(name: string, number: number, line: number): boolean {
    const series = this.series.get(name) ?? { numbers: [], seen: null, repeated: new Map<number, number>() }
    this.series.set(name, series)
    const last = series.numbers.at(-1)
    if (last !== undefined && number <= last) series.seen ??= new Set(series.numbers)
    const isFirst = series.seen?.has(number) !== true
    if (!isFirst) series.repeated.set(number, line)
    if (series.seen === null) series.numbers.push(number)
    else series.seen.add(number)
    return isFirst
  }
}

/** The end of a reference that a voucher with a plain number may have as well. */
const PLAIN_END = /(?:^| )(?:0|[1-9]\d{0,8})$/

/** `B 12`, as people write it; empty where the voucher has neither series nor number. */
export const referenceOf = ({ series, number }: Pick<SieVoucher, 'series' | 'number'>): string =>
  series === '' || number === '' ? series + number : `${series} ${number}`

/** `2011 B 12`, where the year's label is `2011`; the label alone where the voucher has neither series nor number. */
export const plainId = (label: string, reference: string): string =>
  reference === '' ? label : `${label} ${reference}`

interface Numbered {
  readonly file: string
  readonly numbers: VoucherNumbers
}

/** Of each file what stands in the place of an id, with the label of its year → the id, where that is another. */
export type GivenIds = ReadonlyMap<Numbered, ReadonlyMap<string, string>>

/** The plain id of a voucher; where that repeats in any file, with the date, then counted in the order of the files. */
export function givenIds(years: readonly { readonly file: Numbered; readonly year: FiscalYear }[]): GivenIds {
  const given: GivenIds & Map<Numbered, ReadonlyMap<string, string>> = new Map()
  // Ids of years with different labels differ.
  for (const label of new Set(years.map(({ year }) => yearLabel(year)))) {
    const files = years.filter(({ year }) => yearLabel(year) === label).map(({ file }) => file)
    for (const [file, ids] of idsOf(label, files)) given.set(file, ids)
  }
  return given
}

function idsOf(label: string, files: readonly Numbered[]): Map<Numbered, ReadonlyMap<string, string>> {
  const vouchers = new Map(files.map((file) => [file, doubtful(file, files.length > 1)]))
  const counts = new Map<string, number>()
  for (const { reference } of [...vouchers.values()].flat())
    counts.set(reference, (counts.get(reference) ?? 0) + 1)
  const given = new Set<string>()
  const last = new Map<string, number>()
  const idOf = (reference: string, date: string): string => {
    const id = plainId(label, reference)
    const dated = counts.get(reference) === 1 && reference !== '' ? id : `${id} ${date}`
    let unique = dated
    for (let n = last.get(dated) ?? 2; given.has(unique); n++) {
      unique = `${dated} (${n})`
      last.set(dated, n)
    }
    given.add(unique)
    return unique
  }
  const ids = new Map<Numbered, ReadonlyMap<string, string>>()
  for (const [file, own] of vouchers) {
    const others = new Map<string, string>()
    for (const { reference, line, date } of own) {
      const written = plainId(label, file.numbers.byPlace.has(line) ? placeId(line) : reference)
      const id = idOf(reference, date)
      if (id !== written) others.set(written, id)
    }
    ids.set(file, others)
  }
  return ids
}

/** The vouchers whose reference another one of the file may have as well, or which may have none; `all`: or one of another file. */
function doubtful({ numbers: { vouchers, otherNumbers, doubtful: references } }: Numbered, all: boolean) {
  const found: { readonly reference: string; readonly date: string; readonly line: number }[] = []
  if (!all && references.size === 0) return found
  for (const { series, integer, date, line } of vouchers) {
    const reference = referenceOf({ series, number: otherNumbers.get(line) ?? String(integer) })
    if (all || references.has(reference)) found.push({ reference, date, line })
  }
  return found
}

const ASK = 'ask the bookkeeper why; where vouchers are missing, export the file again'

/** An auditor's first look at a series: each number once, none left out. Numbers that are not integers have no order. */
export const seriesFindings = ({ file, numbers: { numbering, series } }: Numbered): Finding[] => [
  ...numbering.findings(file, { isShared: false, column: null, remedy: ASK }),
  ...[...series].flatMap(([name, { repeated }]) => {
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
