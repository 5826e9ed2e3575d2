/**
 * Recomputes a published snapshot independently: reads its books from Parquet, makes every document and
 * checks every identity again, and compares the result with what was published, byte for byte.
 */

import { join } from 'node:path'
import type { Books } from '../../books/books.ts'
import { cashDifferences } from '../../books/cash-basis/published.ts'
import { differingMoves } from '../../books/cash-flow/by-entry.ts'
import { rulesOfFormat } from '../../books/post/accounting-rules.ts'
import { createOpenings } from '../../books/post/openings.ts'
import {
  type BooksTotals,
  strayBookings,
  strayDivisions,
  totalsByFile,
} from '../../books/read/file-totals.ts'
import type { Frame } from '../../books/reference/frame.ts'
import { unknownReferences } from '../../books/store/references.ts'
import { bookTables, shapeProblems } from '../../books/store/shape.ts'
import { falseStatistics } from '../../books/store/statistics.ts'
import { BOOK_FILES, readBooks } from '../../books/store/store.ts'
import { DocumentWorkers } from '../../build/document-workers.ts'
import { type Composed, writeDocuments } from '../../build/documents.ts'
import { wholeOf } from '../../contract/bytes.ts'
import { type Database, databaseFor } from '../../database/database.ts'
import type { Damage, DamageKind } from '../../snapshot/files/damage.ts'
import type { CheckedSnapshot } from '../../snapshot/files/files.ts'
import { BOOKS, bookPath, isDocument, MANIFEST } from '../../snapshot/files/layout.ts'
import type { FileEntry, Manifest, TieOutEntry } from '../../snapshot/files/manifest.ts'
import { unknownMembers } from '../../snapshot/files/manifest-schema.ts'
import { sha256 } from '../../system/hash.ts'
import type { Sharing } from '../../system/machine.ts'
import { isOfMachine } from '../../system/refusals.ts'
import { thisProgram } from '../../system/version.ts'
import type { Purpose } from '../../system/worker-pool.ts'
import { hasErrors } from '../../workspace/findings/finding.ts'
import { differenceOf } from './document-difference.ts'
import { inputContradictions, inputProblems, mayHaveOpeningLines, postingsRead } from './input-totals.ts'
import { Differences, type Maker, programName } from './reading.ts'
import { isLaterThan, programProblems, releaseOf } from './releases.ts'
export interface Recomputed {
  /** How many documents the books gave, and how many times both sides of an identity were compared. */
  readonly documents: number
  readonly comparisons: number
  readonly damages: readonly Damage[]
  /** Figures that differ because another program made them from the same books. */
  readonly readings: readonly Damage[]
  /** Differences in wording only, made by another program; no figure differs. */
  readonly notes: readonly string[]
}

export type SoundSnapshot = CheckedSnapshot & { readonly manifest: Manifest }
/** Reads the published text of a document; `path` is relative to the snapshot. */
type Read = (path: string) => Promise<string>

/**
 * Lists the files of the books that the manifest does not list. Without them none of its figures can be
 * proven.
 */
export function unlistedBooks({ Files }: Pick<Manifest, 'Files'>): string[] {
  const listed = new Set(Files.map(({ Path }) => Path))
  return BOOK_FILES.map(bookPath).filter((path) => !listed.has(path))
}

/** Names the verification in messages about threads that ended. */
export const VERIFICATION: Purpose = {
  name: 'this verification',
  remedy: 'Nothing can be said of the figures; verify with --workers 1',
}

/**
 * Recomputes a snapshot whose books and manifest were found sound. Damage is returned, not thrown; a thread that ends is no damage,
 * and thrown.
 */
