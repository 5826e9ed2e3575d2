/** What the rows of a sheet are, however its XML is written; and what is wrong with it. */

import * as assert from 'uvu/assert'
import { suite } from '../../suite.ts'
import { parsed } from './parsed.ts'
import { bookOf, cell, merged } from './parts.ts'

const test = suite('sheets of workbooks')

/** A row of a ledger, with a text of its own and one that repeats. */
const row = (i: number, more = ''): string =>
  `<row r="${i}"${more}>${cell(`A${i}`, `Käufer ${i} & Söhne`)}${cell(`B${i}`, i / 4)}${cell(`D${i}`, 'Bank')}</row>`
const rows = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, i) => row(from + i)).join('')
const sheet = (xml: string | Buffer): Buffer =>
  bookOf([{ name: 'One', rows: '' }], { parts: { 'xl/worksheets/sheet1.xml': xml as string } })
const data = (list: string, after = ''): Buffer =>
  sheet(`<worksheet><sheetData>${list}</sheetData>${after}</worksheet>`)
const rowsRead = async (bytes: Buffer) => {
  const book = await parsed(bytes)
  return { rows: book.sheets[0]?.rows.map((each) => each.row), book }
}

test('texts inline, numbers, and texts that sheets share', async () => {
  const texts = Array.from({ length: 40 }, (_, i) => `<si><t>text ${i}, ü</t></si>`).join('')
  const shared = Array.from(
    { length: 80 },
    (_, i) =>
      `<row r="${i + 1}"><c r="A${i + 1}" t="s"><v>${i % 41}</v></c><c r="B${i + 1}"><v>${i}.5</v></c></row>`,
  ).join('')
  // The last is blank: no cell.
  const { book } = await rowsRead(
    bookOf(
      [
        { name: 'One', rows: shared },
        { name: 'Two', rows: rows(1, 40) },
      ],
      { texts: `${texts}<si/>` },
    ),
  )
  assert.equal(book.sheets[0]?.rows[39]?.cells, ['text 39, ü', '39.5'])
  assert.equal(book.sheets[0]?.rows[40]?.cells, ['', '40.5'])
})

test('rows and cells without addresses count on from those above them', async () => {
  const bare = '<row><c t="inlineStr"><is><t>a</t></is></c><c><v>2</v></c></row><row/>'
  const { rows: found } = await rowsRead(data(`${bare.repeat(20)}${row(100)}${bare.repeat(10)}`))
  assert.equal(found?.slice(18, 24), [37, 39, 100, 101, 103, 105])
  const { book } = await rowsRead(data(`${row(1_048_570)}${'<row><c><v>1</v></c></row>'.repeat(9)}`))
  assert.match(book.findings[0]?.message ?? '', 'no row "1048577"')
})

test('hidden columns are named once, in order, however their ranges overlap or where they begin', async () => {
  const ranges = [
    ...['min="4" max="5"', 'min="2" max="3"', 'min="2" max="4"', 'min="-9000000000000000" max="1"'],
    ...Array.from({ length: 100_000 }, () => 'min="16380" max="99999999"'),
  ]
  const before = `<cols>${ranges.map((range) => `<col ${range} hidden="1"/>`).join('')}</cols>`
  const { book } = await rowsRead(bookOf([{ name: 'One', rows: row(1), before }]))
  assert.equal(book.sheets[0]?.hiddenColumns, 'A B C D E XEZ XFA XFB XFC XFD'.split(' '))
})

test('hidden rows and columns, merged cells, and what stands above and below the rows', async () => {
  const hidden = Array.from({ length: 30 }, (_, i) => row(i + 1, i % 3 === 0 ? ' hidden="1"' : '')).join('')
  const before = '<cols><col min="2" max="3" hidden="1"/></cols>'
  const { book } = await rowsRead(bookOf([{ name: 'One', rows: hidden, before, after: merged('A2:A29') }]))
  const [one] = book.sheets
  assert.is(one?.hiddenRows.length, 10)
  assert.equal(one?.hiddenColumns, ['B', 'C'])
  assert.equal(one?.rows[20]?.merged?.get(0)?.name, 'A2:A29')
  const links = `<hyperlinks>${'<hyperlink ref="A1"/>'.repeat(500)}</hyperlinks>`
  assert.is((await rowsRead(bookOf([{ name: 'One', rows: rows(1, 40), after: links }]))).rows?.length, 40)
})

test('prefixes, blanks and comments as programs like them', async () => {
  const list = rows(1, 30).replaceAll(/<(\/?)(\w)/g, '<$1x:$2')
  for (const bytes of [
    sheet(`<x:worksheet xmlns:x="u"><x:sheetData>${list}</x:sheetData></x:worksheet>`),
    data(rows(1, 30).replaceAll('<row', '\r\n\t<!-- a row --><row').replaceAll('><v', ' >\n<v')),
    sheet(`\ufeff<?xml version="1.0"?><worksheet><sheetData>${rows(1, 30)}</sheetData></worksheet>`),
    data(rows(1, 30).replaceAll('<row ', '<row\n')),
  ])
    assert.equal((await parsed(bytes)).sheets[0]?.rows[2]?.cells, ['Käufer 3 & Söhne', '0.75', '', 'Bank'])
})

