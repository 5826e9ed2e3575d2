/**
 * Lines that a program lists and never posts do not count, unasked: they are reported with their number and amount. The inputs are small
 * exports with such lines; what is right was worked out by hand.
 */
import * as assert from 'uvu/assert'
import { suite } from '../../suite.ts'
import { added } from '../../support/added.ts'
import { column } from '../../support/fields.ts'
import { foundIn } from '../../support/readings.ts'
import type { Files } from '../../support/workspace.ts'

const rows = suite('rows that a program never counts')

interface Told {
  readonly errors: readonly string[]
  readonly leftOut: readonly string[]
  readonly questions: readonly string[]
  /** The last month's; null where nothing is published. */
  readonly netIncome: string | null
}

/** As a new user does: add the files, answer what is asked, build. */
const toldOf = (files: Files, answers: Readonly<Record<string, string>> = {}): Promise<Told> =>
  added(
    files,
    ({ yaml, built: { result, statement } }) => ({
      errors: result.findings.flatMap(({ severity, code, message }) =>
        severity === 'error' ? [`${code}: ${message}`] : [],
      ),
      leftOut: column(foundIn(result, 'rows-left-out'), 'message'),
      questions: [...yaml.matchAll(/^.*FILL IN.*$/gm)].map(([line]) => line.trim()),
      netIncome:
        result.snapshotId === null ? null : (statement('ProfitAndLoss').totals.NetIncome?.at(-1) ?? null),
    }),
    { basis: 'accrual', dateFormat: 'MM/DD/YYYY', classification: 'Equity', ...answers },
  )

const CSV_CHART = `id,number,name,classification,type
1000,1000,Bank,Asset,Bank
1100,1100,Debtors,Asset,AccountsReceivable
3000,3000,Capital,Equity,Capital
4000,4000,Sales,Income,Sales
6000,6000,Rent,Expense,Expense
`
const QBO_ACCOUNTS = `Account List,,,
Account #,Full name,Type,Detail type
1010,Checking,Bank,Checking
1200,A/R,Accounts receivable (A/R),Accounts Receivable (A/R)
3100,Retained Earnings,Equity,Retained Earnings
4000,Sales,Income,Sales of Product Income
`
const quickBooks = (estimate: string) => `Acme LLC,,,,,,,,,
Transaction Detail by Account,,,,,,,,,
"January 1 - March 31, 2025",,,,,,,,,
,,,,,,,,,
,Date,Transaction Type,Num,Posting,Name,Memo/Description,Split,Amount,Balance
1010 Checking,,,,,,,,,
,03/21/2025,Deposit,,Yes,Cust,sale,4000 Sales,500.00,500.00
Total for 1010 Checking,,,,,,,,500.00,
1200 A/R,,,,,,,,,
,03/22/2025,${estimate},7,No,Cust,quote,4000 Sales,900.00,900.00
Total for 1200 A/R,,,,,,,,900.00,
4000 Sales,,,,,,,,,
,03/21/2025,Deposit,,Yes,Cust,sale,1010 Checking,500.00,500.00
,03/22/2025,${estimate},7,No,Cust,quote,1200 A/R,900.00,1400.00
Total for 4000 Sales,,,,,,,,1400.00,
,,,,,,,,,
"Accrual basis Monday, April 7, 2025 10:00 AM GMT-05:00",,,,,,,,,
`

rows('QuickBooks: what is not posted, and estimates: in the totals, not in the books', async () => {
  for (const text of [quickBooks('Estimate'), quickBooks('Invoice')]) {
    const told = await toldOf({ 'td.csv': text, 'al.csv': QBO_ACCOUNTS })
    assert.equal(told.errors, [])
    assert.is(told.netIncome, '500.00')
    assert.match(told.leftOut.join(), /^2 lines of 1,800\.00 altogether are left out/)
  }
  const broken = await toldOf({
    'td.csv': quickBooks('Estimate').replace(',1400.00,\n', ',1410.00,\n'),
    'al.csv': QBO_ACCOUNTS,
  })
  assert.match(broken.errors.join(), /1,410\.00/)
})

