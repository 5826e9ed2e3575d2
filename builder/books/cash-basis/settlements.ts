/**
 * What settles what (accounting.md §7): which entries are money and which are documents, and what of the money pays which document. The
 * derivation of the cash basis and the finding about unapplied money both go by this.
 */
import { addTo } from '../../contract/grouping.ts'
import type { AccountingRules } from '../post/accounting-rules.ts'

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

export type Settled = ReturnType<typeof settle>

/** The entries of `lines` and the lines of money among them; by the rules before 4 no money is told from its document. */
export function settle(lines: readonly SourceLine[], rules: AccountingRules) {
  const byTransaction = new Map<number, SourceLine[]>()
  for (const line of lines) addTo(byTransaction, line.transaction, line)
  const entries = new Map([...byTransaction].map(([number, own]) => [number, entryOf(own, rules)]))
  const money = rules < 4 ? [] : applyLinks(entries)
  if (rules < 4) linkByOlderRules(entries)
  // The order by date, transaction and line also decides how rounding is distributed.
  for (const entry of entries.values())
    entry.settlements.sort((a, b) => a.day - b.day || byNumber(a.by, b.by))
  return { entries, money }
}

type Numbered = Pick<SourceLine, 'day' | 'transaction' | 'seq'>
const byNumber = (a: Numbered, b: Numbered): number => a.transaction - b.transaction || a.seq - b.seq
const oldestFirst = (a: Numbered, b: Numbered): number => a.day - b.day || byNumber(a, b)

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

/** By how much a line raises what customers owe or what is owed to suppliers. */
const raised = ({ role, amount }: Pick<SourceLine, 'role' | 'amount'>): number =>
  role === ROLE.receivable ? amount : -amount

/**
 * Whether an entry is money: it moves cash, and its receivables and payables do not go the same way. Where it raises these, money goes
 * back, unless all else in the entry comes to more than the cash: that is a document with cash laid out in it.
 */
function isMoney(open: readonly SourceLine[], cash: number): boolean {
  const total = sumOf(open)
  const isRaised = open.reduce((sum, line) => sum + raised(line), 0) > 0
  return (
    cash !== 0 &&
    Math.sign(total) !== Math.sign(cash) &&
    (!isRaised || Math.abs(total + cash) <= Math.abs(cash))
  )
}

/**
 * Carries out the links, and returns the lines of money. A line of money pays the document that it names, and so does a line of a document
 * that lowers a receivable or payable. Other lines of documents, such as invoices, may name money or a document instead: they share what is left
 * there, and take back what was used of it before their day. At last money that names other money takes back what is left of that, then what it paid.
 */
function applyLinks(entries: ReadonlyMap<number, Entry>): Money[] {
  const lines = new Map(
    [...entries].map(([number, { open }]): [number, Money[]] => [
      number,
      open.map((line) => ({ line, payments: [], unnamed: line.amount })),
    ]),
  )
  const linesOf = ({ to }: Link): readonly Money[] => lines.get(to) ?? []
  const later: { entry: Entry; own: Money; link: Link; target: Entry }[] = []
  for (const [number, entry] of entries)
    for (const own of lines.get(number) ?? [])
      for (const link of own.line.links) {
        const target = entries.get(link.to)
        if (target && (target.isMoney || (!entry.isMoney && raised(own.line) > 0)))
          later.push({ entry, own, link, target })
        else if (entry.isMoney) pay(own, target ?? null, link.amount)
        else {
          settleBoth(entry, own.line, target ?? null, link.amount)
          own.unnamed -= link.amount
        }
      }
  later.sort((a, b) => oldestFirst(a.own.line, b.own.line))
  for (const { entry, own, link, target } of later) {
    const { line } = own
    let rest = entry.isMoney ? 0 : -link.amount
    for (const other of linesOf(link)) {
      const part = common(other.unnamed, rest)
      rest -= part
      if (target.isMoney) pay(other, entry, part)
      else {
        settleBoth(entry, line, target, -part)
        other.unnamed -= part
      }
    }
    // An invoice whose money others have used already is open.
    if (entry.isMoney || (target.isMoney && entry.deferred.length > 0)) continue
    // What is not left there was used before, and is taken back: a write-off that is reversed, a payment that is moved by a journal.
    if (!target.isMoney) settleBoth(entry, line, target, common(-rest, settledOn(target, line.day)))
    else
      for (const payment of paymentsOf(linesOf(link))) {
        // Not what it has just been paid itself.
        const part = payment.to === null || payment.to === entry ? 0 : common(rest, payment.left)
        payment.left -= part
        rest -= part
        settleBoth(entry, line, payment.to, -part)
      }
  }
  for (const { entry, own, link } of later) if (entry.isMoney) takeBack(own, link.amount, linesOf(link))
  return [...entries].flatMap(([number, { isMoney }]) => (isMoney ? (lines.get(number) ?? []) : []))
}

