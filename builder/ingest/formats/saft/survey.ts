/** What a SAF-T file says as a whole, in one pass that keeps no line: header, accounts, codes, dates, sums, and what is wrong. */
import type { Company, TableOptions } from '../../../workspace/company.ts'
import { error, type Finding, warning } from '../../../workspace/findings/finding.ts'
import { countIn, type Values } from '../../claims/claim-format.ts'
import type { AccountKind } from '../../format/account-kinds.ts'
import type { SourceFile } from '../../format/format.ts'
import { xmlEncoding } from '../../format/xml-records.ts'
import { parseFigure } from '../../text/amount.ts'
import type { Encoding } from '../../text/decode.ts'
import { classifySaftAccount, isHeaderAccount } from './accounts.ts'
import type { Declared } from './dimensions.ts'
import {
  type SaftAccount,
  type SaftAnalysis,
  type SaftHeader,
  type SaftLine,
  type SaftTotals,
  type SaftTransaction,
  type SaftVisitor,
  saftSteps,
} from './parse.ts'
import { isDate, PeriodVotes } from './periods.ts'

/** What a company.yaml says that is needed here. */
type Context = Pick<Company, 'accounts'> & { readonly decimals: number }

/** All lines, and those of closing entries. */
interface Moved {
  all: number
  closing: number
}

/** Far more than any real chart has: a file made to exhaust memory is refused here. */
const MOST_ACCOUNTS = 200_000
const MOST_CODES = 1_000_000
const MOST_TYPES = 1000

/** Portugal: entries that carry the year's result into equity (apuramento de resultados). */
export const CLOSING_TYPE = 'A'
export const isClosing = ({ type }: SaftTransaction, header: SaftHeader | null): boolean =>
  type === CLOSING_TYPE && header?.country === 'PT'

export const undeclared = (id: string): SaftAccount => ({
  row: 0,
  id,
  name: id,
  standard: '',
  category: '',
  code: '',
  opening: null,
  closing: null,
})

export class SaftSurvey implements SaftVisitor {
  readonly source: SourceFile
  /** Path relative to the company's folder. */
  readonly file: string
  readonly encoding: Encoding
  readonly #context: Context
  /** Why the file cannot be read at all; null where it can. */
  #refusal: Finding | null
  /** Null where the file has none, or cannot be read. */
  header: SaftHeader | null = null
  readonly accounts = new Map<string, SaftAccount>()
  /** Of the accounts that are declared or used. */
  kinds: ReadonlyMap<string, AccountKind | null> = new Map()
  /** Portugal: O says that the accounts follow neither the SNC nor its parts. */
  taxonomy = ''
  readonly declared: Declared[] = []
  /** Types of analysis codes that lines carry. */
  readonly types = new Set<string>()
  /** Account → the first line that posts to it. */
  readonly used = new Map<string, number>()
  /** Portugal: minor units per account, debit positive. */
  readonly moved = new Map<string, Moved>()
  /** Ids of entries of type A (Portugal) that carry no result into equity, and so are not closing entries. */
  readonly notClosing = new Set<string>()
  readonly votes = new PeriodVotes()
  firstDate = ''
  lastDate = ''
  transactions = 0
  rows = 0
  totals: SaftTotals | null = null
  /** Of elements that are not read. */
  readonly others: Values = new Map()
  findings: Finding[] = []
  /** Of the open transaction, where it may be one that closes: what it moves, in minor units per account. */
  #entry: Map<string, number> | null = null

  constructor(source: SourceFile, context: Context, form: Pick<TableOptions, 'encoding'>) {
    const { encoding, finding } = xmlEncoding(source, form)
    this.source = source
    this.file = source.file
    this.encoding = encoding
    this.#context = context
    this.#refusal = finding
  }

