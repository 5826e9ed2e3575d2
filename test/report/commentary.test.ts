/** Commentary of a month: kept with the snapshot, shown beside the lines that it names, and never markup. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'parse5'
import * as assert from 'uvu/assert'
import { verifyCompanies } from '../../builder/evidence/verify/verify.ts'
import { blocksOf } from '../../builder/report/notes.ts'
import { reportPages } from '../../builder/report/pages/site.ts'
import { openReport, shownStatement } from '../../builder/report/report.ts'
import { suite } from '../suite.ts'
import { type Node, named, textOf } from '../support/elements.ts'
import { buildIn, CHART, COMPANY, companyYaml, inWorkspace, ledgerCsv } from '../support/workspace.ts'

const commentary = suite('commentary')

const EVIL = '<script>alert(1)</script><img src=x onerror=alert(2)>'
const FEBRUARY = `A good month. ${EVIL}

# Sales
Two new customers:

- North
- South ${EVIL}

## Gross profit

Price increase
in January.

### 6000 Rent
Until June.

# ${EVIL}
Of no line.
`
const FILES = {
  'company.yaml': companyYaml(),
  'chart.csv': CHART,
  'ledger.csv': ledgerCsv(
    `1 2025-01-02 bank 10.00; 1 2025-01-02 sales -10.00; 2 2025-02-02 bank 7.00; 2 2025-02-02 sales -7.00
     3 2025-02-03 rent 2.00; 3 2025-02-03 bank -2.00`,
  ),
  'commentary/2025-02.md': FEBRUARY,
}

const texts = (node: Node, name: string): string[] => named(node, name).map(textOf)

async function pagesOf(root: string, month: string | null = null): Promise<Map<string, string>> {
  const { value } = await openReport(root, { company: COMPANY, snapshotId: null, month })
  return reportPages(value!.source, value!.month)
}

commentary(
  'a note stands below the statement that has its line, which leads to it; all of them on the overview',
  () =>
    inWorkspace(FILES, async (workspace) => {
      const { result } = await buildIn(workspace, COMPANY)
      assert.is(result.outcome, 'published', JSON.stringify(result.findings))
      assert.equal(
        result.findings.map(({ code, file, row }) => [code, file, row]),
        [['commentary-line', 'commentary/2025-02.md', 17]],
      )
      const pages = await pagesOf(workspace.snapshots)
      const statement = parse(pages.get('accrual/all/profit-loss.html')!)
      assert.equal(texts(statement, 'h3'), ['Sales', 'Gross profit', '6000 Rent'])
      assert.equal(texts(statement, 'sup'), ['note 1', 'note 2', 'note 3'])
      assert.ok(pages.get('accrual/all/profit-loss.html')!.includes('href="#result-month-note-2"'))
      assert.ok(pages.get('accrual/all/profit-loss.html')!.includes('id="result-month-note-2"'))
      const overview = parse(pages.get('accrual/all/index.html')!)
      assert.equal(texts(overview, 'h3'), ['Sales', 'Gross profit', '6000 Rent', EVIL])
      assert.ok(texts(overview, 'p').includes(`A good month. ${EVIL}`))
      for (const [path, page] of pages) {
        if (!path.endsWith('.html')) continue
        assert.equal([...texts(parse(page), 'script'), ...texts(parse(page), 'img')], [], path)
      }
      assert.equal(texts(parse(pages.get('accrual/all/balance-sheet.html')!), 'h3'), [])
      assert.equal(
        texts(parse((await pagesOf(workspace.snapshots, '2025-01')).get('accrual/all/index.html')!), 'h3'),
        [],
      )
      const asked = { company: COMPANY, statement: 'ProfitAndLoss', basis: null, budgetId: null } as const
      const filters = { classId: null, departmentId: null, snapshotId: null, month: null }
      const shown = await shownStatement(workspace.snapshots, { ...asked, ...filters, view: 'month' })
      assert.equal(
        shown.value!.notes.map(({ number, line }) => [number, line]),
        [
          [1, 'sales'],
          [2, 'GrossProfit'],
          [3, 'rent'],
        ],
      )
    }),
)

commentary('another text is another snapshot of the same figures, which keeps and proves it', () =>
  inWorkspace(FILES, async (plain) => {
    const workspace = { ...plain, keepInputs: true }
    const first = await buildIn(workspace, COMPANY)
    assert.is((await buildIn(workspace, COMPANY)).result.outcome, 'unchanged')
    writeFileSync(join(workspace.datasets, COMPANY, 'commentary/2025-02.md'), '# Sales\nLess.\n')
    const second = await buildIn(workspace, COMPANY)
    assert.is(second.result.outcome, 'published')
    assert.equal(second.result.changes?.changes, [])
    const manifest = JSON.parse(second.read('manifest.json'))
    assert.equal(manifest.ContentHash, JSON.parse(first.read('manifest.json')).ContentHash)
    const input = manifest.Inputs.find(({ Role }: { Role: string }) => Role === 'commentary')
    assert.is(input.File, 'commentary/2025-02.md')
    rmSync(join(workspace.datasets, COMPANY, 'commentary'), { recursive: true })
    assert.is((await buildIn(workspace, COMPANY)).result.outcome, 'published')
    const { companies } = await verifyCompanies(workspace.snapshots, [COMPANY], {
      figures: true,
      sources: true,
      known: null,
    })
    const [verified] = companies
    assert.equal(
      [...verified!.damages, ...verified!.snapshots.flatMap(({ damages }) => damages)].map(
        ({ message }) => message,
      ),
      [],
    )
    assert.equal(
      verified!.snapshots.map(({ unproven }) => unproven),
      [[], [], []],
    )
  }),
)

commentary('other names, months outside the books, bytes that are not text, and too long a text', () =>
  inWorkspace(
    {
      ...FILES,
      'commentary/2025-02.md': 'x',
      'commentary/2031-01.md': 'x',
      'commentary/march.md': 'x',
      'commentary/.DS_Store': 'x',
    },
    async (workspace) => {
      const { result } = await buildIn(workspace, COMPANY)
      assert.is(result.outcome, 'published')
      assert.equal(
        result.findings.map(({ code, file }) => [code, file]),
        [
          ['commentary-name', 'commentary/march.md'],
          ['commentary-month', 'commentary/2031-01.md'],
        ],
      )
      const folder = join(workspace.datasets, COMPANY, 'commentary')
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, '2025-01.md'), Buffer.from([0x41, 0x0a, 0xe4, 0x0a]))
      writeFileSync(join(folder, '2025-02.md'), 'long '.repeat(20_000))
      const refused = await buildIn(workspace, COMPANY)
      assert.is(refused.result.outcome, 'refused')
      const codes = refused.result.findings.filter(({ severity }) => severity === 'error')
      assert.equal(
        codes.map(({ code, row }) => [code, row]),
        [
          ['undecodable-text', 2],
          ['file-too-large', null],
        ],
      )
    },
  ),
)

commentary('paragraphs and items as they were written', () => {
  assert.equal(blocksOf('one\ntwo\n\n- a\n  more\n* b\n\nthree'), ['one two', ['a more', 'b'], 'three'])
  assert.equal(blocksOf('before:\n- a'), ['before:', ['a']])
})
