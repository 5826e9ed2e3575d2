/**
 * What settles what (accounting.md §7): which entries are money and which are documents, and what of the money pays which document. The
 * derivation of the cash basis and the finding about unapplied money both go by this.
 */
import { present } from '../contract/present.ts'
import type { AccountingRules } from './accounting-rules.ts'

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

/** The settlement of a document by one line. `amount` has the sign of the document's gross. */
export interface Settlement {
  readonly by: SourceLine
  readonly amount: number
  /** The later of the settlement date and the document date. */
  readonly day: number
  /** Whether it is money that is unapplied before that day. */
  readonly isMoney: boolean
}

export interface Entry {
  readonly lines: readonly SourceLine[]
  readonly day: number
  /** Lines on receivables and payables. */
  readonly open: readonly SourceLine[]
  /** Profit and loss and tax lines, which wait for settlement. */
  readonly deferred: readonly SourceLine[]
  /** Sum of the receivable, payable and cash lines. Where it is 0, the entry defers nothing. */
  readonly gross: number
  readonly paidAtOnce: number
  /** Money is no document: its lines count on its date. */
  readonly isMoney: boolean
  readonly settlements: Settlement[]
}

/** A part of money that pays a document, or null for an opening. `left` is what no other money has taken back. Amounts have the sign of the line. */
interface Payment {
  readonly to: Entry | null
  readonly amount: number
  left: number
}

/** Money on a receivable or payable. */
export interface Money {
  readonly line: SourceLine
  readonly payments: Payment[]
  /** What names no document, and is not named by one or by other money. It has the sign of the line. */
  unnamed: number
}

/** The entries of `lines`, and the money among them; by the rules before 4 there is no money that is told from its document. */
export interface Settled {
  readonly entries: ReadonlyMap<number, Entry>
  readonly money: readonly Money[]
}

export function settle(lines: readonly SourceLine[], rules: AccountingRules): Settled {
  const byTransaction = new Map<number, SourceLine[]>()
  for (const line of lines) {
    const own = byTransaction.get(line.transaction)
    if (own) own.push(line)
    else byTransaction.set(line.transaction, [line])
  }
  const entries = new Map([...byTransaction].map(([number, own]) => [number, entryOf(own, rules)]))
  const money = rules < 4 ? [] : applyMoney(entries)
  for (const { line, payments } of money)
    for (const { to, amount } of payments)
      to?.settlements.push({ by: line, amount: -amount, day: Math.max(line.day, to.day), isMoney: true })
  linkDocuments(entries, rules)
  // The order by date, transaction and line also decides how rounding is distributed.
  for (const entry of entries.values())
    entry.settlements.sort((a, b) => a.day - b.day || byNumber(a.by, b.by))
  return { entries, money }
}

const byNumber = (
  a: Pick<SourceLine, 'transaction' | 'seq'>,
  b: Pick<SourceLine, 'transaction' | 'seq'>,
): number => a.transaction - b.transaction || a.seq - b.seq

function entryOf(lines: readonly SourceLine[], rules: AccountingRules): Entry {
  const open = lines.filter((line) => line.role === ROLE.receivable || line.role === ROLE.payable)
  const isLinked = open.some((line) => line.links.length > 0)
  const cash = sumOf(lines.filter((line) => line.role === ROLE.cash))
  return {
    lines,
    day: Math.min(...lines.map((line) => line.day)),
    open,
    deferred: lines.filter((line) => line.role === ROLE.deferred),
    gross: sumOf(open) + cash,
    paidAtOnce: cash,
    isMoney: rules < 4 ? isLinked && lines.some((line) => line.role === ROLE.cash) : isMoney(open, cash),
    settlements: [],
  }
}

/**
 * Whether an entry is money: it moves cash, and its receivables and payables do not go the same way. Where it raises these by more than
 * its cash, it is a document with cash laid out in it, unless a line that raises them names what it pays back.
 */
function isMoney(open: readonly SourceLine[], cash: number): boolean {
  const total = sumOf(open)
  const raises = ({ role, amount }: SourceLine) => (role === ROLE.receivable ? amount : -amount)
  const isRaised = open.reduce((sum, line) => sum + raises(line), 0) > 0
  return (
    cash !== 0 &&
    Math.sign(total) !== Math.sign(cash) &&
    (!isRaised ||
      Math.abs(total) <= Math.abs(cash) ||
      open.some((line) => raises(line) > 0 && line.links.length > 0))
  )
}

/**
 * Divides money among what it names and what names it, in this order: the documents that a line of money names; documents that name
 * money, each as far as something is left of it; money that names other money and takes back what is left of that, then what it paid.
 */
