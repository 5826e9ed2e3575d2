/** `tieout show` and the figures at the end of `tieout build`, as people see them. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { pagedText } from '../../cli/terminal/terminal.ts'
import { suite } from '../suite.ts'
import { CHART, companyYaml } from '../support/workspace.ts'
import { inFolder, inWorkspaceOf, tieout } from './command.ts'

const show = suite('cli show')

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
