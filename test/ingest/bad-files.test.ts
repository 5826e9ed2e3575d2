/** Files that are damaged, doubled, or made to do harm: each is a clear finding, in bounded memory. */

import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { deflateRawSync } from 'node:zlib'
import * as assert from 'uvu/assert'
import { scanFile } from '../../builder/ingest/text/scan.ts'
import { parseXlsx, zipEntries } from '../../builder/ingest/workbook/xlsx.ts'
import { suite } from '../suite.ts'
import { cases } from '../support/case-file.ts'
import { type CraftedEntry, craftedZip, field, storedZip } from '../support/stored-zip.ts'
import { checkWith, companyYaml, findingsOf, ledgerCsv, only } from '../support/workspace.ts'
import { ingestWith } from './folder.ts'
import { bookOf, cell, merged, rowsOf } from './workbook/parts.ts'

const bad = suite('bad files')

const whyNot = async (bytes: Buffer): Promise<string> => {
  try {
    await zipEntries(bytes)
  } catch (problem) {
    return (problem as Error).message
  }
  throw new Error('was read')
}
const DIRECTORY = Buffer.from('PK\x01\x02')

bad('an archive whose entries share their bytes', async () => {
  const bytes = storedZip({ a: 'x'.repeat(1000), b: 'y'.repeat(1000) })
  const second = bytes.indexOf(DIRECTORY, bytes.indexOf(DIRECTORY) + 4)
  bytes.writeUInt32LE(0, second + 42)
  assert.match(await whyNot(bytes), 'share their bytes')
})

bad('an archive of more parts than any workbook has', async () => {
  const many = Object.fromEntries(Array.from({ length: 10_001 }, (_, i) => [`p${i}`, '']))
  assert.match(await whyNot(storedZip(many)), '10001 parts')
})

bad('a part that unpacks to more than it says ends there', async () => {
  const packed = deflateRawSync(Buffer.alloc(50 * 1024 * 1024))
  const bytes = storedZip({ a: packed })
  for (const at of [bytes.indexOf(DIRECTORY) + 10, 8]) bytes.writeUInt16LE(8, at)
  for (const at of [bytes.indexOf(DIRECTORY) + 24, 22]) bytes.writeUInt32LE(100, at)
  const [entry] = await zipEntries(bytes)
  let read = 0
  try {
    for await (const chunk of entry!.chunks()) read += chunk.length
    assert.unreachable()
  } catch (problem) {
    assert.match((problem as Error).message, 'is damaged')
  }
  assert.is(read, 0)
})

/** Parts that one program reads in another way than the next. */
const AMBIGUOUS: readonly [what: string, part: Partial<CraftedEntry>, why: RegExp][] = [
  ['of another method in its own header', { deflated: true, local: { method: 0 } }, /another method/],
  ['of another size in its own header', { local: { size: 7 } }, /another size/],
  ['of another checksum in its own header', { local: { crc: 7 } }, /another checksum/],
  ['with another name in a field', { local: { fields: field(0x7075, '\x01abcdb') } }, /field 0x7075/],
  ['with something behind what was packed', { deflated: true, behind: 'more' }, /is damaged/],
  ['of another checksum than its content', { stated: { crc: 7 } }, /is damaged/],
]
for (const [what, part, why] of AMBIGUOUS)
  bad(`a part ${what}`, async () => {
    const found = zipEntries(craftedZip([{ name: 'a', data: 'data', ...part }]))
    const read = found.then(([entry]) => buffer(entry!.chunks()))
    assert.match(await read.then(String, (problem: Error) => problem.message), why)
  })

bad('parts with one name in two cases', async () => {
  const parts = { '[Content_Types].xml': '', 'xl/Sheet.xml': '', 'XL\\sheet.xml': '' }
  const { findings } = await parseXlsx(storedZip(parts), '.', 'a.xlsx')
  assert.match(only(findings, 'unreadable-xlsx').message, /"XL\\sheet.xml" is there twice/)
})

bad('what programs add to parts is read: hints of growth, comments, sizes that come later', async () => {
  const local = { fields: field(0xa220, '1234'), crc: 0, size: 0, packedSize: 0 }
  const [entry] = await zipEntries(craftedZip([{ name: 'a', data: 'data', comment: 'c', local }]))
  assert.is(String(await buffer(entry!.chunks())), 'data')
})

