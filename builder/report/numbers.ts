/** Figures of statements as text, in the style of the company. Whole units and thousands are rounded figure by figure and never added. */
import { type NumberStyle, PLAIN_NUMBERS } from '../books/reference/presentation.ts'
import { currencyDecimals, displayMinor } from '../contract/currency.ts'
import type { NumberFormat, ShownUnit } from '../workspace/presentation.ts'
import type { LineValue } from './columns.ts'
import type { ShownLine } from './report.ts'

/** How zero is written; a missing figure is an empty text. */
const ZERO = '–'

/** A space at which no line breaks. It is as wide as the closing bracket of a negative figure above or below it. */
const NO_BREAK = '\u00a0'

/** The separators that replace the comma and the point of `1,234.50`. */
const SEPARATORS: Readonly<Record<NumberFormat, readonly [thousands: string, decimal: string]>> = {
  '1,234.50': [',', '.'],
  '1.234,50': ['.', ','],
  '1 234,50': [NO_BREAK, ','],
  "1'234.50": ["'", '.'],
}

const UNITS: Readonly<Record<ShownUnit, { readonly size: number; readonly words: string }>> = {
  whole: { size: 1, words: 'whole ' },
  thousands: { size: 1000, words: 'thousands of ' },
  exact: { size: 1, words: '' },
}

/** How the figures of one company are written. */
export class Numbers {
  readonly decimals: number
  readonly #style: NumberStyle

  constructor(decimals: number, style: NumberStyle = PLAIN_NUMBERS) {
    this.decimals = decimals
    this.#style = style
  }

  /** Minor units as published: `1,234.50`. */
  exact(cell: LineValue): string {
    return this.#text(cell, this.decimals)
  }

  /** Minor units in the unit of the statements, rounded half away from zero. Exact, since figures are whole numbers. */
  shown(cell: LineValue): string {
    const { unit } = this.#style
    if (cell === null || unit === 'exact') return this.exact(cell)
    const size = BigInt(10 ** this.decimals * UNITS[unit].size)
    const amount = BigInt(cell) < 0n ? -BigInt(cell) : BigInt(cell)
    const rounded = (2n * amount + size) / (2n * size)
    return this.#text(rounded === 0n ? 0 : cell < 0 ? -rounded : rounded, 0)
  }

  /** Tenths of a percent: `12.5`; zero is `0.0`. */
  percent(cell: LineValue): string {
    return this.fixed(cell, 1)
  }

  /** A whole number of so many decimals that is no money: 185 of two is `1.85`; zero is `0.00`. */
  fixed(cell: LineValue, decimals: number): string {
    return cell === null ? '' : this.#styled(displayMinor(cell, decimals), cell < 0)
  }

  /** `1.2m`, `350k`: three digits at most, for axes and labels of charts. The table beside a chart has the figures. */
  short(minor: number): string {
    const value = minor / 10 ** this.decimals
    const [size, unit] = SHORT_UNITS.find(([least]) => Math.abs(value) >= least) ?? [1, '']
    const scaled = value / size
    const digits = Math.abs(scaled) >= 100 || Number.isInteger(scaled) ? 0 : 1
    return `${this.#separated(scaled.toFixed(digits))}${unit}`
  }

  /** The unit of the figures of {@link shown}, for people: `whole USD`. */
  unit(currency: string): string {
    return `${UNITS[this.#style.unit].words}${currency}`
  }

  #text(cell: LineValue, decimals: number): string {
    if (cell === null) return ''
    return cell === 0 ? this.#aligned(ZERO) : this.#styled(displayMinor(cell, decimals), cell < 0)
  }

  #styled(text: string, isNegative: boolean): string {
    const separated = this.#separated(text)
    if (this.#style.negative === 'minus') return separated
    return isNegative ? `(${separated.slice(1)})` : this.#aligned(separated)
  }

  /** Where negative figures end with a bracket, the others get a space, so that the last digits stand below each other. */
  #aligned(text: string): string {
    return this.#style.negative === 'brackets' ? `${text}${NO_BREAK}` : text
  }

  #separated(text: string): string {
    const [thousands, decimal] = SEPARATORS[this.#style.format]
    return text.replace(/[,.]/g, (sign) => (sign === ',' ? thousands : decimal))
  }
}

const SHORT_UNITS: readonly (readonly [number, string])[] = [
  [1e9, 'bn'],
  [1e6, 'm'],
  [1e3, 'k'],
]

/** The number style of a company, by its currency and its settings. */
export const numbersOf = ({
  currency,
  presentation,
}: {
  readonly currency: string
  readonly presentation?: { readonly numbers?: NumberStyle }
}): Numbers => new Numbers(currencyDecimals(currency), presentation?.numbers)

/** Whether a difference is good for the result; null where there is none, or where that cannot be said. */
export function judged(
  { better, cells }: Pick<ShownLine, 'better' | 'cells'>,
  i: number,
): 'better' | 'worse' | null {
  const cell = cells[i] ?? null
  if (better === null || cell === null || cell === 0) return null
  return cell > 0 === (better === 'more') ? 'better' : 'worse'
}

/** Colour is never alone: a sign says the same. */
export const MARKS = { better: '▲', worse: '▼' } as const
export const MARKS_EXPLAINED = '▲ better for the result than compared with, ▼ worse'
