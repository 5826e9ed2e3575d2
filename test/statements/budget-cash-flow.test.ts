/** The cash flow of a budget, against one worked out here from the balances; and why a month has none. */
import { join } from 'node:path'
import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import { explain } from '../../builder/inspect/explain.ts'
import { seed, times } from '../seed.ts'
import { suite } from '../suite.ts'
import { toExplain } from '../support/asked.ts'
import { buildWith, checkWith, companyYaml, ledgerCsv } from '../support/workspace.ts'

const cash = suite('cash flow of a budget')

const LEDGER = ledgerCsv('1 2025-01-15 bank 18000.00; 1 2025-01-15 sales -18000.00')
const files = (plan: string, settings: string, more = '') => ({
  'company.yaml': companyYaml(
    `budgets: [{ id: plan, name: Plan, files: plan.csv${settings} }]\nopening: none\n${more}`,
  ),
  'ledger.csv': LEDGER,
  'plan.csv': plan,
})

const notStated = (text: string) =>
  (JSON.parse(text) as { NotStated: { Month: string; Reason: string; Detail: string }[] }).NotStated

const MONTHS = ['2025-01', '2025-02', '2025-03']
/** Cash 100, 150, 90; equipment 50, 50, 80; a loan of 40, 40, 30; results of 10, 50 and -20. */
const plan = (retained: string, more = '') =>
  `account,${MONTHS}\nbank,100,150,90\nplant,50,50,80\nloan,40,40,30\ncapital,100,100,100\nretained,${retained}\nsales,110,150,80\nrent,100,100,100\n${more}`

for (const [equity, retained] of [
  ['with-result', '10,60,40'],
  ['without-result', '0,0,0'],
] as const)
  cash(`equity ${equity}: months whose balances, and those of the month before, are whole`, () =>
    buildWith(files(plan(retained), `, equity: ${equity}`), async ({ result, statement, path }) => {
      assert.is(result.outcome, 'published')
      const { rows, totals, text } = statement('CashFlow', { budgetId: 'plan' })
      assert.equal(rows, {
        'net-income': [null, '50.00', '-20.00'],
        plant: [null, '0.00', '-30.00'],
        loan: [null, '0.00', '-10.00'],
      })
      assert.equal(totals.NetChangeInCash, [null, '50.00', '-60.00'])
      assert.equal(totals.NetCashFromOperating, [null, '50.00', '-20.00'])
      assert.equal(totals.BeginningCash, [null, '100.00', '150.00'])
      assert.equal(totals.EndingCash, [null, '150.00', '90.00'])
      assert.equal(
        notStated(text).map(({ Month, Reason }) => [Month, Reason]),
        [['2025-01', 'NoMonthBefore']],
      )
      for (const [account, month, figure] of [
        ['plant', '2025-03', '-30.00'],
        ['net-income', '2025-03', '-20.00'],
        ['EndingCash', '2025-02', '150.00'],
        ['BeginningCash', '2025-03', '150.00'],
        ['NetChangeInCash', '2025-03', '-60.00'],
        ['plant', '2025-01', null],
        // Zero of which no line makes anything is no fault.
        ['plant', '2025-02', '0.00'],
        ['NetCashFromFinancing', '2025-02', '0.00'],
      ] as const) {
        const asked = { account, month, statement: 'CashFlow', budgetId: 'plan' } as const
        const told = await explain(join(path(''), '..', '..'), toExplain(asked))
        assert.ok(told.value, JSON.stringify(told.findings))
        assert.equal(
          [told.value.published, told.value.total, told.value.addsUp],
          [figure, figure, true],
          account,
        )
      }
    }),
  )

const reasons = (text: string, settings: string) =>
  buildWith(files(text, settings), ({ result, statement }) => {
    assert.is(result.outcome, 'published', JSON.stringify(result.findings))
    const { text: document, totals } = statement('CashFlow', { budgetId: 'plan' })
    const NotStated = notStated(document)
    assert.equal(
      totals.NetChangeInCash!.map((value) => value === null),
      MONTHS.map((month) => NotStated.some(({ Month }) => Month === month)),
    )
    return NotStated.map(({ Reason }) => Reason)
  })

