/**
 * Derives the cash basis from settlement links (accounting.md §7). The profit and loss and tax lines of a document are
 * deferred until it is settled. All other lines count on their own date, and the receivable or payable is reduced by what
 * is not recognised yet. Cash lines never change, so the change in cash equals that of the accrual basis under every filter.
 */
import { valueAt } from './database.ts'
import { recognised } from './recognition.ts'

/** The part that a line plays in the derivation, by the kind of its account. */
export const ROLE = { other: 0, deferred: 1, cash: 2, receivable: 3, payable: 4 } as const

/** A part of a line that settles a document. `amount` has the sign of the line. */
export interface Link {
  /** Number of the document's transaction, or {@link OPENING} for an opening balance. */
  readonly to: number
  readonly amount: number
}

/** One accrual posting of a transaction with a receivable or payable line. Lists are ordered by transaction, then `seq`. */
export interface SourceLine {
  readonly seq: number
  /** Transactions are numbered in the order of their ids. */
  readonly transaction: number
  /** Days since 1970. */
  readonly day: number
  readonly account: number
  readonly class: number
  readonly department: number
  /** Minor units, debit positive. */
  readonly amount: number
  readonly role: number
  /** The documents that this line settles. */
  readonly links: readonly Link[]
}
export const OPENING = -1

/**
 * One posting of the cash basis. Its text columns come from the posting with the `seq` in `origin`; the transaction that it belongs to is
 * that of the posting `entry`.
 */
export interface DerivedLine {
  readonly origin: number
  readonly entry: number
  readonly day: number
  readonly account: number
  readonly class: number
  readonly department: number
  readonly amount: number
}

/** Codes of the computed rows that take what no account holds (accounting.md §7). */
export interface ComputedAccounts {
  readonly unappliedReceipts: number
  readonly unappliedPayments: number
  readonly openingReceivables: number
  readonly openingPayables: number
}

/** The settlement of a document by one line. `amount` has the sign of the document's gross. */
interface Settlement {
  readonly by: SourceLine
  readonly amount: number
  /** The later of the settlement date and the document date. */
  readonly day: number
}

interface Entry {
  readonly lines: readonly SourceLine[]
  readonly day: number
  /** Lines on receivables and payables. */
  readonly open: readonly SourceLine[]
  /** Profit and loss and tax lines, which wait for settlement. */
  readonly deferred: readonly SourceLine[]
  /** Sum of the receivable, payable and cash lines. Where it is 0, the entry defers nothing. */
  readonly gross: number
  readonly paidAtOnce: number
  readonly isPayment: boolean
  readonly settlements: Settlement[]
}

/**
 * The postings of the cash basis for `lines`, which are ordered by transaction, then `seq`. Amounts are minor units,
 * debit positive; they add up to zero for each transaction, as the accrual lines do.
 */
export function deriveCashBasis(lines: readonly SourceLine[], computed: ComputedAccounts): DerivedLine[] {
  const entries = entriesOf(lines)
  linkSettlements(entries)
  const derived: DerivedLine[] = []
  for (const entry of entries.values()) {
    if (defers(entry)) deferDocument(entry, computed, derived)
    else for (const line of entry.lines) emit(derived, line, line, line.day, line.amount)
    for (const line of entry.open)
      for (const link of line.links)
        if (link.to === OPENING) collectOpening(line, link.amount, computed, derived)
  }
  return derived
}

/**
 * Numbers of the transactions with lines on several days whose derived lines do not balance on each of these days as the
 * original lines do, because it is unknown which part of the receivable belongs to which day.
 */
