/**
 * What an importer passes on to the books: rows as the source's own text, in the source or in a copy, and a plan by which the books
 * read them inside DuckDB. Amounts stay text until one parser reads them exactly (`amount.ts`, or its SQL twin in books).
 */
import type { Aggregation, Basis, CashFlowCategory, Classification } from '../../contract/vocabulary.ts'
import type { LedgerSetting, Scale } from '../../workspace/company.ts'
import type { LedgerEngineName } from '../../workspace/engines.ts'
import type { Finding } from '../../workspace/findings/finding.ts'
import type { Consolidation } from '../../workspace/group.ts'
import type { LogoImage } from '../../workspace/presentation.ts'
import type { CommentaryText } from '../../workspace/source-files.ts'
import type { Answers, UnreadColumn } from '../claims/claims.ts'
import type { Rows } from './column-rows.ts'
import type { WholeFile } from './entry-names.ts'
import type { LedgerColumn } from './ledger-columns.ts'
import type { OwnReport, TrialBalanceInput } from './own-report.ts'

/**
 * The place of a row in its source: the path relative to the company's folder, and the row, where 1 is the header
 * or the first line.
 */
export interface Origin {
  readonly file: string
  readonly row: number
}

/** The basis of an entry of "ledger" whose files do not state theirs. */
export const basisOfEntry = ({ basis }: Pick<LedgerSetting, 'basis'>): Basis =>
  basis === 'cash' ? 'CASH' : 'ACCRUAL'

/** The basis that a title or the last line of a report states: `Cash Basis Tuesday, January 7, 2025`, `Basis: Accrual`. */
export function basisIn(stated: readonly string[]): Basis | null {
  const words = /\b(accrual|cash)[-\s]+basis\b|\bbasis:?\s*(accrual|cash)\b/i
  const found = stated.map((text) => words.exec(text)).find((each) => each !== null)
  const said = (found?.[1] ?? found?.[2])?.toLowerCase()
  return said === undefined ? null : said === 'cash' ? 'CASH' : 'ACCRUAL'
}

interface LedgerSource {
  /** Path relative to the company's folder. */
  readonly file: string
  /** The basis of every row of this file; null where the file's `basis` column states it. */
  readonly basis: Basis | null
  /** The form of the dates, `YYYY-MM-DD` unless the source uses another (`DD.MM.YYYY`, `MM/DD/YYYY`, …). */
  readonly dateFormat: string
  readonly decimal: '.' | ','
  /** The thousands separator to remove, or empty. */
  readonly thousands: string
  /** Columns that nobody reads: the books count their values, since only they see every row. */
  readonly others?: OtherColumns
}

/** With the entry of company.yaml that may say what they mean. */
export interface OtherColumns {
  readonly key: string
  readonly answers: Answers
  readonly headers: readonly string[]
}

/** A CSV that the books read inside DuckDB, all columns as text. */
export interface LedgerPlan extends LedgerSource {
  readonly kind: 'csv'
  /** The file that DuckDB opens, in UTF-8; a decoded copy where the source has another encoding. */
  readonly path: string
  readonly delimiter: string
  /** Canonical column → header in the file, for the columns that the file has. */
  readonly columns: { readonly [column in LedgerColumn]?: string }
  /** All header cells, in the order of the file. */
  readonly header: readonly string[]
  /** The file has no header: row 1 is the first record. */
  readonly isHeaderless?: boolean
  /** False where it is known that the file has no blank rows; absent where that was not checked. */
  readonly mayHoldBlankRows?: boolean
  /**
   * Header of the column that holds each row's number in the source, where this CSV was made from it; unique in the
   * file.
   */
  readonly rowColumn?: string
  readonly whole?: WholeFile
  /** What a text in the place of a class or department means; no member has it as its id or name. */
  readonly tags?: ReadonlyMap<string, Pick<BudgetRow, 'class' | 'department'>>
}

/** Where a value of a Parquet ledger stands, and how it is read. */
export type ParquetValue =
  /** A column of the file. `whole` is a number or UUID that is taken as text, `minor` an amount in minor units. */
  | { readonly column: string; readonly read: 'text' | 'whole' | 'day' | 'time' | 'minor' }
  /** An exact decimal, with the digits after its point. */
  | { readonly column: string; readonly read: 'decimal'; readonly scale: number }
  /** The name of a folder such as `department=shop`, for all rows of the file; null where it states that there is no value. */
  | { readonly folder: string | null }

/** A Parquet file that the books read inside DuckDB, with the types of its columns. */
export interface LedgerParquet extends LedgerSource {
  readonly kind: 'parquet'
  /** The file that DuckDB opens; the address where the file lies in a bucket. */
  readonly path: string
  /** What its footer states. */
  readonly rows: number
  /** Set where the file lies in a bucket, which only its engine reads. */
  readonly table?: TablePlace
  readonly columns: { readonly [column in LedgerColumn]?: ParquetValue }
  /** The types of the columns that are read: files with equal columns and types are read by one query. */
  readonly types: string
  /** The engine that reads it; DuckDB if none is named. */
  readonly engine?: LedgerEngineName
  /** SQL for the records that are read in the place of those of the file, with a column `row` for each one's number in the source. */
  readonly query?: string
}

