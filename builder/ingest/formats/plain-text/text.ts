/** The text of a plain-text file, or of a part of one: its records, and how they are written. */

import type { SourceFile } from '../../format/format.ts'
import { CHUNK, TextRecords } from '../../format/records.ts'
import type { Encoding } from '../../text/decode.ts'
import { lineEndOf } from '../../text/lines.ts'
import { type Range, textOfPart } from '../../text/text-parts.ts'
import type { Dialect, DialectForm } from './dialects.ts'

/** A file, and what must be known of it to read any of its rows. */
export interface PlainText {
  /** Path relative to the company's folder. */
  readonly file: string
  /** The path to open. */
  readonly path: string
  readonly bytes: number
  readonly sha256: string
  readonly encoding: Encoding
  readonly lineEnd: ReturnType<typeof lineEndOf>
  readonly form: DialectForm
}

export const plainText = ({ file, path, scan, look }: SourceFile, form: DialectForm): PlainText => ({
  ...{ file, path, bytes: scan.bytes, sha256: scan.sha256, form },
  encoding: look.encoding,
  lineEnd: lineEndOf(look.head),
})

/** Of the part that begins there. */
export const shapeOf = (dialect: Dialect, start: number) => ({
  ...dialect,
  headerRow: dialect.hasHeader && start === 0 ? 1 : 0,
})

/** The records of a part in batches, and what there is to say of them when the last was taken. */
export function recordsOfPart({ path, encoding, lineEnd }: PlainText, dialect: Dialect, part: Range) {
  const records = new TextRecords(shapeOf(dialect, part.start))
  const batches = records.batches(textOfPart(path, part, encoding, CHUNK), lineEnd)
  return { batches, notes: () => records.notes }
}
