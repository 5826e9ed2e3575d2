/** What a part of a plain-text file says, as plain data; and what the file says, of which the parts are joined in its order. */
import { type Capped, CappedFindings } from '../../../workspace/cap-findings.ts'
import type { Finding } from '../../../workspace/finding.ts'
import { addAll, type Values } from '../../claims/claim-format.ts'
import { joinedNotes, NO_RECORDS, type RecordNotes, recordFindings } from '../../format/records.ts'
import { UnreadRows } from '../../format/unread-rows.ts'
import { type Dialect, dialectIn, type PlainPosting } from './dialects.ts'
import { type CountOf, DayCounts, idOf } from './ids.ts'
import type { Transactions } from './repeats.ts'
import { type PlainText, shapeOf } from './text.ts'

/** How often something occurs, and its first row. */
export interface Seen {
  count: number
  readonly row: number
}
export type SeenBy = ReadonlyMap<string, Seen>

/** A transaction that carries balances from one period into the next. */
export interface Carry {
  readonly date: string
  readonly row: number
}

/** A posting that is left out: in another currency, or with contradictory amounts. */
export interface LeftOut {
  readonly row: number
  readonly of: 'opening' | 'entry'
  readonly account: string
  readonly day: string
  /** Its transaction among those of its day. */
  readonly count: number
}

/** By what it is known whether rows that follow one another may be of one transaction. */
export type Heading = Pick<PlainPosting, 'transaction' | 'date' | 'memo' | 'reference'>

/** Rows are those of the part, and transactions of a day are counted from its beginning. */
export interface PartFacts {
  readonly notes: RecordNotes
  /** How many postings it has. */
  readonly rows: number
  /** Of the first posting and the last one; null where there is none. */
  readonly first: Heading | null
  readonly last: Heading | null
  readonly accounts: SeenBy
  readonly commodities: SeenBy
  readonly members: { readonly class: SeenBy; readonly department: SeenBy }
  /** With their values, by name. */
  readonly tags: Values
  /** How amounts are written, digits as 9. */
  readonly amounts: ReadonlySet<string>
  readonly openings: readonly Carry[]
  readonly closings: readonly Carry[]
  readonly firstActivity: string | null
  readonly virtual: Seen | null
  readonly leftOut: readonly LeftOut[]
  readonly contradicted: Capped
  readonly days: ReadonlyMap<string, number>
  readonly transactions: Transactions
}

/**
 * Whether rows that follow one another are of different transactions, whatever stands above them. Those of one transaction have one
 * number, if the program writes any.
 */
export const areSeparate = (above: Heading, below: Heading): boolean =>
  above.transaction !== null || below.transaction !== null
    ? above.transaction !== below.transaction
    : above.date !== below.date || above.memo !== below.memo || above.reference !== below.reference

/** A file as a whole: complete when its last part was joined. */
export class PlainFile {
  readonly text: PlainText
  readonly dialect: Dialect
  rows = 0
  readonly accounts = new Map<string, Seen>()
  readonly commodities = new Map<string, Seen>()
  readonly members = { class: new Map<string, Seen>(), department: new Map<string, Seen>() }
  readonly tags: Values = new Map()
  readonly amounts = new Set<string>()
  readonly openings: Carry[] = []
  readonly closings: Carry[] = []
  firstActivity: string | null = null
  virtual: Seen | null = null
  readonly unread = new UnreadRows()
  readonly days = new DayCounts()
  /** Of each part, above which so many rows stand. */
  readonly transactions: { readonly above: number; readonly transactions: Transactions }[] = []
  readonly #contradicted = new CappedFindings()
  #last: Heading | null = null
  #notes = NO_RECORDS

  constructor(text: PlainText) {
    this.text = text
    this.dialect = dialectIn(text.form)
  }

  /** Whether the part, which is not the first, begins with a transaction, and what stands above it could be read to its end. */
  goesOnWith({ first }: PartFacts): boolean {
    return (
      this.#notes.fault === null && this.#last !== null && first !== null && areSeparate(this.#last, first)
    )
  }

  /** Parts come in the order of the file; `countsAbove` are those of the files that stand before it. */
  join(part: PartFacts, countsAbove: CountOf): void {
    const above = this.#notes.records
    for (const name of ['accounts', 'commodities'] as const) joinSeen(this[name], part[name], above)
    for (const name of ['class', 'department'] as const)
      joinSeen(this.members[name], part.members[name], above)
    addAll(this.tags, part.tags)
    for (const amount of part.amounts) this.amounts.add(amount)
    for (const name of ['openings', 'closings'] as const)
      for (const { date, row } of part[name]) this[name].push({ date, row: above + row })
    if (part.virtual !== null) this.virtual = added(this.virtual, part.virtual, above)
    const first = part.firstActivity
    if (first !== null && (this.firstActivity === null || first < this.firstActivity))
      this.firstActivity = first
    for (const { row, of, account, day, count } of part.leftOut) {
      const entry = idOf(day, countsAbove(day) + this.days.of(day) + count)
      this.unread.add({ file: this.text.file, row: above + row, of, account, entry })
    }
    const { listed, counts } = part.contradicted
    const placed = listed.map((found) => ({ ...found, row: found.row && above + found.row }))
    this.#contradicted.addAll({ listed: placed, counts })
    this.days.addAll(part.days)
    this.transactions.push({ above, transactions: part.transactions })
    this.#last = part.last
    this.rows += part.rows
    this.#notes = joinedNotes(this.#notes, part.notes)
  }

  /** What is wrong with records, and with amounts of single postings. */
  get findings(): Finding[] {
    const ofRecords = recordFindings(this.text.file, shapeOf(this.dialect), this.#notes)
    return [...ofRecords, ...this.#contradicted.list()]
  }
}

/** Counts of a part added to those above it, of which the first row counts. */
const added = <Counted extends Seen>(before: Counted | null, more: Counted, above: number): Counted =>
  before === null ? { ...more, row: above + more.row } : { ...before, count: before.count + more.count }

function joinSeen(all: Map<string, Seen>, part: SeenBy, above: number): void {
  for (const [key, seen] of part) all.set(key, added(all.get(key) ?? null, seen, above))
}
