/** Tags in the comments of plain-text journals, and which of them are classes and departments. */
import type { Company } from '../../../workspace/company.ts'
import { statedOf } from '../../format/keys.ts'

export interface Tag {
  readonly name: string
  readonly value: string
}

/** hledger's form: `name:value`, where the value ends at a comma or the line. */
const TAG = /(?:^|[\s,])([^\s:,[\]]+):([^,\n]*)/g

const NO_TAGS: readonly Tag[] = []
export const commentTags = (comment: string): readonly Tag[] =>
  comment === ''
    ? NO_TAGS
    : [...comment.matchAll(TAG)].map(([, name = '', value = '']) => ({ name, value: value.trim() }))

/** `date:2024-01-10` or `[2024-01-10=2024-01-12]` in a posting's comment: the day of this posting alone; null where none. */
export function commentDate(comment: string, ofTransaction: string): string | null {
  const text =
    /(?:^|\s)date:\s*([\d./-]+)/.exec(comment)?.[1] ?? /\[([\d./-]+)(?:=[\d./-]*)?\]/.exec(comment)?.[1]
  const [day, month, year = ofTransaction.slice(0, 4), ...more] = text?.split(/[./-]/).reverse() ?? []
  if (day === undefined || month === undefined || more.length > 0) return null
  return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
}

type Target = 'class' | 'department' | 'none'

/** The dimension of a tag that company.yaml does not map. */
const USUAL: ReadonlyMap<string, Target> = new Map([
  ['class', 'class'],
  ['department', 'department'],
  ['dept', 'department'],
])

export const targetOfTag = (name: string, stated: Company['dimensions']): Target =>
  statedOf(stated, name) ?? USUAL.get(name.toLowerCase()) ?? 'none'

/** Tags that the programs themselves read: dates, assertions, generated notes. */
export const isOwnTag = (name: string): boolean =>
  /^(_.*|date2?|type|assert|start|clopen|retain|generated-.*|https?|file)$/i.test(name)

/** `hledger print --forecast` adds transactions of periodic rules, marked so: they have not happened. */
export const isForecast = ({ name, value }: Tag): boolean =>
  name === 'generated-transaction' && value.startsWith('~')

interface Members {
  readonly class: string | null
  readonly department: string | null
}
const NO_MEMBERS: Members = { class: null, department: null }

/** Of two tags for the same dimension the last one counts: a posting's own wins over its transaction's. */
export function membersOf(tags: readonly Tag[], stated: Company['dimensions']): Members {
  if (tags.length === 0) return NO_MEMBERS
  const last = (target: Target) =>
    tags.findLast(({ name, value }) => value !== '' && targetOfTag(name, stated) === target)?.value ?? null
  return { class: last('class'), department: last('department') }
}
