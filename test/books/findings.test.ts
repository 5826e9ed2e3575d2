/** One test per thing that can be wrong with a ledger and its books: what is said, where, and what would mend it. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { build } from '../../builder/build/build.ts'
import { openDatabase, quoted } from '../../builder/database/database.ts'
import { bookPath } from '../../builder/snapshot/files/layout.ts'
import type { Finding } from '../../builder/workspace/findings/finding.ts'
import { suite } from '../suite.ts'
import {
  buildIn,
  buildWith,
  CHART,
  COMPANY,
  codes,
  companyYaml,
  type Files,
  findingsOf,
  inWorkspace,
  ledgerCsv,
  only,
  writeFiles,
} from '../support/workspace.ts'

const test = suite('findings of the books')

type Said = Partial<Omit<Finding, 'message' | 'remedy' | 'code'>> & { message?: RegExp; remedy?: RegExp }

const HEADER =
  'transaction_id,date,account,debit,credit,class,department,reference,settles,currency,line_id,basis'
/** Rows under {@link HEADER}, trailing columns left out; a sound entry follows them. */
const ledger = (...rows: string[]): Files => ({
  'company.yaml': companyYaml('classes: classes.csv\ndepartments: departments.csv'),
  'classes.csv': 'id,name\nc1,Twin\nc2,Twin\n',
  'departments.csv': 'id,name\nd1,Same\nd2,Same\n',
  'ledger.csv': `${[HEADER, ...rows, 'z,2025-01-15,bank,1.00', 'z,2025-01-15,sales,,1.00']
    .map((row) => row + ','.repeat(HEADER.split(',').length - row.split(',').length))
    .map((row) => (row.startsWith('transaction_id') ? row : row.replace(/,$/, ',accrual')))
    .join('\n')}\n`,
})
const at = (row: number, column: string, text: string | null) => ({ file: 'ledger.csv', row, column, text })

/** A line with a mistake, and what is said of it; all of them stand in one file. */
const LINES: readonly (readonly [
  what: string,
  line: string,
  code: string,
  column: string,
  text: string | null,
  said?: Said,
])[] = [
  ['an empty cell', ',2025-01-15,bank,0.00', 'missing-transaction-id', 'transaction_id', null],
  [
    'no day of the calendar',
    '1,2025-02-29,bank,0',
    'unreadable-date',
    'date',
    '2025-02-29',
    { remedy: /dateFormat/ },
  ],
  ['another form', '2,15.01.2025,bank,0', 'unreadable-date', 'date', '15.01.2025'],
  ['no date', '3,,bank,0', 'unreadable-date', 'date', '', { message: /no date/ }],
  ['centuries away', '4,0225-01-15,bank,0', 'unreadable-date', 'date', '0225-01-15'],
  ['no account', '5,2025-01-15,,0', 'missing-account', 'account', null],
  [
    'not in the chart',
    '6,2025-01-15,9999,0',
    'unknown-account',
    'account',
    '9999',
    { remedy: /chart of accounts/ },
  ],
  ['not a class', '7,2025-01-15,bank,0,,nope', 'unknown-class', 'class', 'nope'],
  ['two classes of that name', '8,2025-01-15,bank,0,,Twin', 'ambiguous-class', 'class', 'Twin'],
  ['not a department', '9,2025-01-15,bank,0,,,nope', 'unknown-department', 'department', 'nope'],
  [
    'two departments of that name',
    '10,2025-01-15,bank,0,,,Same',
    'ambiguous-department',
    'department',
    'Same',
    { remedy: /id of the department/ },
  ],
  ['no amount', '11,2025-01-15,bank', 'missing-amount', 'amount', null],
  ['both sides', '12,2025-01-15,bank,2,2', 'debit-and-credit', 'debit', '2', { remedy: /two rows/ }],
  [
    'another currency',
    '13,2025-01-15,bank,0,,,,,,EUR',
    'mixed-currency',
    'currency',
    'EUR',
    { remedy: /USD/ },
  ],
  [
    'a basis that is none',
    '14,2025-01-15,bank,0,,,,,,,,modified',
    'unreadable-basis',
    'basis',
    'modified',
    { remedy: /accrual.*cash/ },
  ],
]
test('a mistake in a line is one finding with its row, its column, what stands there, and what mends it', async () => {
  const findings = await findingsOf(ledger(...LINES.map(([, line]) => line)))
  assert.is(findings.filter(({ severity }) => severity === 'error').length, LINES.length)
  for (const [i, [what, , code, column, text, said = {}]] of LINES.entries()) {
    const found = findings.filter(({ row }) => row === i + 2)
    assert.equal(codes(found), [code], what)
    const [{ severity, file, message, remedy, ...place }] = found as [Finding]
    assert.equal([severity, file, place.column, place.text], ['error', 'ledger.csv', column, text], what)
    assert.match(message, said.message ?? /./)
    assert.match(remedy ?? '', said.remedy ?? /./)
  }
})

