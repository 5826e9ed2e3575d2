/**
 * The ledger formats that have a parser of their own, in the order in which they are tried. Everything else is a
 * table.
 */
import { present } from '../contract/present.ts'
import type { LedgerFormat } from '../workspace/company.ts'
import type { Format } from './format/format.ts'
import type { FilePreview } from './format/preview.ts'
import { ADS } from './formats/ads/ads.ts'
import { FEC } from './formats/fec/fec.ts'
import { PLAIN_TEXT } from './formats/plain-text/plain-text.ts'
import { FAMILIES } from './formats/reports/programs/families.ts'
import { reportFormat } from './formats/reports/report.ts'
import { SAFT } from './formats/saft/saft.ts'
import { SIE } from './formats/sie/sie.ts'

export const FORMATS: readonly Format[] = [SIE, FEC, SAFT, PLAIN_TEXT, ADS, ...FAMILIES.map(reportFormat)]

export const formatCalled = (id: LedgerFormat): Format =>
  present(
    FORMATS.find((format) => format.id === id),
    `format "${id}"`,
  )

/** The format of a file; null for a table and for an unknown file. */
export const formatOf = (look: FilePreview): Format | null =>
  look.parquet === null ? (FORMATS.find((format) => format.looksLike(look)) ?? null) : null
