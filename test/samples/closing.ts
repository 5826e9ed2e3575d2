/** Year-end closing entries: profit and loss of a year, member by member, into retained earnings. */
import type { Line, Transaction } from './journal.ts'

export interface Closing {
  readonly id: string
  readonly reference: string
  /** First and last day of the year that is closed. */
  readonly start: string
  readonly end: string
  /** Date of the entry: the year's last day, or a later one when the audit is done. */
  readonly date: string
}

/** One entry per year; each class and department keeps its own result, so that their balance sheets close as well. */
export function closeYear(
  transactions: readonly Transaction[],
  closing: Closing,
  isProfitAndLoss: (account: string) => boolean,
  retainedEarnings: string,
): Transaction {
  const lines = new Map<string, Line>()
  const add = (line: Line) => {
    const key = [line.class ?? '', line.department ?? '', line.account].join('|')
    lines.set(key, { ...line, amount: (lines.get(key)?.amount ?? 0) + line.amount })
  }
  const year = transactions.filter(({ date }) => closing.start <= date && date <= closing.end)
  for (const { account, amount, class: memberClass, department } of year.flatMap(({ lines }) => lines)) {
    if (!isProfitAndLoss(account)) continue
    add({ account, amount: -amount, class: memberClass, department })
    add({ account: retainedEarnings, amount, class: memberClass, department })
  }
  const ordered = [...lines].filter(([, line]) => line.amount !== 0).sort(([a], [b]) => (a < b ? -1 : 1))
  return {
    id: closing.id,
    date: closing.date,
    reference: closing.reference,
    memo: `Closing of ${closing.start} to ${closing.end}`,
    lines: ordered.map(([, line]) => line),
  }
}
