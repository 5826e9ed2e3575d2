/** Reports as programs write them: accounts of Xero without a total, and lists of Odoo as they are grouped on the screen. */

import * as assert from 'uvu/assert'
import { suite } from '../../suite.ts'
import { added, caseFiles } from '../../support/added.ts'
import { codes } from '../../support/workspace.ts'

const test = suite('grouped exports')

const ACCRUAL = { basis: 'accrual' }

test('xero: an account that nothing moved has no total, and ends where the next one begins', async () => {
  const files = caseFiles('xero-nototal')
  await added(
    files,
    ({ built }) => {
      assert.equal(codes(built.result.findings), [])
      assert.equal(built.statement('BalanceSheet').rows, {
        '090': ['800.00'],
        '970': ['1000.00'],
        'current-year-earnings': ['-200.00'],
      })
      assert.equal(built.statement('ProfitAndLoss').rows, { '469': ['200.00'] })
    },
    ACCRUAL,
  )
  // With lines, a missing total is still one that was deleted.
  const cut = String(files['at.csv']).replace(/Total Business Bank.*\n/, '')
  await added(
    { ...files, 'at.csv': cut },
    ({ built }) => {
      assert.is(built.result.snapshotId, null)
      assert.ok(codes(built.result.findings).includes('section-without-total'))
    },
    ACCRUAL,
  )
})

test('odoo: rows of groups, with the number of their lines and their sums, are no lines', () =>
  added(caseFiles('odoo-groupby-xlsx'), ({ built }) => {
    assert.equal(
      built.result.findings.filter(({ severity }) => severity === 'error'),
      [],
    )
    assert.equal(built.statement('BalanceSheet').rows, {
      '1000': ['1000.00', '970.00'],
      '3000': ['1000.00', '1000.00'],
      'current-year-earnings': ['0.00', '-30.00'],
    })
    assert.equal(built.statement('ProfitAndLoss').rows, { '6000': ['0.00', '30.00'] })
  }))
