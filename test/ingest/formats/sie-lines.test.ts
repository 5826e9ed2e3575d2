/** Vouchers of SIE files as rows, however the text is written, and wherever it says how they are read. */

import * as assert from 'uvu/assert'
import { READER } from '../../../builder/ingest/formats/sie/read.ts'
import { suite } from '../../suite.ts'
import { column } from '../../support/fields.ts'
import type { LedgerRow } from '../../support/plan-rows.ts'
import { companyOf, type Files, foundIn, readingOf } from '../../support/readings.ts'
import { rowsInBooks } from '../../support/sie.ts'

const test = suite('rows of SIE')

const companyWith = (ledger = '') =>
  companyOf(`id: acme\nname: Acme\nfiscalMonthEnd: 12\ncurrency: SEK\nledger: [{ files: "*.se"${ledger} }]\n`)
const SWEDEN = companyWith()
const read = (text: Files | string | Buffer, company = SWEDEN) =>
  readingOf(READER, company, typeof text === 'string' || Buffer.isBuffer(text) ? { 'books.se': text } : text)
/** The rows of the first file, as the books have them. */
const rowsOf = async (text: Files | string | Buffer): Promise<LedgerRow[]> =>
  (await rowsInBooks(await read(text), SWEDEN))[0] ?? []
const withoutRow = (rows: readonly LedgerRow[]) => rows.map(({ row: _, ...rest }) => rest)

const HEAD = [
  '#FLAGGA 0',
  '#FORMAT PC8',
  '#SIETYP 4',
  '#FNAMN "Acme"',
  '#ORGNR 556000-0001',
  '#RAR 0 20240101 20241231',
  '#RAR -1 20230101 20231231',
  '#KONTO 1510 Kundfordringar',
  '#KONTO 1930 Bank',
  '#KONTO 3010 Försäljning',
  '#DIM 1 Kostnadsställe',
  '#DIM 6 Projekt',
  '#UNDERDIM 21 Butik 1',
  '#OBJEKT 1 N Nord',
  '#IB 0 1930 1000.00',
  '#IB 0 2081 -1000.00',
  '#PSALDO 0 202401 3010 {1 N} -100.00',
]
const day = (n: number): string =>
  `2024${String((n % 12) + 1).padStart(2, '0')}${String((n % 28) + 1).padStart(2, '0')}`
const voucher = (n: number, head = `A ${n}`, lines: readonly string[] = linesOf(n)): string[] => [
  `#VER ${head} ${day(n)} "Faktura ${n}"`,
  '{',
  ...lines,
  '}',
]
const linesOf = (n: number): string[] => [
  `#TRANS 1510 {${['', '1 N', '6 P1', '1 S 21 B1', '7 x'][n % 5]}} ${n}.00`,
  `#TRANS 30${10 + n} {1 K${n}} -${n}.00 "" "Rad, \\"${n}\\""`,
]
const numbers = (count: number, from = 1): number[] => Array.from({ length: count }, (_, i) => from + i)
const VOUCHERS = numbers(24).map((n) => voucher(n))
const textOf = (
  vouchers: readonly (readonly string[])[],
  head: readonly string[] = HEAD,
  end = '\n',
): string => [...head, ...vouchers.flat(), ''].join(end)
const TEXT = textOf(VOUCHERS)

test('however lines end, and letters are written', async () => {
  const rows = await rowsOf(TEXT)
  assert.is(rows.length, 48)
  for (const text of [
    textOf(VOUCHERS, HEAD, '\r\n'),
    textOf(VOUCHERS, HEAD, '\r'),
    TEXT.trimEnd(),
    `${TEXT}\u001a`,
    `\ufeff${TEXT}`,
    TEXT.replaceAll('#VER', ' #VER'),
    TEXT.replaceAll('#VER', '#ver'),
    Buffer.from(`\ufeff${TEXT}`, 'utf16le'),
    Buffer.from(TEXT, 'latin1'),
    Buffer.from(TEXT.replaceAll('ö', '\x94').replaceAll('ä', '\x84'), 'latin1'),
  ])
    assert.equal(await rowsOf(text), rows)
  assert.equal(withoutRow(await rowsOf(textOf(VOUCHERS, HEAD, '\n\n'))), withoutRow(rows))
})

