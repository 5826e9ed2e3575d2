/** The published books are the same bytes however many threads made them: another machine builds the very same files. */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { makeBooks } from '../../builder/books/books.ts'
import { BOOK_FILES, writeBooks } from '../../builder/books/store/store.ts'
import { openDatabase, quoted } from '../../builder/database/database.ts'
import { ingest } from '../../builder/ingest/ingest.ts'
import { datasetFolder, readCompany, type Workspace } from '../../builder/workspace/workspace.ts'
import { suite } from '../suite.ts'
import { CHART, COMPANY, companyYaml, inWorkspace } from '../support/workspace.ts'

const test = suite('books and threads')

/** Enough lines for a row group after the 16 MB at which DuckDB would begin another thread's part. */
const ENTRIES = 126_000
const MEMO =
  'a memo of a hundred characters since a file of more bytes is sooner divided than one of many more lines'

const LEDGER = [
  'transaction_id,date,account,amount,memo',
  // Lines of openings are removed from the postings, which leaves a gap in their table.
  'O,2025-01-01,bank,500.00,opening',
  'O,2025-01-01,capital,-500.00,opening',
  ...Array.from({ length: ENTRIES }, (_, i) => {
    const start = `${i},2025-${String(1 + (i % 12)).padStart(2, '0')}-15`
    return `${start},bank,1.00,${MEMO}${i}\n${start},sales,-1.00,${MEMO}${i}`
  }),
  '',
].join('\n')

/** SHA-256 of each file of the books of the company, as that many threads write them into `folder`. */
async function hashesOf(workspace: Workspace, folder: string, threads: number) {
  const company = readCompany(workspace, COMPANY).value!
  const intake = await ingest(company, datasetFolder(workspace, COMPANY))
  const { books, findings } = await makeBooks(company, intake, { threads })
  assert.ok(books, JSON.stringify(findings))
  mkdirSync(folder)
  const files = intake.ledger.map((input) => input.file)
  await writeBooks(books, folder, files)
  books.db.close()
  await intake.dispose()
  const hash = (name: string) =>
    createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex')
  return Object.fromEntries(BOOK_FILES.map((name) => [name, hash(name)]))
}

test('books are the same by one and by three threads', () =>
  inWorkspace(
    {
      'company.yaml': companyYaml('ledger: [{ files: ledger.csv }]\nopening: { transactions: [O] }\n'),
      'chart.csv': CHART,
      'ledger.csv': LEDGER,
    },
    async (workspace) => {
      const [one, three] = [join(workspace.root, 'books-1'), join(workspace.root, 'books-3')]
      assert.equal(await hashesOf(workspace, three, 3), await hashesOf(workspace, one, 1))
      const db = await openDatabase({ folders: null })
      const [groups] = await db.rows<{ groups: string }>(
        `SELECT max(row_group_id) + 1 AS groups FROM parquet_metadata(${quoted(join(three, 'postings.parquet'))})`,
      )
      db.close()
      assert.ok(Number(groups!.groups) > 1)
    },
  ))
