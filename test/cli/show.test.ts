/** `tieout show` and the figures at the end of `tieout build`, as people see them. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { pagedText } from '../../cli/terminal/terminal.ts'
import { suite } from '../suite.ts'
import { CHART, companyYaml } from '../support/workspace.ts'
import { goodCompany, inFolder, inWorkspaceOf, says, tieout } from './command.ts'

const show = suite('cli show')

show(
  'a statement with its title, its columns and its totals; a build ends with the figures that matter',
  () =>
    inWorkspaceOf({ acme: goodCompany('acme') }, async (cwd) => {
      assert.match(
        await says(0, 'build', { cwd }),
        /Company +Basis +Month +Net income +Cash +Total assets\nacme +accrual, USD +2025-02 +250\.00 +1,250\.00 +1,250\.00\n +month before +0\.00 +1,000\.00 +1,000\.00\n/,
      )
      const shown = await says(0, 'show acme', { cwd })
      assert.match(shown, /^.*: profit and loss\naccrual, whole USD\nsnapshot 2025-02-r1-[0-9a-f]{6}\n\n/)
      assert.match(shown, /\n +Feb 2025 +Year to date\nIncome\n {2}Sales +250 +250\nTotal income +250 +250\n/)
      assert.match(shown, /\nNet income +250 +250\n$/)
      const balances = await tieout(['show', 'acme', '2025-02', '--statement', 'balance-sheet', '--cents'], {
        cwd,
      })
      assert.match(balances.out, /\naccrual, USD\n/)
      assert.match(balances.out, /\n +28 Feb 2025 +31 Jan 2025\nAssets\n {2}Bank +1,250\.00 +1,000\.00\n/)
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

show(
  'no text of a CSV is a formula, no figure is changed, and JSON holds no character that acts on a terminal',
  () => {
    const files = {
      'company.yaml': companyYaml('id: acme\nname: "A\\u202e\\u009b8m"'),
      'chart.csv': `${CHART}evil,,"=HYPERLINK(""http://evil.test"")",Expense,Expense\n`,
      'ledger.csv': `transaction_id,date,account,amount,memo
=1+1,2025-01-01,bank,-5.00,@SUM(1)
=1+1,2025-01-01,evil,5.00,"\t=2"
`,
    }
    return inWorkspaceOf({ acme: files }, async (cwd) => {
      assert.is((await tieout(['build'], { cwd })).code, 0)
      writeFileSync(join(cwd, 'datasets/acme/ledger.csv'), files['ledger.csv'].replaceAll('5.00', '6.00'))
      assert.is((await tieout(['build'], { cwd })).code, 0)
      for (const args of [
        'trial-balance acme',
        'explain acme evil 2025-01',
        'diff acme',
        'diff acme --lines',
      ]) {
        const { out, err } = await tieout([...args.split(' '), '--csv'], { cwd })
        assert.match(out, /(^|,)"?'[=@]/m, `${args}: ${out}${err}`)
        if (!args.startsWith('explain')) assert.match(out, /(^|,)-[56]\.00(,|$)/m, args)
        assert.not.match(out, /(^|,)"?[=@\t]/m, args)
      }
      const { out } = await tieout(['show', 'acme', '--json'], { cwd })
      assert.is(JSON.parse(out).statements[0].name, 'A\u202e\u009b8m')
      assert.not.match(out, /[\u009b\u202e]/)
    })
  },
)

show('a long text on a terminal goes through the pager; without one that works it is printed', () =>
  inFolder(async (folder) => {
    const file = join(folder, 'paged.txt')
    const screen = { isTTY: true, rows: 3 }
    const pager = { ...process.env, PAGER: `cat > ${file}` }
    assert.is(pagedText('a\nb\nc\nd', screen, pager), true)
    assert.is(readFileSync(file, 'utf8'), 'a\nb\nc\nd\n')
    for (const [acts, shown] of [
      ['\u001b]0;x\u0007\u001b[8m', '\\u001b]0;x\\u0007\\u001b[8m'],
      ['\u009b31m', '\\u009b31m'],
      ['\u202e\u2067', '\\u202e\\u2067'],
    ] as const) {
      pagedText(`Acme ${acts}\n\n\n`, screen, pager)
      assert.is(
        readFileSync(file, 'utf8'),
        `Acme ${shown}\n\n\n\n`,
        'a pager gets nothing that acts on the terminal',
      )
    }
    assert.is(pagedText('a\nb', screen, { ...pager, PAGER: 'false' }), false, 'fits the screen')
    assert.is(pagedText('a\nb\nc\nd', { isTTY: false, rows: 3 }, pager), false, 'no terminal')
    assert.is(pagedText('a\nb\nc\nd', screen, { ...pager, PAGER: '' }), false, 'asked for none')
    assert.is(pagedText('a\nb\nc\nd', screen, { ...pager, PAGER: 'no-such-pager 2> /dev/null' }), false)
    assert.ok(existsSync(file))
  }),
)
