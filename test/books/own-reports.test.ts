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
import { chosen } from '../seed.ts'
import { suite } from '../suite.ts'
import { inPublished } from '../support/published.ts'
import {
  buildWith,
  CHART as CHART_OF_ALL,
  COMPANY,
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

test('every figure agrees, and is counted', () =>
  buildWith(files(REPORTS), ({ result }) => {
    assert.equal(codes(result.findings.filter(({ severity }) => severity !== 'note')), [])
    assert.equal(
      Object.fromEntries(result.reportsAgreed.map(({ file, figures }) => [file, figures])),
      Object.fromEntries(
        Object.entries(REPORTS).map(([name, text]) => [`controls/${name}`, text.match(AMOUNT)!.length]),
      ),
    )
  }))

/** The text with each of its amounts changed by a cent. */
const changed = (text: string): { row: number; text: string }[] =>
  [...text.matchAll(AMOUNT)].map(({ index, 0: amount }) => {
    const at = index + amount.length - 1
    const digit = amount.endsWith('9') ? '8' : String(Number(amount.at(-1)) + 1)
    return { row: text.slice(0, at).split('\n').length, text: text.slice(0, at) + digit + text.slice(at + 1) }
  })

for (const [name, text] of Object.entries(REPORTS))
  test(`a cent anywhere in ${name} is found at its row`, async () => {
    const cases = chosen(changed(text))
    const named = cases.map((each, i) => [name.replace('.csv', ` (${i}).csv`), each.text] as const)
    const findings = await findingsOf(files(Object.fromEntries(named)))
    const unseen = cases.filter(
      ({ row }, i) =>
        !findings.some(
          (found) =>
            found.severity === 'error' && found.file === `controls/${named[i]![0]}` && found.row === row,
        ),
    )
    assert.ok(cases.length > 0)
    assert.equal(
      unseen.map(({ row }) => row),
      [],
    )
  })

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
  await buildWith(await of(sheet), ({ result }) =>
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

const WEST = `Profit and Loss
Cascade Trail LLC
"January-March, 2025"

,Total
Income
Design income,2250.00
Landscaping Services,400.00
Job Materials,75.00
Total Landscaping Services,475.00
Total Income,2725.00
Net Income,2725.00
`
test('a report of one class is named as such, whether the file says so or not', async () => {
  for (const text of [WEST, WEST.replace('"January', 'Class: West\n"January')])
    await buildWith(files({ 'pl.csv': text }), ({ result }) => {
      const found = only(result.findings, 'report-filtered')
      assert.is(found.severity, 'warning')
      assert.match(found.message, 'is of class West alone: all 6 figures agree')
      assert.equal(
        result.reportsAgreed.map(({ of, figures }) => [of, figures]),
        [['class West', 6]],
      )
    })
})

test('a class is found among however many there are, and with those below it', async () => {
  const others = Array.from({ length: 150 }, (_, i) => `c${i},Class ${i},\n`).join('')
  const all = files({ 'pl.csv': WEST })
  const classes = { 'classes.csv': `id,name,parent\n${others}coast,Coast,\nwest,West,coast\neast,East,\n` }
  await buildWith({ ...all, ...classes }, ({ result }) =>
    assert.match(only(result.findings, 'report-filtered').message, 'is of class Coast alone'),
  )
})

test('a report of the other basis is named as such', async () => {
  only(await findingsOf(files({ 'pl.csv': ONLINE.replace('Accrual Basis', 'Cash Basis') })), 'report-basis')
  const both = ledgerCsv('1 2025-01-15 bank 9.00; 1 2025-01-15 sales -9.00')
    .replace('department\n', 'department,basis\n')
    .replaceAll(',\n', ',,cash\n')
  const rows = `${both.trim()}\n1,2025-01-15,bank,10.00,,,accrual\n1,2025-01-15,sales,-10.00,,,accrual\n`
  const text =
    'Profit and Loss\nJanuary 2025\n\n,Total\nIncome\nSales,9.00\nTotal Income,9.00\nNet Income,9.00\n'
  await buildWith({ 'ledger.csv': rows, 'controls/pl.csv': text }, ({ result }) => {
    assert.match(
      only(result.findings, 'report-basis').message,
      'is of the cash basis alone: all 3 figures agree',
    )
  })
})

test('an account without a line, one that the books lack, and months that they do not hold are said', async () => {
  const without = ONLINE.replace(/^Rent.*\n/m, '')
  const found = (await findingsOf(files({ 'pl.csv': without }))).filter(({ row }) => row === 5)
  assert.match(
    found[0]!.message,
    '6000 Rent, 2025-02: the profit and loss has no such line, the books give 900.00',
  )
  const more = ONLINE.replace('Rent,', 'Parking,,1.00,,1.00\nRent,')
  const unknown = only(await findingsOf(files({ 'pl.csv': more })), 'report-not-read')
  assert.equal([unknown.row, unknown.text], [20, 'Parking'])
  const early = ONLINE.replaceAll(/(?<=[A-Z][a-z]+(?:-March,)? )2025/g, '2023')
  only(await findingsOf(files({ 'pl.csv': early })), 'report-outside')
  only(await findingsOf(files({ 'notes.csv': 'a,b\n1,2\n' })), 'report-not-read')
  const nested = only(await findingsOf(files({ '2025/notes.csv': 'a,b\n1,2\n' })), 'report-not-read')
  assert.is(nested.file, 'controls/2025/notes.csv')
})

test('a snapshot with own reports verifies', () =>
  inPublished(files({ 'pl.csv': ONLINE, 'Balance Sheet.csv': BALANCE }), async (workspace) => {
    const { verified } = await verifyCompanies(workspace.snapshots, [COMPANY], { figures: true, known: null })
    assert.ok(verified)
  }))

const SHORT = `Profit and Loss
"January-March, 2025"

,Total
Income
Sales,950.00
Gross Profit,950.00
Expenses
Insurance,300.00
Total Expenses,300.00
Net Income,650.00
`
const SHORT_BALANCE = `Balance Sheet
"As of March 31, 2025"

,Total
Assets
Bank,650.00
Total Assets,650.00
Equity
Net Income,650.00
Total Equity,650.00
Total Liabilities and Equity,650.00
`
const SHORT_AGED = `A/R Aging Summary
"As of March 31, 2025"

Customer,Current,Total
Grand,40.00,40.00
Grand Total,40.00,40.00
`
/** A small company, with an account on each statement that is called Insurance. */
const small = (report: string): Files => ({
  'chart.csv': `${CHART_OF_ALL}prepaid,1300,Insurance,Asset,OtherCurrentAsset\ninsurance,6300,Insurance,Expense,Expense\n`,
  'ledger.csv': ledgerCsv(
    '1 2025-01-15 bank 950.00; 1 2025-01-15 sales -950.00; 2 2025-03-15 insurance 300.00; 2 2025-03-15 bank -300.00',
  ),
  'company.yaml': companyYaml('classes: classes.csv'),
  'classes.csv': 'id,name\nempty,Empty\n',
  'controls/report.csv': report,
})

test('an account is that of the statement, where the other statement has a namesake; year to date is a period', async () => {
  for (const report of [SHORT, SHORT_BALANCE, SHORT.replace('Total', 'Jan - Mar 2025 (YTD)')])
    await buildWith(small(report), ({ result }) => assert.equal(codes(result.findings), []))
})

test('a section that is an account is on the side of that account, whatever its name', async () => {
  const chart = `${CHART.trim()}\nyard,1600,Capital improvements,Asset,FixedAsset,\npath,1610,Path,Asset,FixedAsset,yard\n`
  const ledger = ledgerCsv('1 2025-01-15 path 30.00; 1 2025-01-15 loan -30.00')
  const report = `Balance Sheet\n"As of January 31, 2025"\n\n,Total\nAssets\nCapital improvements,\nPath,30.00
Total Capital improvements,30.00\nTotal Assets,30.00\nLiabilities\nNotes Payable,30.00\nTotal Liabilities,30.00
Total Liabilities and Equity,30.00\n`
  const given = { 'chart.csv': chart, 'ledger.csv': ledger, 'controls/report.csv': report }
  await buildWith(given, ({ result }) => assert.is(result.reportsAgreed[0]?.figures, 6))
})

const BESIDE: Readonly<Record<string, [report: string, label: string]>> = {
  'a net income that is the result of its last lines alone': [
    SHORT.replace('Income,650', 'Income,-300'),
    'Net Income',
  ],
  'a line that is there twice, with totals that count it twice': [
    SHORT.replace('Insurance,300.00\n', 'Insurance,300.00\nInsurance,300.00\n')
      .replace('Expenses,300', 'Expenses,600')
      .replace('650', '350'),
    'Total Expenses',
  ],
  'a balance sheet without the result of the year, with totals that lack it too': [
    SHORT_BALANCE.replace('Net Income,650.00\n', '')
      .replace('Total Equity,650', 'Total Equity,0')
      .replace('Equity,650', 'Equity,0'),
    'Result of the year',
  ],
  'a report of zeros, with which each class without entries would agree': [
    SHORT.replaceAll(/\d+\.00/g, '0.00'),
    'Sales',
  ],
  'the total of an aged list with a party of that name': [SHORT_AGED, 'Grand Total'],
}
for (const [name, [report, label]] of Object.entries(BESIDE))
  test(`${name} differs from the books`, async () => {
    const found = (await findingsOf(small(report))).filter(({ code }) => code === 'report-differs')
    assert.is(found[0]?.text, label)
  })

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
const differing = (findings: readonly Finding[], row: number): Finding =>
  findings.find((found) => found.code === 'report-differs' && found.row === row)!

test('a difference that is one entry, or what another account has, is named with file and row', async () => {
  const fees = await findingsOf(files({ 'pl.csv': ONLINE.replaceAll('262.34', '268.01') }))
  assert.is(causeIn(differing(fees, 19)), '; exactly the amount of 8000 Interest earned')
  const paid = AGED.replace(/^Ann.*\n/m, '').replace(
    '75.00,0.00,0.00,2000.50,0.00,2075.50',
    ',,,2000.50,,2000.50',
  )
  const early = differing(await findingsOf(files({ 'aged.csv': paid })), 10)
  assert.is(causeIn(early), '; exactly the amount of entry 10 of 2025-03-05, 75.00 (ledger.csv:21)')
  assert.match(early.message, /exactly the amount of \[…\]$/)
})

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

test('where report and export say it, entries made since the report are named', async () => {
  const [header = '', ...rows] = LEDGER.trim().split('\n')
  const days = rows.map((row) => `${row},${row.startsWith('9,') ? '2025-04-03' : '2025-03-31'}`)
  const found = await findingsOf({
    ...files({ 'pl.csv': ONLINE.replace('Rent,,900.00,,900.00', 'Rent,,899.00,,899.00') }),
    'ledger.csv': `${[`${header},entered_on`, ...days].join('\n')}\n`,
  })
  assert.is(
    causeIn(differing(found, 20)),
    '; entered on 2025-04-03, when the report was made, or later: entry 9 of 2025-02-28, 900.00 (ledger.csv:19)',
  )
})
