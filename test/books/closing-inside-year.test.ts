/** Closing entries before the last day of their year are matched to the balances that they clear (accounting.md §4). */

import * as assert from 'uvu/assert'
import type { Books } from '../../builder/books/books.ts'
import { verifyCompanies } from '../../builder/evidence/verify/verify.ts'
import { explain } from '../../builder/inspect/explain.ts'
import { answerStatement } from '../../builder/statements/answer.ts'
import { suite } from '../suite.ts'
import { toExplain } from '../support/asked.ts'
import {
  type Built,
  buildIn,
  buildWith,
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

const CASES: readonly (readonly [
  what: string,
  marks: string,
  ledger: string,
  prior: string,
  current: string,
])[] = [
  [
    'a company that closes each month of its first year',
    '{ transactions: [c1, c2] }',
    `1 2025-01-10 bank 1000; 1 2025-01-10 sales -1000; 2 2025-01-20 rent 300; 2 2025-01-20 bank -300
     c1 2025-01-31 sales 1000; c1 2025-01-31 rent -300; c1 2025-01-31 retained -700
     3 2025-02-10 bank 210; 3 2025-02-10 sales -210; c2 2025-02-28 sales 210; c2 2025-02-28 retained -210`,
    '0.00 0.00',
    '0.00 0.00',
  ],
  [
    "the year before is open, and January's own result is closed",
    '{ transactions: [c] }',
    `1 2024-12-10 bank 500; 1 2024-12-10 sales -500; 2 2025-01-10 bank 100; 2 2025-01-10 sales -100
     c 2025-01-31 sales 100; c 2025-01-31 retained -100`,
    '0.00 500.00',
    '500.00 0.00',
  ],
  [
    'the year before is closed while January has a result of its own',
    '{ transactions: [c] }',
    `1 2024-12-10 bank 500; 1 2024-12-10 sales -500; 2 2025-01-10 bank 100; 2 2025-01-10 sales -100
     c 2025-01-31 sales 500; c 2025-01-31 retained -500`,
    '0.00 0.00',
    '500.00 100.00',
  ],
  [
    'one entry that closes both years, over an account with and one without results of its own',
    '{ transactions: [c] }',
    `1 2024-12-10 bank 500; 1 2024-12-10 sales -500; 2 2024-12-20 rent 200; 2 2024-12-20 bank -200
     3 2025-01-10 bank 100; 3 2025-01-10 sales -100
     c 2025-01-31 sales 600; c 2025-01-31 rent -200; c 2025-01-31 retained -400`,
    '0.00 0.00',
    '300.00 0.00',
  ],
  [
    'a closing account, which is matched by the total',
    '{ accounts: [tax] }',
    `1 2024-12-10 bank 500; 1 2024-12-10 sales -500; 2 2025-01-10 bank 100; 2 2025-01-10 sales -100
     c 2025-01-31 tax 100; c 2025-01-31 retained -100; d 2025-01-31 tax 500; d 2025-01-31 retained -500`,
    '0.00 0.00',
    '500.00 0.00',
  ],
  [
    'an amount that is neither comes out of the older one first',
    '{ transactions: [c] }',
    `1 2024-12-10 bank 500; 1 2024-12-10 sales -500; 2 2025-01-10 bank 100; 2 2025-01-10 sales -100
     c 2025-01-31 sales 480; c 2025-01-31 retained -480`,
    '0.00 20.00',
    '500.00 100.00',
  ],
]
for (const [what, marks, ledger, prior, current] of CASES)
  test(what, () =>
    buildWith(
      {
        'company.yaml': companyYaml(`classes: classes.csv\nclosing: ${marks}`),
        'classes.csv': CLASSES,
        'ledger.csv': ledgerCsv(ledger),
      },
      (built) => {
        assert.equal(rows(built), [prior, current])
      },
    ),
  )

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
