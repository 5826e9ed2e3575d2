/** `tieout show` and the figures at the end of `tieout build`, as people see them. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { pagedText } from '../../cli/terminal.ts'
import { suite } from '../suite.ts'
import { goodCompany, inFolder, inWorkspaceOf, tieout } from './command.ts'

const show = suite('cli show')

show(
  'a statement with its title, its columns and its totals; a build ends with the figures that matter',
  () =>
    inWorkspaceOf({ acme: goodCompany('acme') }, async (cwd) => {
      const built = await tieout(['build'], { cwd })
      assert.is(built.code, 0, built.err)
      assert.match(
        built.out,
        /Company +Basis +Month +Net income +Cash +Total assets\nacme +accrual, USD +2025-02 +250\.00 +1,250\.00 +1,250\.00\n +month before +0\.00 +1,000\.00 +1,000\.00\n/,
      )
      const shown = await tieout(['show', 'acme'], { cwd })
      assert.is(shown.code, 0, shown.err)
      assert.match(shown.out, /^.*: profit and loss\naccrual, whole USD\nsnapshot 2025-02-r1-[0-9a-f]{6}\n\n/)
      assert.match(
        shown.out,
        /\n +Feb 2025 +Year to date\nIncome\n {2}Sales +250 +250\nTotal income +250 +250\n/,
      )
      assert.match(shown.out, /\nNet income +250 +250\n$/)
      const balances = await tieout(['show', 'acme', '2025-02', '--statement', 'balance-sheet', '--cents'], {
        cwd,
      })
      assert.match(balances.out, /\naccrual, USD\n/)
      assert.match(balances.out, /\n +Feb 2025 +Jan 2025\nAssets\n {2}Bank +1,250\.00 +1,000\.00\n/)
    }),
)

show('all statements for a program: figures as integers of minor units', () =>
  inWorkspaceOf({ acme: goodCompany('acme') }, async (cwd) => {
    assert.is((await tieout(['build', '--json'], { cwd })).code, 0)
    const { out } = await tieout(['show', 'acme', '--statement', 'all', '--json'], { cwd })
    const { statements } = JSON.parse(out)
    assert.equal(
      statements.map(({ statement }: { statement: string }) => statement),
      ['ProfitAndLoss', 'BalanceSheet', 'CashFlow'],
    )
    const net = statements[0].lines.find(({ id }: { id: string }) => id === 'NetIncome')
    assert.equal([net.label, net.cells, statements[0].decimals], ['Net income', [25000, 25000], 2])
  }),
)

show('what is asked for and is not there ends with exit code 2 and says what there is', () =>
  inWorkspaceOf({ acme: goodCompany('acme') }, async (cwd) => {
    assert.is((await tieout(['build'], { cwd })).code, 0)
    for (const [args, text] of [
      [['none'], /nothing is published of company "none".*acme/],
      [['acme', '2025-09'], /2025-09 is not covered; the books cover 2025-01 to 2025-02/],
      [['acme', '--budget', 'plan'], /acme has no budget "plan"/],
      [['acme', '--class', 'east'], /acme has no class "east"/],
      [['acme', '--statement', 'tax'], /Allowed choices are profit-loss, balance-sheet, cash-flow, all/],
      [['acme', '--by', 'week'], /Allowed choices are month, quarter, year, class, department/],
      [['acme', '--snapshot', '2024-01-r1-000000'], /acme has no snapshot "2024-01-r1-000000"/],
    ] as const) {
      const refused = await tieout(['show', ...args], { cwd })
      assert.is(refused.code, 2, refused.out)
      assert.match(refused.err, text)
    }
  }),
)

show('a long text on a terminal goes through the pager; without one that works it is printed', () =>
  inFolder(async (folder) => {
    const file = join(folder, 'paged.txt')
    const screen = { isTTY: true, rows: 3 }
    const pager = { ...process.env, PAGER: `cat > ${file}` }
    assert.is(pagedText('a\nb\nc\nd', screen, pager), true)
    assert.is(readFileSync(file, 'utf8'), 'a\nb\nc\nd\n')
    assert.is(pagedText('a\nb', screen, { ...pager, PAGER: 'false' }), false, 'fits the screen')
    assert.is(pagedText('a\nb\nc\nd', { isTTY: false, rows: 3 }, pager), false, 'no terminal')
    assert.is(pagedText('a\nb\nc\nd', screen, { ...pager, PAGER: '' }), false, 'asked for none')
    assert.is(pagedText('a\nb\nc\nd', screen, { ...pager, PAGER: 'no-such-pager 2> /dev/null' }), false)
    assert.ok(existsSync(file))
  }),
)

show.run()
