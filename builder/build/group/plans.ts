/** Adds up budgets, and metrics whose aggregation is `sum`, that members have under one id, unless the group has its own of that id. */
import { join } from 'node:path'
import { decimalsOf } from '../../books/reference/frame.ts'
import { firstDay, lastDay, monthOf, monthText } from '../../contract/calendar.ts'
import { currencyDecimals, formatInteger } from '../../contract/currency.ts'
import { listed } from '../../contract/listed.ts'
import { isOnCreditSide } from '../../contract/vocabulary.ts'
import { minorOfDecimal } from '../../database/amount-sql.ts'
import { type Database, numberedParquet, quoted } from '../../database/database.ts'
import { type FormatContent, NO_CONTENT } from '../../ingest/format/content.ts'
import type { AccountRow, BudgetRow, MetricDefinition, MetricRow } from '../../ingest/format/intake.ts'
import { readPublishedMetrics } from '../../snapshot/files/documents.ts'
import type { Company } from '../../workspace/company.ts'
import { error, type Finding, note, warning } from '../../workspace/findings/finding.ts'
import { COMPANY_FILE } from '../../workspace/workspace.ts'
import { departmentSql } from './departments.ts'
import { BUDGETS, type DatedMember, type Member, settingPlace } from './members.ts'
import { INTERESTS_RESULT } from './own-accounts.ts'
import { product } from './products.ts'
import type { MemberRates } from './rates.ts'

/** The budgets of a member that are parts of those of the group. */
export const budgetsTaken = ({ frame }: Member, { budgets: own = [] }: Company): Member['frame']['budgets'] =>
  frame.budgets.filter(({ id, startMonth }) => startMonth !== null && !own.some((each) => each.id === id))

/** SQL for the figures of these budgets, with `file_row_number` in the member's file, from 0. */
export const budgetsSql = ({ snapshot }: Member, budgets: readonly { readonly id: string }[]): string =>
  `FROM ${numberedParquet(join(snapshot.folder, BUDGETS))} WHERE budget IN (${budgets.map(({ id }) => quoted(id)).join(', ')})`

/** The figures of a member's budgets in accounts and currency of the group; `rates` is null where its currency is the same. */
export async function budgetsOf(
  db: Database,
  i: number,
  member: DatedMember,
  rates: MemberRates | null,
  company: Company,
  chart: readonly AccountRow[],
): Promise<Pick<FormatContent, 'budgets' | 'findings'>> {
  const budgets = budgetsTaken(member, company)
  if (budgets.length === 0) return { budgets: [], findings: [] }
  const { id, file, frame, days } = member
  const signs = (name: string, accounts: readonly Pick<AccountRow, 'id' | 'classification'>[]) =>
    `(VALUES ${accounts.map((each) => `(${quoted(each.id)}, ${isOnCreditSide(each.classification) ? -1 : 1})`).join(', ')}) AS ${name}(id, sign)`
  const at = [...(rates?.budget ?? [])].map(
    ([month, { num, den }]) => `('${monthText(month)}', ${num}, ${den})`,
  )
  const values =
    rates === null
      ? '(SELECT NULL::VARCHAR AS month, 1 AS num, 1 AS den) AS rate ON true'
      : `(VALUES ${at.length > 0 ? at.join(', ') : "('', 1, 1)"}) AS rate(month, num, den) ON rate.month = figure.month`
  const rows = await db.rows<{
    budget: string
    month: string
    account: string
    department: string | null
    amount: string | null
    row: string
  }>(`
    SELECT figure.budget, figure.month, map_${i}.account, figure.department, min(figure.row)::VARCHAR AS row,
      CASE WHEN bool_and(num IS NOT NULL) THEN sum(own_sign.sign * group_sign.sign * ${product('figure.amount')})::VARCHAR END AS amount
    FROM (SELECT budget, month, account, ${departmentSql(member.departments, 'department')} AS department, sum(${minorOfDecimal('amount', decimalsOf(frame))})::BIGINT AS amount, min(file_row_number) + 1 AS row
      ${budgetsSql(member, budgets)} AND month BETWEEN '${days.from.slice(0, 7)}' AND '${member.setting.to?.slice(0, 7) ?? '9999-12'}' GROUP BY ALL) figure
    JOIN map_${i} ON own = figure.account JOIN ${signs('own_sign', frame.accounts)} ON own_sign.id = own
    JOIN ${signs('group_sign', chart)} ON group_sign.id = map_${i}.account
    LEFT JOIN ${values}
    GROUP BY figure.budget, figure.month, map_${i}.account, figure.department ORDER BY ALL`)
  const months = new Set(rows.map(({ month }) => monthOf(`${month}-01`)))
  const missing = [...months].filter((month) => rates !== null && !rates.budget.has(month)).sort()
  const averages = [...months].filter((month) => rates?.budget.get(month)?.isAverage).sort()
  const findings: Finding[] = []
  if (missing.length > 0)
    findings.push(
      error('group-rate-missing', `the budgets of ${id} need rates of ${listed(missing.map(monthText), 6)}`, {
        file: company.group?.rates ?? COMPANY_FILE,
        remedy: 'add their rows, with the rate of the budget in a column "budget"',
      }),
    )
  if (averages.length > 0)
    findings.push(
      note(
        'group-budget-average',
        `the budgets of ${id} are at the average of ${listed(averages.map(monthText), 6)}: they have no rate of their own`,
        {
          ...settingPlace(member),
          remedy: 'nothing to do; rates of the budget stand in a column "budget"',
        },
      ),
    )
  const decimals = currencyDecimals(company.currency)
  return {
    findings,
    budgets: budgets.map(({ id: budget, name }) => ({
      id: budget,
      name,
      rows: rows
        .filter((row) => row.budget === budget && row.amount !== null)
        .map(
          ({ month, account, department, amount, row }): BudgetRow => ({
            ...{ account, class: id, department, month, amount: formatInteger(amount ?? '0', decimals) },
            ...{ file, row: Number(row) },
          }),
        ),
    })),
  }
}

