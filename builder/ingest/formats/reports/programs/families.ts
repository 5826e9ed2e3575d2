/** The programs whose reports are read, in the order in which a file is tried. */
import type { ReportFamily } from '../rows/layout.ts'
import { BUSINESS_CENTRAL } from './business-central.ts'
import { ERPNEXT } from './erpnext.ts'
import { GNUCASH } from './gnucash.ts'
import { NETSUITE } from './netsuite.ts'
import { ODOO } from './odoo.ts'
import { QUICKBOOKS } from './quickbooks.ts'
import { SAGE50 } from './sage50.ts'
import { XERO } from './xero.ts'

export const FAMILIES: readonly ReportFamily[] = [
  GNUCASH,
  ODOO,
  ERPNEXT,
  NETSUITE,
  BUSINESS_CENTRAL,
  SAGE50,
  QUICKBOOKS,
  XERO,
]
