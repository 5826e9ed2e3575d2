/** Party, due date, and who entered a line when, from the columns in which each format documents them. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { openDatabase } from '../../../builder/database/database.ts'
import { chosen } from '../../seed.ts'
import { suite } from '../../suite.ts'
import { buildIn, COMPANY, findingsText, inWorkspace } from '../../support/workspace.ts'

const test = suite('parties')

interface Case {
  /** An export of test/ingest/corpus, its file, and what is written in it instead. */
  readonly seed: string
  readonly file: string
  readonly edits?: readonly (readonly [from: string | RegExp, to: string])[]
  /** The postings of one row: `account party, party_id, due_date, entered_on, entered_by`. */
  readonly row: number
  readonly line: string
}

const CASES: readonly Case[] = [
  {
    ...{ seed: 'quickbooks', file: 'gl.csv', row: 8 },
    edits: [
      [',Class,Location,', ',Created By,Create Date,'],
      ['Söhne,West,,Received', 'Söhne,Ann,01/12/2025 10:31 AM,Received'],
    ],
    line: '1000 Ödegård & Söhne,,,2025-01-12,Ann',
  },
  { seed: 'quickbooks-desktop', file: 'gl.csv', row: 4, line: '1000 Smith, Jones,,,,' },
  {
    ...{ seed: 'xero-2', file: 'gl.csv', row: 15 },
    edits: [
      ['Class,Department', 'Contact,Due Date'],
      [/^(10\/01\/2025,\S.*,1100,.*,Ann),.*$/m, '$1,Smith,09/02/2025'],
    ],
    line: '1100 Smith,,2025-02-09,2025-01-10,Ann',
  },
  { seed: 'odoo', file: 'odoo/general_ledger.csv', row: 4, line: '1010 Ann,,,,' },
  { seed: 'erpnext', file: 'erpnext/general-ledger.csv', row: 7, line: '1010 Supplier,,,,' },
  { seed: 'netsuite', file: 'netsuite/GeneralLedger.csv', row: 8, line: '1010 Ann,,,,' },
  {
    ...{ seed: 'business-central', file: 'business-central/entries.csv', row: 2 },
    edits: [['Bal. Account Type', 'User ID']],
    line: '6200 ,,,,G/L Account',
  },
  { seed: 'fec', file: '111111111FEC20231231.txt', row: 4, line: '411000 Tiers C1,C1,,2023-12-31,' },
  {
    ...{ seed: 'saft', file: '2025.xml', row: 125 },
    edits: [
      [
        '</MasterFiles>',
        '<Customers><Customer><CustomerID>7</CustomerID><Name>Ærlig</Name></Customer></Customers></MasterFiles>',
      ],
      ['<Description>Invoice</Description>', '<SourceID>ann</SourceID><Description>Invoice</Description>'],
      ['<GLPostingDate>', '<SystemEntryDate>2025-01-12</SystemEntryDate><GLPostingDate>'],
      [
        '<Line><RecordID>1</RecordID>',
        '<Line><RecordID>1</RecordID><CustomerID>7</CustomerID><DueDate>2025-02-09</DueDate>',
      ],
    ],
    line: '1100 Ærlig,7,2025-02-09,2025-01-12,ann',
  },
  { seed: 'saft-pt', file: 'saft.xml', row: 1, line: '1100 ,,,2025-01-10,' },
  {
    ...{ seed: 'sie', file: 'books.se', row: 31 },
    edits: [['"Faktura" 20240116', '"Faktura" 20240116 "Ann"']],
    line: '1510 ,,,2024-01-16,Ann',
  },
  {
    ...{ seed: 'ads', file: 'GL_Detail_20250101_20251231.txt', row: 2 },
    edits: [
      [/^(Journal_ID.*)$/m, '$1|Entered_Date|Entered_By'],
      [/^(\d.*)$/gm, '$1|20250111|ann'],
    ],
    line: '1100 ,,,2025-01-11,ann',
  },
]

const corpus = (seed: string) => join(import.meta.dirname, '../corpus', seed, 'seed')

for (const { seed, file, edits = [], row, line } of chosen(CASES))
  test(`${seed} says them where it documents them`, () =>
    inWorkspace({}, async (workspace) => {
      const company = join(workspace.datasets, COMPANY)
      cpSync(corpus(seed), company, { recursive: true })
      const edit = (path: string, changes: NonNullable<Case['edits']>) => {
        const at = join(company, path)
        const text = readFileSync(at, path.endsWith('.se') ? 'latin1' : 'utf8')
        let after = text
        for (const [from, to] of changes) after = after.replace(from, to)
        assert.ok(path === 'company.yaml' || changes.length === 0 || after !== text, path)
        writeFileSync(at, after, path.endsWith('.se') ? 'latin1' : 'utf8')
      }
      edit('company.yaml', [[/^id: .*/m, `id: ${COMPANY}`]])
      edit(file, edits)
      const built = await buildIn(workspace, COMPANY)
      const db = await openDatabase({ folders: null })
      try {
        const path = built.path('books/postings.parquet')
        const has = (
          await db.rows<{ name: string }>(`SELECT column_name AS name FROM (DESCRIBE FROM '${path}')`)
        ).map(({ name }) => name)
        const cells = ['party', 'party_id', 'due_date', 'entered_on', 'entered_by'].map((name) =>
          has.includes(name) ? `coalesce(${name}::VARCHAR, '')` : `''`,
        )
        const rows = await db.rows<{ line: string }>(
          `SELECT account || ' ' || ${cells.join(` || ',' || `)} AS line FROM '${path}' WHERE row = ${row} AND file = '${file}' AND basis = 'accrual' ORDER BY seq LIMIT 1`,
        )
        assert.equal(
          rows.map((each) => each.line),
          [line],
          findingsText(built.result.findings),
        )
      } finally {
        db.close()
      }
    }))