/** What members lack of the budgets that others of them have. */
export function lackingBudgets(members: readonly Member[], company: Company): Finding[] {
  const has = members.map((member) => budgetsTaken(member, company))
  const ids = new Set(has.flatMap((budgets) => budgets.map(({ id }) => id)))
  return [...ids].flatMap((budget) => {
    const without = members.filter((_, i) => !has[i]?.some(({ id }) => id === budget)).map(({ id }) => id)
    if (without.length === 0) return []
    return [
      warning(
        'group-budget-lacking',
        `the budget ${budget} is not one of all members: ${listed(without, 6)} ${without.length === 1 ? 'has' : 'have'} none`,
        {
          file: COMPANY_FILE,
          text: budget,
          remedy:
            'nothing to do where that is right; else give them a budget of this id, or the group one of its own',
        },
      ),
    ]
  })
}

/** The metrics that are sums, with the values that members have published for all of themselves. */
export async function metricsOf(members: readonly DatedMember[], company: Company): Promise<FormatContent> {
  const own = new Set([INTERESTS_RESULT, ...(company.nonFinancial ?? []).map(({ id }) => id)])
  const definitions = new Map<string, MetricDefinition>()
  const findings: Finding[] = []
  for (const { id, at, frame } of members)
    for (const metric of frame.metrics) {
      if (metric.aggregation !== 'Sum' || own.has(metric.id)) continue
      const known = definitions.get(metric.id) ?? metric
      definitions.set(metric.id, known)
      if (known.unit !== metric.unit)
        findings.push(
          error(
            'group-metric-unit',
            `${id} counts ${metric.id} in ${metric.unit || 'no unit'}, others in ${known.unit || 'no unit'}`,
            {
              ...settingPlace({ at }),
              text: metric.id,
              remedy: 'give it the same unit in all members, or the group one of its own',
            },
          ),
        )
    }
  const metrics: MetricRow[] = []
  for (const member of members)
    for (const budget of [null, ...budgetsTaken(member, company).map(({ id }) => id)]) {
      const read = await readPublishedMetrics(member.snapshot, {
        budgetId: budget,
        classId: null,
        departmentId: null,
      })
      for (const [metric, values] of read?.values ?? [])
        if (definitions.has(metric) && !own.has(metric))
          for (const [at, value] of values.entries()) {
            const month = monthOf(`${read?.months[at]}-01`)
            // Plans reach beyond the last month of the group, but not of the member in it.
            const until = budget === null ? member.days.until : member.setting.to
            const isIn = firstDay(month) >= member.days.from && (!until || lastDay(month) <= until)
            if (value === null || !isIn) continue
            metrics.push({
              ...{ metric, date: lastDay(month), wholeMonth: true, value, budget },
              ...{ class: member.id, department: null, file: member.file, row: 1 },
            })
          }
    }
  return { ...NO_CONTENT, metricDefinitions: [...definitions.values()], metrics, findings }
}
