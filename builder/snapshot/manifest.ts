/** What a snapshot says of itself: every file with its hash, every input with its control totals, every tie-out. */
import { bytesOf } from '../contract/bytes.ts'
import { entryLines } from '../contract/encode.ts'
import type { Finding } from '../workspace/finding.ts'
import type { Approver } from './approval.ts'
import { isHash, MANIFEST } from './layout.ts'
import { manifestSchema, pointerSchema } from './manifest-schema.ts'

/** The format that is written. 1 had no log format and compared closed months with the snapshot before, current or not. */
export const SNAPSHOT_FORMAT = 2
/** The formats that are read and verified, each by its own rules. */
export const FORMATS: readonly number[] = [1, SNAPSHOT_FORMAT]

export interface FileEntry {
  readonly Path: string
  readonly Bytes: number
  readonly Sha256: string
}

/** A source, or one sheet of a workbook. What an earlier version did not say is absent. */
export interface InputEntry {
  /** Relative to the company's folder, `path#Sheet` where several sheets were read: as the books name it. */
  readonly File: string
  readonly Sheet?: string | null
  readonly Role: string
  /** `csv`, `xlsx`, `yaml`, or the ledger format. */
  readonly Format?: string
  readonly Bytes: number
  readonly Sha256: string
  readonly Encoding: string
  readonly Delimiter?: string | null
  readonly RowsRead: number
  /** Rows that are no records; they are findings with their row and reason, and nothing is published while there are any. */
  readonly RowsRejected: number
  /** Control totals of a ledger file as decimal text in the company's currency; null for other files. */
  readonly Debit: string | null
  readonly Credit: string | null
  /**
   * How many of its rows are postings (the others are opening balances), and the sums of their amounts above and below zero,
   * as decimal text. They differ from `Debit` and `Credit` where openings are among the rows, or amounts with the sign of the
   * other side. Absent on other files, and before there was this.
   */
  readonly Postings?: number
  readonly PostedDebit?: string
  readonly PostedCredit?: string
  /** Control totals of budgets and metrics: how many values, and their sum as decimal text; null for other files. */
  readonly Values?: number | null
  readonly Total?: string | null
  /** What the sheet counts in, where that is not 1: all of its figures were multiplied by it. */
  readonly Scale?: number
  readonly FirstDate: string | null
  readonly LastDate: string | null
  /** Whether the file itself is kept in `inputs/`, under its hash. Manifests before there was this say nothing. */
  readonly Kept?: boolean
}

/** The file itself, where the entry is of one of its sheets. */
export const fileOf = ({ File, Sheet }: Pick<InputEntry, 'File' | 'Sheet'>): string =>
  Sheet != null && File.endsWith(`#${Sheet}`) ? File.slice(0, -`#${Sheet}`.length) : File

/** One identity on one combination, as `tie-outs.json` lists it. */
export interface ScopedTieOutEntry {
  readonly Identity: string
  readonly Statement: string
  readonly Basis: string
  readonly BudgetId: string | null
  readonly ClassId: string | null
  readonly DepartmentId: string | null
  readonly Checks: number
  readonly Left: string
  readonly Right: string
  readonly Difference: string
  readonly Result: 'pass'
}

/** One identity over all scopes it was checked on. Both sides are of the unfiltered scope in the last month. */
export interface TieOutEntry {
  readonly Identity: string
  readonly Statement: string
  readonly Basis: string
  readonly Scopes: number
  readonly Checks: number
  readonly Left: string
  readonly Right: string
  readonly LargestDifference: string
  readonly Result: 'pass'
}

/** A figure of a closed month that differs from the snapshot before. */
export interface RestatedFigure {
  readonly Statement: string
  readonly Basis: string | null
  readonly BudgetId: string | null
  readonly ClassId: string | null
  readonly DepartmentId: string | null
  readonly Id: string
  readonly Name: string
  readonly Total: boolean
  readonly Month: string
  /** Decimal text; `New` is null where none is stated any more. */
  readonly Old: string
  readonly New: string | null
}

