/** What the `Tie-Out` header says: of what was published, by the tie-outs that were published with it. */
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { CHECKED, STATEMENT_CHECKS, STATEMENTS } from '../../../builder/contract/vocabulary.ts'
import { statementPath } from '../../../builder/snapshot/files/layout.ts'
import { openSnapshot } from '../../../builder/snapshot/files/open.ts'
import { IDENTITIES } from '../../../builder/statements/tie-outs/identities.ts'
import { checkedOfActuals, checkedOfBudget } from '../../../serve/companies/checked.ts'
import { suite } from '../../suite.ts'
import { buildWith, COMPANY, companyYaml, ledgerCsv, scopeOf } from '../../support/workspace.ts'

const checked = suite('the Tie-Out header')

checked('every identity that holds under filters has a name, and each statement those of its own', () => {
  for (const statement of STATEMENTS) {
    const own = IDENTITIES.filter((each) => each.statement === statement && each.on === 'every scope')
    assert.equal(
      [...new Set(own.map(({ id }) => CHECKED[id]))].sort(),
      [...STATEMENT_CHECKS[statement]].sort(),
      statement,
    )
  }
})

const headers = (plan: string, equity: string) =>
  buildWith(
    {
      'company.yaml': companyYaml(
        `budgets: [{ id: plan, name: Plan, files: plan.csv${equity} }]\nopening: none\ndepartments: departments.csv`,
      ),
      'departments.csv': 'id,name\nshop,Shop\nyard,Yard\n',
      'ledger.csv': ledgerCsv('1 2025-01-15 bank 18000.00; 1 2025-01-15 sales -18000.00'),
      'plan.csv': plan,
    },
    async ({ path, read }) => {
      const root = path('')
      const snapshot = await openSnapshot(
        join(root, '..', '..'),
        COMPANY,
        root.split('/').filter(Boolean).at(-1)!,
      )
      assert.ok(snapshot)
      const short = (text: string) => {
        assert.match(text, `; manifest="sha256-${snapshot!.manifestHash}"`)
        return text.replace(/; manifest=.*/, '')
      }
      const ofBudget = async (statement: (typeof STATEMENTS)[number], departmentId: string | null) => {
        const scope = scopeOf(statement, { budgetId: 'plan', departmentId })
        return short(await checkedOfBudget(snapshot!, scope, Buffer.from(read(statementPath(scope)))))
      }
      return {
        actuals: STATEMENTS.map((statement) => short(checkedOfActuals(snapshot!, scopeOf(statement), true))),
        empty: short(checkedOfActuals(snapshot!, scopeOf('BalanceSheet', { departmentId: 'yard' }), true)),
        outside: short(checkedOfActuals(snapshot!, scopeOf('BalanceSheet'), false)),
        plan: await Promise.all(STATEMENTS.map((statement) => ofBudget(statement, null))),
        shop: await Promise.all(STATEMENTS.map((statement) => ofBudget(statement, 'shop'))),
      }
    },
  )

const PLAN =
  'account,department,2025-01,2025-02\nbank,,100,150\ncapital,,90,90\nretained,,10,60\nsales,shop,10,50\n'

checked(
  'actuals, a combination without postings, a range outside; budgets that balance, filtered or not',
  async () => {
    const found = await headers(PLAN, ', equity: with-result')
    assert.equal(found.actuals, [
      'pass; checked="totals, earnings"',
      'pass; checked="totals, balance, movements"',
      'pass; checked="totals, cash"',
    ])
    assert.equal([found.empty, found.outside], ['not-checked', 'not-checked'])
    assert.equal(found.plan, [
      'pass; checked="totals"',
      'pass; checked="totals, balance"',
      'pass; checked="totals, cash"',
    ])
    assert.equal(found.shop, ['pass; checked="totals"', 'not-checked', 'not-checked'])
  },
)

checked(
  'a budget whose balance sheet does not balance, or whose equity is not stated, does not pass',
  async () => {
    const off = await headers(PLAN.replace('150', '151'), ', equity: with-result')
    assert.equal(off.plan, ['pass; checked="totals"', 'not-checked; checked="totals"', 'not-checked'])
    const unstated = await headers(PLAN, '')
    assert.equal(unstated.plan, ['pass; checked="totals"', 'not-checked; checked="totals"', 'not-checked'])
  },
)
