/** Amounts stay exact from the file to the snapshot, or are refused: nothing is rounded, nothing crashes. */

import * as assert from 'uvu/assert'
import { suite } from '../suite.ts'
import {
  type Built,
  buildWith,
  codes,
  companyYaml,
  type Files,
  findingsOf,
  ledgerCsv,
  only,
} from '../support/workspace.ts'

const test = suite('exactness')

/** Two accounts, in the amounts given: bank up, sales up. */
const earning = (...amounts: string[]): Files => ({
  'ledger.csv': ledgerCsv(
    amounts
      .map((amount, i) => `${i} 2025-01-15 bank ${amount}; ${i} 2025-01-15 sales ${opposite(amount)}`)
      .join(';'),
  ),
})
const opposite = (amount: string): string =>
  amount.startsWith('-') ? amount.slice(1) : `-${amount.replace('+', '')}`
const bank = ({ statement }: Built): string | null | undefined => statement('BalanceSheet').rows.bank?.[0]

test('0.1 + 0.2 is 0.30', async () => {
  assert.is(await buildWith(earning('0.1', '0.2'), bank), '0.30')
})

test('ten thousand cents are 100.00', async () => {
  assert.is(await buildWith(earning(...Array.from({ length: 10_000 }, () => '0.01')), bank), '100.00')
})

test('large amounts keep their cents', async () => {
  assert.is(await buildWith(earning('9999999999999.98', '0.01'), bank), '9999999999999.99')
})

test('zeros have no sign', async () => {
  const built = await buildWith(earning('-0.00', '5', '-5'), ({ statement }) => ({
    sheet: statement('BalanceSheet').text,
    profit: statement('ProfitAndLoss').text,
    flow: statement('CashFlow').text,
  }))
  for (const text of Object.values(built)) assert.not.match(text, /-0(\.0+)?[,\]]/)
})

test('trailing zeros beyond the decimals of the currency are no decimals', async () => {
  assert.is(await buildWith(earning('1.5000', '+2', '3.'), bank), '6.50')
})

for (const [amount, code] of [
  ['1.005', 'too-many-decimals'],
  ['0.001', 'too-many-decimals'],
  ['1e3', 'unreadable-amount'],
  ['1,000.00', 'unreadable-amount'],
  ['.5', 'unreadable-amount'],
  ['٣', 'unreadable-amount'],
  ['NaN', 'unreadable-amount'],
  ['0x10', 'unreadable-amount'],
  ['90071992547409.92', 'amount-too-large'],
  ['92233720368547758.08', 'amount-too-large'],
  ['99999999999999999999999999', 'amount-too-large'],
] as const)
  test(`${amount} is refused: ${code}`, async () => {
    const quoted = amount.includes(',') ? `"${amount}"` : amount
    const findings = await findingsOf({
      'ledger.csv': `transaction_id,date,account,debit,credit\n1,2025-01-15,bank,${quoted},\n1,2025-01-15,sales,,-${amount.replace(',', '')}\n`,
    })
    const found = findings.filter((finding) => finding.row === 2)
    assert.equal(codes(found), [code])
    assert.is(found[0]!.text, amount)
    assert.is(found[0]!.column, 'debit')
  })

test('a figure of 10^15 minor units is a finding that names the account and the month', async () => {
  const findings = await findingsOf(earning('9999999999999.99', '0.01'))
  const [found] = findings
  assert.ok(findings.every(({ code }) => code === 'figure-too-large'))
  assert.is(found!.text, 'sales')
  assert.match(found!.message, /4000 Sales is 10,000,000,000,000\.00 in 2025-01/)
})

test('so is one that only a filter brings about, or a total, or a budget', async () => {
  const half = '5000000000000.00'
  const split = await findingsOf({
    'company.yaml': companyYaml('classes: classes.csv'),
    'classes.csv': 'id,name\na,A\nb,B\n',
    'ledger.csv': ledgerCsv(
      `1 2025-01-15 bank ${half} a; 1 2025-01-15 sales -${half} a; 2 2025-01-16 bank ${half} a; 2 2025-01-16 sales -${half} a;
       3 2025-01-17 bank -${half} b; 3 2025-01-17 sales ${half} b`,
    ),
  })
  assert.ok(split.some(({ code }) => code === 'figure-too-large'))
  const total = await findingsOf({
    'ledger.csv': ledgerCsv(
      `1 2025-01-15 bank ${half}; 1 2025-01-15 sales -${half}; 2 2025-01-15 till ${half}; 2 2025-01-15 gain -${half}`,
    ),
  })
  assert.equal(total.map(({ text }) => text).sort(), ['NetIncome', 'current-year-earnings', 'net-income'])
  const budget = await findingsOf({
    ...earning('1'),
    'company.yaml': companyYaml('budgets: [{ id: b, name: B, files: budget.csv }]'),
    'budget.csv': `account,2025-01\nsales,${half}\nreturns,${half}\n`,
  })
  assert.is(only(budget, 'figure-too-large').text, 'TotalIncome')
})

test('turnover of 2^53 minor units or more is refused, in one account or in many', async () => {
  const [refused] = await findingsOf(earning('45035996273704.96'))
  assert.is(refused?.code, 'turnover-too-large')
  assert.match(refused?.message ?? '', 'add up to 90,071,992,547,409.92, more than 90,071,992,547,409.91:')
  const largest = '90071992547409.91'
  assert.equal(codes(await findingsOf(earning(...Array.from({ length: 2000 }, () => largest)))), [
    'turnover-too-large',
  ])
})

test('an entry that is off by more than any figure is named with its amount', async () => {
  const findings = await findingsOf({
    'ledger.csv': ledgerCsv('1 2025-01-15 bank 90071992547409.91; 1 2025-01-15 bank 90071992547409.91'),
  })
  assert.match(only(findings, 'unbalanced-transaction').message, /180,143,985,094,819\.82/)
})

test('openings that do not net by more than any figure are named with their amount', async () => {
  const findings = await findingsOf({
    'company.yaml': companyYaml('opening: { transactions: [ob], priorYearsNotClosed: 1 }'),
    'ledger.csv': ledgerCsv(
      'ob 2024-12-31 bank 10000000000000.00; 1 2025-01-15 bank 1; 1 2025-01-15 sales -1',
    ),
  })
  assert.match(only(findings, 'opening-unbalanced').message, /10,000,000,000,000\.00/)
})
