/**
 * Which accounts moved so much that their month needs a word: against the month before, the same month of the year before, and the
 * budget, by the materiality that company.yaml states. Its findings are warnings; `tieout close` may require that there are none.
 */
import { monthOf, monthText } from '../../contract/calendar.ts'
import { present } from '../../contract/present.ts'
import { isOnCreditSide, isProfitAndLoss } from '../../contract/vocabulary.ts'
import type { Database } from '../../database/database.ts'
import type { Rows } from '../../ingest/format/column-rows.ts'
import { parseAmount } from '../../ingest/text/amount.ts'
import type { Company } from '../../workspace/company.ts'
import { capFindings, LISTED } from '../../workspace/findings/cap-findings.ts'
import { type Finding, warning } from '../../workspace/findings/finding.ts'
import { COMMENTARY } from '../../workspace/source-files.ts'
import type { BudgetFigure } from '../post/budget-figures.ts'
import { IN_BALANCES, KIND } from '../post/postings.ts'
import { BASIS_CODE } from '../read/codes.ts'
import { moneyText } from '../read/money.ts'
import { type Account, accountLabel, decimalsOf, type Frame, firstBasis } from '../reference/frame.ts'

type Materiality = NonNullable<Company['materiality']>

/** For the last month, and each month with commentary, the accounts that no note is about. */
export async function fluxFindings(
  db: Database,
  frame: Frame,
  materiality: Materiality | undefined,
  budgetFigures: Rows<BudgetFigure>,
): Promise<Finding[]> {
  if (materiality === undefined) return []
  const { endDate } = frame.coverage
  const written = frame.presentation?.commentary ?? []
  const months = new Set([...written.map(({ month }) => month), endDate.slice(0, 7)])
  const figures = await figuresOf(db, frame, budgetFigures)
  return [...months].sort().flatMap((month) => {
    const at = monthOf(`${month}-01`)
    const notes = written.find((each) => each.month === month)?.notes ?? []
    const answered = new Set(notes.map(({ line }) => line))
    const found = frame.accounts.flatMap((account, code): Finding[] => {
      const moved = figures(code, at).filter(([, base, is]) =>
        isMaterial(frame, materiality, is - base, base),
      )
      if (moved.length === 0 || linesOf(frame, account).some((line) => answered.has(line))) return []
      const money = (minor: number) => moneyText(frame, minor)
      const [, , is = 0] = moved[0] ?? []
      const against = moved.map(
        ([what, base]) => `${money(base)} ${what} (${is < base ? '' : '+'}${money(is - base)})`,
      )
      return [
        warning(
          'commentary-missing',
          `${accountLabel(account)}, ${month}: ${money(is)} against ${against.join(', ')}, and no note says why`,
          {
            ...{ file: `${COMMENTARY}/${month}.md`, text: account.number || account.id },
            remedy: `write why under the heading "# ${account.number || account.name}" in ${COMMENTARY}/${month}.md`,
          },
        ),
      ]
    })
    return capFindings(found.slice(0, LISTED), found.length)
  })
}

/** What is compared: `in 2026-02`; the figure compared with, and that of the month; minor units, positive on the natural side. */
type Compared = readonly [what: string, base: number, is: number]

async function figuresOf(
  db: Database,
  frame: Frame,
  budgetFigures: Rows<BudgetFigure>,
): Promise<(code: number, month: number) => Compared[]> {
  const basis = BASIS_CODE[firstBasis(frame)]
  const first = monthOf(frame.coverage.startDate)
  const rows = await db.rows<{ account: number; month: number; activity: string; amount: string }>(`
    SELECT account, month, coalesce(sum(amount) FILTER (kind = ${KIND.activity}), 0)::VARCHAR AS activity, sum(amount)::VARCHAR AS amount
    FROM leaf WHERE basis = ${basis} AND ${IN_BALANCES} GROUP BY ALL
    UNION ALL SELECT account, ${first - 1}, '0', sum(amount)::VARCHAR FROM opening WHERE basis = ${basis} GROUP BY account`)
  const moved = new Map<string, number>()
  const key = (code: number, month: number, what: string) => `${code} ${month} ${what}`
  const add = (at: string, amount: number) => moved.set(at, (moved.get(at) ?? 0) + amount)
  for (const { account, month, activity, amount } of rows) {
    add(key(account, month, 'activity'), Number(activity))
    add(key(account, month, 'amount'), Number(amount))
  }
  const [budget] = frame.budgets
  for (const figure of budgetFigures)
    if (figure.budget === budget?.id) add(key(figure.account, figure.month, 'budget'), figure.amount)
  return (code, month) => {
    const { classification } = present(frame.accounts[code], 'account')
    const isFlow = isProfitAndLoss(classification)
    const side = isOnCreditSide(classification) ? -1 : 1
    const from = (at: number) => (isFlow ? at : first - 1)
    const at = (end: number): number => {
      let sum = 0
      for (let each = from(end); each <= end; each++)
        sum += moved.get(key(code, each, isFlow ? 'activity' : 'amount')) ?? 0
      return side * sum
    }
    const planned = isFlow ? moved.get(key(code, month, 'budget')) : undefined
    return [
      ...[month - 1, month - 12]
        .filter((before) => before >= first)
        .map((before): Compared => [`in ${monthText(before)}`, at(before), at(month)]),
      ...(planned === undefined || budget === undefined
        ? []
        : [[`in the budget ${budget.name}`, planned, at(month)] as const]),
    ]
  }
}

/** Whether a difference reaches the amount or the percentage; with `both` it must reach each. */
function isMaterial(
  frame: Frame,
  { amount, percent, both }: Materiality,
  difference: number,
  base: number,
): boolean {
  if (difference === 0) return false
  const size = BigInt(Math.abs(difference))
  const least = amount === undefined ? null : (parseAmount(amount, decimalsOf(frame)).minor ?? 0)
  const reached = [
    ...(least === null ? [] : [size >= BigInt(least)]),
    ...(percent === undefined
      ? []
      : [size * 10_000n >= BigInt(Math.round(percent * 100)) * BigInt(Math.abs(base))]),
  ]
  return both === true ? reached.every(Boolean) : reached.some(Boolean)
}

/** The ids of the lines in which an account is shown: its own, those of the groups around it, and those of the company's layout. */
function linesOf({ accounts, presentation }: Frame, account: Account): string[] {
  const parents: string[] = []
  let at: Account | undefined = account
  while (at !== undefined) {
    parents.push(at.id, `group:${at.id}:total`)
    const { parentId }: Account = at
    at = accounts.find(({ id }) => id === parentId)
  }
  const own = Object.values(presentation?.layout ?? {})
    .flat()
    .filter((part) => part.accounts.includes(account.id))
    .flatMap(({ label }) => [`own:${label}`, `own:${label}:total`])
  return [...parents, ...own]
}
