/**
 * Warns of budgets whose figures have the wrong sign or the wrong scale, such as costs written with a minus, or a sheet in
 * thousands that does not say so. Each section of a budget is compared with the same section of the books.
 */
import { type Classification, isProfitAndLoss } from '../../contract/vocabulary.ts'
import type { Database } from '../../database/database.ts'
import type { Rows } from '../../ingest/format/column-rows.ts'
import type { Company } from '../../workspace/company.ts'
import { type Finding, warning } from '../../workspace/findings/finding.ts'
import { BASIS_CODE } from '../read/codes.ts'
import { moneyText } from '../read/money.ts'
import { accountAt, type Frame, firstBasis } from '../reference/frame.ts'
import type { BudgetFigure } from './budget-figures.ts'
import { IN_BALANCES, KIND } from './postings.ts'

const DEBIT: readonly Classification[] = ['Asset', 'CostOfSales', 'Expense', 'OtherExpense']

/** The sums of one section of a budget, in natural signs and minor units. */
interface Section {
  readonly classification: Classification
  positive: number
  negative: number
  readonly months: Set<number>
  /** The largest figure with the opposite sign, which the finding names as an example. */
  largest: { readonly figure: BudgetFigure; readonly amount: number } | null
}

/** The balance (or the activity, for profit and loss) of each section in the books, natural sign, and the number of months with postings. */
interface Actuals {
  readonly sums: ReadonlyMap<Classification, number>
  readonly months: number
}

/** Warnings for sections whose figures mostly have the opposite sign, and for budgets that look like thousands and state no `scale`. */
export async function budgetSignFindings(
  db: Database,
  frame: Frame,
  figures: Rows<BudgetFigure>,
  settings: NonNullable<Company['budgets']> = [],
): Promise<Finding[]> {
  if (figures.length === 0) return []
  const actuals = await actualsOf(db, frame)
  const sections = sectionsOf(frame, figures, actuals)
  return frame.budgets.flatMap(({ id }) =>
    [...(sections.get(id)?.values() ?? [])].flatMap((section) => [
      ...oppositeSign(frame, id, section, actuals),
      ...(settings.some((setting) => setting.id === id && setting.scale !== undefined)
        ? []
        : otherSize(frame, id, section, actuals)),
    ]),
  )
}

async function actualsOf(db: Database, frame: Frame): Promise<Actuals> {
  const basis = BASIS_CODE[firstBasis(frame)]
  const rows = await db.rows<{ account: number; activity: number; balance: number }>(
    `SELECT account, sum(activity)::DOUBLE AS activity, sum(balance)::DOUBLE AS balance FROM (
       SELECT account, CASE WHEN kind = ${KIND.activity} THEN amount ELSE 0 END AS activity, amount AS balance
       FROM posting WHERE basis = ${basis} AND ${IN_BALANCES}
       UNION ALL SELECT account, 0, amount FROM opening WHERE basis = ${basis})
     GROUP BY account`,
  )
  const [span] = await db.rows<{ months: number }>(
    `SELECT count(DISTINCT date_trunc('month', day))::INTEGER AS months FROM posting WHERE basis = ${basis}`,
  )
  const sums = new Map<Classification, number>()
  for (const { account, activity, balance } of rows) {
    const classification = frame.accounts[account]?.classification
    if (classification === undefined) continue
    const sign = DEBIT.includes(classification) ? 1 : -1
    const amount = sign * (isProfitAndLoss(classification) ? activity : balance)
    sums.set(classification, (sums.get(classification) ?? 0) + amount)
  }
  return { sums, months: span?.months ?? 0 }
}

/** The sections of each budget. */
function sectionsOf(
  frame: Frame,
  figures: Rows<BudgetFigure>,
  actuals: Actuals,
): ReadonlyMap<string, ReadonlyMap<Classification, Section>> {
  const byBudget = new Map<string, Map<Classification, Section>>()
  for (const figure of figures) {
    const sections = byBudget.get(figure.budget) ?? new Map<Classification, Section>()
    byBudget.set(figure.budget, sections)
    const { classification } = accountAt(frame, figure.account)
    const section: Section = sections.get(classification) ?? {
      classification,
      positive: 0,
      negative: 0,
      months: new Set(),
      largest: null,
    }
    sections.set(classification, section)
    section.months.add(figure.month)
    if (figure.amount >= 0) section.positive += figure.amount
    else section.negative -= figure.amount
    const isOpposite = isNegative(actuals, classification) ? figure.amount > 0 : figure.amount < 0
    if (isOpposite && Math.abs(figure.amount) > Math.abs(section.largest?.amount ?? 0))
      section.largest = { figure, amount: figure.amount }
  }
  return byBudget
}

const isNegative = ({ sums }: Actuals, classification: Classification): boolean =>
  (sums.get(classification) ?? 0) < 0

/** Warns where more than half of a section, by amount, has the opposite sign. */
function oppositeSign(
  frame: Frame,
  id: string,
  { classification, positive, negative, largest }: Section,
  actuals: Actuals,
): Finding[] {
  const [expected, opposite] = isNegative(actuals, classification)
    ? [negative, positive]
    : [positive, negative]
  if (opposite <= expected || largest === null) return []
  const { number, name, id: account } = accountAt(frame, largest.figure.account)
  const actual = actuals.sums.get(classification) ?? 0
  const against =
    actual === 0
      ? 'the books have none to compare with'
      : `in the books they add up to ${moneyText(frame, actual)}`
  return [
    warning(
      'budget-sign',
      `budget ${id}: most of the ${WORDS[classification]} has the opposite sign, such as ${moneyText(frame, largest.amount)} of ${number || account} ${name}; ${against}`,
      {
        file: largest.figure.file,
        row: largest.figure.row,
        text: moneyText(frame, largest.amount),
        remedy:
          'state how the sheet writes them under "budgets" in company.yaml: sign: costs-negative, debit-positive or credit-positive',
      },
    ),
  ]
}

const WORDS: Record<Classification, string> = {
  Asset: 'assets',
  Liability: 'liabilities',
  Equity: 'equity',
  Income: 'income',
  CostOfSales: 'cost of sales',
  Expense: 'expenses',
  OtherIncome: 'other income',
  OtherExpense: 'other expenses',
}

/** A budget in thousands makes the books look about a thousand times as large; actual figures differ from plan, hence the wide bounds. */
const THOUSAND = { least: 300, most: 3000 }

function otherSize(
  frame: Frame,
  id: string,
  { classification, positive, negative, months }: Section,
  actuals: Actuals,
): Finding[] {
  if (classification !== 'Income' || actuals.months === 0) return []
  const budgeted = Math.round(Math.abs(positive - negative) / months.size)
  const actual = Math.round(Math.abs(actuals.sums.get(classification) ?? 0) / actuals.months)
  if (budgeted === 0 || actual < budgeted * THOUSAND.least || actual > budgeted * THOUSAND.most) return []
  return [
    warning(
      'budget-scale',
      `budget ${id} has an income of ${moneyText(frame, budgeted)} a month, the books ${moneyText(frame, actual)}: is the budget in thousands?`,
      {
        file: 'company.yaml',
        column: 'budgets',
        text: id,
        remedy: 'if it is, state "scale: 1000" for it in company.yaml; else "scale: 1"',
      },
    ),
  ]
}
