/** A stated tolerance: what entries fail to balance by is booked to a named account, and told. */

import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { suite } from '../suite.ts'
import { cases } from '../support/case-file.ts'
import {
  buildIn,
  buildWith,
  CHART,
  COMPANY,
  codes,
  companyYaml,
  type Files,
  inWorkspace,
  ledgerCsv,
  only,
  writeFiles,
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
    assert.equal([severity, file, row], ['note', 'ledger.csv', 2])
    assert.match(message, /^2 entries do not balance by at most 0\.05: .* 0\.02 together .* account diff$/)
    assert.match(read('manifest.json'), /rounding-booked/)
    // A note asks for nothing, so that whoever reads the report is not told of it.
    assert.not.match(read('report/index.html'), /do not balance by at most/)
    assert.equal(statement('ProfitAndLoss').rows.diff, ['-0.03', '0.05'])
    assert.equal(statement('BalanceSheet').rows.bank, ['10.00', '31.00'])
    assert.equal(statement('ProfitAndLoss').totals.NetIncome, ['10.00', '21.00'])
  }))

const HALF_CENT = 'rounding: { tolerance: 0.005, account: diff }'

test('amounts with more decimals are rounded within the tolerance, half away from zero, and what is over is booked', () =>
  buildWith(
    files(
      `1 2025-01-15 bank 10.005; 1 2025-01-15 sales -5.0025; 1 2025-01-15 sales -5.0025
      2 2025-02-15 bank -0.0149; 2 2025-02-15 rent 0.0149; 3 2025-02-16 bank 1.00; 3 2025-02-16 sales -1.00`,
      HALF_CENT,
    ),
    ({ result, statement, read }) => {
      assert.is(result.outcome, 'published')
      const rounded = only(result.findings, 'amounts-rounded')
      assert.equal([rounded.severity, rounded.file, rounded.row], ['warning', 'ledger.csv', 2])
      assert.match(
        rounded.message,
        /^5 amounts have more decimals than USD; .* debits of 10\.02 and credits of 10\.01 /,
      )
      const booked = only(result.findings, 'rounding-booked')
      assert.match(
        booked.message,
        /^one entry does not balance by at most 0\.005 and what was rounded: .* -0\.01 together/,
      )
      for (const code of ['amounts-rounded', 'rounding-booked']) assert.match(read('manifest.json'), code)
      // 10.01 - 5.00 - 5.00 leaves 0.01 in debit, which the account takes in credit.
      assert.equal(statement('ProfitAndLoss').rows.diff, ['-0.01', '0.00'])
      assert.equal(statement('ProfitAndLoss').rows.sales, ['10.00', '1.00'])
      assert.equal(statement('BalanceSheet').rows.bank, ['10.01', '11.00'])
    },
  ))

test('without the setting, a file that was rounded is read again', () =>
  inWorkspace(files('1 2025-01-15 bank 10.005; 1 2025-01-15 sales -10.005', HALF_CENT), async (workspace) => {
    assert.is((await buildIn(workspace, COMPANY)).result.outcome, 'published')
    assert.is((await buildIn(workspace, COMPANY)).result.outcome, 'unchanged')
    writeFiles(join(workspace.datasets, COMPANY), { 'company.yaml': companyYaml('') })
    assert.equal(codes((await buildIn(workspace, COMPANY)).result.findings), [
      'too-many-decimals',
      'too-many-decimals',
    ])
  }))

cases(test, new URL('cases/rounding.yaml', import.meta.url))
