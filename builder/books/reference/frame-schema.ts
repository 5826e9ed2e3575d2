/** Parses `frame.json` of published books. A snapshot may come from anybody, so nothing in it is trusted. */
import { z } from 'zod'
import { dayOf, isCalendarDate } from '../../contract/calendar.ts'
import { notJson, parseJson } from '../../contract/json.ts'
import {
  AGGREGATIONS,
  BASES,
  BASIS_SOURCES,
  CASH_FLOW_CATEGORIES,
  CLASSIFICATIONS,
  isProfitAndLoss,
  SECTIONS,
} from '../../contract/vocabulary.ts'
import { BUDGET_EQUITY } from '../../workspace/company.ts'
import { TRANSLATED_PARTS } from '../../workspace/group.ts'
import { NEGATIVE_STYLES, NUMBER_FORMATS, ratiosSchema, SHOWN_UNITS } from '../../workspace/presentation.ts'
import type { Frame } from './frame.ts'
import { LAID_OUT } from './presentation.ts'
import { isTree, treeOf } from './tree.ts'

const day = z.string().refine(isCalendarDate, 'is not a day such as 2026-02-28')
const month = z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/, 'is not a month such as 2026-02')
const range = z
  .looseObject({ startDate: day, endDate: day })
  .refine(({ startDate, endDate }) => startDate <= endDate, 'ends before it begins')
const account = z
  .looseObject({
    id: z.string(),
    number: z.string(),
    name: z.string(),
    classification: z.enum(CLASSIFICATIONS),
    type: z.string(),
    parentId: z.string().nullable(),
    isHeader: z.boolean(),
    isActive: z.boolean(),
    cashFlow: z.enum(CASH_FLOW_CATEGORIES).nullable(),
  })
  .refine(
    ({ classification, cashFlow }) => cashFlow === null || !isProfitAndLoss(classification),
    'is income or an expense, and in a category of the cash flow',
  )
/** Whether no account is there twice or stands below itself: whoever follows the parents would else never come back. */
function areTrees(accounts: readonly z.output<typeof account>[]): boolean {
  const ids = new Set<string | null>(accounts.map(({ id }) => id))
  const known = accounts.map((each) => (ids.has(each.parentId) ? each : { ...each, parentId: null }))
  return ids.size === accounts.length && treeOf(known).members.length === accounts.length
}
const tree = z
  .looseObject({
    members: z.array(
      z.looseObject({
        id: z.string(),
        name: z.string(),
        parentId: z.string().nullable(),
        isActive: z.boolean(),
        // Where the source names it.
        file: z.string().exactOptional(),
        row: z.number().int().exactOptional(),
      }),
    ),
    last: z.array(z.number().int()),
  })
  .refine(isTree, 'is no tree whose members stand once, each with those below it in one piece')
/** An id that is there twice would count each of its rows twice. */
const areDifferent = (all: readonly { readonly id: string }[]): boolean =>
  new Set(all.map(({ id }) => id)).size === all.length
const follow = (years: readonly { readonly start: string; readonly end: string }[]): boolean =>
  years.every(({ start, end }, i) => {
    const before = years[i - 1]
    return start <= end && (before === undefined || dayOf(start) === dayOf(before.end) + 1)
  })
