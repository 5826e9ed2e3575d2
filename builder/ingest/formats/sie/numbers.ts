/**
 * The numbers of SIE vouchers, in columns, since a year may have a million of them; the ids that they have in the books, and what is missing or
 * repeated. Reads no lines of vouchers.
 */
import { type Finding, ofLedger, warning } from '../../../workspace/finding.ts'
import type { FindingCode } from '../../../workspace/finding-codes.ts'
import { type FiscalYear, yearLabel } from '../../format/intake.ts'
import { gapText, shortList } from '../../format/numbering.ts'
import type { NamedVoucher, NumberColumn, SieFile, SieVoucher, VoucherNumbers } from './records.ts'

const INTEGER = /^\d{1,9}$/

/** Collects the vouchers of a file. */
export class NumberCollector {
  readonly #series = new Map<string, { numbers: number[]; lines: number[]; dates: number[] }>()
  readonly #others: NamedVoucher[] = []

  add({ series, number, date, line }: SieVoucher): void {
    const isInteger = INTEGER.test(number)
    const isPlain = isInteger && (number === '0' || !number.startsWith('0'))
    if (!isPlain) this.#others.push({ series, number, date, line })
    if (!isInteger) return
    let column = this.#series.get(series)
    if (column === undefined) {
      column = { numbers: [], lines: [], dates: [] }
      this.#series.set(series, column)
    }
    column.numbers.push(Number(number))
    column.lines.push(line)
    column.dates.push(Number(date.slice(0, 4) + date.slice(5, 7) + date.slice(8)))
  }

  collected(): VoucherNumbers {
    const columns = [...this.#series].map(([series, { numbers, lines, dates }]) => {
      const column = {
        numbers: Int32Array.from(numbers),
        lines: Int32Array.from(lines),
        dates: Int32Array.from(dates),
      }
      return [series, column] as const
    })
    return { series: new Map(columns), others: this.#others }
  }
}

/** Programs number vouchers in the order of the file. */
function isAscending(numbers: Int32Array): boolean {
  for (let i = 1; i < numbers.length; i++) if (Number(numbers[i]) <= Number(numbers[i - 1])) return false
  return true
}

/** The last part of a reference may be the number, and what is before it the series. */
const REFERENCE = /^(?:(.*) )?(\d{1,9})$/s

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
  const numbers = Int32Array.from(columns.flatMap((column) => [...column.numbers]))
  if (isAscending(numbers)) return new Set()
  return new Set(numbers.sort().filter((number, i) => number === numbers[i - 1]))
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

/** Of each file the line of a voucher → its id, where that is not the plain one. */
export type GivenIds = ReadonlyMap<SieFile, ReadonlyMap<number, string>>

/** The plain id of a voucher; where that repeats in any file, with the date, then counted in the order of the files. */
export function givenIds(years: readonly { readonly file: SieFile; readonly year: FiscalYear }[]): GivenIds {
  const given: GivenIds & Map<SieFile, Map<number, string>> = new Map()
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
): Map<SieFile, Map<number, string>> {
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
  const ids = new Map<SieFile, Map<number, string>>()
  for (const [file, own] of vouchers) {
    const others = new Map<number, string>()
    for (const voucher of own) {
      const plain = plainId(label, referenceOf(voucher))
      const id = idOf(plain, voucher.date)
      if (id !== plain) others.set(voucher.line, id)
    }
    ids.set(file, others)
  }
  return ids
}

/**
 * Where the vouchers of a series stand in its columns, in the order of their numbers, those of one number in that of the file; null where
 * they stand in that order.
 */
function orderOf(numbers: Int32Array): Uint32Array | null {
  if (isAscending(numbers)) return null
  const order = Uint32Array.from(numbers, (_, i) => i)
  return order.sort((a, b) => (numbers[a] as number) - (numbers[b] as number) || a - b)
}

/** An auditor's first look at a series: each number once, none left out. Numbers that are not integers have no order. */
export function seriesFindings({ file, numbers: { series } }: SieFile): Finding[] {
  return [...series].flatMap(([name, { numbers, lines }]) => {
    const gaps: string[] = []
    const repeated: number[] = []
    const order = orderOf(numbers)
    let last: number | undefined
    let before = Number.POSITIVE_INFINITY
    for (let i = 0; i < numbers.length; i++) {
      const at = order === null ? i : (order[i] as number)
      const number = numbers[at] as number
      if (number > before + 1) gaps.push(gapText({ from: before + 1, to: number - 1 }))
      if (number === before) {
        if (repeated.at(-1) !== number) repeated.push(number)
        if (repeated[0] === number) last = at
      }
      before = number
    }
    const report = (
      code: FindingCode,
      list: readonly (string | number)[],
      at: number | undefined,
      what: string,
    ) =>
      list.length === 0
        ? []
        : [
            warning(
              code,
              `${name === '' ? 'vouchers without a series' : `voucher series ${name}`}: ${what} ${ofLedger(shortList(list))}`,
              {
                file,
                row: (at === undefined ? undefined : lines[at]) ?? null,
                text: name || null,
                remedy: 'ask the bookkeeper why; where vouchers are missing, export the file again',
              },
            ),
          ]
    return [
      ...report('voucher-gap', gaps, order === null ? 0 : order[0], 'missing'),
      ...report('voucher-repeat', repeated, last, 'used more than once'),
    ]
  })
}
