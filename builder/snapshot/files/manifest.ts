/** Owns the manifest of a snapshot: every file with its hash, every input with its control totals, every tie-out. */
import { bytesOf } from '../../contract/bytes.ts'
import { entryLines } from '../../contract/encode.ts'
import { notJson, parseJson } from '../../contract/json.ts'
import type { Finding } from '../../workspace/findings/finding.ts'
import type { Approver } from '../approval/approval.ts'
import { isHash, MANIFEST } from './layout.ts'
import { manifestSchema, pointerSchema } from './manifest-schema.ts'

/**
 * The formats that can be read, each verified by its own rules. Format 1 had no log format and compared closed months with the previous
 * snapshot, current or not. Formats 3 and 4 have other rules of accounting than those before, which are still written for companies that keep theirs.
 */
const FORMATS: readonly number[] = [1, 2, 3, 4]

export interface FileEntry {
  readonly Path: string
  readonly Bytes: number
  readonly Sha256: string
}

/** A source file, or one sheet of a workbook. Members that an earlier version did not write are absent. */
export interface InputEntry {
  /** Path relative to the company's folder, with `#Sheet` if several sheets were read, as the books name it. */
  readonly File: string
  readonly Sheet?: string | null
  readonly Role: string
  /** `csv`, `xlsx`, `yaml`, or the ledger format. */
  readonly Format?: string
  readonly Bytes: number
  /** Null for an object of a bucket, which its engine read where it lies; `ETag` is there instead. */
  readonly Sha256: string | null
  /** What the store of the object called its state, before and after it was read. Absent for all others. */
  readonly ETag?: string
  /** The version of the object; absent where the bucket keeps none. */
  readonly VersionId?: string
  readonly Encoding: string
  readonly Delimiter?: string | null
  readonly RowsRead: number
  /** Rows that could not be read. They are findings, and nothing is published while there are any. */
  readonly RowsRejected: number
  /** Control totals of a ledger file as decimal text in the company's currency; null for other files. */
  readonly Debit: string | null
  readonly Credit: string | null
  /**
   * The number of rows that are postings (the others are opening balances), and the sums of their positive and negative
   * amounts as decimal text. The sums differ from `Debit` and `Credit` if some rows are openings, or have a negative debit
   * or credit. Absent on other files and in earlier versions.
   */
  readonly Postings?: number
  readonly PostedDebit?: string
  readonly PostedCredit?: string
  /** Of a program's own report: what it is, and the basis, class or department if it is of one alone. All its figures agree with the books. */
  readonly Report?: string
  /** How many figures it states. */
  readonly Figures?: number
  /** What the file states above and below its table, such as its title, period, basis, user and time. */
  readonly Stated?: readonly string[]
  /** Of a ledger whose format numbers its entries: the first and the last number of each series, as `A 1 to 120`. */
  readonly Numbers?: readonly string[]
  /** Control totals of budgets and metrics: the number of values, and their sum as decimal text. Null for other files. */
  readonly Values?: number | null
  readonly Total?: string | null
  /** The unit of the sheet if it is not 1: all its figures were multiplied by it. */
  readonly Scale?: number
  readonly FirstDate: string | null
  readonly LastDate: string | null
  /** Whether the file itself is kept in `inputs/` under its hash. Absent in earlier versions. */
  readonly Kept?: boolean
}

/** The file of an entry, without the name of the sheet. */
export const fileOf = ({ File, Sheet }: Pick<InputEntry, 'File' | 'Sheet'>): string =>
  Sheet != null && File.endsWith(`#${Sheet}`) ? File.slice(0, -`#${Sheet}`.length) : File

/** One identity over all filters on which it was checked. `Left` and `Right` are those of the last month without filters. */
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

/** A figure of a closed month that differs from the snapshot that is restated. */
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
  /** Decimal text. `New` is null if the figure is no longer stated. */
  readonly Old: string
  readonly New: string | null
}

