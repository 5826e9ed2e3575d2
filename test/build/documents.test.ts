/** Documents are composed batch by batch: what of the books is still read where that fails. */

import * as assert from 'uvu/assert'
import type { Books } from '../../builder/books/books.ts'
import { type Composing, writeDocuments } from '../../builder/build/documents.ts'
import type { Database } from '../../builder/database/database.ts'
import { suite } from '../suite.ts'
import { inBooks } from '../support/books.ts'
import { CHART, companyYaml, type Files, ledgerCsv } from '../support/workspace.ts'

const test = suite('documents')

const FILES: Files = {
  'company.yaml': companyYaml('classes: members.csv\ndepartments: members.csv\nopening: none'),
  'chart.csv': CHART,
  'members.csv': 'id,name,parent\na,A,\na1,A one,a\na2,A two,a\nb,B,\n',
  'ledger.csv': ledgerCsv(
    '1 2025-01-05 bank 10 a1 b; 1 2025-01-05 sales -10 b b; 2 2025-02-06 bank 4 a; 2 2025-02-06 sales -4 a2 a1',
  ),
}

/** The message with which composing ends. */
async function failureOf(books: Books, composing: Composing): Promise<string> {
  try {
    await writeDocuments(books, () => {}, composing)
  } catch (problem) {
    return (problem as Error).message
  }
  throw new Error('it did not fail')
}

/** The same database, whose queries for columns take longer, and are counted until they end. */
function slowed(db: Database): { readonly db: Database; readonly underWay: () => number } {
  let underWay = 0
  const slow: Database = {
    ...db,
    columns: async (sql, count) => {
      underWay++
      await new Promise((end) => setTimeout(end, 200))
      const columns = await db.columns(sql, count)
      underWay--
      return columns
    },
  }
  return { db: slow, underWay: () => underWay }
}

test('where a batch fails the books are no longer read when that is told, so that they can be closed', () =>
  inBooks(FILES, async (books) => {
    const { db, underWay } = slowed(books.db)
    const composer = () => () => Promise.reject(new Error('a thread of this build failed'))
    assert.is(await failureOf({ ...books, db }, { composer }), 'a thread of this build failed')
    assert.is(underWay(), 0)
  }))

test('a composer that cannot begin ends with its reason, and the books are no longer read', () =>
  inBooks(FILES, async (books) => {
    const { db, underWay } = slowed(books.db)
    const composer = () => {
      throw new Error('no thread can start')
    }
    assert.is(await failureOf({ ...books, db }, { composer }), 'no thread can start')
    assert.is(underWay(), 0)
  }))
