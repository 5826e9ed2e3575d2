/** The text of a plain-text file, and how its records are written. */

import type { SourceFile } from '../../format/format.ts'
import type { RecordText } from '../../format/records.ts'
import { lineEndOf } from '../../text/lines.ts'
import type { Dialect, DialectForm } from './dialects.ts'

/** A file, and what must be known of it to read any of its rows. */
export interface PlainText extends RecordText {
  /** Path relative to the company's folder. */
  readonly file: string
  readonly bytes: number
  readonly sha256: string
  readonly form: DialectForm
}

export const plainText = ({ file, path, scan, look }: SourceFile, form: DialectForm): PlainText => ({
  ...{ file, path, bytes: scan.bytes, sha256: scan.sha256, form },
  encoding: look.encoding,
  lineEnd: lineEndOf(look.head),
})

export const shapeOf = (dialect: Dialect) => ({ ...dialect, headerRow: dialect.hasHeader ? 1 : 0 })
