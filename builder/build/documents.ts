/**
 * Makes all documents of a snapshot from the books: statements, metrics, lists, tie-outs. A build uses the books from the
 * exports, a verification the published ones. Equal books give equal bytes.
 */
import { setImmediate as othersTurn } from 'node:timers/promises'
import type { Books } from '../books/books.ts'
import { yearStretches } from '../books/reference/fiscal.ts'
import { decimalsOf, type Frame } from '../books/reference/frame.ts'
import { type MonthlySums, readMonthlySums, stretchSums } from '../books/sums/monthly-sums.ts'
import { formatInteger } from '../contract/currency.ts'
import { encodeList, encodeLongList, encodePage } from '../contract/encode.ts'
import { present } from '../contract/present.ts'
import type { Basis } from '../contract/vocabulary.ts'
import { orderedParallel } from '../database/ordered-parallel.ts'
import { INFO, type ListName, listPath, pagePath, TIE_OUTS } from '../snapshot/files/layout.ts'
import type { FileEntry, TieOutEntry } from '../snapshot/files/manifest.ts'
import { FigureLimits } from '../statements/limits.ts'
import { budgetsOf, chartOf, infoOf, memberListOf, metricsListOf } from '../statements/reference.ts'
import { type PostedMonths, postedMonths } from '../statements/tie-outs/posted.ts'
import { type TieOut, TieOuts } from '../statements/tie-outs/tieouts.ts'
import { handled } from '../system/handled.ts'
import { sha256 } from '../system/hash.ts'
import { shareWithThreads } from '../system/threads.ts'
import { type Finding, hasErrors } from '../workspace/findings/finding.ts'
import { BatchDocuments } from './batch-documents.ts'
import {
  batchesOf,
  type CheckedBatch,
  type DocumentBatch,
  type DocumentData,
  pagesFirst,
  type Write,
} from './document-batch.ts'

/** Called with the number of batches that are done, and with the number of all batches. */
export type Composed = (done: number, total: number) => void

export interface ComposedBatch {
  readonly files: readonly FileEntry[]
  readonly checked: CheckedBatch
}

/** Composes the batches in any order, several in parallel if possible. */
export type Compose = (batch: DocumentBatch) => Promise<ComposedBatch>

export interface BegunBatch {
  readonly batch: DocumentBatch
  /** Resolves when its documents are written. */
  readonly done: Promise<unknown>
}

export interface ComposedDocuments {
  readonly tieOuts: readonly TieOutEntry[]
  /** Errors for figures that do not tie out or cannot be published. If there are any, only statements and metrics were written. */
  readonly findings: readonly Finding[]
}

export interface Composing {
  readonly progress?: Composed
  /** Makes what composes and writes the batches; by default this thread composes them and gives them to `write`. */
  readonly composer?: ((data: DocumentData) => Compose) | null
  /** Called once with all batches, when all are begun. */
  readonly begun?: (batches: readonly BegunBatch[]) => void
}

export async function writeDocuments(
  books: Books,
  write: Write,
  composing: Composing = {},
): Promise<ComposedDocuments> {
  const { tieOuts, scoped, findings } = await writeBatches(books, write, composing)
  if (hasErrors(findings)) return { tieOuts: [], findings }
  writeReference(books, write)
  const decimals = decimalsOf(books.frame)
  write(TIE_OUTS, encodeLongList(scoped.map(({ text }) => text)))
  return { tieOuts: tieOuts.map((tieOut) => tieOutEntry(tieOut, decimals)), findings }
}

async function writeBatches(books: Books, write: Write, composing: Composing) {
  const data = await documentDataOf(books)
  // While the statements are composed, DuckDB adds up the postings with which they are compared afterwards.
  const posted = handled(postedMonths(books))
  try {
    return await composedBatches(data, posted, write, composing)
  } finally {
    // Books must not be closed while they are read: DuckDB would end the process.
    await Promise.allSettled([posted])
  }
}

async function composedBatches(
  data: DocumentData,
  posted: Promise<PostedMonths>,
  write: Write,
  { progress = () => {}, composer, begun = () => {} }: Composing,
) {
  const { frame } = data
  const compose = composer ? composer(data) : composedHere(data, write)
  const batches = batchesOf(frame)
  let done = 0
  progress(done, batches.length)
  const checks = await begunInTurn(pagesFirst(frame, batches), async (batch) => {
    const { checked } = await compose(batch)
    progress(++done, batches.length)
    return checked
  })
  const checkedOf = (batch: DocumentBatch) => present(checks.get(batch), 'checks of the batch')
  const all = Promise.all(batches.map(checkedOf))
  // After one batch fails the others may never be made, so that nobody may wait for them alone.
  const doneOf = (batch: DocumentBatch) => Promise.race([checkedOf(batch), all])
  begun(batches.map((batch) => ({ batch, done: handled(doneOf(batch)) })))
  const made = await all
  const tieOuts = new TieOuts(frame)
  const limits = new FigureLimits(frame)
  for (const checked of made) {
    tieOuts.absorb(checked.tieOuts)
    limits.absorb(checked.limits)
  }
  const { findings, ...finished } = tieOuts.finish(await posted)
  return { ...finished, findings: [...limits.findings, ...findings] }
}

/** Starts the items in order without waiting for their ends; messages of other threads are handled in between. */
async function begunInTurn<Item, Result>(
  items: readonly Item[],
  begin: (item: Item) => Promise<Result>,
): Promise<ReadonlyMap<Item, Promise<Result>>> {
  const begun = new Map<Item, Promise<Result>>()
  for (const item of items) {
    // A failure is handled by the caller, once all batches have started.
    begun.set(item, handled(begin(item)))
    await othersTurn()
  }
  return begun
}

function composedHere(data: DocumentData, write: Write): Compose {
  const documents = new BatchDocuments(data)
  return async (batch) => {
    const files: FileEntry[] = []
    const checked = documents.write(batch, (path, bytes) => {
      const Sha256 = sha256(bytes)
      files.push({ Path: path, Bytes: Buffer.byteLength(bytes), Sha256 })
      write(path, bytes, Sha256)
    })
    return { files, checked }
  }
}

async function documentDataOf({
  frame,
  db,
  openings,
  budgetCells,
  metricValues,
}: Books): Promise<DocumentData> {
  const perBasis = async (sums?: string): Promise<ReadonlyMap<Basis, MonthlySums>> =>
    new Map(
      await orderedParallel(
        frame.bases,
        { count: frame.bases.length, connect: () => db.connect() },
        async (own, basis) => [basis, await readMonthlySums(own, frame, openings, basis, sums)] as const,
      ),
    )
  const cells = await perBasis()
  const { stretches, places } = yearStretches(frame)
  const divided = places.length === 0 ? new Map() : await perBasis(stretchSums(frame, stretches))
  return {
    frame,
    cells,
    stretches: divided,
    budgets: budgetCells,
    metrics: shareWithThreads(metricValues.packed()),
  }
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
    classes: memberListOf(frame.classes),
    departments: memberListOf(frame.departments),
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