/** The table that a file in a bucket is a part of. */
export interface TablePlace {
  /** What lies below the folder of the table's pattern, and is not named by it: addresses. Files of one table share the list. */
  readonly others: readonly string[]
}

export type LedgerInput = LedgerPlan | LedgerParquet

export interface AccountRow extends Origin {
  readonly id: string
  readonly number: string
  readonly name: string
  readonly classification: Classification
  /** An account type of the contract, or empty for "other" of the classification. */
  readonly type: string
  readonly parentId: string | null
  readonly cashFlow: CashFlowCategory | null
  readonly isActive: boolean
}

export interface MemberRow extends Origin {
  readonly id: string
  readonly name: string
  readonly parentId: string | null
  readonly isActive: boolean
}

export interface FiscalYear {
  /** First and last day, `YYYY-MM-DD`. */
  readonly start: string
  readonly end: string
}

/** `2011`, or `2009-10` for a year that spans two. It distinguishes the vouchers of several years. */
export function yearLabel({ start, end }: FiscalYear): string {
  const first = start.slice(0, 4)
  return first === end.slice(0, 4) ? first : `${first}-${end.slice(2, 4)}`
}

/** An opening balance, as of the end of the day before `yearStart`. */
export interface OpeningRow extends Origin {
  readonly account: string
  readonly class: string | null
  readonly department: string | null
  /** Decimal text, debit positive. */
  readonly amount: string
  readonly yearStart: string
  /** Null where it is the same on every basis. */
  readonly basis: Basis | null
}

/** A row with entries or balances that cannot be read, so that its effect on the books is unknown. */
export interface UnreadRow extends Origin {
  /**
   * What the row states: a line of an entry, a balance brought forward, either of the two, or a figure that the
   * source states about itself.
   */
  readonly of: 'entry' | 'opening' | 'either' | 'statement'
  /** The account that it names; null where that cannot be read either. */
  readonly account: string | null
  /**
   * The id of the entry that it belongs to, or what ids begin with, or several of these: none of them is judged. One that ends with a blank
   * is the beginning of ids of which it may be any, and it is said that they are not judged. Null where it may be any of all. Absent
   * where it is no line of an entry.
   */
  readonly entry?: string | readonly string[] | null | undefined
  /** Its amount in minor units, on whichever side, where that can be read. */
  readonly amount?: number | undefined
}

/** A figure that a source states about itself and that differs from the sum of its own lines. */
export interface Differing {
  readonly finding: Finding
  /**
   * The stated figure minus the sum found. Where known mistakes together amount to this, the difference is their
   * consequence.
   */
  readonly off: number
  /** The sum is that of all accounts, which shows no place. */
  readonly isOfAll?: true | undefined
}

/** A figure that the source states about itself; the books must agree with it. */
export interface ControlRow extends Origin {
  /**
   * closing: the balance at `date`; result: the P&L total of the year that ends on `date`; movement: that of the
   * month of `date`.
   */
  readonly kind: 'closing' | 'result' | 'movement'
  readonly account: string
  /** A control for one member counts every posting with that member. Null for all postings. */
  readonly class: string | null
  readonly department: string | null
  readonly date: string
  readonly amount: string
  /** The first day of a movement that does not cover the whole month. */
  readonly from?: string
  /** The first day of the file that brings the balance forward: the earlier files must arrive at it. */
  readonly begins?: string
}

/** What a file states that its lines add up to on one side; the books must agree with it. */
export interface TotalRow extends Origin {
  readonly side: 'debit' | 'credit'
  /** How the file names it. */
  readonly column: string
  /** Decimal text. */
  readonly amount: string
  /** The amount of lines that it counts and that do not go into the books, in minor units as integer text. */
  readonly beside: string
}

/** Result of a year before the first one loaded (`#RES -1`): explains opening balances that do not net to zero. */
export interface PriorResultRow extends Origin {
  readonly account: string
  readonly amount: string
  readonly yearStart: string
}

export interface BudgetRow extends Origin {
  readonly account: string
  readonly class: string | null
  readonly department: string | null
  /** `YYYY-MM` */
  readonly month: string
  /** Decimal text in natural sign: income and expenses positive, assets debit, liabilities and equity credit. */
  readonly amount: string
  /** The unit of its sheet, with which {@link amount} is multiplied already; absent for 1. */
  readonly scale?: Scale
}

export interface BudgetInput {
  readonly id: string
  readonly name: string
  readonly rows: Rows<BudgetRow>
}

