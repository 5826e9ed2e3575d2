/** Plain-text files that are read in parts, by others or by threads, give what reading them as a whole gives: lines, ids, findings, rows, order. */
import { readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { IdNotes, withCounts } from '../../../builder/ingest/formats/plain-text/ids.ts'
import { WORK } from '../../../builder/ingest/formats/plain-text/parts.ts'
import { readPlainFiles } from '../../../builder/ingest/formats/plain-text/read.ts'
import { companyOf, type Files, InParts } from '../../support/in-parts.ts'

const test = suite('plain text in parts')

const yaml = (more = '') =>
  `id: acme\nname: Acme\nfiscalMonthEnd: 12\ncurrency: USD\nledger: [{ files: "*.journal.csv", format: plain-text }]\n${more}\n`
const ACME = companyOf(yaml())

const inParts = new InParts(readPlainFiles, WORK, ACME)

/** How many parts were read, all sizes together; after each gave the same as the whole. */
const same = async (
  files: Files | string | Buffer,
  company = ACME,
  sizes: readonly number[] = [100, 700, 3000],
): Promise<number> => {
  const all = typeof files === 'string' || Buffer.isBuffer(files) ? { 'books.journal.csv': files } : files
  return (await inParts.of(company).same(all, sizes)).length
}
const isDivided = (parts: number): void => assert.ok(parts > 10, `${parts} parts`)

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

const BEANCOUNT = (postings: readonly Posting[]): string =>
  [
    'date,payee,narration,account,amount,currency,any_meta_cclass',
    ...postings.map(({ date, text, account, amount, commodity = 'USD', note = '' }) =>
      [date, 'Payee', text, account, amount, commodity, note]
        .map((cell) => (/["\n,]/.test(cell) ? quoted(cell) : cell))
        .join(','),
    ),
    '',
  ].join('\r\n')

const LEDGER = (postings: readonly Posting[]): string =>
  postings
    .map(({ date, text, account, amount, commodity = '$', note = '' }) =>
      [date.replaceAll('-', '/'), '', text, account, commodity, amount, '*', note]
        .map((cell) => `"${cell.replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`)
        .join(','),
    )
    .join('\n')

const DIALECTS = [HLEDGER, BEANCOUNT, LEDGER]

test('rows, ids, findings and accounts are those of the whole file, in every dialect', async () => {
  for (const written of DIALECTS) {
    isDivided(await same(written(sales(0, 90))))
    isDivided(await same(`${written(sales(0, 90))}\n`))
  }
  const corpus = new URL('../corpus/plain-text/seed/', import.meta.url)
  const company = companyOf(readFileSync(new URL('company.yaml', corpus), 'utf8'))
  assert.ok((await same(readFileSync(new URL('main.journal.csv', corpus)), company)) > 3)
})

test('days in any order: transactions are counted on from what stands above', async () => {
  for (const written of DIALECTS) {
    const days = sales(0, 200, (i) => ({ date: `2024-0${(i % 3) + 1}-01` }))
    isDivided(await same(written(days)))
    isDivided(await same(written(days.reverse())))
  }
  const odd = sales(0, 60, (i) => ({ date: i % 2 === 0 ? 'a/b, "c"/é' : 'été', text: 'Füße € 💶' }))
  isDivided(await same(HLEDGER(odd)))
})

test('line ends and quotes inside quotes', async () => {
  for (const text of ['two\nlines', 'three\r\nlines\n', '\n', 'an "inch"', 'a,b\n"c",\n,,,', '"\n"\n"'])
    for (const written of DIALECTS) await same(written(sales(0, 60, () => ({ text }))))
  isDivided(await same(HLEDGER(sales(0, 60, () => ({ text: 'two\nlines', comment: 'a: b\nc: d' })))))
})

test('a cell that holds what looks like transactions', async () => {
  const inside = HLEDGER(sales(200, 8)).replaceAll('"', '')
  const many = sales(0, 20, (i) => (i % 5 === 0 ? { comment: inside } : {}))
  assert.ok((await same(HLEDGER(many), ACME, [100, 300])) > 0, 'cuts inside of the cell were tried')
  // The row behind the cell is found, but belongs to the transaction above it.
  const one = sales(0, 60).map((posting, i) =>
    i % 2 === 0 ? { ...posting, note: 'a note\n2024-01-05,Payee,Other,assets:bank,1.00,USD,EAST' } : posting,
  )
  assert.ok((await same(BEANCOUNT(one))) > 0)
})

test('however the text is written: CR LF, CR, byte order marks, encodings, blank rows, headers again', async () => {
  const text = HLEDGER(sales(0, 60, () => ({ text: 'Café' })))
  for (const each of [
    text.replaceAll('\n', '\r\n'),
    text.replaceAll('\n', '\n\n'),
    text.replace(/\n/g, '\n\n\r\n'),
    `\ufeff${text}`,
    `\ufeff${text}`.repeat(3),
    Buffer.from(text, 'latin1'),
    text.replaceAll(/\n(?="\d*0")/g, `\n${PRINT}\n`),
    text.slice(0, -1),
    text.replaceAll('"', ''),
    text.replaceAll('",', '" , '),
    text.replaceAll(/"\n/g, '",""\n'),
  ])
    isDivided(await same(each))
  await same(text.replaceAll('\n"', '\n\ufeff"'))
  for (const uncut of [text.replaceAll('\n', '\r'), Buffer.from(`\ufeff${text}`, 'utf16le')]) {
    assert.is(await same(uncut), 0, 'it is read here')
    assert.is(await same(uncut, ACME, [50_000]), 1, 'another reads it whole')
  }
})

test('files that are broken, wherever that is', async () => {
  for (const written of DIALECTS) {
    const text = written(sales(0, 40))
    for (let end = text.length - 1; end > 0; end -= 331) await same(text.slice(0, end), ACME, [300])
    for (const [before, after] of [
      ['Sale 3', 'Sale "3'],
      ['Sale 20', 'Sale" 20'],
      ['Sale 39', '"Sale 39'],
      ['Sale 20', 'Sale 20","'],
      ['income:sales:1', ''],
    ] as const)
      await same(text.replace(before, after), ACME, [100, 1000])
    const lines = text.split('\n')
    for (const row of [1, 30, 60]) {
      await same(lines.toSpliced(row, 0, 'torn,row').join('\n'))
      await same(lines.toSpliced(row, 0, '"opened').join('\n'))
      await same(
        lines
          .toSpliced(row, 0, '"a" b')
          .toSpliced(row + 9, 0, '"a" b')
          .join('\n'),
      )
    }
    await same(lines.flatMap((line) => [line, 'torn,row']).join('\n'), ACME, [100, 300])
  }
})

test('transactions that are alike, across parts and files', async () => {
  for (const written of DIALECTS) {
    const text = written(sales(0, 30))
    const [head = ''] = text.split('\n')
    const body = written === LEDGER ? text : text.slice(head.length + 1)
    isDivided(await same(`${text}\n${body}`))
    isDivided(await same({ 'a.journal.csv': text, 'b.journal.csv': `${text}\n${body}` }))
    isDivided(await same(written([...sales(0, 30), ...sales(30, 3), ...sales(8, 12), ...sales(2, 1)])))
    // Without numbers one ends where it balances.
    await same(written(sales(0, 90, () => ({ text: 'Fare', date: '2024-01-05' }))))
    const few = sales(0, 90, (i) => ({ text: 'Fare', date: `2024-01-0${Math.floor(i / 30) + 1}` }))
    await same(written(few))
  }
})

test('openings, closings, retained earnings, and transactions of many postings', async () => {
  const carry = (text: string, date: string, amount: string): Posting[] =>
    ['assets:bank:0', 'liabilities:card', 'equity:opening balances'].map((account, i) => ({
      ...{ transaction: 500, date, text, account, commodity: undefined as unknown as string },
      amount: i === 2 ? `-${amount}` : amount,
    }))
  const retained = ['income:sales:0', 'equity:retained earnings'].map((account, i) => ({
    ...{ transaction: 600, date: '2024-12-31', text: 'retain', account },
    amount: i === 0 ? '20.00' : '-20.00',
  }))
  const many = Array.from({ length: 60 }, (_, i) => ({
    ...{ transaction: 700, date: '2024-02-01', text: 'many', account: `expenses:${i}` },
    amount: `${i - 29.5}`,
  }))
  for (const written of DIALECTS) {
    const all = [
      ...carry('opening', '2024-01-01', '10.00'),
      ...sales(0, 20),
      ...many,
      ...retained,
      ...carry('closing', '2024-12-31', '10.00'),
      ...sales(20, 20),
      ...carry('opening', '2025-01-01', '10.00'),
      ...carry('opening', '2025-03-01', '10.00'),
    ]
    await same(written(all))
    await same(written(all.reverse()))
  }
})

test('virtual postings, adjustments, tags, and accounts of unknown kind', async () => {
  const notes = ['class: EAST', 'class: all', 'department: SHOP, trip: Rome', 'date:2/3', '[2024-02-03]', '']
  const accounts = ['(budget)', '[assets:goal]', '<Adjustment>', 'Sonstiges', 'expenses:food']
  const change = (i: number) => ({ note: notes[i % 6]!, comment: notes[(i + 1) % 6]! })
  const all = sales(0, 80, change).map((posting, i) =>
    i % 4 === 0
      ? { ...posting, account: accounts[(i / 4) % 5]!, amount: i % 20 === 8 ? '0' : posting.amount }
      : posting,
  )
  for (const written of DIALECTS) {
    isDivided(await same(written(all)))
    isDivided(await same(written(all), companyOf(yaml('dimensions: { trip: class, class: department }'))))
  }
})

test('amounts: unclear decimals, other commodities, amounts that contradict themselves, more than are listed', async () => {
  const euros = ['EUR', '€', 'USD', '$', 'ACME', '']
  for (const written of DIALECTS) {
    isDivided(await same(written(sales(0, 60, () => ({ amount: '1,000' })))))
    isDivided(await same(written(sales(0, 60, (i) => ({ amount: i === 40 ? '1.000,00' : '1,000' })))))
    isDivided(await same(written(sales(0, 60, (i) => ({ commodity: euros[i % 6]! })))))
    await same(written(sales(0, 250, () => ({ commodity: 'EUR' }))))
  }
  isDivided(await same(HLEDGER(sales(0, 60, (i) => (i % 7 === 0 ? { otherwise: '3.00' } : {})))))
  isDivided(await same(HLEDGER(sales(0, 260, () => ({ otherwise: '3.00' })))))
})

test('several files: side by side, small ones whole, those that cannot be cut, those that are refused', async () => {
  const files = {
    'a.journal.csv': HLEDGER(sales(0, 60)),
    'b.journal.csv': BEANCOUNT(sales(20, 60)),
    'c.journal.csv': HLEDGER(sales(0, 40, () => ({ text: 'two\nlines' }))),
    'd.journal.csv': LEDGER(sales(60, 2)),
  }
  isDivided(await same(files, ACME, [100, 700, 3000, 100_000]))
  isDivided(
    await same({
      'a.journal.csv': HLEDGER(sales(0, 60)).replace('Sale 40', 'Sale" 40'),
      'b.journal.csv': HLEDGER(sales(0, 60)),
      'c.journal.csv': Buffer.from(`\ufeff${HLEDGER(sales(0, 60))}`, 'utf16le'),
      'd.journal.csv': 'a,b\n1,2\n',
      'e.journal.csv': HLEDGER(sales(0, 60)),
    }),
  )
})

test('counts that grow by a letter', () => {
  const notes = new IdNotes()
  const piece = 'é,1/9,é,2/10\n'
  const bytes = ['', piece, piece].map((text) => {
    if (text !== '') notes.note(4, '1', 9)
    if (text !== '') notes.note(10, '2', 10)
    return notes.bytesOf(text)
  })
  const corrected = withCounts(Buffer.concat(bytes), notes.places(), (day) => (day === '1' ? 1 : 0))
  assert.is(corrected.toString(), 'é,1/10,é,2/10\n'.repeat(2))
})

test('by threads, with the loader of this process', () =>
  inParts.sameByThreads(
    new URL('../../../builder/ingest/formats/plain-text/part-thread.ts', import.meta.url),
    [
      { 'books.journal.csv': HLEDGER(sales(0, 90)) },
      { 'a.journal.csv': LEDGER(sales(0, 90)), 'b.journal.csv': HLEDGER(sales(0, 90)).slice(0, -30) },
    ],
    700,
  ))

test('where one of those who read fails, the reading ends with its reason', () =>
  inParts.endsWithReason({ 'books.journal.csv': HLEDGER(sales(0, 90)) }, ['readPart'], 700))

test.run()
