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
import type { Basis } from '../contract/vocabulary.ts'
import { orderedParallel } from '../database/database.ts'
import { INFO, type ListName, listPath, pagePath, TIE_OUTS } from '../snapshot/files/layout.ts'
import type { TieOutEntry } from '../snapshot/files/manifest.ts'
import { FigureLimits } from '../statements/limits.ts'
import { budgetsOf, chartOf, infoOf, memberListOf, metricsListOf } from '../statements/reference.ts'
import { type PostedMonths, postedMonths } from '../statements/tie-outs/posted.ts'
import { type TieOut, TieOuts } from '../statements/tie-outs/tieouts.ts'
import { handled } from '../system/parallel.ts'
import { shareWithThreads } from '../system/worker-pool.ts'
import { type Finding, hasErrors } from '../workspace/findings/finding.ts'
import {
  batchesOf,
  type CheckedBatch,
  type DocumentBatch,
  type DocumentData,
  type Write,
} from './document-batch.ts'
/** Called with the number of batches that are done, and with the number of all batches. */
export type Composed = (done: number, total: number) => void

/** Makes a batch; several are made in parallel if possible. */
export type Compose = (batch: DocumentBatch) => Promise<CheckedBatch>

export interface ComposedDocuments {
  readonly tieOuts: readonly TieOutEntry[]
  /** Errors for figures that do not tie out or cannot be published. If there are any, only statements and metrics were written. */
  readonly findings: readonly Finding[]
}

export interface Composing {
  readonly progress?: Composed
  /** Makes what composes the batches, and writes or compares them. */
  readonly composer: (data: DocumentData) => Compose
}

export async function writeDocuments(
  books: Books,
  write: Write,
  composing: Composing,
): Promise<ComposedDocuments> {
  const { tieOuts, scoped, findings } = await composedBatchesOf(books, composing)
  if (hasErrors(findings)) return { tieOuts: [], findings }
  writeReference(books, write)
  const decimals = decimalsOf(books.frame)
  write(TIE_OUTS, encodeLongList(scoped.map(({ text }) => text)))
  return { tieOuts: tieOuts.map((tieOut) => tieOutEntry(tieOut, decimals)), findings }
}

async function composedBatchesOf(books: Books, composing: Composing) {
  const data = await documentDataOf(books)
  // While the statements are composed, DuckDB adds up the postings with which they are compared afterwards.
  const posted = handled(postedMonths(books))
  try {
    return await composedBatches(data, posted, composing)
  } finally {
    // Books must not be closed while they are read: DuckDB would end the process.
    await Promise.allSettled([posted])
  }
}

async function composedBatches(
  data: DocumentData,
  posted: Promise<PostedMonths>,
  { progress = () => {}, composer }: Composing,
) {
  const { frame } = data
  const compose = composer(data)
  const batches = batchesOf(frame)
  const making: Promise<CheckedBatch>[] = []
  let done = 0
  progress(done, batches.length)
  for (const batch of batches) {
    // A failure is handled below, once all batches have begun.
    making.push(
      handled(
        compose(batch).then((checked) => {
          progress(++done, batches.length)
          return checked
        }),
      ),
    )
    // Messages of threads and of DuckDB are handled in between.
    await othersTurn()
  }
  const tieOuts = new TieOuts(frame)
  const limits = new FigureLimits(frame)
  for (const checked of await Promise.all(making)) {
    tieOuts.absorb(checked.tieOuts)
    limits.absorb(checked.limits)
  }
  const { findings, ...finished } = tieOuts.finish(await posted)
  return { ...finished, findings: [...limits.findings, ...findings] }
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
