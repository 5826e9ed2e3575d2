/** What trial balances and other reports of the company's own program state, as the books compare it. */
import type { Basis } from '../../contract/vocabulary.ts'
import type { Control } from '../workbook/foreign.ts'

/** What a program states of all its accounts at one day; the books must agree with it. */
export interface TrialBalanceInput {
  readonly file: string
  readonly row: number
  readonly basis: Basis
  /** The class or department that the file says it is of alone. */
  readonly filter: ReportMember | null
  /** `YYYY-MM-DD` */
  readonly date: string
  readonly rows: readonly {
    readonly row: number
    /** The account as written, and its id; the id is null where the text names no account. */
    readonly text: string
    readonly account: string | null
    /** Decimal text, debit positive; P&L accounts since the beginning of the fiscal year. */
    readonly amount: string
  }[]
}

/** A column of a program's own report. */
export interface ReportColumn {
  readonly header: string
  /** The first day; null for a balance. */
  readonly from: string | null
  readonly to: string
  /** The class or department that the column is of. */
  readonly member: ReportMember | null
}

/** A class or department of a report; its id is empty for what has none. */
export interface ReportMember {
  readonly of: 'class' | 'department'
  readonly id: string
}

/** A profit and loss, balance sheet or aged list of the company's own program; the books must agree with each of its figures. */
export interface OwnReport {
  readonly file: string
  /** The row of its header. */
  readonly row: number
  readonly kind: Control
  /** The program that the ledger is of; null where its format does not say it. */
  readonly program: string | null
  /** As the file states it; null where it does not. */
  readonly basis: Basis | null
  /** The class or department that the file says it is of alone. */
  readonly filter: ReportMember | null
  /** The day on which the program made it, `YYYY-MM-DD`; null where the file does not state it. */
  readonly madeOn: string | null
  readonly columns: readonly ReportColumn[]
  readonly lines: readonly {
    readonly row: number
    readonly label: string
    readonly account: string | null
    /** Under each column: decimal text as the file signs it, or null. */
    readonly amounts: readonly (string | null)[]
    /** As in the layout: the index of the line whose section this one is the total of. */
    readonly closes: number | null
  }[]
}