test('what looks like a row inside of a comment, of CDATA or of another element is none', async () => {
  const first = rows(1, 20)
  const last = rows(40, 60)
  for (const odd of [
    `<!-- ${rows(21, 25)} -->`,
    `<!-- ${rows(21, 39)} </sheetData> -->`,
    `<row r="30"><c r="A30" t="inlineStr"><is><t><![CDATA[${rows(31, 34)}]]></t></is></c></row>`,
    `<?old ${rows(21, 25)}?>`,
    `<row r="30">${cell('A30', 'x')}<sheetData/></row>`,
    `<row r="30">${cell('A30', 'x')}</row>${cell('B30', 'beside')}`,
    `<mergeCells><mergeCell ref="A1:B2"/></mergeCells>${row(30)}`,
  ]) {
    const { rows: found = [] } = await rowsRead(data(first + odd + last))
    assert.is(found[19], 20, odd)
  }
  const { book } = await rowsRead(data(`${first}<row r="30">${rows(31, 34)}</row>${last}`))
  assert.match(book.findings[0]?.message ?? '', 'row 34 stands at a wrong place')
  // Rows that are sound, and yet in a comment.
  for (const end of ['', '</sheetData>'])
    assert.equal((await rowsRead(data(`<!-- ${rows(1, 20)} ${end} -->${row(30)}`))).rows, [30])
  const outside = `<worksheet><old>${rows(1, 20)}</old><sheetData>${rows(1, 20)}</sheetData></worksheet>`
  assert.is((await rowsRead(sheet(outside))).rows?.length, 20)
  const twice = `<worksheet><sheetData>${rows(1, 20)}</sheetData><sheetData>${rows(21, 40)}</sheetData></worksheet>`
  assert.is((await rowsRead(sheet(twice))).rows?.length, 40)
})

test('a text outside of the items of shared texts belongs to none of them', async () => {
  const texts = Array.from({ length: 20 }, (_, i) => `<si><t>text ${i}</t></si><t>stray</t>`).join('')
  const refer = Array.from({ length: 20 }, (_, i) => `<row><c t="s"><v>${i}</v></c></row>`).join('')
  const { book } = await rowsRead(bookOf([{ name: 'One', rows: refer }], { texts: `<t>stray</t>${texts}` }))
  assert.equal(
    book.sheets[0]?.rows.map(({ cells }) => cells[0]),
    Array.from({ length: 20 }, (_, i) => `text ${i}`),
  )
})

test('UTF-16, XML 1.1, and long rows', async () => {
  const xml = `<worksheet><sheetData>${rows(1, 30)}</sheetData></worksheet>`
  const wide = await rowsRead(sheet(Buffer.from(`\ufeff${xml}`, 'utf16le')))
  assert.is(wide.rows?.length, 30)
  const newer = await rowsRead(sheet(`<?xml version="1.1"?>${xml.replaceAll('Bank', 'a\u0085b')}`))
  assert.is(newer.book.sheets[0]?.rows[3]?.cells[3], 'a\nb')
  const long = Array.from({ length: 3000 }, (_, i) => `<c><v>${i}</v></c>`).join('')
  const { rows: found } = await rowsRead(data(`${rows(1, 9)}<row r="10">${long}</row>${rows(11, 30)}`))
  assert.is(found?.length, 30)
})

const NO_PART = '<workbook><sheets><sheet name="x" r:id="none"/></sheets></workbook>'

test('what is wrong is said', async () => {
  for (const [bytes, why] of [
    [data(rows(1, 20) + row(5) + rows(30, 40)), 'row 5 stands at a wrong place'],
    [data(`${rows(1, 20)}<row r="0"/>${rows(30, 40)}`), 'no row "0"'],
    [data(`${rows(1, 20)}<row r="25"><c r="XFE25"><v>1</v></c></row>${rows(30, 40)}`), 'XFE25'],
    [data(`${rows(1, 20)}<row r="25"><c t="s"><v>7</v></c></row>${rows(30, 40)}`), 'text 7'],
    [data(`${rows(1, 20)}<row r="25">&nothing;</row>${rows(30, 40)}`), 'sheet1.xml'],
    [sheet(`<worksheet><sheetData>${rows(1, 40)}`), 'sheet1.xml'],
    [sheet(`<worksheet><sheetData>${rows(1, 40)}</sheetData></worksheet><more/>`), 'sheet1.xml'],
    [sheet(Buffer.from(`<worksheet><sheetData>${rows(1, 40)}</sheetData></worksheet>`, 'latin1')), 'sheet1'],
    [sheet(`<!DOCTYPE a><worksheet><sheetData>${rows(1, 40)}</sheetData></worksheet>`), 'DOCTYPE'],
    [data(rows(1, 40), merged('B2:A1')), 'range'],
    [bookOf([], { parts: { 'xl/workbook.xml': NO_PART } }), 'missing'],
  ] as const) {
    const book = await parsed(bytes)
    assert.equal(book.sheets, [])
    assert.match(book.findings[0]?.message ?? '', why)
  }
})

test('a sheet of which a digit was changed on its way is damaged, which shows at its end alone', async () => {
  const bytes = data(rows(1, 40))
  const at = bytes.indexOf('<v>5</v>')
  bytes.write('6', at + 3)
  const book = await parsed(bytes)
  assert.match(book.findings[0]?.message ?? '', 'damaged')
})
