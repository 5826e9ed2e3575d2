/** A row that was deleted from a ledger with balances is told once, at the first balance that breaks. */
import * as assert from 'uvu/assert'
import { suite } from '../../suite.ts'
import { added } from '../../support/added.ts'
import {
  BOTH,
  CHARTS,
  erpnextLedger,
  netsuiteLedger,
  odooLedger,
  sage50Ledger,
} from '../../support/programs.ts'
import {
  checkWith,
  companyYaml,
  type Files,
  findingsOf,
  findingsText,
  ledgerCsv,
  only,
} from '../../support/workspace.ts'

const test = suite('deleted rows')

const errorOf = (files: Files) =>
  added(files, ({ built }) => {
    const errors = built.result.findings.filter(({ severity }) => severity === 'error')
    assert.is(errors.length, 1, findingsText(errors))
    return errors[0]!
  })
const without = (text: string, row: number): string =>
  text
    .split('\n')
    .filter((_, i) => i !== row - 1)
    .join('\n')

const LEDGERS = { odoo: odooLedger, erpnext: erpnextLedger, netsuite: netsuiteLedger, sage50: sage50Ledger }
const ROWS: readonly (readonly [
  program: keyof typeof LEDGERS,
  deleted: number,
  told: number,
  words: RegExp,
])[] = [
  ['odoo', 38, 38, /^transaction INV\/2025\/00001 of .* 3,000\.00; account 4000 stands at/],
  // No line is left of this account.
  ['odoo', 48, 48, /^transaction MISC\/2025\/00001 of .* -100\.00; Total 6100 .* to end with 100\.00/],
  ['erpnext', 7, 7, /^transaction PAY\/2025\/00002 .* 1,800\.00; account 1010 stands at/],
  [
    'netsuite',
    16,
    16,
    /^the entries of 2025-01-15 do not balance: 2,500\.00 too much on the debit side; account 1100/,
  ],
  [
    'netsuite',
    46,
    46,
    /^the entries of 2025-02-20 .* credit side; Total 5000 .* to end with 1,500\.00; .* make 0\.00$/,
  ],
  [
    'sage50',
    13,
    14,
    /^the entries of 2025-02-28 do not balance: 525\.00 too much on the debit side; account 1010/,
  ],
]
for (const [program, deleted, told, words] of ROWS)
  test(`${program}: without row ${deleted} it is row ${told} that breaks`, async () => {
    const text = without(LEDGERS[program](BOTH), deleted)
    const { row, message } = await errorOf({ 'gl.csv': text, 'chart.csv': CHARTS[program] })
    assert.is(row, told, message)
    assert.match(message, words)
  })

const QUICKBOOKS = `Acme
General Ledger
January 2025

,Date,Transaction Type,Num,Name,Memo/Description,Split,Amount,Balance
Checking,,,,,,,,
,Beginning Balance,,,,,,,100.00
,01/15/2025,Check,7,Ann,,x,-50.00,50.00
,01/20/2025,Check,8,Ann,,x,-20.00,30.00
Total for Checking,,,,,,,-70.00,
Accounts Payable (A/P),,,,,,,,
,Beginning Balance,,,,,,,100.00
,01/10/2025,Bill,1,Ann,,x,10.00,110.00
,01/15/2025,Check,7,Ann,,x,-50.00,60.00
,01/20/2025,Check,8,Ann,,x,-20.00,40.00
Total for Accounts Payable (A/P),,,,,,,-60.00,
Rent,,,,,,,,
,01/10/2025,Bill,1,Ann,,x,10.00,10.00
Total for Rent,,,,,,,10.00,
"Accrual Basis Tuesday, January 7, 2026 10:12 AM GMT-05:00"
`
test('quickbooks: the first balance below the row that is missing, in its own account', async () => {
  const list =
    'Account #,Full name,Type,Detail type,Description,Total balance\n,Checking,Bank,Checking,,\n,Accounts Payable (A/P),Accounts payable (A/P),Accounts Payable (A/P),,\n,Rent,Expenses,Rent,,\n'
  const found = await errorOf({ 'gl.csv': without(QUICKBOOKS, 14), 'list.csv': list })
  assert.equal([found.code, found.row, found.column], ['unbalanced-transaction', 14, 'Balance'])
  assert.is(
    found.message,
    'the entries of 2025-01-15 do not balance: 50.00 too much on the credit side; Accounts Payable (A/P) stands at 40.00 in row 14; what it brings forward and its entries make 90.00',
  )
})

const SALE = (year: number) => `${year}a ${year}-06-01 bank 10; ${year}a ${year}-06-01 sales -10`
test('many accounts whose opening was not carried have one cause, and are one finding that names them', () => {
  const codes = ['bank', 'debtors', 'plant', 'creditors', 'loan', 'capital']
  const opening = (day: string, by: number) =>
    codes.map((id, i) => `o${day} ${day} ${id} ${i < 3 ? 100 + by : -100 - by}`).join('; ')
  return checkWith(
    {
      'company.yaml': companyYaml('opening: { transactions: [o2024-01-01, o2025-01-01] }'),
      'ledger.csv': ledgerCsv(
        `${opening('2024-01-01', 0)}; ${SALE(2024)}; ${opening('2025-01-01', 7)}; ${SALE(2025)}`,
      ),
    },
    ({ result }) => {
      const found = only(result.findings, 'opening-not-carried')
      assert.match(
        found.message,
        /^account 1000 Bank opens 2025-01-01 with 107\.00, but 110\.00 was carried: a difference of -3\.00; 5 more accounts differ: 1100 by 7\.00, /,
      )
    },
  )
})

test('an account without a number is called by its id, once', async () => {
  const files = {
    'company.yaml': companyYaml('opening: { transactions: [o1, o2] }'),
    'chart.csv':
      'id,name,classification,type\nEUR Bank,EUR Bank,Asset,Bank\nCapital,Capital,Equity,Capital\nRent,Rent,Expense,Expense\n',
    'ledger.csv': [
      'transaction_id,date,account,amount',
      'o1,2024-01-01,EUR Bank,100.00',
      'o1,2024-01-01,Capital,-100.00',
      '1,2024-06-01,EUR Bank,-150.00',
      '1,2024-06-01,Rent,150.00',
    ].join('\n'),
  }
  const overdrawn = only(await findingsOf(files), 'abnormal-balance')
  assert.match(overdrawn.message, /^account EUR Bank is overdrawn/)
  const ledger = `${files['ledger.csv']}\no2,2025-01-01,EUR Bank,-50.00\no2,2025-01-01,Capital,50.00\n2,2025-02-01,EUR Bank,1.00\n2,2025-02-01,Capital,-1.00\n`
  const found = await findingsOf({
    ...files,
    'ledger.csv': ledger
      .replace('EUR Bank,-50.00', 'EUR Bank,-60.00')
      .replace('Capital,50.00', 'Capital,60.00'),
  })
  const carried = found.find(({ code, text }) => code === 'opening-not-carried' && text === 'EUR Bank')
  assert.match(carried!.message, /^account EUR Bank opens 2025-01-01 with -60\.00/)
})
