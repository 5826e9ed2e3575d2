/** Every ledger format with a parser of its own, in the order in which a file is tried. All else is a table. */
import type { LedgerFormat } from '../workspace/company.ts'
import { ADS } from './ads.ts'
import { FEC } from './fec.ts'
import type { Format } from './format.ts'
import type { Look } from './look.ts'
import { PLAIN_TEXT } from './plain-text.ts'
import { BUSINESS_CENTRAL } from './programs/business-central.ts'
import { ERPNEXT } from './programs/erpnext.ts'
import { GNUCASH } from './programs/gnucash.ts'
import { NETSUITE } from './programs/netsuite.ts'
import { ODOO } from './programs/odoo.ts'
import { SAGE50 } from './programs/sage50.ts'
import { QUICKBOOKS } from './quickbooks.ts'
import { SAFT } from './saft.ts'
import { SIE } from './sie.ts'
import { XERO } from './xero.ts'

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

export const formatCalled = (id: LedgerFormat): Format => FORMATS.find((format) => format.id === id)!

/** Null: a table of one of our kinds, or nothing known. */
export const formatOf = (look: Look): Format | null =>
  FORMATS.find((format) => format.looksLike(look)) ?? null
