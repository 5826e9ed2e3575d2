/**
 * Every posting and every opening of the sample exports has a place in a kept source that can be shown; the splitter of rows
 * that shows it agrees with DuckDB's reader, by which the books number them.
 */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { build } from '../../builder/build/build.ts'
import { openDatabase, quoted } from '../../builder/database/database.ts'
import { rawRecordsOf } from '../../builder/ingest/text/delimited.ts'
import { publishedSnapshot } from '../../builder/inspect/inspect.ts'
import { type SourceRow, sourceRows } from '../../builder/inspect/source-lines.ts'
import { BOOKS } from '../../builder/snapshot/files/layout.ts'
import { openWorkspace } from '../../builder/workspace/workspace.ts'
import { packed, parsers, seedOf } from '../ingest/fuzz/corpus.ts'
import { RECORD_CASES } from '../ingest/text/record-cases.ts'
import { alike, seed, times } from '../seed.ts'
import { suite } from '../suite.ts'
import { CHART, COMPANY, companyYaml, type Files, findingsText, inWorkspace } from '../support/workspace.ts'

const test = suite('source places')

interface Place extends Record<string, unknown> {
  readonly file: string | null
  readonly row: string
  readonly reference?: string | null
  readonly memo?: string | null
}

interface Shown {
  readonly places: readonly Place[]
  readonly sources: readonly SourceRow[]
}