export function undivided(lines: readonly SourceLine[], derived: readonly DerivedLine[]): Set<number> {
  const transactions = onSeveralDays(lines)
  if (transactions.size === 0) return transactions
  const own = lines.filter(({ transaction }) => transactions.has(transaction))
  const transactionOf = new Map(own.map(({ seq, transaction }) => [seq, transaction]))
  const left = new Map<string, number>()
  const add = (transaction: number | undefined, day: number, amount: number) => {
    const key = `${transaction} ${day}`
    if (transaction !== undefined) left.set(key, (left.get(key) ?? 0) + amount)
  }
  for (const { transaction, day, amount } of own) add(transaction, day, -amount)
  for (const { origin, day, amount } of derived) add(transactionOf.get(origin), day, amount)
  const differing = [...left].filter(([, amount]) => amount !== 0)
  return new Set(differing.map(([key]) => Number(key.split(' ')[0])))
}

/** Transactions with lines on more than one day. `lines` are ordered by transaction. */
const onSeveralDays = (lines: readonly SourceLine[]): Set<number> =>
  new Set(
    lines.flatMap(({ transaction, day }, i) => {
      const before = lines[i - 1]
      return before?.transaction === transaction && before.day !== day ? [transaction] : []
    }),
  )

/** The lines of a payment count on its date, and so do the lines of an entry whose receivables and cash net to zero. */
const defers = (entry: Entry): boolean => !entry.isPayment && entry.gross !== 0

function entriesOf(lines: readonly SourceLine[]): Map<number, Entry> {
  const byTransaction = new Map<number, SourceLine[]>()
  for (const line of lines) {
    const own = byTransaction.get(line.transaction)
    if (own) own.push(line)
    else byTransaction.set(line.transaction, [line])
  }
  return new Map([...byTransaction].map(([transaction, own]) => [transaction, entryOf(own)]))
}

function entryOf(lines: readonly SourceLine[]): Entry {
  const open = lines.filter((line) => line.role === ROLE.receivable || line.role === ROLE.payable)
  const cash = sumOf(lines.filter((line) => line.role === ROLE.cash))
  return {
    lines,
    day: Math.min(...lines.map((line) => line.day)),
    open,
    deferred: lines.filter((line) => line.role === ROLE.deferred),
    gross: sumOf(open) + cash,
    paidAtOnce: cash,
    // A payment moves cash and names the document that it pays. A credit note or write-off names one too, but moves no cash:
    // it is a document itself.
    isPayment: open.some((line) => line.links.length > 0) && lines.some((line) => line.role === ROLE.cash),
    settlements: [],
  }
}

/**
 * Records each link as a settlement of its document. Where the settling line belongs to a document too (a credit note), that
 * document is settled by the same amount.
 */
function linkSettlements(entries: ReadonlyMap<number, Entry>): void {
  for (const entry of entries.values())
    for (const by of entry.open)
      for (const { to, amount } of by.links) {
        const target = entries.get(to)
        const day = Math.max(by.day, target?.day ?? by.day)
        target?.settlements.push({ by, amount: -amount, day })
        if (!entry.isPayment) entry.settlements.push({ by, amount, day })
      }
  // The order by date, transaction and line also decides how rounding is distributed.
  for (const entry of entries.values())
    entry.settlements.sort(
      (a, b) => a.day - b.day || a.by.transaction - b.by.transaction || a.by.seq - b.by.seq,
    )
}

