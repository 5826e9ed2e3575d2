/** The statements of one class filter: composed, checked and encoded. What threads share out among themselves. */
import type { LeafCells } from './books/cells.ts'
import type { Frame } from './books/frame.ts'
import type { StatementEncoder } from './contract/encode.ts'
import { type Basis, STATEMENTS } from './contract/vocabulary.ts'
import { statementPath } from './snapshot/layout.ts'
import { composeStatements, documentOf } from './statements/compose.ts'
import { slicesOfClass } from './statements/cube.ts'
import type { FigureLimits } from './statements/limits.ts'
import type { TieOuts } from './tieouts/tieouts.ts'

/** Where a document goes, with its hash where that is known. Bytes are sound until the function returns: their memory is used for the next document. */
export type Write = (path: string, content: string | Buffer, sha256?: string) => void

/** All that statements of actuals are made of. */
export interface Leaves {
  readonly frame: Frame
  readonly cells: ReadonlyMap<Basis, LeafCells>
}

/** What has been seen of the statements so far. */
export interface Checks {
  readonly tieOuts: TieOuts
  readonly limits: FigureLimits
}

/** Both bases, in the order of the departments' tree. */
export function writeClass(
  { frame, cells }: Leaves,
  classId: string | null,
  { tieOuts, limits }: Checks,
  encoder: StatementEncoder,
  write: (path: string, bytes: Buffer) => void,
): void {
  for (const [basis, own] of cells)
    for (const { scope, slice } of slicesOfClass(frame, basis, own, classId)) {
      const statements = composeStatements(frame, slice)
      tieOuts.observe({ ...scope, budgetId: null }, slice, statements)
      for (const statement of STATEMENTS) {
        const full = { ...scope, statement, budgetId: null }
        const body = statements[statement]
        if (!limits.allow(statement, slice.periods, body)) continue
        write(
          statementPath(full),
          encoder.encode(documentOf(frame, full, frame.coverage, slice.periods, body)),
        )
      }
    }
}
