/** The published books are the same bytes however many threads made them: another machine builds the very same files. */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeBooks } from '../../builder/books/books.ts'
import { openDatabase, quoted } from '../../builder/books/database.ts'
import { BOOK_FILES, writeBooks } from '../../builder/books/store.ts'
import { ingest } from '../../builder/ingest/ingest.ts'
import { companyFolder, readCompany } from '../../builder/workspace/workspace.ts'
import { CHART, COMPANY, companyYaml, inWorkspace } from '../support/workspace.ts'

const test = suite('books and threads')

/** Enough lines for a row group after the 16 MB at which DuckDB would begin another thread's part. */
const ENTRIES = 126_000
const MEMO =
  'a memo of a hundred characters since a file of more bytes is sooner divided than one of many more lines'
const LEDGER = [
  'transaction_id,date,account,amount,memo',
  ...Array.from({ length: ENTRIES }, (_, i) => {
    const start = `${i},2025-${String(1 + (i % 12)).padStart(2, '0')}-15`
    return `${start},bank,1.00,${MEMO}${i}\n${start},sales,-1.00,${MEMO}${i}`
  }),
  '',
].join('\n')

test('do not depend on one another', () =>
  inWorkspace(
    {
      'company.yaml': companyYaml(),
      'chart.csv': CHART,
      'ledger.csv': LEDGER,
    },
    async (workspace) => {
      const company = readCompany(workspace, COMPANY).value!
      const hashes: Record<string, string>[] = []
      for (const threads of [1, 3]) {
        const intake = await ingest(company, companyFolder(workspace, COMPANY))
        const { books, findings } = await makeBooks(company, intake, { threads })
        assert.ok(books, JSON.stringify(findings))
        const folder = join(workspace.root, `books-${threads}`)
        mkdirSync(folder)
        await writeBooks(
          books,
          folder,
          intake.ledger.map((input) => input.file),
        )
        books.db.close()
        await intake.dispose()
        hashes.push(
          Object.fromEntries(
            BOOK_FILES.map((name) => [
              name,
              createHash('sha256')
                .update(readFileSync(join(folder, name)))
                .digest('hex'),
            ]),
          ),
        )
      }
      const db = await openDatabase()
      const [groups] = await db.rows<{ groups: string }>(
        `SELECT max(row_group_id) + 1 AS groups FROM parquet_metadata(${quoted(join(workspace.root, 'books-3', 'postings.parquet'))})`,
      )
      db.close()
      assert.ok(Number(groups!.groups) > 1)
      assert.equal(hashes[1], hashes[0])
    },
  ))

test.run()