export interface MetricRow extends Origin {
  readonly metric: string
  /** `YYYY-MM-DD`; the last day where the value is of a whole month. */
  readonly date: string
  /** The value is of the whole month and not of one day. */
  readonly wholeMonth: boolean
  /** Plain decimal text: `-12.5`. */
  readonly value: string
  /** The unit of its sheet, with which {@link value} is multiplied already; absent for 1, and for every percentage. */
  readonly scale?: Scale
  readonly class: string | null
  readonly department: string | null
  readonly budget: string | null
}

export interface MetricDefinition {
  readonly id: string
  readonly name: string
  readonly unit: string
  readonly aggregation: Aggregation
}

/** The name of a source. */
export interface SourceName {
  /** The name in rows: a path relative to the company's folder, or `path#Sheet` where several sheets are read. */
  readonly file: string
  /** The path alone, where {@link file} contains a sheet. */
  readonly path?: string
  readonly sheet?: string
}

export const sheetName = (file: string, sheet: string, isOnly: boolean): SourceName =>
  isOnly ? { file, sheet } : { file: `${file}#${sheet}`, path: file, sheet }

/** The name of a source without its other members. */
export const nameOf = ({ file, path, sheet }: SourceName): SourceName => ({
  file,
  ...(path === undefined ? {} : { path }),
  ...(sheet === undefined ? {} : { sheet }),
})

/** What a source can be read as. */
export const ROLES = [
  'chart',
  'classes',
  'departments',
  'ledger',
  'budget',
  'metrics',
  'trialBalance',
  ...(['mapping', 'rates', 'historical', 'intercompany'] as const),
  'control',
  'configuration',
  'commentary',
  'logo',
] as const

/** One file or sheet that was read, as the manifest states it. The build adds the control totals. */
export interface SourceRecord extends SourceName {
  readonly delimiter?: string
  /** The ledger format that read it; absent for tables. */
  readonly format?: string
  readonly bytes: number
  /** Null for an object of a bucket, of which nobody here reads all bytes. */
  readonly sha256: string | null
  /** The state of an object as its store names it, and the version where it keeps versions; absent for files. */
  readonly etag?: string
  readonly version?: string | null
  readonly encoding: string
  readonly role: (typeof ROLES)[number]
  /** Rows read in this room; null for a CSV ledger, whose rows the books count. */
  readonly rows: number | null
  /** What a program's own report states above and below its table: its title, company, period, basis, user and time. */
  readonly stated?: readonly string[]
  /** The first and the last number of its entries, by series, where its format has consecutive ones. */
  readonly numbers?: readonly string[]
}

/** Everything that one company's sources state. */
export interface Intake {
  readonly sources: readonly SourceRecord[]
  readonly accounts: readonly AccountRow[]
  readonly classes: readonly MemberRow[]
  readonly departments: readonly MemberRow[]
  readonly fiscalYears: readonly FiscalYear[]
  readonly ledger: readonly LedgerInput[]
  readonly openings: readonly OpeningRow[]
  /** The files state the balances before their first entry, even if these are zero: the user need not be asked. */
  readonly statesOpenings: boolean
  /** The line of company.yaml with `opening.priorYearsNotClosed`; absent where it has none. */
  readonly priorYearsLine?: number
  readonly priorResults: readonly PriorResultRow[]
  readonly controls: readonly ControlRow[]
  readonly totals: readonly TotalRow[]
  readonly trialBalances: readonly TrialBalanceInput[]
  readonly reports: readonly OwnReport[]
  readonly budgets: readonly BudgetInput[]
  readonly metricDefinitions: readonly MetricDefinition[]
  readonly metrics: Rows<MetricRow>
  /** Absent where the company is no group. */
  readonly consolidation?: Consolidation
  readonly commentary: readonly CommentaryText[]
  readonly logo: LogoImage | null
  /** Accounts whose lines are closing entries by the format (SIE: 8999 by default). */
  readonly closingAccounts: readonly string[]
  /** Journals of balances brought forward, by the format (FEC: AN, ANO). */
  readonly openingJournals: readonly string[]
  /** Types of closing entries, by the format (close in hledger; A in Portuguese SAF-T). */
  readonly closingTypes: readonly string[]
  /** Rows that were left out because of an error in them; all other rows were read. */
  readonly unread: readonly UnreadRow[]
  /** Reported beside `findings`, except where other mistakes explain the difference. */
  readonly differing: readonly Differing[]
  readonly findings: readonly Finding[]
}

/** Every file that a line of the books may come from: files with entries first, then others that state openings. */
export const bookFiles = ({ ledger, openings }: Pick<Intake, 'ledger' | 'openings'>): readonly string[] => {
  const files = ledger.map((input) => input.file)
  const others = new Set(openings.map(({ file }) => file))
  return [...files, ...[...others].filter((file) => !files.includes(file))]
}

/** What one file, or one of its sheets, holds of a ledger that is a table. */
export interface FileReading {
  readonly inputs: readonly LedgerInput[]
  readonly sources: readonly SourceRecord[]
  readonly findings: readonly Finding[]
  /** Columns that are not read. */
  readonly unread: readonly UnreadColumn[]
}
