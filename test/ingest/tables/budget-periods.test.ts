/** Which months a sheet means: settled by its headings, its title and the company's fiscal years, or asked for. */

import * as assert from 'uvu/assert'
import { suite } from '../../suite.ts'
import { cases } from '../../support/case-file.ts'
import { day, errors, figures, ingestBudget, only, workbook } from '../folder.ts'

const periods = suite('periods of budgets')

const csv = (text: string | Buffer, settings: object = {}) => ingestBudget(text, {}, settings)
type Intake = Awaited<ReturnType<typeof csv>>
const months = (intake: Intake) => {
  assert.equal(errors(intake), [])
  return figures(intake).map((figure) => figure.replace('i1 ', ''))
}
/** The first and the last month, and how many there are. */
const span = (intake: Intake) => {
  const all = months(intake).map((each) => each.slice(0, 7))
  return [all[0], all.at(-1), all.length]
}
const asked = (intake: Intake) => only(intake.findings, 'unclear-period')

const typed = async (name: string, days: readonly string[]) =>
  csv(
    await workbook({
      [name]: [
        ['account', ...days.map(day)],
        ['4000', ...days.map((_, i) => i + 1)],
      ],
    }),
  )
const twentyFifth = (year: number) =>
  Array.from({ length: 12 }, (_, i) => `${year}-${String(i + 1).padStart(2, '0')}-25`)

periods('days that a spreadsheet made of Jan-25 are of the year of the sheet, or asked for', async () => {
  assert.equal(span(await typed('Budget 2025', twentyFifth(2026))), ['2025-01', '2025-12', 12])
  assert.equal(span(await typed('Budget 2026', twentyFifth(2026))), ['2026-01', '2026-12', 12])
  assert.equal(span(await typed('Plan', twentyFifth(2025))), ['2025-01', '2025-12', 12])
  const found = asked(await typed('Plan', twentyFifth(2026)))
  assert.match(found.message, 'Jan-25')
  const wrapped = [
    '2026-07-25',
    '2026-08-25',
    '2026-09-25',
    '2026-10-25',
    '2026-11-25',
    '2026-12-25',
    '2026-01-26',
  ]
  assert.equal(span(await typed('Plan', wrapped)), ['2025-07', '2026-01', 7])
  const ends = ['2025-01-31', '2025-02-28', '2025-03-31']
  assert.equal(span(await typed('Plan', ends)), ['2025-01', '2025-03', 3])
})

cases(periods, new URL('cases/budget-periods.yaml', import.meta.url))