const ODOO_ACCOUNTS = `Code,Account Name,Type
101000,Bank,Bank and Cash
121000,Receivable,Receivable
301000,Capital,Equity
400000,Sales,Income
`
const ODOO = `Date,Journal Entry,Account,Partner,Label,Debit,Credit,Balance
2025-01-05,MISC/2025/0001,101000 Bank,,Start,5000.00,0.00,5000.00
2025-01-05,MISC/2025/0001,301000 Capital,,Start,0.00,5000.00,-5000.00
2025-01-15,INV/2025/00001,121000 Receivable,Cust,Inv,700.00,0.00,700.00
2025-01-15,INV/2025/00001,400000 Sales,Cust,Inv,0.00,700.00,-700.00
`
const drafts = (
  first: string,
  second: string,
) => `${ODOO}2025-01-20,${first},121000 Receivable,Cust,Inv,900.00,0.00,900.00
2025-01-20,${first},400000 Sales,Cust,Inv,0.00,900.00,-900.00
2025-01-21,${second},121000 Receivable,Cust,Inv,30.00,0.00,30.00
2025-01-21,${second},400000 Sales,Cust,Inv,0.00,30.00,-30.00
`
/** With a last column that has this value in the first rows, and that in the others. */
const withStatus = (text: string, posted: string, draft: string): string =>
  text
    .trim()
    .split('\n')
    .map((line, i) => `${line},${i === 0 ? 'Status' : i < 5 ? posted : draft}\n`)
    .join('')

rows('Odoo: drafts by their number, and by their status in the languages that are read', async () => {
  const numbered = drafts('Draft Invoice (* 15)', '/')
  const stated = (posted: string, draft: string) =>
    withStatus(drafts('INV/2025/00002', 'INV/2025/00003'), posted, draft)
  for (const text of [
    numbered,
    stated('Posted', 'Draft'),
    stated('Comptabilisé', 'Brouillon'),
    stated('Gebucht', 'Entwurf'),
    stated('Publicado', 'Borrador'),
    stated('posted', 'cancel'),
  ]) {
    const told = await toldOf({ 'ji.csv': text, 'accounts.csv': ODOO_ACCOUNTS })
    assert.equal(told.errors, [])
    assert.is(told.netIncome, '700.00')
    assert.match(told.leftOut.join(), /^4 lines of 1,860\.00 altogether are left out/)
  }
  const unknown = await toldOf({ 'ji.csv': stated('Posted', 'Zwischenstand'), 'accounts.csv': ODOO_ACCOUNTS })
  assert.match(unknown.errors.join(), /meaning-of-column: "Status" holds Posted \(4\), Zwischenstand \(4\)/)
})

rows('the amount of the company beside a canonical amount is asked, and mapped', async () => {
  const files = {
    'chart.csv': CSV_CHART,
    'gl.csv': `transaction_id,date,account,amount,Amount (LCY)
1,2025-01-05,1000,5000,5000
1,2025-01-05,3000,-5000,-5000
2,2025-01-15,1000,100,110
2,2025-01-15,4000,-100,-110
`,
  }
  const asked = await toldOf(files)
  assert.equal(asked.errors, [
    'meaning-of-column: "Amount (LCY)" differs from "amount", which is read, on 2 of 4 rows: which of them is in the currency of the company?',
  ])
  assert.is(asked.netIncome, null)
  const mapped = await toldOf(files, { basis: 'accrual, columns: { amount: Amount (LCY) }' })
  assert.equal([mapped.errors, mapped.netIncome], [[], '110.00'])
})

rows('rows of another scenario, or of another company, are asked', async () => {
  const lines = (header: string, mine: string, other: string) => `transaction_id,date,account,amount,${header}
1,2025-01-05,1000,1000.00,${mine}
1,2025-01-05,3000,-1000.00,${mine}
2,2025-01-15,6000,30.00,${mine}
2,2025-01-15,1000,-30.00,${mine}
3,2025-01-20,6000,90.00,${other}
3,2025-01-20,1000,-90.00,${other}
`
  for (const [header, mine, other] of [
    ['scenario', 'Actual', 'Budget'],
    ['company', 'Acme Ltd', 'Beta Ltd'],
  ] as const) {
    const files = { 'chart.csv': CSV_CHART, 'gl.csv': lines(header, mine, other) }
    const answered = await toldOf(files, { [header]: `[${other}]` })
    assert.match(answered.questions.join(), `${header} holds ${mine} (4), ${other} (2)`)
    assert.equal([answered.errors, answered.netIncome], [[], '-30.00'])
  }
})
