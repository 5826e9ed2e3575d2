/** Days of cut months are kept, bounded, and one month's never stand in for another's. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Days } from '../../builder/books/days.ts'
import { answerStatement } from '../../builder/statements/answer.ts'
import { buildWith, ledgerCsv, readStatement, scopeOf } from '../support/workspace.ts'

const test = suite('days')

const FILES = {
  'ledger.csv': ledgerCsv(
    [1, 2, 3]
      .flatMap((month) => [5, 25].map((day) => `2024-0${month}-${String(day).padStart(2, '0')}`))
      .map((date, i) => `${i} ${date} bank ${10 ** i}; ${i} ${date} sales -${10 ** i}`)
      .join('; '),
  ),
}

test('no more is kept than the bound, and what was put away is asked again', async () => {
  await buildWith(FILES, async (built) => {
    const books = await built.books()
    // Room for the four postings of one month.
    const days = new Days(5)
    const sales = async (startDate: string, endDate: string) => {
      const text = await answerStatement({ ...books, days }, scopeOf('ProfitAndLoss'), { startDate, endDate })
      assert.ok(days.count <= 5, String(days.count))
      return readStatement(text).rows.sales
    }
    for (let round = 0; round < 2; round++) {
      assert.equal(await sales('2024-01-06', '2024-01-31'), ['10.00'])
      assert.equal(await sales('2024-01-06', '2024-03-24'), ['10.00', '1100.00', '10000.00'])
      assert.equal(await sales('2024-02-06', '2024-02-24'), undefined)
      assert.is(days.count, 4)
    }
  })
})

test('two queries at once that cut the same month count it once', async () => {
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
    assert.is(books.days.count, 4)
  })
})

test.run()