  async read(): Promise<void> {
    const { file, encoding, source } = this
    if (this.#refusal === null) {
      const steps = saftSteps({ file, path: source.path, encoding }, this)
      let step = await steps.next()
      while (!step.done) step = await steps.next()
      this.#refusal = step.value ?? this.#refusal ?? suitability(this)
    }
    const ids = [...this.accounts.keys(), ...this.used.keys()]
    this.kinds = new Map(ids.map((id) => [id, this.#kindOf(id)]))
    if (this.#refusal === null) this.findings.push(...countFindings(this), ...accountFindings(this))
    else {
      this.findings = [this.#refusal]
      this.header = null
    }
  }

  #kindOf = (id: string): AccountKind | null =>
    classifySaftAccount(
      this.accounts.get(id) ?? undeclared(id),
      this.header?.country ?? null,
      this.#context.accounts,
    )

  #hasRoom(size: number, most: number, what: string): boolean {
    if (size < most) return true
    this.#refusal ??= error('too-many-ids', `the file has more than ${most} ${what}`, {
      file: this.file,
      remedy: 'this is not an accounting file, or a damaged one: export it again',
    })
    return false
  }

  onRoot(name: string, uri: string): void {
    const other = /cashregister/i.test(uri)
      ? 'a Norwegian SAF-T Cash Register file'
      : name !== 'AuditFile'
        ? `an audit file of another kind (<${name}${uri === '' ? '' : ` xmlns="${uri}"`}>)`
        : null
    if (other !== null)
      this.#refusal = error('no-financial-saft', `this is ${other}, not SAF-T Financial: it is not read`, {
        file: this.file,
        row: 1,
        text: uri || name,
        remedy: 'export SAF-T Financial (Regnskap, Contabilidade), with the general ledger entries',
      })
  }

  onHeader(header: SaftHeader): void {
    this.header ??= header
  }

  onTaxonomy(letter: string): void {
    this.taxonomy ||= letter.trim()
  }

  onTotals(totals: SaftTotals): void {
    this.totals = totals
  }

  onOther(name: string, text: string): void {
    countIn(this.others, name, text)
  }