function pay(own: Money, to: Entry | null, amount: number): void {
  if (amount === 0) return
  own.payments.push({ to, amount, left: amount })
  own.unnamed -= amount
  settleTarget(to, own.line, amount, true)
}

/** A line settles what it names, or an opening, by an amount that has its sign. Gives the day on which it does. */
function settleTarget(to: Entry | null, by: SourceLine, amount: number, isMoney: boolean): number {
  const day = Math.max(by.day, to?.day ?? by.day)
  to?.settlements.push({ by, amount: -amount, day, isMoney })
  return day
}

/** The same of a line of a document, which is settled too. */
function settleBoth(entry: Entry, by: SourceLine, to: Entry | null, amount: number): void {
  if (amount === 0) return
  const day = settleTarget(to, by, amount, false)
  entry.settlements.push({ by, amount, day, isMoney: false })
}

/** What lines of money pay, the last first. */
const paymentsOf = (lines: readonly Money[]): Payment[] =>
  lines.flatMap(({ payments }) => payments.toReversed())

/** How much of a document is settled on a day, in the sign of its gross. */
const settledOn = ({ settlements }: Entry, day: number): number =>
  settlements.reduce((sum, each) => (each.day <= day ? sum + each.amount : sum), 0)

/** Money against other money, such as a refund or a cheque that bounces: first what is left of that, then what it paid, the last first. */
function takeBack(own: Money, amount: number, others: readonly Money[]): void {
  let rest = common(own.unnamed, amount)
  for (const other of others) {
    const part = common(other.unnamed, -rest)
    other.unnamed -= part
    own.unnamed += part
    rest += part
  }
  for (const payment of paymentsOf(others)) {
    const part = common(payment.left, -rest)
    payment.left -= part
    pay(own, payment.to, -part)
    rest += part
  }
}

/** What two amounts of the same sign have in common; else nothing. */
const common = (a: number, b: number): number =>
  Math.sign(a) === Math.sign(b) ? Math.sign(a) * Math.min(Math.abs(a), Math.abs(b)) : 0

/** Until rules 4 each link settles what it names, and the document that it comes from by the same amount. */
function linkByOlderRules(entries: ReadonlyMap<number, Entry>): void {
  for (const entry of entries.values())
    for (const by of entry.open)
      for (const { to, amount } of by.links) {
        const target = entries.get(to) ?? null
        if (entry.isMoney) settleTarget(target, by, amount, false)
        else settleBoth(entry, by, target, amount)
      }
}

export const sumOf = (lines: readonly SourceLine[]): number =>
  lines.reduce((sum, line) => sum + line.amount, 0)

export interface ItemLine extends Numbered, Pick<SourceLine, 'role' | 'amount'> {
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
  for (const line of lines) if (line.item !== null) addTo(groups, line.item, line)
  const links = new Map<number, Link[]>()
  for (const group of groups.values()) settleGroup(group.sort(oldestFirst), links)
  return links
}

/** A line that increases a receivable or payable is a document; a line that reduces it settles one. */
const isDocument = (line: ItemLine): boolean => raised(line) > 0

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