function applyMoney(entries: ReadonlyMap<number, Entry>): Money[] {
  const money = new Map<number, Money[]>()
  for (const [number, { isMoney, open }] of entries)
    if (isMoney)
      money.set(
        number,
        open.map((line) => ({ line, payments: [], unnamed: line.amount })),
      )
  const all = [...money.values()].flat()
  for (const own of all)
    for (const { to, amount } of own.line.links) if (!money.has(to)) pay(own, entries.get(to) ?? null, amount)

  const naming = [...entries].flatMap(([number, { open }]) => (money.has(number) ? [] : open))
  for (const line of naming.sort(oldestFirst))
    for (const { to, amount } of line.links) {
      let rest = -amount
      for (const other of money.get(to) ?? []) {
        const part = common(other.unnamed, rest)
        pay(other, present(entries.get(line.transaction), 'entry of a line'), part)
        rest -= part
      }
    }

  for (const own of all.toSorted((a, b) => oldestFirst(a.line, b.line)))
    for (const { to, amount } of own.line.links) takeBack(own, amount, money.get(to) ?? [])
  return all
}

function pay(own: Money, to: Entry | null, amount: number): void {
  if (amount === 0) return
  own.payments.push({ to, amount, left: amount })
  own.unnamed -= amount
}

/** Money against other money, such as a refund or a cheque that bounces: first what is left of that, then what it paid, the last first. */
function takeBack(own: Money, amount: number, others: readonly Money[]): void {
  let rest = common(own.unnamed, amount)
  for (const other of others) {
    const part = common(other.unnamed, -rest)
    other.unnamed -= part
    own.unnamed += part
    rest += part
  }
  for (const payment of others.flatMap(({ payments }) => payments.toReversed())) {
    const part = common(payment.left, -rest)
    payment.left -= part
    pay(own, payment.to, -part)
    rest += part
  }
}

/** What two amounts of the same sign have in common; else nothing. */
const common = (a: number, b: number): number =>
  Math.sign(a) === Math.sign(b) ? Math.sign(a) * Math.min(Math.abs(a), Math.abs(b)) : 0

/**
 * Records each link of a document as a settlement of what it names. Where the settling line belongs to a document too (a credit note), that
 * document is settled by the same amount. By the rules before 4, links of payments are recorded here as well.
 */
function linkDocuments(entries: ReadonlyMap<number, Entry>, rules: AccountingRules): void {
  for (const entry of entries.values())
    for (const by of entry.open)
      for (const { to, amount } of by.links) {
        const target = entries.get(to)
        if (rules >= 4 && (entry.isMoney || target?.isMoney)) continue
        const day = Math.max(by.day, target?.day ?? by.day)
        target?.settlements.push({ by, amount: -amount, day, isMoney: false })
        if (!entry.isMoney) entry.settlements.push({ by, amount, day, isMoney: false })
      }
}

export const sumOf = (lines: readonly SourceLine[]): number =>
  lines.reduce((sum, line) => sum + line.amount, 0)

type Numbered = Pick<SourceLine, 'day' | 'transaction' | 'seq'>

export interface ItemLine extends Numbered {
  readonly role: number
  readonly amount: number
  /** Number of the open-item group; null for a line without a reference. */
  readonly item: number | null
}

/**
 * Links settlements to documents by open items. Lines of one receivable or payable account with the same open-item reference (an invoice
 * number, a matching letter) form a group. Inside a group the oldest document is settled first.
 *
 * For the `seq` of each settling line, the documents that it settles; there may be several, and a document may have several lines.
 */
export function linkOpenItems(lines: readonly ItemLine[]): Map<number, Link[]> {
  const groups = new Map<number, ItemLine[]>()
  for (const line of lines) {
    if (line.item === null) continue
    const group = groups.get(line.item)
    if (group) group.push(line)
    else groups.set(line.item, [line])
  }
  const links = new Map<number, Link[]>()
  for (const group of groups.values()) settleGroup(group.sort(oldestFirst), links)
  return links
}

const oldestFirst = (a: Numbered, b: Numbered): number => a.day - b.day || byNumber(a, b)

/** A line that increases a receivable or payable is a document; a line that reduces it settles one. */
const isDocument = (line: ItemLine): boolean =>
  line.role === ROLE.receivable ? line.amount > 0 : line.amount < 0

function settleGroup(group: readonly ItemLine[], links: Map<number, Link[]>): void {
  const documents = group.filter(isDocument).map((line) => ({ line, open: Math.abs(line.amount) }))
  for (const settling of group) {
    if (isDocument(settling)) continue
    const sign = Math.sign(settling.amount)
    const own: Link[] = []
    let rest = Math.abs(settling.amount)
    // An entry does not settle itself.
    const others = documents.filter(({ line }) => line.transaction !== settling.transaction)
    for (const document of others) {
      const part = Math.min(rest, document.open)
      if (part === 0) continue
      own.push({ to: document.line.transaction, amount: sign * part })
      document.open -= part
      rest -= part
    }
    // A payment larger than all documents of the group overpays the last one.
    const last = others.at(-1)
    if (rest > 0 && last) own.push({ to: last.line.transaction, amount: sign * rest })
    if (own.length > 0) links.set(settling.seq, own)
  }
}