export async function recompute(
  snapshot: SoundSnapshot,
  maker: Maker,
  sharing: Sharing,
  read: Read,
  progress?: Composed,
): Promise<Recomputed> {
  const notComputed = (what: string, problem: unknown): Recomputed => ({
    documents: 0,
    comparisons: 0,
    damages: [damage(snapshot, 'books', BOOKS, `${what}: ${(problem as Error).message.split('\n')[0]}`)],
    readings: [],
    notes: [],
  })
  let books: Books
  const folder = join(snapshot.folder, BOOKS)
  const totalsDamages: Damage[] = []
  const shape = new Differences(maker)
  const checkTotals = async (db: Database, frame: Frame) => {
    const read = postingsRead(snapshot.manifest)
    const ofPostings = (message: string) =>
      totalsDamages.push(damage(snapshot, 'books', bookPath('postings.parquet'), message))
    const tables = await bookTables(db, folder)
    for (const { file, message } of await shapeProblems(tables, folder))
      shape.add(damage(snapshot, 'books', bookPath(file), `${bookPath(file)} ${message}`))
    for (const { file, message } of [
      ...(await falseStatistics(db, tables)),
      ...(await unknownReferences(db, tables, frame)),
    ])
      totalsDamages.push(damage(snapshot, 'books', bookPath(file), `${bookPath(file)} ${message}`))
    const totals = await totalsByFile(db, folder, frame, read)
    for (const { path, message } of inputProblems(snapshot.manifest, totals))
      totalsDamages.push(damage(snapshot, 'inputs', path, message))
    for (const message of inputContradictions(snapshot.manifest))
      totalsDamages.push(damage(snapshot, 'inputs', MANIFEST, message))
    const rules = rulesOfFormat(snapshot.manifest.Format)
    const moves = await differingMoves(db, folder, frame, rules)
    if (moves > 0)
      ofPostings(`${moves} of the moves on the cash flow do not follow from the entries, or are missing`)
    const cash = await cashDifferences(db, folder, frame, rules, mayHaveOpeningLines(snapshot.manifest))
    cash.postings.forEach(ofPostings)
    for (const message of cash.openings)
      totalsDamages.push(damage(snapshot, 'books', bookPath('openings.parquet'), message))
    const stray = await strayDivisions(db, folder, frame, read)
    if (stray > 0)
      ofPostings(`${stray} of the postings that divide closing entries are no pairs, or divide nothing`)
    const booked = await strayBookings(db, folder, frame, read)
    if (booked.unbalanced > 0)
      ofPostings(`${booked.unbalanced} of the entries do not add up to zero in each month`)
    if (booked.stray > 0)
      ofPostings(`${booked.stray} of the postings are of a kind that no entry here gives them`)
    for (const message of countedOtherwise(snapshot.manifest, totals.counts))
      totalsDamages.push(damage(snapshot, 'books', MANIFEST, message))
  }
  try {
    books = await readBooks(folder, databaseFor(sharing), checkTotals)
  } catch (problem) {
    if (isOfMachine(problem)) throw problem
    return notComputed('the books cannot be read', problem)
  }
  try {
    await createOpenings(books.db, books.openings)
    const found = await compare(snapshot, maker, books, sharing, read, progress)
    return {
      ...found,
      damages: [...totalsDamages, ...shape.damages, ...found.damages],
      readings: [...shape.readings, ...found.readings],
    }
  } catch (problem) {
    if (isOfMachine(problem)) throw problem
    // Books that were forged together with their manifest can hold anything.
    return notComputed('nothing can be computed from the books', problem)
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

/**
 * Makes every document from the books. `computed` names all of them, `differing` has the texts of those whose bytes differ from
 * the published ones, whose hashes are `published` by their paths.
 */
export async function documentsOf(
  books: Books,
  published: ReadonlyMap<string, string>,
  sharing: Sharing,
  progress?: Composed,
) {
  const computed = new Set<string>()
  const differing = new Map<string, string>()
  const compareDocument = (path: string, hash: string, text: () => string): void => {
    computed.add(path)
    if (published.get(path) !== hash) differing.set(path, text())
  }
  const workers = new DocumentWorkers(sharing, VERIFICATION)
  const compared = {
    known: (path: string) => published.get(path),
    // Of a statement that was not published there is no text, and none is compared.
    observe: ({ Path, Sha256 }: FileEntry, text: string | null) =>
      compareDocument(Path, Sha256, () => text ?? ''),
  }
  try {
    const made = await writeDocuments(
      books,
      (path, document, hash) => {
        const content = wholeOf(document)
        compareDocument(path, hash ?? sha256(content), () => content.toString())
      },
      { composer: (data) => workers.composer(data, compared), ...(progress ? { progress } : {}) },
    )
    return { made, computed, differing }
  } finally {
    await workers.close()
  }
}

async function compare(
  snapshot: SoundSnapshot,
  maker: Maker,
  books: Books,
  sharing: Sharing,
  read: Read,
  progress?: Composed,
): Promise<Recomputed> {
  const { manifest } = snapshot
  const published = new Map(
    manifest.Files.filter(({ Path }) => isDocument(Path)).map((file) => [file.Path, file.Sha256]),
  )
  const { made, computed, differing } = await documentsOf(books, published, sharing, progress)
  const differences = new Differences(maker)
  const differs = (kind: DamageKind, path: string, text: string) =>
    differences.add(damage(snapshot, kind, path, text))
  for (const { message } of made.findings) differs('tie-out', BOOKS, message)
  const unknown = unknownMembers({ ...manifest })
  if (unknown.length > 0)
    differs('books', MANIFEST, `${MANIFEST} has members that its format has not: ${unknown.join(', ')}`)
  // One program wrote both the manifest and the books, so that these differences are always damage.
  const damages = [
    ...statedOtherwise(manifest, books.frame, published.size),
    ...programProblems(manifest),
  ].map((message) => damage(snapshot, 'books', MANIFEST, message))
  for (const { Path } of manifest.Files)
    if (Path.startsWith(`${BOOKS}/`) && !BOOK_FILES.some((name) => bookPath(name) === Path))
      damages.push(
        damage(
          snapshot,
          'books',
          Path,
          `${Path} was published, but the books of a snapshot have no such file`,
        ),
      )
  const notes: string[] = []
  const worded: string[] = []
  const release = releaseOf(manifest)
  const { unchecked = [] } = release ?? {}
  if (unchecked.length > 0)
    notes.push(
      `"${unchecked.join('", "')}" holds, and is not listed: Tieout ${manifest.Tool.Version} did not check it`,
    )
  for (const [path, content] of differing) {
    if (!published.has(path)) {
      if (release === null || !isLaterThan(release, path))
        differs('figures', path, `the books give ${path}, which was not published`)
      continue
    }
    const found = differenceOf(path, await read(path), content, 'the books', unchecked)
    if (found?.what === 'unreadable') damages.push(damage(snapshot, 'figures', path, found.text))
    else if (found?.what === 'wording' && maker === 'another program') worded.push(found.text)
    else if (found) differs('figures', path, found.text)
  }
  const [one, ...others] = worded
  if (one !== undefined)
    notes.push(
      others.length === 0
        ? one
        : `${worded.length} documents differ in wording from what the books give, and no figure differs; one of them: ${one.split(' ')[0]}`,
    )
  // A failed tie-out ends the computation early; the remaining documents were not made and cannot be
  // compared.
  if (!hasErrors(made.findings)) {
    for (const path of published.keys())
      if (!computed.has(path)) differs('figures', path, `${path} was published, but the books do not give it`)
    for (const text of tieOutDifferences(manifest.TieOuts, made.tieOuts, unchecked))
      differs('tie-out', MANIFEST, text)
  }
  const noteTexts = notes.map((text) => `${snapshot.id}: ${text}`)
  if (noteTexts.length > 0)
    noteTexts.unshift(`${snapshot.id} was made by ${programName(manifest)}; this is ${thisProgram()}`)
  return {
    documents: computed.size,
    comparisons: made.tieOuts.reduce((sum, { Checks }) => sum + Checks, 0),
    damages: [...damages, ...differences.damages],
    readings: differences.readings,
    notes: noteTexts,
  }
}

/** Compares the outcomes of tie-outs that the manifest repeats from tie-outs.json. */
function tieOutDifferences(
  stated: readonly TieOutEntry[],
  found: readonly TieOutEntry[],
  unchecked: readonly string[],
): string[] {
  const key = ({ Identity, Statement, Basis }: TieOutEntry) => `"${Identity}" on ${Statement}, ${Basis}`
  // An entry that stands there twice is compared with both of its texts.
  const textsOf = (entries: readonly TieOutEntry[], name: string): string =>
    JSON.stringify(entries.filter((entry) => key(entry) === name))
  const now = found.filter(({ Identity }) => !unchecked.includes(Identity))
  return [...new Set([...stated, ...now].map(key))]
    .filter((name) => textsOf(stated, name) !== textsOf(now, name))
    .map((name) => `the manifest states a different outcome of ${name} than the books give`)
}

const states = (words: string, stated: unknown, given: unknown): string =>
  `${MANIFEST} states ${words} as ${stated}, the books give ${given}`

/** Returns a sentence for each count of postings and transactions that differs from the books. */
function countedOtherwise(
  { Totals }: Pick<Manifest, 'Totals'>,
  { postings, transactions }: BooksTotals['counts'],
): string[] {
  return [
    ...(Totals.Postings === postings ? [] : [states('the number of postings', Totals.Postings, postings)]),
    ...(Totals.Transactions === transactions
      ? []
      : [states('the number of transactions', Totals.Transactions, transactions)]),
  ]
}

/**
 * Returns a sentence for each statement of the manifest that differs from the books; what an earlier version did not
 * state is not compared. Warnings and the number of agreeing control figures are not checked here: they follow from the
 * sources alone.
 */
function statedOtherwise(manifest: Manifest, frame: Frame, documents: number): string[] {
  const { startDate, endDate } = frame.coverage
  const found: [words: string, stated: unknown, given: unknown][] = [
    ['the company', manifest.CompanyId, frame.companyId],
    ['the currency', manifest.Currency, frame.currency],
    ['the month', manifest.Month, endDate.slice(0, 7)],
    ['the first day', manifest.Coverage.StartDate, startDate],
    ['the last day', manifest.Coverage.EndDate, endDate],
    ['the number of documents', manifest.Totals.Documents, documents],
  ]
  const { LockedThrough = frame.lockedThrough } = manifest
  return [
    ...found
      .filter(([, stated, given]) => stated !== given)
      .map(([words, stated, given]) => states(words, stated, given)),
    ...(LockedThrough === frame.lockedThrough
      ? []
      : [
          `${MANIFEST} says that the books were closed through ${LockedThrough ?? 'no day'}, the books say through ${frame.lockedThrough ?? 'no day'}`,
        ]),
  ]
}
