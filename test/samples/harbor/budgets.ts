/** Harbor's two budgets: 2026 as planned in the autumn before, and the forecast of next year's first half. */
import { addMonths, dayOf, lastDay, monthOf, monthsBetween } from '../calendar.ts'
import { type Line, share, type Transaction } from '../journal.ts'
import { type Cell, type Sheet, xlsx } from '../xlsx.ts'
import { ACCOUNTS } from './chart.ts'
import { CLOSINGS } from './ledger.ts'
import { usd } from './world.ts'

const accounts = new Map(ACCOUNTS.map((account) => [account.number, account]))
const closings = new Set(CLOSINGS.map(({ id }) => id))
const creditNatured = (account: string): boolean =>
  ['Liability', 'Equity', 'Income', 'OtherIncome'].includes(accounts.get(account)!.classification)

const asDate = (date: string): Date => new Date(`${date}T00:00:00Z`)
/** Budgets are made in hundreds of dollars. */
const inHundreds = (minor: number): number => Math.round(minor / usd(100)) * 100

/** Planned growth over the year before, percent, by first digit of the account. */
const PLANNED: Record<string, number> = { 4: 107, 5: 106, 6: 104, 7: 100, 8: 96, 9: 108 }

/** P&L of the months `from`…`to` by account, class and department, in natural signs and cents. */
function activity(
  transactions: readonly Transaction[],
  months: readonly string[],
  keyOf: (line: Line) => string,
): [key: string[], amounts: number[]][] {
  const rows = new Map<string, number[]>()
  for (const { id, date, lines } of transactions) {
    const month = months.indexOf(monthOf(date))
    if (month === -1 || closings.has(id)) continue
    for (const line of lines.filter(({ account }) => account >= '4000')) {
      const key = keyOf(line)
      const row = rows.get(key) ?? months.map(() => 0)
      row[month]! += creditNatured(line.account) ? -line.amount : line.amount
      rows.set(key, row)
    }
  }
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, amounts]) => [key.split('|'), amounts])
}

const planned = (account: string, amounts: readonly number[]): number[] =>
  amounts.map((amount) => inHundreds(share(amount, PLANNED[account[0]!]!, 100)))

/** One sheet, wide, months as real dates: by account, class and department. */
export async function operatingBudget(accrual: readonly Transaction[]): Promise<Uint8Array> {
  const base = monthsBetween('2025-01', '2025-12')
  const rows = activity(accrual, base, (line) =>
    [line.account, line.class ?? '', line.department ?? ''].join('|'),
  )
    .map(([key, amounts]): Cell[] => [...key, ...planned(key[0]!, amounts)])
    .filter((row) => row.some((cell) => typeof cell === 'number' && cell !== 0))
  const header = [
    'account',
    'class',
    'department',
    ...base.map((month) => asDate(dayOf(addMonths(month, 12), 1))),
  ]
  return xlsx([{ name: 'Operating budget 2026', rows: [header, ...rows] }])
}

const MONTH_NAMES = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')
const monthName = (month: string): string => `${MONTH_NAMES[Number(month.slice(5)) - 1]} ${month.slice(0, 4)}`

/** Sales and the cost of what was sold by class, all else for the company as a whole. */
const byLine = ({ account, class: memberClass }: Line): string =>
  `${account}|${account < '5200' ? (memberClass ?? '') : ''}`

/** Two sheets: P&L wide by account and class, month ends of the balance sheet long. */
export async function revisedForecast(accrual: readonly Transaction[]): Promise<Uint8Array> {
  const base = monthsBetween('2025-07', '2026-06')
  const profitAndLoss: Sheet = {
    name: 'P&L',
    rows: [
      ['account', 'class', ...base.map((month) => monthName(addMonths(month, 12)))],
      ...activity(accrual, base, byLine).map(([key, amounts]): Cell[] => [
        ...key,
        // Months for which nothing is expected stay empty: no figure is not the figure 0.
        ...planned(key[0]!, amounts).map((amount) => (amount === 0 ? null : amount)),
      ]),
    ],
  }
  const balances = ['1011', '1110', '1210', '1220', '1230', '1240', '2011', '2510', '2520', '3110', '3120']
  const balanceSheet: Sheet = {
    name: 'Balance sheet',
    rows: [
      ['account', 'month', 'amount'],
      ...balances.flatMap((account) =>
        base.map((month): Cell[] => {
          const balance = balanceOf(accrual, account, lastDay(month))
          const grows = account < '2500'
          return [account, addMonths(month, 12), inHundreds(share(balance, grows ? 105 : 100, 100))]
        }),
      ),
    ],
  }
  return xlsx([profitAndLoss, balanceSheet])
}

function balanceOf(transactions: readonly Transaction[], account: string, date: string): number {
  const debit = transactions
    .filter((transaction) => transaction.date <= date)
    .flatMap(({ lines }) => lines)
    .filter((line) => line.account === account)
    .reduce((sum, line) => sum + line.amount, 0)
  return creditNatured(account) ? -debit : debit
}
