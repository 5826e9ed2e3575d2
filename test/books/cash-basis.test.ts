/** The cash basis derived from settlement links: worked examples to the cent (accounting.md §7), files in, figures out. */
import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { recognised } from '../../builder/books/post/recognition.ts'
import { seed } from '../seed.ts'
import { suite } from '../suite.ts'
import {
  type Built,
  buildWith,
  CHART,
  companyYaml,
  type Filters,
  only,
  type Read,
} from '../support/workspace.ts'

const test = suite('derived cash basis')
const CASH_CHART = `${CHART}vat,2100,Sales tax,Liability,SalesTax
stock,1200,Stock,Asset,Inventory
bankfee,6200,Bank charges,Expense,Expense
baddebt,6300,Bad debts,Expense,Expense
fx,8100,Exchange differences,OtherIncome,OtherIncome
`

/** `tx date account amount - settles`, one line each. The entry `close` closes the year. */
function ledger(lines: string): string {
  const rows = lines
    .trim()
    .split('\n')
    .map((line) => {
      const [tx, date, account, amount, , settles = ''] = line.trim().split(/\s+/)
      return [tx, date, account, amount, settles, tx === 'close' ? 'CLOSE' : ''].join(',')
    })
  return `transaction_id,date,account,amount,settles,reference\n${rows.join('\n')}\n`
}

const CASH: Filters = { basis: 'CASH' }
const given = (lines: string, look: (built: Built) => void, more = ''): Promise<void> =>
  buildWith(
    {
      'company.yaml': companyYaml(more),
      'chart.csv': CASH_CHART,
      'ledger.csv': ledger(lines),
    },
    (built) => {
      if (built.result.snapshotId !== null)
        assert.equal(
          built.result.tieOuts.filter((tieOut) => tieOut.LargestDifference !== '0.00'),
          [],
        )
      look(built)
    },
  )

/** The P&L of one account by month, as text; `-` where the row does not appear. */
const row = (statement: Read, account: string): string => statement.rows[account]?.join(' ') ?? '-'
const cashPl = (built: Built, account: string): string => row(built.statement('ProfitAndLoss', CASH), account)
const cashSheet = (built: Built, account: string): string =>
  row(built.statement('BalanceSheet', CASH), account)

test('opening receivables and payables: out against prior years, and rows of their own when they are settled', () =>
  given(
    `ob 2025-01-01 bank 1000.00
     ob 2025-01-01 debtors 300.00
     ob 2025-01-01 creditors -200.00
     ob 2025-01-01 capital -1100.00
     in 2025-02-01 bank 300.00
     in 2025-02-01 debtors -300.00 - ob
     out 2025-03-01 creditors 200.00 - ob
     out 2025-03-01 bank -200.00`,
    (built) => {
      assert.is(cashPl(built, 'opening-receivables-collected'), '0.00 300.00 0.00')
      assert.is(cashPl(built, 'opening-payables-paid'), '0.00 0.00 200.00')
      assert.is(cashSheet(built, 'debtors'), '-')
      assert.is(cashSheet(built, 'creditors'), '-')
      assert.is(cashSheet(built, 'prior-years-not-closed'), '-100.00 -100.00 -100.00')
    },
    'opening: { transactions: [ob] }',
  ))

test('a settlement may name a line instead of an entry', () =>
  buildWith(
    {
      'company.yaml': companyYaml(),
      'chart.csv': CASH_CHART,
      'ledger.csv': `transaction_id,date,account,amount,settles,line_id
inv,2025-01-10,debtors,100.00,,inv.1
inv,2025-01-10,sales,-100.00,,inv.2
pay,2025-02-10,bank,100.00,,pay.1
pay,2025-02-10,debtors,-100.00,inv.1,pay.2
`,
    },
    (built) => assert.is(cashPl(built, 'sales'), '0.00 100.00'),
  ))

const bases = (built: Built): string[] =>
  (JSON.parse(built.read('info.json')) as { AccountingBases: string[] }).AccountingBases

const WRITTEN_OFF = `inv 2025-01-10 debtors 100.00
     inv 2025-01-10 sales -100.00
     pay 2025-02-10 bank 60.00
     pay 2025-02-10 debtors -60.00 - inv
     off 2025-02-11 baddebt 40.00
     off 2025-02-11 debtors -40.00`