const unbalanced = ledgerCsv('1 2025-01-15 bank 1; 1 2025-01-15 sales -2')
const sound = ledgerCsv('1 2025-01-15 bank 1; 1 2025-01-15 sales -1')
const later = '2,2025-02-01,bank,1,,\n2,2025-02-01,sales,-1,,\n'
/** Of a sound ledger, or of these entries, and settings. */
const settings = (yaml: string, entries?: string): Files => ({
  'company.yaml': companyYaml(yaml),
  'ledger.csv': entries === undefined ? sound : ledgerCsv(entries),
})
const OPENING =
  'ob 2025-01-01 bank 100; ob 2025-01-01 capital -60; 1 2025-01-02 bank 1; 1 2025-01-02 sales -1'

/** Each in a company of its own. */
const FOUND: readonly (readonly [what: string, code: string, files: Files, said: Said])[] = [
  [
    'twice in a file',
    'duplicate-line-id',
    ledger('1,2025-01-15,bank,0,,,,,,,L1', '1,2025-01-15,sales,0,,,,,,,L1'),
    { ...at(3, 'line_id', 'L1'), message: /ledger\.csv:2/ },
  ],
  [
    'a document that is nowhere',
    'unknown-settles',
    ledger('1,2025-01-15,bank,0,,,,,INV9'),
    { ...at(2, 'settles', 'INV9'), severity: 'warning' },
  ],
  [
    'off by a cent',
    'unbalanced-transaction',
    ledger('1,2025-01-15,bank,1.01', '1,2025-01-15,sales,,1.00'),
    { ...at(2, 'transaction_id', '1'), message: /does not balance: debits minus credits are 0\.01/ },
  ],
  [
    'over two months',
    'unbalanced-transaction',
    ledger('1,2025-01-31,bank,1', '1,2025-02-01,sales,,1'),
    { text: '1', message: /2025-01 debits minus credits are 1\.00/, remedy: /one month/ },
  ],
  [
    'an opening entry that misses a line',
    'opening-unbalanced',
    settings('opening: { transactions: [ob] }', OPENING),
    { file: 'ledger.csv', row: 2, text: '40.00', message: /add up to 40\.00/, remedy: /priorYearsNotClosed/ },
  ],
  [
    'a stated amount of the wrong sign',
    'opening-unbalanced',
    settings('opening: { transactions: [ob], priorYearsNotClosed: -40.00 }', OPENING),
    { text: '40.00' },
  ],
  [
    'a balance taken inside a year, after entries of that year',
    'opening-inside-activity',
    settings(
      'opening: { transactions: [o] }',
      '1 2025-02-01 bank 1; 1 2025-02-01 sales -1; o 2025-06-30 bank 5; o 2025-06-30 capital -5; 2 2025-07-01 bank 1; 2 2025-07-01 sales -1',
    ),
    { file: 'ledger.csv', row: 4, text: '2025-06-30', message: /entries from 2025-02-01/ },
  ],
  [
    'the first entry of the books',
    'opening-or-activity',
    settings(
      'opening: {}',
      'a 2025-01-01 bank 80; a 2025-01-01 plant 20; a 2025-01-01 capital -100; 1 2025-01-02 bank 1; 1 2025-01-02 sales -1',
    ),
    { severity: 'warning', file: 'ledger.csv', row: 2, text: 'a', remedy: /opening: \{ transactions: \[/ },
  ],
  [
    'nothing in equity takes the result',
    'closing-without-counterpart',
    settings(
      'closing: { transactions: [c] }',
      '1 2025-01-02 bank 10; 1 2025-01-02 sales -10; c 2025-12-31 sales 10; c 2025-12-31 retained -7; c 2025-12-31 creditors -3',
    ),
    { row: 4, text: 'c', message: /moves 10\.00 out of the profit and loss/, remedy: /"closing"/ },
  ],
  [
    'one begins inside the other',
    'fiscal-years-overlap',
    settings('fiscalYears: [{ start: 2025-01-01, end: 2025-12-31 }, { start: 2025-12-01, end: 2026-11-30 }]'),
    { file: 'company.yaml', row: 7, column: 'fiscalYears', text: '2025-12-01 to 2026-11-30' },
  ],
  [
    'a year that starts inside a month, after one that is not listed',
    'fiscal-year-inside-month',
    settings('fiscalYears: [{ start: 2025-01-20, end: 2025-12-31 }]'),
    { row: 7, text: '2025-01-20 to 2025-12-31', remedy: /list the fiscal year that ends on 2025-01-19/ },
  ],
  [
    'a year that ends inside a month, before one that is not listed',
    'fiscal-year-inside-month',
    settings('fiscalYears: [{ start: 2025-01-01, end: 2025-01-25 }]'),
    { text: '2025-01-01 to 2025-01-25', remedy: /list the fiscal year that starts on 2025-01-26/ },
  ],
  [
    'a pattern that names no file',
    'mark-without-match',
    settings('opening: { files: [open*.csv] }'),
    { file: 'company.yaml', row: 7, column: 'opening.files.0', text: 'open*.csv' },
  ],
  [
    'a transaction that is nowhere',
    'mark-without-match',
    { ...settings('opening: { transactions: ["1", OB] }'), 'ledger.csv': `${sound}${later}` },
    { severity: 'warning', row: 7, column: 'opening.transactions.1', text: 'OB' },
  ],
  [
    'a reference that is nowhere',
    'mark-without-match',
    settings('closing: { references: [CLOSE] }'),
    { severity: 'warning', column: 'closing.references.0', text: 'CLOSE', message: /reference "CLOSE"/ },
  ],
  [
    'a closing account that is not in the chart',
    'unknown-account',
    settings('closing: { accounts: [sales, nope] }'),
    { column: 'closing.accounts.1', text: 'nope' },
  ],
  [
    'only a header',
    'no-transactions',
    { 'ledger.csv': 'transaction_id,date,account,amount\n' },
    { file: 'ledger.csv' },
  ],
  [
    'only openings',
    'no-transactions',
    settings('opening: { files: [ledger.csv] }', 'o 2025-01-01 bank 1; o 2025-01-01 capital -1'),
    { file: 'ledger.csv', remedy: /not only balances/ },
  ],
  [
    'no account of the chart is cash',
    'no-cash-account',
    { 'chart.csv': CHART.replaceAll(',Asset,Bank', ',Asset,OtherCurrentAsset'), 'ledger.csv': sound },
    { remedy: /type Bank/ },
  ],
  [
    'an account without a type',
    'cash-flow-unmapped',
    { 'chart.csv': `${CHART}x,1700,Deposit,Asset,\n`, 'ledger.csv': sound },
    { severity: 'warning', text: 'x', message: /1700 Deposit/, remedy: /cashFlow/ },
  ],
  [
    'postings after it',
    'after-lock-date',
    settings(
      'lockDate: 2025-01-31',
      '1 2025-01-31 bank 1; 1 2025-01-31 sales -1; 2 2025-02-01 bank 1; 2 2025-02-01 sales -1',
    ),
    { severity: 'warning', file: 'ledger.csv', row: 4, text: '2', message: /2 postings/ },
  ],
  [
    'a budget file without figures',
    'empty-budget',
    { ...settings('budgets: [{ id: b, name: B, files: b.csv }]'), 'b.csv': 'account,2025-01\nsales,\n' },
    { file: 'company.yaml', column: 'budgets', text: 'b' },
  ],
  [
    'line ends of two kinds',
    'mixed-line-ends',
    {
      'ledger.csv':
        'transaction_id,date,account,amount\n1,2025-01-15,bank,1\n1,2025-01-15,sales,-1\r\n2,2025-01-16,bank,0\n',
    },
    { file: 'ledger.csv', row: 3, remedy: /one kind of line end/ },
  ],
  [
    'a quote that never closes',
    'malformed-row',
    { 'ledger.csv': sound.replace('sales', '"sales') },
    { file: 'ledger.csv', row: 3, message: /never closed/ },
  ],
  [
    'a delimiter too many',
    'malformed-row',
    { 'ledger.csv': `${sound}2,2025-01-15,bank,1,a,b,c,d\n` },
    { row: 4, message: /more columns/ },
  ],
  [
    'numbers that begin anew each year',
    'transaction-id-in-two-years',
    settings(
      '',
      '1 2024-12-31 bank 1; 1 2024-12-31 sales -1; 2 2024-12-31 bank 1; 2 2024-12-31 sales -1; 1 2025-01-02 bank 1; 1 2025-01-02 sales -1',
    ),
    {
      severity: 'warning',
      row: 6,
      text: '1',
      message: /^1 transaction id stands.*2024-12-31 and 2025-01-02/,
    },
  ],
]
for (const [what, code, files, said] of FOUND)
  test(`${code}: ${what}`, async () => {
    const findings = await findingsOf(files)
    const others = findings.filter((each) => each.severity !== 'note' || each.code === code)
    assert.equal(
      codes(others).filter((each) => each !== 'not-checked'),
      [code],
    )
    const { message, remedy, ...place } = said
    const found = only(findings, code)
    for (const [key, value] of Object.entries({ severity: 'error', ...place }))
      assert.is(found[key as keyof Finding], value, `${code}: ${key}`)
    assert.match(found.message, message ?? /./)
    assert.match(found.remedy ?? '', remedy ?? /./)
  })

test('an account number that two accounts have is ambiguous; an id always wins', async () => {
  const chart = `${CHART}x1,7000,One,Expense,Expense\nx2,7000,Two,Expense,Expense\n`
  const findings = await findingsOf({
    'chart.csv': chart,
    'ledger.csv': ledgerCsv(
      '1 2025-01-15 7000 5; 1 2025-01-15 bank -5; 2 2025-01-15 x1 5; 2 2025-01-15 bank -5',
    ),
  })
  const found = only(findings, 'ambiguous-account')
  assert.equal([found.file, found.row, found.column, found.text], ['ledger.csv', 2, 'account', '7000'])
})

test('each basis has its own lines: an id may stand once in both', async () => {
  const files = ledger(
    '1,2025-01-15,bank,1,,,,,,,L1,accrual',
    '1,2025-01-15,sales,,1,,,,,,L2,accrual',
    '1,2025-01-15,bank,1,,,,,,,L1,cash',
    '1,2025-01-15,sales,,1,,,,,,L2,cash',
  )
  // The sound entry that follows is on the accrual basis alone.
  assert.equal(codes(await findingsOf(files)), ['cash-change-differs'])
})

test('a file that cannot be read is no reason to say that a mark is of no entry', async () => {
  const ledger =
    'transaction_id,date,account,amount\nob,2025-01-01,bank,5.00\r\nob,2025-01-01,capital,-5.00\n'
  const yaml = companyYaml('opening: { transactions: [ob] }')
  assert.equal(codes(await findingsOf({ 'company.yaml': yaml, 'ledger.csv': ledger })), ['mixed-line-ends'])
  const whole = ledger.replace('\r', '').replaceAll('ob,', 'other,')
  assert.ok(
    codes(await findingsOf({ 'company.yaml': yaml, 'ledger.csv': whole })).includes('mark-without-match'),
  )
})

test('opening-not-carried: one finding per account, with all three amounts', async () => {
  const findings = await findingsOf({
    'company.yaml': companyYaml('opening: { transactions: [o1, o2] }'),
    'ledger.csv': ledgerCsv(
      `o1 2024-01-01 bank 100; o1 2024-01-01 capital -100; 1 2024-06-01 bank 10; 1 2024-06-01 sales -10;
       o2 2025-01-01 bank 112; o2 2025-01-01 debtors 3; o2 2025-01-01 capital -115; 2 2025-02-01 bank 1; 2 2025-02-01 sales -1`,
    ),
  })
  const found = findings.filter(({ code }) => code === 'opening-not-carried')
  assert.equal(found.map(({ text }) => text).sort(), ['bank', 'capital', 'debtors'])
  assert.match(
    found.find(({ text }) => text === 'bank')!.message,
    /opens 2025-01-01 with 112\.00, but 110\.00 was carried: a difference of 2\.00/,
  )
  assert.is(found.find(({ text }) => text === 'bank')!.row, 6)
})

test('rows are right in a file of CR LF, with a last line that does not end', async () => {
  const findings = await findingsOf({
    'ledger.csv':
      'transaction_id,date,account,amount\r\n\r\n\r\n1,2025-01-15,bank,1\r\n\r\n1,2025-01-15,nope,-1',
  })
  assert.is(only(findings, 'unknown-account').row, 6)
})

test('hundreds of mistakes of one kind are counted, not listed', async () => {
  const rows = Array.from({ length: 1000 }, (_, i) => `${i},2025-01-15,nope,1,2,3,4,5,6`)
  const unknown = Array.from({ length: 1000 }, (_, i) => `${i},2025-01-15,nope,1,,`)
  const findings = await findingsOf({ 'ledger.csv': [sound.trimEnd(), ...rows, ...unknown].join('\n') })
  assert.ok(findings.length < 500)
  assert.ok(findings.some(({ code, message }) => code === 'malformed-row' && /800 more/.test(message)))
  const account = only(findings, 'unknown-account')
  assert.is(account.row, 1004)
  assert.match(account.message, 'so it is on 1000 rows')
})

test('nothing is published, and what was published stays', async () => {
  const files = { 'company.yaml': companyYaml(), 'chart.csv': CHART, 'ledger.csv': sound }
  await inWorkspace(files, async (workspace) => {
    const first = await buildIn(workspace, COMPANY)
    const pointer = first.result.snapshotId
    writeFiles(join(workspace.datasets, COMPANY), { 'ledger.csv': unbalanced })
    const refused = await build(workspace, COMPANY, { publish: true })
    assert.is(refused.outcome, 'refused')
    assert.is(refused.snapshotId, null)
    writeFiles(join(workspace.datasets, COMPANY), { 'ledger.csv': sound })
    const again = await build(workspace, COMPANY, { publish: true })
    assert.is(again.outcome, 'unchanged')
    assert.is(again.snapshotId, pointer)
  })
  await inWorkspace({ ...files, 'ledger.csv': unbalanced }, async (workspace) => {
    await build(workspace, COMPANY, { publish: true })
    assert.not(existsSync(join(workspace.snapshots, COMPANY, 'current.json')))
  })
})

test('small files of one form are read together: each keeps its rows, and each mistake its file', async () => {
  const head = 'transaction_id,date,account,amount\n'
  const entry = (id: string, blank = '') =>
    `${id},2025-01-15,bank,1.00\n${blank}${id},2025-01-15,sales,-1.00\n`
  const files: Files = {
    'company.yaml': companyYaml('ledger: [{ files: "*-*.csv" }]'),
    'chart.csv': CHART,
    'a-1.csv': head + entry('1', '\n'),
    'a-2.csv': `${head}\n${entry('2')}`,
    'a-3.csv': head,
    'b-1.csv': 'date,transaction_id,account,amount\n2025-01-15,3,bank,1.00\n2025-01-15,3,sales,-1.00\n',
    'c-1.csv': head + entry('4'),
  }
  await buildWith(files, async (built) => {
    const db = await openDatabase({ folders: null })
    const rows = await db.rows<{ file: string; row: string }>(
      `SELECT file, row FROM ${quoted(built.path(bookPath('postings.parquet')))} ORDER BY seq`,
    )
    db.close()
    assert.equal(
      rows.map(({ file, row }) => `${file}:${row}`),
      [
        'a-1.csv:2',
        'a-1.csv:4',
        'a-2.csv:3',
        'a-2.csv:4',
        'b-1.csv:2',
        'b-1.csv:3',
        'c-1.csv:2',
        'c-1.csv:3',
      ],
    )
  })
  const torn = await findingsOf({
    ...files,
    'a-2.csv': `${head}\n${entry('2')}2,2025-01-15,bank,0.00,too many\n`,
    'a-3.csv': `${head}${entry('5')}5,2025-01-15,bank,"0.00\n`,
    'c-1.csv': `${head}\n${entry('4')}4,2025-01-15,bank,none\n`,
  })
  assert.equal(
    torn.map(({ code, file, row }) => `${code} ${file}:${row}`),
    ['malformed-row a-2.csv:5', 'malformed-row a-3.csv:4', 'unreadable-amount c-1.csv:5'],
  )
})

const TWO_SALES =
  '1 2025-01-05 bank 10.00; 1 2025-01-05 sales -10.00; 2 2025-01-06 bank 5.00; 2 2025-01-06 sales -5.00'

for (const [what, more, found] of [
  [
    'a file that was appended to itself',
    `; ${TWO_SALES}`,
    /the lines of all 2 entries, 1 first, stand twice in this file: in row 2, and again in row 6/,
  ],
  [
    'one entry that stands twice',
    '; 1 2025-01-05 bank 10.00; 1 2025-01-05 sales -10.00',
    /the lines of entry 1 stand twice in this file: in row 2, and again in row 6/,
  ],
] as const)
  test(`entry-repeated: ${what} is a question`, async () => {
    const findings = await findingsOf({
      'company.yaml': companyYaml(),
      'chart.csv': CHART,
      'ledger.csv': ledgerCsv(TWO_SALES + more),
    })
    assert.equal(codes(findings.filter(({ code }) => code === 'entry-repeated')), ['entry-repeated'])
    const { severity, message, file } = only(findings, 'entry-repeated')
    assert.equal([severity, file], ['warning', 'ledger.csv'])
    assert.match(message, found)
  })

test('entry-repeated: lines of which only some are alike are no repetition', async () => {
  const findings = await findingsOf({
    'company.yaml': companyYaml(),
    'chart.csv': CHART,
    'ledger.csv': ledgerCsv('1 2025-01-05 rent 10.00; 1 2025-01-05 rent 10.00; 1 2025-01-05 bank -20.00'),
  })
  assert.equal(codes(findings.filter(({ code }) => code === 'entry-repeated')), [])
})
