/** Posting periods that differ from dates, and closing entries by journal and by type (accounting.md §1, §4). */

import * as assert from 'uvu/assert'
import { suite } from '../suite.ts'
import { type Built, buildWith, companyYaml } from '../support/workspace.ts'

const test = suite('posting periods and marks')
const HEADER = 'transaction_id,date,account,amount,journal,type,period\n'
const given = (rows: string, look: (built: Built) => void, more = ''): Promise<void> =>
  buildWith({ 'company.yaml': companyYaml(more), 'ledger.csv': HEADER + rows.replace(/^ +/gm, '') }, look)
const months = (built: Built, account: string): string =>
  built.statement('ProfitAndLoss').rows[account]?.join(' ') ?? '-'

test('a date outside its posting period counts on the nearest day of the period', () =>
  given(
    `a,2025-02-03,bank,10.00,,,2025-01
     a,2025-02-03,sales,-10.00,,,2025-01
     b,2025-01-30,bank,20.00,,,2025-02
     b,2025-01-30,sales,-20.00,,,2025-02
     c,2025-02-10,bank,5.00,,,2025-02
     c,2025-02-10,sales,-5.00,,,2025-02
    `,
    (built) => assert.is(months(built, 'sales'), '10.00 25.00'),
  ))

test('the 13th period is the last day of the fiscal year that ends in its year', () =>
  given(
    `a,2025-04-01,bank,10.00,,,
     a,2025-04-01,sales,-10.00,,,
     x,2025-05-20,rent,3.00,,,2025-13
     x,2025-05-20,bank,-3.00,,,2025-13
     b,2024-07-01,bank,1.00,,,
     b,2024-07-01,sales,-1.00,,,
    `,
    (built) => {
      const statement = built.statement('ProfitAndLoss')
      assert.is(statement.rows.rent![statement.months.indexOf('2025-03')], '3.00')
    },
    'fiscalMonthEnd: 3',
  ))

test('an unreadable posting period is a finding of its own', () =>
  given(
    `a,2025-01-03,bank,10.00,,,2025-17
     a,2025-01-03,sales,-10.00,,,Jan
    `,
    (built) =>
      assert.equal(
        built.result.findings.map(({ code, row, text }) => [code, row, text]),
        [
          ['unreadable-period', 2, '2025-17'],
          ['unreadable-period', 3, 'Jan'],
        ],
      ),
  ))

for (const [mark, journal, type] of [
  ['journals: [YE]', 'YE', ''],
  ['types: [closing]', '', 'closing'],
] as const)
  test(`closing entries by ${mark}: off the P&L, into equity`, () =>
    given(
      `a,2025-01-03,bank,10.00,,,
       a,2025-01-03,sales,-10.00,,,
       z,2025-12-31,sales,10.00,${journal},${type},
       z,2025-12-31,retained,-10.00,,,
      `,
      (built) => {
        assert.is(months(built, 'sales').split(' ')[0], '10.00')
        assert.is(months(built, 'sales').split(' ').at(-1), '0.00')
        const sheet = built.statement('BalanceSheet')
        assert.is(sheet.rows.retained!.at(-1), '10.00')
        assert.is(sheet.rows['current-year-earnings']!.at(-1), '0.00')
      },
      `closing: { ${mark} }`,
    ))

test('openings by journal', () =>
  given(
    `o,2025-01-01,bank,10.00,AN,,
     o,2025-01-01,capital,-10.00,AN,,
     a,2025-01-03,bank,1.00,VE,,
     a,2025-01-03,sales,-1.00,VE,,
    `,
    (built) => assert.equal(built.statement('CashFlow').totals.BeginningCash, ['10.00']),
    'opening: { journals: [AN] }',
  ))
