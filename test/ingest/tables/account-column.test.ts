/** Which column of a ledger is its account: judged by its values, and told where nothing moves between accounts. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { suite } from '../../suite.ts'
import { added, caseFiles } from '../../support/added.ts'
import { buildIn, COMPANY } from '../../support/workspace.ts'

const test = suite('the column of the account')

const MAP = { map: null, stated: { basis: 'accrual' } } as const
const columnsOf = (yaml: string) =>
  (parse(yaml) as { ledger: { columns: Record<string, string> }[] }).ledger[0]!.columns

test('a column "Account" with customers is not taken before the one with the accounts of the chart', () => {
  const files = caseFiles('sage50uk-flat')
  const other = String(files['na.csv']).replaceAll('/2025,1200,', '/2025,ABC01,').replace('N/C', 'Nom')
  return added(
    { ...files, 'na.csv': other },
    ({ yaml, built }) => {
      assert.is(columnsOf(yaml).account, 'Nom')
      assert.equal(built.statement('ProfitAndLoss').rows, { '7100': ['0.00', '30.00'] })
    },
    {},
    MAP,
  )
})

test('a column of names is the account, not the balancing account beside it', () => {
  const files = caseFiles('sage50uk-flat')
  const ledger = [
    'No,Date,Account,Balancing,Debit,Credit',
    '1,2025-01-05,Bank,3000,1000.00,',
    '1,2025-01-05,Capital,1200,,1000.00',
  ].join('\n')
  return added(
    { ...files, 'na.csv': ledger },
    ({ yaml }) => assert.is(columnsOf(yaml).account, 'Account'),
    {},
    MAP,
  )
})

test('journal lines of Oracle: the amounts of the books, entry by entry; rows of a budget are left out where that is said', () =>
  added(
    caseFiles('oracle'),
    async ({ yaml, workspace }) => {
      const { transaction_id, debit, credit } = columnsOf(yaml)
      assert.equal([transaction_id, debit, credit], ['JE_HEADER_NAME', 'ACCOUNTED_DR', 'ACCOUNTED_CR'])
      const path = join(workspace.datasets, COMPANY, 'company.yaml')
      const text = readFileSync(path, 'utf8')
      writeFileSync(path, text.replace('ACTUAL_FLAG: FILL IN', 'ACTUAL_FLAG: B'))
      const { statement } = await buildIn(workspace, COMPANY)
      assert.equal(statement('ProfitAndLoss').rows, { '6000': ['0.00', '30.00'] })
      assert.equal(statement('BalanceSheet').rows['1000'], ['1000.00', '970.00'])
    },
    {},
    MAP,
  ))
