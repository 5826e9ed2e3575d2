/**
 * The program's own reports beside the books, in the layouts of QuickBooks Online and Desktop, Xero and Odoo: every figure agrees, and
 * every figure that is changed by a cent is found with its account and period.
 */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import type { SheetData } from 'write-excel-file/node'
import { build } from '../../builder/build/build.ts'
import { verifyCompanies } from '../../builder/evidence/verify/verify.ts'
import { addCompany } from '../../builder/ingest/add/add.ts'
import { type Finding, spelledOut } from '../../builder/workspace/findings/finding.ts'
import { workbook } from '../ingest/folder.ts'
import { suite } from '../suite.ts'
import { cases } from '../support/case-file.ts'
import { inPublished } from '../support/published.ts'
import {
  buildWith,
  COMPANY,
  checkWith,
  codes,
  companyYaml,
  type Files,
  findingsOf,
  inWorkspace,
  ledgerCsv,
  only,
} from '../support/workspace.ts'

const test = suite('own reports')

const CHART = `id,number,name,classification,type,parent
bank,1000,Checking,Asset,Bank,
debtors,1100,Accounts Receivable (A/R),Asset,AccountsReceivable,
truck,1500,Truck,Asset,FixedAsset,
truckdep,1590,Depreciation of truck,Asset,AccumulatedDepreciation,truck
creditors,2000,Accounts Payable (A/P),Liability,AccountsPayable,
loan,2500,Notes Payable,Liability,LongTermLiability,
capital,3000,Opening Balance Equity,Equity,Capital,
retained,3900,Retained Earnings,Equity,RetainedEarnings,
design,4000,Design income,Income,Sales,
land,4100,Landscaping Services,Income,Sales,
jobs,4110,Job Materials,Income,Sales,land
plants,4111,Plants and Soil,Income,Sales,jobs
cogs,5000,Cost of goods,CostOfSales,CostOfSales,
rent,6000,Rent,Expense,Expense,
fees,6100,"Fees, bank",Expense,Expense,
interest,8000,Interest earned,OtherIncome,OtherIncome,
misc,8900,Miscellaneous,OtherExpense,OtherExpense,
`
const LEDGER = ledgerCsv(`
  1 2024-01-01 bank 10000.00; 1 2024-01-01 capital -10000.00
  2 2024-06-10 bank 500.00; 2 2024-06-10 design -500.00
  3 2024-07-01 truck 6000.00; 3 2024-07-01 loan -6000.00
  4 2024-12-31 rent 120.00; 4 2024-12-31 bank -120.00
  5 2025-01-10 debtors 2250.00; 5 2025-01-10 design -2250.00 west
  6 2025-01-20 debtors 1000.50; 6 2025-01-20 land -400.00 west; 6 2025-01-20 plants -600.50 east
  7 2025-02-03 bank 1250.00; 7 2025-02-03 debtors -1250.00
  8 2025-02-11 cogs 310.25 east; 8 2025-02-11 creditors -310.25
  9 2025-02-28 rent 900.00; 9 2025-02-28 bank -900.00
  10 2025-03-05 debtors 75.00; 10 2025-03-05 jobs -75.00 west
  11 2025-03-09 fees 12.34; 11 2025-03-09 bank -12.34
  12 2025-03-15 bank 5.67; 12 2025-03-15 interest -5.67
  13 2025-03-20 misc 20.00 east; 13 2025-03-20 bank -20.00
  14 2025-03-31 truckdep -250.00; 14 2025-03-31 fees 250.00`)

const files = (reports: Files, more = ''): Files => ({
  'company.yaml': companyYaml(`opening: { transactions: ["1"] }\nclasses: classes.csv\n${more}`),
  'chart.csv': CHART,
  'classes.csv': 'id,name\nwest,West\neast,East\n',
  'ledger.csv': LEDGER,
  ...Object.fromEntries(Object.entries(reports).map(([name, text]) => [`controls/${name}`, text])),
})

