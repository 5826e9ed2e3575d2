/**
 * What an importer hands to the books: canonical rows as the source's own text, or a plan by which the books read
 * a large CSV inside DuckDB. Amounts stay text until one parser reads them exactly (`amount.ts`, or its SQL twin
 * in books). This room knows no DuckDB and computes no statement.
 */
import type { Aggregation, Basis, CashFlowCategory, Classification } from '../../contract/vocabulary.ts'
import type { Scale } from '../../workspace/company.ts'
import type { Finding } from '../../workspace/finding.ts'

/** Where a row stands in its source: path relative to the company's folder; row 1 is the header, or line 1. */
export interface Origin {
  readonly file: string
  readonly row: number
}

export const LEDGER_COLUMNS = [
  'transaction_id',
  'date',
  'account',
  'debit',
  'credit',
  'amount',
  'class',
  'department',
  'memo',
  'reference',
  'settles',
  'basis',
  'currency',
  'line_id',
  'journal',
  'type',
  'period',
  'open_item',
] as const
export type LedgerColumn = (typeof LEDGER_COLUMNS)[number]

/** One canonical ledger line, each value as text or null; `amount` is debit positive. */
export type LedgerRow = { readonly row: number } & { readonly [column in LedgerColumn]: string | null }

interface LedgerSource {
  /** Path relative to the company's folder. */
  readonly file: string
  /** The basis of every row of this file; null where the file's own `basis` column says. */
  readonly basis: Basis | null
  /** Canonical form of the dates: `YYYY-MM-DD` unless the source states another (`DD.MM.YYYY`, `MM/DD/YYYY`, …). */
  readonly dateFormat: string
  readonly decimal: '.' | ','
  /** Thousands separator to drop, or empty. */
  readonly thousands: string
}

/** Rows that the importer read itself (SIE, XLSX). */
export interface LedgerRows extends LedgerSource {
  readonly kind: 'rows'
  readonly rows: readonly LedgerRow[]
}

/** A CSV that the books read inside DuckDB, all columns as text. */
export interface LedgerPlan extends LedgerSource {
  readonly kind: 'csv'
  /** What DuckDB opens: UTF-8 (decoded into a temporary file first where the source was not). */
  readonly path: string
  readonly delimiter: string
  /** Canonical column → header in the file, for the columns that the file has. */
  readonly columns: { readonly [column in LedgerColumn]?: string }
  /** All header cells, in file order. */
  readonly header: readonly string[]
  /** The header does not stand in the file: row 1 is the first record. */
  readonly isHeaderless?: boolean
  /** False: the file was seen to have none. What nobody looked at may hold some. */
  readonly mayHoldBlankRows?: boolean
  /** Of what `path` was made of, or of itself, where that was taken: plans that are equal, this too, have equal rows. */
  readonly sha256?: string
  /** Header of the column with each row's place in the source, where this CSV was made of it; unique in the file. */
  readonly rowColumn?: string
}

export type LedgerInput = LedgerRows | LedgerPlan

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
  /** `YYYY-MM-DD`, inclusive. */
  readonly start: string
  readonly end: string
}

/** `2011`, or `2009-10` for a year that spans two: what sets the vouchers of several years apart. */
export function yearLabel({ start, end }: FiscalYear): string {
  const first = start.slice(0, 4)
  return first === end.slice(0, 4) ? first : `${first}-${end.slice(2, 4)}`
}

/** Opening balance: the state at the end of the day before `yearStart`. */
export interface OpeningRow extends Origin {
  readonly account: string
  readonly class: string | null
  readonly department: string | null
  /** Decimal text, debit positive. */
  readonly amount: string
  readonly yearStart: string
  /** Null: the same on every basis. */
  readonly basis: Basis | null
}

/** A row that says what accounts stand at, and cannot be read: what it would add to the books is not known. */
export interface UnreadRow extends Origin {
  /** A line of an entry, a balance brought forward, either of both; or a figure that the source states of itself. */
  readonly of: 'entry' | 'opening' | 'either' | 'statement'
  /** The account that it names; null where that cannot be read either. */
  readonly account: string | null
  /** The entry that it is a line of; null: it may be any. Absent where the importer itself judges which entries balance. */
  readonly entry?: string | null | undefined
}

/** A figure that a source states of itself, and its own lines give another. */
export interface Differing {
  readonly finding: Finding
  /** What is stated, less what was found: what known mistakes are off by together is their consequence. */
  readonly off: number
}

/** A figure that the source states about itself; the books must agree with it. */
export interface ControlRow extends Origin {
  /** closing: balance at `date`; result: P&L total of the year ending on `date`; movement: of the month of `date`. */
  readonly kind: 'closing' | 'result' | 'movement'
  readonly account: string
  /** A control for one member counts every posting that carries it. Null: all postings. */
  readonly class: string | null
  readonly department: string | null
  readonly date: string
  readonly amount: string
  /** The first day of a movement that is not of its whole month. */
  readonly from?: string
  /** The first day of the file that brings it forward: what the files before it must have come to. */
  readonly begins?: string
}

