/**
 * Compares the names under which figures of closed months were published: whoever swaps the names of two
 * accounts, or changes the unit of a metric or how its days become a month, changes what a reader is told
 * although no figure differs.
 * Computed rows have reserved ids, and their names do not count.
 */
import type { Frame } from '../../books/reference/frame.ts'
import { COMPUTED_ROWS } from '../../contract/vocabulary.ts'
import type { RestatedLabel } from '../files/manifest.ts'

type Labels = ReadonlyMap<string, string>

/**
 * Lists the budgets, classes, departments and metrics of both editions whose name differs, and metrics with
 * another unit or aggregation.
 */
export function relabelledMembers(before: Frame, now: Frame): RestatedLabel[] {
  const aggregations = new Map(before.metrics.map(({ id, aggregation }) => [id, aggregation]))
  const reaggregated = new Set(
    now.metrics.flatMap(({ id, aggregation }) => (aggregations.get(id) === aggregation ? [] : [id])),
  )
  const metricLabel = ({ id, name, unit, aggregation }: Frame['metrics'][number]): string =>
    `${name}${unit ? ` (${unit})` : ''}${reaggregated.has(id) ? `, ${aggregation}` : ''}`
  const lists = {
    Budget: (frame: Frame) => frame.budgets.map(({ id, name }) => [id, name] as const),
    Class: (frame: Frame) => frame.classes.members.map(({ id, name }) => [id, name] as const),
    Department: (frame: Frame) => frame.departments.members.map(({ id, name }) => [id, name] as const),
    Metric: (frame: Frame) => frame.metrics.map((metric) => [metric.id, metricLabel(metric)] as const),
  }
  return Object.entries(lists).flatMap(([kind, of]) =>
    differing(kind as RestatedLabel['Kind'], new Map(of(before)), new Map(of(now))),
  )
}

/**
 * Lists the accounts with another name or number, as far as the document states a figure other than zero in a
 * month up to `through`.
 */
export const relabelledAccounts = (before: string, now: string, through: string): RestatedLabel[] =>
  differing('Account', accountsIn(before, through), accountsIn(now, '9999-12'))

function differing(Kind: RestatedLabel['Kind'], before: Labels, now: Labels): RestatedLabel[] {
  return [...before].flatMap(([Id, Old]) => {
    const New = now.get(Id)
    return New === undefined || New === Old ? [] : [{ Kind, Id, Old, New }]
  })
}

function accountsIn(document: string, through: string): Labels {
  const { Periods, Data } = JSON.parse(document) as {
    Periods: { Month: string }[]
    Data: {
      AccountId?: string
      AccountNumber?: string | null
      AccountName?: string
      Values: (number | null)[]
    }[]
  }
  return new Map(
    Data.flatMap(({ AccountId, AccountNumber, AccountName, Values }) => {
      const isStated = Periods.some(({ Month }, i) => Values[i] && Month <= through)
      if (AccountId === undefined || Object.hasOwn(COMPUTED_ROWS, AccountId) || !isStated) return []
      return [[AccountId, [AccountNumber, AccountName].filter(Boolean).join(' ')] as const]
    }),
  )
}