test('a write-off that names no document: no cash basis, and the build says how much', () =>
  given(WRITTEN_OFF, (built) => {
    assert.equal(bases(built), ['ACCRUAL'])
    const [found] = built.result.findings
    assert.is(found?.code, 'cash-basis-unlinked')
    assert.match(found!.message, /^40\.00 of 100\.00 in receivables \(1 line\) carry no link/)
  }))

test('maxUnlinked states how much may stay unrecognised', () =>
  given(
    WRITTEN_OFF,
    (built) => assert.is(cashPl(built, 'sales'), '0.00 60.00'),
    'cashBasis: { maxUnlinked: 40.00 }',
  ))

test('money that names no document, or one that is nowhere, is said with its amount, less what was paid back', () =>
  given(
    `inv 2025-01-10 debtors 100.00
     inv 2025-01-10 sales -100.00
     pay 2025-02-10 bank 150.00
     pay 2025-02-10 debtors -60.00 - inv
     pay 2025-02-10 debtors -90.00
     back 2025-02-11 bank -20.00
     back 2025-02-11 debtors 20.00
     out 2025-02-12 bank -30.00
     out 2025-02-12 creditors 30.00 - later`,
    (built) => {
      const unknown = only(built.result.findings, 'unknown-settles')
      assert.is(`${unknown.severity} ${unknown.text}`, 'warning later')
      const found = only(built.result.findings, 'cash-basis-unapplied')
      assert.match(
        found.message,
        /^70\.00 of receipts and 30\.00 of payments, less what was paid back, .*\(3 lines\)/,
      )
      assert.is(found.text, 'back')
    },
  ))

test('sales tax in openings that are counted when they are settled is told of', async () => {
  const lines = `ob 2025-01-01 bank 1000.00
     ob 2025-01-01 debtors 300.02
     ob 2025-01-01 creditors -200.00
     ob 2025-01-01 capital -1100.02
     in 2025-02-01 bank 300.02
     in 2025-02-01 debtors -300.02 - ob`
  const taxed = `${lines}
     due 2025-03-01 vat 1.00
     due 2025-03-01 bank -1.00`
  const marked = 'opening: { transactions: [ob] }'
  const told = (built: Built) =>
    built.result.findings
      .filter(({ code }) => code === 'cash-basis-opening-tax')
      .map(({ message }) => message)
  await given(lines, (built) => assert.equal(told(built), []), marked)
  await given(taxed, (built) => assert.match(told(built)[0]!, /300\.02 and payables of 200\.00/), marked)
})

for (const [name, lines] of Object.entries({
  'in two months, of which one has goods': `inv 2025-01-10 debtors 100.00
     inv 2025-01-10 sales -80.00
     inv 2025-01-10 stock -20.00
     inv 2025-02-10 debtors 50.00
     inv 2025-02-10 sales -50.00
     pay 2025-02-20 bank 70.01
     pay 2025-02-20 debtors -70.01 - inv`,
  'in two months, partly paid at once': `inv 2025-01-10 debtors 100.00
     inv 2025-01-10 sales -100.00
     inv 2025-02-10 bank 50.00
     inv 2025-02-10 sales -50.00
     pay 2025-02-20 bank 100.00
     pay 2025-02-20 debtors -100.00 - inv`,
  'on two days of a month': `inv 2025-01-10 debtors 100.00
     inv 2025-01-10 sales -100.00
     inv 2025-01-20 bank 50.00
     inv 2025-01-20 sales -50.00
     pay 2025-02-20 bank 100.00
     pay 2025-02-20 debtors -100.00 - inv`,
}))
  test(`a document whose lines lie ${name}: no cash basis, and the build says which one`, () =>
    given(lines, (built) => {
      assert.equal(bases(built), ['ACCRUAL'])
      const found = built.result.findings.find(({ code }) => code === 'cash-basis-dates')
      assert.match(found!.message, /^1 document has lines on several days/)
      assert.is(found!.text, 'inv')
    }))

const ITEMS = 'transaction_id,date,account,amount,open_item\n'

