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
  checkWith,
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
const CLASSES = 'id,name\nnorth,North\nsouth,South\n'

/** `tx date account amount class settles`, `-` for none; one line each. The entry `close` closes the year. */
function ledger(lines: string): string {
  const rows = lines
    .trim()
    .split('\n')
    .map((line) => {
      const [tx, date, account, amount, cls = '-', settles = '-'] = line.trim().split(/\s+/)
      return [
        tx,
        date,
        account,
        amount,
        cls === '-' ? '' : cls,
        settles === '-' ? '' : settles,
        tx === 'close' ? 'CLOSE' : '',
      ].join(',')
    })
  return `transaction_id,date,account,amount,class,settles,reference\n${rows.join('\n')}\n`
}

const CASH: Filters = { basis: 'CASH' }
const given = (lines: string, look: (built: Built) => void, more = ''): Promise<void> =>
  buildWith(
    {
      'company.yaml': companyYaml(`classes: classes.csv\n${more}`),
      'chart.csv': CASH_CHART,
      'classes.csv': CLASSES,
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
const cashPl = (built: Built, account: string, filters: Filters = {}): string =>
  row(built.statement('ProfitAndLoss', { ...CASH, ...filters }), account)
const cashSheet = (built: Built, account: string): string =>
  row(built.statement('BalanceSheet', CASH), account)

test('a payment of 4,240.00 on 7,920.00 + tax 385.95 recognises 4,042.98 income and 197.02 tax', () =>
  given(
    `inv 2025-01-10 debtors 8305.95
     inv 2025-01-10 sales  -7920.00
     inv 2025-01-10 vat     -385.95
     pay 2025-02-20 bank    4240.00
     pay 2025-02-20 debtors -4240.00 - inv
     rest 2025-03-05 bank   4065.95
     rest 2025-03-05 debtors -4065.95 - inv`,
    (built) => {
      assert.is(cashPl(built, 'sales'), '0.00 4042.98 3877.02')
      assert.is(cashSheet(built, 'vat'), '0.00 197.02 385.95')
      assert.is(cashSheet(built, 'debtors'), '-')
      assert.is(row(built.statement('ProfitAndLoss'), 'sales'), '7920.00 0.00 0.00')
    },
  ))

test('a bill of 3,000 half and half over two classes, paid in three instalments, gives 500 per class and month', () =>
  given(
    `bill 2025-01-05 rent 1500.00 north
     bill 2025-01-05 rent 1500.00 south
     bill 2025-01-05 creditors -3000.00
     p1 2025-02-01 creditors 1000.00 - bill
     p1 2025-02-01 bank -1000.00
     p2 2025-03-01 creditors 1000.00 - bill
     p2 2025-03-01 bank -1000.00
     p3 2025-04-01 creditors 1000.00 - bill
     p3 2025-04-01 bank -1000.00`,
    (built) => {
      for (const classId of ['north', 'south'])
        assert.is(cashPl(built, 'rent', { classId }), '0.00 500.00 500.00 500.00')
      assert.is(cashPl(built, 'rent'), '0.00 1000.00 1000.00 1000.00')
      assert.is(cashSheet(built, 'creditors'), '-')
    },
  ))

test('one payment for several documents, with a discount that counts on its own date', () =>
  given(
    `a 2025-01-10 debtors 100.00
     a 2025-01-10 sales -100.00 north
     b 2025-01-12 debtors 300.00
     b 2025-01-12 sales -300.00 south
     pay 2025-02-01 bank 392.00
     pay 2025-02-01 bankfee 8.00
     pay 2025-02-01 debtors -100.00 - a
     pay 2025-02-01 debtors -300.00 - b`,
    (built) => {
      assert.is(cashPl(built, 'sales', { classId: 'north' }), '0.00 100.00')
      assert.is(cashPl(built, 'sales', { classId: 'south' }), '0.00 300.00')
      assert.is(cashPl(built, 'bankfee'), '0.00 8.00')
    },
  ))

test('money beyond a document is unapplied, and goes when it is paid back', () =>
  given(
    `inv 2025-01-10 debtors 100.00
     inv 2025-01-10 sales -100.00
     pay 2025-02-01 bank 130.00
     pay 2025-02-01 debtors -130.00 - inv
     back 2025-03-01 bank -30.00
     back 2025-03-01 debtors 30.00 - inv
     bill 2025-01-10 rent 50.00
     bill 2025-01-10 creditors -50.00
     out 2025-02-01 bank -60.00
     out 2025-02-01 creditors 60.00 - bill`,
    (built) => {
      assert.is(cashPl(built, 'sales'), '0.00 100.00 0.00')
      assert.is(cashPl(built, 'unapplied-receipts'), '0.00 30.00 -30.00')
      assert.is(cashPl(built, 'rent'), '0.00 50.00 0.00')
      assert.is(cashPl(built, 'unapplied-payments'), '0.00 10.00 0.00')
      const chart = JSON.parse(built.read('chart-of-accounts.json')) as {
        Data: { Id: string; Statements: string[] }[]
      }
      assert.equal(chart.Data.find((entry) => entry.Id === 'unapplied-receipts')?.Statements, [
        'ProfitAndLoss',
      ])
    },
  ))

test('a credit note in part applied and in part paid back is recognised as far as each goes', () =>
  given(
    `inv 2025-01-10 debtors 60.00
     inv 2025-01-10 sales -60.00
     cn 2025-02-10 returns 100.00
     cn 2025-02-10 debtors -60.00 - inv
     cn 2025-02-10 debtors -40.00
     refund 2025-03-10 bank -40.00
     refund 2025-03-10 debtors 40.00 - cn`,
    (built) => {
      assert.is(cashPl(built, 'sales'), '0.00 60.00 0.00')
      assert.is(cashPl(built, 'returns'), '0.00 -60.00 -40.00')
      assert.is(cashSheet(built, 'debtors'), '-')
    },
  ))

test('a payment that bounces takes back what it recognised, to the last cent', () =>
  given(
    `inv 2025-01-10 debtors 100.00
     inv 2025-01-10 sales -33.33 north
     inv 2025-01-10 sales -66.67 south
     pay 2025-02-01 bank 50.00
     pay 2025-02-01 debtors -50.00 - inv
     bounce 2025-03-01 bank -50.00
     bounce 2025-03-01 debtors 50.00 - inv`,
    (built) => {
      assert.is(cashPl(built, 'sales'), '0.00 50.00 -50.00')
      // 16.665 and 33.335: the larger remainder takes the cent; here they tie, and the earlier line has it.
      assert.is(cashPl(built, 'sales', { classId: 'north' }), '0.00 16.67 -16.67')
    },
  ))

test('a document with balance sheet lines: they count at once, the payable keeps what it owes for them', () =>
  given(
    `bill 2025-01-10 plant 600.00
     bill 2025-01-10 rent 400.00
     bill 2025-01-10 creditors -1000.00
     p1 2025-02-10 creditors 500.00 - bill
     p1 2025-02-10 bank -500.00
     p2 2025-03-10 creditors 500.00 - bill
     p2 2025-03-10 bank -500.00`,
    (built) => {
      assert.is(cashSheet(built, 'plant'), '600.00 600.00 600.00')
      assert.is(cashPl(built, 'rent'), '0.00 200.00 200.00')
      assert.is(cashSheet(built, 'creditors'), '600.00 300.00 0.00')
    },
  ))

test('a document that nothing settles is not recognised; entries without receivables pass through', () =>
  given(
    `inv 2025-01-10 debtors 100.00
     inv 2025-01-10 sales -100.00
     dep 2025-01-31 depreciation 5.00
     dep 2025-01-31 plantdep -5.00
     inv2 2025-01-11 debtors 10.00
     inv2 2025-01-11 sales -10.00
     pay 2025-01-31 bank 10.00
     pay 2025-01-31 debtors -10.00 - inv2`,
    (built) => {
      assert.is(cashPl(built, 'sales'), '10.00')
      assert.is(cashPl(built, 'depreciation'), '5.00')
    },
  ))

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

test('a document whose lines balance on each of its days is recognised as it is paid', () =>
  given(
    `inv 2025-01-10 debtors 100.00
     inv 2025-01-10 sales -100.00
     inv 2025-02-10 debtors 50.00
     inv 2025-02-10 sales -50.00
     pay 2025-02-20 bank 75.00
     pay 2025-02-20 debtors -75.00 - inv`,
    (built) => assert.is(cashPl(built, 'sales'), '0.00 75.00'),
  ))

test('a payment whose lines lie on several days is no document: each line counts on its own', () =>
  given(
    `inv 2025-01-10 debtors 100.00
     inv 2025-01-10 sales -100.00
     pay 2025-02-20 bank 60.00
     pay 2025-02-20 debtors -60.00 - inv
     pay 2025-03-20 bank 40.00
     pay 2025-03-20 debtors -40.00 - inv`,
    (built) => assert.is(cashPl(built, 'sales'), '0.00 60.00 40.00'),
  ))

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

test('an exported cash basis is what is published; where the links say otherwise, people are told', () =>
  buildWith(
    {
      'company.yaml': companyYaml(),
      'chart.csv': CASH_CHART,
      'ledger.csv': `transaction_id,date,account,amount,settles,basis
inv,2025-01-10,debtors,100.00,,accrual
inv,2025-01-10,sales,-100.00,,accrual
pay,2025-02-10,bank,100.00,,accrual
pay,2025-02-10,debtors,-100.00,inv,accrual
pay,2025-02-10,bank,100.00,,cash
pay,2025-02-10,gain,-100.00,,cash
`,
    },
    (built) => {
      assert.is(cashPl(built, 'gain'), '0.00 100.00')
      assert.match(built.statement('ProfitAndLoss', CASH).text, /"BasisSource":"Exported"/)
      const found = built.result.findings.find((finding) => finding.code === 'cash-basis-differs')
      assert.match(found!.message, /2 account months.*2025-02 4000: 0\.00 exported, -100\.00 derived/)
    },
  ))

test('an exported cash basis that differs by more than any published figure is told of', () =>
  checkWith(
    {
      'company.yaml': companyYaml(),
      'chart.csv': CASH_CHART,
      'ledger.csv': `transaction_id,date,account,amount,settles,basis
inv,2025-01-10,debtors,20000000000000.00,,accrual
inv,2025-01-10,sales,-20000000000000.00,,accrual
pay,2025-02-10,bank,20000000000000.00,,accrual
pay,2025-02-10,debtors,-20000000000000.00,inv,accrual
pay,2025-02-10,bank,20000000000000.00,,cash
pay,2025-02-10,gain,-20000000000000.00,,cash
`,
    },
    ({ result }) => {
      const found = result.findings.find((finding) => finding.code === 'cash-basis-differs')
      assert.match(found!.message, /2025-02 4000: 0\.00 exported, -20,000,000,000,000\.00 derived/)
    },
  ))

test('a company without income and expense accounts may export both bases', () =>
  buildWith(
    {
      'company.yaml': companyYaml(),
      'chart.csv': CASH_CHART.split('\n')
        .filter((row) => !/,(Income|Expense|CostOfSales|OtherIncome|OtherExpense),/.test(row))
        .join('\n'),
      'ledger.csv': `transaction_id,date,account,amount,settles,basis
inv,2025-01-10,debtors,100.00,,accrual
inv,2025-01-10,capital,-100.00,,accrual
pay,2025-02-10,bank,100.00,,accrual
pay,2025-02-10,debtors,-100.00,inv,accrual
pay,2025-02-10,bank,100.00,,cash
pay,2025-02-10,capital,-100.00,,cash
`,
    },
    ({ result }) => assert.is(result.outcome, 'published', JSON.stringify(result.findings)),
  ))

test('an exported cash basis with another change in cash is told of, links or not', () =>
  buildWith(
    {
      'company.yaml': companyYaml(),
      'chart.csv': CASH_CHART,
      'ledger.csv': `transaction_id,date,account,amount,basis
a,2025-01-10,bank,100.00,accrual
a,2025-01-10,sales,-100.00,accrual
a,2025-02-10,bank,90.00,cash
a,2025-02-10,sales,-90.00,cash
`,
    },
    (built) => {
      const found = built.result.findings.find((finding) => finding.code === 'cash-change-differs')
      assert.match(
        found!.message,
        /in 2 months; the largest: 2025-01: 100\.00 accrual, 0\.00 cash; 2025-02: 0\.00 accrual, 90\.00 cash/,
      )
    },
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
