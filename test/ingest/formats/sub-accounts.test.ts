/** Accounts of reports by what the program writes: numbers of parents before sub-accounts, deleted accounts, and lists of them. */

import * as assert from 'uvu/assert'
import { suite } from '../../suite.ts'
import { added, caseFiles } from '../../support/added.ts'
import { codes, findingsText, only } from '../../support/workspace.ts'

const test = suite('sub-accounts')

const KINDS = (yaml: string): string[] => [...yaml.matchAll(/^ {2}"([^"]+)": \{/gm)].map((match) => match[1]!)

test('a sub-account without a number does not take the number of its parent', () =>
  added(caseFiles('qbo-child-takes-number'), ({ built, questions }) => {
    assert.equal(questions, [])
    assert.equal(built.statement('ProfitAndLoss').rows, {
      '3900': ['400.00', '0.00'],
      'Grant Income:Launch': ['0.00', '50.00'],
      '5000': ['30.00', '30.00'],
    })
    assert.not.ok(codes(built.result.findings).includes('account-renamed'))
    assert.match(built.read('chart-of-accounts.json'), /"Id":"Grant Income:Launch"[^}]*"ParentId":"3900"/)
  }))

test('an account keeps its id when a sub-account without a number appears, and the list says its kind', async () => {
  const all = caseFiles('qbo-unn-close')
  const { 'gl-02.csv': _, ...january } = all
  await added(january, ({ built }) =>
    assert.equal(built.statement('ProfitAndLoss').rows, { '3900': ['400.00'] }),
  )
  await added(all, ({ built, questions, yaml }) => {
    assert.equal(questions, [])
    assert.equal(KINDS(yaml), ['1010', '3900', 'Grant Income:Launch'])
    assert.equal(built.statement('ProfitAndLoss').rows, {
      '3900': ['400.00', '100.00'],
      'Grant Income:Launch': ['0.00', '50.00'],
    })
  })
})

test('netsuite: a number that stands before a parent alone is not that of its sub-account', () =>
  added(
    caseFiles('ns-unn'),
    ({ built, questions }) => {
      // The number is one of equity, the name one of income: which of them is right is asked.
      assert.equal(questions, ['3900', 'Grant Income:Launch'])
      assert.equal(built.statement('ProfitAndLoss').rows, {
        '3900': ['400.00', '0.00'],
        'Grant Income:Launch': ['0.00', '50.00'],
        '6000': ['0.00', '5.00'],
      })
    },
    {
      dateFormat: 'MM/DD/YYYY',
      '3900': '{ classification: Income }',
      'Grant Income:Launch': '{ classification: Income }',
    },
  ))

test('a number before a name that two accounts share is a part of their names', () =>
  added(
    {
      'gl.csv': [
        'Internal ID,Date,Period,Type,Document Number,Account,Name,Memo,Amount (Debit),Amount (Credit),Posting',
        '1,1/15/2025,Jan 2025,Journal,JE1,Cash,,,70.00,,Yes',
        '1,1/15/2025,Jan 2025,Journal,JE1,2023 Loan : Fees,,,,30.00,Yes',
        '1,1/15/2025,Jan 2025,Journal,JE1,2023 Grants,,,,40.00,Yes',
      ].join('\n'),
    },
    ({ yaml }) => assert.equal(KINDS(yaml), ['Cash', '2023 Loan:Fees', '2023 Grants']),
  ))

test('a deleted account is the account of its name, under the id that it had before', () =>
  added(caseFiles('qbo-deleted'), ({ built, questions, yaml }) => {
    assert.equal(questions, [])
    assert.equal(KINDS(yaml), ['Checking', 'Opening Balance Equity', 'Rent'])
    assert.equal(built.statement('ProfitAndLoss').rows, { Rent: ['200.00', '200.00'] })
  }))

test('a deleted account beside a new one of its name is another account', () => {
  const files = caseFiles('qbo-deleted')
  const list = String(files['al.csv']).replace(/$/, ',Rent,Expenses,Rent or Lease of Buildings,,0\n')
  return added({ ...files, 'al.csv': list }, ({ built }) =>
    assert.equal(built.statement('ProfitAndLoss').rows, {
      Rent: ['200.00', '0.00'],
      'Rent (deleted)': ['0.00', '200.00'],
    }),
  )
})

test('quickbooks desktop: a Non-Posting account is not asked about, and its entries are left out, which is told', async () => {
  const files = caseFiles('qbd-nonposting')
  await added(files, ({ built, questions }) => {
    assert.equal(questions, [])
    assert.equal(built.statement('ProfitAndLoss').rows, { '4000': ['700.00'] })
    assert.equal(built.statement('BalanceSheet').rows, {
      '1000': ['5000.00'],
      '1100': ['700.00'],
      '3000': ['5000.00'],
      'current-year-earnings': ['700.00'],
    })
    assert.match(only(built.result.findings, 'rows-left-out').message, /^2 lines of 1,800\.00 altogether/)
  })
  // Of a type that is not known to post nothing, the entry is refused instead of counted.
  const other = String(files['td.csv']).replace('Sales Order', 'Rebate Plan')
  await added({ ...files, 'td.csv': other }, ({ built, questions }) => {
    assert.equal(questions, [])
    assert.match(findingsText(built.result.findings), /not-in-statements-mixed/)
  })
})