test('open items: inside a group the oldest document is settled first', () =>
  buildWith(
    {
      'company.yaml': companyYaml('opening: { transactions: [ob] }'),
      'chart.csv': CASH_CHART,
      'ledger.csv': `${ITEMS}ob,2025-01-01,debtors,50.00,AA
ob,2025-01-01,capital,-50.00,
b,2025-02-10,debtors,300.00,AA
b,2025-02-10,sales,-300.00,
a,2025-01-10,debtors,100.00,AA
a,2025-01-10,gain,-100.00,
p,2025-02-20,bank,200.00,
p,2025-02-20,debtors,-200.00,AA
q,2025-03-20,bank,260.00,
q,2025-03-20,debtors,-260.00,AA
`,
    },
    (built) => {
      assert.is(cashPl(built, 'opening-receivables-collected'), '0.00 50.00 0.00')
      assert.is(cashPl(built, 'gain'), '0.00 100.00 0.00')
      assert.is(cashPl(built, 'sales'), '0.00 50.00 250.00')
      assert.is(cashPl(built, 'unapplied-receipts'), '0.00 0.00 10.00')
    },
  ))

test('open items: a line without reference is unknown on either side, openings included', () =>
  buildWith(
    {
      'company.yaml': companyYaml('opening: { transactions: [ob] }'),
      'chart.csv': CASH_CHART,
      'ledger.csv': `${ITEMS}ob,2025-01-01,debtors,50.00,AA
ob,2025-01-01,capital,-50.00,
p,2025-02-20,bank,50.00,
p,2025-02-20,debtors,-50.00,AA
a,2025-01-10,debtors,100.00,
a,2025-01-10,sales,-100.00,
`,
    },
    (built) => {
      const found = built.result.findings.find((finding) => finding.code === 'cash-basis-unlinked')
      assert.match(found!.message, /^100\.00 of 200\.00 in receivables/)
    },
  ))

test('no links at all, or "derive: never": no cash basis, silently never accrual', async () => {
  const lines = `inv 2025-01-10 debtors 100.00
     inv 2025-01-10 sales -100.00
     pay 2025-02-10 bank 100.00
     pay 2025-02-10 debtors -100.00`
  await given(lines, (built) => assert.equal(bases(built), ['ACCRUAL']))
  await given(`${lines} - inv`, (built) => assert.equal(bases(built), ['ACCRUAL', 'CASH']))
  await given(
    `${lines} - inv`,
    (built) => assert.equal(bases(built), ['ACCRUAL']),
    'cashBasis: { derive: never }',
  )
})

/** A company whose export has both bases: its outcome, and what it is told. */
const exported = (rows: string, look: (built: Built, told: string) => void, chart = CASH_CHART) =>
  buildWith(
    { 'chart.csv': chart, 'ledger.csv': `transaction_id,date,account,amount,settles,basis\n${rows}` },
    (built) =>
      look(built, built.result.findings.map(({ code, message }) => `${code}: ${message}`).join('\n')),
  )
/** An invoice that is paid: once by its links, and once as the export has it on the cash basis, on another account. */
const paid = (amount: string, income = 'sales', cash = 'gain'): string =>
  `inv,2025-01-10,debtors,${amount},,accrual\ninv,2025-01-10,${income},-${amount},,accrual
pay,2025-02-10,bank,${amount},,accrual\npay,2025-02-10,debtors,-${amount},inv,accrual
pay,2025-02-10,bank,${amount},,cash\npay,2025-02-10,${cash},-${amount},,cash\n`

test('an exported cash basis is what is published; where the links say otherwise, people are told', () =>
  exported(paid('100.00'), (built, told) => {
    assert.is(cashPl(built, 'gain'), '0.00 100.00')
    assert.match(built.statement('ProfitAndLoss', CASH).text, /"BasisSource":"Exported"/)
    assert.match(
      told,
      /cash-basis-differs: .*2 account months.*2025-02 4000: 0\.00 exported, -100\.00 derived/,
    )
  }))

test('an exported cash basis that differs by more than any published figure is told of', () =>
  exported(paid('20000000000000.00'), (_, told) =>
    assert.match(told, /differs: .*2025-02 4000: 0\.00 exported, -20,000,000,000,000\.00 derived/),
  ))

