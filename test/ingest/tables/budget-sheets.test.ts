/** Budgets as people and programs lay them out: titles, sections, subtotals of rows and columns, accounts by name. */

import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { recognise } from '../../../builder/ingest/add/recognise.ts'
import { suite } from '../../suite.ts'
import { cases } from '../../support/case-file.ts'
import { inFolder } from '../folder.ts'

const sheets = suite('sheets of budgets')

/** As QuickBooks Online exports it; amounts in its own form. */
const OVERVIEW = `"Budget Overview: Plan 2025 - FY25 P&L","","",""
"Craig's Design and Landscaping","","",""
"January - February, 2025","","",""
"","","",""
"","Jan 2025","Feb 2025","Total"
"Income","","",""
"   Design income","1,000.00","1,100.00","$2,100.00"
"   Landscaping Services","10.00","20.00","$30.00"
"      Job Materials","","","0.00"
"         Plants and Soil","200.00","300.00","$500.00"
"      Total Job Materials","$200.00","$300.00","$500.00"
"      Other","5.00","5.00","$10.00"
"   Total Landscaping Services","$215.00","$325.00","$540.00"
"Total Income","$1,215.00","$1,425.00","$2,640.00"
"Cost of Goods Sold","","",""
"   Cost of Goods Sold","100.00","100.00","$200.00"
"Total Cost of Goods Sold","$100.00","$100.00","$200.00"
"Gross Profit","$1,115.00","$1,325.00","$2,440.00"
"Expenses","","",""
"   Automobile","","","0.00"
"      Fuel","50.00","60.00","$110.00"
"      Other","1.00","2.00","$3.00"
"   Total Automobile","$51.00","$62.00","$113.00"
"   Rent","400.00","400.00","$800.00"
"Total Expenses","$451.00","$462.00","$913.00"
"Net Operating Income","$664.00","$863.00","$1,527.00"
"Other Income","","",""
"   Interest earned","1.00","1.00","$2.00"
"Total Other Income","$1.00","$1.00","$2.00"
"Net Other Income","$1.00","$1.00","$2.00"
"Net Income","$665.00","$864.00","$1,529.00"
"","","",""
"Monday, Dec 01, 2025 10:00:00 AM GMT-8 - Accrual Basis","","",""
`

sheets('tieout add knows it by its title, or by its name', () =>
  inFolder(
    {
      'q.csv': OVERVIEW,
      'Budget 2026.csv': ',Jan,Feb\nRent,1,2\n',
      'pivot.csv': ',Jan 2025,Feb 2025\nRent,1,2\n',
    },
    async (folder) => {
      assert.is((await recognise(join(folder, 'q.csv'))).kind, 'budget')
      assert.is((await recognise(join(folder, 'Budget 2026.csv'))).kind, 'budget')
      assert.is((await recognise(join(folder, 'pivot.csv'))).kind, 'unknown')
    },
  ),
)

cases(sheets, new URL('cases/budget-sheets.yaml', import.meta.url))