test('rows are numbered to the end of a long file', async () => {
  const many = numbers(3000).map((n) => voucher(n, `A ${n}`, ['#TRANS 1510 {} 5.00', '#TRANS 3011 {} -5.00']))
  for (const end of ['\n', '\r\n', '\r']) {
    const rows = await rowsOf(textOf(many, HEAD, end))
    const expected = numbers(3000).flatMap((n) => [3, 4].map((line) => HEAD.length + 5 * (n - 1) + line))
    assert.equal(column(rows, 'row'), expected)
  }
})

test('type, year and dimensions that stand behind the vouchers count for all of them', async () => {
  const rows = withoutRow(await rowsOf(TEXT))
  for (const late of ['#SIETYP 4', '#RAR 0 20240101 20241231', '#DIM 6 Projekt', '#UNDERDIM 21 Butik 1'])
    assert.equal(withoutRow(await rowsOf(`${TEXT.replace(`${late}\n`, '')}${late}\n`)), rows, late)
  const later = textOf(
    numbers(9).map((n) => voucher(n)),
    HEAD.map((line) => (line.startsWith('#RAR 0') ? '#RAR 0 20250101 20251231' : line)),
  )
  // A dimension that the file of another year declares.
  const files = { 'z.se': TEXT.replace('#UNDERDIM 21 Butik 1\n', ''), 'later.se': later }
  assert.equal(withoutRow(await rowsOf(files)), rows)
})

test('vouchers with one number are told apart by their dates, and then counted, wherever the year is stated', async () => {
  const text = textOf(
    [
      ...[voucher(1), voucher(3, 'A 2'), voucher(4, 'A 2'), voucher(4, 'A 2'), voucher(6, '"" ""')],
      ...[
        voucher(7, 'B 007'),
        voucher(8, 'B 7'),
        voucher(9, '"B 0" 8'),
        voucher(9, 'B "0 8"'),
        voucher(10, '" A" 1'),
      ],
    ],
    HEAD.filter((line) => !line.startsWith('#RAR 0')),
  )
  const rows = await rowsOf(`${text}#RAR 0 20240401 20241231\n`)
  assert.equal(
    rows.filter((_, i) => i % 2 === 1).map((row) => [row.transaction_id, row.line_id, row.date]),
    [
      ['2024 A 1', '2024 A 1/2', '2024-04-01'],
      ['2024 A 2 2024-04-04', '2024 A 2 2024-04-04/2', '2024-04-04'],
      ['2024 A 2 2024-05-05', '2024 A 2 2024-05-05/2', '2024-05-05'],
      ['2024 A 2 2024-05-05 (2)', '2024 A 2 2024-05-05 (2)/2', '2024-05-05'],
      ['2024 2024-07-07', '2024 2024-07-07/2', '2024-07-07'],
      ['2024 B 007', '2024 B 007/2', '2024-08-08'],
      ['2024 B 7', '2024 B 7/2', '2024-09-09'],
      ['2024 B 0 8 2024-10-10', '2024 B 0 8 2024-10-10/2', '2024-10-10'],
      ['2024 B 0 8 2024-10-10 (2)', '2024 B 0 8 2024-10-10 (2)/2', '2024-10-10'],
      ['2024  A 1', '2024  A 1/2', '2024-11-11'],
    ],
  )
})

test('a day that the file is said to cover behind the vouchers', async () => {
  const { findings } = await read(`${TEXT}#OMFATTN 20241110\n`)
  assert.match(foundIn({ findings }, 'date-after-coverage')[0]!.message, /and 8 lines are dated later/)
})

test('bytes that are not text in the stated encoding', async () => {
  const company = companyWith(', encoding: utf-8')
  for (const letter of ['Kund', 'Faktura 9', 'Faktura 24']) {
    const { findings } = await read(Buffer.from(TEXT.replace(letter, '\xe5'), 'latin1'), company)
    const row = TEXT.split('\n').findIndex((line) => line.includes(letter) || line.includes('ö')) + 1
    assert.equal(
      foundIn({ findings }, 'undecodable-text').map((found) => found.row),
      [row],
    )
  }
})
