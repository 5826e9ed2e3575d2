/**
 * The company's own groups, lines and totals: what each shows is what the published statement gives for its accounts, nothing
 * stands twice, and nothing is left out. The figures are read here from the published JSON, with arithmetic of this test alone.
 */

import * as assert from 'uvu/assert'
import type { StatementName } from '../../builder/contract/vocabulary.ts'
import type { ShownLine, ShownStatement } from '../../builder/report/report.ts'
import { VIEWS, type View } from '../../builder/report/views.ts'
import { suite } from '../suite.ts'
import { inPublished } from '../support/published.ts'
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

const text = ({ label, kind, depth, cells }: ShownLine, at: number): string =>
  `${'  '.repeat(depth)}${label}${kind === 'heading' ? '' : `: ${cells[at] ?? '.'}`}`

layouts('groups, lines and running totals in the order of company.yaml; the last total is net income', () =>
  inPublished(filesWith(LAYOUT), async (workspace) => {
    const statement = await shown(workspace.snapshots, 'ProfitAndLoss')
    const at = statement.columns.findIndex(({ title }) => title === 'Year to date')
    assert.equal(
      statement.lines.map((line) => text(line, at)),
      [
        'Turnover',
        '  Sales: 25000',
        '  Sales returns: -250',
        'Total Turnover: 24750',
        'Running costs: 11005',
        'EBITDA: 13745',
        'Depreciation',
        '  Depreciation: 1000',
        'Total Depreciation: 1000',
        'Other income',
        '  Gain on disposal: 700',
        'Total other income: 700',
        'Before tax: 13445',
        'Tax: 555',
        'Profit: 12890',
      ],
    )
    const position = await shown(workspace.snapshots, 'BalanceSheet')
    assert.equal(
      position.lines.slice(0, 7).map((line) => text(line, 0)),
      [
        'Assets',
        '  Liquid assets',
        '    Bank: 120895',
        '  Total Liquid assets: 120895',
        '  Other assets',
        '    Plant depreciation: -1000',
        '  Total Other assets: -1000',
      ],
    )
  }),
)

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

layouts(
  'an account that stands twice, nowhere, or with the opposite sign is refused, with the line of company.yaml',
  async () => {
    const cases: readonly (readonly [what: string, layout: string, code: string, message: RegExp])[] = [
      [
        'no such account',
        '- line: X\n      accounts: [4711]',
        'layout-account',
        /no account has the number or id "4711"/,
      ],
      [
        'of the balance sheet',
        '- line: X\n      accounts: [bank]',
        'layout-account',
        /"bank" are not part of this statement/,
      ],
      [
        'twice',
        '- line: X\n      accounts: [4000]\n    - group: Y\n      accounts: [4000-4090]',
        'layout-twice',
        /4000 Sales stands in two parts: "X" and "Y"/,
      ],
      [
        'section twice',
        '- section: Expense\n    - line: X\n      accounts: [Expense]',
        'layout-twice',
        /section Expense stands/,
      ],
      [
        'name twice',
        '- section: Expense\n    - total: Expense',
        'layout-twice',
        /two parts are called "Expense"/,
      ],
      ['left out', '- section: Income', 'layout-left-out', /no part of the layout holds 5000 Cost of goods/],
      [
        'mixed',
        '- line: X\n      accounts: [4000, 6000]',
        'layout-mixed',
        /4000 Sales \(Income\) and 6000 Rent \(Expense\)/,
      ],
      [
        'two keys',
        '- section: Income\n      total: X',
        'invalid-setting',
        /must have one of the keys section, group, line, total/,
      ],
      ['no accounts', '- group: X', 'invalid-setting', /needs "accounts"/],
      [
        'accounts of a total',
        '- total: X\n      accounts: [4000]',
        'invalid-setting',
        /a total has no "accounts"/,
      ],
    ]
    await Promise.all(
      cases.map(([what, part, code, message]) =>
        inWorkspace(filesWith(`layout:\n  profitAndLoss:\n    ${part}`), async (workspace) => {
          const { result } = await buildIn(workspace, COMPANY)
          assert.is(result.outcome, 'refused', what)
          const found = result.findings.find((each) => each.code === code)
          assert.ok(found, `${what}: ${JSON.stringify(result.findings)}`)
          assert.match(found!.message, message)
          assert.ok(Number(found!.row) > 6, `${what}: line ${found!.row}`)
        }),
      ),
    )
  },
)

layouts('a total of a balance sheet is refused: its totals stand after its sections', () =>
  inWorkspace(filesWith('layout:\n  balanceSheet:\n    - total: X'), async (workspace) => {
    const { result } = await buildIn(workspace, COMPANY)
    assert.is(result.outcome, 'refused')
    assert.is(result.findings[0]!.code, 'unknown-key')
  }),
)

layouts(
  'another layout publishes the same figures again, and an earlier snapshot keeps the layout that it had',
  () =>
    inWorkspace(filesWith(''), async (workspace) => {
      const first = await buildIn(workspace, COMPANY)
      const { writeFileSync } = await import('node:fs')
      const { join } = await import('node:path')
      writeFileSync(join(workspace.datasets, COMPANY, 'company.yaml'), companyYaml(LAYOUT))
      const second = await buildIn(workspace, COMPANY)
      assert.is(second.result.outcome, 'published')
      assert.equal(second.result.changes?.changes, [])
      const lines = async (snapshotId: string) => {
        const statement = await shows(workspace.snapshots, { company: COMPANY, snapshotId })
        return statement.lines.map(({ label }) => label)
      }
      assert.ok(!(await lines(first.result.snapshotId!)).includes('EBITDA'))
      assert.ok((await lines(second.result.snapshotId!)).includes('EBITDA'))
    }),
)
