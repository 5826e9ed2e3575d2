/**
 * The independent pass over a published snapshot: its books are read from Parquet, every document is made from them
 * anew, every identity checked anew, and the outcome held against what was published, byte for byte.
 */
import { join } from 'node:path'
import type { Books } from '../books/books.ts'
import type { Database, DatabaseOptions } from '../books/database.ts'
import { totalsByFile } from '../books/file-totals.ts'
import type { Frame } from '../books/frame.ts'
import { createOpenings } from '../books/openings.ts'
import { BOOK_FILES, readBooks } from '../books/store.ts'
import { type Composed, writeDocuments } from '../build/documents.ts'
import { ComposedBefore } from '../build/statement-reuse.ts'
import { wholeOf } from '../contract/bytes.ts'
import { type Change, changesBetween } from '../contract/document-changes.ts'
import type { Damage, DamageKind } from '../snapshot/damage.ts'
import type { CheckedSnapshot } from '../snapshot/files.ts'
import { BOOKS, bookPath, isDocument, MANIFEST } from '../snapshot/layout.ts'
import type { FileEntry, Manifest, TieOutEntry } from '../snapshot/manifest.ts'
import { hasErrors } from '../workspace/finding.ts'
import { sha256 } from '../workspace/hash.ts'
import { thisProgram } from '../workspace/version.ts'
import { inputProblems, postingsRead } from './input-totals.ts'
import { Differences, type Maker, programName } from './reading.ts'
import { Recent } from './recent.ts'
import { countedOtherwise, statedOtherwise } from './stated.ts'

export interface Recomputed {
  /** How many documents the books gave, and how many comparisons of both sides of an identity there were. */
  readonly documents: number
  readonly comparisons: number
  readonly damages: readonly Damage[]
  /** Figures that another program made otherwise of the same books. */
  readonly readings: readonly Damage[]
  /** What another program words differently, without any figure being another. */
  readonly notes: readonly string[]
}

/** Of the snapshots that this process computed before. */
const RECENT = new Recent()

export type SoundSnapshot = CheckedSnapshot & { readonly manifest: Manifest }
/** The published text of a document. */
export type Read = (path: string) => Promise<string>

/** The files of the books that a manifest does not list: without them none of its figures can be proven. */
export function unlistedBooks({ Files }: Pick<Manifest, 'Files'>): string[] {
  const listed = new Set(Files.map(({ Path }) => Path))
  return BOOK_FILES.map(bookPath).filter((path) => !listed.has(path))
}

/** Needs the snapshot's books and manifest to be sound. */
export async function recompute(
  snapshot: SoundSnapshot,
  maker: Maker,
  machine: DatabaseOptions,
  read: Read,
  progress?: Composed,
): Promise<Recomputed> {
  const nothing = (what: string, problem: unknown): Recomputed => ({
    documents: 0,
    comparisons: 0,
    damages: [damage(snapshot, 'books', BOOKS, `${what}: ${(problem as Error).message.split('\n')[0]}`)],
    readings: [],
    notes: [],
  })
  let books: Books
  const folder = join(snapshot.folder, BOOKS)
  const ofInputs: Damage[] = []
  const holdInputs = async (db: Database, frame: Frame) => {
    const totals = await totalsByFile(db, folder, frame, postingsRead(snapshot.manifest))
    for (const { path, message } of inputProblems(snapshot.manifest, totals))
      ofInputs.push(damage(snapshot, 'inputs', path, message))
    for (const message of countedOtherwise(snapshot.manifest, totals.counts))
      ofInputs.push(damage(snapshot, 'books', MANIFEST, message))
  }
  try {
    books = await readBooks(folder, machine, holdInputs)
  } catch (problem) {
    return nothing('the books cannot be read', problem)
  }
  try {
    await createOpenings(books.db, books.openings)
    const found = await compare(snapshot, maker, books, read, progress)
    return { ...found, damages: [...ofInputs, ...found.damages] }
  } catch (problem) {
    // Books that were forged together with their manifest can hold anything.
    return nothing('nothing can be computed from the books', problem)
  } finally {
    books.db.close()
  }
}

const damage = ({ id }: SoundSnapshot, kind: DamageKind, path: string, message: string): Damage => ({
  kind,
  snapshotId: id,
  path,
  message,
})

