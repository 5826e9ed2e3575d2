/** Ledger entries become plans for the books, or rows; every way in which their files can be unfit is a finding. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import * as assert from 'uvu/assert'
import type { LedgerInput, LedgerPlan } from '../../builder/ingest/format/intake.ts'
import type { Ingested } from '../../builder/ingest/ingest.ts'
import { suite } from '../suite.ts'
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

ledger('a CSV is a plan: its header, its columns by the names in the file', async () => {
  const intake = await read(
    {},
    { 'l.csv': '\ufeffTransaction ID;Date;"Account";Debit;CREDIT;Class\n1;2025-01-01;x;"1' },
  )
  assert.equal(codes(intake.findings), [], 'the rows are not read here')
  const { path, ...plan } = first<LedgerPlan>(intake)
  assert.match(path, /l\.csv$/)
  assert.equal(plan, {
    kind: 'csv',
    file: 'l.csv',
    basis: 'ACCRUAL',
    dateFormat: 'YYYY-MM-DD',
    decimal: '.',
    thousands: '',
    delimiter: ';',
    mayHoldBlankRows: false,
    columns: {
      transaction_id: 'Transaction ID',
      date: 'Date',
      account: 'Account',
      debit: 'Debit',
      credit: 'CREDIT',
      class: 'Class',
    },
    header: ['Transaction ID', 'Date', 'Account', 'Debit', 'CREDIT', 'Class'],
  })
  const source = intake.sources.find(({ file }) => file === 'l.csv')!
  assert.equal([source.role, source.encoding, source.rows], ['ledger', 'utf-8', null])
  assert.match(source.sha256!, /^[0-9a-f]{64}$/)
})

ledger('a header with line ends and quotes inside quotes', async () => {
  const plan = first<LedgerPlan>(await read({}, { 'l.csv': `${HEADER},"memo\r\n""long"""\n` }))
  assert.equal(plan.header.at(-1), 'memo\r\n"long"')
})

ledger('a header that cannot be read', async () => {
  for (const header of [`${HEADER},"memo`, `"a"b,${HEADER}`])
    assert.is(only((await read({}, { 'l.csv': `${header}\n` })).findings, 'unreadable-csv').row, 1)
  only((await read({}, { 'l.csv': `${HEADER},"memo` })).findings, 'unreadable-csv')
})

ledger('headers are mapped; the forms of dates and amounts are stated', async () => {
  const entry = {
    columns: { transaction_id: 'Beleg', date: 'Datum', account: 'Konto', amount: 'Betrag' },
    dateFormat: 'DD.MM.YYYY',
    decimal: ',',
    thousands: '.',
    delimiter: ';',
  }
  const intake = await read(entry, { 'l.csv': 'Beleg;Datum;Konto;Betrag\n' })
  assert.equal(codes(intake.findings), [])
  const plan = first<LedgerPlan>(intake)
  assert.equal(plan.columns, { transaction_id: 'Beleg', date: 'Datum', account: 'Konto', amount: 'Betrag' })
  assert.equal([plan.dateFormat, plan.decimal, plan.thousands], ['DD.MM.YYYY', ',', '.'])
})

ledger('columns that must be there', async () => {
  const missing = async (header: string) =>
    (await read({}, { 'l.csv': `${header}\n` })).findings
      .filter(({ code }) => code === 'missing-column')
      .map(({ column }) => column)
  assert.equal(await missing('transaction_id,date,account,amount'), [])
  assert.equal(await missing('transaction_id,date,account,debit,credit'), [])
  assert.equal(await missing('date,amount'), ['transaction_id', 'account'])
  assert.equal(await missing('transaction_id,date,account'), ['amount'])
  assert.equal(await missing('transaction_id,date,account,debit'), ['credit'])
  assert.equal(await missing('transaction_id,date,account,credit'), ['debit'])
})

ledger('a net amount beside debit and credit is not read, unless it is mapped', async () => {
  const files = { 'l.csv': 'transaction_id,date,account,debit,credit,net\n' }
  assert.equal(Object.keys(first<LedgerPlan>(await read({}, files)).columns).slice(3), ['debit', 'credit'])
  const mapped = await read({ columns: { amount: 'net' } }, files)
  assert.equal(Object.keys(first<LedgerPlan>(mapped).columns).slice(3), ['amount'])
  assert.match(only(mapped.findings, 'columns-not-read').message, '"debit", "credit"')
})

ledger('columns that are not read are named once per entry', async () => {
  const files = {
    'l1.csv': `${HEADER},colour\n`,
    'l2.csv': `${HEADER},colour\n`,
    'l3.csv': `${HEADER},size\n`,
  }
  const intake = await read({ files: 'l?.csv' }, files)
  assert.equal(fields(intake.findings, 'file', 'message'), [
    ['l1.csv', 'not read: "colour"'],
    ['l3.csv', 'not read: "size"'],
  ])
})

ledger('basis: what the entry says, else the column, else accrual', async () => {
  const plain = { 'l.csv': `${HEADER}\n` }
  const withColumn = { 'l.csv': `${HEADER},basis\n` }
  assert.is(first(await read({}, plain)).basis, 'ACCRUAL')
  assert.is(first(await read({ basis: 'cash' }, plain)).basis, 'CASH')
  const own = first<LedgerPlan>(await read({}, withColumn))
  assert.equal([own.basis, own.columns.basis], [null, 'basis'])
  const stated = first<LedgerPlan>(await read({ basis: 'cash' }, withColumn))
  assert.equal([stated.basis, stated.columns.basis], ['CASH', undefined])
})

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

ledger('a date format that does not say all three parts', async () => {
  for (const dateFormat of ['MM/YYYY', 'DD.MM.YY.YYYY', 'long'])
    assert.is(
      only((await read({ dateFormat }, { 'l.csv': `${HEADER}\n` })).findings, 'invalid-date-format').column,
      'ledger.0.dateFormat',
    )
  for (const dateFormat of ['DD.MM.YYYY', 'M/D/YY', 'YYYYMMDD', 'YYYY/M/D'])
    assert.equal(codes((await read({ dateFormat }, { 'l.csv': `${HEADER}\n` })).findings), [])
})

ledger('a file that two entries name', async () => {
  const intake = await ingestWith({ ledger: [{ files: 'l*.csv' }, { files: 'ledger.csv', basis: 'cash' }] })
  const found = only(intake.findings, 'file-read-twice')
  assert.equal([found.file, found.column], ['company.yaml', 'ledger.1.files'])
  assert.is(intake.ledger.length, 1)
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
