/** Closing entries before the last day of their year are matched to the balances that they clear (accounting.md §4). */

import * as assert from 'uvu/assert'
import type { Books } from '../../builder/books/books.ts'
import { verifyCompanies } from '../../builder/evidence/verify/verify.ts'
import { explain } from '../../builder/inspect/explain.ts'
import { answerStatement } from '../../builder/statements/answer.ts'
import { suite } from '../suite.ts'
import { toExplain } from '../support/asked.ts'
import { cases } from '../support/case-file.ts'
import {
  type Built,
  buildIn,
  CHART,
  COMPANY,
  companyYaml,
  type Filters,
  inWorkspace,
  ledgerCsv,
  readStatement,
  scopeOf,
} from '../support/workspace.ts'

const test = suite('closing entries inside a year')

const CLASSES = 'id,name\nnorth,North\nsouth,South\n'
/** *Prior years not closed* and *current-year earnings* of each month. */
const rows = ({ statement }: Built, filters: Filters = {}) => {
  const { rows, months } = statement('BalanceSheet', filters)
  return ['prior-years-not-closed', 'current-year-earnings'].map((row) =>
    (rows[row] ?? months.map(() => '0.00')).slice(-2).join(' '),
  )
}

/** One entry closes 0.03 of which 0.02 are of the year before, over two classes. */
const BOTH = {
  'company.yaml': companyYaml('classes: classes.csv\nclosing: { transactions: [c] }'),
  'classes.csv': CLASSES,
  'ledger.csv': ledgerCsv(`
    1 2024-12-10 bank 0.02; 1 2024-12-10 sales -0.02 north; 2 2025-01-10 bank 0.01; 2 2025-01-10 sales -0.01 south
    c 2025-01-30 sales 0.02 north; c 2025-01-30 sales 0.01 south; c 2025-01-30 retained -0.03`),
}

test('what one line clears of both years is shared over its lines, to the last cent', () =>
  inWorkspace({ 'chart.csv': CHART, ...BOTH }, async (workspace) => {
    const opened: Books[] = []
    const built = await buildIn(workspace, COMPANY, opened)
    assert.equal(rows(built), ['0.00 0.00', '0.02 0.00'])
    // Of the 0.01 of this year the larger line takes the cent: two thirds round up.
    assert.equal(rows(built, { classId: 'north' }), ['0.00 0.01', '0.02 -0.01'])
    assert.equal(rows(built, { classId: 'south' }), ['0.00 -0.01', '0.00 0.01'])
    const range = { startDate: '2025-01-15', endDate: '2025-01-30' }
    const answer = readStatement(await answerStatement(await built.books(), scopeOf('BalanceSheet'), range))
    assert.is(answer.rows['current-year-earnings'], undefined)
    assert.equal(answer.totals.TotalEquity, ['0.03'])
    for (const db of opened) db.db.close()
    const { verified, companies } = await verifyCompanies(workspace.snapshots, [COMPANY], {
      figures: true,
      known: null,
    })
    assert.ok(verified, JSON.stringify(companies))
    const asked = { account: 'current-year-earnings', month: '2025-01', classId: 'north', all: true }
    const { value } = await explain(workspace.snapshots, toExplain(asked))
    assert.ok(value?.addsUp)
    assert.is(value?.published, '-0.01')
  }))

cases(test, new URL('cases/closing-inside-year.yaml', import.meta.url))
