/** Accounts of reports by what the program writes: numbers of parents before sub-accounts, deleted accounts, and lists of them. */

import * as assert from 'uvu/assert'
import { suite } from '../../suite.ts'
import { added, caseFiles } from '../../support/added.ts'
import { codes, findingsText } from '../../support/workspace.ts'

const test = suite('sub-accounts')

const KINDS = (yaml: string): string[] => [...yaml.matchAll(/^ {2}"([^"]+)": \{/gm)].map((match) => match[1]!)

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

test('quickbooks desktop: an entry of a type that is not known to post nothing is refused instead of counted', () => {
  const files = caseFiles('qbd-nonposting')
  const other = String(files['td.csv']).replace('Sales Order', 'Rebate Plan')
  return added({ ...files, 'td.csv': other }, ({ built, questions }) => {
    assert.equal(questions, [])
    assert.match(findingsText(built.result.findings), /not-in-statements-mixed/)
  })
})

test('xero: an account with lines and without a total has lost it', () => {
  const files = caseFiles('xero-nototal')
  const cut = String(files['at.csv']).replace(/Total Business Bank.*\n/, '')
  return added(
    { ...files, 'at.csv': cut },
    ({ built }) => {
      assert.is(built.result.snapshotId, null)
      assert.ok(codes(built.result.findings).includes('section-without-total'))
    },
    { basis: 'accrual' },
  )
})
