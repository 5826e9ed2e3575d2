/**
 * Makes batches of documents, in this thread or in several at once; no batch depends on another one. A build writes them
 * into its stage. A check or a verification writes nothing: it gets the hash of each document, and its text where that is needed.
 */
import { yearStretches } from '../books/reference/fiscal.ts'
import { periodsOf } from '../contract/calendar.ts'
import type { Figures, Period } from '../contract/document.ts'
import { StatementEncoder } from '../contract/encode.ts'
import { STATEMENTS } from '../contract/vocabulary.ts'
import { agrees, type Closed } from '../snapshot/closing/agreeing.ts'
import { dividedPath, statementPath } from '../snapshot/files/layout.ts'
import type { FileEntry } from '../snapshot/files/manifest.ts'
import { StagedFiles, type WrittenFiles } from '../snapshot/files/staged-files.ts'
import { Composer, documentOf } from '../statements/compose.ts'
import { FigureLimits } from '../statements/limits.ts'
import { Slicer, slicesOfClass } from '../statements/slice.ts'
import { TieOuts } from '../statements/tie-outs/tieouts.ts'
import type { StatementBody } from '../statements/totals.ts'
import { disk } from '../system/effects.ts'
import { sha256 } from '../system/hash.ts'
import type {
  BatchFilters,
  CheckedBatch,
  DocumentBatch,
  DocumentChecks,
  DocumentData,
  WriteBytes,
} from './document-batch.ts'
import { BudgetDocuments, MetricDocuments } from './plan-documents.ts'

export interface BatchOrder {
  readonly batch: DocumentBatch
  /**
   * By path: the hash of the document in the snapshot before, or the one that it is expected to have; null where its text
   * is needed in any case.
   */
  readonly known: ReadonlyMap<string, string | null>
}

export interface MadeBatch {
  readonly made: WrittenFiles
  /** By path: the texts of known documents that are not as expected, where nothing is written. */
  readonly texts: ReadonlyMap<string, string>
  /** Paths of documents that differ from those before, and state closed months as these do. */
  readonly agreeing: readonly string[]
  readonly checked: CheckedBatch
}

/** What the threads need for all batches, as plain data whose sums they share. */
export interface Materials {
  readonly data: DocumentData
  /** The folder of the stage, and that of the snapshot before; null where documents are only compared. */
  readonly stage: { readonly folder: string; readonly before: string | null } | null
  /** Null where no month is closed. */
  readonly closed: Closed | null
}

/**
 * Returns the function that makes one batch. Files are written, hashed and read back; the function throws
 * SnapshotDamagedError where a file reads back differently.
 */
export function batchMaker({ data, stage, closed }: Materials): (order: BatchOrder) => MadeBatch {
  const compose = composerOf(data)
  return ({ batch, known }) => {
    const staged = stage && stagedIn(stage, known)
    const files: FileEntry[] = []
    const texts = new Map<string, string>()
    const agreeing: string[] = []
    const checked = compose(batch, (path, bytes) => {
      const Sha256 = sha256(bytes)
      if (staged) staged.write(path, bytes, Sha256)
      else files.push({ Path: path, Bytes: Buffer.byteLength(bytes), Sha256 })
      const before = known.get(path)
      if (before === undefined || before === Sha256) return
      if (closed && before !== null && agrees(closed, { Path: path, Sha256: before }, bytes))
        agreeing.push(path)
      else if (!staged) texts.set(path, bytes.toString())
    })
    return { made: staged?.written() ?? { files, folders: [], linked: [] }, texts, agreeing, checked }
  }
}

/** Composes, checks and encodes the documents of a batch, and returns the results of their checks. */
function composerOf(data: DocumentData): (batch: DocumentBatch, write: WriteBytes) => CheckedBatch {
  const { frame } = data
  const actuals = new ClassDocuments(data, new StatementEncoder())
  const budgets = new BudgetDocuments(data, new StatementEncoder())
  const metrics = new MetricDocuments(data)
  return (batch, write) => {
    const checks = { tieOuts: new TieOuts(frame), limits: new FigureLimits(frame) }
    if (batch.of === 'actuals') actuals.write(batch, checks, write)
    else if (batch.of === 'budget') budgets.write(batch.budgetId, batch, checks, write)
    else metrics.write(batch.budgetId, batch, write)
    return { tieOuts: checks.tieOuts.data(), limits: checks.limits.data() }
  }
}

function stagedIn(
  { folder, before }: NonNullable<Materials['stage']>,
  known: BatchOrder['known'],
): StagedFiles {
  const hashOf = (path: string) => known.get(path) ?? undefined
  return new StagedFiles(folder, before === null ? null : { folder: before, hashOf }, disk)
}

/** A way to compose statements: of months, or of stretches of fiscal years, of which only some are published. */
interface Composing {
  readonly cells: DocumentData['cells']
  readonly slicer: Slicer
  readonly composer: Composer
  readonly periods: readonly Period[]
  readonly pathOf: typeof statementPath
  /** The places of the published periods; null for all. */
  readonly places: readonly number[] | null
}

/** Composes, checks and encodes the statements of actuals of one class filter and some department filters. */
class ClassDocuments {
  readonly #data: DocumentData
  readonly #encoder: StatementEncoder
  readonly #composing: readonly Composing[]

  constructor(data: DocumentData, encoder: StatementEncoder) {
    const { frame, cells } = data
    const composing = (periods: readonly Period[]) => ({
      ...{ slicer: new Slicer(frame, periods), composer: new Composer(frame, periods) },
    })
    const months = periodsOf(frame.coverage)
    const { stretches, places } = yearStretches(frame)
    const parts = stretches.filter((_, i) => places.includes(i))
    this.#data = data
    this.#encoder = encoder
    this.#composing = [
      { ...composing(months), cells, periods: months, pathOf: statementPath, places: null },
      { ...composing(stretches), cells: data.stretches, periods: parts, pathOf: dividedPath, places },
    ]
  }

  /** Writes the statements on all bases, in the order of the departments' tree. */
  write(
    { classId, departmentIds }: BatchFilters,
    { tieOuts, limits }: DocumentChecks,
    write: WriteBytes,
  ): void {
    const { frame } = this.#data
    for (const { cells, slicer, composer, periods, pathOf, places } of this.#composing)
      for (const [basis, own] of cells)
        for (const { scope, slice } of slicesOfClass(frame, basis, own, classId, slicer, departmentIds)) {
          const statements = composer.all(slice)
          // The fields are named one by one: after a spread, V8 gives each of these many objects a hidden class of its
          // own.
          const { classId, departmentId } = scope
          const combination = { basis, budgetId: null, classId, departmentId }
          if (places === null) tieOuts.observe(combination, slice, statements)
          else tieOuts.observeDivided(combination, slice, statements)
          for (const statement of STATEMENTS) {
            const full = { ...scope, statement, budgetId: null }
            const body = places === null ? statements[statement] : onlyAt(places, statements[statement])
            if (!limits.allow(statement, periods, body)) continue
            write(pathOf(full), this.#encoder.encode(documentOf(frame, full, frame.coverage, periods, body)))
          }
        }
  }
}

function onlyAt(places: readonly number[], { rows, summary, withoutCash }: StatementBody): StatementBody {
  const only = <Row extends { readonly values: Figures }>(row: Row): Row => ({
    ...row,
    values: row.values.filter((_, i) => places.includes(i)),
  })
  const also = withoutCash && { withoutCash: withoutCash.map(only) }
  return { rows: rows.map(only), summary: summary.map(only), ...also }
}
