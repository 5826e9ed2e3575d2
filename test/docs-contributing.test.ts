/** The description of a program in CONTRIBUTING.md is followed: its text is all that reading that program's export takes. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import * as assert from 'uvu/assert'
import { readerOf } from '../builder/ingest/formats/reports/read.ts'
import type { ReportFamily } from '../builder/ingest/formats/reports/rows/layout.ts'
import { repository } from './cli/command.ts'
import { suite } from './suite.ts'
import { caseFiles } from './support/added.ts'
import { blocksOf } from './support/pages.ts'
import { companyOf, readingOf, rowsIn } from './support/readings.ts'

const test = suite('a program as CONTRIBUTING.md adds it')

const SECTION = readFileSync(join(repository, 'CONTRIBUTING.md'), 'utf8').split("### A program's report")[1]!
const EXAMPLE = SECTION.split('\n## ')[0]!
const PROGRAMS = join(repository, 'builder/ingest/formats/reports/programs/')

async function described(): Promise<ReportFamily> {
  const [text = ''] = blocksOf(EXAMPLE, 'ts')
  const folder = mkdtempSync(join(tmpdir(), 'tieout-described-'))
  try {
    const path = join(folder, 'zoho.mts')
    const placed = text.replace(/from '(\.[^']+)'/g, (_, to) => `from '${pathToFileURL(join(PROGRAMS, to))}'`)
    writeFileSync(path, placed)
    return (await import(pathToFileURL(path).href)).ZOHO
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

test('the example has at most forty lines', () => assert.ok(EXAMPLE.split('\n').length <= 40, 'lines'))

test('reads an export of the program', async () => {
  const company = companyOf(
    'id: acme\nname: Acme\nfiscalMonthEnd: 12\ncurrency: USD\nledger:\n  - files: "*"\nopening: none\n',
  )
  const { 'zoho.csv': export_ } = caseFiles('zoho-detail')
  const reading = await readingOf(readerOf(await described()), company, { 'zoho.csv': export_! })
  assert.equal(
    reading.findings.filter(({ severity }) => severity !== 'note').map(({ code, text }) => `${code} ${text}`),
    [],
  )
  assert.equal(
    rowsIn(reading).map((row) => row.split(',').slice(0, 5).join(' | ')),
    [
      '2 | 1 | 2025-01-05 | Bank | 1000.00',
      '3 | 1 | 2025-01-05 | Capital | -1000.00',
      '4 |  | 2025-02-15 | Rent | 30.00',
      '5 |  | 2025-02-15 | Bank | -30.00',
    ],
  )
  assert.equal(
    reading.accounts.map(({ id, classification }) => `${id} ${classification}`),
    ['Bank Asset', 'Capital Equity', 'Rent Expense'],
  )
})
