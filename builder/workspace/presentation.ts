/** Defines the settings of company.yaml for the presentation of statements: own groups and lines, and the style of numbers. No figure depends on them. */
import { z } from 'zod'
import { text } from './setting-types.ts'

/** A number, an id, a range of numbers such as 6000-6099, or a section. YAML reads `6000` as a number. */
const reference = z.union([text, z.number().int().transform(String)])
const references = z.array(reference, { error: 'must be a list such as [6000-6099, 6200]' }).min(1)

const partKeys = {
  section: text.optional(),
  group: text.optional(),
  line: text.optional(),
  accounts: references.optional(),
  label: text.optional(),
}

/** The keys that make a part; each part has exactly one of them. */
const KINDS = ['section', 'group', 'line', 'total'] as const

interface PartKeys {
  readonly section?: string | undefined
  readonly group?: string | undefined
  readonly line?: string | undefined
  readonly total?: string | undefined
  readonly accounts?: readonly string[] | undefined
  readonly label?: string | undefined
}

/** One part of `layout:` as the file states it. */
export type PartSetting =
  /** Holds all accounts of a section that no other part names. */
  | { readonly kind: 'section'; readonly section: string; readonly label: string | null }
  /** Shows these accounts under a heading, or as one line. */
  | { readonly kind: 'group' | 'line'; readonly label: string; readonly accounts: readonly string[] }
  /** Shows the sum of all parts above it. */
  | { readonly kind: 'total'; readonly label: string }

function partOf(keys: PartKeys, context: z.core.$RefinementCtx): PartSetting {
  const { section, group, line, total, accounts, label } = keys
  const problem = (message: string): never => {
    context.issues.push({ code: 'custom', message, input: keys })
    return z.NEVER
  }
  if (KINDS.filter((kind) => keys[kind] !== undefined).length !== 1)
    return problem(`must have one of the keys ${KINDS.join(', ')}, and only one`)
  if (section !== undefined)
    return accounts === undefined
      ? { kind: 'section', section, label: label ?? null }
      : problem('a section has no "accounts": it holds all that no other part names')
  if (label !== undefined) return problem('only a section has a "label"; the others are called as they say')
  if (total !== undefined)
    return accounts === undefined
      ? { kind: 'total', label: total }
      : problem('a total has no "accounts": it is what all parts above it add up to')
  if (accounts === undefined) return problem('needs "accounts", such as [6000-6099, 6200]')
  return group === undefined
    ? { kind: 'line', label: line ?? '', accounts }
    : { kind: 'group', label: group, accounts }
}

const parts = <Keys extends z.ZodRawShape>(keys: Keys) =>
  z.array(z.strictObject(keys).transform((read, context) => partOf(read as PartKeys, context))).min(1)

const layoutSchema = z.strictObject({
  profitAndLoss: parts({ ...partKeys, total: text.optional() }).optional(), // sections and groups of the chart
  /** The totals of the balance sheet follow its sections in every layout. */
  balanceSheet: parts(partKeys).optional(),
})
export type LayoutSetting = z.output<typeof layoutSchema>

const word = z
  .string({ error: 'must be text' })
  .trim()
  .min(1, 'must not be empty')
  .max(40, 'must be a short word')
/** What the company calls its two dimensions. */
const wordsSchema = z.strictObject({ class: word.optional(), department: word.optional() })

