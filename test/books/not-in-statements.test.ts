/** Accounts that are in no statement: off the balance sheet, or statistical. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { addCompany } from '../../builder/ingest/add/add.ts'
import { suite } from '../suite.ts'
import { cases } from '../support/case-file.ts'
import { buildIn, COMPANY, inWorkspace, only, writeFiles } from '../support/workspace.ts'

const test = suite('accounts in no statement')

test('the type of Odoo is proposed as a classification', () =>
  inWorkspace({}, async (workspace) => {
    const folder = join(workspace.root, 'exports')
    writeFiles(folder, {
      'acc.csv':
        'Code,Account Name,Type\n1000,Bank,Bank and Cash\n3000,Capital,Equity\n9000,Guarantees,Off-Balance Sheet\n9001,Contra,Off-Balance Sheet\n',
      'o.csv': `Date,Journal Entry,Account,Partner,Label,Debit,Credit,Balance,Status
2025-01-05,BNK1/2025/0001,1000 Bank,,Own,1000.00,0.00,1000.00,Posted
2025-01-05,BNK1/2025/0001,3000 Capital,,Own,0.00,1000.00,-1000.00,Posted
2025-01-15,MISC/2025/0001,9000 Guarantees,,G,500.00,0.00,500.00,Posted
2025-01-15,MISC/2025/0001,9001 Contra,,G,0.00,500.00,-500.00,Posted
`,
    })
    const paths = ['acc.csv', 'o.csv'].map((name) => join(folder, name))
    await addCompany(workspace, COMPANY, paths, {
      stated: { currency: 'USD', fiscalMonthEnd: 12, basis: 'accrual' },
    })
    const yaml = readFileSync(join(workspace.datasets, COMPANY, 'company.yaml'), 'utf8')
    assert.match(yaml, /"9001": \{ classification: NotInStatements \}/)
    const built = await buildIn(workspace, COMPANY)
    assert.match(
      only(built.result.findings, 'not-in-statements').message,
      /^2 lines on accounts 9000 Guarantees, 9001 Contra .* debits 500\.00, credits 500\.00$/,
    )
    assert.is(built.statement('BalanceSheet').totals.TotalAssets!.at(-1), '1000.00')
  }))

cases(test, new URL('cases/not-in-statements.yaml', import.meta.url))
