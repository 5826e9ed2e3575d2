/**
 * What is proven of one snapshot whose files are known: its figures from its books, its closed months from the snapshot that
 * they were compared with, and where asked for all of it from its sources. Needs nothing but these folders, so that
 * several can be proven beside each other.
 */
import { join } from 'node:path'
import { type DatabaseOptions, shareOf } from '../books/database.ts'
import { BOOK_FILES } from '../books/store.ts'
import type { Damage } from '../snapshot/damage.ts'
import { bookPath, MANIFEST } from '../snapshot/layout.ts'
import { readFile } from '../workspace/plain-file.ts'
import type { Maker } from './reading.ts'
import { type Recomputed, recompute, type SoundSnapshot, unlistedBooks } from './recompute.ts'
import { type Comparison, checkRestatement } from './restatement-check.ts'
import { checkSources } from './source-check.ts'

/** Plain data: it may go to another process. */
export interface ProofRequest {
  readonly snapshot: SoundSnapshot
  readonly maker: Maker
  /** With what its closed months were compared; null where that is not here, or there was nothing. */
  readonly compared: Comparison | null
  readonly sources: boolean
  /** How many processes share the machine; 1 unless said. */
  readonly share?: number
  /** What the log had closed when it was published; undefined where there is no log that says so. */
  readonly closedThrough: string | null | undefined
}

export interface Proven {
  /** Null where the figures were not computed again: the books are damaged. */
  readonly recomputed: { readonly documents: number; readonly comparisons: number } | null
  readonly damages: readonly Damage[]
  readonly readings: readonly Damage[]
  /** What was asked for and cannot be proven either way, and why. */
  readonly unproven: readonly string[]
  readonly notes: readonly string[]
}

/** How many class filters of a snapshot are computed again. */
export type ProofProgress = (done: number, total: number) => void

export async function prove(request: ProofRequest, progress: ProofProgress = () => {}): Promise<Proven> {
  const { snapshot, maker, compared, sources, closedThrough } = request
  const machine = shareOf(request.share ?? 1)
  const again = await figures(snapshot, maker, machine, progress)
  const restated = compared && (await checkRestatement(snapshot, maker, compared))
  const isSound = snapshot.damages.length === 0 && unlistedBooks(snapshot.manifest).length === 0
  const made = sources && isSound ? await checkSources(snapshot, maker, closedThrough, machine) : null
  return {
    recomputed: again && { documents: again.documents, comparisons: again.comparisons },
    damages: [...(again?.damages ?? []), ...(restated?.damages ?? []), ...(made?.damages ?? [])],
    readings: [...(again?.readings ?? []), ...(restated?.readings ?? []), ...(made?.readings ?? [])],
    unproven: made?.unproven ? [made.unproven] : [],
    notes: [...(again?.notes ?? []), ...(restated?.notes ?? []), ...(made?.notes ?? [])],
  }
}

/** Nothing is computed from books that are not the published ones; documents found damaged are not named twice. */
async function figures(
  snapshot: SoundSnapshot,
  maker: Maker,
  machine: DatabaseOptions,
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
    machine,
    (path) => (damaged.has(path) ? Promise.resolve('') : readFile(join(snapshot.folder, path), 'utf8')),
    progress,
  )
  const isNew = ({ path }: Damage) => path === null || path === MANIFEST || !damaged.has(path)
  return { ...again, damages: again.damages.filter(isNew), readings: again.readings.filter(isNew) }
}

/** Without books no figure can be proven: who forges figures would leave them out. */
const unlisted = (snapshotId: string, paths: readonly string[]): Damage => ({
  kind: 'books',
  snapshotId,
  path: MANIFEST,
  message: `${MANIFEST} does not list ${paths.join(', ')}: its figures cannot be proven`,
})
