/** Ledger entries become plans for the books, or rows; every way in which their files can be unfit is a finding. */

import { existsSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import * as assert from 'uvu/assert'
import type { LedgerInput, LedgerPlan } from '../../builder/ingest/format/intake.ts'
import type { Ingested } from '../../builder/ingest/ingest.ts'
import { suite } from '../suite.ts'
import { cases } from '../support/case-file.ts'
import { fields } from '../support/fields.ts'
import { planRows } from '../support/plan-rows.ts'
import { codes, day, type Files, ingestWith, LEDGER, only, workbook } from './folder.ts'

const ledger = suite('ledger')

const HEADER = 'transaction_id,date,account,amount'
const read = <T = Ingested>(
  entry: object,
  files: Files = {},
  look?: (intake: Ingested, folder: string) => T,
): Promise<T> => ingestWith({ ledger: [{ files: 'l.csv', ...entry }] }, files, look)
/** The intake, and the rows that were written of each sheet. */
const written = (intake: Ingested) => ({
  intake,
  rows: (intake.ledger as readonly LedgerPlan[]).map((plan) =>
    planRows(plan, readFileSync(plan.path, 'utf8')),
  ),
})
const first = <Kind extends LedgerInput>(intake: Ingested) => intake.ledger[0] as Kind

ledger('another encoding is decoded into a copy that goes away', async () => {
  const text = `${HEADER},memo\n1,2025-01-01,x,1,Žluťoučký\n`
  for (const [encoding, bytes, decoded] of [
    ['utf-16le', Buffer.from(`\ufeff${text}`, 'utf16le'), text],
    [
      'iso-8859-1',
      Buffer.from(`${HEADER}\n1,2025-01-01,Café,1\n`, 'latin1'),
      `${HEADER}\n1,2025-01-01,Café,1\n`,
    ],
  ] as const) {
    let copy = ''
    await read({}, { 'l.csv': bytes }, (intake) => {
      copy = first<LedgerPlan>(intake).path
      assert.is(readFileSync(copy, 'utf8').replace('\ufeff', ''), decoded)
      const source = intake.sources.find(({ file }) => file === 'l.csv')!
      assert.equal([source.encoding, source.bytes], [encoding, bytes.length])
    })
    assert.not(existsSync(dirname(copy)))
  }
})

ledger('quotes behind blanks are read in UTF-16 as in UTF-8', async () => {
  const text = `\ufeff${HEADER},memo\n1,2025-01-01,x,1,   "a, b"\n`
  const rows: string[] = []
  for (const bytes of [Buffer.from(text), Buffer.from(text, 'utf16le')])
    await read({}, { 'l.csv': bytes }, (intake) => {
      rows.push(readFileSync(first<LedgerPlan>(intake).path, 'utf8').split('\n')[1]!)
    })
  assert.equal(rows, ['1,2025-01-01,x,1,"a, b"', '1,2025-01-01,x,1,"a, b"'])
  const wrong = text.replace('   "a, b"', 'x\n2,2025-01-01,x,1,   "a"b')
  assert.is(only((await read({}, { 'l.csv': wrong })).findings, 'unreadable-csv').row, 3)
})

ledger('a Latin-1 letter late in a large file is found; UTF-8 cut by a chunk is none', async () => {
  const line = '1,2025-01-01,x,1,aaaaaaa\n'
  const filler = line.repeat(60_000)
  const late = Buffer.concat([
    Buffer.from(`${HEADER},memo\n${filler}`),
    Buffer.from('2,2025-01-01,x,1,\xe9\n', 'latin1'),
  ])
  const found = await read({}, { 'l.csv': late }, (intake) => {
    const copy = readFileSync(first<LedgerPlan>(intake).path, 'utf8')
    return [intake.sources.find(({ file }) => file === 'l.csv')!.encoding, copy.endsWith('é\n')]
  })
  assert.equal(found, ['iso-8859-1', true])
  for (const letter of ['é', '€', '😀'])
    for (let shift = 0; shift < 4; shift++) {
      const text = `${' '.repeat(1024 * 1024 - shift)}${letter}`
      const intake = await read({ columns: {} }, { 'l.csv': `${HEADER}\n${text.slice(HEADER.length + 1)}` })
      assert.is(intake.sources.find(({ file }) => file === 'l.csv')!.encoding, 'utf-8')
    }
})

ledger('text that is not in the stated encoding, an empty file, a missing one', async () => {
  const bytes = Buffer.from(`${HEADER}\n1,2025-01-01,Café,1\n`, 'latin1')
  only((await read({ encoding: 'utf-8' }, { 'l.csv': bytes })).findings, 'undecodable-text')
  only((await read({}, { 'l.csv': '' })).findings, 'empty-file')
  const missing = only((await read({ files: 'l-*.csv' })).findings, 'no-such-file')
  assert.equal([missing.column, missing.text], ['ledger.0.files', 'l-*.csv'])
})

ledger('a workbook becomes rows, its sheets by name, dates and amounts as typed', async () => {
  const head = ['transaction_id', 'date', 'account', 'debit', 'credit', 'memo']
  const bytes = await workbook({
    Jan: [
      head,
      [1, day('2025-01-31'), 1000, 10.1, null, "O'Brien"],
      [],
      [1, '31.1.2025', '4000', null, '10,10', ' '],
    ],
    Feb: [head, ['2', 'soon', 1000, 1, null, null]],
  })
  const { intake, rows } = await read(
    { files: 'l.xlsx', dateFormat: 'DD.MM.YYYY', decimal: ',' },
    { 'l.xlsx': bytes },
    written,
  )
  assert.equal(codes(intake.findings), [])
  const [january] = intake.ledger as LedgerPlan[]
  assert.equal([january!.file, january!.dateFormat, january!.decimal], ['l.xlsx#Jan', 'YYYY-MM-DD', ','])
  assert.equal(
    rows[0]!.map(({ row, transaction_id, date, account, debit, credit, memo, amount }) => [
      row,
      transaction_id,
      date,
      account,
      debit,
      credit,
      memo,
      amount,
    ]),
    [
      [2, '1', '2025-01-31', '1000', '10,1', null, "O'Brien", null],
      [4, '1', '2025-01-31', '4000', null, '10,10', null, null],
    ],
  )
  assert.is(rows[1]![0]!.date, 'soon', 'left as it stands for the books to name')
  assert.equal(
    fields(
      intake.sources.filter(({ role }) => role === 'ledger'),
      'file',
      'rows',
    ),
    [
      ['l.xlsx#Jan', 2],
      ['l.xlsx#Feb', 1],
    ],
  )
})

ledger('what a file is, its content says; what the entry says, wins', async () => {
  const bytes = await workbook({ One: [HEADER.split(',')] })
  assert.is(first<LedgerPlan>(await read({}, { 'l.csv': bytes })).rowColumn, 'row')
  assert.is(first<LedgerPlan>(await read({ format: 'csv' }, { 'l.csv': bytes })).rowColumn, 'row')
  assert.is((await read({ format: 'xlsx' }, { 'l.csv': LEDGER }, written)).rows[0]!.length, 2)
  assert.is(
    first<LedgerPlan>(await read({ format: 'csv' }, { 'l.csv': `#SIETYP,${HEADER}\n` })).rowColumn,
    undefined,
  )
  const cutOff = await read({}, { 'l.csv': bytes.subarray(0, 500) })
  only(cutOff.findings, 'unreadable-xlsx')
})

ledger('a line without an end is named, wherever it stands; DuckDB would pass over it', async () => {
  const rows = LEDGER.trimEnd()
  const endless = 'x'.repeat(17 << 20)
  const last = only(
    (await read({}, { 'l.csv': `${rows}\n9,2025-02-01,1000,${endless}` })).findings,
    'line-too-long',
  )
  assert.is(last.row, rows.split('\n').length + 1)
  const first = only(
    (await read({}, { 'l.csv': `${rows}\n${endless}\n${rows}\n` })).findings,
    'line-too-long',
  )
  assert.is(first.row, rows.split('\n').length + 1)
  // As long as a line may be: for the books to judge.
  const long = await read({}, { 'l.csv': `${rows}\n${'x'.repeat(15 << 20)}\n` })
  assert.equal(codes(long.findings), [])
})

cases(ledger, new URL('cases/ledger.yaml', import.meta.url))
