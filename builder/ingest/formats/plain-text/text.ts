/** The text of a plain-text file, and how its records are written. */

import type { SourceFile } from '../../format/format.ts'
import { type RecordText, recordText } from '../../format/records.ts'
import type { Dialect, DialectForm } from './dialects.ts'

/** A file, and what must be known of it to read any of its rows. */
export interface PlainText extends RecordText {
  /** Path relative to the company's folder. */
  readonly file: string
  readonly bytes: number
  readonly sha256: string
  readonly form: DialectForm
}

export const plainText = (source: SourceFile, form: DialectForm): PlainText => ({
  ...recordText(source),
  ...{ file: source.file, bytes: source.scan.bytes, sha256: source.scan.sha256, form },
})

export const shapeOf = (dialect: Dialect) => ({ ...dialect, headerRow: dialect.hasHeader ? 1 : 0 })
