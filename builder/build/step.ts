/** What a build is asked for, what its steps hand on, and how one of them ends. */

import type { Books, BooksResult } from '../books/books.ts'
import type { AccountingRules } from '../books/post/accounting-rules.ts'
import type { Ingested } from '../ingest/ingest.ts'
import type { LockDate } from '../snapshot/closing/lock-date.ts'
import type { KeptSource } from '../snapshot/files/inputs.ts'
import type { Manifest, Restatement } from '../snapshot/files/manifest.ts'
import type { Snapshot } from '../snapshot/files/open.ts'
import type { Purpose } from '../system/worker-pool.ts'
import type { Cache } from '../workspace/cache.ts'
import type { Company } from '../workspace/company.ts'
import type { Finding } from '../workspace/findings/finding.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { type BuildOptions, type BuildResult, refusal } from './result.ts'
import type { SourceWatch } from './source-watch.ts'
import type { TableWatch } from './table-watch.ts'

/** What is to be built, and from which state. */
export interface Order {
  readonly workspace: Workspace
  readonly company: Company
  readonly options: BuildOptions
  /** Milliseconds since 1970. */
  readonly startedAt: number
  /** The snapshot that was current when the build began; null if there was none. */
  readonly currentSnapshot: Snapshot | null
  /** The folder in which the snapshots of the members of a group are found. */
  readonly members: string
  /** Watches the sources; it noted the state of company.yaml before that was read. */
  readonly watch: SourceWatch
  /** The lock date when the build began. */
  readonly lockDate: LockDate
  /**
   * Findings that are not about the sources: they are reported, but are not part of the manifest, which follows from
   * the sources alone.
   */
  readonly remarks?: readonly Finding[]
}

export interface Exports {
  readonly cache: Cache
  /** The folder of the company. */
  readonly folder: string
  /** Null where no table lies in a bucket. */
  readonly tables: TableWatch | null
  readonly intake: Ingested
  /** False if the sources could not be listed, so that none was watched; the findings say why. */
  readonly isWatched: boolean
  /** The ledger files, by the number by which postings refer to them. */
  readonly ledgerFiles: readonly string[]
}

/** Books that may be published, as far as was checked before statements are composed. */
export interface Checked {
  readonly rules: AccountingRules
  readonly books: Books
  readonly loaded: BooksResult
  readonly findings: readonly Finding[]
  readonly sources: readonly KeptSource[]
  /** The members of the manifest about sources and settings. */
  readonly reading: Pick<Manifest, 'Inputs' | 'Configuration'>
}

/** The result of a step, or the findings with which the build ends there. */
export type StepResult<T> =
  | { readonly value: T; readonly refused?: never }
  | { readonly refused: BuildResult }

export const refusedOf = (
  { company, startedAt }: Order,
  findings: readonly Finding[],
  restatement: Restatement | null = null,
): { readonly refused: BuildResult } => ({
  refused: refusal(company.id, startedAt, findings, restatement),
})

const BUILD: Purpose = {
  name: 'this build',
  remedy: 'Nothing was published; build with --workers 1',
}

const CHECK: Purpose = { name: 'this check', remedy: 'Check with --workers 1' }

export const purposeOf = ({ publish }: BuildOptions): Purpose => (publish ? BUILD : CHECK)
