/** The cash basis derived from settlement links: worked examples to the cent (accounting.md §7), files in, figures out. */

import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { recognised } from '../../builder/books/post/recognition.ts'
import { seed } from '../seed.ts'
import { suite } from '../suite.ts'
import { cases } from '../support/case-file.ts'
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
const bases = (built: Built): string[] =>
  (JSON.parse(built.read('info.json')) as { AccountingBases: string[] }).AccountingBases

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

cases(test, new URL('cases/cash-basis.yaml', import.meta.url))
