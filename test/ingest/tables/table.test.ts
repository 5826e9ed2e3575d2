/** Delimited text and workbooks as one form of table, and everything that can be wrong with the files. */
import { createHash } from 'node:crypto'
import * as assert from 'uvu/assert'
import { readTables } from '../../../builder/ingest/tables/table.ts'
import type { TableSetting } from '../../../builder/workspace/company.ts'
import { suite } from '../../suite.ts'
import { storedZip } from '../../support/stored-zip.ts'
import { codes, day, type Files, inFolder, only, workbook } from '../folder.ts'

const table = suite('table')

const read = (files: Files, setting: Partial<TableSetting> = {}) =>
  inFolder(files, (folder) =>
    readTables(folder, { files: Object.keys(files)[0]!, ...setting }, 'chart', 'chartOfAccounts'),
  )
const cells = (reading: Awaited<ReturnType<typeof read>>) => reading.tables[0]!.rows.map((row) => row.cells)

for (const [name, delimiter] of Object.entries({ comma: ',', semicolon: ';', tab: '\t', bar: '|' }))
  table(`detects ${name}, whatever stands inside quotes`, async () => {
    const found = await read({
      't.csv': `id${delimiter}"a,b;c|d\te,,;;||"${delimiter}name\n1${delimiter}2${delimiter}3\n`,
    })
    assert.equal(found.findings, [])
    assert.equal(found.tables[0]!.header, ['id', 'a,b;c|d\te,,;;||', 'name'])
    assert.equal(cells(found), [['1', '2', '3']])
  })

table('a byte order mark, blanks, quotes and line ends in quotes are read, blank rows dropped', async () => {
  const found = await read({
    't.csv': '\ufeffid , name,,\r\n"A",  "say ""hi"",\r\nthere" ,,\r\n\r\n , ,,\r\nB, 12" pipe,,\r\n',
  })
  assert.equal(found.findings, [])
  assert.equal(found.tables[0]!.header, ['id', 'name'])
  assert.equal(
    found.tables[0]!.rows.map(({ row, cells: [id, name] }) => [row, id, name]),
    [
      [2, 'A', 'say "hi",\r\nthere'],
      [5, 'B', '12" pipe'],
    ],
  )
})

table('Latin-1 is detected, and a stated encoding wins', async () => {
  const bytes = Buffer.from('id,name\n1,Caf\xe9\n', 'latin1')
  const detected = await read({ 't.csv': bytes })
  assert.equal(cells(detected), [['1', 'Café']])
  assert.is(detected.sources[0]!.encoding, 'iso-8859-1')
  assert.equal(cells(await read({ 't.csv': bytes }, { encoding: 'cp437' })), [['1', 'CafΘ']])
  const wrong = await read({ 't.csv': bytes }, { encoding: 'utf-8' })
  assert.is(only(wrong.findings, 'undecodable-text').row, 2)
})

table('every row of another width is a finding, an empty cell too many is not', async () => {
  const found = await read({ 't.csv': 'id,name\n1,one\n2\n3,three,\n4,four,more\n5' })
  assert.equal(codes(found.findings), ['column-count', 'column-count', 'column-count'])
  assert.equal(
    found.findings.map(({ row }) => row),
    [3, 5, 6],
  )
})

table('a quote that never closes, and a file without a row', async () => {
  assert.is(only((await read({ 't.csv': 'id,name\n1,"one\n2,two\n' })).findings, 'unreadable-csv').row, 2)
  only((await read({ 't.csv': '' })).findings, 'empty-file')
  only((await read({ 't.csv': '\n \n' })).findings, 'empty-file')
})

table('the source is hashed and counted', async () => {
  const { sources } = await read({ 't.csv': 'id\n1\n2\n' })
  const sha256 = createHash('sha256').update('id\n1\n2\n').digest('hex')
  assert.equal(sources, [
    { file: 't.csv', bytes: 7, sha256, encoding: 'utf-8', role: 'chart', rows: 2, delimiter: ',' },
  ])
})

table('empty cells between tabs are cells', async () => {
  const found = await read({ 't.tsv': 'a\tb\tc\n\t\t3\n 1 \t\t\n\t"2" \t\n' })
  assert.equal(found.findings, [])
  assert.equal(cells(found), [
    ['', '', '3'],
    ['1', '', ''],
    ['', '2', ''],
  ])
})

table('files are found by pattern in code point order; open workbooks of Excel are passed over', async () => {
  const files = { 'b/B.csv': 'id\nB\n', 'b/a.csv': 'id\na\n', 'b/~$a.csv': 'x', 'b/c (1).csv': 'id\nc\n' }
  const all = await read(files, { files: 'b/*.csv' })
  assert.equal(
    all.tables.map(({ file }) => file),
    ['b/B.csv', 'b/a.csv', 'b/c (1).csv'],
  )
  assert.equal(
    (await read(files, { files: './b/c (1).csv' })).tables.map(({ file }) => file),
    ['b/c (1).csv'],
  )
})

