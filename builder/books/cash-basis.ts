/**
 * The cash basis, derived from settlement links (accounting.md §7). A document's P&L and tax lines wait until it is
 * settled; everything else counts on its own date, and the receivable or payable keeps what is not yet recognised.
 * Cash lines are never touched, so the change in cash is the accrual basis's, under every filter.
 */
import { recognised } from './recognition.ts'

/** What a line is to the derivation. */
export const ROLE = { other: 0, deferred: 1, cash: 2, receivable: 3, payable: 4 } as const

/** A part of a line that settles a document; `amount` in the line's own sign. */
export interface Link {
  /** Number of the document's transaction; {@link OPENING} an opening balance. */
  readonly to: number
  readonly amount: number
}

/** One accrual posting of a transaction that touches a receivable or payable. Ordered by transaction, then `seq`. */
export interface SourceLine {
  readonly seq: number
  /** Numbers of transactions, in the order of their ids. */
  readonly transaction: number
  /** Days since 1970. */
  readonly day: number
  readonly account: number
  readonly class: number
  readonly department: number
  readonly amount: number
  readonly role: number
  /** What this line settles, if anything. */
  readonly links: readonly Link[]
}
export const OPENING = -1

/** One posting of the cash basis: text columns come from the posting `origin`, the entry it belongs to from `entry`. */
export interface DerivedLine {
  readonly origin: number
  readonly entry: number
  readonly day: number
  readonly account: number
  readonly class: number
  readonly department: number
  readonly amount: number
}

/** Codes of the computed rows (accounting.md §7, contract: computed rows). */
export interface ComputedAccounts {
  readonly unappliedReceipts: number
  readonly unappliedPayments: number
  readonly openingReceivables: number
  readonly openingPayables: number
}

/** One line's worth of settlement: `amount` in the sign of the document's gross. */
interface Settlement {
  readonly by: SourceLine
  readonly amount: number
  /** The later of settlement and document date. */
  readonly day: number
}

interface Entry {
  readonly lines: readonly SourceLine[]
  readonly day: number
  readonly open: readonly SourceLine[]
  readonly deferred: readonly SourceLine[]
  /** Receivable, payable and cash lines; 0 for what defers nothing. */
  readonly gross: number
  readonly paidAtOnce: number
  readonly isPayment: boolean
  readonly settlements: Settlement[]
}

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
 * Documents, by the number of their transaction, whose recognised lines do not balance on the days on which the document's own
 * lines do: lines of several days, whose receivable cannot be divided among them.
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

/** `lines` stand in the order of their transactions. */
const onSeveralDays = (lines: readonly SourceLine[]): Set<number> =>
  new Set(
    lines.flatMap(({ transaction, day }, i) => {
      const before = lines[i - 1]
      return before?.transaction === transaction && before.day !== day ? [transaction] : []
    }),
  )

/** A payment's own lines count on its date, and so do those of an entry whose receivables net to nothing. */
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
    // Money that names what it pays. A credit note or write-off names it too, but moves no cash: it is a document.
    isPayment: open.some((line) => line.links.length > 0) && lines.some((line) => line.role === ROLE.cash),
    settlements: [],
  }
}

/** A settling line settles its document; where it stands in a document itself, it applies the same amount of both. */
function linkSettlements(entries: ReadonlyMap<number, Entry>): void {
  for (const entry of entries.values())
    for (const by of entry.open)
      for (const { to, amount } of by.links) {
        const target = entries.get(to)
        const day = Math.max(by.day, target?.day ?? by.day)
        target?.settlements.push({ by, amount: -amount, day })
        if (!entry.isPayment) entry.settlements.push({ by, amount, day })
      }
  // In order of effective date, then transaction, then line: the order in which rounding is decided.
  for (const entry of entries.values())
    entry.settlements.sort(
      (a, b) => a.day - b.day || a.by.transaction - b.by.transaction || a.by.seq - b.by.seq,
    )
}

/** On its date a document counts without its deferred lines; each settlement then recognises its share of them. */
function deferDocument(entry: Entry, computed: ComputedAccounts, derived: DerivedLine[]): void {
  const progress = new Progress(entry)
  const first = progress.settle(entry.paidAtOnce)
  const waiting = sumOf(entry.deferred) - first.lines.reduce((sum, amount) => sum + amount, 0)
  for (const line of entry.lines) {
    if (line.role === ROLE.deferred) continue
    const place = entry.open.indexOf(line)
    // The receivable shrinks by what waits: it keeps only what the document's other lines put into it.
    const amount = place === -1 ? line.amount : line.amount + progress.share(waiting)[place]!
    emit(derived, line, line, line.day, amount)
  }
  for (const [i, line] of entry.deferred.entries()) emit(derived, line, line, entry.day, first.lines[i]!)

  let recognisedSoFar = first.lines.reduce((sum, amount) => sum + amount, 0)
  let shares = progress.share(waiting)
  for (const { by, amount, day } of entry.settlements) {
    const { lines, unapplied } = progress.settle(amount)
    for (const [i, line] of entry.deferred.entries()) emit(derived, line, by, day, lines[i]!)
    recognisedSoFar += lines.reduce((sum, value) => sum + value, 0)
    const left = progress.share(sumOf(entry.deferred) - recognisedSoFar)
    for (const [i, line] of entry.open.entries()) emit(derived, line, by, day, left[i]! - shares[i]!)
    shares = left
    if (unapplied === 0) continue
    const account = by.role === ROLE.receivable ? computed.unappliedReceipts : computed.unappliedPayments
    emit(derived, { ...by, account }, by, day, -unapplied)
    emit(derived, by, by, day, unapplied)
  }
}

/** How far a document is settled, and what each further settlement adds. */
class Progress {
  readonly #entry: Entry
  #settled = 0
  #lines: readonly number[]
  #unapplied = 0

  constructor(entry: Entry) {
    this.#entry = entry
    this.#lines = entry.deferred.map(() => 0)
  }

  /** What settling `amount` more recognises of each deferred line, and how much of it neither the document nor its own cash explains. */
  settle(amount: number): { lines: number[]; unapplied: number } {
    const { gross, deferred, paidAtOnce } = this.#entry
    this.#settled += amount
    const applied = cut(this.#settled, [0, gross])
    const lines = recognised(
      deferred.map((line) => line.amount),
      applied,
      gross,
    )
    const step = lines.map((value, i) => value - this.#lines[i]!)
    // What the document's own cash is beyond it stands on its receivable: it is owed, as the document says.
    const unapplied = this.#settled - cut(this.#settled, [0, gross, paidAtOnce]) - this.#unapplied
    this.#lines = lines
    this.#unapplied += unapplied
    return { lines: step, unapplied }
  }

  /** An amount over the document's receivable and payable lines, in proportion to them. */
  share(amount: number): number[] {
    const { open } = this.#entry
    const total = sumOf(open)
    if (open.length === 1) return [amount]
    if (total === 0 || amount === 0) return open.map((_, i) => (i === 0 ? amount : 0))
    // Shares of `amount` are the lines' own amounts × amount / total, which is recognition seen from the other side.
    const shares = recognised(
      open.map((line) => line.amount),
      Math.abs(amount),
      Math.abs(total),
    )
    return shares.map((share) => (Math.sign(amount) === Math.sign(total) ? share : -share))
  }
}

/** An opening receivable has no lines to recognise: collecting it is a row of its own. */
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

/** An amount, or the bound that it lies beyond. */
const cut = (amount: number, bounds: readonly number[]): number =>
  Math.min(Math.max(amount, Math.min(...bounds)), Math.max(...bounds))
