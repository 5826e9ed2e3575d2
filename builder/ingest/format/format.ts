/**
 * The interface of a ledger format: how its files are recognised, what they provide, and what `tieout add` writes
 * down about them. Each format is one object; formats.ts lists them. First file of the room that owns the canonical
 * rows (intake.ts) and what formats share. Must not know any particular format.
 */
import type { Company, LedgerFormat, LedgerSetting } from '../../workspace/company.ts'
import type { Assumed, Setting } from '../../workspace/company-edit.ts'
import type { Finding } from '../../workspace/findings/finding.ts'
import { type Scan, type Scratch, scanFile } from '../text/scan.ts'
import type { AccountKind, UsedAccount } from './account-kinds.ts'
import type { FormatContent } from './content.ts'
import type { Covered } from './covered-lines.ts'
import type { FiscalYear } from './intake.ts'
import { type FilePreview, lookAt } from './preview.ts'

export interface SourceFile {
  /** Path relative to the company's folder. */
  readonly file: string
  /** The path to open. */
  readonly path: string
  readonly scan: Scan
  readonly look: FilePreview
}

/** Opens a file whose format is not known yet; `form` is what company.yaml says of its texts. */
export async function openSource(
  path: string,
  file: string,
  form?: Parameters<typeof lookAt>[3],
): Promise<SourceFile> {
  const scan = await scanFile(path)
  return { file, path, scan, look: await lookAt(path, file, scan, form) }
}

export interface Format {
  readonly id: LedgerFormat
  /** The name of the format for people, and the headers or words by which its files are recognised. */
  readonly name: string
  readonly knownBy: string
  /** Where `tieout add` puts its files: one pattern of company.yaml must match those of all years and no others. */
  readonly place: { readonly folder: string; readonly extension: string | null }
  /** Decides by the content alone. The first format of formats.ts that returns true reads the file. */
  readonly looksLike: (look: FilePreview) => boolean
  /** Reads all files of one ledger entry together. Mistakes in them are findings and never thrown. */
  readonly read: (
    sources: readonly SourceFile[],
    setting: LedgerSetting,
    company: Company,
    scratch: Scratch,
  ) => Promise<FormatContent>
  /** What the files state about the company, before there is a company.yaml. Judges no figures. */
  readonly survey: (sources: readonly SourceFile[], stated: Stated) => Promise<Survey>
}

/** What company.yaml states already when files are added. */
export type Stated = {
  readonly dimensions: Company['dimensions']
  readonly opening: unknown
}

/** Null is what the files do not state; `tieout add` asks for it. */
export interface Survey {
  readonly name: string | null
  readonly fiscalMonthEnd: number | null
  /**
   * The month in which the fiscal year ends, judging by the balances brought forward, where the files do not state
   * it.
   */
  readonly assumedMonthEnd: Assumed<number> | null
  readonly currency: string | null
  /**
   * The days that the entries of the files cover, where known: another file of the same days would count them
   * twice.
   */
  readonly covers: readonly Covered[]
  /** `doubt` is the reason why a year is only assumed. */
  readonly years: readonly (FiscalYear & { readonly doubt?: string | null })[]
  readonly dimensions: readonly {
    readonly id: string
    readonly name: string
    readonly target: 'class' | 'department' | 'none'
  }[]
  readonly accounts: readonly SurveyedAccount[]
  /** See Intake. */
  readonly statesOpenings: boolean
  /** Keys of the ledger entry beside `files` and `format`; a blank is a question. */
  readonly settings: { readonly [key: string]: Setting }
  /** A comment beside the ledger entry, for its owner to check. */
  readonly comment: string | null
  /** Where one of these is an error, the files cannot be read and nothing is added. */
  readonly findings: readonly Finding[]
}

/** What reads the files of a format. */
export type Reader = Pick<Format, 'read' | 'survey'>

/** Loads it with the first of these files: a company has files of one or two formats, and most have none. */
export const readBy = (load: () => Promise<Reader>): Reader => ({
  read: async (...files) => (await load()).read(...files),
  survey: async (...files) => (await load()).survey(...files),
})

export interface SurveyedAccount {
  readonly id: string
  readonly name: string
  /** Null where the kind is unknown and `add` asks for it. */
  readonly kind: Pick<AccountKind, 'classification' | 'type'> | null
  /** What the owner has to check about it. */
  readonly doubt: string | null
}

/** `unknown`: why the kinds of some are unknown. */
export const surveyedAccounts = (accounts: readonly UsedAccount[], unknown: string): SurveyedAccount[] =>
  accounts.map(({ id, name, kind }) => ({
    ...{ id, name, kind },
    doubt: kind === null ? `kind unknown: ${unknown}` : null,
  }))

/** What is recorded of every file. */
export const recordOf = ({ file, scan: { bytes, sha256 }, look: { workbook, encoding } }: SourceFile) => ({
  ...{ file, bytes, sha256 },
  encoding: workbook === null ? encoding : 'xlsx',
})

/** An empty survey, for what a format does not state. */
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
