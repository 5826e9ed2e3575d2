/** Reads a plain-text file, or a part of one, record by record into canonical CSV, and notes what it says. */
import { RESERVED_MEMBER_IDS } from '../../../contract/vocabulary.ts'
import { CappedFindings, LISTED } from '../../../workspace/cap-findings.ts'
import type { Company } from '../../../workspace/company.ts'
import { error, type Finding } from '../../../workspace/finding.ts'
import { countIn, type Values } from '../../claims/claim-format.ts'
import type { AccountKind } from '../../format/account-kinds.ts'
import type { LedgerColumn } from '../../format/intake.ts'
import { csvRow, type FileRecord, type RecordNotes, recordsOfPart } from '../../format/records.ts'
import { csvCell } from '../../text/csv.ts'
import type { Range } from '../../text/text-parts.ts'
import { classifyPath } from './accounts.ts'
import { isOfCurrency } from './amounts.ts'
import { type Dialect, dialectIn, type PlainPosting } from './dialects.ts'
import { areSeparate, type Carry, type Heading, type LeftOut, type PartFacts, type Seen } from './facts.ts'
import { type CountOf, DayCounts, type IdNotes, idOf } from './ids.ts'
import { TransactionNotes } from './repeats.ts'
import { isForecast, isOwnTag, membersOf } from './tags.ts'
import { type PlainText, shapeOf } from './text.ts'

export const CANONICAL = [
  'transaction_id',
  'date',
  'account',
  'amount',
  'class',
  'department',
  'memo',
  'reference',
  'journal',
  'type',
] as const satisfies readonly LedgerColumn[]

/** Rows of delimiters are counted by the books, and not read. */
const LEFT_OUT = `${','.repeat(CANONICAL.length - 1)}\n`

/** Journal of the lines that state opening balances, and type of those that close a year. */
export const openingJournal = (date: string): string => `opening balances ${date}`
export const CLOSING_TYPE = 'closing'

/** hledger's `equity:opening/closing balances`, Beancount's and Ledger's `Equity:Opening-Balances`. */
const OPENING = /^equity:(.*:)?opening/i
const RETAINED = /^equity:(.*:)?[^:]*(retained|earnings)/i

/** What company.yaml says of lines; `currency` is null where that of the books is not known yet. */
export type Rules = Pick<Company, 'dimensions' | 'accounts'> & { readonly currency: string | null }

type Kind = 'activity' | 'opening' | 'carried out' | 'closing'

/** How the ids of a part are written: `countsAbove` is known, or they are noted, to be corrected when it is. */
export interface IdRules {
  readonly countsAbove: CountOf
  readonly notes: IdNotes | null
}

/** Canonical rows in pieces, one for each record so that rows keep their numbers, blank where one is left out; then what it says. */
export async function* readPart(
  text: PlainText,
  part: Range,
  rules: Rules,
  ids: IdRules,
): AsyncGenerator<string, PartFacts> {
  const dialect = dialectIn(text.form)
  const lines = new PlainLines(text.file, dialect, rules, ids)
  const { batches, notes } = recordsOfPart(text, shapeOf(dialect), part)
  if (dialect.hasHeader && part.start === 0) lines.begin(`${CANONICAL.join(',')}\n`)
  for await (const batch of batches) {
    for (const record of batch) lines.add(record)
    yield lines.written()
  }
  const facts = lines.end(notes())
  yield lines.written()
  return facts
}

class PlainLines {
  readonly #file: string
  readonly #dialect: Dialect
  readonly #rules: Rules
  readonly #ids: IdRules
  readonly #kinds = new Map<string, AccountKind | null>()
  #open = new Open()
  #csv = ''

  readonly #accounts = new Map<string, Seen>()
  readonly #commodities = new Map<string, Seen>()
  readonly #members = { class: new Map<string, Seen>(), department: new Map<string, Seen>() }
  readonly #tags: Values = new Map()
  readonly #amounts = new Set<string>()
  readonly #openings: Carry[] = []
  readonly #closings: Carry[] = []
  readonly #leftOut: LeftOut[] = []
  readonly #contradicted = new CappedFindings()
  readonly #days = new DayCounts()
  readonly #transactions = new TransactionNotes()
  #firstActivity: string | null = null
  #virtual: Seen | null = null
  #rows = 0
  #first: Heading | null = null
  #last: Heading | null = null