async function compare(
  snapshot: SoundSnapshot,
  maker: Maker,
  books: Books,
  read: Read,
  progress?: Composed,
): Promise<Recomputed> {
  const { manifest } = snapshot
  const published = new Map(
    manifest.Files.filter(({ Path }) => isDocument(Path)).map((file) => [file.Path, file.Sha256]),
  )
  const computed = new Set<string>()
  const differing: { path: string; content: string }[] = []
  // What was computed of the same sums for another snapshot is the same here; what differs is computed, to say how.
  const asPublished = (files: readonly FileEntry[]): boolean => {
    if (files.some(({ Path, Sha256 }) => published.get(Path) !== Sha256)) return false
    for (const { Path } of files) computed.add(Path)
    return true
  }
  RECENT.next()
  const made = await writeDocuments(
    books,
    (path, document, hash) => {
      const content = wholeOf(document)
      computed.add(path)
      if (published.get(path) !== (hash ?? sha256(content)))
        differing.push({ path, content: content.toString() })
    },
    { before: new ComposedBefore(RECENT, asPublished), ...(progress ? { progress } : {}) },
  )
  const differences = new Differences(maker)
  const differs = (kind: DamageKind, path: string, text: string) =>
    differences.add(damage(snapshot, kind, path, text))
  for (const { message } of made.findings) differs('tie-out', BOOKS, message)
  // Both were written by one program: no reading makes them differ.
  const damages = statedOtherwise(manifest, books.frame, published.size).map((message) =>
    damage(snapshot, 'books', MANIFEST, message),
  )
  const notes: Note[] = []
  const mayBeWorded = maker === 'another program'
  for (const { path, content } of differing) {
    const found = published.has(path)
      ? differenceOf(path, changesBetween(await read(path), content))
      : { figures: true, text: `the books give ${path}, which was not published` }
    if (mayBeWorded && !found.figures) notes.push({ kind: 'wording', text: found.text, name: path })
    else differs('figures', path, found.text)
  }
  // What does not tie out ends the computation early: then nothing can be said of the rest.
  if (!hasErrors(made.findings)) {
    for (const path of published.keys())
      if (!computed.has(path)) differs('figures', path, `${path} was published, but the books do not give it`)
    for (const { name, text } of tieOutDifferences(manifest.TieOuts, made.tieOuts))
      if (mayBeWorded) notes.push({ kind: 'outcome', text, name })
      else differs('tie-out', MANIFEST, text)
  }
  const told = counted(notes).map((text) => `${snapshot.id}: ${text}`)
  if (told.length > 0)
    told.unshift(`${snapshot.id} was made by ${programName(manifest)}; this is ${thisProgram()}`)
  return {
    documents: computed.size,
    comparisons: made.tieOuts.reduce((sum, { Checks }) => sum + Checks, 0),
    damages: [...damages, ...differences.damages],
    readings: differences.readings,
    notes: told,
  }
}

/** What another program words differently. */
interface Note {
  readonly kind: keyof typeof SEVERAL
  readonly text: string
  /** Which one it is. */
  readonly name: string
}

const SEVERAL = {
  wording: 'documents are not worded as the books give them, and no figure differs',
  outcome: 'outcomes of tie-outs are stated otherwise than the books give them',
} as const

/** Of one kind: how many there are, and one of them. */
const counted = (notes: readonly Note[]): string[] =>
  (['wording', 'outcome'] as const).flatMap((kind) => {
    const [first, ...others] = notes.filter((note) => note.kind === kind)
    if (first === undefined) return []
    return others.length === 0
      ? [first.text]
      : [`${others.length + 1} ${SEVERAL[kind]}; one of them: ${first.name}`]
  })

/** The first figure that differs, and how many more do. */
export function differenceOf(
  path: string,
  changes: Change[] | null,
  from = 'the books',
): { figures: boolean; text: string } {
  const [first] = changes ?? []
  if (!first) return { figures: false, text: `${path} is not worded as ${from} give it; no figure differs` }
  const more = changes!.length === 1 ? '' : `, and ${changes!.length - 1} more`
  return {
    figures: true,
    text: `${path} is not what ${from} give: ${first.name} in ${first.month} is published as ${first.before ?? 'nothing'}, ${from} give ${first.now ?? 'nothing'}${more}`,
  }
}

/** The manifest repeats what tie-outs.json says; it must not say anything else. */
function tieOutDifferences(
  stated: readonly TieOutEntry[],
  found: readonly TieOutEntry[],
): { name: string; text: string }[] {
  const key = ({ Identity, Statement, Basis }: TieOutEntry) => `"${Identity}" on ${Statement}, ${Basis}`
  const texts = (entries: readonly TieOutEntry[]) =>
    new Map(entries.map((entry) => [key(entry), JSON.stringify(entry)]))
  const [before, now] = [texts(stated), texts(found)]
  return [...new Set([...before.keys(), ...now.keys()])]
    .filter((name) => before.get(name) !== now.get(name))
    .map((name) => ({ name, text: `the manifest states another outcome of ${name} than the books give` }))
}
