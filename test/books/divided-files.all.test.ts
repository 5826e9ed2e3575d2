/**
 * A ledger file that several threads read in parts gives the same lines, numbers and findings as one that is read as a whole: of
 * companies with figures checked by hand, made large by repeating their rows, and of files as other programs write them.
 */
import { cpSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { openDatabase } from '../../builder/books/database.ts'
import { DividedFiles } from '../../builder/books/divided-files.ts'
import { makingOf, readLines } from '../../builder/books/read-lines.ts'
import type { Intake, LedgerInput, LedgerPlan } from '../../builder/ingest/format/intake.ts'
import { ingest } from '../../builder/ingest/ingest.ts'
import { Scratch } from '../../builder/ingest/text/scan.ts'
import type { Company } from '../../builder/workspace/company.ts'
import { hasErrors } from '../../builder/workspace/finding.ts'
import { companyFolder, readCompany, type Workspace } from '../../builder/workspace/workspace.ts'
import { suite } from '../suite.ts'
import { CHART, COMPANY, companyYaml, inWorkspace } from '../support/workspace.ts'

const test = suite('divided files')

const THREADS = 3
/** More than a row group, and more bytes than the smallest part. */
const ROWS = 130_000
const BYTES = 4_500_000

/** The lines with their row groups, and what is found, as this many threads read them. */
async function read(company: Company, intake: Intake, threads: number) {
  const db = await openDatabase({ threads, folders: null, keepsSettings: false })
  try {
    const making = makingOf(db, company, intake, null)
    const { inputs } = await readLines(making)
    const lines = await db.row<{ lines: string; hashes: string; last: string }>(
      `SELECT count(*) AS lines, sum(hash(rowid, line::VARCHAR)) AS hashes, max(row) AS last FROM line`,
    )
    const groups = await db.rows<Record<string, string>>(
      `SELECT row_group_id, max(start + count) AS rows FROM pragma_storage_info('line') GROUP BY ALL ORDER BY ALL`,
    )
    return { lines, groups, inputs, findings: making.findings }
  } finally {
    db.close()
  }
}

async function partsOf(input: LedgerInput): Promise<number> {
  const divided = new DividedFiles([{ file: 0, input }], THREADS)
  let parts = 0
  for await (const _ of divided.parts()) parts++
  await divided.dispose()
  return parts
}

async function compare(company: Company, intake: Intake, isDivided: boolean): Promise<void> {
  const parts = await Promise.all(intake.ledger.map(partsOf))
  assert.is(Math.max(...parts) > 1, isDivided, `parts: ${parts}`)
  const divided = await read(company, intake, THREADS)
  assert.ok(Number(divided.lines.lines) > ROWS / 2 || hasErrors(divided.findings), 'lines were read')
  assert.equal(divided, await read(company, intake, 1))
}

/** Makes the first CSV of a ledger large by repeating its rows. */
async function enlarged(intake: Intake, scratch: Scratch): Promise<Intake | null> {
  const first = intake.ledger.find((input): input is LedgerPlan => input.kind === 'csv')
  if (!first) return null
  const text = readFileSync(first.path, 'utf8')
  const header = first.isHeaderless ? '' : `${text.split('\n')[0]}\n`
  const rows = `${text.slice(header.length).trimEnd()}\n`
  const copies = Math.ceil(Math.max(ROWS / (rows.split('\n').length - 1), BYTES / rows.length))
  async function* chunks() {
    yield header
    for (let i = 0; i < copies; i++) yield rows
  }
  const path = await scratch.written(chunks())
  const large = { ...first, path }
  return { ...intake, ledger: intake.ledger.map((input) => (input === first ? large : input)) }
}

const GOLDEN = fileURLToPath(new URL('../golden', import.meta.url))
const DATASETS = fileURLToPath(new URL('../../datasets', import.meta.url))

/** Ledgers that are read in different ways: other numbers and dates, bases, openings by file. */
const folders = [
  ...['april-to-march', 'bases-by-column', 'opening-results-not-closed'].map((name) =>
    join(GOLDEN, name, 'input'),
  ),
  join(DATASETS, 'lakeside'),
]
for (const folder of folders)
  test(`read the same: ${folder.split('/').slice(-2).join('/')}`, () => {
    const { id } = parse(readFileSync(join(folder, 'company.yaml'), 'utf8')) as { id: string }
    return inWorkspace(
      {},
      async (workspace) => {
        cpSync(folder, companyFolder(workspace, id), { recursive: true })
        const company = readCompany(workspace, id).value!
        const intake = await ingest(company, companyFolder(workspace, id))
        const scratch = new Scratch()
        try {
          const large = await enlarged(intake, scratch)
          if (large) await compare(company, large, true)
        } finally {
          await scratch.dispose()
          await intake.dispose()
        }
      },
      id,
    )
  })

const HEADER = 'transaction_id,date,account,amount,memo'
const MEMO = 'a memo that makes the file long enough'
const row = (i: number, memo = MEMO): string =>
  `${i >> 1},2025-${String(1 + (i % 12)).padStart(2, '0')}-15,${i % 2 ? 'sales' : 'bank'},${i % 2 ? '-' : ''}1.00,${memo}`
const rows = (change: Readonly<Record<number, string>> = {}): string[] =>
  Array.from({ length: ROWS }, (_, i) => change[i] ?? row(i))
const file = (lines: readonly string[], end = '\n'): string => [HEADER, ...lines, ''].join(end)

interface Odd {
  readonly what: string
  readonly content: string | Buffer
  readonly isDivided: boolean
  readonly more?: string
}

/** Rows beside the one at which the first part ends, which has one row group. */
const SEAM = [122_878, 122_879, 122_880, 122_881]
const atSeam = (text: (i: number) => string): Readonly<Record<number, string>> =>
  Object.fromEntries(SEAM.map((i) => [i, text(i)]))

const ODD: readonly Odd[] = [
  { what: 'CR LF', content: file(rows(), '\r\n'), isDivided: true },
  { what: 'CR alone, which nothing is cut at', content: file(rows(), '\r'), isDivided: false },
  {
    what: 'the mark of the encoding, and no end of the last line',
    content: `\ufeff${file(rows()).trimEnd()}`,
    isDivided: true,
  },
  {
    what: 'a mark of the encoding at the start of the record with which a part would begin',
    content: file(rows({ 122880: `\ufeff${row(122_880)}` })),
    isDivided: true,
  },
  {
    what: 'UTF-16, which is decoded into a copy',
    content: Buffer.from(`\ufeff${file(rows(atSeam((i) => row(i, 'é'))))}`, 'utf16le'),
    isDivided: true,
  },
  {
    what: 'line ends in quotes where a part ends',
    content: file(rows(atSeam((i) => row(i, '"one\ntwo ""and"" three\n,"')))),
    isDivided: true,
  },
  {
    what: 'quotes after blanks, and inch marks',
    content: file(rows(atSeam((i) => row(i, i % 2 ? '19" rack' : '   "x\ny"')))),
    isDivided: true,
  },
  {
    what: 'a record that is larger than a part',
    content: file(rows({ 50000: row(50_000, `"${'long\n'.repeat(1_200_000)}"`) })),
    isDivided: true,
  },
  {
    what: 'blank rows, which count',
    content: file(rows({ 10: `\n\n${row(10)}`, 125000: `\n${row(125_000)}` })),
    isDivided: false,
  },
  {
    what: 'rows of delimiters as spreadsheets save them, which count and are not read',
    content: file(rows({ 20: ',,,,', 122879: ',,,,', 129999: ',,,,' })),
    isDivided: true,
  },
  {
    what: 'rows with too few and too many columns',
    content: file(rows({ 30: 'x,2025-01-01', 122880: `${row(122_880)},more,and more` })),
    isDivided: true,
  },
  {
    what: 'a quote that is never closed',
    content: file(rows({ 122881: row(122_881, '"open') })),
    isDivided: true,
  },
  {
    what: 'line ends of two kinds',
    content: file(rows({ 124000: `${row(124_000)}\r` })),
    isDivided: true,
  },
  {
    what: 'another line end in the first row of a part, so that no row of it is read',
    content: file(rows({ 122880: `${row(122_880)}\r` })),
    isDivided: true,
  },
  {
    what: 'a quote that is never opened in front of a part, and line ends of two kinds in quotes',
    content: file(rows({ 122880: `"${row(122_880)}`, 122881: row(122_881, '"one\r\ntwo"') })),
    isDivided: true,
  },
  {
    what: 'a CR that DuckDB takes for a line end, as many rows of delimiters, and a wrong value between them',
    content: file(
      rows({ 10: `${row(10, '')}\r${row(11)}`, 129000: ',,,,', 125000: '9,2025-01-01,nowhere,1.00,' }),
    ),
    isDivided: true,
  },
  {
    what: 'a CR that DuckDB takes for a line end, and a row of delimiters in the same part above another one',
    content: file(
      rows({ 10: `${row(10, '')}\r${row(11)}`, 1000: ',,,,', 125000: '9,2025-01-01,nowhere,1.00,' }),
    ),
    isDivided: true,
  },
  {
    what: 'wrong values above and below where a part ends',
    content: file(
      rows({ 5: '5,2025-13-01,bank,1.00,', 122879: '9,2025-01-01,nowhere,1.00,', 129990: '8,,bank,1,5,' }),
    ),
    isDivided: true,
  },
  {
    what: 'a semicolon and decimal commas',
    content: file(rows()).replaceAll(',', ';').replaceAll('.00', ',00'),
    isDivided: true,
    more: 'ledger: [{ files: ledger.csv, decimal: "," }]',
  },
  {
    what: 'rounded amounts',
    content: file(rows({ 122880: `61440,2025-01-15,bank,1.004,${MEMO}` })),
    isDivided: true,
    more: 'rounding: { tolerance: 0.01, account: rent }',
  },
]

const withCompany = (files: Record<string, string | Buffer>, run: (workspace: Workspace) => Promise<void>) =>
  inWorkspace({ 'company.yaml': companyYaml(), 'chart.csv': CHART, ...files }, run)

for (const { what, content, isDivided, more } of ODD)
  test(`read the same: ${what}`, () =>
    withCompany(
      { 'ledger.csv': content, ...(more === undefined ? {} : { 'company.yaml': companyYaml(more) }) },
      async (workspace) => {
        const company = readCompany(workspace, COMPANY)
        assert.ok(company.value, JSON.stringify(company.findings))
        const intake = await ingest(company.value, companyFolder(workspace, COMPANY))
        await compare(company.value, intake, isDivided)
        await intake.dispose()
      },
    ))

test('one large file among small ones is divided, and keeps its place among them', () =>
  withCompany(
    {
      'company.yaml': companyYaml('ledger: [{ files: "ledger/*.csv" }]'),
      'ledger/a.csv': file([row(1_000_000), row(1_000_001)]),
      'ledger/b.csv': file(rows()),
      'ledger/c.csv': file([row(2_000_000), row(2_000_001)]),
    },
    async (workspace) => {
      const company = readCompany(workspace, COMPANY).value!
      const intake = await ingest(company, companyFolder(workspace, COMPANY))
      await compare(company, intake, true)
      await intake.dispose()
    },
  ))

test('files of equal size keep all threads busy by themselves', async () => {
  await withCompany({ 'ledger.csv': file(rows()) }, async (workspace) => {
    const path = join(companyFolder(workspace, COMPANY), 'ledger.csv')
    const company = readCompany(workspace, COMPANY).value!
    const intake = await ingest(company, companyFolder(workspace, COMPANY))
    const [input] = intake.ledger
    const inputs = Array.from({ length: THREADS }, (_, file) => ({ file, input: input! }))
    const divided = new DividedFiles(inputs, THREADS)
    let parts = 0
    for await (const _ of divided.parts()) parts++
    assert.is(parts, THREADS)
    assert.ok(statSync(path).size > BYTES)
    await divided.dispose()
    await intake.dispose()
  })
})

test.run()
