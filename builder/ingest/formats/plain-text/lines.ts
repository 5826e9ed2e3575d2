/** Reads a plain-text file record by record into canonical CSV, and notes what it says. */
import type { Company } from '../../../workspace/company.ts'
import { CappedFindings } from '../../../workspace/findings/cap-findings.ts'
import { error, type Finding } from '../../../workspace/findings/finding.ts'
import { countIn, type Values } from '../../claims/claim-format.ts'
import type { AccountKind } from '../../format/account-kinds.ts'
import type { CoveredLines } from '../../format/covered-lines.ts'
import type { SourceFile } from '../../format/format.ts'
import type { LedgerColumn } from '../../format/ledger-columns.ts'
import { noteFirst } from '../../format/members.ts'
import { csvRow, type FileRecord, NO_RECORDS, recordFindings, recordsOfFile } from '../../format/records.ts'
import { UnreadRows } from '../../format/unread-rows.ts'
import { classifyPath } from './accounts.ts'
import { isOfCurrency } from './amounts.ts'
import type { Dialect, PlainPosting } from './dialects.ts'
import { isForecast, isOwnTag, membersOf } from './tags.ts'

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

/** How often something occurs, and its first row. */
interface Seen {
  count: number
  readonly row: number
}

/** A transaction that carries balances from one period into the next. */
interface Carry {
  readonly date: string
  readonly row: number
}

/** What a file says. Complete when its last row was written. */
export class PlainFile {
  readonly source: SourceFile
  readonly file: string
  readonly dialect: Dialect
  /** How many postings it has. */
  rows = 0
  /** Account, and member, → the first row that names it. */
  readonly accounts = new Map<string, number>()
  readonly commodities = new Map<string, Seen>()
  readonly members = { class: new Map<string, number>(), department: new Map<string, number>() }
  /** With their values, by name. */
  readonly tags: Values = new Map()
  /** How amounts are written, digits as 9. */
  readonly amounts = new Set<string>()
  readonly openings: Carry[] = []
  readonly closings: Carry[] = []
  firstActivity: string | null = null
  virtual: Seen | null = null
  readonly unread = new UnreadRows()
  readonly contradicted = new CappedFindings()
  /** Numbers that the program gave transactions, and the ids of transactions whose number stands above already. */
  readonly numbers = new Set<string>()
  readonly renumbered = new Set<string>()
  notes = NO_RECORDS

  constructor(source: SourceFile, dialect: Dialect) {
    this.source = source
    this.file = source.file
    this.dialect = dialect
  }

  get shape() {
    return { ...this.dialect, headerRow: this.dialect.hasHeader ? 1 : 0 }
  }

  /** What is wrong with records, and with amounts of single postings. */
  get findings(): Finding[] {
    return [...recordFindings(this.file, this.shape, this.notes), ...this.contradicted.list()]
  }
}

/** Gives transactions their ids over all files of a ledger entry. */
export class PlainIds {
  /** Day → how many transactions it has. */
  readonly #days = new Map<string, number>()

  /** The id of the next transaction, `2025-01-31/7`: transactions keep their ids when others are added to another day. */
  on(day: string): string {
    const count = (this.#days.get(day) ?? 0) + 1
    this.#days.set(day, count)
    return `${day}/${count}`
  }
}

/** Canonical rows in pieces, one for each record so that rows keep their numbers, blank where one is left out. `file` notes what it says, `covered` its lines. */
export async function* canonicalRows(
  file: PlainFile,
  rules: Rules,
  ids: PlainIds,
  covered: CoveredLines | null = null,
): AsyncGenerator<string> {
  const lines = new PlainLines(file, rules, ids, covered)
  const { batches, notes } = recordsOfFile(file.source, file.shape)
  if (file.dialect.hasHeader) yield `${CANONICAL.join(',')}\n`
  for await (const batch of batches) {
    for (const record of batch) lines.add(record)
    yield lines.written()
  }
  lines.end()
  file.notes = notes()
  yield lines.written()
}

class PlainLines {
  readonly #file: PlainFile
  readonly #rules: Rules
  readonly #ids: PlainIds
  readonly #covered: CoveredLines | null
  readonly #kinds = new Map<string, AccountKind | null>()
  #open = new Open()
  #csv = ''

  constructor(file: PlainFile, rules: Rules, ids: PlainIds, covered: CoveredLines | null) {
    this.#file = file
    this.#covered = covered
    this.#rules = rules
    this.#ids = ids
  }