test('a company without income and expense accounts may export both bases', () => {
  const results = /,(Income|Expense|CostOfSales|OtherIncome|OtherExpense),/
  const chart = CASH_CHART.split('\n').filter((row) => !results.test(row))
  return exported(
    paid('100.00', 'capital', 'capital'),
    ({ result }, told) => assert.is(result.outcome, 'published', told),
    chart.join('\n'),
  )
})

test('an exported cash basis with another change in cash is told of, links or not', () =>
  exported(
    `a,2025-01-10,bank,100.00,,accrual\na,2025-01-10,sales,-100.00,,accrual
a,2025-02-10,bank,90.00,,cash\na,2025-02-10,sales,-90.00,,cash\n`,
    (_, told) =>
      assert.match(
        told,
        /cash-change-differs: .*in 2 months; the largest: 2025-01: 100\.00 accrual, 0\.00 cash; 2025-02: 0\.00 accrual, 90\.00 cash/,
      ),
  ))

test('closing entries pass through: equity carries what accrual closed beyond cash', () =>
  given(
    `inv 2024-11-10 debtors 100.00
     inv 2024-11-10 sales -100.00
     sale 2024-11-11 bank 30.00
     sale 2024-11-11 sales -30.00
     close 2024-12-31 sales 130.00
     close 2024-12-31 retained -130.00
     pay 2025-01-10 bank 100.00
     pay 2025-01-10 debtors -100.00 - inv`,
    (built) => {
      assert.is(cashPl(built, 'sales').split(' ').slice(-3).join(' '), '30.00 0.00 100.00')
      assert.is(cashSheet(built, 'retained').split(' ').slice(-2).join(' '), '130.00 130.00')
      assert.is(cashSheet(built, 'prior-years-not-closed').split(' ').at(-1), '-100.00')
      assert.is(cashSheet(built, 'current-year-earnings').split(' ').at(-1), '100.00')
    },
    'closing: { references: [CLOSE] }',
  ))

test('shares are whole, add up, and are exact once all is settled', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: -1e12, max: 1e12 }), { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 1, max: 1e12 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.boolean(),
      (lines, size, part, credit) => {
        assert.equal(
          recognised(lines, 1, 3),
          recognised(
            lines.map((line) => 0 - line),
            1,
            3,
          ).map((share) => 0 - share),
        )
        const gross = credit ? -size : size
        const settled = Math.trunc(gross * part) + 0
        const shares = recognised(lines, settled, gross)
        const sum = lines.reduce((total, line) => total + BigInt(line), 0n)
        const added = shares.reduce((total, share) => total + BigInt(share), 0n)
        // Twice the distance of the total from its exact share is at most one.
        const distance = 2n * (added * BigInt(gross) - sum * BigInt(settled))
        assert.ok((distance < 0n ? -distance : distance) <= BigInt(size))
        for (const [i, share] of shares.entries())
          assert.ok(Math.abs(share - (lines[i]! * settled) / gross) <= 1.001)
        assert.equal(recognised(lines, gross, gross), lines)
      },
    ),
    { seed, numRuns: 300 },
  )
})

/** An invoice of so many lines, and a payment with as many lines that each settle it. */
const many = (count: number): string =>
  [
    `inv 2025-01-10 debtors ${count}.00`,
    `pay 2025-02-20 bank ${count}.00`,
    ...Array.from({ length: count }, () => 'inv 2025-01-10 sales -1.00\npay 2025-02-20 debtors -1.00 - inv'),
  ].join('\n')

test('a document of many lines with as many settlements: no cash basis, and the build says which one', async () => {
  await given(many(60), (built) => assert.is(cashPl(built, 'sales'), '0.00 60.00'))
  await given(many(1000), (built) => {
    const found = only(built.result.findings, 'cash-basis-size')
    assert.match(
      found.message,
      /up to 1,001,000 postings of 2,002 lines: .* not offered; .* 1,001 lines and 1,000 settlements/,
    )
    assert.is(found.text, 'inv')
    assert.equal(bases(built), ['ACCRUAL'])
  })
})