const ONLINE = `Profit and Loss
Cascade Trail LLC
"January-March, 2025"

Distribution account,Jan 2025,Feb 2025,Mar 2025,Total
Income
Design income,"2,250.00",,,"$2,250.00"
Landscaping Services,400.00,,,400.00
Job Materials,,,75.00,75.00
Plants and Soil,600.50,,,600.50
Total for Job Materials,600.50,,75.00,$675.50
Total for Landscaping Services,"1,000.50",,75.00,"$1,075.50"
Total for Income,"$3,250.50",$0.00,$75.00,"$3,325.50"
Cost of Goods Sold
Cost of goods,,310.25,,310.25
Total for Cost of Goods Sold,$0.00,$310.25,$0.00,$310.25
Gross Profit,"$3,250.50",-$310.25,$75.00,"$3,015.25"
Expenses
"Fees, bank",,,262.34,262.34
Rent,,900.00,,900.00
Total for Expenses,$0.00,$900.00,$262.34,"$1,162.34"
Net Operating Income,"$3,250.50","-$1,210.25",-$187.34,"$1,852.91"
Other Income
Interest earned,,,5.67,5.67
Total for Other Income,$0.00,$0.00,$5.67,$5.67
Other Expenses
Miscellaneous,,,20.00,20.00
Total for Other Expenses,$0.00,$0.00,$20.00,$20.00
Net Other Income,$0.00,$0.00,-$14.33,-$14.33
Net Income,"$3,250.50","-$1,210.25",-$201.67,"$1,838.58"

"Accrual Basis Thursday, April 3, 2025 10:12 AM GMT-07:00"
`
const DESKTOP = `"","Jan - Mar 25"
"      Ordinary Income/Expense",""
"            Income",""
"                  4000 · Design income",2250.00
"                  4100 · Landscaping Services",""
"                        4110 · Job Materials",""
"                              4111 · Plants and Soil",600.50
"                              4110 · Job Materials - Other",75.00
"                        Total 4110 · Job Materials",675.50
"                        4100 · Landscaping Services - Other",400.00
"                  Total 4100 · Landscaping Services",1075.50
"            Total Income",3325.50
"            Cost of Goods Sold",""
"                  5000 · Cost of goods",310.25
"            Total COGS",310.25
"      Gross Profit",3015.25
"            Expense",""
"                  6000 · Rent",900.00
"                  6100 · Fees, bank",262.34
"            Total Expense",1162.34
"Net Ordinary Income",1852.91
"      Other Income/Expense",""
"            Other Income",""
"                  8000 · Interest earned",5.67
"            Total Other Income",5.67
"            Other Expense",""
"                  8900 · Miscellaneous",20.00
"            Total Other Expense",20.00
"      Net Other Income",-14.33
"Net Income",1838.58
`
const XERO = `Profit and Loss
Cascade Trail LLC
For the 3 months ended 31 March 2025
Accrual Basis

Account,Jan-Mar 2025
Income,
Design income,2250.00
Job Materials,75.00
Landscaping Services,400.00
Plants and Soil,600.50
Total Income,3325.50

Less Cost of Sales,
Cost of goods,310.25
Total Cost of Sales,310.25

Gross Profit,3015.25

Plus Other Income,
Interest earned,5.67
Total Other Income,5.67

Less Operating Expenses,
"Fees, bank",262.34
Miscellaneous,20.00
Rent,900.00
Total Operating Expenses,1182.34

Net Profit,1838.58
`
const CLASSES = `Profit and Loss by Class
Cascade Trail LLC
"January-March, 2025"

Distribution account,East,West,Not specified,Total
Income
Design income,,2250.00,,2250.00
Landscaping Services,,400.00,,400.00
Job Materials,,75.00,,75.00
Plants and Soil,600.50,,,600.50
Total for Job Materials,600.50,75.00,0.00,675.50
Total for Landscaping Services,600.50,475.00,0.00,1075.50
Total for Income,600.50,2725.00,0.00,3325.50
Cost of Goods Sold
Cost of goods,310.25,,,310.25
Total for Cost of Goods Sold,310.25,0.00,0.00,310.25
Gross Profit,290.25,2725.00,0.00,3015.25
Expenses
"Fees, bank",,,262.34,262.34
Rent,,,900.00,900.00
Total for Expenses,0.00,0.00,1162.34,1162.34
Net Operating Income,290.25,2725.00,-1162.34,1852.91
Other Income
Interest earned,,,5.67,5.67
Total for Other Income,0.00,0.00,5.67,5.67
Other Expenses
Miscellaneous,20.00,,,20.00
Total for Other Expenses,20.00,0.00,0.00,20.00
Net Other Income,-20.00,0.00,5.67,-14.33
Net Income,270.25,2725.00,-1156.67,1838.58
`
const BALANCE = `Balance Sheet
Cascade Trail LLC
"As of March 31, 2025"

Distribution account,"As of Mar 31, 2025","As of Dec 31, 2024"
Assets
Current Assets
Bank Accounts
Checking,10703.33,10380.00
Total for Bank Accounts,10703.33,10380.00
Accounts Receivable
Accounts Receivable (A/R),2075.50,
Total for Accounts Receivable,2075.50,0.00
Total for Current Assets,12778.83,10380.00
Fixed Assets
Truck,6000.00,6000.00
Depreciation of truck,-250.00,
Total for Truck,5750.00,6000.00
Total for Fixed Assets,5750.00,6000.00
Total for Assets,18528.83,16380.00
Liabilities and Equity
Liabilities
Current Liabilities
Accounts Payable
Accounts Payable (A/P),310.25,
Total for Accounts Payable,310.25,0.00
Total for Current Liabilities,310.25,0.00
Long-term Liabilities
Notes Payable,6000.00,6000.00
Total for Long-term Liabilities,6000.00,6000.00
Total for Liabilities,6310.25,6000.00
Equity
Opening Balance Equity,10000.00,10000.00
Retained Earnings,380.00,
Net Income,1838.58,380.00
Total for Equity,12218.58,10380.00
Total for Liabilities and Equity,18528.83,16380.00

Accrual Basis
`
const AGED = `A/R Aging Summary Report
Cascade Trail LLC
"As of March 31, 2025"

Customer,Current,1 - 30,31 - 60,61 - 90,91 and over,Total
Ann,75.00,,,,,75.00
Bob's shop,,,,,,
Bob,,,,1000.00,,1000.00
Total for Bob's shop,0.00,0.00,0.00,1000.00,0.00,1000.00
Cy,,,,1000.50,,1000.50
TOTAL,75.00,0.00,0.00,2000.50,0.00,2075.50
`
const REPORTS: Readonly<Record<string, string>> = {
  'Profit and Loss.csv': ONLINE,
  'Profit & Loss.csv': DESKTOP,
  'xero.csv': XERO,
  'by-class.csv': CLASSES,
  'Balance Sheet.csv': BALANCE,
  'aged.csv': AGED,
}

