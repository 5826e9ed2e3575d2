/** Budgets as people and programs lay them out: titles, sections, subtotals of rows and columns, accounts by name. */
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { recognise } from '../../../builder/ingest/add/recognise.ts'
import { suite } from '../../suite.ts'
import { column } from '../../support/fields.ts'
import { errors, inFolder, ingestWith, only } from '../folder.ts'

const sheets = suite('sheets of budgets')

const CHART = `id,number,name,classification,type,parent
bank,1000,Bank,Asset,Bank,
loan,2000,Loan,Liability,LongTermLiability,
design,4000,Design income,Income,Sales,
land,4100,Landscaping Services,Income,Sales,
jobs,4110,Job Materials,Income,Sales,land
plants,4111,Plants and Soil,Income,Sales,jobs
other1,4190,Other,Income,Sales,land
cogs,5000,Cost of Goods Sold,CostOfSales,CostOfSales,
rent,6000,Rent,Expense,Expense,
depr,6900,Depreciation,Expense,Depreciation,
auto,6100,Automobile,Expense,Expense,
fuel,6110,Fuel,Expense,Expense,auto
other2,6190,Other,Expense,Expense,auto
interest,8000,Interest earned,OtherIncome,OtherIncome,
`
const read = (text: string, settings: object = {}, company: object = {}) =>
  ingestWith(
    { budgets: [{ id: 'b', name: 'B', files: 'b.csv', ...settings }], ...company },
    {
      'b.csv': text,
      'chart.csv': CHART,
      'ledger.csv':
        'transaction_id,date,account,debit,credit\n1,2025-01-15,1000,100.00,\n1,2025-01-15,4000,,100.00\n',
    },
  )
type Intake = Awaited<ReturnType<typeof read>>
const figures = ({ budgets }: Intake) =>
  [...budgets[0]!.rows].map(({ account, month, amount }) => `${account} ${month.slice(5)} ${amount}`)

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

sheets('QuickBooks Online: Budget Overview as it is exported', async () => {
  const intake = await read(OVERVIEW, { thousands: ',' })
  assert.equal(errors(intake), [])
  assert.equal(
    figures(intake).filter((line) => line.includes(' 01 ')),
    [
      'design 01 1000.00',
      'land 01 10.00',
      'plants 01 200.00',
      'other1 01 5.00',
      'cogs 01 100.00',
      'fuel 01 50.00',
      'other2 01 1.00',
      'rent 01 400.00',
      'interest 01 1.00',
    ],
  )
})

