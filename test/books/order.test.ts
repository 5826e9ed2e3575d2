/** Postings stand in the published books as they stand in the files: by file, then by row, counted from 1, however many there are. */

import * as assert from 'uvu/assert'
import { openDatabase, quoted } from '../../builder/database/database.ts'
import { suite } from '../suite.ts'
import { buildWith, companyYaml } from '../support/workspace.ts'

const order = suite('the order of postings')

/** More rows than DuckDB hands from one step to the next at once, on both cores. */
const ENTRIES = 70_000

const ledger = (prefix: string, period = false): string =>
  [
    `transaction_id,date,account,amount,memo${period ? ',period' : ''}`,
    ...Array.from({ length: ENTRIES }, (_, i) => {
      const month = `2025-${String(1 + (i % 12)).padStart(2, '0')}`
      const start = `${prefix}${i},${month}-15`
      const end = period ? `,${month}` : ''
      return `${start},${i % 3 ? 'bank' : 'till'},1.00,m${i % 7}${end}\n${start},${i % 5 ? 'sales' : 'rent'},-1.00,${end}`
    }),
    '',
  ].join('\n')

/** How many postings of the published books there are, and how many of them are not numbered or placed as they should be. */
const placed = (settings: string, ledgers: Record<string, string>): Promise<Record<string, string>> =>
  buildWith({ 'company.yaml': companyYaml(settings), ...ledgers }, async ({ path }) => {
    const db = await openDatabase({ folders: null })
    const [found] = await db.rows<Record<string, string>>(`
      SELECT count(*) AS postings, count(*) FILTER (seq <> nth) AS misnumbered, count(*) FILTER (seq <> placed) AS misplaced FROM (
        SELECT seq, row_number() OVER () AS nth, row_number() OVER (ORDER BY file, row) AS placed
        FROM read_parquet(${quoted(path('books/postings.parquet'))}))`)
    db.close()
    return found!
  })

const LEDGERS = 'ledger: [{ files: "ledger/*.csv" }]'

order('is that of files and rows', async () => {
  const found = await placed(LEDGERS, {
    'ledger/a.csv': ledger('a'),
    'ledger/b.csv': ledger('b'),
    // Read long before the others, it still comes after them.
    'ledger/c.csv': 'transaction_id,date,account,amount\nc,2025-01-15,bank,1.00\nc,2025-01-15,sales,-1.00\n',
  })
  assert.equal(found, { postings: String(4 * ENTRIES + 2), misnumbered: '0', misplaced: '0' })
})

order(
  'skips no number where openings stand between them, and is the same where lines are looked up',
  async () => {
    const lines = ledger('b', true).split('\n')
    const opening = (id: string) => [`${id},2024-12-31,bank,5.00,,`, `${id},2024-12-31,till,-5.00,,`]
    const b = [
      ...lines.slice(0, 11),
      ...opening('o1'),
      ...lines.slice(11, -9),
      ...opening('o2'),
      ...lines.slice(-9),
    ]
    const found = await placed(`${LEDGERS}\nopening: { transactions: [o1, o2] }`, {
      'ledger/a.csv': ledger('a'),
      'ledger/b.csv': b.join('\n'),
    })
    assert.equal(found, { postings: String(4 * ENTRIES), misnumbered: '0', misplaced: '0' })
  },
)
