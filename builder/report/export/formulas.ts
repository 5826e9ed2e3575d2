/**
 * The figures of a statement as cells: accounts as numbers, and what follows from other cells as formulas. A formula is written
 * only where the cells that it names give exactly the published figure; elsewhere the figure stands there itself.
 */
import { monthOf } from '../../contract/calendar.ts'
import { formatInteger } from '../../contract/currency.ts'
import { type Addend, addendsOf } from '../addends.ts'
import type { Whole } from '../columns.ts'
import type { ShownColumn, ShownStatement } from '../report.ts'
import { isHeldExactly, lettersOfColumn } from './xlsx-cells.ts'

/** The places of the lines and columns of a statement in its sheet. */
export interface Places {
  /** The number of the row of each line. */
  readonly rows: readonly number[]
  /** The place of the first column of figures, counted from 0. */
  readonly firstColumn: number
}

/** Decimal text, with the formula that gives it. */
export interface FigureCell {
  readonly value: string
  readonly formula: string | null
}

/** Excel takes no longer formula. */
const LONGEST_FORMULA = 8192
/** A percentage stands in its cell as a fraction: a tenth of a percent is a thousandth. */
const DECIMALS_OF_PERCENT = 3

/** The figure of a line, by its place, in a column, by its place; null where there is none. */
export function figuresOf(
  shown: ShownStatement,
  { rows, firstColumn }: Places,
): (line: number, column: number) => FigureCell | null {
  const { columns, lines, decimals } = shown
  const addends = addendsOf(shown)
  const at = (line: number, column: number) => `${lettersOfColumn(firstColumn + column)}${rows[line]}`
  const exact = (line: number, column: number) => lines[line]?.cells[column] ?? 0
  const months = columns.map((column, i) => monthsBefore(column, columns.slice(0, i)))

  const downwards = (line: number, column: number): string | null => {
    const own = addends[line]
    if (
      !own ||
      !isSum(
        exact(line, column),
        own.map(({ line, sign }) => BigInt(sign) * BigInt(exact(line, column))),
      )
    )
      return null
    return sumOf(own, (line) => at(line, column), decimals)
  }
  const across = (line: number, column: number): string | null => {
    const [first, last] = months[column] ?? []
    if (first === undefined || last === undefined || lines[line]?.kind !== 'account') return null
    const own = Array.from({ length: last - first + 1 }, (_, i) => exact(line, first + i))
    return isSum(exact(line, column), own)
      ? rounded(`SUM(${at(line, first)}:${at(line, last)})`, decimals)
      : null
  }
  const compared = (line: number, column: number, kind: 'difference' | 'percent'): string | null => {
    const [a, b] = columns[column]?.of ?? []
    if (a === undefined || b === undefined || lines[line]?.isRatio) return null
    if (![a, b].every((each) => isNumber(exact(line, each), decimals))) return null
    const difference = `${at(line, a)}-${at(line, b)}`
    return kind === 'difference'
      ? rounded(difference, decimals)
      : rounded(`(${difference})/ABS(${at(line, b)})`, DECIMALS_OF_PERCENT)
  }
  const isSum = (whole: Whole, parts: readonly Whole[]) =>
    parts.reduce<bigint>((sum, part) => sum + BigInt(part), 0n) === BigInt(whole) &&
    [whole, ...parts].every((each) => isNumber(each, decimals))

  return (line, column) => {
    const cell = lines[line]?.cells[column] ?? null
    const kind = columns[column]?.kind
    // A pack has no shares of income.
    if (cell === null || kind === undefined || kind === 'share') return null
    const isPercent = kind === 'percent' || lines[line]?.isRatio
    const formula =
      kind === 'amount' ? (downwards(line, column) ?? across(line, column)) : compared(line, column, kind)
    return {
      value: formatInteger(String(cell), isPercent ? DECIMALS_OF_PERCENT : decimals),
      formula: formula !== null && formula.length > LONGEST_FORMULA ? null : formula,
    }
  }
}

const isNumber = (minor: Whole, decimals: number): boolean =>
  isHeldExactly(formatInteger(String(minor), decimals))

/**
 * Rounds the formula: binary sums of decimal fractions leave a rest behind the last decimal, which a comparison or a
 * zero would show.
 */
const rounded = (formula: string, decimals: number): string =>
  decimals === 0 ? formula : `ROUND(${formula},${decimals})`

/** The sum of the lines as a formula: neighbours of one sign are a range, as in `SUM(C8:C12)+C20-C25`. */
function sumOf(addends: readonly Addend[], at: (line: number) => string, decimals: number): string {
  const runs: { from: number; through: number; sign: 1 | -1 }[] = []
  for (const { line, sign } of addends) {
    const last = runs.at(-1)
    if (last && last.sign === sign && last.through === line - 1) last.through = line
    else runs.push({ from: line, through: line, sign })
  }
  const terms = runs.map(({ from, through, sign }, i) => {
    const term = from === through ? at(from) : `SUM(${at(from)}:${at(through)})`
    return `${sign === -1 ? '-' : i === 0 ? '' : '+'}${term}`
  })
  return addends.length === 1 ? terms.join('') : rounded(terms.join(''), decimals)
}

/** The first and last of the columns whose months add up to this column; empty where these do not stand side by side. */
function monthsBefore(
  { months }: ShownColumn,
  before: readonly ShownColumn[],
): readonly [number, number] | [] {
  if (months === null || months.from === months.through) return []
  const first = before.findIndex((each) => each.months?.from === months.from)
  const last = first + monthNumber(months.through) - monthNumber(months.from)
  const isMonth = ({ months: own }: ShownColumn, i: number) =>
    own !== null && own.from === own.through && monthNumber(own.from) === monthNumber(months.from) + i
  const own = first === -1 ? [] : before.slice(first, last + 1)
  return own.length === last - first + 1 && own.every(isMonth) ? [first, last] : []
}

const monthNumber = (month: string): number => monthOf(`${month}-01`)
