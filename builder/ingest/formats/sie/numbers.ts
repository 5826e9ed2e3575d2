/**
 * The numbers of SIE vouchers, in columns, since a year may have a million of them; the ids that they have in the books, and what is missing or
 * repeated. Reads no lines of vouchers.
 */
import { type Finding, ofLedger, warning } from '../../../workspace/findings/finding.ts'
import { type FiscalYear, yearLabel } from '../../format/intake.ts'
import { Numbering, shortList } from '../../format/numbering.ts'
import type { NamedVoucher, NumberColumn, SieFile, SieVoucher, VoucherNumbers } from './records.ts'

const INTEGER = /^\d{1,9}$/

/** Begins and ends so that the books, which leave out blanks around an id, take it as it is. */
const isBare = (reference: string): boolean => /^[\p{L}\p{N}](.*[\p{L}\p{N}])?$/su.test(reference)

/** What stands in the place of an id where the reference of a voucher may not be its own. No reference that is bare begins so. */
const placeId = (line: number): string => `#${line}`

interface Series {
  readonly numbers: number[]
  readonly lines: number[]
  readonly dates: number[]
  /** All numbers so far, once they do not ascend any more. */
  seen: Set<number> | null
  readonly repeated: Map<number, number>
}

/** Collects the vouchers of a file. */
export class NumberCollector {
  readonly #series = new Map<string, Series>()
  readonly #numbering = new Numbering()
  readonly #others: NamedVoucher[] = []
  readonly #otherReferences = new Set<string>()
  readonly #byPlace = new Set<number>()

  /** What stands in the place of the id in the rows of the voucher: its reference, where no voucher above has it. */
  add(voucher: SieVoucher): string {
    const { series, number, date, line } = voucher
    const reference = referenceOf(voucher)
    const isInteger = INTEGER.test(number)
    const isPlain = isInteger && (number === '0' || !number.startsWith('0')) && isBare(reference)
    if (!isPlain) this.#others.push({ series, number, date, line })
    if (isInteger) this.#numbering.add(series, number, line)
    const isOwn = isInteger ? this.#isFirst(series, Number(number), date, line) : !PLAIN_END.test(reference)
    const isOwnOther = isPlain || (isBare(reference) && !this.#otherReferences.has(reference))
    if (!isPlain) this.#otherReferences.add(reference)
    if (isOwn && isOwnOther) return reference
    this.#byPlace.add(line)
    return placeId(line)
  }

  /** Notes a number of a series. Whether the series did not have it yet. */
  #isFirst(name: string, number: number, date: string, line: number): boolean {
    let series = this.#series.get(name)
    if (series === undefined) {
      series = { numbers: [], lines: [], dates: [], seen: null, repeated: new Map() }
      this.#series.set(name, series)
    }
    const { numbers, lines, dates } = series
    const last = numbers.at(-1)
    if (last !== undefined && number <= last) series.seen ??= new Set(numbers)
    const isFirst = series.seen?.has(number) !== true
    series.seen?.add(number)
    if (!isFirst) series.repeated.set(number, line)
    numbers.push(number)
    lines.push(line)
    dates.push(Number(date.slice(0, 4) + date.slice(5, 7) + date.slice(8)))
    return isFirst
  }