/** A changed name under which figures of closed months were published. */
export interface RestatedLabel {
  readonly Kind: 'Account' | 'Budget' | 'Class' | 'Department' | 'Metric'
  readonly Id: string
  /** The name; for an account with its number, for a metric with its unit. */
  readonly Old: string
  readonly New: string
}

/** How much of closed months differs from another snapshot. */
export interface RestatementFacts {
  /** The snapshot that is restated. */
  readonly Since: string
  /** Months that end on or before this day were closed in one of the two snapshots. */
  readonly LockDate: string
  /** Why nothing could be compared; absent if it could. */
  readonly Uncompared?: string
  readonly Figures: number
  readonly Documents: number
  /** The number of differing daily sums of an account, class and department. */
  readonly Days: number
  readonly Months: readonly string[]
  /** Closed months that are no longer covered. */
  readonly GoneMonths: readonly string[]
  /** Months that the log had closed but the other snapshot does not cover; absent if there are none. */
  readonly NewMonths?: readonly string[]
}

/** The closed months that a snapshot restates, and why. `restatement.json` has all figures. */
export interface Restatement extends RestatementFacts {
  /** The reason that a person gave; null only in a dry run and in a refusal. */
  readonly Reason: string | null
  /** Changed names; absent if there are none. */
  readonly Labels?: readonly RestatedLabel[]
  /** The first of the figures; those of unfiltered statements come first. */
  readonly First: readonly RestatedFigure[]
}

export interface Manifest {
  readonly Format: number
  readonly CompanyId: string
  readonly SnapshotId: string
  readonly Month: string
  readonly Revision: number
  /** SHA-256 over the sorted `path sha256` lines of all documents: all files except `books/`, `report/` and `restatement.json`. */
  readonly ContentHash: string
  readonly Previous: Pointer | null
  /** The snapshot that was current at the build, with which closed months were compared. After a rollback it is not `Previous`. Absent in format 1. */
  readonly ComparedWith?: Pointer | null
  /** `Rules` is the number of rules in builder/snapshot/closing/rules.ts under which it was made; absent in earlier versions. */
  readonly Tool: { readonly Name: string; readonly Version: string; readonly Rules?: number }
  readonly Currency: string
  readonly Coverage: { readonly StartDate: string; readonly EndDate: string }
  /** The lock date at publication, as in books/frame.json. Format 1 has it only there and in info.json. */
  readonly LockedThrough?: string | null
  readonly Inputs: readonly InputEntry[]
  /** Settings on which the snapshot depends: hash of company.yaml as it was understood, and the setting `keepInputs` of tieout.yaml. */
  readonly Configuration?: { readonly Sha256: string; readonly KeepInputs: boolean }
  readonly Totals: { readonly Postings: number; readonly Transactions: number; readonly Documents: number }
  readonly TieOuts: readonly TieOutEntry[]
  /** The number of control figures in the sources, with which all books agree; absent in earlier versions. */
  readonly ControlsAgreed?: number
  readonly Warnings: readonly Finding[]
  /** Null if no closed month is restated; absent in versions without the guard of closed months. */
  readonly Restatement?: Restatement | null
  readonly Files: readonly FileEntry[]
  /** The only part that differs between two builds of the same inputs. */
  readonly Build: {
    readonly At: string
    /** Only in format 1: the name of the computer. In format 2 only the log has it (`By`), which is not served. */
    readonly Host?: string
    readonly Node: string
    /** Fingerprint of the code and packages that made it; absent in earlier versions. */
    readonly Program?: string
    readonly Seconds: number
    /** SHA-256 of the last line of the log at the build; null if the log was empty. */
    readonly LogSha256?: string | null
    /** Id of the key that signed the manifest; absent if it is unsigned. */
    readonly KeyId?: string
    /** One of these had to approve it; the approval lies beside the manifest. Absent if no approval was required. */
    readonly Approvers?: readonly Approver[]
  }
}

/** A source that a snapshot keeps. `File` is the name of its first sheet if it is a workbook with several. */
type KeptInput = Pick<InputEntry, 'File' | 'Bytes'> & { readonly Sha256: string }