sheets('Budget Overview: whatever contradicts a total is refused', async () => {
  const lines = OVERVIEW.split('\n')
  const numbered = lines.flatMap((line, i) => (/\d\.\d\d/.test(line) && i > 4 ? [i] : []))
  const ways: [string, (line: string) => string][] = [
    ['amount changed', (line) => line.replace(/(\d)\.(\d)\d"/, (_, a, b) => `${a}.${b}7"`)],
    ['deleted', () => ''],
    ['doubled', (line) => `${line}\n${line}`],
  ]
  for (const [name, change] of ways)
    for (const at of numbered) {
      const isTotal = /^" *(Total|Net|Gross)/.test(lines[at]!)
      const isEmpty = /"","","0.00"$/.test(lines[at]!)
      // A total that is not there states nothing, one that stands twice the same twice; a title without figures as well.
      if ((name !== 'amount changed' && isTotal) || (name !== 'amount changed' && isEmpty)) continue
      const intake = await read(lines.map((line, i) => (i === at ? change(line) : line)).join('\n'), {
        thousands: ',',
      })
      assert.ok(errors(intake).length > 0, `${name}: ${lines[at]}`)
    }
})

sheets('quarters, half-years, years and totals beside the months are held against them', async () => {
  const head = 'account,Jan 2025,Feb 2025,Mar 2025,Q1,Apr 2025,May 2025,Jun 2025,Q2 2025,H1 2025,Total\n'
  const sound = `${head}4000,1,2,3,6,4,5,6,15,21,21\n6000,1,1,1,3,1,1,1,3,6,6\nNet income,0,1,2,3,3,4,5,12,15,15\n1000,5,6,7,7,8,9,10,10,10,10\n`
  const intake = await read(sound)
  assert.equal(errors(intake), [])
  assert.is(figures(intake).length, 18)
  assert.ok(
    intake.findings.some(({ code, message }) => code === 'total-left-out' && message.includes('"H1 2025"')),
  )
  for (const [from, to, column] of [
    ['4000,1,2,3,6,', '4000,1,2,3,7,', 'Q1'],
    [',15,21,21\n', ',15,22,21\n', 'H1 2025'],
    [',15,21,21\n', ',16,21,21\n', 'Q2 2025'],
    ['4000,1,2,3,6,4,5,6,15,21,21', '4000,1,2,3,6,4,5,6,15,21,20', 'Total'],
    ['3,4,5,12,15,15', '3,4,5,12,15,16', 'Total'],
    ['8,9,10,10,10,10', '8,9,10,11,10,10', 'Q2 2025'],
  ] as const) {
    const found = only((await read(sound.replace(from, to))).findings, 'total-differs')
    assert.is(found.column, column)
  }
})

sheets('a year in the title, and a fiscal year', async () => {
  const calendar = await read('Budget 2026,,\naccount,Jan,Feb\n4000,1,2\n')
  assert.equal(column(calendar.budgets[0]!.rows, 'month'), ['2026-01', '2026-02'])
  const june = { fiscalMonthEnd: 6 }
  const fiscal = await read('Budget FY2026,,\naccount,Dec,Jan,Total\n4000,1,2,3\n', {}, june)
  assert.equal(column(fiscal.budgets[0]!.rows, 'month'), ['2025-12', '2026-01'])
  const two = await read('Budget 2025/26,,\naccount,Dec,Jan\n4000,1,2\n')
  assert.equal(column(two.budgets[0]!.rows, 'month'), ['2025-12', '2026-01'])
  const unclear = await read('Budget 2026,,\naccount,Dec,Jan\n4000,1,2\n')
  assert.equal(errors(unclear), ['unclear-period'])
})

sheets('accounts by number and name, by path, by name in a section; EBITDA is left out', async () => {
  const intake = await read(
    'Plan 2025,,,\n,2025-01,2025-02,Note\nRevenue,,,\n4000 Design income,100,100,\n4100 - Landscaping Services,10,,x\nTotal revenue,110,100,\n' +
      'Costs,,,\nRent (6000),40,40,\nAutomobile:Fuel,1,1,\nEBITDA,69,59,\n6900 · Depreciation,9,9,\nTotal costs,50,50,\nOperating income,60,50,\nGross margin %,54.5%,50%,\nHeadcount,3,4,\n',
  )
  assert.equal(errors(intake), [])
  assert.equal(
    figures(intake).filter((line) => line.includes(' 01 ')),
    ['design 01 100.00', 'land 01 10.00', 'rent 01 40.00', 'fuel 01 1.00', 'depr 01 9.00'],
  )
  const lines = only(
    intake.findings.filter(({ code }) => code === 'line-left-out'),
    'line-left-out',
  )
  assert.match(
    lines.message,
    /^2 rows are not accounts, .*: "Gross margin %" in row 14, "Headcount" in row 15$/,
  )
})

sheets('a line that could be an account names the nearest', async () => {
  const found = only(
    (await read(',2025-01,2025-02\nDesing income,1,2\nRent,1,1\n')).findings,
    'unknown-account',
  )
  assert.match(found.remedy!, 'is it Design income?')
  assert.equal(errors(await read(',2025-01,2025-02\nOther,1,2\nRent,1,1\n')), ['ambiguous-account'])
})

sheets('labels that are indented from column to column', async () => {
  const intake = await read(
    ',,,Jan 2025,Feb 2025\nIncome,,,,\n,Design income,,1,2\n,,Plants and Soil,3,4\nTotal Income,,,4,6\n',
  )
  assert.equal(errors(intake), [])
  assert.equal(figures(intake), ['design 01 1.00', 'design 02 2.00', 'plants 01 3.00', 'plants 02 4.00'])
})

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
