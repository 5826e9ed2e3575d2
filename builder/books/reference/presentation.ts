/** Owns the types of a company's presentation of its statements. It is stored with the books, so that a snapshot is always shown as it was published. */
import { capitalised } from '../../contract/listed.ts'
import type { Section } from '../../contract/vocabulary.ts'
import type {
  LogoImage,
  NegativeStyle,
  NumberFormat,
  RatioSettings,
  ShownUnit,
} from '../../workspace/presentation.ts'

/** A member is absent where the company states nothing, so that the frames of such companies keep their bytes between versions. */
export interface Presentation {
  readonly layout?: Layout
  readonly numbers?: NumberStyle
  readonly words?: Words
  readonly ratios?: RatioSettings
  readonly brand?: Brand
  /** One entry for each month with commentary. */
  readonly commentary?: readonly MonthlyCommentary[]
}

/** The colour as `#rrggbb`. */
export interface Brand {
  readonly colour?: string
  readonly logo?: LogoImage
}

export type Dimension = 'class' | 'department'
/** What the company calls its dimensions, such as `{ department: 'Location' }`. */
export type Words = { readonly [dimension in Dimension]?: string | undefined }

/** The word for a dimension inside a sentence: the company's own as it is written, else `class` or `department`. */
export const wordOf = (dimension: Dimension, words: Words | undefined): string =>
  words?.[dimension] ?? dimension

/** The word as a heading: `Location`, `Class`. */
export const headingOf = (dimension: Dimension, words: Words | undefined): string =>
  capitalised(wordOf(dimension, words))

/** The words that a company states, for results that are shown; nothing where it states none. */
export const wordsIn = ({ presentation }: { readonly presentation?: Presentation }): { words?: Words } =>
  presentation?.words ? { words: presentation.words } : {}

/** What a figure is of, where it is not of the whole company: `class north`, `Location 12`. */
export const filterTexts = (of: {
  readonly classId: string | null
  readonly departmentId: string | null
  readonly words?: Words
}): string[] => [
  ...(of.classId === null ? [] : [`${wordOf('class', of.words)} ${of.classId}`]),
  ...(of.departmentId === null ? [] : [`${wordOf('department', of.words)} ${of.departmentId}`]),
]

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
  /** `group` shows a heading with its accounts and their subtotal, `line` one line for all of them, `total` the sum of all parts above. */
  readonly show: 'group' | 'line' | 'total'
  /** Null for a section with its usual name. */
  readonly label: string | null
  /** Ids in the order of the chart; empty for a total. */
  readonly accounts: readonly string[]
  /** Sections whose computed rows, which are not accounts of the chart, belong to the part as well. */
  readonly rest: readonly Section[]
}

/** The statements that can have a layout. */
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

/** The number style of a company that states none. */
export const PLAIN_NUMBERS: NumberStyle = { format: '1,234.50', negative: 'minus', unit: 'whole' }
