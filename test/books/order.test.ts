/** Postings stand in the published books as they stand in the files: by file, then by row, however many there are. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openDatabase, quoted } from '../../builder/books/database.ts'
import { buildWith, companyYaml } from '../support/workspace.ts'

const order = suite('the order of postings')

/** More rows than DuckDB hands from one step to the next at once, on both cores. */
const ENTRIES = 70_000

const ledger = (prefix: string): string =>
  [
    'transaction_id,date,account,amount,memo',
    ...Array.from({ length: ENTRIES }, (_, i) => {
      const start = `${prefix}${i},2025-${String(1 + (i % 12)).padStart(2, '0')}-15`
      return `${start},${i % 3 ? 'bank' : 'till'},1.00,m${i % 7}\n${start},${i % 5 ? 'sales' : 'rent'},-1.00,`
    }),
    '',
  ].join('\n')

order('is that of files and rows', async () => {
  const files = {
    'company.yaml': companyYaml('ledger: [{ files: "ledger/*.csv" }]'),
    'ledger/a.csv': ledger('a'),
    'ledger/b.csv': ledger('b'),
  }
  await buildWith(files, async ({ path }) => {
    const db = await openDatabase()
    const [found] = await db.rows<Record<string, string>>(`
      SELECT count(*) AS postings, count(*) FILTER (seq <> nth) AS misnumbered, count(*) FILTER (seq <> placed) AS misplaced FROM (
        SELECT seq, row_number() OVER () AS nth, row_number() OVER (ORDER BY file, row) AS placed
        FROM read_parquet(${quoted(path('books/postings.parquet'))}))`)
    db.close()
    assert.equal(found, { postings: String(4 * ENTRIES), misnumbered: '0', misplaced: '0' })
  })
})

order.run()