/** Another name for what figures of closed months were published under. */
export interface RestatedLabel {
  readonly Kind: 'Account' | 'Budget' | 'Class' | 'Department' | 'Metric'
  readonly Id: string
  /** Of an account with its number, of a metric with its unit. */
  readonly Old: string
  readonly New: string
}

/** How much of closed months is stated differently than by another snapshot. */
export interface RestatementFacts {
  /** The snapshot that is restated. */
  readonly Since: string
  /** Months that end by it were closed, in that snapshot or in this one. */
  readonly LockDate: string
  /** Why nothing could be compared; only where it could not. */
  readonly Uncompared?: string
  readonly Figures: number
  readonly Documents: number
  /** Sums of an account, class and department on one day that differ. */
  readonly Days: number
  readonly Months: readonly string[]
  /** Closed months that are not covered any more. */
  readonly GoneMonths: readonly string[]
  /** Months that the log had closed and that the other one does not cover; only where there are any. */
  readonly NewMonths?: readonly string[]
}

/** Closed months that a snapshot states differently, and why; `restatement.json` has all of it. */
export interface Restatement extends RestatementFacts {
  /** As it was given; null only in a dry run and in a refusal. */
  readonly Reason: string | null
  /** Only where there are any. */
  readonly Labels?: readonly RestatedLabel[]
  /** The first of the figures, those of unfiltered statements before others. */
  readonly First: readonly RestatedFigure[]
}

export interface Manifest {
  readonly Format: number
  readonly CompanyId: string
  readonly SnapshotId: string
  readonly Month: string
  readonly Revision: number
  /** SHA-256 over the sorted `path sha256` lines of all documents: files but `books/` and `restatement.json`. */
  readonly ContentHash: string
  readonly Previous: Pointer | null
  /** The snapshot that was current, with which closed months were compared: another one than `Previous` after a rollback. Format 1 did not say. */
  readonly ComparedWith?: Pointer | null
  /** `Rules`: how many of the rules in builder/period-lock/rules.ts it was made under; earlier versions knew none. */
  readonly Tool: { readonly Name: string; readonly Version: string; readonly Rules?: number }
  readonly Currency: string
  readonly Coverage: { readonly StartDate: string; readonly EndDate: string }
  /** The lock date that held when it was published, as in books/frame.json. Format 1 has it only there and in info.json. */
  readonly LockedThrough?: string | null
  readonly Inputs: readonly InputEntry[]
  /** Settings that a snapshot depends on: company.yaml as it was understood, and what tieout.yaml says of snapshots. */
  readonly Configuration?: { readonly Sha256: string; readonly KeepInputs: boolean }
  readonly Totals: { readonly Postings: number; readonly Transactions: number; readonly Documents: number }
  readonly TieOuts: readonly TieOutEntry[]
  /** Figures that the sources state about themselves, all of which the books agree with; earlier versions did not count them. */
  readonly ControlsAgreed?: number
  readonly Warnings: readonly Finding[]
  /** Null where closed months are as the snapshot before states them; absent before there was a guard. */
  readonly Restatement?: Restatement | null
  readonly Files: readonly FileEntry[]
  /** The only part that differs between two builds of the same inputs. */
  readonly Build: {
    readonly At: string
    /** Format 1 named the computer; since 2 that stands in the log alone (`By`), which is not served. */
    readonly Host?: string
    readonly Node: string
    /** Fingerprint of the code and the packages that made it; earlier versions did not say. */
    readonly Program?: string
    readonly Seconds: number
    /** The last line of the publication log at that moment; null where there was none. */
    readonly LogSha256?: string | null
    /** The key of the signature beside the manifest; not there where it was published without one. */
    readonly KeyId?: string
    /** One of them had to approve it, and the line of the log beside the manifest says so; not there where nobody had to. */
    readonly Approvers?: readonly Approver[]
  }
}

/** The sources that a snapshot keeps in `inputs/`: several sheets of one workbook are one file. */
export function keptInputs({ Inputs }: Pick<Manifest, 'Inputs'>): { Sha256: string; Bytes: number }[] {
  // A copy may come from anybody: what is no hash names no file.
  const kept = (Array.isArray(Inputs) ? Inputs : []).filter(
    (input) => input?.Kept === true && isHash(input.Sha256),
  )
  return [...new Map(kept.map(({ Sha256, Bytes }) => [Sha256, { Sha256, Bytes }])).values()]
}

