/**
 * What a ledger format is to the rest of the program: how a file of it is known, what it carries, and what `tieout
 * add` can write down about it. One object per format, all of them in formats.ts. Owns the canonical rows that
 * every reader gives (intake.ts) and what formats share. Must not know any one format.
 */
import type { Company, LedgerFormat, LedgerSetting } from '../../workspace/company.ts'
import type { Assumed, Setting } from '../../workspace/company-edit.ts'
import type { Finding } from '../../workspace/finding.ts'
import type { Scan, Scratch } from '../text/scan.ts'
import type { AccountKind } from './account-kinds.ts'
import type { FormatContent } from './content.ts'
import type { Covered } from './covered-lines.ts'
import type { FiscalYear } from './intake.ts'
import type { FilePreview } from './preview.ts'

export interface SourceFile {
  /** Path relative to the company's folder. */
  readonly file: string
  /** What is opened. */
  readonly path: string
  readonly scan: Scan
  readonly look: FilePreview
}

export interface Format {
  readonly id: LedgerFormat
  /** For people: what it is, and what a file of it is known by. */
  readonly name: string
  readonly knownBy: string
  /** Where `tieout add` puts its files, so that one pattern of company.yaml names those of all years and no others. */
  readonly place: { readonly folder: string; readonly extension: string | null }
  /** By content alone. The first format of formats.ts that says so reads the file. */
  readonly looksLike: (look: FilePreview) => boolean
  /** Reads all files of one ledger entry together. Nothing in them throws: what is wrong is in the findings. */
  readonly read: (
    sources: readonly SourceFile[],
    setting: LedgerSetting,
    company: Company,
    scratch: Scratch,
  ) => Promise<FormatContent>
  /** What files say of the company itself, before there is a company.yaml. Judges no figures. */
  readonly survey: (sources: readonly SourceFile[], stated: Stated) => Promise<Survey>
}

/** What company.yaml says already, when files are added. */
export type Stated = {
  readonly dimensions: Company['dimensions']
  readonly opening: unknown
}

/** Null is what the files do not say: `tieout add` asks for it. */
export interface Survey {
  readonly name: string | null
  readonly fiscalMonthEnd: number | null
  /** When the year ends by what the files bring forward, where they do not say it. */
  readonly assumedMonthEnd: Assumed<number> | null
  readonly currency: string | null
  /** Which days the entries of the files are of, where they say so: a file of the same days would count them twice. */
  readonly covers: readonly Covered[]
  /** `doubt` is why a year is only assumed. */
  readonly years: readonly (FiscalYear & { readonly doubt?: string | null })[]
  readonly dimensions: readonly {
    readonly id: string
    readonly name: string
    readonly target: 'class' | 'department' | 'none'
  }[]
  readonly accounts: readonly SurveyedAccount[]
  /** As the reading will say: see Intake. */
  readonly statesOpenings: boolean
  /** Keys of the ledger entry beside `files` and `format`; a blank is a question. */
  readonly settings: { readonly [key: string]: Setting }
  /** Beside the ledger entry, for its owner to check. */
  readonly comment: string | null
  /** Errors: the files are none that can be read, and nothing is added. */
  readonly findings: readonly Finding[]
}

export interface SurveyedAccount {
  readonly id: string
  readonly name: string
  /** Null: nothing says what kind it is, and `add` asks. */
  readonly kind: Pick<AccountKind, 'classification' | 'type'> | null
  /** What is to be checked about it. */
  readonly doubt: string | null
}

/** What a format does not say. */
export const NOTHING_SURVEYED: Survey = {
  name: null,
  fiscalMonthEnd: null,
  assumedMonthEnd: null,
  currency: null,
  covers: [],
  years: [],
  dimensions: [],
  accounts: [],
  statesOpenings: false,
  settings: {},
  comment: null,
  findings: [],
}
