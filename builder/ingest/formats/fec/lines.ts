/** The lines of a FEC as texts. */
import type { Encoding } from '../../text/decode.ts'
import { type lineEndOf, linesOf } from '../../text/lines.ts'
import { textOf } from '../../text/scan.ts'
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

/** With the header. */
export const linesIn = ({ path, encoding, lineEnd }: FecText) => linesOf(textOf(path, encoding), lineEnd)
