/** Parents beside their children in metrics: only in those whose members add up. */
import type { MetricSetting } from '../../../workspace/company.ts'
import type { ColumnRows } from '../../format/column-rows.ts'
import type { MetricRow } from '../../format/intake.ts'
import { shiftPoint } from '../../text/amount.ts'
import { keptMetrics } from '../kept-rows.ts'
import { inMillionths } from '../metrics/values.ts'
import type { Dimensions } from '../tags.ts'
import { withoutParents } from './parents.ts'

export const withoutParentValues = (
  rows: ColumnRows<MetricRow>,
  setting: MetricSetting,
  { parents, added }: Pick<Dimensions, 'parents'> & { readonly added: ReadonlySet<string> },
  key: string,
) =>
  withoutParents(rows, keptMetrics, {
    key,
    trees: { ...parents, account: new Map() },
    isOwn: () => setting.parents === 'own',
    figureOf: ({ metric, budget, class: class_, department, date, value }) =>
      added.has(metric)
        ? {
            about: { account: budget === null ? metric : `${metric} ${budget}`, class: class_, department },
            period: date,
            figure: BigInt(shiftPoint(value, 6)),
          }
        : null,
    show: inMillionths(setting).show,
  })