/** On its own date a document counts without its deferred lines. Each settlement then recognises its share of them. */
function deferDocument(entry: Entry, computed: ComputedAccounts, derived: DerivedLine[]): void {
  const progress = new Progress(entry)
  const first = progress.settle(entry.paidAtOnce)
  const waiting = sumOf(entry.deferred) - first.lines.reduce((sum, amount) => sum + amount, 0)
  for (const line of entry.lines) {
    if (line.role === ROLE.deferred) continue
    const place = entry.open.indexOf(line)
    // The deferred amount is taken off the receivable, which keeps what the document's other lines put into it.
    const amount = place === -1 ? line.amount : line.amount + valueAt(progress.share(waiting), place)
    emit(derived, line, line, line.day, amount)
  }
  for (const [i, line] of entry.deferred.entries())
    emit(derived, line, line, entry.day, valueAt(first.lines, i))

  let recognisedSoFar = first.lines.reduce((sum, amount) => sum + amount, 0)
  let shares = progress.share(waiting)
  for (const { by, amount, day } of entry.settlements) {
    const { lines, unapplied } = progress.settle(amount)
    for (const [i, line] of entry.deferred.entries()) emit(derived, line, by, day, valueAt(lines, i))
    recognisedSoFar += lines.reduce((sum, value) => sum + value, 0)
    const left = progress.share(sumOf(entry.deferred) - recognisedSoFar)
    for (const [i, line] of entry.open.entries())
      emit(derived, line, by, day, valueAt(left, i) - valueAt(shares, i))
    shares = left
    if (unapplied === 0) continue
    const account = by.role === ROLE.receivable ? computed.unappliedReceipts : computed.unappliedPayments
    emit(derived, { ...by, account }, by, day, -unapplied)
    emit(derived, by, by, day, unapplied)
  }
}

/** Tracks how much of a document is settled, and computes what each further settlement recognises. */
class Progress {
  readonly #entry: Entry
  #settled = 0
  #lines: readonly number[]
  #unapplied = 0

  constructor(entry: Entry) {
    this.#entry = entry
    this.#lines = entry.deferred.map(() => 0)
  }

  /** Settles `amount` more. Returns what that recognises of each deferred line, and the part that exceeds the document (`unapplied`). */
  settle(amount: number): { lines: number[]; unapplied: number } {
    const { gross, deferred, paidAtOnce } = this.#entry
    this.#settled += amount
    const applied = cut(this.#settled, [0, gross])
    const lines = recognised(
      deferred.map((line) => line.amount),
      applied,
      gross,
    )
    const step = lines.map((value, i) => value - valueAt(this.#lines, i))
    // Where the document's own cash exceeds its gross, the excess already stands on its receivable and is not unapplied.
    const unapplied = this.#settled - cut(this.#settled, [0, gross, paidAtOnce]) - this.#unapplied
    this.#lines = lines
    this.#unapplied += unapplied
    return { lines: step, unapplied }
  }

  /** Divides `amount` among the document's receivable and payable lines, in proportion to them. */
  share(amount: number): number[] {
    const { open } = this.#entry
    const total = sumOf(open)
    if (open.length === 1) return [amount]
    if (total === 0 || amount === 0) return open.map((_, i) => (i === 0 ? amount : 0))
    // A share is the line's amount × amount / total, the same formula by which lines are recognised.
    const shares = recognised(
      open.map((line) => line.amount),
      Math.abs(amount),
      Math.abs(total),
    )
    return shares.map((share) => (Math.sign(amount) === Math.sign(total) ? share : -share))
  }
}

/** The lines behind an opening receivable or payable are unknown, so its settlement goes to a computed row. */
function collectOpening(
  line: SourceLine,
  amount: number,
  computed: ComputedAccounts,
  derived: DerivedLine[],
): void {
  const account = line.role === ROLE.receivable ? computed.openingReceivables : computed.openingPayables
  emit(derived, { ...line, account }, line, line.day, amount)
  emit(derived, line, line, line.day, -amount)
}

function emit(
  derived: DerivedLine[],
  line: SourceLine,
  entry: SourceLine,
  day: number,
  amount: number,
): void {
  if (amount === 0) return
  derived.push({
    origin: line.seq,
    entry: entry.seq,
    day,
    account: line.account,
    class: line.class,
    department: line.department,
    amount,
  })
}

const sumOf = (lines: readonly SourceLine[]): number => lines.reduce((sum, line) => sum + line.amount, 0)

/** The amount, limited to the range from the least to the greatest bound. */
const cut = (amount: number, bounds: readonly number[]): number =>
  Math.min(Math.max(amount, Math.min(...bounds)), Math.max(...bounds))
