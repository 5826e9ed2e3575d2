/** Days of cut months, kept or summed: the same answers. */

import * as assert from 'uvu/assert'
import { createTotals, Days } from '../../builder/books/read/days.ts'
import { answerStatement } from '../../builder/statements/answer.ts'
import { suite } from '../suite.ts'
import { buildWith, companyYaml, ledgerCsv, readStatement, scopeOf } from '../support/workspace.ts'

const test = suite('days')

const FILES = {
  'company.yaml': companyYaml('classes: members.csv\nledger: [{ files: ledger.csv }]'),
  'members.csv': 'id,name,parent\na,A,\n',
  'ledger.csv': ledgerCsv(
    [1, 2, 3]
      .flatMap((month) => [5, 25].map((day) => `2024-0${month}-${String(day).padStart(2, '0')}`))
      .map((date, i) => `${i} ${date} bank ${10 ** i}; ${i} ${date} sales -${10 ** i}`)
      .join('; '),
  ),
}

test('the days of small books are kept, of large ones their sums over all members', async () => {
  await buildWith(FILES, async (built) => {
    const books = await built.books()
    await createTotals(books.db)
    for (const [days, classId, kept] of [
      [new Days(2_000_000), null, 3],
      [new Days(2_000_000), 'unassigned', 3],
      [new Days(2_000_001), null, 3],
      [new Days(2_000_001), 'unassigned', 0],
    ] as const) {
      const sales = async (startDate: string, endDate: string) => {
        const range = { startDate, endDate }
        const scope = { ...scopeOf('ProfitAndLoss'), classId }
        const text = await answerStatement({ ...books, days }, scope, range)
        return readStatement(text).rows.sales
      }
      for (let round = 0; round < 2; round++) {
        assert.equal(await sales('2024-01-06', '2024-01-31'), ['10.00'])
        assert.equal(await sales('2024-01-06', '2024-03-24'), ['10.00', '1100.00', '10000.00'])
        assert.equal(await sales('2024-02-06', '2024-02-24'), undefined)
      }
      assert.is(days.kept, kept)
    }
  })
})

test('two queries at once that cut the same month keep it once', async () => {
  await buildWith(FILES, async (built) => {
    const books = await built.books()
    const ask = async () => {
      const db = await books.db.connect()
      const range = { startDate: '2024-01-06', endDate: '2024-01-31' }
      const text = await answerStatement({ ...books, db }, scopeOf('BalanceSheet'), range)
      db.close()
      return text
    }
    const [one, other] = await Promise.all([ask(), ask()])
    assert.is(one, other)
    assert.is(books.days.kept, 1)
  })
})