/** The sources that a snapshot keeps in `inputs/`. Several sheets of one workbook are one file. */
export function keptInputs({ Inputs }: Pick<Manifest, 'Inputs'>): KeptInput[] {
  // A copied manifest may come from anybody, so a value that is not a hash must not become a path.
  const kept = (Array.isArray(Inputs) ? Inputs : []).filter(
    (input) => input?.Kept === true && isHash(input.Sha256),
  )
  const files = new Map<string, KeptInput>()
  for (const { File, Sha256, Bytes } of kept)
    if (Sha256 !== null && !files.has(Sha256)) files.set(Sha256, { File, Sha256, Bytes })
  return [...files.values()]
}

/** The snapshot with which closed months were compared. In format 1 that was always the previous one. */
export const comparedWith = ({ Format, Previous, ComparedWith = null }: Manifest): Pointer | null =>
  Format === 1 ? Previous : ComparedWith

/** The files of a snapshot by path, in the order of its manifest. */
export const filesOf = ({ Files }: Pick<Manifest, 'Files'>): ReadonlyMap<string, FileEntry> =>
  new Map(Files.map((file) => [file.Path, file]))

/** Names a snapshot and its manifest, as in `current.json`. */
export interface Pointer {
  readonly SnapshotId: string
  readonly ManifestSha256: string
}

/** The bytes of a manifest: keys in the order above, one file entry per line, so that people and `diff` can read it. */
export const encodeManifest = (manifest: Unpublished): Buffer => bytesOf(manifestTexts(manifest))

/** A manifest whose files are read one by one, because there may be hundreds of thousands. */
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

/** Parses an untrusted pointer; null if the text is not one. */
export function parsePointer(text: string): Pointer | null {
  try {
    return pointerSchema.safeParse(parseJson(text)).data ?? null
  } catch {
    return null
  }
}

/** Parses an untrusted manifest; null if the text is not one. {@link readManifest} also says why. */
export const parseManifest = (text: string): Manifest | null => readManifest(text).manifest

type ReadManifest =
  | { readonly manifest: Manifest }
  | { readonly manifest: null; readonly kind: 'format' | 'manifest-unreadable'; readonly problem: string }

/** Parses an untrusted manifest. `problem` names the first member that is not valid. */
export function readManifest(text: string): ReadManifest {
  const unreadable = (what: string): ReadManifest => ({
    manifest: null,
    kind: 'manifest-unreadable',
    problem: `${MANIFEST} is not a manifest any more: ${what}`,
  })
  let found: unknown
  try {
    found = parseJson(text)
  } catch (problem) {
    return unreadable(`it ${notJson(problem)}`)
  }
  const { Format, Cut } = (found ?? {}) as Partial<Manifest> & { readonly Cut?: unknown }
  if (Cut !== undefined)
    return unreadable('it is what a server sends to whoever may not read the ledger, and lacks texts')
  if (typeof Format === 'number' && !FORMATS.includes(Format))
    return {
      manifest: null,
      kind: 'format',
      problem: `${MANIFEST} is of format ${Format}, which this version of Tieout does not know (it knows ${FORMATS.join(', ')}): verify it with the version that made it, or a later one`,
    }
  const { error } = manifestSchema.safeParse(found)
  const [issue] = error?.issues ?? []
  // The copy that zod makes is dropped, because a manifest may list hundreds of thousands of files.
  if (!issue) return { manifest: found as Manifest }
  return unreadable(`${issue.path.join('.') || 'all of it'}: ${issue.message}`)
}

/** The reason for which closed months were restated; null if none was. */
export const reasonIn = ({ Restatement }: Pick<Manifest, 'Restatement'>): string | null =>
  Restatement?.Reason ?? null

/** The reason on a line of the log that was entered after an interrupted publication. */
export const enteredReason = (manifest: Pick<Manifest, 'Restatement' | 'Build'>): string =>
  [reasonIn(manifest), `entered afterwards; built ${manifest.Build.At}`]
    .filter((text) => text !== null)
    .join('; ')
