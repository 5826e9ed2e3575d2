/** Composes, checks and encodes pieces of the statements: those of one class filter and some department filters. */
import type { LeafCells } from '../books/cells.ts'
import type { Frame } from '../books/frame.ts'
import { filtersOf } from '../books/tree.ts'
import type { Content } from '../contract/bytes.ts'
import { periodsOf } from '../contract/calendar.ts'
import type { StatementEncoder } from '../contract/encode.ts'
import { type Basis, STATEMENTS } from '../contract/vocabulary.ts'
import { statementPath } from '../snapshot/layout.ts'
import { Composer, documentOf } from '../statements/compose.ts'
import { slicesOfClass } from '../statements/cube.ts'
import { FigureLimits } from '../statements/limits.ts'
import { Slicer } from '../statements/slice.ts'
import { type TieOutPart, TieOuts } from '../tieouts/tieouts.ts'

/** Writes a document, with its hash if that is known. The bytes are valid only during the call, because their memory is reused. */
export type Write = (path: string, content: Content, sha256?: string) => void

/** Everything from which statements of actuals are made. */
export interface Leaves {
  readonly frame: Frame
  readonly cells: ReadonlyMap<Basis, LeafCells>
}

/** A piece of the statements, which is composed as a whole: those of one class filter and of some department filters. */
export interface ClassPiece {
  readonly classId: string | null
  readonly departmentIds: readonly (string | null)[]
}

/** The number of departments in a piece. Pieces are small, so that no thread waits long for the last piece of another. */
const DEPARTMENTS = 16

/** The pieces, class by class in the order of the trees. They do not depend on the number of threads. */
export function piecesOf({ classes, departments }: Frame): ClassPiece[] {
  const all = filtersOf(departments)
  const groups = Array.from({ length: Math.ceil(all.length / DEPARTMENTS) }, (_, i) =>
    all.slice(i * DEPARTMENTS, (i + 1) * DEPARTMENTS),
  )
  return filtersOf(classes).flatMap((classId) =>
    groups.map((departmentIds): ClassPiece => ({ classId, departmentIds })),
  )
}

/** The paths of all documents of a piece, including those without figures. */
export const pathsOf = ({ bases }: Frame, { classId, departmentIds }: ClassPiece): string[] =>
  bases.flatMap((basis) =>
    departmentIds.flatMap((departmentId) =>
      STATEMENTS.map((statement) =>
        statementPath({ statement, basis, budgetId: null, classId, departmentId }),
      ),
    ),
  )

/** Roughly how many documents are composed from these cells. */
export function documentsOf({ frame, cells }: Leaves): number {
  const combinations = filtersOf(frame.classes).length * filtersOf(frame.departments).length
  let documents = 0
  for (const { account } of cells.values())
    documents += STATEMENTS.length * Math.min(combinations, account.length)
  return documents
}

/** The results of checking the statements of a piece, as plain data that can be stored. */
export interface ClassPart {
  readonly tieOuts: TieOutPart
  readonly limits: ReturnType<FigureLimits['part']>
}

export class ClassDocuments {
  readonly #leaves: Leaves
  readonly #encoder: StatementEncoder
  readonly #slicer: Slicer
  readonly #composer: Composer

  constructor(leaves: Leaves, encoder: StatementEncoder) {
    const periods = periodsOf(leaves.frame.coverage)
    this.#leaves = leaves
    this.#encoder = encoder
    this.#slicer = new Slicer(leaves.frame, periods)
    this.#composer = new Composer(leaves.frame, periods)
  }

  /** Writes the statements on all bases, in the order of the departments' tree. */
  write({ classId, departmentIds }: ClassPiece, write: (path: string, bytes: Buffer) => void): ClassPart {
    const { frame, cells } = this.#leaves
    const tieOuts = new TieOuts(frame)
    const limits = new FigureLimits(frame)
    for (const [basis, own] of cells)
      for (const { scope, slice } of slicesOfClass(frame, basis, own, classId, this.#slicer, departmentIds)) {
        const statements = this.#composer.all(slice)
        // The fields are named one by one: a spread would give each of these many objects a hidden class of its own.
        const { classId, departmentId } = scope
        tieOuts.observe({ basis, budgetId: null, classId, departmentId }, slice, statements)
        for (const statement of STATEMENTS) {
          const full = { ...scope, statement, budgetId: null }
          const body = statements[statement]
          if (!limits.allow(statement, slice.periods, body)) continue
          write(
            statementPath(full),
            this.#encoder.encode(documentOf(frame, full, frame.coverage, slice.periods, body)),
          )
        }
      }
    return { tieOuts: tieOuts.part(), limits: limits.part() }
  }
}
