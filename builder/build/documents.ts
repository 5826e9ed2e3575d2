/**
 * Makes all documents of a snapshot from the books: statements, metrics, lists, tie-outs. A build uses the books from the
 * exports, a verification the published ones. Equal books give equal bytes.
 */
import { setImmediate as othersTurn } from 'node:timers/promises'
import type { Books } from '../books/books.ts'
import { type LeafCells, leafCells, stretchSums } from '../books/cells.ts'
import { yearStretches } from '../books/fiscal.ts'
import { decimalsOf, type Frame } from '../books/frame.ts'
import { orderedParallel } from '../books/ordered-parallel.ts'
import { formatInteger } from '../contract/currency.ts'
import { encodeList, encodeLongList, encodePage } from '../contract/encode.ts'
import { present } from '../contract/present.ts'
import type { Basis } from '../contract/vocabulary.ts'
import { INFO, type ListName, listPath, pagePath, TIE_OUTS } from '../snapshot/layout.ts'
import type { FileEntry, TieOutEntry } from '../snapshot/manifest.ts'
import { FigureLimits } from '../statements/limits.ts'
import { budgetsOf, chartOf, infoOf, membersOf, metricsListOf } from '../statements/reference.ts'
import { type PostedMonths, postedMonths } from '../tieouts/posted.ts'
import { type TieOut, TieOuts } from '../tieouts/tieouts.ts'
import { type Finding, hasErrors } from '../workspace/finding.ts'
import { handled } from '../workspace/handled.ts'
import { sha256 } from '../workspace/hash.ts'
import { share } from '../workspace/threads.ts'
import { type CheckedPart, type Leaves, type Piece, pagesFirst, piecesOf, type Write } from './piece.ts'
import { PieceDocuments } from './piece-documents.ts'

/** Called with the number of pieces that are done, and with the number of all pieces. */
export type Composed = (done: number, total: number) => void

/** The result of a piece. */
export interface ComposedPiece {
  readonly files: readonly FileEntry[]
  readonly part: CheckedPart
}

/** Composes the pieces in any order, several in parallel if possible. */
export type Compose = (piece: Piece) => Promise<ComposedPiece>

/** A piece that is being composed. */
export interface BegunPiece {
  readonly piece: Piece
  /** Its documents are written then. */
  readonly done: Promise<unknown>
}

export interface Documents {
  readonly tieOuts: readonly TieOutEntry[]
  /** Errors for figures that do not tie out or cannot be published. If there are any, only statements and metrics were written. */
  readonly findings: readonly Finding[]
}

export interface Composing {
  readonly progress?: Composed
  /** Who composes the statements of these cells, and writes them; this thread unless said, which gives them to `write`. */
  readonly composer?: ((leaves: Leaves) => Compose) | null
  /** Is told of all pieces, whether or not they are done yet. */
  readonly begun?: (pieces: readonly BegunPiece[]) => void
}

export async function writeDocuments(
  books: Books,
  write: Write,
  composing: Composing = {},
): Promise<Documents> {
  const { tieOuts, scoped, findings } = await writePieces(books, write, composing)
  if (hasErrors(findings)) return { tieOuts: [], findings }
  writeReference(books, write)
  const decimals = decimalsOf(books.frame)
  write(TIE_OUTS, encodeLongList(scoped.map(({ text }) => text)))
  return { tieOuts: tieOuts.map((tieOut) => tieOutEntry(tieOut, decimals)), findings }
}

async function writePieces(books: Books, write: Write, composing: Composing) {
  const leaves = await leavesOf(books)
  // DuckDB adds up the postings while the statements are composed, with which they are compared afterwards.
  const posted = handled(postedMonths(books))
  try {
    return await comparedPieces(leaves, posted, write, composing)
  } finally {
    // Books must not be closed while they are read: DuckDB would end the process.
    await Promise.allSettled([posted])
  }
}

