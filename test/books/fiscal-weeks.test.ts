/** Fiscal years of 52 or 53 weeks: they begin inside a month, and results go to their year by the entry's date (accounting.md §4). */

import * as assert from 'uvu/assert'
import { verifyCompanies } from '../../builder/evidence/verify/verify.ts'
import { explain } from '../../builder/inspect/explain.ts'
import { trialBalance } from '../../builder/inspect/trial-balance.ts'
import { answerStatement } from '../../builder/statements/answer.ts'
import { suite } from '../suite.ts'
import { toExplain, trialBalanceOf } from '../support/asked.ts'
import { cases } from '../support/case-file.ts'
import { inPublished } from '../support/published.ts'
import {
  buildWith,
  CHART,
  COMPANY,
  companyYaml,
  type Files,
  findingsText,
  ledgerCsv,
  readStatement,
  scopeOf,
} from '../support/workspace.ts'

const test = suite('fiscal years of weeks')

const YEARS = 'fiscalYears: [{ start: 2024-01-01, end: 2024-12-28 }, { start: 2024-12-29, end: 2025-12-27 }]'
const CLOSING = 'closing: { references: [CLOSE] }'
/** 16 in November, 1 on the 28th, 2 on the 29th, 4 on the 30th, 8 in January; closed are 0.50 on the 28th, 0.10 on the 30th. */
const LEDGER = `transaction_id,date,account,amount,class,reference
0,2024-11-15,bank,16.00,web,
0,2024-11-15,sales,-16.00,web,
1,2024-12-28,bank,1.00,shop,
1,2024-12-28,sales,-1.00,shop,
2,2024-12-29,bank,2.00,shop,
2,2024-12-29,sales,-2.00,shop,
3,2024-12-30,bank,4.00,web,
3,2024-12-30,sales,-4.00,web,
4,2025-01-15,bank,8.00,shop,
4,2025-01-15,sales,-8.00,shop,
5,2024-12-28,sales,0.50,,CLOSE
5,2024-12-28,retained,-0.50,,CLOSE
6,2024-12-30,sales,0.10,,CLOSE
6,2024-12-30,retained,-0.10,,CLOSE
`
const files: Files = {
  'company.yaml': companyYaml(`${YEARS}\n${CLOSING}\nclasses: classes.csv`),
  'classes.csv': 'id,name\nshop,Shop\nweb,Web\n',
  'ledger.csv': LEDGER,
}

/** [from, to, class, current-year earnings, prior years not closed] at the ends of the range's months. */
const RANGES: readonly [string, string, string | null, string[], string[]][] = [
  ['2024-11-01', '2024-12-28', null, ['16.00', '16.50'], ['0.00', '0.00']],
  ['2024-11-01', '2024-12-29', null, ['16.00', '2.00'], ['0.00', '16.50']],
  ['2024-11-01', '2024-12-30', null, ['16.00', '6.00'], ['0.00', '16.40']],
  ['2024-11-01', '2024-12-31', null, ['16.00', '6.00'], ['0.00', '16.40']],
  ['2024-12-20', '2025-01-31', null, ['6.00', '14.00'], ['16.40', '16.40']],
  ['2024-12-29', '2025-01-14', null, ['6.00', '6.00'], ['16.40', '16.40']],
  ['2024-12-30', '2025-01-31', null, ['6.00', '14.00'], ['16.40', '16.40']],
  ['2025-01-10', '2025-01-31', null, ['14.00'], ['16.40']],
  ['2024-11-01', '2024-12-29', 'shop', ['0.00', '2.00'], ['0.00', '1.00']],
  ['2024-11-01', '2024-12-29', 'web', ['16.00', '0.00'], ['0.00', '16.00']],
  ['2024-12-28', '2024-12-31', 'web', ['4.00'], ['16.00']],
]