  onAccount(account: SaftAccount): void {
    const { id, row } = account
    const known = this.accounts.get(id)
    if (known !== undefined && JSON.stringify({ ...known, row }) !== JSON.stringify(account))
      this.findings.push(
        error(
          'duplicate-account',
          `account ${id} is declared in line ${known.row} already, with other values`,
          {
            file: this.file,
            row,
            column: 'AccountID',
            text: id,
            remedy: 'export the file again: it does not show which of the two balances is right',
          },
        ),
      )
    if (known !== undefined) return
    if (this.#hasRoom(this.accounts.size, MOST_ACCOUNTS, 'accounts')) this.accounts.set(id, account)
  }

  onAnalysis(analysis: SaftAnalysis): void {
    if (this.#hasRoom(this.declared.length, MOST_CODES, 'analysis codes'))
      this.declared.push({ ...analysis, file: this.file })
  }

  onLine(line: SaftLine, transaction: SaftTransaction): void {
    this.rows++
    let moved = this.moved.get(line.account)
    if (moved === undefined) {
      if (!this.#hasRoom(this.moved.size, MOST_ACCOUNTS, 'accounts')) return
      moved = { all: 0, closing: 0 }
      this.moved.set(line.account, moved)
      if (line.account !== '') this.used.set(line.account, line.row)
    }
    for (const { type } of line.analyses)
      if (!this.types.has(type) && this.#hasRoom(this.types.size, MOST_TYPES, 'types of analysis codes'))
        this.types.add(type)
    // Only there entries carry results into equity.
    if (this.header?.country !== 'PT') return
    const minor = this.#minor(line.debit) - this.#minor(line.credit)
    moved.all += minor
    if (!isClosing(transaction, this.header)) return
    this.#entry ??= new Map()
    this.#entry.set(line.account, (this.#entry.get(line.account) ?? 0) + minor)
  }

  /** What cannot be read the books report. */
  #minor = (text: string): number =>
    text === '' ? 0 : (parseFigure(text, this.#context.decimals).minor ?? 0)

  onTransaction(transaction: SaftTransaction, lines: number): void {
    this.transactions++
    const { date, period } = transaction
    if (lines > 0 && isDate(date)) {
      if (this.firstDate === '' || date < this.firstDate) this.firstDate = date
      if (date > this.lastDate) this.lastDate = date
      this.votes.add(period, this.header?.fiscalYear.slice(0, 4) ?? '', date)
    }
    const entry = this.#entry
    this.#entry = null
    if (entry === null) return
    // An entry of type A that books the tax of the year, for example, does not close it.
    if (![...entry.keys()].some((id) => this.#kindOf(id)?.classification === 'Equity')) {
      this.notClosing.add(transaction.id)
      return
    }
    for (const [id, minor] of entry) {
      const moved = this.moved.get(id)
      if (moved) moved.closing += minor
    }
  }
}

/** A file that can be read has a header. */
export type ReadableSurvey = SaftSurvey & { readonly header: SaftHeader }
export const isReadable = (survey: SaftSurvey): survey is ReadableSurvey => survey.header !== null

export async function surveySaft(...of: ConstructorParameters<typeof SaftSurvey>): Promise<SaftSurvey> {
  const survey = new SaftSurvey(...of)
  await survey.read()
  return survey
}

/** Why the file cannot be built at all; null where it can. */
function suitability({ file, header, accounts, rows, transactions, totals }: SaftSurvey): Finding | null {
  if (header === null)
    return error('no-header', 'the file has no Header, which states the company and the period', {
      file,
      remedy: 'export the whole SAF-T file',
    })
  const place = { file, row: header.row, column: 'Header', text: header.version || null }
  const what = `SAF-T of ${header.country ?? 'an unnamed country'}, version ${header.version || 'unknown'}`
  if (rows > 0) return null
  if (transactions > 0)
    return error('unknown-saft-version', `${what}: its transactions have no lines of a kind that is read`, {
      ...place,
      remedy:
        'export a Norwegian or Portuguese file, or one with the same elements (Line, DebitLine, CreditLine)',
    })
  // A month without entries still carries its balances.
  if (totals !== null && accounts.size > 0) return null
  return error(
    'no-general-ledger',
    header.country === 'PT' && !/^[CI]$/.test(header.basis)
      ? `${what}, TaxAccountingBasis ${header.basis || 'unknown'}: it holds invoices, and not a general ledger`
      : `${what}: it holds no general ledger entries`,
    {
      ...place,
      remedy:
        header.country === 'PT'
          ? 'export the SAF-T (PT) of accounting (contabilidade, type C or I), not that of invoices (faturação)'
          : 'export SAF-T Financial with its GeneralLedgerEntries',
    },
  )
}

/** By rule NumberOfEntries is the number of transactions; some programs count the lines. */
function countFindings({ file, totals, transactions, rows }: SaftSurvey): Finding[] {
  const count = Number(totals?.entries || 'NaN')
  if (totals === null || Number.isNaN(count) || count === transactions || count === rows) return []
  return [
    warning(
      'entry-count-differs',
      `the file states ${count} entries (NumberOfEntries); it holds ${transactions} transactions with ${rows} lines`,
      {
        ...{ file, row: totals.row, column: 'NumberOfEntries', text: totals.entries },
        remedy:
          'export the file again; nothing to do where its totals agree and the program counts otherwise',
      },
    ),
  ]
}

function accountFindings({ file, accounts, used }: SaftSurvey): Finding[] {
  if (accounts.size === 0)
    return [
      error('no-accounts', 'the file declares no accounts, so that their opening balances are unknown', {
        file,
        remedy: 'export it with its master files (GeneralLedgerAccounts)',
      }),
    ]
  const headers = [...used].filter(([id]) => {
    const account = accounts.get(id)
    return account !== undefined && isHeaderAccount(account)
  })
  const unknown = [...used].filter(([id]) => !accounts.has(id))
  const list = (found: readonly (readonly [string, number])[]) =>
    found
      .map(([id]) => id)
      .join(', ')
      .slice(0, 400)
  return [
    ...headers.slice(0, 1).map(([id, row]) =>
      error('header-account', `lines post to accounts that are headers of the chart: ${list(headers)}`, {
        file,
        row,
        column: 'AccountID',
        text: id,
        remedy: 'post to the accounts below them (GroupingCategory GM), or correct the chart',
      }),
    ),
    ...unknown.slice(0, 1).map(([id, row]) =>
      warning(
        'undeclared-account',
        `${unknown.length === 1 ? 'an account is' : `${unknown.length} accounts are`} used but not declared, so without opening balance: ${list(unknown)}`,
        {
          file,
          row,
          column: 'AccountID',
          text: id,
          remedy: 'export the file with all its accounts (GeneralLedgerAccounts)',
        },
      ),
    ),
  ]
}