const layoutPart = z.looseObject({
  show: z.enum(['group', 'line', 'total']),
  label: z.string().nullable(),
  accounts: z.array(z.string()),
  rest: z.array(z.enum([...SECTIONS.ProfitAndLoss, ...SECTIONS.BalanceSheet])),
})
/** Members of the frame as any format has them; {@link parseFrame} lets others pass. */
export const frameSchema = z.looseObject({
  companyId: z.string(),
  name: z.string(),
  currency: z.string().regex(/^[A-Z]{3}$/, 'is not a currency such as USD'),
  fiscalMonthEnd: z.number().int().min(1).max(12),
  accounts: z.array(account).refine(areTrees, 'has an account twice, or one that stands below itself'),
  classes: tree,
  departments: tree,
  fiscalYears: z
    .array(z.looseObject({ start: day, end: day }))
    .min(1, 'has none')
    .refine(follow, 'has years that do not follow one another'),
  budgetYears: z.array(month).exactOptional(),
  coverage: range,
  bases: z.array(z.enum(BASES)).min(1, 'has none'),
  basisSources: z.partialRecord(z.enum(BASES), z.enum(BASIS_SOURCES)),
  budgets: z
    .array(
      z.looseObject({
        id: z.string(),
        name: z.string(),
        startMonth: month.nullable(),
        endMonth: month.nullable(),
        // Books of earlier versions lack this member.
        equity: z.enum(BUDGET_EQUITY).nullable().default(null),
        resultAccount: z.string().nullable().default(null),
      }),
    )
    .refine(areDifferent, 'has one twice'),
  metrics: z
    .array(
      z.looseObject({
        id: z.string(),
        name: z.string(),
        unit: z.string(),
        aggregation: z.enum(AGGREGATIONS),
      }),
    )
    .refine(areDifferent, 'has one twice'),
  lockedThrough: day.nullable(),
  // Books of earlier versions lack this member, because they could not show disposals gross.
  disposals: z.array(z.number().int()).default([]),
  overdrafts: z.array(z.number().int()).exactOptional(),
  cashFlowRows: z.array(z.string()).exactOptional(),
  dividendOrTax: month.exactOptional(),
  consolidation: z
    .looseObject({
      members: z.array(z.string()),
      pairs: z.array(z.tuple([z.string(), z.string()])),
      translations: z.array(
        z.looseObject({
          member: z.string(),
          currency: z.string(),
          months: z.array(
            z.looseObject({
              month,
              rates: z.looseObject({ before: z.string(), average: z.string(), closing: z.string() }),
              parts: z.record(
                z.enum(TRANSLATED_PARTS),
                z.looseObject({ amount: z.number().int(), difference: z.number().int() }),
              ),
              difference: z.number().int(),
            }),
          ),
        }),
      ),
    })
    .exactOptional(),
  presentation: z
    .looseObject({
      layout: z.partialRecord(z.enum(LAID_OUT), z.array(layoutPart)).exactOptional(),
      numbers: z
        .looseObject({
          format: z.enum(NUMBER_FORMATS),
          negative: z.enum(NEGATIVE_STYLES),
          unit: z.enum(SHOWN_UNITS),
        })
        .exactOptional(),
      words: z
        .looseObject({ class: z.string().optional(), department: z.string().optional() })
        .exactOptional(),
      ratios: ratiosSchema.loose().exactOptional(),
      // They become rules of a style sheet, so that no other sign is let in.
      brand: z
        .looseObject({
          colour: z
            .string()
            .regex(/^#[0-9a-f]{6}$/)
            .exactOptional(),
          logo: z
            .looseObject({
              type: z.enum(['image/png', 'image/jpeg']),
              width: z.number().int().positive(),
              height: z.number().int().positive(),
              data: z.string().regex(/^[A-Za-z0-9+/]+={0,2}$/),
            })
            .exactOptional(),
        })
        .exactOptional(),
      commentary: z
        .array(
          z.looseObject({
            month,
            notes: z.array(
              z.looseObject({
                line: z.string().nullable(),
                heading: z.string().nullable(),
                text: z.string(),
              }),
            ),
          }),
        )
        .exactOptional(),
    })
    .exactOptional(),
})

/** Parses the text of `frame.json`. Throws the error that `damaged` makes from the problem if the text is not a frame. */
export function parseFrame(text: string, damaged: (problem: string) => Error): Frame {
  let stored: unknown
  try {
    stored = parseJson(text)
  } catch (problem) {
    throw damaged(`frame.json ${notJson(problem)}`)
  }
  const { data, error } = frameSchema.safeParse(stored)
  const [issue] = error?.issues ?? []
  if (data === undefined) throw damaged(`frame.json: ${issue?.path.join('.')}: ${issue?.message}`)
  const unknown = data.bases.find((basis) => data.basisSources[basis] === undefined)
  if (unknown !== undefined) throw damaged(`frame.json: basisSources: lacks ${unknown}`)
  return data
}