test('ranges that end before, on and after the first day of a year inside a month', () =>
  buildWith(files, async (built) => {
    const books = await built.books()
    for (const [startDate, endDate, classId, current, prior] of RANGES) {
      const { rows, months } = readStatement(
        await answerStatement(books, scopeOf('BalanceSheet', { classId }), { startDate, endDate }),
      )
      const zeros = months.map(() => '0.00')
      const what = `${startDate} to ${endDate} ${classId}`
      assert.equal(rows['current-year-earnings'] ?? zeros, current, what)
      assert.equal(rows['prior-years-not-closed'] ?? zeros, prior, what)
    }
  }))

test('verify, explain and the trial balance say the same', () =>
  inPublished({ 'chart.csv': CHART, ...files }, async (workspace) => {
    const options = { figures: true, known: null }
    const { verified, companies } = await verifyCompanies(workspace.snapshots, [COMPANY], options)
    assert.ok(verified, JSON.stringify(companies))

    const figure = async (account: string, month: string, classId: string | null = null) => {
      const asked = toExplain({ account, month, classId, all: true })
      const { value, findings } = await explain(workspace.snapshots, asked)
      assert.ok(value?.addsUp, `${account} ${month} ${findings?.map(({ message }) => message)}`)
      return value.published
    }
    assert.is(await figure('current-year-earnings', '2024-11'), '16.00')
    assert.is(await figure('current-year-earnings', '2024-12'), '6.00')
    assert.is(await figure('prior-years-not-closed', '2024-12'), '16.40')
    assert.is(await figure('current-year-earnings', '2024-12', 'web'), '4.00')
    assert.is(await figure('prior-years-not-closed', '2024-12', 'shop'), '1.00')
    assert.is(await figure('current-year-earnings', '2025-01'), '14.00')
    assert.is(await figure('sales', '2024-12'), '7.00')

    const { value } = await trialBalance(workspace.snapshots, trialBalanceOf({ month: '2024-12' }))
    assert.equal(
      value!.rows.map(({ id, closing }) => `${id} ${closing}`),
      ['bank 23.00', 'retained -0.60', 'sales -6.00', 'sales -16.50', 'prior-years-not-closed 0.10'],
    )
    // What was posted before the first day of the year is stated of the year that it belongs to.
    const before = value!.rows.find(({ name }) => name === 'Sales of the year to 2024-12-28')
    assert.equal([before?.opening, before?.debit, before?.credit], ['-16.00', '0.50', '1.00'])
    assert.ok(value!.balances)
  }))

/** 53 weeks that end on New Year's Day, and years of the last Saturday of June. */
for (const [years, header, months] of [
  [
    '[{ start: 2022-01-02, end: 2023-01-01 }, { start: 2023-01-02, end: 2023-12-31 }]',
    'FY2022',
    '2022-01 2022-12',
  ],
  [
    '[{ start: 2022-07-03, end: 2023-07-01 }, { start: 2023-07-02, end: 2024-06-29 }]',
    'FY2023',
    '2022-07 2023-06',
  ],
  [
    '[{ start: 2021-06-27, end: 2022-07-02 }, { start: 2022-07-03, end: 2023-07-01 }]',
    'FY2022',
    '2021-07 2022-06',
  ],
  [
    '[{ start: 2022-05-20, end: 2022-12-31 }, { start: 2023-01-01, end: 2023-12-31 }]',
    'FY2022',
    '2022-05 2022-12',
  ],
] as const)
  test(`${header} of the years ${years} is ${months}`, () =>
    buildWith(
      {
        'company.yaml': companyYaml(
          `fiscalYears: ${years}\nbudgets: [{ id: plan, name: Plan, files: plan.csv }]`,
        ),
        'plan.csv': `account,${header}\nsales,-9.60\n`,
        'ledger.csv': ledgerCsv('1 2022-07-15 bank 1; 1 2022-07-15 sales -1'),
      },
      (built) => {
        const lists = (
          JSON.parse(built.read('budgets.json')) as { Data: { StartMonth: string; EndMonth: string }[] }
        ).Data
        assert.equal(
          lists.map(({ StartMonth, EndMonth }) => `${StartMonth} ${EndMonth}`),
          [months],
          findingsText(built.result.findings),
        )
      },
    ))

cases(test, new URL('cases/fiscal-weeks.yaml', import.meta.url))
