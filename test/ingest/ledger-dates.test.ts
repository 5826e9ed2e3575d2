/** Dates of ledgers in the forms that programs write: read where the file shows how, asked where it does not. */
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { recognise } from '../../builder/ingest/add/recognise.ts'
import { suite } from '../suite.ts'
import { buildWith, checkWith, companyYaml, type Files, only } from '../support/workspace.ts'
import { day, inFolder, workbook } from './folder.ts'

const dates = suite('dates of ledgers')

/** The balance of the bank at the end of each month. */
const bank = (files: Files, settings = '') =>
  buildWith(
    { 'company.yaml': companyYaml(`opening: none\n${settings}`), ...files },
    ({ result, statement }) => {
      assert.is(result.outcome, 'published', JSON.stringify(result.findings))
      const { months, rows } = statement('BalanceSheet', {})
      return months.map((month, i) => `${month} ${rows.bank?.[i]}`)
    },
  )
const ledger = (file: string, more: string) => `ledger: [{ files: ${file}, basis: accrual${more} }]\n`
const csv = (...days: string[]) =>
  `transaction_id;date;account;amount\n${days.map((text, i) => `${i};${text};bank;10.00\n${i};${text};sales;-10.00\n`).join('')}`
/** What tieout add finds of the dates. */
const proposed = (text: string) =>
  inFolder({ 'a.csv': text }, async (folder) => {
    const known = await recognise(join(folder, 'a.csv'))
    return 'form' in known ? known.form.dates.formats : []
  })

for (const [format, days] of [
  ['SERIAL', ['45688', '45690']],
  ['YYYY-MM-DDThh:mm:ssZ', ['2025-01-31T23:30:00Z', '2025-02-02T08:00:00Z']],
  ['DD-MMM-YY', ['31-janv.-25', '02-févr.-25']],
  ['DD MMM YYYY', ['31 Januar 2025', '02 Februar 2025']],
] as const)
  dates(`days in the form ${format}, which tieout add finds`, async () => {
    assert.equal(await proposed(csv(...days)), [format])
    const more = `, delimiter: ";", dateFormat: "${format}"`
    const settings = companyYaml('opening: none').replace(/^ledger:.*$/m, ledger('a.csv', more).trim())
    assert.equal(await bank({ 'company.yaml': settings, 'a.csv': csv(...days) }), [
      '2025-01 10.00',
      '2025-02 20.00',
    ])
  })

const sheet = (days: readonly (Date | string)[]) =>
  workbook({
    Sheet1: [
      ['transaction_id', 'date', 'account', 'amount'],
      ...days.flatMap((date, i) => [
        [String(i), date, 'bank', 10],
        [String(i), date, 'sales', -10],
      ]),
    ],
  })
for (const [what, columns] of [
  ['a canonical ledger', ''],
  [
    'a mapped ledger',
    ', columns: { transaction_id: transaction_id, date: date, account: account, amount: amount }, skip: { account: [none] }',
  ],
] as const)
  dates(`days and months that a spreadsheet exchanged are refused: ${what}`, async () => {
    const settings = companyYaml('opening: none').replace(
      /^ledger:.*$/m,
      ledger('a.xlsx', `, dateFormat: DD/MM/YYYY${columns}`).trim(),
    )
    const build = async (days: readonly (Date | string)[]) =>
      buildWith({ 'company.yaml': settings, 'a.xlsx': await sheet(days) }, ({ result }) => result)
    const swapped = await build([day('2025-05-01'), day('2025-03-02'), '15/02/2025', '28/02/2025'])
    assert.is(swapped.outcome, 'refused')
    const [finding] = swapped.findings.filter(({ code }) => code === 'swapped-days')
    assert.equal([finding?.row, finding?.text], [2, '2025-05-01'])
    assert.match(finding?.message ?? '', '2025-01-05')
    const plain = await build([day('2025-05-01'), day('2025-03-20'), '15/02/2025'])
    assert.is(plain.outcome, 'published', JSON.stringify(plain.findings))
  })

dates('a period of adjustments is the posting period that the company says', async () => {
  const text =
    'transaction_id,date,account,amount,period\n1,2024-12-15,bank,10.00,2024-12\n1,2024-12-15,sales,-10.00,2024-12\n2,2025-01-10,bank,-1.00,FY 2024 Adj\n2,2025-01-10,sales,1.00,FY 2024 Adj\n3,2025-01-10,bank,5.00,2025-01\n3,2025-01-10,sales,-5.00,2025-01\n'
  const refused = await checkWith(
    { 'company.yaml': companyYaml('opening: none'), 'ledger.csv': text },
    ({ result }) => result,
  )
  // Both rows are one mistake.
  const finding = only(refused.findings, 'unreadable-period')
  assert.match(finding.message, 'so it is on 2 rows')
  assert.match(finding.remedy ?? '', 'adjustmentPeriods: { FY 2024 Adj: 2024-13 }')
  const odd = await buildWith(
    {
      'company.yaml': companyYaml('opening: none'),
      'ledger.csv': text.replaceAll('FY 2024 Adj', 'FY24: Adj'),
    },
    ({ result }) => result,
  )
  const [quoted] = odd.findings.filter(({ code }) => code === 'unreadable-period')
  assert.match(quoted?.remedy ?? '', 'adjustmentPeriods: { "FY24: Adj": 2025-13 }')
  const balances = await bank({ 'ledger.csv': text }, 'adjustmentPeriods: { FY 2024 Adj: 2024-13 }')
  assert.equal(balances.slice(-2), ['2024-12 9.00', '2025-01 14.00'])
})
