/** The lines of a FEC, or of a part of one, as texts. */
import type { Encoding } from '../../text/decode.ts'
import { type lineEndOf, linesOf } from '../../text/lines.ts'
import { type Range, textOfPart } from '../../text/text-parts.ts'
import type { FecLayout } from './layout.ts'

/** A file, and what must be known of it to read any of its lines. */
export interface FecText {
  /** Path relative to the company's folder. */
  readonly file: string
  /** The path to open. */
  readonly path: string
  readonly encoding: Encoding
  readonly lineEnd: ReturnType<typeof lineEndOf>
  readonly layout: FecLayout
}

/** With the header, where the part is the first. */
export const linesIn = ({ path, encoding, lineEnd }: FecText, part: Range) =>
  linesOf(textOfPart(path, part, encoding), lineEnd)

/** The row of the header in a part; 0 where it has none. */
export const headerRow = ({ start }: Range): number => (start === 0 ? 1 : 0)
