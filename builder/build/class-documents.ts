/** The statements of one class filter and some departments: composed, checked and encoded; what a build composes, or takes over, at once. */
import { type LeafCells, stretchesIn } from '../books/cells.ts'
import type { Frame } from '../books/frame.ts'
import { filtersOf, spanOf } from '../books/tree.ts'
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

/** Where a document goes, with its hash where that is known. Bytes are sound until the function returns: their memory is used for the next document. */
export type Write = (path: string, content: Content, sha256?: string) => void

/** All that statements of actuals are made of. */
export interface Leaves {
  readonly frame: Frame
  readonly cells: ReadonlyMap<Basis, LeafCells>
}

/** The statements that are composed, or taken over, at once: those of a class filter and of some department filters. */
export interface ClassPiece {
  readonly classId: string | null
  readonly departmentIds: readonly (string | null)[]
}

/** So many departments at once: pieces are small enough that no thread is left waiting for another one's last for long. */
const DEPARTMENTS = 16

/** Class after class, in the order of the trees. However many threads compose them, these are the pieces. */
export function piecesOf({ classes, departments }: Frame): ClassPiece[] {
  const all = filtersOf(departments)
  const groups = Array.from({ length: Math.ceil(all.length / DEPARTMENTS) }, (_, i) =>
    all.slice(i * DEPARTMENTS, (i + 1) * DEPARTMENTS),
  )
  return filtersOf(classes).flatMap((classId) =>
    groups.map((departmentIds): ClassPiece => ({ classId, departmentIds })),
  )
}

/** Where all documents of a piece go, also those that there are no figures for. */
export const pathsOf = ({ bases }: Frame, { classId, departmentIds }: ClassPiece): string[] =>
  bases.flatMap((basis) =>
    departmentIds.flatMap((departmentId) =>
      STATEMENTS.map((statement) =>
        statementPath({ statement, basis, budgetId: null, classId, departmentId }),
      ),
    ),
  )

/** About how many documents are composed of these cells: of every class and department with any, and of all of each. */
export function documentsOf({ frame, cells }: Leaves): number {
  const combinations = filtersOf(frame.classes).length * filtersOf(frame.departments).length
  let documents = 0
  for (const { account } of cells.values())
    documents += STATEMENTS.length * Math.min(combinations, account.length)
  return documents
}

/** What was seen of the statements of a piece: plain data. */
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

  /** Both bases, in the order of the departments' tree. */
  write({ classId, departmentIds }: ClassPiece, write: (path: string, bytes: Buffer) => void): ClassPart {
    const { frame, cells } = this.#leaves
    const tieOuts = new TieOuts(frame)
    const limits = new FigureLimits(frame)
    for (const [basis, own] of cells)
      for (const { scope, slice } of slicesOfClass(frame, basis, own, classId, this.#slicer, departmentIds)) {
        const statements = this.#composer.all(slice)
        // Field by field: of a spread each would keep a shape of its own, and there are as many as combinations.
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

  /** What the class filter's figures add to the sums over members, where its documents are there already. */
  addMembers(classId: string, tieOuts: TieOuts): void {
    const { frame, cells } = this.#leaves
    const classes = spanOf(frame.classes, classId)
    const departments = spanOf(frame.departments, null)
    for (const [basis, own] of cells) {
      const stretches = stretchesIn(own, classes, departments)
      if (stretches.length === 0) continue
      const slice = this.#slicer.slice(own, stretches)
      const scope = { basis, budgetId: null, classId, departmentId: null }
      tieOuts.addMembers(scope, slice.periods, this.#composer.all(slice))
    }
  }
}