/** The snapshot whose closed months this one was held against; format 1 took the one before it for that. */
export const comparedWith = ({ Format, Previous, ComparedWith = null }: Manifest): Pointer | null =>
  Format === 1 ? Previous : ComparedWith

/** The files of a snapshot by path, in the order of its manifest. */
export const filesOf = ({ Files }: Pick<Manifest, 'Files'>): ReadonlyMap<string, FileEntry> =>
  new Map(Files.map((file) => [file.Path, file]))

/** `current.json`. */
export interface Pointer {
  readonly SnapshotId: string
  readonly ManifestSha256: string
}

/** The bytes of a manifest: keys in the order above, one file entry per line, so that `diff` and people can read it. */
export const encodeManifest = (manifest: Unpublished): Buffer => bytesOf(manifestTexts(manifest))

/** A manifest whose files are gone through one by one: there may be hundreds of thousands. */
export type Unpublished = Omit<Manifest, 'Files'> & { readonly Files: Iterable<FileEntry> }

function* manifestTexts(manifest: Unpublished): Generator<string> {
  let before = '{'
  for (const [key, value] of Object.entries(manifest)) {
    yield `${before}${JSON.stringify(key)}:`
    if (key === 'Files') yield* entryLines(manifest.Files)
    else yield memberText(value)
    before = ',\n'
  }
  yield '}\n'
}

function memberText(value: unknown): string {
  if (Array.isArray(value) && typeof value[0] === 'object') return [...entryLines(value)].join('')
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return JSON.stringify(value)
  return `{${Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([key, member]) => `${JSON.stringify(key)}:${memberText(member)}`)
    .join(',')}}`
}

/** A pointer that somebody else may have written: null where it is none. */
export function parsePointer(text: string): Pointer | null {
  try {
    return pointerSchema.safeParse(JSON.parse(text)).data ?? null
  } catch {
    return null
  }
}

/** {@link readManifest} where it is enough to know that it is none. */
export const parseManifest = (text: string): Manifest | null => readManifest(text).manifest

export type ReadManifest =
  | { readonly manifest: Manifest }
  | { readonly manifest: null; readonly kind: 'format' | 'manifest-unreadable'; readonly problem: string }

/** A manifest that somebody else may have written, or what is wrong with it: the first member that is not what it has to be. */
export function readManifest(text: string): ReadManifest {
  const unreadable = (what: string): ReadManifest => ({
    manifest: null,
    kind: 'manifest-unreadable',
    problem: `${MANIFEST} is not a manifest any more: ${what}`,
  })
  let found: unknown
  try {
    found = JSON.parse(text)
  } catch {
    return unreadable('it is no JSON')
  }
  const { Format } = (found ?? {}) as Partial<Manifest>
  if (typeof Format === 'number' && !FORMATS.includes(Format))
    return {
      manifest: null,
      kind: 'format',
      problem: `${MANIFEST} is of format ${Format}, which this version of Tieout does not know (it knows ${FORMATS.join(' and ')}): verify it with the version that made it, or a later one`,
    }
  const { error } = manifestSchema.safeParse(found)
  const [issue] = error?.issues ?? []
  // A manifest has a file for each document: what zod copies of it is not kept.
  if (!issue) return { manifest: found as Manifest }
  return unreadable(`${issue.path.join('.') || 'all of it'}: ${issue.message}`)
}

/** Why it was published although it restates closed months. */
export const reasonIn = ({ Restatement }: Pick<Manifest, 'Restatement'>): string | null =>
  Restatement?.Reason ?? null

/** The same on a line of the log that was written later than the snapshot was published. */
export const enteredReason = (manifest: Pick<Manifest, 'Restatement' | 'Build'>): string =>
  [reasonIn(manifest), `entered afterwards; built ${manifest.Build.At}`]
    .filter((text) => text !== null)
    .join('; ')
