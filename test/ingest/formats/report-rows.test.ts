/** Lines of reports as rows, however the text is written; and a workbook's as a text's. */

import * as assert from 'uvu/assert'
import { formatCalled } from '../../../builder/ingest/formats.ts'
import { decodeText } from '../../../builder/ingest/text/decode.ts'
import { recordsIn } from '../../../builder/ingest/text/delimited.ts'
import type { LedgerFormat } from '../../../builder/workspace/company.ts'
import { suite } from '../../suite.ts'
import { column } from '../../support/fields.ts'
import { companyOf, type Files, foundIn, readingOf, rowsIn } from '../../support/readings.ts'
import { workbookOf } from '../../support/report-files.ts'
import { seedOf } from '../fuzz/corpus.ts'

const test = suite('rows of reports')

/** The corpus of a program, and the program. */
const CORPORA: Readonly<Record<string, LedgerFormat>> = {
  'business-central': 'business-central',
  erpnext: 'erpnext',
  gnucash: 'gnucash',
  netsuite: 'netsuite',
  odoo: 'odoo',
  quickbooks: 'quickbooks',
  'quickbooks-desktop': 'quickbooks',
  'quickbooks-journal': 'quickbooks',
  sage50: 'sage50',
  xero: 'xero',
  'xero-2': 'xero',
}

/** The same files as sheets of workbooks. */
const asWorkbooks = (files: Files): Files =>
  Object.fromEntries(
    Object.entries(files).map(([path, text]) => {
      const rows = recordsIn(decodeText(text as Buffer).text, ',', () => {}).map(({ cells }) => cells)
      return [path.replace('.csv', '.xlsx'), workbookOf({ Report: rows })]
    }),
  )

for (const [corpus, program] of Object.entries(CORPORA))
  test(`${corpus}: a workbook has the rows of the text`, async () => {
    const { 'company.yaml': yaml, ...files } = seedOf(corpus)
    const company = companyOf(yaml!.toString('utf8'))
    const rows = rowsIn(await readingOf(formatCalled(program), company, files))
    assert.ok(rows.length > 10)
    assert.equal(rowsIn(await readingOf(formatCalled(program), company, asWorkbooks(files))), rows)
  })

/** A general ledger of QuickBooks Online: accounts with sub-accounts, so many lines in each. */
function nestedLedger(lines: number): string {
  const rows = [
    'Acme',
    'General Ledger',
    'January 2025',
    '',
    ',Date,Transaction Type,Num,Name,Memo/Description,Split,Amount,Balance',
  ]
  const money = (minor: number) => `"${(minor / 100).toLocaleString('en-US', { minimumFractionDigits: 2 })}"`
  const account = (name: string, sign: 1 | -1, opening: number | null = null) => {
    let balance = opening ?? 0
    rows.push(name)
    if (opening !== null) rows.push(`,Beginning Balance,,,,,,,${money(opening)}`)
    for (let i = 0; i < lines; i++) {
      balance += sign * 1050
      const day = `01/${String((i % 28) + 1).padStart(2, '0')}/2025`
      rows.push(
        `,${day},Invoice,${i},Peña & Søn,"Goods, ""best""\n of all",-Split-,${money(sign * 1050)},${money(balance)}`,
      )
    }
    rows.push(`Total for ${name},,,,,,,${money(balance - (opening ?? 0))},`)
    return balance - (opening ?? 0)
  }
  account('1000 Bank', 1, 500_000)
  account('4000 Sales', 1)
  const travel0 = account('Travel', 1)
  const inside = [account('Flights', 1), account('Hotels', 1)]
  rows.push(`Total for Travel with sub-accounts,,,,,,,${money(travel0 + inside[0]! + inside[1]!)},`)
  account('6000 Other', -1)
  return `${rows.join('\n')}\n\nAccrual Basis Monday, February 3, 2025 09:00 AM GMT\n`
}

const ONLINE = companyOf(
  `id: acme
name: Acme
fiscalMonthEnd: 12
currency: USD
accounts: { "1000": { classification: Asset, type: Bank }, "4000": { classification: Income, type: Sales }, "6000": { classification: Expense, type: Expense }, Travel: { classification: Expense, type: Expense }, "Travel:Flights": { classification: Expense, type: Expense }, "Travel:Hotels": { classification: Expense, type: Expense } }
ledger: [{ files: "*.csv", dateFormat: MM/DD/YYYY }]
`,
)
const online = (text: string | Buffer) => readingOf(formatCalled('quickbooks'), ONLINE, { 'gl.csv': text })

test('each line that names no account is told of', async () => {
  const text = nestedLedger(20)
  const header = text.indexOf('1000 Bank')
  const [line = ''] = /^,01\/\d\d\/2025,Invoice[^\n]*\n[^\n]*\n/m.exec(text) ?? []
  const without = text.slice(0, header) + line.repeat(5) + text.slice(header)
  assert.equal(column(foundIn(await online(without), 'missing-account'), 'row'), [6, 7, 8, 9, 10])
})
