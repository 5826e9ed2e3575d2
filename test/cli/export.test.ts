/** `tieout export` as people run it: what it writes, says and refuses. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { suite } from '../suite.ts'
import { goodCompany, inWorkspaceOf, tieout } from './command.ts'

const exporting = suite('cli export')

exporting('files with their control totals; what is wrong ends with exit code 2, and writes nothing', () =>
  inWorkspaceOf({ acme: goodCompany('acme') }, async (cwd) => {
    assert.is((await tieout(['build'], { cwd })).code, 0)
    const csv = ['export', 'acme', '--format', 'csv', '--statement', 'profit-loss', '--to', 'p.csv']
    const first = await tieout(csv, { cwd })
    assert.is(first.code, 0, first.err)
    assert.match(
      first.out,
      /^Exported acme 2025-02-r1-\w{6}, 2025-01 to 2025-02: .*p\.csv, .*p\.provenance\.json\n/,
    )
    assert.match(first.out, /statements +\d+ +amount +1,250\.00/)
    assert.match(
      readFileSync(join(cwd, 'p.csv'), 'utf8'),
      /\nacme,2025-02-r1-\w{6},ProfitAndLoss,accrual,,,,account,Income,sales,4000,Sales,2025-02-01,USD,250\.00\n/,
    )
    assert.match((await tieout(csv, { cwd })).err, /p\.csv is there already/)
    assert.is((await tieout(csv, { cwd })).code, 1)

    const all = ['export', 'acme', '--what', 'all', '--to']
    const json = await tieout([...all, 'book.xlsx', '--format', 'xlsx', '--json'], { cwd })
    const { provenance, files } = JSON.parse(json.out)
    assert.is(provenance.Parameters.Format, 'xlsx')
    assert.is(files.length, 1)
    assert.is((await tieout([...all, 'tables', '--format', 'parquet'], { cwd })).code, 0)
    assert.equal(readdirSync(join(cwd, 'tables')).sort(), [
      'postings.parquet',
      'provenance.json',
      'statements.parquet',
      'trial-balance.parquet',
    ])
    const pack = await tieout(['export', 'acme', '--what', 'pack', '--to', 'pack.xlsx'], { cwd })
    assert.is(pack.code, 0, pack.err)
    assert.match(pack.out, /^Exported acme 2025-02-r1-\w{6}, 2025-01 to 2025-02: .*pack\.xlsx\n$/)
    const before = readdirSync(cwd).sort()
    for (const [args, text] of [
      [['--to', 'x.txt'], /which format\? x\.txt does not end in \.csv, \.parquet/],
      [['--format', 'pdf', '--to', 'x.pdf'], /Allowed choices are csv, parquet, arrow, xlsx/],
      [['--format', 'csv', '--to', 'x.txt'], /x\.txt does not end in \.csv/],
      [['--format', 'csv', '--to', 'x.csv', '--from', '2024-01'], /2024-01 is not covered/],
      [
        ['--format', 'csv', '--to', 'x.csv', '--what', 'postings', '--statement', 'cash-flow'],
        /chooses among the statements/,
      ],
      [
        ['--format', 'csv', '--to', 'x.csv', '--what', 'pack'],
        /a board pack is a workbook: --to <name>\.xlsx/,
      ],
      [
        ['--format', 'xlsx', '--to', 'x.xlsx', '--what', 'pack', '--from', '2025-01'],
        /a board pack is of one month: --month/,
      ],
      [
        ['--format', 'xlsx', '--to', 'x.xlsx', '--what', 'pack', '--statement', 'cash-flow'],
        /chooses among the statements/,
      ],
      [
        ['--format', 'xlsx', '--to', 'x.xlsx', '--what', 'pack', '--month', '2026-01'],
        /2026-01 is not covered/,
      ],
      [['--format', 'csv', '--to', 'x.csv', '--month', '2025-01'], /--month is for --what pack/],
      [['--format', 'csv', '--to', 'x.csv', '--cents'], /--cents is for --what pack/],
    ] as const) {
      const refused = await tieout(['export', 'acme', ...args], { cwd })
      assert.is(refused.code, 2, refused.out)
      assert.match(refused.err, text)
    }
    assert.equal(readdirSync(cwd).sort(), before)
  }),
)
