/** Dates of ledgers in the forms that programs write: read where the file shows how, asked where it does not. */

import * as assert from 'uvu/assert'
import { suite } from '../suite.ts'
import { cases } from '../support/case-file.ts'
import { buildWith, companyYaml } from '../support/workspace.ts'
import { day, workbook } from './folder.ts'

const dates = suite('dates of ledgers')

const ledger = (file: string, more: string) => `ledger: [{ files: ${file}, basis: accrual${more} }]\n`
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

cases(dates, new URL('cases/ledger-dates.yaml', import.meta.url))
