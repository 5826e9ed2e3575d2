/** A report as PDF: printed by a real browser, read back by another program (poppler). */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { printReport } from '../../builder/report/print.ts'
import { suite } from '../suite.ts'
import { missing } from '../support/chromium.ts'
import { inPublished } from '../support/published.ts'
import { rejects } from '../support/snapshots.ts'
import { buildIn, CHART, COMPANY, companyYaml, inWorkspace, ledgerCsv } from '../support/workspace.ts'

const print = suite('a report as PDF')

const FILES = {
  'company.yaml': companyYaml('name: "Acme \\"}</style> & Söhne"'),
  'chart.csv': CHART,
  'ledger.csv': ledgerCsv('1 2025-01-02 bank 1234567.00; 1 2025-01-02 sales -1234567.00'),
}
const asked = (to: string) => ({ company: COMPANY, snapshotId: null, month: null, basis: null, to })

async function inFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-print-test-'))
  const before = process.env.CHROMIUM
  try {
    await run(folder)
  } finally {
    if (before === undefined) delete process.env.CHROMIUM
    else process.env.CHROMIUM = before
  }
}

print('without a browser it says what to install, and leaves nothing behind', () =>
  inFolder((folder) =>
    inPublished(FILES, async (workspace) => {
      process.env.CHROMIUM = join(folder, 'no-such-browser')
      await rejects(printReport(workspace.snapshots, asked(join(folder, 'a.pdf'))), /which is not a program/)
      // A program that prints nothing.
      process.env.CHROMIUM = '/bin/true'
      await rejects(printReport(workspace.snapshots, asked(join(folder, 'a.pdf'))), /printed nothing/)
      assert.equal(readdirSync(folder), [])
    }),
  ),
)

const absent =
  missing ??
  (existsSync('/usr/bin/pdftotext') ? null : '/usr/bin/pdftotext is not there: install poppler-utils')
if (absent) process.stdout.write(`a report as PDF: skipped, ${absent}\n`)
else
  print('each statement and the certificate, each sheet with company, snapshot and page', () =>
    inFolder((folder) =>
      inWorkspace(FILES, async (workspace) => {
        const { result } = await buildIn(workspace, COMPANY)
        assert.is(result.outcome, 'published', JSON.stringify(result.findings))
        const to = join(folder, 'acme.pdf')
        const printed = await printReport(workspace.snapshots, asked(to))
        assert.is(printed.findings, undefined)
        assert.is(readFileSync(to).subarray(0, 5).toString('latin1'), '%PDF-')
        const sheets = execFileSync('pdftotext', ['-layout', to, '-'], { encoding: 'utf8' })
          .split('\f')
          .slice(0, -1)
        assert.ok(sheets.length >= 6, `${sheets.length} sheets`)
        for (const [i, sheet] of sheets.entries()) {
          assert.ok(sheet.includes(`snapshot ${result.snapshotId}`), sheet)
          assert.match(sheet, new RegExp(`[^0-9]${i + 1} ?/ ?${sheets.length}[^0-9]`))
        }
        const all = sheets.join('\n')
        for (const title of ['Overview', 'Profit and loss', 'Balance sheet', 'Cash flow', 'Certificate'])
          assert.ok(all.includes(title), title)
        assert.match(all, /Total income +1,234,567 +1,234,567/)
        assert.ok(all.includes('Acme "}</style> & Söhne'))
        assert.equal(existsSync(join(folder, 'profile')), false)
        // The history is the last sheet, without the name of the computer; each sheet has its bookmark.
        const history = sheets.at(-1)!
        assert.match(history, /History[\s\S]*publish +\S+ +\S+/)
        assert.not.match(history, /publish +\S+ +\S+@/)
        const pdf = readFileSync(to).toString('latin1')
        for (const title of ['Overview', 'Profit and loss', 'Certificate', 'History'])
          assert.ok(pdf.includes(`/Title (${title})`), title)
      }),
    ),
  )

if (!absent)
  print('a folder of temporary files with a long path is no hindrance', () =>
    inFolder((folder) =>
      inPublished(FILES, async (workspace) => {
        const before = process.env.TMPDIR
        process.env.TMPDIR = join(folder, 'x'.repeat(90))
        mkdirSync(process.env.TMPDIR)
        try {
          await printReport(workspace.snapshots, asked(join(folder, 'a.pdf')))
        } finally {
          if (before === undefined) delete process.env.TMPDIR
          else process.env.TMPDIR = before
        }
        assert.is(readFileSync(join(folder, 'a.pdf')).subarray(0, 5).toString('latin1'), '%PDF-')
      }),
    ),
  )

const ROWS = 38
if (!absent)
  print('a statement that is a little longer than a sheet leaves no few rows on a sheet of their own', () =>
    inFolder((folder) => {
      const accounts = Array.from({ length: ROWS }, (_, i) => `exp${i},${6100 + i},Cost ${i},Expense,Expense`)
      const lines = accounts.map((_, i) => `1 2025-01-02 exp${i} 1.00`).join('; ')
      const files = {
        ...FILES,
        'chart.csv': `${CHART.trimEnd()}\n${accounts.join('\n')}\n`,
        'ledger.csv': ledgerCsv(`${lines}; 1 2025-01-02 bank -${ROWS}.00`),
      }
      return inPublished(files, async (workspace) => {
        const to = join(folder, 'long.pdf')
        await printReport(workspace.snapshots, asked(to))
        const sheets = execFileSync('pdftotext', ['-layout', to, '-'], { encoding: 'utf8' }).split('\f')
        const rows = sheets.map((sheet) => [...sheet.matchAll(/^ *\d{4} Cost \d+ /gm)].length)
        assert.ok(rows.filter((count) => count > 0).length > 5, rows.join(' '))
        for (const count of rows) assert.ok(count === 0 || count >= 6, rows.join(' '))
      })
    }),
  )