cash('why a month has none', async () => {
  assert.equal(await reasons(plan('10,60,40'), ''), ['EquityNotStated', 'EquityNotStated', 'EquityNotStated'])
  assert.equal(await reasons(plan('10,,40'), ', equity: with-result'), [
    'NoMonthBefore',
    'Incomplete',
    'Incomplete',
  ])
  assert.equal(await reasons(plan('10,61,40'), ', equity: with-result'), [
    'NoMonthBefore',
    'DoesNotBalance',
    'DoesNotBalance',
  ])
  assert.equal(await reasons(`account,${MONTHS}\nsales,1,2,3\n`, ', equity: with-result'), [
    'NoBalanceSheet',
    'NoBalanceSheet',
    'NoBalanceSheet',
  ])
  const twoEquities = plan('0,0,0').replace('capital,100,100,100', 'capital,60,60,60\ndrawings,50,100,80')
  assert.equal(await reasons(twoEquities.replace('retained,0,0,0\n', ''), ', equity: with-result'), [
    'NoMonthBefore',
    'ResultAccountUnclear',
    'ResultAccountUnclear',
  ])
  assert.equal(
    await reasons(
      twoEquities.replace('retained,0,0,0\n', ''),
      ', equity: with-result, resultAccount: drawings',
    ),
    ['NoMonthBefore'],
  )
})

cash('a whole balance sheet without a word on its equity is asked about', async () => {
  const asked = (text: string, settings: string) =>
    checkWith(files(text, settings), ({ result }) =>
      result.findings.filter(({ code }) => code === 'budget-equity').map(({ message }) => message),
    )
  const [message] = await asked(plan('10,60,40'), '')
  assert.match(message ?? '', /3 months from 2025-01, and no cash flow.* in 3 of them/)
  assert.equal(await asked(plan('10,60,40'), ', equity: with-result'), [])
  assert.equal(await asked(`account,${MONTHS}\nbank,1,2,3\nsales,1,2,3\n`, ''), [])
})

cash('the result of a year moves into equity in the first month of the next: no cash', () => {
  const months = Array.from(
    { length: 14 },
    (_, m) => `${2025 + Math.floor(m / 12)}-${String((m % 12) + 1).padStart(2, '0')}`,
  )
  const row = (of: (m: number) => number) => months.map((_, m) => of(m)).join(',')
  const text = `account,${months}\nbank,${row((m) => 80 + 10 * m)}\ncapital,${row(() => 70)}\nretained,${row((m) => (m < 12 ? 0 : 120))}\nsales,${row(() => 10)}\n`
  return buildWith(files(text, ', equity: without-result'), ({ statement }) => {
    const { rows, totals } = statement('CashFlow', { budgetId: 'plan' })
    const ten = [null, ...Array.from({ length: 13 }, () => '10.00')]
    assert.equal(rows, { 'net-income': ten })
    assert.equal(totals.NetChangeInCash, ten)
  })
})

/** Months from `first` on: the bank and retained earnings as given, capital of 70, and a result of 10 in each. */
const steady = (first: string, bank: readonly number[], retained: readonly number[]) => {
  const from = Number(first.slice(0, 4)) * 12 + Number(first.slice(5)) - 1
  const months = bank.map((_, m) => {
    const month = from + m
    return `${Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}`
  })
  return `account,${months}\nbank,${bank}\ncapital,${bank.map(() => 70)}\nretained,${retained}\nsales,${bank.map(() => 10)}\n`
}

cash('listed fiscal years hold for a budget also after the last posting', () => {
  const bank = Array.from({ length: 15 }, (_, m) => 80 + 10 * m)
  const retained = bank.map((_, m) => (m < 6 ? 0 : m < 12 ? 60 : 120))
  const years =
    'fiscalYears: [{ start: 2025-01-01, end: 2025-06-30 }, { start: 2025-07-01, end: 2025-12-31 }, { start: 2026-01-01, end: 2026-12-31 }]'
  return buildWith(
    files(steady('2025-01', bank, retained), ', equity: without-result', years),
    async ({ result, statement }) => {
      assert.is(result.outcome, 'published', JSON.stringify(result.findings))
      const { text, totals } = statement('CashFlow', { budgetId: 'plan' })
      assert.equal(
        notStated(text).map(({ Month, Reason }) => [Month, Reason]),
        [['2025-01', 'NoMonthBefore']],
      )
      assert.equal(totals.NetChangeInCash, [null, ...Array.from({ length: 14 }, () => '10.00')])
    },
  )
})

