/** What a SAF-T file says as a whole, in one pass that keeps no line: header, accounts, codes, dates, sums, and what is wrong. */
import type { Company } from '../../../workspace/company.ts'
import { error, type Finding, warning } from '../../../workspace/finding.ts'
import type { AccountKind } from '../../format/account-kinds.ts'
import type { SourceFile } from '../../format/format.ts'
import type { Encoding } from '../../text/decode.ts'
import { classifySaftAccount, isHeaderAccount } from './accounts.ts'
import type { Declared } from './dimensions.ts'
import {
  readSaft,
  type SaftAccount,
  type SaftHeader,
  type SaftLine,
  type SaftTotals,
  type SaftTransaction,
} from './parse.ts'
import { isDate, PeriodVotes } from './periods.ts'
import { SaftSums } from './sums.ts'

/** What a part of a company.yaml says that the first reading needs. */
export type Context = Pick<Company, 'accounts'> & { readonly encoding?: Encoding; readonly decimals: number }

export interface SaftSurvey {
  readonly source: SourceFile
  /** Path relative to the company's folder. */
  readonly file: string
  readonly encoding: Encoding
  /** Null where the file cannot be read. */
  readonly header: SaftHeader | null
  readonly accounts: ReadonlyMap<string, SaftAccount>
  readonly kinds: ReadonlyMap<string, AccountKind | null>
  readonly declared: readonly Declared[]
  /** Types of analysis codes that lines carry. */
  readonly types: ReadonlySet<string>
  /** Account → the first line that posts to it. */
  readonly used: ReadonlyMap<string, number>
  /** Minor units per account, debit positive: all lines, and those of closing entries. */
  readonly moved: ReadonlyMap<string, Moved>
  /** Ids of entries of type A (Portugal) that carry no result into equity, and so are not closing entries. */
  readonly notClosing: ReadonlySet<string>
  readonly votes: PeriodVotes
  readonly firstDate: string
  readonly lastDate: string
  readonly rows: number
  readonly findings: readonly Finding[]
}

/** A file that can be read has a header. */
export type ReadableSurvey = SaftSurvey & { readonly header: SaftHeader }
export const isReadable = (survey: SaftSurvey): survey is ReadableSurvey => survey.header !== null

/** Far more than any real chart has: a file made to exhaust memory is refused here. */
const MOST_ACCOUNTS = 200_000
const MOST_CODES = 1_000_000
const MOST_TYPES = 1000

export interface Moved {
  all: number
  closing: number
}

/** Portugal: entries that carry the year's result into equity (apuramento de resultados). */
export const CLOSING_TYPE = 'A'
export const isClosing = ({ type }: SaftTransaction, header: SaftHeader | null): boolean =>
  type === CLOSING_TYPE && header?.country === 'PT'

export async function surveySaft(source: SourceFile, context: Context): Promise<SaftSurvey> {
  const survey = new Surveyor(source.file, context)
  const form = context.encoding === undefined ? {} : { encoding: context.encoding }
  const { encoding, finding } = await readSaft(source, form, survey)
  return survey.result(source, encoding, finding)
}

class Surveyor {
  readonly #file: string
  readonly #context: Context
  #refusal: Finding | null = null
  #header: SaftHeader | null = null
  readonly #accounts = new Map<string, SaftAccount>()
  readonly #kinds = new Map<string, AccountKind | null>()
  readonly #declared: Declared[] = []
  readonly #types = new Set<string>()
  readonly #used = new Map<string, number>()
  readonly #moved = new Map<string, Moved>()
  readonly #notClosing = new Set<string>()
  readonly #votes = new PeriodVotes()
  readonly #findings: Finding[] = []
  /** Of the open transaction, where it may be one that closes: what it moves, in minor units per account. */
  #entry: Map<string, { readonly moved: Moved; minor: number }> | null = null
  #first = ''
  #last = ''
  #transactions = 0
  #rows = 0
  readonly #sums: SaftSums
  #totals: SaftTotals | null = null

  constructor(file: string, context: Context) {
    this.#file = file
    this.#context = context
    this.#sums = new SaftSums(file, context.decimals)
  }

