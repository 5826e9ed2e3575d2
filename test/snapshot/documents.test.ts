/** Published documents are parsed when they are read back: one of another form is refused with file, snapshot and reason. */

import * as assert from 'uvu/assert'
import { bagContents } from '../../builder/evidence/archive/contents.ts'
import { readStatement } from '../../builder/report/export/statements.ts'
import { SnapshotDamagedError } from '../../builder/snapshot/files/damage.ts'
import {
  readBudgetIds,
  readPublishedMetrics,
  readPublishedStatement,
} from '../../builder/snapshot/files/documents.ts'
import { metricsPath, statementPath } from '../../builder/snapshot/files/layout.ts'
import { openSnapshot, readPointer, type Snapshot } from '../../builder/snapshot/files/open.ts'
import { suite } from '../suite.ts'
import { buildIn, CHART, COMPANY, companyYaml, inWorkspace, ledgerCsv } from '../support/workspace.ts'

const FILES = {
  'company.yaml': companyYaml(`
metrics: [{ files: metrics.csv }]
nonFinancial: [{ id: heads, name: Heads, aggregation: last }]
`),
  'chart.csv': CHART,
  'ledger.csv': ledgerCsv('1 2025-01-10 bank 800.00; 1 2025-01-10 sales -800.00'),
  'metrics.csv': 'metric,date,value\nheads,2025-01-31,3\n',
}
const ALL = { budgetId: null, classId: null, departmentId: null }
const SCOPE = { ...ALL, statement: 'ProfitAndLoss', basis: 'ACCRUAL' } as const
const STATEMENT = statementPath(SCOPE)
const MONTHS = { from: '2025-01', through: '2025-01' }
const BAG = { version: '1.0', baggedAt: new Date(0), software: 'test' } as const

/** The snapshot with other bytes in the place of one file, as if that file had been published so. */
const withText = (snapshot: Snapshot, path: string, text: string): Snapshot => ({
  ...snapshot,
  read: async (file) => (file === path ? Buffer.from(text) : snapshot.read(file)),
})

async function refusal(reading: () => Promise<unknown>): Promise<string> {
  try {
    await reading()
  } catch (problem) {
    assert.instance(problem, SnapshotDamagedError)
    return (problem as Error).message
  }
  throw new Error('a document of another form was read')
}

const test = suite('published documents')
const within = (run: (snapshot: Snapshot) => Promise<void>) => () =>
  inWorkspace(FILES, async (workspace) => {
    await buildIn(workspace, COMPANY)
    const { SnapshotId } = (await readPointer(workspace.snapshots, COMPANY))!
    await run(await openSnapshot(workspace.snapshots, COMPANY, SnapshotId))
  })

test(
  'a statement is read back in exact minor units',
  within(async (snapshot) => {
    const statement = (await readPublishedStatement(snapshot, SCOPE))!
    assert.equal(statement.months, ['2025-01'])
    assert.equal(statement.rows.get('sales')?.figures, [80000])
    assert.equal(statement.totals.get('NetIncome'), [80000])
    assert.is(statement.notStated.size, 0)
  }),
)

test(
  'a statement that is cut off, of another program or of another statement is refused by name',
  within(async (snapshot) => {
    const text = (await snapshot.read(STATEMENT)).toString('utf8')
    for (const [bytes, why] of [
      [text.slice(0, -20), 'it is not JSON'],
      ['', 'it is not JSON'],
      ['{"rows":[]}', 'CompanyId: '],
      ['[]', 'expected object'],
      [text.replace('"ProfitAndLoss"', '"BalanceSheet"'), 'Statement: '],
      [text.replace(/"Values":\[[^\]]*\]/, '"Values":["800.00"]'), 'Data.0.Values.0: '],
    ] as const) {
      const damaged = withText(snapshot, STATEMENT, bytes)
      for (const reading of [
        () => readPublishedStatement(damaged, SCOPE),
        () => readStatement(damaged, SCOPE, MONTHS),
        () => bagContents(damaged, BAG),
      ]) {
        const message = await refusal(reading)
        assert.match(message, `${STATEMENT} of snapshot ${snapshot.id} is not a statement: `)
        assert.match(message, why)
        assert.match(message, 'verify the snapshot')
      }
    }
  }),
)

test(
  'a company, a list of budgets and metrics of another form are refused by name',
  within(async (snapshot) => {
    const info = withText(snapshot, 'info.json', '{"Id":"acme"}')
    assert.match(
      await refusal(() => bagContents(info, BAG)),
      /info\.json of snapshot .* is not a description of a company: Name: /,
    )
    const budgets = withText(snapshot, 'budgets.json', '{"Data":5}')
    assert.match(
      await refusal(() => readBudgetIds(budgets)),
      /budgets\.json of snapshot .* is not a list of budgets: Data: /,
    )
    const metrics = withText(snapshot, metricsPath(ALL), 'null')
    assert.match(await refusal(() => readPublishedMetrics(metrics, ALL)), / is not a document of metrics: /)
  }),
)