/** The company's colour and logo, on its pages and on paper. */
const brandSchema = z.strictObject({
  colour: z
    .string({ error: 'must be text, in quotes' })
    .regex(/^#[0-9a-f]{6}$/i, 'must be a colour such as "#0f5c8a"')
    .transform((text) => text.toLowerCase())
    .optional(),
  /** A PNG or JPEG beside company.yaml. */
  logo: text.optional(),
})

/** An image, and its size in points. */
export interface LogoImage {
  readonly type: 'image/png' | 'image/jpeg'
  readonly width: number
  readonly height: number
  /** Base64. */
  readonly data: string
}

/** The number formats, each named by an example. */
export const NUMBER_FORMATS = ['1,234.50', '1.234,50', '1 234,50', "1'234.50"] as const
export type NumberFormat = (typeof NUMBER_FORMATS)[number]
export const NEGATIVE_STYLES = ['minus', 'brackets'] as const
export type NegativeStyle = (typeof NEGATIVE_STYLES)[number]
export const SHOWN_UNITS = ['whole', 'thousands', 'exact'] as const
export type ShownUnit = (typeof SHOWN_UNITS)[number]

const numbersSchema = z.strictObject({
  format: z
    .enum(NUMBER_FORMATS, { error: `must be one of ${NUMBER_FORMATS.join('; ')}` })
    .default('1,234.50'),
  negative: z
    .enum(NEGATIVE_STYLES, { error: `must be one of ${NEGATIVE_STYLES.join(', ')}` })
    .default('minus'),
  unit: z.enum(SHOWN_UNITS, { error: `must be one of ${SHOWN_UNITS.join(', ')}` }).default('whole'),
})

/** A number with so many decimals at most, as text; YAML reads `1.5` as a number. */
const decimal = (places: number, example: string) =>
  z
    .union([z.number().transform(String), text])
    .pipe(
      z
        .string()
        .regex(
          places === 0 ? /^-?\d{1,12}$/ : new RegExp(`^-?\\d{1,12}(\\.\\d{1,${places}})?$`),
          `must be a number with at most ${places} decimals, such as ${example}`,
        ),
    )
const percent = z
  .string({ error: 'must be a percentage such as 40%' })
  .regex(/^-?\d{1,6}(\.\d)?%$/, 'must be a percentage such as 40% or 37.5%')

const limitsOf = (value: z.ZodType<string, unknown>) =>
  z
    .strictObject({
      target: value.exactOptional(),
      least: value.exactOptional(),
      most: value.exactOptional(),
    })
    .refine(({ least, most }) => !(least && most && Number.parseFloat(least) > Number.parseFloat(most)), {
      path: ['least'],
      error: 'must not be more than "most"',
    })
/** What a ratio should be, and the least and most that it may be: texts such as `40%` or `1.5`, in the unit of the ratio. */
export type Limits = z.output<ReturnType<typeof limitsOf>>

const [days, months, times] = [
  limitsOf(decimal(1, '45')),
  limitsOf(decimal(1, '6')),
  limitsOf(decimal(2, '1.5')),
]

/** The ratios of the company's pages: what they should be, and metrics that stand beside them. */
export const ratiosSchema = z.strictObject({
  grossMargin: limitsOf(percent).exactOptional(),
  operatingMargin: limitsOf(percent).exactOptional(),
  netMargin: limitsOf(percent).exactOptional(),
  currentRatio: times.exactOptional(),
  quickRatio: times.exactOptional(),
  daysOfReceivables: days.exactOptional(),
  daysOfInventory: days.exactOptional(),
  daysOfPayables: days.exactOptional(),
  runway: months.exactOptional(),
  /** Metrics by which the income of a year is divided, such as a headcount. */
  incomePer: z.record(text, limitsOf(decimal(0, '250000'))).exactOptional(),
  /** Metrics that are shown as they are. */
  beside: z.record(text, limitsOf(decimal(6, '75'))).exactOptional(),
})
export type RatioSettings = z.output<typeof ratiosSchema>
export type RatioName = Exclude<keyof RatioSettings, 'incomePer' | 'beside'>

/** How much a figure must differ from the month before, the year before or the budget to need a note in the commentary. */
const materialitySchema = z
  .strictObject({
    amount: decimal(4, '5000').optional(),
    percent: z
      .number({ error: 'must be a number of percent, such as 10' })
      .positive('must be more than 0')
      .max(10_000, 'must be 10000 at most')
      .optional(),
    both: z.boolean({ error: 'must be true or false' }).optional(), // one of the two is enough
  })
  .refine(
    ({ amount, percent }) => amount !== undefined || percent !== undefined,
    'needs "amount" or "percent"',
  )

/** The keys of company.yaml for what pages of statements show and need. */
export const presentationKeys = {
  /** The company's own groups and lines. */
  layout: layoutSchema.optional(),
  numbers: numbersSchema.optional(),
  words: wordsSchema.optional(), // class, department
  brand: brandSchema.optional(),
  ratios: ratiosSchema.optional(),
  materiality: materialitySchema.optional(),
}