  root = (name: string, uri: string): void => {
    const other = /auditfiles\.nl/i.test(uri)
      ? 'a Dutch XAF'
      : /cashregister/i.test(uri)
        ? 'a Norwegian SAF-T Cash Register file'
        : name !== 'AuditFile'
          ? `an audit file of another kind (<${name}${uri === '' ? '' : ` xmlns="${uri}"`}>)`
          : null
    if (other !== null)
      this.#refusal = error('no-financial-saft', `this is ${other}, not SAF-T Financial: it is not read`, {
        file: this.#file,
        row: 1,
        text: uri || name,
        remedy: 'export SAF-T Financial (Regnskap, Contabilidade), with the general ledger entries',
      })
  }

  header = (header: SaftHeader): void => {
    this.#header ??= header
  }

  account = (account: SaftAccount): void => {
    const { id, row } = account
    const known = this.#accounts.get(id)
    if (known !== undefined && JSON.stringify({ ...known, row }) !== JSON.stringify(account))
      this.#findings.push(
        error(
          'duplicate-account',
          `account ${id} is declared in line ${known.row} already, with other values`,
          {
            file: this.#file,
            row,
            column: 'AccountID',
            text: id,
            remedy: 'export the file again: it does not show which of the two balances is right',
          },
        ),
      )
    if (known === undefined && this.#hasRoom(this.#accounts.size, MOST_ACCOUNTS, 'accounts'))
      this.#accounts.set(id, account)
  }

  analysis = (analysis: Declared | Omit<Declared, 'file'>): void => {
    if (this.#hasRoom(this.#declared.length, MOST_CODES, 'analysis codes'))
      this.#declared.push({ ...analysis, file: this.#file })
  }

  #hasRoom(size: number, most: number, what: string): boolean {
    if (size < most) return true
    this.#refusal ??= error('too-many-ids', `the file has more than ${most} ${what}`, {
      file: this.#file,
      remedy: 'this is not an accounting file, or a damaged one: export it again',
    })
    return false
  }

  line = (line: SaftLine, transaction: SaftTransaction): void => {
    this.#rows++
    const isKnown = this.#moved.has(line.account)
    if (!isKnown && !this.#hasRoom(this.#moved.size, MOST_ACCOUNTS, 'accounts')) return
    if (!isKnown && line.account !== '') this.#used.set(line.account, line.row)
    for (const { type } of line.analyses)
      if (!this.#types.has(type) && this.#hasRoom(this.#types.size, MOST_TYPES, 'types of analysis codes'))
        this.#types.add(type)
    const [debit, credit] = this.#sums.line(line)
    const moved = this.#moved.get(line.account) ?? { all: 0, closing: 0 }
    moved.all += debit - credit
    this.#moved.set(line.account, moved)
    if (!isClosing(transaction, this.#header)) return
    this.#entry ??= new Map()
    const { minor } = this.#entry.get(line.account) ?? { minor: 0 }
    this.#entry.set(line.account, { moved, minor: minor + debit - credit })
  }

  transaction = (transaction: SaftTransaction, lines: number): void => {
    this.#transactions++
    const { date, period } = transaction
    if (lines > 0 && isDate(date)) {
      if (this.#first === '' || date < this.#first) this.#first = date
      if (date > this.#last) this.#last = date
      this.#votes.add(period, this.#header?.fiscalYear.slice(0, 4) ?? '', date)
    }
    this.#sums.transaction()
    const entry = this.#entry
    this.#entry = null
    if (entry === null) return
    // An entry of type A that books the tax of the year, for example, does not close it.
    if (![...entry.keys()].some((id) => this.#kindOf(id)?.classification === 'Equity')) {
      this.#notClosing.add(transaction.id)
      return
    }
    for (const { moved, minor } of entry.values()) moved.closing += minor
  }

  totals = (totals: SaftTotals): void => {
    this.#totals = totals
  }

  #kindOf(id: string): AccountKind | null {
    let kind = this.#kinds.get(id)
    if (kind === undefined) {
      const account = this.#accounts.get(id) ?? undeclared(id)
      kind = classifySaftAccount(account, this.#header?.country ?? null, this.#context.accounts)
      this.#kinds.set(id, kind)
    }
    return kind
  }

  result(source: SourceFile, encoding: Encoding, finding: Finding | null): SaftSurvey {
    const fatal = finding ?? this.#refusal ?? this.#suitability()
    const findings =
      fatal === null
        ? [
            ...this.#findings,
            ...this.#sums.findings(this.#totals, { transactions: this.#transactions, rows: this.#rows }),
            ...this.#accountFindings(),
          ]
        : [fatal]
    for (const id of [...this.#accounts.keys(), ...this.#used.keys()]) this.#kindOf(id)
    return {
      source,
      file: this.#file,
      encoding,
      header: fatal === null ? this.#header : null,
      accounts: this.#accounts,
      kinds: this.#kinds,
      declared: this.#declared,
      types: this.#types,
      used: this.#used,
      moved: this.#moved,
      notClosing: this.#notClosing,
      votes: this.#votes,
      firstDate: this.#first,
      lastDate: this.#last,
      rows: this.#rows,
      findings,
    }
  }

  /** Why the file cannot be built at all; null where it can. */
  #suitability(): Finding | null {
    const header = this.#header
    const file = this.#file
    if (header === null)
      return error('no-header', 'the file has no Header, which states the company and the period', {
        file,
        remedy: 'export the whole SAF-T file',
      })
    const place = { file, row: header.row, column: 'Header', text: header.version || null }
    const what = `SAF-T of ${header.country ?? 'an unnamed country'}, version ${header.version || 'unknown'}`
    if (this.#rows > 0) return null
    if (this.#transactions > 0)
      return error('unknown-saft-version', `${what}: its transactions have no lines of a kind that is read`, {
        ...place,
        remedy:
          'export a Norwegian or Portuguese file, or one with the same elements (Line, DebitLine, CreditLine)',
      })
    // A month without entries still carries its balances.
    if (this.#totals !== null && this.#accounts.size > 0) return null
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

  #accountFindings(): Finding[] {
    if (this.#accounts.size === 0)
      return [
        error('no-accounts', 'the file declares no accounts, so that their opening balances are unknown', {
          file: this.#file,
          remedy: 'export it with its master files (GeneralLedgerAccounts)',
        }),
      ]
    const headers = [...this.#used].filter(([id]) => {
      const account = this.#accounts.get(id)
      return account !== undefined && isHeaderAccount(account)
    })
    const unknown = [...this.#used].filter(([id]) => !this.#accounts.has(id))
    const list = (found: readonly (readonly [string, number])[]) =>
      found
        .map(([id]) => id)
        .join(', ')
        .slice(0, 400)
    return [
      ...headers.slice(0, 1).map(([id, row]) =>
        error('header-account', `lines post to accounts that are headers of the chart: ${list(headers)}`, {
          file: this.#file,
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
            file: this.#file,
            row,
            column: 'AccountID',
            text: id,
            remedy: 'export the file with all its accounts (GeneralLedgerAccounts)',
          },
        ),
      ),
    ]
  }
}

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