table('a pattern without a file, or that leaves the folder', async () => {
  const missing = only((await read({ 't.csv': 'id\n' }, { files: 'u-*.csv' })).findings, 'no-such-file')
  assert.is(missing.column, 'chartOfAccounts.files')
  assert.is(missing.text, 'u-*.csv')
  for (const files of ['../t.csv', 'x/../../t.csv', '/etc/hostname'])
    only((await read({ 't.csv': 'id\n' }, { files })).findings, 'file-outside-folder')
})

table('a workbook reads as typed: numbers exactly, dates, booleans, long ids', async () => {
  const data = [
    ['id', 'value', 'day', 'on', day('2025-01-31')],
    ['007', 1234.56, day('2024-02-29'), true, 0.1 + 0.2],
    ['x', 1e21, day('1999-12-31'), false, 123456789012345],
    [],
    ['  y ', -0.000001, null, null, Number('88259496234518.57')],
  ]
  const found = await read({ 't.xlsx': await workbook({ One: data }) })
  assert.equal(found.findings, [])
  assert.equal(found.tables[0]!.header, ['id', 'value', 'day', 'on', '2025-01-31'])
  assert.equal(
    found.tables[0]!.rows.map(({ row, cells: values }) => [row, ...values]),
    [
      [2, '007', '1234.56', '2024-02-29', 'true', '0.3'],
      [3, 'x', '1000000000000000000000', '1999-12-31', 'false', '123456789012345'],
      [5, 'y', '-0.000001', '', '', '88259496234518.6'],
    ],
  )
  assert.is(found.sources[0]!.encoding, 'xlsx')
})

table('numbers of a workbook are written with the decimal sign that its texts use', async () => {
  const bytes = await workbook({
    One: [
      ['id', 'amount'],
      ['1', 1234.5],
    ],
  })
  assert.equal(cells(await read({ 't.xlsx': bytes }, { decimal: ',' })), [['1', '1234,5']])
})

table('several sheets are several sources; one can be named', async () => {
  const files = {
    't.xlsx': await workbook({ Jan: [['id'], ['1']], Notes: [], 'Feb & March': [['id'], ['2'], ['3']] }),
  }
  const all = await read(files)
  assert.equal(
    all.tables.map((found) => [found.file, found.rows.length]),
    [
      ['t.xlsx#Jan', 1],
      ['t.xlsx#Feb & March', 2],
    ],
  )
  assert.equal(
    all.sources.map((source) => source.rows),
    [1, 2],
  )
  assert.equal((await read(files, { sheet: 'Jan' })).tables[0]!.file, 't.xlsx')
  const wrong = only((await read(files, { sheet: ['Jan', 'Mar'] })).findings, 'no-such-sheet')
  assert.is(wrong.text, 'Mar')
  assert.match(wrong.remedy!, 'Feb & March')
  only((await read({ 't.xlsx': await workbook({ A: [] }) })).findings, 'empty-file')
})

table('a cut-off, encrypted or foreign workbook is a finding wherever it breaks', async () => {
  const bytes = await workbook({
    One: [['id', 'name'], ...Array.from({ length: 50 }, (_, i) => [i, `n${i}`])],
  })
  for (let length = 4; length < bytes.length; length += 97)
    only((await read({ 't.xlsx': bytes.subarray(0, length) })).findings, 'unreadable-xlsx')
  const broken = Buffer.from(bytes)
  broken.fill(0xaa, 60, 90)
  only((await read({ 't.xlsx': broken })).findings, 'unreadable-xlsx')
  const encrypted = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(600)])
  assert.match(only((await read({ 't.xlsx': encrypted })).findings, 'unreadable-xlsx').message, 'password')
  const archive = only(
    (await read({ 't.xlsx': storedZip({ 'saft.xml': '<a/>' }) })).findings,
    'unreadable-xlsx',
  )
  assert.match(archive.message, 'a zip archive of saft.xml')
  assert.match(archive.remedy!, 'unpack')
})

table('a flipped bit in a figure is damage, not another figure', async () => {
  const bytes = await workbook({ One: [['id'], [1234.5]] })
  const entry = bytes.indexOf('xl/worksheets/sheet1.xml', bytes.indexOf('PK\x01\x02')) - 46
  bytes.writeUInt32LE(bytes.readUInt32LE(entry + 16) ^ 1, entry + 16)
  assert.match(only((await read({ 't.xlsx': bytes })).findings, 'unreadable-xlsx').message, 'sheet1.xml')
})

table('a workbook that would unpack to an absurd size is refused before it is unpacked', async () => {
  const bytes = await workbook({ One: [['id'], ['1']] })
  const entry = bytes.indexOf('PK\x01\x02')
  bytes.writeUInt32LE(0xf0000000, entry + 24)
  assert.match(only((await read({ 't.xlsx': bytes })).findings, 'unreadable-xlsx').message, 'unpacks to')
})
