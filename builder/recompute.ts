/**
 * The independent pass over a published snapshot: its books are read from Parquet, every document is made from them
 * anew, every identity checked anew, and the outcome held against what was published, byte for byte.
 */
import { join } from 'node:path'
import type { Books } from './books/books.ts'
import { createOpenings } from './books/openings.ts'
import { BOOK_FILES, readBooks } from './books/store.ts'
import { type Change, changesBetween } from './changes.ts'
import { wholeOf } from './contract/bytes.ts'
import { type Composed, writeDocuments } from './documents.ts'
import type { Damage, DamageKind } from './snapshot/damage.ts'
import type { CheckedSnapshot } from './snapshot/files.ts'
import { BOOKS, bookPath, isDocument, MANIFEST } from './snapshot/layout.ts'
import type { Manifest, TieOutEntry } from './snapshot/manifest.ts'
import { sha256 } from './snapshot/open.ts'
import { VERSION } from './version.ts'
import { hasErrors } from './workspace/finding.ts'

export interface Recomputed {
  /** How many documents the books gave, and how many comparisons of both sides of an identity there were. */
  readonly documents: number
  readonly comparisons: number
  readonly damages: readonly Damage[]
  /** What another version of this program words differently, without any figure being another. */
  readonly notes: readonly string[]
}

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
  read: Read,
  progress?: Composed,
): Promise<Recomputed> {
  const nothing = (what: string, problem: unknown): Recomputed => ({
    documents: 0,
    comparisons: 0,
    damages: [damage(snapshot, 'books', BOOKS, `${what}: ${(problem as Error).message.split('\n')[0]}`)],
    notes: [],
  })
  let books: Books
  try {
    books = await readBooks(join(snapshot.folder, BOOKS))
  } catch (problem) {
    return nothing('the books cannot be read', problem)
  }
  try {
    await createOpenings(books.db, books.openings)
    return await compare(snapshot, books, read, progress)
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
  const made = await writeDocuments(
    books,
    (path, document, hash) => {
      const content = wholeOf(document)
      computed.add(path)
      if (published.get(path) !== (hash ?? sha256(content)))
        differing.push({ path, content: content.toString() })
    },
    progress ? { progress } : {},
  )
  const damages = made.findings.map(({ message }) => damage(snapshot, 'tie-out', BOOKS, message))
  const { LockedThrough = books.frame.lockedThrough } = manifest
  if (LockedThrough !== books.frame.lockedThrough)
    damages.push(
      damage(
        snapshot,
        'books',
        MANIFEST,
        `${MANIFEST} says that the books were closed through ${LockedThrough ?? 'no day'}, the books say through ${books.frame.lockedThrough ?? 'no day'}`,
      ),
    )
  const notes: Note[] = []
  const sameVersion = manifest.Tool.Version === VERSION
  for (const { path, content } of differing) {
    const found = published.has(path)
      ? differenceOf(path, changesBetween(await read(path), content))
      : { figures: true, text: `the books give ${path}, which was not published` }
    if (sameVersion || found.figures) damages.push(damage(snapshot, 'figures', path, found.text))
    else notes.push({ kind: 'wording', text: found.text, name: path })
  }
  // What does not tie out ends the computation early: then nothing can be said of the rest.
  if (!hasErrors(made.findings)) {
    for (const path of published.keys())
      if (!computed.has(path))
        damages.push(damage(snapshot, 'figures', path, `${path} was published, but the books do not give it`))
    for (const { name, text } of tieOutDifferences(manifest.TieOuts, made.tieOuts))
      if (sameVersion) damages.push(damage(snapshot, 'tie-out', MANIFEST, text))
      else notes.push({ kind: 'outcome', text, name })
  }
  const told = counted(notes).map((text) => `${snapshot.id}: ${text}`)
  if (told.length > 0)
    told.unshift(`${snapshot.id} was made by version ${manifest.Tool.Version}, this is version ${VERSION}`)
  return {
    documents: computed.size,
    comparisons: made.tieOuts.reduce((sum, { Checks }) => sum + Checks, 0),
    damages,
    notes: told,
  }
}

/** What another version words differently. */
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
function differenceOf(path: string, changes: Change[] | null): { figures: boolean; text: string } {
  const [first] = changes ?? []
  if (!first) return { figures: false, text: `${path} is not worded as the books give it; no figure differs` }
  const more = changes!.length === 1 ? '' : `, and ${changes!.length - 1} more`
  return {
    figures: true,
    text: `${path} is not what the books give: ${first.name} in ${first.month} is published as ${first.before ?? 'nothing'}, the books give ${first.now ?? 'nothing'}${more}`,
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
