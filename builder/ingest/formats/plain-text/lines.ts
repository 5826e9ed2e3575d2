/** Reads one file of a plain-text program record by record into canonical CSV, and what the file says as a whole. */
import { RESERVED_MEMBER_IDS } from '../../../contract/vocabulary.ts'
import { CappedFindings } from '../../../workspace/cap-findings.ts'
import type { Company } from '../../../workspace/company.ts'
import { error, type Finding } from '../../../workspace/finding.ts'
import type { AccountKind } from '../../format/account-kinds.ts'
import { type Covered, CoveredLines } from '../../format/covered-lines.ts'
import type { SourceFile } from '../../format/format.ts'
import type { LedgerColumn } from '../../format/intake.ts'
import { csvRow, fileRecords } from '../../format/records.ts'
import { UnreadRows } from '../../format/unread-rows.ts'
import { isOfCurrency } from './amounts.ts'
import type { Dialect, PlainPosting } from './dialects.ts'
import type { Repeats } from './repeats.ts'
import { isOwnTag, membersOf } from './tags.ts'

/** How often something occurs, and its first row. */
export interface Seen {
  count: number
  readonly row: number
}

/** A transaction that carries balances from one period into the next. */
export interface Carry {
  readonly date: string
  readonly row: number
}

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

export interface PlainContext {
  readonly dimensions: Company['dimensions']
  readonly kindOf: (account: string) => AccountKind | null
  /** Null where the currency of the books is not known yet. */
  readonly currency: string | null
  /** Numbers the transactions of a day, over all files. */
  readonly idOf: (date: string) => string
  readonly repeats: Repeats
}

/** What a file says as a whole: complete when its last row was read. */
export class PlainFile {
  readonly accounts = new Map<string, Seen>()
  readonly commodities = new Map<string, Seen>()
  readonly tags = new Set<string>()
  readonly members = { class: new Map<string, Seen>(), department: new Map<string, Seen>() }
  /** How amounts are written, digits as 9. */
  readonly amounts = new Set<string>()
  readonly openings: Carry[] = []
  readonly closings: Carry[] = []
  readonly findings: Finding[] = []
  /** Postings that are left out: in another currency, or with contradictory amounts. */
  readonly unread = new UnreadRows()
  readonly #contradicted = new CappedFindings()
  firstActivity: string | null = null
  virtual: Seen | null = null
  rows = 0
  readonly source: SourceFile
  readonly dialect: Dialect
  readonly #context: PlainContext

  constructor(source: SourceFile, dialect: Dialect, context: PlainContext) {
    this.source = source
    this.dialect = dialect
    this.#context = context
  }

