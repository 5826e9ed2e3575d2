/**
 * What is asked of one month is not read from the lines of all years: published books have row groups, and those of other days are passed over.
 * The bytes are what the operating system counts, for books with small row groups.
 */
import { cpSync, mkdtempSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { differingLines } from '../../builder/books/read/line-diff.ts'
import { openLineage, type Part, type Rule } from '../../builder/books/read/lineage.ts'
import type { Frame } from '../../builder/books/reference/frame.ts'
import { readBooks } from '../../builder/books/store/store.ts'
import { openDatabase, quoted } from '../../builder/database/database.ts'
import { writeCompany } from '../bench/ledger.ts'
import { suite } from '../suite.ts'
import { bytesRead, canCount } from '../support/bytes-read.ts'
import { buildIn, inWorkspace } from '../support/workspace.ts'

const test = suite('bytes read of published books')
const when = canCount ? test : test.skip

const folder = mkdtempSync(join(tmpdir(), 'tieout-bytes-'))
const BOOKS = join(folder, 'before')
const CHANGED = join(folder, 'now')
const SCOPE = { basis: 'ACCRUAL', budgetId: null, classId: null, departmentId: null } as const
const sizeOf = (books: string): number => statSync(join(books, 'postings.parquet')).size
const MONTH = { startDate: '2025-06-01', endDate: '2025-06-30' }
/** Texts of lines take most of the room of a real ledger. */
const MEMO = 'md5(seq::VARCHAR) || md5(account)'
let frame: Frame

/** The postings of one folder of books in another one, with small row groups; `columns` may change some. */
async function copyPostings(from: string, to: string, columns: string): Promise<void> {
  const db = await openDatabase({ threads: 1, folders: null })
  try {
    await db.run(`COPY (SELECT ${columns} FROM read_parquet(${quoted(join(from, 'postings.parquet'))}) ORDER BY seq)
      TO ${quoted(join(to, 'postings.parquet'))} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 2048)`)
  } finally {
    db.close()
  }
}

test.before(() =>
  inWorkspace(
    {},
    async (workspace) => {
      // A file for each month, so that the lines of a month lie together.
      const size = { postings: 60_000, classes: 4, departments: 2, months: 24, seed: 7, monthly: true }
      await writeCompany(workspace.root, 'bench', size)
      const published = (await buildIn(workspace, 'bench')).path('books')
      for (const to of [BOOKS, CHANGED]) cpSync(published, to, { recursive: true })
      await copyPostings(published, BOOKS, `* REPLACE (${MEMO} AS memo)`)
      const other = `CASE WHEN month(date) = 6 AND year(date) = 2025 AND seq % 100 = 0 THEN amount + 1 ELSE amount END`
      await copyPostings(
        published,
        CHANGED,
        `* REPLACE (${MEMO} AS memo, ${other}::DECIMAL(18, 2) AS amount)`,
      )
      const books = await readBooks(BOOKS)
      frame = books.frame
      books.db.close()
    },
    'bench',
  ),
)

/** The bytes that are read for the lines of an account under a rule. */
const explained = (rule: Rule, range = MONTH): Promise<number> => {
  const account = frame.accounts.at(-1)?.id ?? ''
  const parts: Part[] = [{ id: 'figure', terms: [{ account, sign: 1, rule }] }]
  return bytesRead(async () => {
    const lineage = await openLineage(BOOKS, frame, SCOPE, range, parts)
    await lineage.total()
    lineage.close()
  })
}

when('a movement reads its month, a balance nothing after it, a year nothing before it', async () => {
  await explained('activity')
  const whole = await explained('balance', { startDate: '2025-12-01', endDate: '2025-12-31' })
  const reads = {
    month: await explained('activity'),
    yearToMarch: await explained('current-year', { startDate: '2025-03-01', endDate: '2025-03-31' }),
    balanceOfMarch: await explained('balance', { startDate: '2024-03-01', endDate: '2024-03-31' }),
  }
  for (const [name, bytes] of Object.entries(reads))
    assert.ok(bytes < whole / 2, `${name}: ${bytes} of ${whole} bytes`)
})

when('a comparison reads all columns of those months alone that differ', async () => {
  const compared = (now: string) =>
    bytesRead(async () => {
      const filters = { basis: null, classId: null, departmentId: null }
      const lines = await differingLines({ folder: BOOKS, frame }, { folder: now, frame }, filters)
      assert.is(lines.length > 0, now !== BOOKS)
      assert.ok(lines.every(({ date }) => date?.startsWith('2025-06')))
    })
  const both = sizeOf(BOOKS) + sizeOf(CHANGED)
  const [same, changed] = [await compared(BOOKS), await compared(CHANGED)]
  assert.ok(same < both / 4, `${same} of ${both} bytes where nothing differs`)
  assert.ok(changed < both / 2, `${changed} of ${both} bytes where a month differs`)
})

when('other ranges load the columns of figures alone', async () => {
  const loaded = await bytesRead(async () => (await readBooks(BOOKS)).db.close())
  assert.ok(loaded < sizeOf(BOOKS) / 2, `${loaded} of ${sizeOf(BOOKS)} bytes`)
})