  constructor(file: string, dialect: Dialect, rules: Rules, ids: IdRules) {
    this.#file = file
    this.#dialect = dialect
    this.#rules = rules
    this.#ids = ids
  }

  begin(header: string): void {
    this.#csv += header
  }

  add({ row, cells }: FileRecord): void {
    // Exports that were joined have a header each.
    if (cells === null || this.#dialect.isHeader(cells)) {
      this.#open.rows.push({ row, posting: null })
      return
    }
    const posting = this.#dialect.posting(cells)
    this.#rows++
    this.#first ??= posting
    this.#last = posting
    if (!this.#open.takes(posting)) {
      this.#write(this.#open.rows)
      this.#open = new Open()
    }
    this.#open.add(row, posting)
  }

  /** The rows that were made since the last call. */
  written(): string {
    const csv = this.#csv
    this.#csv = ''
    return csv
  }

  /** Call once, after the last record. */
  end(notes: RecordNotes): PartFacts {
    this.#write(this.#open.rows)
    return {
      ...{ notes, rows: this.#rows },
      ...{ first: headingOf(this.#first), last: headingOf(this.#last) },
      ...{ accounts: this.#accounts, commodities: this.#commodities, members: this.#members },
      ...{ tags: this.#tags, amounts: this.#amounts },
      ...{ openings: this.#openings, closings: this.#closings, firstActivity: this.#firstActivity },
      ...{ virtual: this.#virtual, leftOut: this.#leftOut, contradicted: this.#contradicted.capped() },
      ...{ days: this.#days.counts, transactions: this.#transactions.transactions() },
    }
  }

  /** The rows of a transaction. */
  #write(rows: readonly Row[]): void {
    const real = rows.filter((row): row is PostingRow => this.#isReal(row))
    const first = real[0]
    if (first === undefined) {
      this.#csv += LEFT_OUT.repeat(rows.length)
      return
    }
    const postings = real.map(({ posting }) => posting)
    const kind = this.#kindOf(postings)
    this.#note(kind, first)
    this.#transactions.note(first.row, postings)
    if (kind === 'carried out') {
      this.#csv += LEFT_OUT.repeat(rows.length)
      return
    }
    const day = first.posting.date
    const count = this.#days.add(day, 1)
    const entry = { day, count, id: idOf(day, this.#ids.countsAbove(day) + count), kind }
    let next = 0
    for (const row of rows) {
      const isCounted = row === real[next]
      if (isCounted) next++
      this.#csv += isCounted ? this.#canonical(row as PostingRow, entry) : LEFT_OUT
    }
  }

  #isReal({ row, posting }: Row): boolean {
    if (posting?.isVirtual) this.#virtual = again(this.#virtual, row)
    return posting !== null && !posting.isVirtual && !isAdjustment(posting)
  }

  #canonical({ row, posting }: PostingRow, { day, count, id, kind }: Entry): string {
    const { account, amount, otherwise, tags } = posting
    this.#see(row, posting)
    if (otherwise !== null) this.#contradicted.add(this.#contradiction(row, posting))
    if (otherwise !== null || this.#isForeign(posting)) {
      const of = kind === 'opening' ? 'opening' : 'entry'
      if (this.#leftOut.length <= LISTED) this.#leftOut.push({ row, of, account, day, count })
      return LEFT_OUT
    }
    const { class: class_, department } = membersOf(tags, this.#rules.dimensions)
    if (class_ !== null) see(this.#members.class, class_, row)
    if (department !== null) see(this.#members.department, department, row)
    this.#ids.notes?.note(this.#csv.length + csvCell(id).lastIndexOf('/') + 1, day, count)
    return csvRow([
      id,
      posting.date,
      account,
      amount.number,
      memberCell(class_),
      memberCell(department),
      posting.memo,
      posting.reference,
      kind === 'opening' ? openingJournal(day) : '',
      kind === 'closing' ? CLOSING_TYPE : '',
    ])
  }

  /**
   * An opening is on the account of openings. `hledger close` also writes its inverse at the end of a period, which carries
   * all balances out of the books; the next opening carries them in again.
   */
  #kindOf(postings: readonly PlainPosting[]): Kind {
    if (postings.some(({ account }) => OPENING.test(account)))
      return /^clos/i.test(postings[0]?.memo ?? '') ? 'carried out' : 'opening'
    const others = postings.filter(({ account }) => !RETAINED.test(account))
    return others.length > 0 && others.length < postings.length && others.every(this.#isResult)
      ? 'closing'
      : 'activity'
  }

  #isResult = ({ account }: PlainPosting): boolean => {
    let kind = this.#kinds.get(account)
    if (kind === undefined) {
      kind = classifyPath(account, this.#rules.accounts)
      this.#kinds.set(account, kind)
    }
    return kind !== null && !['Asset', 'Liability', 'Equity'].includes(kind.classification)
  }

  #note(kind: Kind, { row, posting: { date } }: PostingRow): void {
    if (kind === 'opening') this.#openings.push({ date, row })
    else if (kind === 'carried out') this.#closings.push({ date, row })
    else if (this.#firstActivity === null || date < this.#firstActivity) this.#firstActivity = date
  }

  #contradiction = (row: number, { amount, otherwise }: PlainPosting): Finding =>
    error('amount-differs', `the posting is stated as ${amount.number}; debit and credit say ${otherwise}`, {
      file: this.#file,
      row,
      column: 'amount',
      text: amount.number,
      remedy: 'export it again, and change nothing in the file',
    })

  #isForeign = ({ amount }: PlainPosting): boolean =>
    this.#rules.currency !== null && !isOfCurrency(amount.commodity, this.#rules.currency)

  #see(row: number, { account, amount, tags }: PlainPosting): void {
    see(this.#accounts, account, row)
    see(this.#commodities, amount.commodity, row)
    this.#amounts.add(amount.number.replace(/\d/g, '9'))
    for (const tag of tags) {
      if (isForecast(tag)) countIn(this.#tags, tag.name, 'forecast')
      else if (!isOwnTag(tag.name)) countIn(this.#tags, tag.name, tag.value)
    }
  }
}

/** Whether a file can be cut between two rows. */
export const areDivisible =
  (dialect: Dialect) =>
  (above: readonly string[], below: readonly string[]): boolean =>
    ![above, below].some(dialect.isHeader) && areSeparate(dialect.posting(above), dialect.posting(below))

const headingOf = (posting: Heading | null): Heading | null => {
  if (posting === null) return null
  const { transaction, date, memo, reference } = posting
  return { transaction, date, memo, reference }
}

/** A transaction whose rows are written. */
interface Entry {
  readonly id: string
  readonly day: string
  readonly count: number
  readonly kind: Kind
}

interface Row {
  readonly row: number
  /** Null is a row without a posting. */
  readonly posting: PlainPosting | null
}
type PostingRow = Row & { readonly posting: PlainPosting }

/** The transaction that is being read. */
class Open {
  readonly rows: Row[] = []
  #last: PlainPosting | null = null
  /** The sum of its real postings, by commodity. A transaction without a number ends where all sums are zero. */
  readonly #sums = new Map<string, bigint>()

  takes(next: PlainPosting): boolean {
    if (this.#last === null) return true
    if (areSeparate(this.#last, next)) return false
    const isBalanced = this.#sums.size > 0 && [...this.#sums.values()].every((sum) => sum === 0n)
    return next.transaction !== null || !isBalanced
  }

  add(row: number, posting: PlainPosting): void {
    this.rows.push({ row, posting })
    this.#last = posting
    if (posting.transaction !== null || posting.isVirtual) return
    const { number, commodity } = posting.amount
    this.#sums.set(commodity, (this.#sums.get(commodity) ?? 0n) + scaled(number))
  }
}

/** More decimals than any journal writes. */
const DECIMALS = 18
function scaled(number: string): bigint {
  const [, sign, whole, fraction = ''] = /^([+-]?)(\d+)(?:[.,](\d*))?$/.exec(number) ?? []
  if (whole === undefined) return 0n
  return BigInt(`${sign}${whole}${fraction.slice(0, DECIMALS).padEnd(DECIMALS, '0')}`)
}

/** `ledger` writes the rounding difference of amounts at cost as a posting of its own. */
const isAdjustment = ({ account, amount }: PlainPosting): boolean =>
  account === '<Adjustment>' && /^[-0.,]*$/.test(amount.number)

/** A member with a reserved id is an error; its posting counts without it. */
const memberCell = (id: string | null): string => (id === null || RESERVED_MEMBER_IDS.has(id) ? '' : id)

const again = (seen: Seen | null, row: number): Seen =>
  seen === null ? { count: 1, row } : { ...seen, count: seen.count + 1 }

function see(map: Map<string, Seen>, key: string, row: number): void {
  const seen = map.get(key)
  if (seen === undefined) map.set(key, { count: 1, row })
  else seen.count++
}
