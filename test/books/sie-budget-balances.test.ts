/** SIE states the budget of a balance sheet account as changes; published are the balances that they lead to (accounting.md §8). */

import * as assert from 'uvu/assert'
import { suite } from '../suite.ts'
import { type Built, buildWith, codes, type Files } from '../support/workspace.ts'

const test = suite('budgets of balance sheet accounts in SIE')

const ACCOUNTS = [
  '#KONTO 1930 "Bank"',
  '#KONTO 1510 "Kundfordringar"',
  '#KONTO 2081 "Aktiekapital"',
  '#KONTO 3001 "Sales"',
  '#KONTO 5010 "Rent"',
]
/** A year in which a sale of 2,000 and a rent of 800 are posted. */
const year = (of: number, lines: readonly string[], sale = true): string =>
  [
    '#FLAGGA 0',
    '#FORMAT PC8',
    '#SIETYP 4',
    '#FNAMN "Exempel AB"',
    `#RAR 0 ${of}0101 ${of}1231`,
    `#RAR -1 ${of - 1}0101 ${of - 1}1231`,
    ...ACCOUNTS,
    ...lines,
    ...(sale
      ? [
          `#VER A 1 ${of}0110 "s"\n{\n#TRANS 1930 {} 2000.00\n#TRANS 3001 {} -2000.00\n}`,
          `#VER A 2 ${of}0310 "r"\n{\n#TRANS 1930 {} -800.00\n#TRANS 5010 {} 800.00\n}`,
        ]
      : []),
    '',
  ].join('\n')
const OPENING = ['#IB 0 1930 100000.00', '#IB 0 2081 -100000.00']
const CLOSING = [
  '#UB 0 1930 101200.00',
  '#UB 0 2081 -100000.00',
  '#RES 0 3001 -2000.00',
  '#RES 0 5010 800.00',
]
const results = (of: number) =>
  [-1400, -1000, -1100].flatMap((sales, i) => [
    `#PBUDGET 0 ${of}0${i + 1} 3001 {} ${sales}.00`,
    `#PBUDGET 0 ${of}0${i + 1} 5010 {} 400.00`,
  ])
const changes = (account: string, of: number, ...amounts: readonly (number | null)[]) =>
  amounts.flatMap((amount, i) =>
    amount === null ? [] : [`#PBUDGET 0 ${of}0${i + 1} ${account} {} ${amount}.00`],
  )
const COMPANY = 'id: acme\nname: Acme\nfiscalMonthEnd: 12\ncurrency: SEK\nledger: [{ files: "*.se" }]\n'
const files = (text: string): Files => ({ 'company.yaml': COMPANY, 'books.se': text })

const balances = ({ statement }: Built, account: string) => {
  const { months, rows } = statement('BalanceSheet', { budgetId: 'budget' })
  return months.flatMap((month, i) => {
    const figure = rows[account]?.[i]
    return figure == null ? [] : [`${month} ${figure}`]
  })
}

test('a balance is the opening and the changes; a month without one changes nothing', () =>
  buildWith(
    files(
      year(2025, [
        ...OPENING,
        ...CLOSING,
        ...results(2025),
        ...changes('1930', 2025, 500, 500, 600),
        ...changes('1510', 2025, null, 600, null),
        ...changes('2081', 2025, 0, 0, 0),
      ]),
    ),
    (built) => {
      assert.equal(codes(built.result.findings), [])
      assert.equal(balances(built, '1930'), ['2025-01 100500.00', '2025-02 101000.00', '2025-03 101600.00'])
      assert.equal(balances(built, '1510'), ['2025-01 0.00', '2025-02 600.00', '2025-03 600.00'])
      assert.equal(balances(built, '2081'), ['2025-01 100000.00', '2025-02 100000.00', '2025-03 100000.00'])
    },
  ))

test('shares of classes and departments open with their own balances', () =>
  buildWith(
    files(
      year(2025, [
        '#DIM 1 "Kostnadsställe"',
        '#OBJEKT 1 "N" "Norr"',
        ...OPENING,
        '#OIB 0 1930 {1 "N"} 30000.00',
        ...CLOSING,
        ...results(2025),
        ...changes('1930', 2025, 500, 500, 600),
        '#PBUDGET 0 202502 1930 {1 "N"} 200.00',
      ]),
    ),
    (built) => {
      assert.equal(balances(built, '1930'), ['2025-01 100500.00', '2025-02 101000.00', '2025-03 101600.00'])
      const { months, rows } = built.statement('BalanceSheet', { budgetId: 'budget', departmentId: 'N' })
      assert.equal(
        months.map((month, i) => `${month} ${rows['1930']?.[i]}`),
        ['2025-01 30000.00', '2025-02 30200.00', '2025-03 30200.00'],
      )
    },
  ))

test('a budget of the year after the books begins with what the books close with', () =>
  buildWith(
    {
      'company.yaml': COMPANY,
      'a.se': year(2025, [...OPENING, ...CLOSING]),
      'b.se': year(2026, [...results(2026), ...changes('1930', 2026, 500)], false),
    },
    (built) => assert.is(balances(built, '1930')[0], '2026-01 101700.00'),
  ))

test('where nothing says what the accounts stood at, their budget is left out and named', () =>
  buildWith(
    files(year(2025, [...OPENING, ...CLOSING, ...results(2025), '#PBUDGET -1 202401 1930 {} 500.00'])),
    (built) => {
      const found = built.result.findings.find(({ code }) => code === 'budget-without-opening')
      assert.match(found!.message, /1930.*2024-01-01/)
      assert.equal(balances(built, '1930'), [])
    },
  ))
