/** A verified snapshot with what every request needs of it: company information, lists, known ids, coverage. */

import { firstDay, lastDay, monthOf } from '../../builder/contract/calendar.ts'
import type { DateRange } from '../../builder/contract/document.ts'
import type { CompanyInfo, PublishedBudget } from '../../builder/contract/schemas.ts'
import { INFO, LISTS, type ListName, listPath } from '../../builder/snapshot/files/layout.ts'
import type { Snapshot } from '../../builder/snapshot/files/open.ts'

export interface Published {
  readonly snapshot: Snapshot
  readonly info: CompanyInfo
  readonly lists: ReadonlyMap<ListName, readonly object[]>
  /** The ids of each list, in which ids of requests are looked up. */
  readonly ids: ReadonlyMap<ListName, ReadonlySet<string>>
  /** The months that have figures, of the books or of one budget. */
  coverage(budgetId: string | null): DateRange
}

type Entry = { readonly Id: string }

/** Reads, and thereby verifies, everything but the statements and metrics. Throws `SnapshotDamagedError`. */
export async function readPublished(snapshot: Snapshot): Promise<Published> {
  const parse = async <T>(path: string): Promise<T> =>
    JSON.parse((await snapshot.read(path)).toString('utf8')) as T
  const info = await parse<CompanyInfo>(INFO)
  const lists = new Map<ListName, readonly Entry[]>()
  for (const name of LISTS) lists.set(name, (await parse<{ Data: Entry[] }>(listPath(name))).Data)
  const budgets = new Map(
    (lists.get('budgets') as readonly PublishedBudget[]).map((budget) => [budget.Id, budget]),
  )
  const { Coverage } = snapshot.manifest
  return {
    snapshot,
    info,
    lists,
    ids: new Map([...lists].map(([name, entries]) => [name, new Set(entries.map((entry) => entry.Id))])),
    coverage: (budgetId) => {
      const budget = budgetId === null ? undefined : budgets.get(budgetId)
      return budget
        ? {
            startDate: firstDay(monthOf(budget.StartMonth)),
            endDate: lastDay(monthOf(budget.EndMonth)),
          }
        : { startDate: Coverage.StartDate, endDate: Coverage.EndDate }
    },
  }
}