  /** Canonical rows in parts, one for each record of the file so that rows keep their numbers; blank where one is left out. */
  async *canonical(): AsyncGenerator<string> {
    if (this.dialect.hasHeader) yield `${CANONICAL.join(',')}\n`
    let part = ''
    for await (const rows of this.#transactions()) {
      part += this.#canonicalRows(rows)
      if (part.length < 1 << 16) continue
      yield part
      part = ''
    }
    yield part
    this.findings.push(...this.#contradicted.list())
  }

  /** Reads the whole file without writing a copy. */
  async read(): Promise<this> {
    for await (const _ of this.canonical());
    return this
  }

  /** The days on which its lines are dated, with a sample of the lines. */
  async covers(): Promise<readonly Covered[]> {
    const lines = new CoveredLines()
    for await (const { cells } of fileRecords(this.source, this.#shape, [])) {
      if (cells === null || this.dialect.isHeader(cells)) continue
      const { date, account, amount } = this.dialect.posting(cells)
      lines.add(date, [account, amount.number, amount.commodity])
    }
    return lines.covers
  }

  get #shape() {
    return { ...this.dialect, headerRow: this.dialect.hasHeader ? 1 : 0 }
  }

  /** Rows of one transaction together; null is a row without a posting. */
  async *#transactions(): AsyncGenerator<readonly Row[]> {
    let open = new Open()
    for await (const { row, cells } of fileRecords(this.source, this.#shape, this.findings)) {
      // Exports that were joined have a header each.
      if (cells === null || this.dialect.isHeader(cells)) {
        open.rows.push({ row, posting: null })
        continue
      }
      const posting = this.dialect.posting(cells)
      this.rows++
      if (!open.takes(posting)) {
        yield open.rows
        open = new Open()
      }
      open.add(row, posting)
    }
    yield open.rows
  }

  #canonicalRows(rows: readonly Row[]): string {
    const real = rows
      .flatMap(({ row, posting }) => (posting === null ? [] : [{ row, posting }]))
      .filter(({ row, posting }) => {
        if (posting.isVirtual) this.virtual = again(this.virtual, row)
        return !posting.isVirtual && !isAdjustment(posting)
      })
    const first = real[0]
    const kind = first === undefined ? 'activity' : this.#kindOf(real.map(({ posting }) => posting))
    if (first !== undefined) {
      this.#note(kind, first)
      const postings = real.map(({ posting }) => posting)
      this.#context.repeats.note(this.source.file, first.row, postings)
    }
    const id = first === undefined || kind === 'carried out' ? '' : this.#context.idOf(first.posting.date)
    const journal = first !== undefined && kind === 'opening' ? openingJournal(first.posting.date) : ''
    const counted = new Set(kind === 'carried out' ? [] : real.map(({ row }) => row))
    return rows
      .map(({ row, posting }) => {
        if (posting === null || !counted.has(row)) return LEFT_OUT
        this.#see(row, posting)
        if (posting.otherwise !== null) this.#contradicted.add(this.#contradiction(row, posting))
        if (posting.otherwise !== null || this.#isForeign(posting)) {
          const of = kind === 'opening' ? 'opening' : 'entry'
          this.unread.add({ file: this.source.file, row, of, account: posting.account, entry: id })
          return LEFT_OUT
        }
        const { class: class_, department } = membersOf(posting.tags, this.#context.dimensions)
        if (class_ !== null) see(this.members.class, class_, row)
        if (department !== null) see(this.members.department, department, row)
        const cells = [
          id,
          posting.date,
          posting.account,
          posting.amount.number,
          memberCell(class_),
          memberCell(department),
          posting.memo,
          posting.reference,
          journal,
          kind === 'closing' ? CLOSING_TYPE : '',
        ]
        return csvRow(cells)
      })
      .join('')
  }

  /**
   * An opening is on the account of openings. `hledger close` also writes its inverse at the end of a period, which carries
   * all balances out of the books; the next opening carries them in again.
   */
  #kindOf(postings: readonly PlainPosting[]): 'activity' | 'opening' | 'carried out' | 'closing' {
    const isResult = ({ account }: PlainPosting) => {
      const kind = this.#context.kindOf(account)
      return kind !== null && !['Asset', 'Liability', 'Equity'].includes(kind.classification)
    }
    if (postings.some(({ account }) => OPENING.test(account)))
      return /^clos/i.test(postings[0]?.memo ?? '') ? 'carried out' : 'opening'
    const others = postings.filter(({ account }) => !RETAINED.test(account))
    return others.length > 0 && others.length < postings.length && others.every(isResult)
      ? 'closing'
      : 'activity'
  }

  #note(
    kind: 'activity' | 'opening' | 'carried out' | 'closing',
    { row, posting: { date } }: PostingRow,
  ): void {
    if (kind === 'opening') this.openings.push({ date, row })
    else if (kind === 'carried out') this.closings.push({ date, row })
    else if (this.firstActivity === null || date < this.firstActivity) this.firstActivity = date
  }

  #contradiction = (row: number, { amount, otherwise }: PlainPosting): Finding =>
    error('amount-differs', `the posting is stated as ${amount.number}; debit and credit say ${otherwise}`, {
      file: this.source.file,
      row,
      column: 'amount',
      text: amount.number,
      remedy: 'export it again, and change nothing in the file',
    })

  #isForeign = ({ amount }: PlainPosting): boolean =>
    this.#context.currency !== null && !isOfCurrency(amount.commodity, this.#context.currency)

  #see(row: number, { account, amount, tags }: PlainPosting): void {
    see(this.accounts, account, row)
    see(this.commodities, amount.commodity, row)
    this.amounts.add(amount.number.replace(/\d/g, '9'))
    for (const { name } of tags) if (!isOwnTag(name)) this.tags.add(name)
  }
}

interface Row {
  readonly row: number
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
    const last = this.#last
    if (last === null) return true
    if (next.transaction !== null || last.transaction !== null) return next.transaction === last.transaction
    const isSame = next.date === last.date && next.memo === last.memo && next.reference === last.reference
    const isBalanced = this.#sums.size > 0 && [...this.#sums.values()].every((sum) => sum === 0n)
    return isSame && !isBalanced
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
