/** A ledger in which nothing moves between accounts: another column was read as the account. */

import * as assert from 'uvu/assert'
import { suite } from '../suite.ts'
import { buildWith, CHART, codes, companyYaml, findingsOf, ledgerCsv, only } from '../support/workspace.ts'

const test = suite('nothing moves')

const STILL = ledgerCsv(
  '1 2025-01-15 bank 100.00; 1 2025-01-15 bank -100.00; 2 2025-02-15 till 5.00; 2 2025-02-15 till -5.00',
)
const MOVING = ledgerCsv('3 2025-01-15 bank 100.00; 3 2025-01-15 sales -100.00')

test('a ledger whose every entry is on one account is refused; one such file beside others is told', async () => {
  const found = only(await findingsOf({ 'ledger.csv': STILL }), 'nothing-moves')
  assert.equal([found.severity, found.file, found.row], ['error', 'ledger.csv', 2])
  assert.match(found.message, /in all 2 of the file/)
  const yaml = companyYaml('ledger: [{ files: "gl-*.csv" }]')
  await buildWith(
    { 'company.yaml': yaml, 'gl-1.csv': MOVING, 'gl-2.csv': STILL },
    ({ result, statement }) => {
      assert.equal([only(result.findings, 'nothing-moves').severity], ['warning'])
      assert.equal(statement('ProfitAndLoss').totals.NetIncome, ['100.00', '0.00'])
    },
  )
})

test('entries that are reversed, or that move costs between departments, do move', async () => {
  const reversed = `${MOVING}4,2025-01-20,bank,-100.00,,\n4,2025-01-20,sales,100.00,,\n`
  const moved =
    'transaction_id,date,account,amount,department\n1,2025-01-15,rent,5.00,a\n1,2025-01-15,rent,-5.00,b\n'
  assert.not.ok(codes(await findingsOf({ 'ledger.csv': reversed })).includes('nothing-moves'))
  const yaml = companyYaml('departments: departments.csv')
  const all = {
    'company.yaml': yaml,
    'chart.csv': CHART,
    'ledger.csv': moved,
    'departments.csv': 'id,name\na,A\nb,B\n',
  }
  assert.not.ok(codes(await findingsOf(all)).includes('nothing-moves'))
})
