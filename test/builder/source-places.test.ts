/**
 * Every posting and every opening of the sample exports has a place in a kept source that can be shown; the splitter of rows
 * that shows it agrees with DuckDB's reader, by which the books number them.
 */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openDatabase, quoted } from '../../builder/books/database.ts'
import { build } from '../../builder/build.ts'
import { publishedSnapshot } from '../../builder/inspect.ts'
import { BOOKS } from '../../builder/snapshot/layout.ts'
import { type SourceRow, sourceRows } from '../../builder/source-lines.ts'
import { openWorkspace } from '../../builder/workspace/workspace.ts'
import { packed, parsers, seedOf } from '../ingest/fuzz/corpus.ts'
import { CHART, COMPANY, companyYaml, type Files, findingsText, inWorkspace } from '../support/workspace.ts'

const test = suite('source places')

interface Place extends Record<string, unknown> {
  readonly file: string | null
  readonly row: string
}

interface Shown {
  readonly places: readonly Place[]
  readonly sources: readonly SourceRow[]
}

/** Publishes the books of these files, and shows each of their lines as it stands in its source. */
const shownOf = (files: Files, books: readonly string[]): Promise<Shown> =>
  inWorkspace(files, async ({ root }) => {
    writeFileSync(join(root, 'tieout.yaml'), 'keepInputs: true\n')
    const workspace = openWorkspace(root)
    const result = await build(workspace, COMPANY, { publish: true })
    assert.is(result.outcome, 'published', findingsText(result.findings))
    const { value: snapshot } = await publishedSnapshot(workspace.snapshots, COMPANY, null)
    const db = await openDatabase()
    try {
      const read = (book: string) =>
        `SELECT file, "row" FROM read_parquet(${quoted(join(snapshot!.folder, BOOKS, `${book}.parquet`))})`
      const places = await db.rows<Place>(`${books.map(read).join(' UNION ALL ')} ORDER BY file, "row"`)
      const { value, findings } = await sourceRows(
        snapshot!,
        places.map(({ file, row }) => ({ file, row: Number(row) })),
      )
      assert.is(findings, undefined)
      return { places, sources: value! }
    } finally {
      db.close()
    }
  })

// Canonical tables: see source-lines.test.ts, and the random ones below.
for (const parser of parsers().filter((name) => name !== 'tables'))
  test(`${parser}: each posting and opening shows what stands in its source`, async () => {
    const { places, sources } = await shownOf(packed(seedOf(parser)), ['postings', 'openings'])
    assert.ok(places.length > 0)
    assert.equal(
      places.filter(({ file }) => file === null),
      [],
    )
    // An XML of one line has no lines to show: it is said in words.
    assert.equal(
      sources.filter(({ text }) => (text === null ? parser !== 'saft-pt' : text.trim() === '')),
      [],
    )
  })

/** A cell as programs write it: bare, in quotes, after a blank, with line ends, separators and quotes inside of quotes. */
const cell = fc
  .tuple(
    fc.constantFrom('bare', 'quoted', 'after a blank'),
    fc.array(fc.constantFrom('a', 'é', ' ', ',', '""', 'END', ';'), { maxLength: 5 }),
    fc.nat(2),
  )
  .map(([form, parts, inches]) =>
    form === 'bare'
      ? `x${parts.filter((part) => part !== ',' && part !== '""' && part !== 'END').join('')}${'"'.repeat(inches)}`
      : `${form === 'quoted' ? '' : ' '}"${parts.join('')}"`,
  )

test('random delimited text: the rows shown are those that DuckDB read', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(cell, fc.nat(2)), { minLength: 1, maxLength: 12 }),
      fc.constantFrom('\n', '\r\n', '\r'),
      async (entries, end) => {
        // The first cell of a row says which it is; blank rows count too.
        const texts = ['transaction_id,date,account,amount,reference,memo']
        const wanted: number[] = []
        for (const [i, [text, blanks]] of entries.entries())
          for (const side of ['bank,1.00', 'capital,-1.00']) {
            wanted.push(texts.length + 1)
            texts.push(`t${i},2025-01-02,${side},${texts.length + 1},${text.replaceAll('END', end)}`)
            for (let k = 0; k < blanks && side.startsWith('bank'); k++) texts.push('')
          }
        const ledger = texts.join(end) + end
        const files = { 'company.yaml': companyYaml(), 'chart.csv': CHART, 'ledger.csv': ledger }
        const { places, sources } = await shownOf(files, ['postings'])
        assert.equal(
          places.map(({ row }) => Number(row)),
          wanted,
        )
        assert.equal(
          sources.map(({ text }) => text),
          wanted.map((row) => texts[row - 1]),
        )
      },
    ),
    { seed: 20_250_314, numRuns: 12 },
  ))

test.run()
