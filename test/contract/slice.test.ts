/** A statement cut as bytes is the statement of the cut figures, encoded anew. */
import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { firstDay, lastDay, periodsOf } from '../../builder/contract/calendar.ts'
import type { DateRange, Figures, StatementDocument } from '../../builder/contract/document.ts'
import { encodeStatement, withFigures } from '../../builder/contract/encode.ts'
import { sliceStatement } from '../../builder/contract/slice.ts'
import { SUMMARY_NAMES } from '../../builder/contract/vocabulary.ts'
import { seed, times } from '../seed.ts'
import { suite } from '../suite.ts'

const test = suite('slice')

const MONTHS = 14
const START = 2023 * 12 + 10
const wholeMonths = (from: number, to: number): DateRange => ({
  startDate: firstDay(START + from),
  endDate: lastDay(START + to),
})

const figures = fc
  .array(
    fc.oneof(
      fc.constantFrom(0, 0, 0, Number.NaN, 1, -10, 100),
      fc.integer({ min: -999_999_999_999_999, max: 999_999_999_999_999 }),
    ),
    { minLength: MONTHS, maxLength: MONTHS },
  )
  .map((values) => Float64Array.from(values))
/** What a chart can hold, and what the search for figures could take for them. */
const name = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('"Values":[1.00]},', '],\n"Summary":[', ',\n"Data":[', '\\', 'Ærø 銀行'),
)
const row = fc.record({
  accountId: name,
  accountNumber: name,
  accountName: name,
  section: fc.constantFrom('Income' as const, 'Expense' as const),
  values: figures,
})
const published: fc.Arbitrary<StatementDocument> = fc
  .record({
    currency: fc.constantFrom('USD', 'JPY', 'KWD'),
    companyId: name,
    rows: fc.array(row, { maxLength: 5 }),
    totals: fc.array(figures, {
      minLength: SUMMARY_NAMES.ProfitAndLoss.length,
      maxLength: SUMMARY_NAMES.ProfitAndLoss.length,
    }),
    classId: fc.option(name),
  })
  .map(({ rows, totals, ...rest }) => ({
    ...rest,
    statement: 'ProfitAndLoss',
    basis: 'ACCRUAL',
    basisSource: 'Books' as const,
    budgetId: null,
    departmentId: null,
    ...wholeMonths(0, MONTHS - 1),
    periods: periodsOf(wholeMonths(0, MONTHS - 1)),
    rows: withFigures(rows),
    summary: SUMMARY_NAMES.ProfitAndLoss.map((of, i) => ({ name: of, values: totals[i]! })),
  }))

/** Cut in working form: every step of the long way. */
function cutDocument(doc: StatementDocument, range: DateRange): StatementDocument {
  const from = doc.periods.findIndex((period) => period.startDate >= range.startDate)
  const to = doc.periods.findLastIndex((period) => period.endDate <= range.endDate) + 1
  const inside = <T>(list: readonly T[]): T[] => (from < 0 || to <= from ? [] : list.slice(from, to))
  const cut = (values: Figures): Figures => Float64Array.from(inside([...values]))
  return {
    ...doc,
    ...range,
    periods: inside(doc.periods),
    rows: withFigures(doc.rows.map((each) => ({ ...each, values: cut(each.values) }))),
    summary: doc.summary.map((each) => ({ ...each, values: cut(each.values) })),
  }
}

test('any document, any range of whole months', () => {
  const month = fc.integer({ min: -2, max: MONTHS + 1 })
  fc.assert(
    fc.property(published, month, month, (doc, one, other) => {
      const range = wholeMonths(Math.min(one, other), Math.max(one, other))
      const cut = sliceStatement(Buffer.from(encodeStatement(doc)), range)
      assert.fixture(cut.toString(), encodeStatement(cutDocument(doc, range)))
    }),
    { seed, numRuns: times(2000) },
  )
})

test('the whole document is itself', () => {
  fc.assert(
    fc.property(published, (doc) => {
      const text = encodeStatement(doc)
      assert.fixture(sliceStatement(Buffer.from(text), doc).toString(), text)
    }),
  )
})
