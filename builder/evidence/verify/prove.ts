/**
 * Proves one snapshot whose files were checked: recomputes its figures from its books, compares its closed
 * months with the snapshot before and, if asked for, rebuilds it from its sources. Needs these folders only,
 * so that several snapshots can be proven in parallel.
 */
import { join } from 'node:path'
import { BOOK_FILES } from '../../books/store/store.ts'
import type { Damage, DamageKind } from '../../snapshot/files/damage.ts'
import { bookPath, MANIFEST } from '../../snapshot/files/layout.ts'
import type { Sharing } from '../../system/machine.ts'
import { readFile } from '../../system/plain-file.ts'
import { checkReportPages } from './page-check.ts'
import type { Maker } from './reading.ts'
import { type Recomputed, recompute, type SoundSnapshot, unlistedBooks } from './recompute.ts'
import { type ComparedSnapshot, checkRestatement } from './restatement-check.ts'
import type { SourcesChecked } from './source-check.ts'

/** Holds plain data only, so that it can be sent to another process. */
export interface ProofRequest extends Sharing {
  readonly snapshot: SoundSnapshot
  readonly maker: Maker
  /** What its closed months are compared with; null where that snapshot is not here or none was compared. */
  readonly compared: ComparedSnapshot | null
  readonly sources: boolean
  /**
   * The day through which the log had closed the books when it was published (null: none); undefined where no
   * log says so.
   */
  readonly closedThrough: string | null | undefined
}

export interface Proven {
  /** Null where the figures were not recomputed, because the books are damaged. */
  readonly recomputed: { readonly documents: number; readonly comparisons: number } | null
  readonly damages: readonly Damage[]
  readonly readings: readonly Damage[]
  /** What was asked for and can be neither confirmed nor refuted, and why. */
  readonly unproven: readonly string[]
  readonly notes: readonly string[]
}

/** Called with the number of class filters recomputed so far and their total. */
export type ProofProgress = (done: number, total: number) => void

/**
 * Proves one snapshot. Every difference is returned as damage, or as the reading of another program; nothing
 * is thrown for it.
 */
export async function prove(request: ProofRequest, progress: ProofProgress = () => {}): Promise<Proven> {
  const { snapshot, maker, compared, sources } = request
  const again = await figures(snapshot, maker, request, progress)
  const restated = compared && (await checkRestatement(snapshot, maker, compared))
  const isSound = snapshot.damages.length === 0 && unlistedBooks(snapshot.manifest).length === 0
  // Pages are checked only where the documents are as published and follow from the books; otherwise the damages of the
  // documents say more.
  const areAsListed = snapshot.damages.every(({ kind }) => ABOUT_SIGNERS.has(kind))
  const pages = areAsListed && again?.damages.length === 0 ? await checkReportPages(snapshot, maker) : null
  const made = sources && isSound ? await builtAgain(request) : null
  return {
    recomputed: again && { documents: again.documents, comparisons: again.comparisons },
    damages: [
      ...(again?.damages ?? []),
      ...(pages?.damages ?? []),
      ...(restated?.damages ?? []),
      ...(made?.damages ?? []),
    ],
    readings: [
      ...(again?.readings ?? []),
      ...(pages?.readings ?? []),
      ...(restated?.readings ?? []),
      ...(made?.readings ?? []),
    ],
    unproven: [...(pages?.unproven ?? []), ...(made?.unproven ? [made.unproven] : [])],
    notes: [
      ...(again?.notes ?? []),
      ...(pages?.notes ?? []),
      ...(restated?.notes ?? []),
      ...(made?.notes ?? []),
    ],
  }
}

/** Damages that leave the files as the manifest lists them, such as of a snapshot that waits for its approval. */
const ABOUT_SIGNERS: ReadonlySet<DamageKind> = new Set<DamageKind>([
  'signature',
  'signature-missing',
  'unsigned',
  'foreign-key',
  'ended-key',
  'unapproved',
])

/** Loads what reads exports, which only this check needs. */
async function builtAgain(request: ProofRequest): Promise<SourcesChecked> {
  const { checkSources } = await import('./source-check.ts')
  return checkSources(request.snapshot, request.maker, request.closedThrough, request)
}

/**
 * Recomputes the figures. Damaged books are not computed from, and damaged documents are not reported a
 * second time.
 */
async function figures(
  snapshot: SoundSnapshot,
  maker: Maker,
  sharing: Sharing,
  progress: ProofProgress,
): Promise<Recomputed | null> {
  const damaged = new Set(snapshot.damages.map(({ path }) => path))
  const books = BOOK_FILES.map(bookPath)
  const absent = unlistedBooks(snapshot.manifest)
  if (absent.length > 0)
    return { documents: 0, comparisons: 0, damages: [unlisted(snapshot.id, absent)], readings: [], notes: [] }
  if (books.some((path) => damaged.has(path))) return null
  const again = await recompute(
    snapshot,
    maker,
    sharing,
    (path) => (damaged.has(path) ? Promise.resolve('') : readFile(join(snapshot.folder, path), 'utf8')),
    progress,
  )
  const isNew = ({ path }: Damage) => path === null || path === MANIFEST || !damaged.has(path)
  return { ...again, damages: again.damages.filter(isNew), readings: again.readings.filter(isNew) }
}

/** Without books no figure can be proven, so a forger of figures would leave them out. */
const unlisted = (snapshotId: string, paths: readonly string[]): Damage => ({
  kind: 'books',
  snapshotId,
  path: MANIFEST,
  message: `${MANIFEST} does not list ${paths.join(', ')}: its figures cannot be proven`,
})