/** Publishes the books of these files, and shows each of their lines as it stands in its source. */
const shownOf = (files: Files, books: readonly string[], more = ''): Promise<Shown> =>
  inWorkspace(files, async ({ root }) => {
    writeFileSync(join(root, 'tieout.yaml'), 'keepInputs: true\n')
    const workspace = openWorkspace(root)
    const result = await build(workspace, COMPANY, { publish: true })
    assert.is(result.outcome, 'published', findingsText(result.findings))
    const { value: snapshot } = await publishedSnapshot(workspace.snapshots, COMPANY, null)
    const db = await openDatabase({ folders: null })
    try {
      const read = (book: string) =>
        `SELECT file, "row"${more} FROM read_parquet(${quoted(join(snapshot!.folder, BOOKS, `${book}.parquet`))})`
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

for (const parser of alike(parsers()))
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

const DELIMITERS = [',', '\t', ';', '|'] as const

interface Written {
  readonly text: string
  /** What it says. */
  readonly value: string
}

/** A cell as programs write it: bare, in quotes, after a blank, with line ends, separators and quotes inside of quotes. */
const cellIn = (delimiter: string, end: string): fc.Arbitrary<Written> =>
  fc
    .tuple(
      fc.constantFrom('bare', 'quoted', 'after a blank'),
      fc.array(fc.constantFrom('a', 'é', ' ', ...DELIMITERS, '"', end), { maxLength: 5 }),
      fc.nat(2),
    )
    .map(([form, parts, inches]) => {
      const bare = `x${parts.filter((part) => ![delimiter, '"', end].includes(part)).join('')}${'"'.repeat(inches)}`
      if (form === 'bare') return { text: bare, value: bare.trim() }
      const value = parts.join('')
      const quoted = `"${value.replaceAll('"', '""')}"`
      return { text: form === 'quoted' ? quoted : ` ${quoted}`, value: value.trim() }
    })

const ledgerOf = fc
  .record({ delimiter: fc.constantFrom(...DELIMITERS), end: fc.constantFrom('\n', '\r\n', '\r') })
  .chain(({ delimiter, end }) =>
    fc.record({
      delimiter: fc.constant(delimiter),
      end: fc.constant(end),
      isQuoted: fc.boolean(),
      entries: fc.array(fc.tuple(cellIn(delimiter, end), fc.nat(2)), { minLength: 1, maxLength: 12 }),
    }),
  )

test('random delimited text: rows and cells shown are those that DuckDB read', () =>
  fc.assert(
    fc.asyncProperty(ledgerOf, async ({ delimiter, end, isQuoted, entries }) => {
      const cell = (text: string) => (isQuoted ? `"${text}"` : text)
      const record = (...cells: readonly string[]) => cells.map(cell).join(delimiter)
      // A cell of a row says which it is; blank rows count too.
      const texts = [record('transaction_id', 'date', 'account', 'amount', 'reference', 'memo')]
      const wanted: (Written & { readonly row: number })[] = []
      for (const [i, [memo, blanks]] of entries.entries())
        for (const [account, amount] of [
          ['bank', '1.00'],
          ['capital', '-1.00'],
        ] as const) {
          const row = texts.length + 1
          const text = `${record(`t${i}`, '2025-01-02', account, amount, String(row))}${delimiter}${memo.text}`
          wanted.push({ row, text, value: memo.value })
          texts.push(text)
          for (let k = 0; k < blanks && account === 'bank'; k++) texts.push('')
        }
      const files = {
        'company.yaml': companyYaml(),
        'chart.csv': CHART,
        'ledger.csv': texts.join(end) + end,
      }
      const { places, sources } = await shownOf(files, ['postings'], ', reference, memo')
      assert.equal(
        places.map(({ row, reference, memo }) => [Number(row), reference, memo ?? '']),
        wanted.map(({ row, value }) => [row, String(row), value]),
      )
      assert.equal(
        sources.map(({ text }) => text),
        wanted.map(({ text }) => text),
      )
    }),
    { seed, numRuns: times(24) },
  ))

/** The rows of a case as a ledger that balances: the case's cells are memo and reference. */
async function ledgerOfCase(text: string, delimiter: string): Promise<Files> {
  async function* parts() {
    yield text
  }
  const lines: string[] = []
  let end = '\n'
  let entries = 0
  for await (const batch of rawRecordsOf(parts(), delimiter))
    for (const { text: line, lineEnd } of batch) {
      end = lineEnd || end
      const tail = lines.length === 0 ? HEADER : ['t', '2025-01-02', 'bank', '1.00']
      if (line !== '') entries++
      lines.push(line === '' ? '' : [line, ...tail].join(delimiter))
    }
  lines[0] = ['memo', 'reference', ...HEADER].join(delimiter)
  lines.push(['', '', 't', '2025-01-02', 'capital', `-${entries - 1}.00`].join(delimiter))
  const mark = text.startsWith('\ufeff') ? '\ufeff' : ''
  return {
    'company.yaml': companyYaml(),
    'chart.csv': CHART,
    'ledger.csv': mark + lines.join(end) + end,
  }
}
const HEADER = ['transaction_id', 'date', 'account', 'amount']

for (const { name, text, delimiter = ',', rows } of alike(RECORD_CASES))
  test(`${name}: the ledger's reader keeps the rule of the splitter, or refuses`, async () => {
    const files = await ledgerOfCase(text, delimiter)
    if (rows === null) {
      const findings = await inWorkspace(files, async ({ root }) => {
        const result = await build(openWorkspace(root), COMPANY, { publish: true })
        assert.is.not(result.outcome, 'published')
        return findingsText(result.findings)
      })
      assert.match(findings, /never clos|text follows a quote/)
      return
    }
    const { places } = await shownOf(files, ['postings'], ', reference, memo')
    assert.equal(
      places.slice(0, -1).map(({ row, reference, memo }) => [Number(row), memo ?? '', reference ?? '']),
      rows,
    )
  })

/** The memos of a QuickBooks report, each with a line end in it. */
const withLineEnd = (text: string): string => text.replaceAll(',Received,', ',"Received\nby mail",')

test('a report of a program: a line end inside of quotes moves no row that is shown', async () => {
  const seed = packed(seedOf('quickbooks'))
  const files = Object.fromEntries(
    Object.entries(seed).map(([name, content]) => [name, withLineEnd(content.toString('utf8'))]),
  )
  const { places, sources } = await shownOf(files, ['postings'], ', memo')
  assert.ok(
    places.some(({ memo }) => memo?.includes('\n')),
    'a memo of two lines',
  )
  const at = new Map(sources.map((source) => [`${source.file} ${source.row}`, source.text ?? '']))
  const shows = ({ file, row, memo }: Place): boolean => {
    // A memo has the customer behind it, from a column of its own.
    const own = (memo ?? '').replace(/ \([^)]*\)$/, '')
    return at.get(`${file} ${row}`)?.includes(own.replaceAll('"', '""')) ?? false
  }
  assert.equal(
    places.filter((place) => !shows(place)),
    [],
  )
})
