/** A report as PDF: printed by a real browser, read back by another program (poppler). */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { printReport } from '../../builder/report/print.ts'
import { missing } from '../support/chromium.ts'
import { inPublished, publishedSuite } from '../support/published.ts'
import { rejects } from '../support/snapshots.ts'
import { CHART, COMPANY, companyYaml, ledgerCsv } from '../support/workspace.ts'

const FILES = {
  'company.yaml': companyYaml('name: "Acme \\"}</style> & Söhne"'),
  'chart.csv': CHART,
  'ledger.csv': ledgerCsv('1 2025-01-02 bank 1234567.00; 1 2025-01-02 sales -1234567.00'),
}
const print = publishedSuite('a report as PDF', FILES)
const asked = (to: string) => ({ company: COMPANY, snapshotId: null, month: null, basis: null, to })

/** With a variable of the environment that is another one meanwhile. */
async function having(
  name: 'CHROMIUM' | 'TMPDIR',
  value: string,
  run: () => Promise<unknown>,
): Promise<void> {
  const before = process.env[name]
  process.env[name] = value
  try {
    await run()
  } finally {
    if (before === undefined) delete process.env[name]
    else process.env[name] = before
  }
}
const newFolder = (): string => mkdtempSync(join(tmpdir(), 'tieout-print-test-'))

print('without a browser it says what to install, and leaves nothing behind', async ({ snapshots }) => {
  const folder = newFolder()
  const fails = (pattern: RegExp) => rejects(printReport(snapshots, asked(join(folder, 'a.pdf'))), pattern)
  await having('CHROMIUM', join(folder, 'no-such-browser'), () => fails(/which is not a program/))
  // A program that prints nothing.
  await having('CHROMIUM', '/bin/true', () => fails(/printed nothing/))
  assert.equal(readdirSync(folder), [])
})

const absent =
  missing ??
  (existsSync('/usr/bin/pdftotext') ? null : '/usr/bin/pdftotext is not there: install poppler-utils')
if (absent) process.stdout.write(`a report as PDF: skipped, ${absent}\n`)
else
  print(
    'each statement and the certificate, each sheet with company, snapshot and page',
    async ({ snapshots, built }) => {
      const { snapshotId } = built.result
      const to = join(newFolder(), 'acme.pdf')
      // Temporary files whose path is long are no hindrance.
      const long = join(newFolder(), 'x'.repeat(90))
      mkdirSync(long)
      await having('TMPDIR', long, async () =>
        assert.is((await printReport(snapshots, asked(to))).findings, undefined),
      )
      assert.equal(readdirSync(long), [])
      assert.is(readFileSync(to).subarray(0, 5).toString('latin1'), '%PDF-')
      const sheets = execFileSync('pdftotext', ['-layout', to, '-'], { encoding: 'utf8' })
        .split('\f')
        .slice(0, -1)
      assert.ok(sheets.length >= 6, `${sheets.length} sheets`)
      for (const [i, sheet] of sheets.entries()) {
        assert.ok(sheet.includes(`snapshot ${snapshotId}`), sheet)
        assert.match(sheet, new RegExp(`[^0-9]${i + 1} ?/ ?${sheets.length}[^0-9]`))
      }
      const all = sheets.join('\n')
      for (const title of ['Overview', 'Profit and loss', 'Balance sheet', 'Cash flow', 'Certificate'])
        assert.ok(all.includes(title), title)
      assert.match(all, /Total income +1,234,567 +1,234,567/)
      assert.ok(all.includes('Acme "}</style> & Söhne'))
      // The history is the last sheet, without the name of the computer; each sheet has its bookmark.
      const history = sheets.at(-1)!
      assert.match(history, /History[\s\S]*publish +\S+ +\S+/)
      assert.not.match(history, /publish +\S+ +\S+@/)
      const pdf = readFileSync(to).toString('latin1')
      for (const title of ['Overview', 'Profit and loss', 'Certificate', 'History'])
        assert.ok(pdf.includes(`/Title (${title})`), title)
    },
  )

const ROWS = 38
if (!absent)
  print('a statement that is a little longer than a sheet leaves no few rows on a sheet of their own', () => {
    const accounts = Array.from({ length: ROWS }, (_, i) => `exp${i},${6100 + i},Cost ${i},Expense,Expense`)
    const lines = accounts.map((_, i) => `1 2025-01-02 exp${i} 1.00`).join('; ')
    const files = {
      ...FILES,
      'chart.csv': `${CHART.trimEnd()}\n${accounts.join('\n')}\n`,
      'ledger.csv': ledgerCsv(`${lines}; 1 2025-01-02 bank -${ROWS}.00`),
    }
    return inPublished(files, async (workspace) => {
      const to = join(newFolder(), 'long.pdf')
      await printReport(workspace.snapshots, asked(to))
      const sheets = execFileSync('pdftotext', ['-layout', to, '-'], { encoding: 'utf8' }).split('\f')
      const rows = sheets.map((sheet) => [...sheet.matchAll(/^ *\d{4} Cost \d+ /gm)].length)
      assert.ok(rows.filter((count) => count > 0).length > 5, rows.join(' '))
      for (const count of rows) assert.ok(count === 0 || count >= 6, rows.join(' '))
    })
  })