/** What a program states of all its accounts at one day; the books must agree with it. */
export interface TrialBalanceInput extends Origin {
  readonly basis: Basis
  /** `YYYY-MM-DD` */
  readonly date: string
  readonly rows: readonly {
    readonly row: number
    /** As it stands there, and the account's id; null where it names none. */
    readonly text: string
    readonly account: string | null
    /** Decimal text, debit positive; P&L accounts since the beginning of the fiscal year. */
    readonly amount: string
  }[]
}

/** Result of a year before the first one loaded (`#RES -1`): explains an opening that does not net to zero. */
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
  /** What its sheet counts in, which {@link amount} is multiplied by already; not there: 1. */
  readonly scale?: Scale
}

export interface BudgetInput {
  readonly id: string
  readonly name: string
  readonly rows: readonly BudgetRow[]
}

export interface MetricRow extends Origin {
  readonly metric: string
  /** `YYYY-MM-DD`; for a whole month its last day. */
  readonly date: string
  /** The value speaks for the whole month, not for one day. */
  readonly wholeMonth: boolean
  /** Plain decimal text: `-12.5`. */
  readonly value: string
  /** What its sheet counts in, which {@link value} is multiplied by already; not there: 1, as of every percentage. */
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

/** How a source is called. */
export interface SourceName {
  /** As rows name it: a path relative to the company's folder, `path#Sheet` where several sheets are read. */
  readonly file: string
  /** The path alone, where {@link file} has a sheet in it. */
  readonly path?: string
  readonly sheet?: string
}

export const sheetName = (file: string, sheet: string, isOnly: boolean): SourceName =>
  isOnly ? { file, sheet } : { file: `${file}#${sheet}`, path: file, sheet }

/** Of what is called so, the name alone. */
export const nameOf = ({ file, path, sheet }: SourceName): SourceName => ({
  file,
  ...(path === undefined ? {} : { path }),
  ...(sheet === undefined ? {} : { sheet }),
})

/** One file that was read, or one sheet of it: what the manifest says of it. Control totals are added by the build. */
export interface SourceRecord extends SourceName {
  readonly delimiter?: string
  /** The ledger format that knew it; absent for tables. */
  readonly format?: string
  readonly bytes: number
  readonly sha256: string
  readonly encoding: string
  readonly role:
    | 'chart'
    | 'classes'
    | 'departments'
    | 'ledger'
    | 'budget'
    | 'metrics'
    | 'trialBalance'
    | 'configuration'
    | 'commentary'
  /** Rows read, where this room read them; null for a CSV ledger, which the books count. */
  readonly rows: number | null
}

/** All that one company's sources say. */
/** What people say about the figures of a month, as they wrote it. */
export interface CommentaryText {
  /** `YYYY-MM` */
  readonly month: string
  readonly file: string
  readonly text: string
}

export interface Intake {
  readonly sources: readonly SourceRecord[]
  readonly accounts: readonly AccountRow[]
  readonly classes: readonly MemberRow[]
  readonly departments: readonly MemberRow[]
  readonly fiscalYears: readonly FiscalYear[]
  readonly ledger: readonly LedgerInput[]
  readonly openings: readonly OpeningRow[]
  /** The files say what accounts stood at before their first entry, be it nothing: there is nothing to ask. */
  readonly statesOpenings: boolean
  /** The line of company.yaml that states `opening.priorYearsNotClosed`; absent where none does. */
  readonly priorYearsLine?: number
  readonly priorResults: readonly PriorResultRow[]
  readonly controls: readonly ControlRow[]
  readonly trialBalances: readonly TrialBalanceInput[]
  readonly budgets: readonly BudgetInput[]
  readonly metricDefinitions: readonly MetricDefinition[]
  readonly metrics: readonly MetricRow[]
  readonly commentary: readonly CommentaryText[]
  /** Accounts whose lines the format itself knows as closing entries (SIE default: 8999). */
  readonly closingAccounts: readonly string[]
  /** Journals that the format itself knows as balances brought forward (FEC: AN, ANO). */
  readonly openingJournals: readonly string[]
  /** Types of entries that the format itself knows as closing entries (hledger close; A in Portuguese SAF-T). */
  readonly closingTypes: readonly string[]
  /** Rows with an error of their own that were left out: all other lines are there. */
  readonly unread: readonly UnreadRow[]
  /** To be told beside `findings`, but for those that other mistakes explain. */
  readonly differing: readonly Differing[]
  readonly findings: readonly Finding[]
}

/** Every file that a line of the books may come from: those of the entries first, then others that state openings. */
export const bookFiles = ({ ledger, openings }: Pick<Intake, 'ledger' | 'openings'>): readonly string[] => {
  const files = ledger.map((input) => input.file)
  const others = new Set(openings.map(({ file }) => file))
  return [...files, ...[...others].filter((file) => !files.includes(file))]
}