bad('a stray cell far to the right of many rows is named, not made a billion cells', async () => {
  const rows =
    rowsOf([['account', '2025-01']]) +
    `<row r="2">${cell('A2', '4000')}${cell('B2', 1)}${cell('XFD2', 'note')}</row>`
  const many = Array.from(
    { length: 2000 },
    (_, i) => `<row r="${i + 3}">${cell(`A${i + 3}`, '4000')}</row>`,
  ).join('')
  const { findings } = await ingestWith(
    { budgets: [{ id: 'b', name: 'B', files: 'b.xlsx' }] },
    { 'b.xlsx': bookOf([{ name: 'One', rows: rows + many }]) },
  )
  const found = only(findings, 'table-too-large')
  assert.equal([found.row, found.column], [2, 'XFD'])
})

bad('merged ranges that overlap without end', async () => {
  const rows = Array.from(
    { length: 3000 },
    (_, i) => `<row r="${i + 1}">${cell(`A${i + 1}`, 'x')}</row>`,
  ).join('')
  const ranges = Array.from({ length: 1000 }, () => 'B1:B3000')
  const { findings } = await parseXlsx(
    bookOf([{ name: 'One', rows, after: merged(...ranges) }]),
    '.',
    'w.xlsx',
  )
  assert.match(only(findings, 'unreadable-xlsx').message, 'merged')
})

const HEADER = 'transaction_id,date,account,debit,credit'

bad('zeros in a text, and a file of zeros', async () => {
  for (const text of [
    `${HEADER}\n1,2025-01-15,ba\0nk,5.00,\n1,2025-01-15,sales,,5.00\n`,
    '\0'.repeat(5000),
  ]) {
    const { outcome, findings } = await checkWith({ 'ledger.csv': text }, ({ result }) => result)
    assert.is(outcome, 'refused')
    assert.ok(findings.every(({ file, remedy }) => file !== null && remedy !== null))
  }
})

bad('a line without end', async () => {
  const findings = await findingsOf({
    'ledger.csv': `${HEADER}\n1,2025-01-15,bank,${'9'.repeat(20_000_000)},\n`,
  })
  assert.ok(findings.length > 0 && findings.length < 5)
  assert.is(findings[0]!.file, 'ledger.csv')
})

for (const [what, files, file] of [
  [
    'a ledger',
    {
      'ledger.csv': Buffer.from(
        'transaction_id,date,account,debit,credit,memo\n1,2025-01-15,1000,1.00,,x\n1,2025-01-15,4000,,1.00,a\0b\n',
      ),
    },
    'ledger.csv',
  ],
  [
    'the end of a ledger',
    {
      'ledger.csv': Buffer.concat([
        Buffer.from('transaction_id,date,account,debit,credit\n1,2025-01-15,1000,1.00,\n'),
        Buffer.alloc(600),
      ]),
    },
    'ledger.csv',
  ],
  [
    'a chart',
    { 'chart.csv': 'id,number,name,classification\na1,1000,Bank,Asset\ni1,4000,S\0les,Income\n' },
    'chart.csv',
  ],
] as const)
  bad(`zero bytes in ${what} are a finding with file and row: rows may be lost`, () =>
    ingestWith({}, files, ({ findings }) => {
      const zero = only(findings, 'zero-bytes')
      assert.equal([zero.severity, zero.file, zero.row], ['error', file, 3])
    }),
  )

bad('a chart in two encodings is told with its row, unless company.yaml states one', async () => {
  const chart = Buffer.concat([
    Buffer.from('id,number,name,classification,type\nbank,1000,Caisse d’Épargne,Asset,Bank\n'),
    Buffer.from('capital,3000,Capital privé,Equity,Capital\n', 'latin1'),
  ])
  const found = async (yaml: string) =>
    (
      await findingsOf({
        'company.yaml': companyYaml(yaml),
        'chart.csv': chart,
        'ledger.csv': ledgerCsv('1 2025-01-01 bank 1.00; 1 2025-01-01 capital -1.00'),
      })
    ).filter(({ code }) => code === 'mixed-encodings')
  const mixed = only(await found(''), 'mixed-encodings')
  assert.equal([mixed.severity, mixed.file, mixed.row], ['warning', 'chart.csv', 2])
  assert.equal(await found('chartOfAccounts: { file: chart.csv, encoding: windows-1252 }'), [])
})

bad('a lost letter is found where two parts of a large file meet', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-lost-'))
  const mib = 1024 * 1024
  for (const offset of [mib - 2, mib - 1, mib, 2 * mib + 5]) {
    const text = Buffer.alloc(3 * mib, 'a\n')
    text.write('\ufffd', offset)
    writeFileSync(join(folder, 'a.csv'), text)
    assert.is((await scanFile(join(folder, 'a.csv'))).lostLetter, offset)
  }
})

cases(bad, new URL('cases/bad-files.yaml', import.meta.url))
