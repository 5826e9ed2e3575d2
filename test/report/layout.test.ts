/**
 * The company's own groups, lines and totals: what each shows is what the published statement gives for its accounts, nothing
 * stands twice, and nothing is left out. The figures are read here from the published JSON, with arithmetic of this test alone.
 */

import * as assert from 'uvu/assert'
import type { StatementName } from '../../builder/contract/vocabulary.ts'
import type { ShownStatement } from '../../builder/report/report.ts'
import { VIEWS, type View } from '../../builder/report/views.ts'
import { suite } from '../suite.ts'
import { buildIn, CHART, COMPANY, companyYaml, inWorkspace, ledgerCsv } from '../support/workspace.ts'
import { shows } from './shows.ts'

const layouts = suite('own layout of statements')

const YEAR = `1 2025-01-01 bank 1000.00; 1 2025-01-01 capital -1000.00
  2 2025-02-10 bank 250.00; 2 2025-02-10 sales -250.00
  3 2025-02-11 rent 40.00; 3 2025-02-11 bank -40.00
  4 2025-02-12 cogs 70.05; 4 2025-02-12 creditors -70.05
  5 2025-02-28 depreciation 10.00; 5 2025-02-28 plantdep -10.00
  6 2025-03-01 tax 5.55; 6 2025-03-01 bank -5.55
  7 2025-03-02 returns 2.50; 7 2025-03-02 bank -2.50
  8 2025-03-03 bank 7.00; 8 2025-03-03 gain -7.00`

const LAYOUT = `layout:
  profitAndLoss:
    - group: Turnover
      accounts: [4000-4099]
    - line: Running costs
      accounts: [CostOfSales, rent]
    - total: EBITDA
    - section: Expense
      label: Depreciation
    - section: OtherIncome
    - total: Before tax
    - line: Tax
      accounts: [8900]
    - total: Profit
  balanceSheet:
    - group: Liquid assets
      accounts: [bank, 1010]
    - section: Asset
      label: Other assets
    - section: Liability
    - section: Equity`

const filesWith = (settings: string) => ({
  'company.yaml': companyYaml(settings),
  'chart.csv': CHART,
  'ledger.csv': ledgerCsv(YEAR),
})

const shown = (root: string, statement: StatementName, view: View = 'month'): Promise<ShownStatement> =>
  shows(root, { company: COMPANY, statement, view })

layouts('in every view each part is the sum of its published accounts, and all of them the statement', () =>
  inWorkspace(filesWith(LAYOUT), async (workspace) => {
    const built = await buildIn(workspace, COMPANY)
    for (const statement of ['ProfitAndLoss', 'BalanceSheet'] as const)
      for (const view of VIEWS) {
        const { lines, columns } = await shown(workspace.snapshots, statement, view)
        const published = built.statement(statement)
        const accounts = lines.filter(({ kind }) => kind === 'account').flatMap((line) => line.accounts)
        assert.is(new Set(accounts).size, accounts.length, `${statement} ${view}: nothing twice`)
        // Accounts without a figure in any column are not shown: the classes are those of one month.
        if (!['classes', 'departments'].includes(view))
          assert.equal([...accounts].sort(), Object.keys(published.rows).sort(), `${statement} ${view}`)
        for (const [i, column] of columns.entries()) {
          if (column.months === null) continue
          const from = published.months.indexOf(column.months.from)
          const last = published.months.indexOf(column.months.through)
          const minor = (id: string): number =>
            (published.rows[id] ?? [])
              .slice(statement === 'BalanceSheet' ? last : from, last + 1)
              .reduce((sum, figure) => sum + Math.round(Number(figure) * 100), 0)
          const sum = (ids: readonly string[]) => ids.reduce((all, id) => all + minor(id), 0)
          for (const line of lines)
            if (line.accounts.length > 0)
              assert.is(
                line.cells[i],
                sum(line.accounts) - sum(line.less),
                `${statement} ${view} ${line.label}`,
              )
        }
      }
  }),
)
