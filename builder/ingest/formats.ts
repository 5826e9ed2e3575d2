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
import { BUSINESS_CENTRAL } from './formats/reports/programs/business-central.ts'
import { ERPNEXT } from './formats/reports/programs/erpnext.ts'
import { GNUCASH } from './formats/reports/programs/gnucash.ts'
import { NETSUITE } from './formats/reports/programs/netsuite.ts'
import { ODOO } from './formats/reports/programs/odoo.ts'
import { QUICKBOOKS } from './formats/reports/programs/quickbooks.ts'
import { SAGE50 } from './formats/reports/programs/sage50.ts'
import { XERO } from './formats/reports/programs/xero.ts'
import { SAFT } from './formats/saft/saft.ts'
import { SIE } from './formats/sie/sie.ts'

export const FORMATS: readonly Format[] = [
  SIE,
  FEC,
  SAFT,
  PLAIN_TEXT,
  ADS,
  GNUCASH,
  ODOO,
  ERPNEXT,
  NETSUITE,
  BUSINESS_CENTRAL,
  SAGE50,
  QUICKBOOKS,
  XERO,
]

export const formatCalled = (id: LedgerFormat): Format =>
  present(
    FORMATS.find((format) => format.id === id),
    `format "${id}"`,
  )

/** The format of a file; null for a table and for an unknown file. */
export const formatOf = (look: FilePreview): Format | null =>
  look.parquet === null ? (FORMATS.find((format) => format.looksLike(look)) ?? null) : null