  add({ row, cells }: FileRecord): void {
    // Exports that were joined have a header each.
    const { dialect } = this.#file
    if (cells === null || dialect.isHeader(cells)) {
      this.#open.rows.push({ row, posting: null })
      return
    }
    const posting = dialect.posting(cells)
    const { date, account, amount } = posting
    this.#covered?.add(date, [account, amount.number, amount.commodity])
    this.#file.rows++
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
  end(): void {
    this.#write(this.#open.rows)
  }

  /** The rows of a transaction. */
  #write(rows: readonly Row[]): void {
    const real = rows.filter((row): row is PostingRow => this.#isReal(row))
    const first = real[0]
    if (first === undefined) {
      this.#csv += LEFT_OUT.repeat(rows.length)
      return
    }
    const kind = this.#kindOf(real.map(({ posting }) => posting))
    this.#note(kind, first)
    if (kind === 'carried out') {
      this.#csv += LEFT_OUT.repeat(rows.length)
      return
    }
    const day = first.posting.date
    const entry = { day, id: this.#ids.on(day), kind }
    const { transaction } = first.posting
    if (transaction !== null && this.#file.numbers.has(transaction)) this.#file.renumbered.add(entry.id)
    else if (transaction !== null) this.#file.numbers.add(transaction)
    let next = 0
    for (const row of rows) {
      const isCounted = row === real[next]
      if (isCounted) next++
      this.#csv += isCounted ? this.#canonical(row as PostingRow, entry) : LEFT_OUT
    }
  }

  #isReal({ row, posting }: Row): boolean {
    if (posting?.isVirtual) this.#file.virtual = again(this.#file.virtual, row)
    return posting !== null && !posting.isVirtual && !isAdjustment(posting)
  }

  #canonical({ row, posting }: PostingRow, { day, id, kind }: Entry): string {
    const { account, amount, otherwise, tags } = posting
    this.#see(row, posting)
    if (otherwise !== null) this.#file.contradicted.add(this.#contradiction(row, posting))
    if (otherwise !== null || this.#isForeign(posting)) {
      const of = kind === 'opening' ? 'opening' : 'entry'
      this.#file.unread.add({ file: this.#file.file, row, of, account, entry: id })
      return LEFT_OUT
    }
    const { class: class_, department } = membersOf(tags, this.#rules.dimensions)
    noteFirst(this.#file.members.class, class_ ?? '', row)
    noteFirst(this.#file.members.department, department ?? '', row)
    return csvRow([
      id,
      posting.date,
      account,
      amount.number,
      class_ ?? '',
      department ?? '',
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
    const { openings, closings, firstActivity } = this.#file
    if (kind === 'opening') openings.push({ date, row })
    else if (kind === 'carried out') closings.push({ date, row })
    else if (firstActivity === null || date < firstActivity) this.#file.firstActivity = date
  }

  #contradiction = (row: number, { amount, otherwise }: PlainPosting): Finding =>
    error('amount-differs', `the posting is stated as ${amount.number}; debit and credit say ${otherwise}`, {
      file: this.#file.file,
      row,
      column: 'amount',
      text: amount.number,
      remedy: 'export it again, and change nothing in the file',
    })

  #isForeign = ({ amount }: PlainPosting): boolean =>
    this.#rules.currency !== null && !isOfCurrency(amount.commodity, this.#rules.currency)

  #see(row: number, { account, amount, tags }: PlainPosting): void {
    noteFirst(this.#file.accounts, account, row)
    this.#file.commodities.set(
      amount.commodity,
      again(this.#file.commodities.get(amount.commodity) ?? null, row),
    )
    this.#file.amounts.add(amount.number.replace(/\d/g, '9'))
    for (const tag of tags) {
      if (isForecast(tag)) countIn(this.#file.tags, tag.name, 'forecast')
      else if (!isOwnTag(tag.name)) countIn(this.#file.tags, tag.name, tag.value)
    }
  }
}

/**
 * Whether rows that follow one another are of different transactions, whatever stands above them. Those of one transaction have one
 * number, if the program writes any.
 */
const areSeparate = (above: PlainPosting, below: PlainPosting): boolean =>
  above.transaction !== null || below.transaction !== null
    ? above.transaction !== below.transaction
    : above.date !== below.date || above.memo !== below.memo || above.reference !== below.reference

/** A transaction whose rows are written. */
interface Entry {
  readonly id: string
  readonly day: string
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

const again = (seen: Seen | null, row: number): Seen =>
  seen === null ? { count: 1, row } : { ...seen, count: seen.count + 1 }