/** What each budget states before the month in which two rules for fiscal years could meet, and in it. */
const ODD_YEARS: readonly [
  what: string,
  plan: string,
  settings: string,
  more: string,
  reasons: string[],
  later?: string,
][] = [
  [
    'a month of which two years have half',
    steady('2025-01', [80, 90, 100, 110, 120, 130, 140], [0, 0, 0, 0, 0, 0, 50]),
    ', equity: without-result',
    'fiscalYears: [{ start: 2025-01-01, end: 2025-06-15 }, { start: 2025-06-16, end: 2025-12-31 }]',
    ['2025-01 NoMonthBefore', '2025-07 DoesNotBalance'],
    '2,2025-07-15,bank,1.00,,\n2,2025-07-15,sales,-1.00,,\n',
  ],
  [
    'a year that ends inside a month, and none listed after it',
    steady('2024-07', [80, 90, 100, 110, 120, 130, 140, 150, 160, 170, 180, 130], Array(12).fill(0)),
    ', equity: without-result',
    'fiscalYears: [{ start: 2024-07-01, end: 2025-05-25 }]',
    ['2024-07 NoMonthBefore', '2025-06 DoesNotBalance'],
  ],
  [
    'the account of the result counts as cash',
    plan('10,60,40'),
    ', equity: with-result, resultAccount: retained',
    'cashFlow: { retained: Cash }',
    ['2025-01 NoMonthBefore', '2025-02 ResultAccountUnclear', '2025-03 ResultAccountUnclear'],
  ],
]
for (const [what, text, settings, more, expected, later = ''] of ODD_YEARS)
  cash(`no budget makes a tie-out fail: ${what}`, () =>
    buildWith(
      { ...files(text, settings, more), 'ledger.csv': `${LEDGER}${later}` },
      ({ result, statement }) => {
        assert.is(result.outcome, 'published', JSON.stringify(result.findings))
        const { text: document } = statement('CashFlow', { budgetId: 'plan' })
        assert.equal(
          notStated(document).map(({ Month, Reason }) => `${Month} ${Reason}`),
          expected,
        )
      },
    ),
  )

const amounts = fc.array(fc.integer({ min: -500, max: 500 }), { minLength: 4, maxLength: 4 })
cash('random balances: the cash flow is the change of cash, account by account', async () => {
  await fc.assert(
    fc.asyncProperty(amounts, amounts, amounts, amounts, async (plant, loan, capital, result) => {
      const retained = result.map((_, m) => result.slice(0, m + 1).reduce((sum, each) => sum + each, 0))
      const bank = plant.map((_, m) => loan[m]! + capital[m]! + retained[m]! - plant[m]!)
      const months = ['2025-01', '2025-02', '2025-03', '2025-04']
      const text = `account,${months}\nbank,${bank}\nplant,${plant}\nloan,${loan}\ncapital,${capital}\nretained,${retained}\nsales,${result}\n`
      await buildWith(files(text, ', equity: with-result'), ({ statement }) => {
        const { totals } = statement('CashFlow', { budgetId: 'plan' })
        const money = (values: number[], sign: number) => [
          null,
          ...[1, 2, 3].map((m) => (sign * (values[m]! - values[m - 1]!)).toFixed(2).replace('-0.00', '0.00')),
        ]
        assert.equal(totals.NetChangeInCash, money(bank, 1))
        assert.equal(totals.NetCashFromInvesting, money(plant, -1))
        const financing = loan.map((_, m) => loan[m]! + capital[m]!)
        assert.equal(totals.NetCashFromFinancing, money(financing, 1))
      })
    }),
    { seed, numRuns: times(6) },
  )
})
