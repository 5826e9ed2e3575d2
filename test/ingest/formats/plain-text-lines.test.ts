/** Postings of plain-text files as rows, however the text is written; and ids over several files. */

import * as assert from 'uvu/assert'
import { READER } from '../../../builder/ingest/formats/plain-text/read.ts'
import { suite } from '../../suite.ts'
import { companyOf, type Files, readingOf, rowsIn } from '../../support/readings.ts'

const test = suite('rows of plain text')

const ACME = companyOf(
  'id: acme\nname: Acme\nfiscalMonthEnd: 12\ncurrency: USD\nledger: [{ files: "*.journal.csv", format: plain-text }]\n',
)
const read = (text: Files | string | Buffer) =>
  readingOf(
    READER,
    ACME,
    typeof text === 'string' || Buffer.isBuffer(text) ? { 'books.journal.csv': text } : text,
  )
const rowsOf = async (text: string | Buffer): Promise<string[]> => rowsIn(await read(text))
const withPosting = (rows: readonly string[]): string[] => rows.filter((row) => !/^,+$/.test(row))

interface Posting {
  readonly transaction: number
  readonly date: string
  readonly text: string
  readonly account: string
  readonly amount: string
  readonly commodity?: string
  readonly comment?: string
  readonly note?: string
  /** What debit and credit say. */
  readonly otherwise?: string
}

/** Transactions of two postings, three of them a day. */
const sales = (
  from: number,
  count: number,
  change: (i: number) => Partial<Posting> = () => ({}),
): Posting[] =>
  Array.from({ length: count }, (_, n) => {
    const i = from + n
    const date = `2024-01-${String((Math.floor(i / 3) % 28) + 1).padStart(2, '0')}`
    const both = { transaction: i, date, text: `Sale ${i}`, ...change(i) }
    return [
      { account: `assets:bank:${i % 4}`, amount: `${i}.50`, ...both },
      { ...both, account: `income:sales:${i % 3}`, amount: `-${i}.50` },
    ]
  }).flat()

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`
const PRINT =
  'txnidx,date,date2,status,code,description,comment,account,amount,commodity,credit,debit,posting-status,posting-comment'
const HLEDGER = (postings: readonly Posting[]): string =>
  [
    PRINT,
    ...postings.map((posting) => {
      const { transaction, date, text, comment = '', account, amount, commodity = '$', note = '' } = posting
      const isCredit = amount.startsWith('-')
      const { otherwise = amount.replace('-', '') } = posting
      const sides = isCredit ? [otherwise, ''] : ['', otherwise]
      return [
        `${transaction}`,
        date,
        '',
        '',
        'C1',
        text,
        comment,
        account,
        amount,
        commodity,
        ...sides,
        '',
        note,
      ]
        .map(quoted)
        .join(',')
    }),
    '',
  ].join('\n')

test('CR LF, CR, byte order marks, encodings, blanks around cells, blank rows, headers again', async () => {
  const text = HLEDGER(sales(0, 60, () => ({ text: 'Café' })))
  const rows = await rowsOf(text)
  assert.is(rows.length, 120)
  assert.is(rows[2], '2024-01-01/2,2024-01-01,assets:bank:1,1.50,,,Café,C1,,')
  for (const each of [
    text.replaceAll('\n', '\r\n'),
    text.replaceAll('\n', '\r'),
    `\ufeff${text}`,
    text.replaceAll('\n"', '\n\ufeff"'),
    Buffer.from(text, 'latin1'),
    Buffer.from(`\ufeff${text}`, 'utf16le'),
    text.slice(0, -1),
    text.replaceAll('"', ''),
    text.replaceAll('",', '" , '),
    text.replaceAll(/"\n/g, '",""\n'),
  ])
    assert.equal(await rowsOf(each), rows)
  for (const each of [
    text.replaceAll('\n', '\n\n'),
    text.replaceAll(/\n(?="\d*0")/g, `\n${PRINT}\n`),
    `\ufeff${text}${PRINT}\n`,
  ])
    assert.equal(withPosting(await rowsOf(each)), rows)
})

test('transactions of a day are counted over all files, in their order', async () => {
  const day = (from: number) => sales(from, 12, () => ({ date: '2024-03-01' }))
  const { ledger } = await read({ 'a.journal.csv': HLEDGER(day(0)), 'b.journal.csv': HLEDGER(day(12)) })
  const ids = ledger.flatMap((plan) => rowsIn({ ledger: [plan] }).map((row) => row.split(',')[0]!))
  assert.equal(
    ids,
    Array.from({ length: 48 }, (_, i) => `2024-03-01/${1 + Math.floor(i / 2)}`),
  )
})
