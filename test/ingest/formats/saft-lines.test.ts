/** Lines of SAF-T files as rows, however the XML is written. */

import * as assert from 'uvu/assert'
import { READER } from '../../../builder/ingest/formats/saft/read.ts'
import { suite } from '../../suite.ts'
import { companyOf, readingOf, rowsIn } from '../../support/readings.ts'
import { type SaftFile, saftFile } from '../../support/saft.ts'

const test = suite('rows of SAF-T')

const NORWAY = companyOf(
  'id: acme\nname: Acme\nfiscalMonthEnd: 12\ncurrency: NOK\nledger: [{ files: "*.xml" }]\n',
)
/** Without the numbers of the rows. */
const rowsOf = async (text: string | Buffer): Promise<string[]> =>
  rowsIn(await readingOf(READER, NORWAY, { 'saft.xml': text })).map((row) => row.replace(/^\d+,/, ''))

const LINES = Array.from({ length: 24 }, (_, i) => {
  const month = String((i % 12) + 1).padStart(2, '0')
  return [
    `${i} 2025-${month}-05 1500 120.00 A:${i % 3} A:9=20.00`,
    `${i} 2025-${month}-05 30${i % 20} -100.00 P:${i % 5}`,
    `${i} 2025-${month}-05 2700 -20.00 X:1`,
  ].join('\n')
}).join('\n')
const FILE: SaftFile = {
  accounts:
    '1920 Bank 1000.00 1000.00\n1500 Kunder 0.00 2880.00\n2000 Kapital -1000.00 -1000.00\n2700 Mva 0.00 -480.00',
  analyses: 'A Avdeling 0 Oslo\nA Avdeling 1 Bergen',
  lines: LINES,
}
const TEXT = saftFile(FILE)

/** In front of the transaction with this number. */
const before = (number: number): RegExp =>
  new RegExp(`<Transaction>\\s*<TransactionID>${number}</TransactionID>`)
const inserted = (number: number, text: string): string =>
  TEXT.replace(before(number), (found) => text + found)

test('on one line, a transaction a line, CR LF, prefixes, encodings, customers', async () => {
  const party =
    '<Customers><Customer><CustomerID>7</CustomerID><Name>Ærlig, "Ole"</Name></Customer></Customers></MasterFiles>'
  const written = TEXT.replace('</MasterFiles>', party).replaceAll(
    '</TransactionDate>',
    '</TransactionDate><CustomerID>7</CustomerID>',
  )
  const rows = await rowsOf(written)
  assert.is(rows.length, 72)
  assert.match(rows[0]!, 'Ærlig, ""Ole""')
  const [start, ...rest] = written.split('<Transaction>')
  const oneEach = [start, ...rest.map((each) => each.replaceAll('\n', ''))].join('<Transaction>')
  for (const text of [
    written.replaceAll('\n', ''),
    oneEach,
    written.replaceAll('\n', '\r\n'),
    written.replaceAll('\n', '\r'),
    `\ufeff${written.replaceAll(/<(\/?)(?=[A-Z])/g, '<$1n1:').replace('xmlns=', 'xmlns:n1=')}`,
    Buffer.from(written.replace('UTF-8', 'ISO-8859-1'), 'latin1'),
    Buffer.from(`\ufeff${written}`, 'utf16le'),
    written.replaceAll('<Transaction>', '<Transaction >').replaceAll('<Journal>', '<Journal id="1">'),
    written.replace('<AuditFile ', '<AuditFile note="a > b" '),
  ])
    assert.equal(await rowsOf(text), rows)
})

test('tags in comments, instructions and texts are none', async () => {
  const rows = await rowsOf(TEXT)
  const inside = '</Transaction>\n<Transaction><TransactionID>900</TransactionID>'
  for (const text of [`<!-- ${inside.repeat(20)} -->`, `<?note ${inside.repeat(20)}?>`])
    assert.equal(await rowsOf(inserted(7, text)), rows)
  assert.equal(await rowsOf(TEXT.replace('Entry 7', `<![CDATA[${inside}]]>`)), rows)
})

test('a journal that begins between two transactions is that of those below', async () => {
  const rows = await rowsOf(inserted(5, '</Journal>\n<Journal><JournalID>B&amp;1</JournalID>\n'))
  assert.is(rows.filter((row) => row.includes('B&1')).length, 3 * 19)
})

test.run()
