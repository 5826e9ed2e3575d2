/** The numbers of a SIE file's vouchers, in columns: a year may have a million of them. Reads no lines of vouchers. */
import { type Finding, warning } from '../../../workspace/finding.ts'
import type { FindingCode } from '../../../workspace/finding-codes.ts'
import { gapText, shortList } from '../../format/numbering.ts'
import type { SieFile, SieVoucher } from './records.ts'

export type NamedVoucher = Omit<SieVoucher, 'text'>

/** Vouchers of one series whose numbers are integers, in the order of the file. */
interface Column {
  readonly numbers: Int32Array
  /** Their #VER. */
  readonly lines: Int32Array
  /** As SIE writes them, 20110107; 0 where a date cannot be read. */
  readonly dates: Int32Array
}

export interface VoucherNumbers {
  /** Series → its columns, one for each part of the file that was read. */
  readonly series: ReadonlyMap<string, readonly Column[]>
  /** Vouchers whose number is not written as a plain integer: without one, with other letters, with leading zeros. */
  readonly others: readonly NamedVoucher[]
}

const INTEGER = /^\d{1,9}$/

/** Collects the vouchers of one part. */
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
      return [series, [column]] as const
    })
    return { series: new Map(columns), others: this.#others }
  }
}

/** In the order of the file. */
export function joinNumbers(parts: readonly VoucherNumbers[]): VoucherNumbers {
  const series = new Map<string, Column[]>()
  for (const part of parts)
    for (const [name, columns] of part.series) series.set(name, [...(series.get(name) ?? []), ...columns])
  return { series, others: parts.flatMap(({ others }) => others) }
}

const joined = (columns: readonly Int32Array[]): Int32Array => {
  const all = new Int32Array(columns.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const column of columns) {
    all.set(column, at)
    at += column.length
  }
  return all
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
export function doubtful(files: readonly SieFile[]): Map<SieFile, readonly NamedVoucher[]> {
  const repeated = new Map<string, Set<number>>()
  for (const series of new Set(files.flatMap(({ numbers }) => [...numbers.series.keys()])))
    repeated.set(series, repeatedIn(files.flatMap(({ numbers }) => numbers.series.get(series) ?? [])))
  for (const other of files.flatMap(({ numbers }) => numbers.others)) {
    const [, series = '', number] = REFERENCE.exec(referenceOf(other)) ?? []
    if (number !== undefined) repeated.get(series)?.add(Number(number))
  }
  return new Map(files.map((file) => [file, doubtfulIn(file, repeated)]))
}

function repeatedIn(columns: readonly Column[]): Set<number> {
  const numbers = joined(columns.map((column) => column.numbers))
  if (isAscending(numbers)) return new Set()
  return new Set(numbers.sort().filter((number, i) => number === numbers[i - 1]))
}

function doubtfulIn(
  { numbers: { series, others } }: SieFile,
  repeated: ReadonlyMap<string, ReadonlySet<number>>,
): NamedVoucher[] {
  const found = new Map(others.map((other) => [other.line, other]))
  for (const [name, columns] of series) {
    const again = repeated.get(name)
    if (again === undefined || again.size === 0) continue
    for (const { numbers, lines, dates } of columns)
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
  return [...series].flatMap(([name, columns]) => {
    const numbers = joined(columns.map((column) => column.numbers))
    const lines = joined(columns.map((column) => column.lines))
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
              `${name === '' ? 'vouchers without a series' : `voucher series ${name}`}: ${what} ${shortList(list)}`,
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
