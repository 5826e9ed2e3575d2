/** Defines `group:` in company.yaml: the companies whose published snapshots a group is made from; and what is kept of how that was done. */
import { z } from 'zod'
import { addDays, isCalendarDate, monthOf } from '../contract/calendar.ts'
import { COMPANY_ID, text } from './setting-types.ts'

/** The class of what is eliminated between members; each member is a class with its own id. */
export const ELIMINATIONS = 'eliminations'

const SHARE = 'must be a percentage above 0 and at most 100, such as 80'
const percentage = z
  .union([text, z.number().transform(String)], { error: SHARE })
  .refine((share) => /^\d{1,3}(\.\d{1,6})?$/.test(share) && Number(share) > 0 && Number(share) <= 100, SHARE)
const monthStart = text.refine(
  (day) => /^\d{4}-\d{2}-01$/.test(day) && isCalendarDate(day),
  'must be the first day of a month',
)
const monthEnd = text.refine(
  (day) => isCalendarDate(day) && addDays(day, 1).endsWith('-01'),
  'must be the last day of a month',
)

const member = z.strictObject({
  company: text
    .regex(COMPANY_ID, 'must be the id of a company')
    .refine((id) => id !== ELIMINATIONS, 'is the name of what is eliminated between members'),
  accounts: text.optional(), // by id, number or name
  departments: text.optional(), // by id
  share: z
    .union([percentage, z.record(monthStart, percentage)], {
      error: `${SHARE}, or one for each day from which it holds`,
    })
    .optional(), // 100
  from: monthStart.optional(), // as long as the group
  to: monthEnd.optional(), // still a member
})

export const groupSchema = z.strictObject({
  members: z
    .array(member, { error: 'must be a list of companies' })
    .min(1, 'needs at least one member')
    .refine(
      (members) => new Set(members.map(({ company }) => company)).size === members.length,
      'names a company twice',
    ),
  rates: text.optional(), // needed where a member has another currency
  historical: text.optional(), // equity by the average of its month
  intercompany: text.optional(), // nothing is eliminated
  eliminations: text.optional(), // by hand: none
})
export type Group = z.output<typeof groupSchema>

/** The percentage that the group holds of a member in a month. The first of several holds before its day too. */
export function shareIn({ share = '100' }: Group['members'][number], month: number): string {
  if (typeof share === 'string') return share
  const dated = Object.entries(share).sort()
  return (dated.findLast(([day]) => monthOf(day) <= month) ?? dated[0])?.[1] ?? '100'
}

/** Whether others hold a part of a member, in some month. */
export const hasInterests = ({ share = '100' }: Pick<Group['members'][number], 'share'>): boolean =>
  (typeof share === 'string' ? [share] : Object.values(share)).some((each) => Number(each) < 100)

/** Every file that the settings of a group name, with its key. */
export const groupFiles = ({ members, ...tables }: Group): { key: string; files: string }[] => [
  ...members.flatMap(({ accounts, departments }, i) => [
    ...namedAs(`group.members.${i}.accounts`, accounts),
    ...namedAs(`group.members.${i}.departments`, departments),
  ]),
  ...(['rates', 'historical', 'intercompany'] as const).flatMap((key) =>
    namedAs(`group.${key}`, tables[key]),
  ),
]
const namedAs = (key: string, files: string | undefined) => (files === undefined ? [] : [{ key, files }])

/** What is eliminated by hand is an ordinary ledger, whose column "member" is the class. */
export const eliminationsIn = (group: Group | undefined) =>
  group?.eliminations === undefined ? [] : [{ files: group.eliminations, columns: { class: 'member' } }]

export const NOT_BESIDE_GROUP = 'must not stand beside "group": the books of a group are those of its members'

/** The arguments of `refine` for a key that only some companies must have. It is said beside all other mistakes, and once. */
export const mustHave = <Company>(key: string, has: (company: Company) => unknown) =>
  [
    (company: Company) => Boolean(has(company)),
    {
      ...{ path: [key], params: { isMissing: true } },
      when: ({ value, issues }: z.core.ParsePayload) =>
        typeof value === 'object' && value !== null && issues.every(({ path }) => path?.[0] !== key),
    },
  ] as const

/** The account of equity that holds what changed rates make of the books of members. */
export const DIFFERENCE = 'translation-difference'

export interface Consolidation {
  /** The ids of the members, which are classes, in the order of the settings. */
  readonly members: readonly string[]
  /** Two accounts of the group each that state one matter from both sides. */
  readonly pairs: readonly (readonly [string, string])[]
  /** One entry for each member whose books are in another currency. */
  readonly translations: readonly Translation[]
}

export interface Translation {
  readonly member: string
  /** That of the member's books. */
  readonly currency: string
  /** The months of the group, in order. */
  readonly months: readonly TranslatedMonth[]
}

export interface TranslatedMonth {
  /** `YYYY-MM` */
  readonly month: string
  /** As they are written: `× 1.05` or `÷ 9.57`. */
  readonly rates: { readonly before: string; readonly average: string; readonly closing: string }
  /** Opening net assets, result and movements of equity. */
  readonly parts: { readonly [part in TranslatedPart]: PartOfDifference }
  /** What the books of the group state as the difference of the month: the parts, but for rounding. In minor units of the group. */
  readonly difference: number
}

export const TRANSLATED_PARTS = ['opening', 'result', 'equity'] as const
export type TranslatedPart = (typeof TRANSLATED_PARTS)[number]

/** `amount` in minor units of the member, `difference` in those of the group: the amount × (closing rate − its rate). */
export interface PartOfDifference {
  readonly amount: number
  readonly difference: number
}
