/** A double-entry journal in whole minor units, debit positive. Refuses an unbalanced transaction on the spot. */
import { addDays, monthOf } from './calendar.ts'

export interface Line {
  readonly account: string
  /** Minor units, debit positive. */
  readonly amount: number
  readonly class?: string | undefined
  readonly department?: string | undefined
  readonly memo?: string | undefined
  /** On a receivables or payables line: the transaction id of the document that the line settles. */
  readonly settles?: string | undefined
}
export interface Transaction {
  readonly id: string
  readonly date: string
  readonly reference: string
  readonly memo: string
  readonly lines: readonly Line[]
}
export type Tags = Pick<Line, 'class' | 'department'>

export interface Journal {
  /** Books a transaction under the next number of its series (`INV` → `INV-23-00017`) and returns that id. */
  post(series: string, date: string, memo: string, lines: readonly Line[], reference?: string): string
  /** The id that a transaction will have, for documents that something earlier refers to. */
  reserve(series: string, date: string): string
  postAs(id: string, date: string, memo: string, lines: readonly Line[], reference?: string): void
  /** Runs `task` when the books reach `date`. */
  later(date: string, task: (date: string) => void): void
  /** Runs what falls due up to and including `date`, in date order; what falls due while doing so, too. */
  runUntil(date: string): void
  /** Balance of an account as booked so far. */
  balance(account: string): number
  readonly transactions: readonly Transaction[]
}

export function createJournal(): Journal {
  const transactions: Transaction[] = []
  const balances = new Map<string, number>()
  const counters = new Map<string, number>()
  let queue: { date: string; order: number; task: (date: string) => void }[] = []
  let order = 0

  const reserve = (series: string, date: string): string => {
    const stem = `${series}-${date.slice(2, 4)}-`
    const number = (counters.get(stem) ?? 0) + 1
    counters.set(stem, number)
    return stem + String(number).padStart(5, '0')
  }
  const postAs: Journal['postAs'] = (id, date, memo, lines, reference = '') => {
    const kept = lines.filter((line) => line.amount !== 0)
    const sum = kept.reduce((total, line) => total + line.amount, 0)
    if (sum !== 0 || kept.some((line) => !Number.isSafeInteger(line.amount)))
      throw new Error(`${id} (${date}, ${memo}) is out of balance by ${sum}`)
    if (kept.length === 0) return
    for (const line of kept) balances.set(line.account, (balances.get(line.account) ?? 0) + line.amount)
    transactions.push({ id, date, reference, memo, lines: kept })
  }
  return {
    transactions,
    reserve,
    postAs,
    post: (series, date, memo, lines, reference) => {
      const id = reserve(series, date)
      postAs(id, date, memo, lines, reference)
      return id
    },
    later: (date, task) => {
      queue.push({ date, order: order++, task })
    },
    runUntil: (date) => {
      for (;;) {
        const due = queue.filter((entry) => entry.date <= date)
        if (due.length === 0) return
        queue = queue.filter((entry) => entry.date > date)
        due.sort((a, b) => (a.date === b.date ? a.order - b.order : a.date < b.date ? -1 : 1))
        for (const entry of due) entry.task(entry.date)
      }
    },
    balance: (account) => balances.get(account) ?? 0,
  }
}

/** By date; transactions of one day stay in the order in which they were booked. */
export const byDate = (transactions: readonly Transaction[]): Transaction[] =>
  transactions
    .map((transaction, order) => ({ transaction, order }))
    .sort((a, b) =>
      a.transaction.date === b.transaction.date
        ? a.order - b.order
        : a.transaction.date < b.transaction.date
          ? -1
          : 1,
    )
    .map(({ transaction }) => transaction)

/** The mirror image of an entry, as a reversal books it. */
export const reversed = (lines: readonly Line[]): Line[] =>
  lines.map((line) => ({ ...line, amount: 0 - line.amount }))

/** The first day of the month after `date`, when accruals are reversed. */
export const firstOfNextMonth = (date: string): string => `${monthOf(addDays(`${monthOf(date)}-28`, 4))}-01`

/** `part` of `whole`ths of an amount, rounded to whole minor units. */
export const share = (amount: number, part: number, whole: number): number =>
  Math.round((amount * part) / whole)