async function comparedPieces(
  leaves: Leaves,
  posted: Promise<PostedMonths>,
  write: Write,
  { progress = () => {}, composer, begun = () => {} }: Composing,
) {
  const { frame } = leaves
  const compose = composer ? composer(leaves) : composedHere(leaves, write)
  const pieces = piecesOf(frame)
  let done = 0
  progress(done, pieces.length)
  const parts = await begunInTurn(pagesFirst(frame, pieces), async (piece) => {
    const { part } = await compose(piece)
    progress(++done, pieces.length)
    return part
  })
  const partOf = (piece: Piece) => present(parts.get(piece), 'part of the piece')
  const all = Promise.all(pieces.map(partOf))
  // Where one of the pieces fails nobody makes the others any more, so nobody may wait for them.
  const doneOf = (piece: Piece) => Promise.race([partOf(piece), all])
  begun(pieces.map((piece) => ({ piece, done: handled(doneOf(piece)) })))
  const made = await all
  const tieOuts = new TieOuts(frame)
  const limits = new FigureLimits(frame)
  for (const part of made) {
    tieOuts.absorb(part.tieOuts)
    limits.absorb(part.limits)
  }
  const { findings, ...finished } = tieOuts.finish(await posted)
  return { ...finished, findings: [...limits.findings, ...findings] }
}

/** Starts the pieces in order without waiting for their ends; messages of other threads are handled in between. */
async function begunInTurn<Item, Result>(
  items: readonly Item[],
  begin: (item: Item) => Promise<Result>,
): Promise<ReadonlyMap<Item, Promise<Result>>> {
  const begun = new Map<Item, Promise<Result>>()
  for (const item of items) {
    // A failure is handled by the caller, once all pieces have started.
    begun.set(item, handled(begin(item)))
    await othersTurn()
  }
  return begun
}

/** Composes in this thread. */
function composedHere(leaves: Leaves, write: Write): Compose {
  const documents = new PieceDocuments(leaves)
  return async (piece) => {
    const files: FileEntry[] = []
    const part = documents.write(piece, (path, bytes) => {
      const Sha256 = sha256(bytes)
      files.push({ Path: path, Bytes: Buffer.byteLength(bytes), Sha256 })
      write(path, bytes, Sha256)
    })
    return { files, part }
  }
}

async function leavesOf({ frame, db, openings, budgetCells, metricValues }: Books): Promise<Leaves> {
  const perBasis = async (sums?: string): Promise<ReadonlyMap<Basis, LeafCells>> =>
    new Map(
      await orderedParallel(
        frame.bases,
        { count: frame.bases.length, connect: () => db.connect() },
        async (own, basis) => [basis, await leafCells(own, frame, openings, basis, sums)] as const,
      ),
    )
  const cells = await perBasis()
  const { stretches, places } = yearStretches(frame)
  const divided = places.length === 0 ? new Map() : await perBasis(stretchSums(frame, stretches))
  return { frame, cells, stretches: divided, budgets: budgetCells, metrics: share(metricValues.packed()) }
}

/** The text of `info.json` as it is published. */
export const infoText = (frame: Frame): string => `${JSON.stringify(infoOf(frame))}\n`

/** The default limit of the interface's list endpoints. */
const PAGE = 100

function writeReference({ frame }: Books, write: Write): void {
  write(INFO, infoText(frame))
  const lists: Record<ListName, object[]> = {
    'chart-of-accounts': chartOf(frame),
    budgets: budgetsOf(frame),
    classes: membersOf(frame.classes),
    departments: membersOf(frame.departments),
    'non-financial-list': metricsListOf(frame),
  }
  for (const [list, entries] of Object.entries(lists) as [ListName, object[]][]) {
    write(listPath(list), encodeList(entries))
    for (let offset = 0; offset === 0 || offset < entries.length; offset += PAGE)
      write(pagePath(list, offset), encodePage(entries, offset, PAGE))
  }
}

const tieOutEntry = (tieOut: TieOut, decimals: number): TieOutEntry => ({
  Identity: tieOut.identity,
  Statement: tieOut.statement,
  Basis: tieOut.basis,
  Scopes: tieOut.scopes,
  Checks: tieOut.checks,
  Left: formatInteger(String(tieOut.left), decimals),
  Right: formatInteger(String(tieOut.right), decimals),
  LargestDifference: formatInteger(String(tieOut.largestDifference), decimals),
  Result: 'pass',
})