  collected(): VoucherNumbers {
    const columns = [...this.#series].map(([series, { numbers, lines, dates, repeated }]) => {
      const column = {
        repeated,
        numbers: Int32Array.from(numbers),
        lines: Int32Array.from(lines),
        dates: Int32Array.from(dates),
      }
      return [series, column] as const
    })
    return {
      ...{ series: new Map(columns), others: this.#others },
      ...{ byPlace: this.#byPlace, numbering: this.#numbering },
    }
  }
}

/** The last part of a reference may be the number, and what is before it the series. */
const REFERENCE = /^(?:(.*) )?(\d{1,9})$/s

/** The end of a reference that a voucher with a plain number may have as well. */
const PLAIN_END = /(?:^| )(?:0|[1-9]\d{0,8})$/

/** `B 12`, as people write it; empty where the voucher has neither series nor number. */
export const referenceOf = ({ series, number }: Pick<SieVoucher, 'series' | 'number'>): string =>
  series === '' || number === '' ? series + number : `${series} ${number}`

/**
 * Of each file the vouchers, in their order, whose reference another one of these files may have as well, or which may have none.
 * All others have a series and a number of their own.
 */
function doubtful(files: readonly SieFile[]): Map<SieFile, readonly NamedVoucher[]> {
  const repeated = new Map<string, Set<number>>()
  for (const series of new Set(files.flatMap(({ numbers }) => [...numbers.series.keys()])))
    repeated.set(series, repeatedIn(files.flatMap(({ numbers }) => numbers.series.get(series) ?? [])))
  for (const other of files.flatMap(({ numbers }) => numbers.others)) {
    const [, series = '', number] = REFERENCE.exec(referenceOf(other)) ?? []
    if (number !== undefined) repeated.get(series)?.add(Number(number))
  }
  return new Map(files.map((file) => [file, doubtfulIn(file, repeated)]))
}

function repeatedIn(columns: readonly NumberColumn[]): Set<number> {
  const repeated = new Set(columns.flatMap((column) => [...column.repeated.keys()]))
  if (columns.length === 1) return repeated
  const seen = new Set<number>()
  for (const { numbers } of columns)
    for (const number of new Set(numbers))
      if (seen.has(number)) repeated.add(number)
      else seen.add(number)
  return repeated
}

function doubtfulIn(
  { numbers: { series, others } }: SieFile,
  repeated: ReadonlyMap<string, ReadonlySet<number>>,
): NamedVoucher[] {
  const found = new Map(others.map((other) => [other.line, other]))
  for (const [name, { numbers, lines, dates }] of series) {
    const again = repeated.get(name)
    if (again === undefined || again.size === 0) continue
    for (const [i, number] of numbers.entries()) {
      const line = lines[i] as number
      if (again.has(number) && !found.has(line))
        found.set(line, { series: name, number: String(number), date: isoOf(dates[i] as number), line })
    }
  }
  return [...found.values()].sort((a, b) => a.line - b.line)
}

const isoOf = (date: number): string =>
  date === 0
    ? ''
    : String(date)
        .padStart(8, '0')
        .replace(/^(....)(..)(..)$/, '$1-$2-$3')

/** `2011 B 12`, where the year's label is `2011`; the label alone where the voucher has neither series nor number. */
export const plainId = (label: string, reference: string): string =>
  reference === '' ? label : `${label} ${reference}`

/** Of each file what stands in the place of an id, with the label of its year → the id, where that is another. */
export type GivenIds = ReadonlyMap<SieFile, ReadonlyMap<string, string>>

/** The plain id of a voucher; where that repeats in any file, with the date, then counted in the order of the files. */
export function givenIds(years: readonly { readonly file: SieFile; readonly year: FiscalYear }[]): GivenIds {
  const given: GivenIds & Map<SieFile, ReadonlyMap<string, string>> = new Map()
  // Ids of years with different labels differ.
  for (const label of new Set(years.map(({ year }) => yearLabel(year)))) {
    const files = years.filter(({ year }) => yearLabel(year) === label).map(({ file }) => file)
    for (const [file, ids] of idsOf(label, doubtful(files))) given.set(file, ids)
  }
  return given
}

function idsOf(
  label: string,
  vouchers: ReadonlyMap<SieFile, readonly NamedVoucher[]>,
): Map<SieFile, ReadonlyMap<string, string>> {
  const counts = new Map<string, number>()
  for (const voucher of [...vouchers.values()].flat()) {
    const id = plainId(label, referenceOf(voucher))
    counts.set(id, (counts.get(id) ?? 0) + 1)
  }
  const given = new Set<string>()
  const last = new Map<string, number>()
  const idOf = (id: string, date: string): string => {
    const dated = counts.get(id) === 1 && id !== label ? id : `${id} ${date}`
    let unique = dated
    for (let n = last.get(dated) ?? 2; given.has(unique); n++) {
      unique = `${dated} (${n})`
      last.set(dated, n)
    }
    given.add(unique)
    return unique
  }
  const ids = new Map<SieFile, ReadonlyMap<string, string>>()
  for (const [file, own] of vouchers) {
    const others = new Map<string, string>()
    for (const voucher of own) {
      const plain = plainId(label, referenceOf(voucher))
      const { line, date } = voucher
      const written = file.numbers.byPlace.has(line) ? plainId(label, placeId(line)) : plain
      const id = idOf(plain, date)
      if (id !== written) others.set(written, id)
    }
    ids.set(file, others)
  }
  return ids
}

const ASK = 'ask the bookkeeper why; where vouchers are missing, export the file again'

/** An auditor's first look at a series: each number once, none left out. Numbers that are not integers have no order. */
export const seriesFindings = ({ file, numbers: { numbering, series } }: SieFile): Finding[] => [
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
