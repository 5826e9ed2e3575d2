/** Rows of a ledger that a column map reads, however the text is written; and what is told of them by their row. */

import * as assert from 'uvu/assert'
import { NO_CONTENT } from '../../../builder/ingest/format/content.ts'
import type { Reader } from '../../../builder/ingest/format/format.ts'
import { readLedgerTable } from '../../../builder/ingest/tables/mapped/read.ts'
import { claimUnread } from '../../../builder/ingest/tables/unread/unread.ts'
import { suite } from '../../suite.ts'
import { fields } from '../../support/fields.ts'
import { companyOf, foundIn, readingOf, rowsIn } from '../../support/readings.ts'

const test = suite('rows by a column map')

const COLUMNS = 'transaction_id: Type + No, date: Day, account: Account, memo: Text'
const companyWith = (entry: string) =>
  companyOf(
    `id: acme\nname: Acme\nfiscalMonthEnd: 12\ncurrency: USD\nledger: [{ files: "gl/*", ${entry} }]\n`,
  )
const SIDED = companyWith(
  `dateFormat: DD.MM.YYYY, columns: { ${COLUMNS}, amount: Amount, direction: Side }, skip: { State: [draft, Opening balance, void] }`,
)

const read: Reader['read'] = async (sources, setting, _company, scratch) => {
  const readings = await Promise.all(
    sources.map((source) => readLedgerTable(source, setting, 'ledger.0', scratch, 'USD')),
  )
  return {
    ...NO_CONTENT,
    ledger: readings.flatMap(({ inputs }) => inputs),
    findings: readings.flatMap(({ findings, unread }) => [
      ...findings,
      ...claimUnread(unread, 'ledger.0', setting, { currency: 'USD' }, []),
    ]),
  }
}
const readingIn = (text: string | Buffer) => readingOf({ read }, SIDED, { 'gl/a.csv': text })

interface Line {
  readonly text: string
  readonly account: string
  readonly amount: string
  readonly side: string
  readonly state: string
}

const HEADER = ['Type', 'No', 'Day', 'Account', 'Amount', 'Side', 'Text', 'State', 'Other']
const rows = (count: number, change: (i: number) => Partial<Line> = () => ({})): string[][] =>
  Array.from({ length: count }, (_, i) => {
    const line = {
      ...{ text: `Sale ${i}`, account: String(1000 + (i % 9)), amount: `${i}.50` },
      ...{ side: i % 2 === 0 ? 'S' : 'Haben', state: i % 3 === 0 ? 'Draft' : 'posted' },
      ...change(i),
    }
    const day = `${String(1 + (i % 28)).padStart(2, '0')}.01.2025`
    return [
      ...['R', String(Math.floor(i / 2)), day, line.account, line.amount, line.side, line.text, line.state],
      'x',
    ]
  })
const written = (lines: readonly string[][], end = '\n', top: readonly string[] = []): string => {
  const cell = (text: string) => (/["\n,]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
  return [...top, ...[HEADER, ...lines].map((line) => line.map(cell).join(',')), ''].join(end)
}

test('line ends, titles above the header, encodings', async () => {
  const all = rowsIn(await readingIn(written(rows(90))))
  assert.is(all.length, 90)
  assert.is(all[1], 'R-0,02.01.2025,1001,Sale 1,R,,1.50')
  assert.is(all[0], ',,,,,,')
  for (const text of [
    written(rows(90), '\r\n'),
    written(rows(90), '\r'),
    written(rows(90)).trimEnd(),
    `\ufeff${written(rows(90))}`,
    Buffer.from(`\ufeff${written(rows(90))}`, 'utf16le'),
  ])
    assert.equal(rowsIn(await readingIn(text)), all)
  const titled = rowsIn(
    await readingIn(written(rows(90), '\n', ['Ledger of Acme', '', '"printed', 'by me"'])),
  )
  assert.equal(titled.slice(3), all)
})

test('a side that says nothing is reported by its first row', async () => {
  const text = written(rows(90, (i) => (i === 61 || i === 77 ? { side: '?' } : {})))
  const [finding] = foundIn(await readingIn(text), 'unreadable-side')
  assert.is(finding?.row, 63)
  assert.match(finding?.message ?? '', 'on 2 rows')
})

test('openings that are left out, and values that leave nothing out', async () => {
  const text = written(rows(90, (i) => (i > 70 && i % 4 === 0 ? { state: 'opening balance' } : {})))
  const { findings } = await readingIn(text)
  assert.equal(fields(findings, 'code', 'row'), [
    ['openings-skipped', 74],
    ['mark-without-match', null],
    ['columns-not-read', 1],
  ])
})
