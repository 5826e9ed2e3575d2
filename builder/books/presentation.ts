/** How a company wants its statements shown. It is kept with the books, so that a snapshot is always shown as it was published. */
import type { Section } from '../contract/vocabulary.ts'
import type { NegativeStyle, NumberFormat, ShownUnit } from '../workspace/presentation.ts'

/** A member is absent where the company says nothing: the frames of such companies keep their bytes from version to version. */
export interface Presentation {
  readonly layout?: Layout
  readonly numbers?: NumberStyle
  /** By month. */
  readonly commentary?: readonly MonthlyCommentary[]
}

export interface MonthlyCommentary {
  /** `YYYY-MM` */
  readonly month: string
  readonly notes: readonly Note[]
}

export interface Note {
  /** The id of a line of the statements; null where the note is about the month, or its heading names no line. */
  readonly line: string | null
  readonly heading: string | null
  /** Paragraphs and items (`- `), as they were written. */
  readonly text: string
}

export interface LayoutPart {
  /** A heading with accounts and their subtotal, one line for all of them, or what all parts above add up to. */
  readonly show: 'group' | 'line' | 'total'
  /** Null for a section under its usual name. */
  readonly label: string | null
  /** Ids in the order of the chart; none for a total. */
  readonly accounts: readonly string[]
  /** Sections of which the part also holds the rows that are no accounts of the chart. */
  readonly rest: readonly Section[]
}

/** The statements that a layout is for. */
export const LAID_OUT = ['ProfitAndLoss', 'BalanceSheet'] as const
export type LaidOut = (typeof LAID_OUT)[number]
export type Layout = { readonly [statement in LaidOut]?: readonly LayoutPart[] }

/** Sections whose figures raise the result; the other sections of the profit and loss lower it. */
export const RAISING: ReadonlySet<Section> = new Set(['Income', 'OtherIncome'])

export interface NumberStyle {
  readonly format: NumberFormat
  readonly negative: NegativeStyle
  readonly unit: ShownUnit
}

/** Of a company that does not say. */
export const PLAIN_NUMBERS: NumberStyle = { format: '1,234.50', negative: 'minus', unit: 'whole' }