const AMOUNT = /(?<=^|[,"$])-?\$?\d[\d,]*\.\d\d(?="|,|$)/gm

test('Odoo writes codes and names apart, a total on the heading and its filters on a sheet of their own', async () => {
  const sheet: SheetData = [
    ['From 01/01/2025\nto 03/31/2025'],
    ['Code', 'Account Name', 'Balance'],
    [null, 'Revenue', 3325.5],
    ['4000', 'Design income', 2250],
    ['4100', 'Landscaping Services', 400],
    ['4110', 'Job Materials', 75],
    ['4111', 'Plants and Soil', 600.5],
    [null, 'Less Costs of Revenue', 310.25],
    ['5000', 'Cost of goods', 310.25],
    [null, 'Gross Profit', 3015.25],
    [null, 'Less Operating Expenses', 1162.34],
    ['6000', 'Rent', 900],
    ['6100', 'Fees, bank', 262.34],
    [null, 'Operating Income (or Loss)', 1852.91],
    [null, 'Plus Other Income', 5.67],
    ['8000', 'Interest earned', 5.67],
    [null, 'Less Other Expenses', 20],
    ['8900', 'Miscellaneous', 20],
    [null, 'Net Profit', 1838.58],
  ]
  const of = async (rows: SheetData, filters: SheetData = [['Companies', 'Acme']]) =>
    files({ 'odoo.xlsx': await workbook({ 'Profit and Loss': rows, Filters: filters }) })
  await checkWith(await of(sheet), ({ result }) =>
    assert.equal(
      result.reportsAgreed.map(({ figures }) => figures),
      [17],
    ),
  )
  const mistaken = sheet.map((row, i) => (i === 11 ? ['6000', 'Rent', 901] : row)) as SheetData
  const found = only(await findingsOf(await of(mistaken)), 'report-differs')
  assert.equal(
    [found.file, found.row, found.column, found.text],
    ['controls/odoo.xlsx', 12, 'Balance', '6000 Rent'],
  )
  assert.match(
    found.message,
    '2025-01-01 to 2025-03-31: the profit and loss states 901.00, the books give 900.00',
  )
  only(await findingsOf(await of(sheet, [['Analytic', 'Nowhere']])), 'report-filtered')
})

test('a snapshot with own reports verifies', () =>
  inPublished(files({ 'pl.csv': ONLINE, 'Balance Sheet.csv': BALANCE }), async (workspace) => {
    const { verified } = await verifyCompanies(workspace.snapshots, [COMPANY], { figures: true, known: null })
    assert.ok(verified)
  }))

test('the manifest keeps what the file states, its hash and how many figures agree', () =>
  buildWith(files({ 'pl.csv': ONLINE }), ({ read }) => {
    const { Inputs } = JSON.parse(read('manifest.json'))
    const { Role, Report, Figures, Stated } = Inputs.find(
      ({ File }: { File: string }) => File === 'controls/pl.csv',
    )
    assert.equal([Role, Report, Figures], ['control', 'profit and loss', ONLINE.match(AMOUNT)!.length])
    assert.equal(Stated.at(-1), 'Accrual Basis Thursday, April 3, 2025 10:12 AM GMT-07:00')
  }))

test('add keeps a report under controls/, beside a ledger alone', () =>
  inWorkspace(
    { 'company.yaml': companyYaml(), 'chart.csv': CHART, 'ledger.csv': LEDGER },
    async (workspace) => {
      const add = (name: string, text: string, company = 'acme') => {
        const path = join(workspace.root, name)
        writeFileSync(path, text)
        return addCompany(workspace, company, [path])
      }
      for (const [name, text] of Object.entries(REPORTS)) {
        const { files: added, findings, companyFile } = await add(name, text)
        assert.equal(
          [added.map(({ to, kind }) => [to, kind]), codes(findings)],
          [[[`controls/${name}`, 'control']], []],
        )
        assert.is(companyFile, 'unchanged')
      }
      const alone = await add('Profit and Loss.csv', ONLINE, 'other')
      assert.match(only(alone.findings, 'wrong-report').remedy!, 'General Ledger')
    },
  ))

/** The causes that a message names, with what it quotes of the ledger. */
const causeIn = (found: Finding): string =>
  spelledOut(found).message.replace(/^.*?a difference of -?[\d,.]+/, '')
test('a difference names the entries that were entered or removed since the snapshot before, the largest first', () =>
  inPublished(
    files({ 'pl.csv': ONLINE, 'by-class.csv': CLASSES, 'Balance Sheet.csv': BALANCE }),
    async (workspace) => {
      const { snapshotId } = workspace.built.result
      const now = LEDGER.replace('rent,900.00', 'rent,950.00').replace('bank,-900.00', 'bank,-950.00')
      const later = '15,2025-02-05,rent,60.00,east,\n15,2025-02-05,bank,-60.00,,\n'
      writeFileSync(join(workspace.root, 'datasets', COMPANY, 'ledger.csv'), now + later)
      const { findings } = await build(workspace, COMPANY, { publish: false })
      const at = (file: string, text: string) =>
        causeIn(findings.find((each) => each.file === `controls/${file}` && each.text === text)!)
      assert.is(
        at('pl.csv', 'Rent'),
        `; entered since ${snapshotId}: entry 9 of 2025-02-28, 950.00 (ledger.csv:19); entry 15 of 2025-02-05, 60.00 (ledger.csv:31)` +
          `; removed since ${snapshotId}: entry 9 of 2025-02-28, 900.00 (ledger.csv:19); together exactly the difference`,
      )
      assert.is(
        at('by-class.csv', 'Rent'),
        `; exactly the amount of entry 15 of 2025-02-05, 60.00 (ledger.csv:31); entered since ${snapshotId}: entry 15 of 2025-02-05, 60.00 (ledger.csv:31)`,
      )
      assert.match(
        at('Balance Sheet.csv', 'Checking'),
        `entered since ${snapshotId}: entry 9 of 2025-02-28, -950.00`,
      )
    },
  ))

cases(test, new URL('cases/own-reports.yaml', import.meta.url))
