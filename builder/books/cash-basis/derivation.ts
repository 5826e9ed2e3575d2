/**
 * Derives the cash basis from settlement links (accounting.md §7). The profit and loss and tax lines of a document are
 * deferred until it is settled. All other lines count on their own date, and the receivable or payable is reduced by what
 * is not recognised yet. Cash lines never change, so the change in cash equals that of the accrual basis under every filter.
 */
import { valueAt } from '../../database/database.ts'
import { recognised } from '../post/recognition.ts'
import { type Entry, OPENING, ROLE, type Settled, type SourceLine, sumOf } from './settlements.ts'

/**
 * One posting of the cash basis. Its text columns come from the posting with the `seq` in `origin`; the transaction that it belongs to is
 * that of the posting `entry`.
 */
export interface DerivedLine extends Pick<SourceLine, 'day' | 'account' | 'class' | 'department' | 'amount'> {
  readonly origin: number
  readonly entry: number
}

/** Codes of the computed rows that take what no account holds (accounting.md §7), by the role of the line that it is taken off. */
export interface ComputedAccounts {
  readonly unapplied: (role: number) => number
  readonly opening: (role: number) => number
}

/**
 * The postings of the cash basis for these entries. Amounts are minor units, debit positive; they add up to zero for each transaction, as
 * the accrual lines do.
 */
export function deriveCashBasis({ entries, money }: Settled, computed: ComputedAccounts): DerivedLine[] {
  const derived: DerivedLine[] = []
  const paymentsOf = new Map(money.map(({ line, payments }) => [line, payments]))
  for (const entry of entries.values()) {
    if (defers(entry)) deferDocument(entry, computed, derived)
    else for (const line of entry.lines) emit(derived, line, line, line.day, line.amount)
    for (const line of entry.open) {
      const payments = paymentsOf.get(line)
      const paid = payments?.reduce((sum, { amount }) => sum + amount, 0) ?? line.amount
      move(line, line.amount - paid, line.day, computed.unapplied, derived)
      // The lines behind an opening receivable or payable are unknown.
      const ofOpenings =
        payments?.filter(({ to }) => to === null) ?? line.links.filter(({ to }) => to === OPENING)
      for (const { amount } of ofOpenings) move(line, amount, line.day, computed.opening, derived)
    }
  }
  return derived
}

/**
 * Numbers of the transactions with lines on several days whose derived lines do not balance on each of these days as the
 * original lines do, because it is unknown which part of the receivable belongs to which day.
 */
export function undivided({ entries }: Settled, derived: readonly DerivedLine[]): Set<number> {
  const own = [...entries.values()].flatMap(({ lines, day }) =>
    lines.some((line) => line.day !== day) ? lines : [],
  )
  if (own.length === 0) return new Set()
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

/** The document whose settlements are the most work, and how many postings all settlements give: at most, each line of a document at each of them. */
export function greatestDocument({ entries }: Settled): { document: Entry | null; postings: number } {
  let document: Entry | null = null
  let postings = 0
  let greatest = 0
  for (const entry of entries.values()) {
    const own = defers(entry) ? entry.settlements.length * (entry.deferred.length + entry.open.length) : 0
    postings += own
    if (own <= greatest) continue
    document = entry
    greatest = own
  }
  return { document, postings }
}

/** The lines of money count on its date, and so do the lines of an entry whose receivables and cash net to zero. */
const defers = (entry: Entry): boolean => !entry.isMoney && entry.gross !== 0

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
  for (const { by, amount, day, isMoney } of entry.settlements) {
    const { lines, unapplied } = progress.settle(amount)
    const step = lines.reduce((sum, value) => sum + value, 0)
    for (const [i, line] of entry.deferred.entries()) emit(derived, line, by, day, valueAt(lines, i))
    recognisedSoFar += step
    const left = progress.share(sumOf(entry.deferred) - recognisedSoFar)
    for (const [i, line] of entry.open.entries())
      emit(derived, line, by, day, valueAt(left, i) - valueAt(shares, i))
    shares = left
    // Until its document is there, money is unapplied on its own date, as far as it pays what waits; and always beyond the document.
    move(by, -unapplied, isMoney ? by.day : day, computed.unapplied, derived)
    if (!isMoney || by.day === day) continue
    move(by, step, by.day, computed.unapplied, derived)
    move(by, -step, day, computed.unapplied, derived)
  }
}

/** Takes an amount of a line, with its sign, off its receivable or payable, and puts it into a computed row. */
function move(
  line: SourceLine,
  amount: number,
  day: number,
  into: ComputedAccounts['unapplied'],
  derived: DerivedLine[],
): void {
  emit(derived, { ...line, account: into(line.role) }, line, day, amount)
  emit(derived, line, line, day, -amount)
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

/** The amount, limited to the range from the least to the greatest bound. */
const cut = (amount: number, bounds: readonly number[]): number =>
  Math.min(Math.max(amount, Math.min(...bounds)), Math.max(...bounds))
