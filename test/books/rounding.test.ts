/** A stated tolerance: what entries fail to balance by is booked to a named account, and told. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  buildWith,
  CHART,
  codes,
  companyYaml,
  type Files,
  findingsOf,
  ledgerCsv,
  only,
} from '../support/workspace.ts'

const test = suite('rounding')

const files = (entries: string, more = 'rounding: { tolerance: 0.05, account: diff }'): Files => ({
  'company.yaml': companyYaml(more),
  'chart.csv': `${CHART}diff,9999,Rounding,Expense,Expense\n`,
  'ledger.csv': ledgerCsv(entries),
})
const ENTRIES = `1 2025-01-15 bank 10.00; 1 2025-01-15 sales -9.97; 2 2025-02-15 bank 20.00; 2 2025-02-15 sales -20.05
  3 2025-02-16 bank 1.00; 3 2025-02-16 sales -1.00`

test('entries within the tolerance are booked to the account, where they stand, and counted', () =>
  buildWith(files(ENTRIES), ({ result, statement, read }) => {
    assert.is(result.outcome, 'published')
    const { severity, file, row, message } = only(result.findings, 'rounding-booked')
    assert.equal([severity, file, row], ['warning', 'ledger.csv', 2])
    assert.match(message, /^2 entries do not balance by at most 0\.05: .* 0\.02 together .* account diff$/)
    assert.match(read('manifest.json'), /rounding-booked/)
    assert.equal(statement('ProfitAndLoss').rows.diff, ['-0.03', '0.05'])
    assert.equal(statement('BalanceSheet').rows.bank, ['10.00', '31.00'])
    assert.equal(statement('ProfitAndLoss').totals.NetIncome, ['10.00', '21.00'])
  }))

test('beyond the tolerance, without one, or over two months, an entry is refused as ever', async () => {
  assert.equal(
    codes(await findingsOf(files(`${ENTRIES}; 4 2025-02-17 bank 1.00; 4 2025-02-17 sales -0.94`))),
    ['unbalanced-transaction'],
  )
  assert.equal(codes(await findingsOf(files(ENTRIES, ''))), [
    'unbalanced-transaction',
    'unbalanced-transaction',
  ])
  assert.equal(codes(await findingsOf(files('1 2025-01-31 bank 0.02; 1 2025-02-01 sales -0.02'))), [
    'unbalanced-transaction',
  ])
})

test('a tolerance has a bound, and an account that there is', async () => {
  assert.equal(codes(await findingsOf(files(ENTRIES, 'rounding: { tolerance: 1.01, account: diff }'))), [
    'invalid-setting',
  ])
  assert.equal(codes(await findingsOf(files(ENTRIES, 'rounding: { tolerance: 0.05, account: none }'))), [
    'unknown-account',
  ])
  assert.equal(
    codes(await findingsOf(files('1 2025-01-15 bank 1; 1 2025-01-15 sales -1'))),
    [],
    'nothing to book, nothing to tell',
  )
})

test.run()
