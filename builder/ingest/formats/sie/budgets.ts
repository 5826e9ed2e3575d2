/**
 * The budget that SIE files state (#PBUDGET), in natural signs. Of an income or expense account it is what the month
 * brings; of a balance sheet account it is the change of the month, from which the balances are made (accounting.md §8).
 */

import { monthOf, monthText } from '../../../contract/calendar.ts'
import { addTo } from '../../../contract/grouping.ts'
import { type Classification, isProfitAndLoss } from '../../../contract/vocabulary.ts'
import { type Finding, warning } from '../../../workspace/findings/finding.ts'
import type { BudgetRow } from '../../format/intake.ts'
import { type Cell, groups, monthly, openingOf, type Reading, type StatedOpening, share } from './figures.ts'
import { rowsOf, type SieYear } from './years.ts'

const CREDIT_NATURED: ReadonlySet<Classification | null> = new Set([
  'Income',
  'OtherIncome',
  'Liability',
  'Equity',
])

type Figure = Cell & { readonly file: string; readonly month: string }

/** The budget of all years. `counted` are the years whose figures count; `stated` are all years of all files. */
export function budgetRows(
  counted: readonly SieYear[],
  stated: readonly SieYear[],
  reading: Reading,
): { rows: BudgetRow[]; findings: Finding[] } {
  const budgeted = counted.map((year) => ({ year, ...figuresOf(year, reading) }))
  const figures = budgeted.flatMap((part) => part.figures)
  const isChange = ({ account }: Figure) => {
    const classification = reading.classificationOf(account)
    return classification !== null && !isProfitAndLoss(classification)
  }
  const first = budgeted.find((part) => part.figures.some(isChange))
  const changes = figures.filter(isChange)
  const made =
    first === undefined
      ? { balances: [], findings: [] }
      : balancesOf(
          changes,
          monthsFrom(first.year, figures),
          first.year,
          openingOf(first.year, stated),
          reading,
        )
  const counting = [...figures.filter((figure) => !isChange(figure)), ...made.balances]
  return {
    rows: counting.map(({ file, line, account, class: classId, department, month, minor }) => {
      const isCredit = CREDIT_NATURED.has(reading.classificationOf(account))
      const amount = reading.money(isCredit ? 0 - minor : minor)
      return { file, row: line, account, class: classId, department, month, amount }
    }),
    findings: [...budgeted.flatMap((part) => part.findings), ...made.findings],
  }
}

/** The figures of one year as they are stated, debit positive. */
function figuresOf(year: SieYear, reading: Reading): { figures: Figure[]; findings: Finding[] } {
  const findings: Finding[] = []
  const { file } = year.file
  const cells = groups(rowsOf(year, 'PBUDGET')).flatMap((group) => {
    const [first] = group
    const { cells, kinds } = share(group, year.file, reading)
    if (kinds > 1)
      findings.push(
        warning(
          'budget-without-total',
          `the budget of account ${first.account} for ${first.month} is stated for objects of several dimensions and without a total; the amounts add up`,
          {
            file,
            row: first.line,
            text: first.account,
            remedy: 'state the total of the account ({}) too',
          },
        ),
      )
    return cells
  })
  return { figures: monthly(cells).map((cell) => ({ ...cell, file })), findings }
}

/** The months of the budget from a year on. A budget has no months before its first figure and none after its last. */
function monthsFrom(year: SieYear, figures: readonly Figure[]): string[] {
  const months = figures.map(({ month }) => monthOf(month)).filter((month) => month >= monthOf(year.start))
  const first = Math.min(...months)
  return Array.from({ length: Math.max(...months) - first + 1 }, (_, i) => monthText(first + i))
}

/**
 * The balance of each account with changes, for each month, class and department. A month without a change has the balance
 * of the month before.
 */
function balancesOf(
  changes: readonly Figure[],
  months: readonly string[],
  year: SieYear,
  { rows, from }: StatedOpening,
  reading: Reading,
): { balances: Figure[]; findings: Finding[] } {
  const accounts = new Set(changes.map(({ account }) => account))
  if (rows === null) return { balances: [], findings: withoutOpening(year, changes, accounts) }
  const opened = groups(rows)
    .filter(([{ account }]) => accounts.has(account))
    .flatMap((group) => share(group, from.file, reading).cells)
    .map((cell) => ({ ...cell, file: from.file.file, month: '' }))
  const places = new Map<string, Figure[]>()
  for (const figure of [...opened, ...changes]) {
    const key = JSON.stringify([figure.account, figure.class, figure.department])
    addTo(places, key, figure)
  }
  const balances = [...places.values()].flatMap((figures) =>
    months.flatMap((month): Figure[] => {
      const until = figures.filter((figure) => figure.month <= month)
      // The row that a balance is traced to is that of the last change, or of the opening.
      const last = until.reduce<Figure | undefined>(
        (latest, each) => (latest === undefined || each.month >= latest.month ? each : latest),
        figures[0],
      )
      const minor = until.reduce((sum, each) => sum + each.minor, 0)
      return last === undefined ? [] : [{ ...last, month, minor }]
    }),
  )
  return { balances, findings: [] }
}

function withoutOpening(
  { start }: SieYear,
  [first]: readonly Figure[],
  accounts: ReadonlySet<string>,
): Finding[] {
  if (first === undefined) return []
  return [
    warning(
      'budget-without-opening',
      `the budget states changes of the balance sheet accounts ${[...accounts].join(', ')}, but no file states what they stood at on ${start} (#IB of that year, or #UB of the year before): their balances are left out of the budget`,
      {
        file: first.file,
        row: first.line,
        column: '#PBUDGET',
        text: first.account,
        remedy: 'export the file again with its opening balances, or add the file of the year before',
      },
    ),
  ]
}
