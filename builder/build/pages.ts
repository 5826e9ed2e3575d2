/**
 * Makes the pages that a snapshot keeps, from the documents in its stage. Pages of figures are made while other documents are still
 * composed, each as soon as those that it shows are written.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as othersTurn } from 'node:timers/promises'
import type { Frame } from '../books/reference/frame.ts'
import type { MetricScope } from '../contract/document.ts'
import { STYLE_SHEET } from '../report/pages/places.ts'
import {
  figurePagesOf,
  frontPages,
  keptGroups,
  overviewPageOf,
  type PageGroup,
  type Pages,
  type ReportEdition,
} from '../report/pages/site.ts'
import { type CheckResults, type FigureSource, figureSource } from '../report/source.ts'
import type { Documents } from '../snapshot/files/documents.ts'
import { reportPath } from '../snapshot/files/layout.ts'
import type { Stage } from '../snapshot/files/stage.ts'
import { handled } from '../system/handled.ts'
import { readFile } from '../system/plain-file.ts'
import { isMadeIn } from './document-batch.ts'
import type { BegunBatch } from './documents.ts'
import type { Counts } from './manifest-body.ts'

/** The pages of the last month of the books. Those of figures are begun at once; all are written at the end. */
export class PagesInTheMaking {
  readonly #stage: Stage
  readonly #frame: Frame
  readonly #source: Promise<FigureSource>
  readonly #figures: Promise<readonly Pages[]>

  /** `begun` has all batches of the build; their documents lie in the stage when they are done. */
  constructor(stage: Stage, frame: Frame, counts: Promise<Counts>, begun: readonly BegunBatch[]) {
    this.#stage = stage
    this.#frame = frame
    this.#source = this.#sourceOf(counts, begun)
    this.#figures = handled(this.#eachGroup(figurePagesOf, this.#source))
  }

  /** Adds all pages to the stage. */
  async write(proof: CheckResults): Promise<void> {
    const proven = this.#source.then((source) => ({ ...source, ...proof }))
    const overviews = await this.#eachGroup(overviewPageOf, proven)
    for (const pages of [frontPages(this.#frame), ...overviews, ...(await this.#figures)])
      for (const [page, text] of pages) this.#stage.write(reportPath(page), text)
  }

  /** Waits until the pages of figures are made, or making one of them failed. */
  async settled(): Promise<void> {
    await Promise.allSettled([this.#figures])
  }

  async #sourceOf(counts: Promise<Counts>, begun: readonly BegunBatch[]): Promise<FigureSource> {
    const structure = { frame: this.#frame, postings: (await counts).Postings }
    return waitingFor(begun, figureSource(documentsIn(this.#stage.folder), structure))
  }

  async #eachGroup<Source>(
    pagesOf: (source: Source, edition: ReportEdition, group: PageGroup) => Promise<Pages>,
    source: Promise<Source>,
  ): Promise<readonly Pages[]> {
    const own = await source
    const edition = { month: this.#frame.coverage.endDate.slice(0, 7), styleSheet: STYLE_SHEET, above: '' }
    return Promise.all(keptGroups(this.#frame).map((group) => pagesOf(own, edition, group)))
  }
}

const documentsIn = (folder: string): Documents => ({
  id: 'the snapshot in the making',
  has: (path) => existsSync(join(folder, path)),
  read: (path) => readFile(join(folder, path)),
})

/**
 * Reads figures as soon as the batch that has them is done. Documents are begun one by one, so that messages of threads
 * are handled in between.
 */
function waitingFor(begun: readonly BegunBatch[], source: FigureSource): FigureSource {
  let last: Promise<unknown> = Promise.resolve()
  const written = async (scope: MetricScope, isMetric: boolean): Promise<void> => {
    await begun.find(({ batch }) => isMadeIn(batch, scope, isMetric))?.done
    last = last.then(() => othersTurn())
    await last
  }
  return {
    ...source,
    metrics: async (scope) => {
      await written(scope, true)
      return source.metrics(scope)
    },
    statement: async (scope) => {
      await written(scope, false)
      return source.statement(scope)
    },
  }
}
