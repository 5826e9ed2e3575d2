/** SIE: what real files must tie to, by plain integer sums over the intake, and one small file per finding. */
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import fc from 'fast-check'
import * as assert from 'uvu/assert'
import type { ControlRow } from '../../../builder/ingest/format/intake.ts'
import type { Company, LedgerSetting } from '../../../builder/workspace/company.ts'
import { spelledOut } from '../../../builder/workspace/findings/finding.ts'
import { seed, times } from '../../seed.ts'
import { suite } from '../../suite.ts'
import { column, fields } from '../../support/fields.ts'
import { readSie, type SieIntake } from '../../support/sie.ts'
import { findingsOf, only } from '../../support/workspace.ts'

const samples = resolve(import.meta.dirname, '../../../../shared/samples/sie')
const company: Company = {
  id: 'test',
  name: 'Test AB',
  fiscalMonthEnd: 12,
  currency: 'SEK',
  ledger: [{ files: '*.se' }],
}
const setting: LedgerSetting = { files: '*.se' }

const sample = (name: string) => ({ file: `ledger/${name}`, bytes: readFileSync(resolve(samples, name)) })
const minor = (text: string) => Math.round(Number(text) * 100)

/** Controls that tie out: [those that do, all]. Independent of the importer: nothing but integer sums. */
async function tie(intake: SieIntake, wanted: readonly ControlRow[]): Promise<[number, number]> {
  const postings = (await intake.rows()).flat()
  const first = intake.openings.map(({ yearStart }) => yearStart).sort()[0]
  const ties = wanted.filter((control) => {
    const carries = (row: { account: string | null; class: string | null; department: string | null }) =>
      row.account === control.account &&
      (control.class === null || row.class === control.class) &&
      (control.department === null || row.department === control.department)
    const year = intake.fiscalYears.find(({ start, end }) => start <= control.date && control.date <= end)!
    const from = { movement: `${control.date.slice(0, 7)}-01`, result: year.start, closing: '' }[control.kind]
    const moved = postings
      .filter((row) => carries(row) && row.date! >= from && row.date! <= control.date)
      .reduce((sum, row) => sum + minor(row.amount!), 0)
    const opened = intake.openings
      .filter((row) => row.yearStart === first && carries(row))
      .reduce((sum, row) => sum + minor(row.amount), 0)
    return minor(control.amount) === moved + (control.kind === 'closing' ? opened : 0)
  })
  return [ties.length, wanted.length]
}
const of = (intake: SieIntake, ...kinds: ControlRow['kind'][]) =>
  intake.controls.filter(({ kind }) => kinds.includes(kind))
const codes = (intake: SieIntake, severity?: 'error' | 'warning') =>
  intake.findings
    .filter((found) => severity === undefined || found.severity === severity)
    .map(({ code }) => code)

const real = suite('SIE files of real programs')
const realTest = existsSync(samples) ? real : real.skip
if (!existsSync(samples)) process.stderr.write('skipped: ../shared/samples/sie is not there\n')

const onlyWarnings = (intake: SieIntake) => assert.equal(codes(intake, 'error'), [])

realTest('transaktioner_ovnbolag.se: closings, results and months tie', async () => {
  const intake = await readSie([sample('transaktioner_ovnbolag.se')], setting, company)
  onlyWarnings(intake)
  assert.equal(await tie(intake, of(intake, 'closing', 'result')), [82, 82])
  assert.equal(await tie(intake, of(intake, 'movement')), [158, 158])
  assert.is((await intake.rows())[0]!.length, 671)
  assert.is(new Set((await intake.rows())[0]!.map((row) => row.transaction_id)).size, 163)
  assert.is(intake.sources[0]!.encoding, 'cp437')
  const opened = intake.openings.reduce((sum, row) => sum + minor(row.amount), 0)
  const prior = intake.priorResults.reduce((sum, row) => sum + minor(row.amount), 0)
  assert.is(prior, -115167815)
  assert.is(opened + prior, 0)
  // The program writes each budget record under year 0 and again under year -1: the month says which year is meant.
  assert.is(intake.budgets[0]!.rows.length, 624)
  assert.equal(
    column(
      [...intake.budgets[0]!.rows].filter(({ account, month }) => account === '3041' && month === '2011-01'),
      'amount',
    ),
    ['150000.00'],
  )
  assert.equal(codes(intake), ['unmapped-dimension'])
})

realTest('BL0001_typ4.SE: undeclared objects, history, a year that spans two', async () => {
  const intake = await readSie([sample('BL0001_typ4.SE')], setting, company)
  assert.equal(codes(intake).sort(), [
    'assumed-account',
    'undeclared-member',
    'undeclared-member',
    'unmapped-dimension',
    'voucher-history',
    'voucher-repeat',
  ])
  assert.is(intake.classes.length + intake.departments.length, 9 + 10 + 13)
  assert.is(intake.accounts.find(({ id }) => id === '9999')!.classification, 'OtherExpense')
  const ids = (await intake.rows())[0]!.map((row) => row.transaction_id!)
  assert.is(new Set(ids).size, 84)
  assert.ok(ids.includes('2009-10 A 8'))
  assert.ok(ids.includes('2009-10 1 2009-07-31')) // "#VER # 1" repeats every month
  const lineIds = (await intake.rows())[0]!.map((row) => row.line_id)
  assert.is(new Set(lineIds).size, lineIds.length)
})

realTest('the months of the year before serve as postings only where they lead to its closings', async () => {
  const psaldo: LedgerSetting = { ...setting, priorYear: 'psaldo' }
  const intake = await readSie([sample('transaktioner_ovnbolag.se')], psaldo, company)
  onlyWarnings(intake)
  assert.equal([...new Set(intake.openings.map(({ yearStart }) => yearStart))], ['2010-01-01', '2011-01-01'])
  assert.equal(await tie(intake, intake.controls), [intake.controls.length, intake.controls.length])
  assert.ok(intake.controls.some(({ kind, date }) => kind === 'result' && date === '2010-12-31'))
  const refused = await readSie([sample('typ4.se')], psaldo, company)
  assert.equal(codes(refused, 'error'), ['prior-year'])
})
realTest('MAMUT_SIE4_EXPORT.SE: balances of the year before that were not carried are named', async () => {
  const [found] = (await readSie([sample('MAMUT_SIE4_EXPORT.SE')], setting, company)).findings.filter(
    ({ code }) => code === 'closing-not-carried',
  )
  assert.is(found!.severity, 'warning')
  assert.match(found!.message, '2611 closes with -1,642,725.40 and opens with -2,086,222.50')
  assert.match(found!.message, '2650 closes with -680,347.00 and opens with -236,850.00')
})

realTest('Test4.SE: objects on balances, but on no voucher, are one finding; a setting ends it', async () => {
  const asIs = await readSie([sample('Test4.SE')], setting, company)
  assert.equal(codes(asIs, 'error'), ['objects-without-vouchers'])
  assert.match(asIs.findings.find(({ severity }) => severity === 'error')!.remedy!, '1: none')
  const without = await readSie([sample('Test4.SE')], setting, { ...company, dimensions: { '1': 'none' } })
  onlyWarnings(without)
  assert.equal(await tie(without, without.controls), [without.controls.length, without.controls.length])
  assert.ok(without.controls.length > 200)
  // Each budget stands once for nobody ({1 "0"}) and once in total.
  const march = [...without.budgets[0]!.rows].filter(
    ({ account, month }) => account === '3010' && month === '2008-03',
  )
  assert.equal(fields(march, 'amount', 'department'), [['200000.00', null]])
})

realTest('SIE4_Exempelfil_med_underdim.SE: an object of a sub-dimension is one above it too', async () => {
  const intake = await readSie([sample('SIE4_Exempelfil_med_underdim.SE')], setting, company)
  onlyWarnings(intake)
  assert.equal(
    column(
      intake.classes.filter(({ id }) => id === '0037'),
      'name',
    ),
    ['Scrum master tjafs'],
  )
})

for (const name of ['typ4si.si', 'BokOrder.si'])
  realTest(`${name} is an import file: refused by name`, async () => {
    const intake = await readSie([sample(name)], setting, company)
    assert.equal(codes(intake, 'error'), ['sie-import-file'])
    assert.match(intake.findings[0]!.message, 'no balances (#IB, #UB)')
  })

/** A small, correct file of 2024; `change` replaces lines that begin with a key, or drops them (null). */
const GOOD = [
  '#FLAGGA 1',
  '#FORMAT PC8',
  '#SIETYP 4',
  '#PROGRAM "Test" 1',
  '#FNAMN "Test AB"',
  '#ORGNR 556000-0001',
  '#RAR 0 20240101 20241231',
  '#RAR -1 20230101 20231231',
  '#KONTO 1510 Kundfordringar',
  '#KONTO 1930 "Bank"',
  '#KONTO 2081 Aktiekapital',
  '#KONTO 3010 "Försäljning"',
  '#KONTO 4010 Inköp',
  '#DIM 1 Kostnadsställe',
  '#DIM 6 Projekt',
  '#OBJEKT 1 N Nord',
  '#OBJEKT 6 P1 "Projekt 1"',
  '#IB 0 1930 1000.00',
  '#IB 0 2081 -1000.00',
  '#VER A 1 20240115 "Faktura"',
  '{',
  '#TRANS 1510 {} 100.00',
  '#TRANS 3010 {1 N 6 P1} -100.00 20240115 "Rad"',
  '}',
]
type Change = { readonly [start: string]: string | readonly string[] | null }
function sieText(change: Change = {}, extra: readonly string[] = []): string {
  const lines = GOOD.flatMap((line) => {
    const key = Object.keys(change).find((start) => line.startsWith(start))
    return key === undefined ? [line] : (change[key] ?? [])
  })
  return [...lines, ...extra, ''].join('\r\n')
}
/** The swedish letters of the fixtures, as DOS programs write them. */
const dos = (text: string) =>
  Buffer.from(text.replaceAll('ä', '\x84').replaceAll('å', '\x86').replaceAll('ö', '\x94'), 'latin1')
const read = (text: string, more: Partial<Company> = {}, entry: Partial<LedgerSetting> = {}) =>
  readSie([{ file: 'ledger/a.se', bytes: dos(text) }], { ...setting, ...entry }, { ...company, ...more })
const voucher = (...lines: string[]) => ['#VER B 7 20240220 "Test"', '{', ...lines, '}']

const grammar = suite('SIE grammar')

grammar('a correct file gives its postings with names, dates, tags and places', async () => {
  const intake = await read(sieText())
  assert.equal(intake.findings, [])
  assert.equal((await intake.rows())[0]![1], {
    row: 23,
    transaction_id: '2024 A 1',
    date: '2024-01-15',
    account: '3010',
    debit: null,
    credit: null,
    amount: '-100.00',
    class: 'P1',
    department: 'N',
    memo: 'Rad',
    reference: 'A 1',
    settles: null,
    basis: null,
    currency: null,
    line_id: '2024 A 1/2',
    journal: 'A',
    type: null,
    period: null,
    open_item: null,
    ...{ party: null, party_id: null, due_date: null, entered_on: null, entered_by: null },
  })
  assert.is((await intake.rows())[0]![0]!.memo, 'Faktura')
  assert.is(intake.accounts.find(({ id }) => id === '3010')!.name, 'Försäljning')
  assert.equal(
    intake.accounts.map(({ id, classification, type }) => `${id} ${classification} ${type}`),
    [
      '1510 Asset AccountsReceivable',
      '1930 Asset Bank',
      '2081 Equity Capital',
      '3010 Income Sales',
      '4010 CostOfSales CostOfSales',
    ],
  )
  assert.is(intake.departments[0]!.name, 'Nord')
})

for (const [name, bytes, encoding] of [
  ['CP437', dos(sieText()), 'cp437'],
  ['Latin-1', Buffer.from(sieText(), 'latin1'), 'iso-8859-1'],
  ['UTF-8', Buffer.from(sieText()), 'utf-8'],
  ['UTF-8 with a mark', Buffer.from(`\ufeff${sieText()}`), 'utf-8'],
  ['UTF-16', Buffer.from(`\ufeff${sieText()}`, 'utf16le'), 'utf-16le'],
] as const)
  grammar(`${name} is detected`, async () => {
    const intake = await readSie([{ file: 'a.se', bytes }], setting, company)
    assert.equal(intake.findings, [])
    assert.is(intake.sources[0]!.encoding, encoding)
    assert.is(intake.accounts.find(({ id }) => id === '3010')!.name, 'Försäljning')
  })

const mac = (text: string) =>
  Buffer.from(text.replaceAll('ä', '\x8a').replaceAll('å', '\x8c').replaceAll('ö', '\x9a'), 'latin1')

grammar('Mac Roman is read as what it is, and told unless the encoding is stated', async () => {
  const one = [{ file: 'a.se', bytes: mac(sieText()) }]
  const found = await readSie(one, setting, company)
  assert.equal(codes(found), ['mac-roman'])
  const said = await readSie(one, { ...setting, encoding: 'macintosh' }, company)
  assert.equal(said.findings, [])
  for (const { sources, accounts } of [found, said]) {
    assert.is(sources[0]!.encoding, 'macintosh')
    assert.is(accounts.find(({ id }) => id === '3010')!.name, 'Försäljning')
  }
  // Letters of other languages in a DOS file are not those of a Mac.
  const names = sieText({ '#FNAMN': '#FNAMN "Müller Crème"' }).replaceAll('ü', '\x81').replaceAll('è', '\x8a')
  const foreign = await readSie([{ file: 'a.se', bytes: dos(names) }], setting, company)
  assert.is(foreign.sources[0]!.encoding, 'cp437')
})

grammar('a block that opens on the line of its voucher', async () => {
  const text = sieText({}, [
    '#VER B 7 20240220 "Hyra {1}" {',
    '#TRANS 1930 {} -5.00',
    '#TRANS 4010 {} 5.00',
    '}',
  ])
  const { findings, rows } = await read(text)
  assert.equal(
    findings.filter(({ severity, code }) => severity === 'error' && code !== 'control-differs'),
    [],
  )
  const own = (await rows()).flat().filter(({ transaction_id }) => transaction_id === '2024 B 7')
  assert.equal(
    own.map(({ account, amount, memo }) => `${account} ${amount} ${memo}`),
    ['1930 -5.00 Hyra {1}', '4010 5.00 Hyra {1}'],
  )
})

grammar('quotes, escapes, tabs, blank lines, an unquoted backslash and a missing series', async () => {
  const intake = await read(
    sieText({}, [
      '',
      '\t#VER "" 1 20240301 "5\\" rör"',
      '  {',
      '\t#TRANS\t1930\t{ "1" "N" }\t-5.5\t""\t"C:\\"',
      '\t#TRANS 4010 {} 5.5 20240302 "a\\b"',
      '  }',
      '#VER # 1 20240331 ""',
      '{',
      '#TRANS 1930 {} 0',
      '}',
      '\u001a',
    ]),
  )
  assert.equal(codes(intake), ['voucher-repeat'])
  const rows = (await intake.rows())[0]!.slice(2)
  assert.equal(
    rows.map((row) => [row.transaction_id, row.date, row.memo, row.department, row.reference]),
    [
      ['2024 1 2024-03-01', '2024-03-01', 'C:\\', 'N', '1'],
      ['2024 1 2024-03-01', '2024-03-02', 'a\\b', null, '1'],
      ['2024 1 2024-03-31', '2024-03-31', null, null, '1'],
    ],
  )
})

grammar('a quote behind a backslash closes a field only where no quote further on does', async () => {
  const memos = ['"C:\\"', '"5\\" rör"', '"\\"{"', '"\\" {1 N}"', '"C:\\" "D:\\"', '"a\\\\" b"']
  const intake = await read(
    sieText(
      {},
      memos.flatMap((memo, i) =>
        voucher(`#TRANS 1930 {} 0 20240301 ${memo}`).map((line) => line.replace('B 7', `B ${i}`)),
      ),
    ),
  )
  assert.equal(codes(intake, 'error'), [])
  assert.equal(column((await intake.rows())[0]!.slice(2), 'memo'), [
    'C:\\',
    '5" rör',
    '"{',
    '" {1 N}',
    'C:\\',
    'a\\" b',
  ])
})

grammar('labels that are not known, their blocks and free text are skipped', async () => {
  const intake = await read(
    sieText({}, ['#PROSA an "open quote', '#NYTT 1 {', '#UTBETALNING x', '{', '#TRANS 1930 {} 5', '}']),
  )
  assert.equal(codes(intake), [])
  assert.is((await intake.rows())[0]!.length, 2)
})

grammar('added lines count through the #TRANS that repeats them, struck lines never', async () => {
  const intake = await read(
    sieText(
      {},
      voucher(
        '#TRANS 1930 {} -5',
        '#BTRANS 4010 {} 4 20240301',
        '#RTRANS 4010 {} 5 20240301',
        '#TRANS 4010 {} 5',
      ),
    ),
  )
  assert.equal(codes(intake), ['voucher-history'])
  assert.is((await intake.rows())[0]!.length, 4)
  const alone = await read(sieText({}, voucher('#TRANS 1930 {} -5', '#RTRANS 4010 {} 5 20240301')))
  assert.ok(codes(alone, 'warning').includes('added-line-alone'))
  assert.is((await alone.rows())[0]!.length, 3)
})

const findings = suite('SIE findings')

/** Line by line what replaces that of {@link GOOD}, what stands behind, and what company.yaml says. */
type Fault = readonly [
  name: string,
  code: string,
  row: number | null,
  change: Change,
  extra?: readonly string[],
  more?: Partial<Company>,
]
/** What a broken file gives: the one error, its line and the text it shows. */
const broken: readonly Fault[] = [
  ['an unreadable amount', 'unreadable-amount', 22, { '#TRANS 1510': '#TRANS 1510 {} 1,00' }],
  ['an exponent', 'unreadable-amount', 22, { '#TRANS 1510': '#TRANS 1510 {} 1e2' }],
  ['too many decimals', 'too-many-decimals', 22, { '#TRANS 1510': '#TRANS 1510 {} 100.001' }],
  ['beyond the limit', 'amount-too-large', 18, { '#IB 0 1930': '#IB 0 1930 1000000000000000.00' }],
  ['an unreadable voucher date', 'unreadable-date', 20, { '#VER': '#VER A 1 20240230 "x"' }],
  ['an unreadable line date', 'unreadable-date', 23, { '#TRANS 3010': '#TRANS 3010 {} -100 2024-01-15' }],
  ['an unreadable year', 'unreadable-date', 7, { '#RAR 0': '#RAR 0 20240101 20241301' }],
  ['a line outside a voucher', 'line-outside-voucher', 25, {}, ['#TRANS 1930 {} 0']],
  ['a file that is cut off', 'truncated-file', 23, { '}': null }],
  ['a voucher without its brace', 'truncated-file', 24, { '}': null }, voucher('#TRANS 1930 {} 0')],
  ['the head of a voucher at the end', 'truncated-file', 25, {}, ['#VER A 2 20240116 "x"']],
  ['a checksum that does not end', 'truncated-file', 25, { '#FLAGGA': ['#FLAGGA 0', '#KSUMMA'] }],
  ['an open quotation mark', 'unreadable-line', 20, { '#VER': '#VER A 1 20240115 "x' }],
  ['an open object list', 'unreadable-line', 22, { '#TRANS 1510': '#TRANS 1510 {1 N 100' }],
  ['an index that is no year', 'unreadable-year', 18, { '#IB 0 1930': '#IB x 1930 1' }],
  ['a month that is none', 'unreadable-date', 25, {}, ['#PSALDO 0 202413 1930 {} 1']],
  ['a type without vouchers', 'sie-type', 1, { '#SIETYP': '#SIETYP 2' }],
  ['no type at all', 'sie-type', 1, { '#SIETYP': null }],
  ['an import file without a year', 'sie-import-file', 1, { '#RAR': null, '#IB': null }],
  ['an import file with a year', 'sie-import-file', 1, { '#IB': null }],
  ['results alone', 'sie-import-file', 1, { '#IB': null }, ['#RES 0 3010 -100', '#IB -1 1930 5']],
  ['another currency', 'currency-mismatch', 2, { '#FORMAT': '#VALUTA EUR' }],
  ['no currency means SEK', 'currency-mismatch', 1, {}, [], { currency: 'EUR' }],
  ['two members of one kind', 'two-members', 23, { '#TRANS 3010': '#TRANS 3010 {1 N 1 S} -100' }],
  ['an account that nothing explains', 'unclassified-account', 23, { '#TRANS 3010': '#TRANS 9100 {} -100' }],
]
for (const [name, code, row, change, extra, more] of broken)
  findings(`${name}: ${code}`, async () => {
    const intake = await read(sieText(change, extra), more)
    const errors = intake.findings.filter((found) => found.severity === 'error')
    assert.ok(errors.length > 0, 'no error')
    assert.equal(fields(errors, 'code', 'file', 'row')[0], [code, 'ledger/a.se', row])
    assert.ok(errors.every((found) => found.remedy !== null))
  })

const YAML =
  'id: acme\nname: Acme\nfiscalMonthEnd: 12\ncurrency: SEK\nledger: [{ files: "ledger/*.se", format: sie }]\n'

findings('a reserved member', async () => {
  const text = sieText({ '#OBJEKT 1': '#OBJEKT 1 all A', '#TRANS 3': '#TRANS 3010 {} -100' })
  const found = await findingsOf({ 'company.yaml': YAML, 'ledger/a.se': text })
  assert.is(only(found, 'reserved-id').row, 16)
})

findings('a voucher that does not balance, or only over two months', async () => {
  for (const [text, message] of [
    [sieText({ '#TRANS 1510': '#TRANS 1510 {} 100.01' }), 'debits minus credits are 0.01'],
    [
      sieText({ '#TRANS 1510': '#TRANS 1510 {} 100.00 20240201', '#TRANS 3010': '#TRANS 3010 {} -100.00' }),
      'balances only over several months',
    ],
  ] as const) {
    const found = await findingsOf({ 'company.yaml': YAML, 'ledger/a.se': text })
    const unbalanced = spelledOut(only(found, 'unbalanced-transaction'))
    assert.equal([unbalanced.row, unbalanced.text], [22, '2024 A 1'])
    assert.match(unbalanced.message, message)
  }
})

findings('a file whose balances cannot be read is no import file: it says what is wrong', async () => {
  const text = sieText({ '#IB': null, '#UB': null }, ['#IB 0 1930 1O0.00', '#UB 0 1930 1O0.00'])
  const intake = await readSie([{ file: 'a.se', bytes: Buffer.from(text) }], setting, company)
  assert.equal(codes(intake, 'error').sort(), [
    'balances-unreadable',
    'unreadable-amount',
    'unreadable-amount',
  ])
  const found = intake.findings.find(({ code }) => code === 'balances-unreadable')!
  assert.match(found.message, /states balances \(#IB, #UB\), but not one of them can be read/)
  assert.match(text.split('\n')[found.row! - 1]!, /^#IB/)
})

findings('an import file is read where company.yaml says that the books begin there', async () => {
  const begun = await read(sieText({ '#IB': null }), { opening: { none: true } })
  assert.equal([codes(begun), (await begun.rows())[0]!.length], [[], 2])
  // A new company opens with nothing, but its file closes.
  assert.equal(codes(await read(sieText({ '#IB': null }, ['#UB 0 1510 100'])), 'error'), [])
})

/** What a file that can be built warns about. */
const NINES = { '#TRANS 1510': '#TRANS 9999 {} 100', '#KONTO 4010': '#KONTO 9999 Obs' }
const NO_VOUCHERS = { '#VER': null, '{': null, '#TRANS': null, '}': null }
const STATED = { classification: 'Asset' } as const
const CLOSED = ['#UB -1 1930 1000', '#UB -1 2081 -900', '#RES -1 3010 -90']
const odd: readonly Fault[] = [
  ['a dimension that is neither', 'unmapped-dimension', 22, { '#TRANS 1510': '#TRANS 1510 {7 "1"} 100' }],
  ['an object that is not declared', 'undeclared-member', 22, { '#TRANS 1510': '#TRANS 1510 {1 S} 100' }],
  ['an account that is not declared', 'undeclared-account', 22, { '#TRANS 1510': '#TRANS 1580 {} 100' }],
  ['outside the year', 'date-outside-year', 22, { '#TRANS 1510': '#TRANS 1510 {} 100 20231231' }],
  [
    'after the last day',
    'date-after-coverage',
    23,
    { '#PROGRAM': ['#PROGRAM "Test" 1', '#OMFATTN 20240114'] },
  ],
  ['a figure of a year without #RAR', 'unknown-year', 25, {}, ['#IB -2 1930 5']],
  ['objects of more than their account', 'opening-rest-negative', 18, {}, ['#OIB 0 1930 {1 N} 1500']],
  ['not carried', 'closing-not-carried', 18, {}, ['#UB -1 1930 900', '#UB -1 2081 -1000']],
  // Equity moved by another amount than the result.
  ['equity', 'closing-not-carried', 19, {}, [...CLOSED, '#RES -1 4010 -10', '#RES -1 3011 5']],
  ['results that balances do not say', 'prior-result-differs', 27, {}, CLOSED],
  ['a P&L account outside the BAS classes', 'assumed-account', 22, NINES, ['#RES 0 9999 100']],
  ['unstated', 'account-not-stated', 22, {}, [], { accounts: { 1930: STATED, 2081: STATED, 3010: STATED } }],
  ['a file without vouchers', 'no-vouchers', 1, NO_VOUCHERS],
]
for (const [name, code, row, change, extra, more] of odd)
  findings(`${name}: ${code}`, async () => {
    const intake = await read(sieText(change, extra), more)
    assert.equal(codes(intake, 'error'), [])
    const found = intake.findings.find((warning) => warning.code === code)
    assert.ok(found, codes(intake).join())
    assert.is(found.row, row)
  })

for (const [what, line, again] of [
  ['an opening', '#IB 0 1510 5', '#IB 0 1510 7'],
  ['a closing', '#UB 0 1510 5', '#UB 0 1510 7'],
  ['a result', '#RES 0 3010 -5', '#RES 0 3010 -7'],
  ['an opening of an object', '#OIB 0 1930 {1 N 6 P1} 5', '#OIB 0 1930 {6 P1 1 N} 7'],
  ['a closing of an object', '#OUB 0 1930 {1 N} 5', '#OUB 0 1930 {1 N} 7'],
  ['a movement', '#PSALDO 0 202401 3010 {} -5', '#PSALDO -1 202401 3010 {} -7'],
  ['a budget', '#PBUDGET 0 202401 3010 {} -5', '#PBUDGET -1 202401 3010 {} -7'],
] as const)
  findings(`${what} that is repeated counts once; with another amount it is an error`, async () => {
    const figures = ({ openings, controls, budgets }: SieIntake) => ({
      openings: openings.map(({ row: _, ...rest }) => rest),
      controls: controls.map(({ row: _, ...rest }) => rest),
      budgets: budgets.flatMap(({ rows }) => [...rows].map(({ row: _, ...rest }) => rest)),
    })
    const once = await read(sieText({}, [line]))
    const twice = await read(sieText({}, [line, again.replace('7', '5')]))
    assert.equal(figures(twice), figures(once))
    assert.equal(codes(twice, 'error'), [])
    const contradicting = (await read(sieText({}, [line, again]))).findings.filter(
      ({ severity }) => severity === 'error',
    )
    assert.equal(fields(contradicting, 'code', 'row'), [['stated-twice', 26]])
    assert.match(contradicting[0]!.message, /5\.00 on line 25, -?7\.00 on line 26/)
  })

findings('a result that moved into equity without an entry is carried', async () => {
  const intake = await read(sieText({}, ['#UB -1 1930 1000', '#UB -1 2081 -900', '#RES -1 3010 -100']))
  assert.equal(codes(intake), [])
})

findings('objects on balances, but on no voucher, are refused once; "0" is nobody', async () => {
  const lines = ['#PSALDO 0 202401 3010 {} -100', '#PSALDO 0 202401 3010 {1 "11"} -60']
  const bare = { '#TRANS 3010': '#TRANS 3010 {} -100.00' }
  const intake = await read(sieText(bare, lines))
  assert.equal(codes(intake, 'error'), ['objects-without-vouchers'])
  assert.equal(fields(intake.controls, 'kind', 'department'), [['movement', null]])
  assert.equal(codes(await read(sieText(bare, lines), { dimensions: { '1': 'none' } })), [])
  const nobody = await read(
    sieText({}, ['#PSALDO 0 202401 1510 {1 "0"} 100', '#PBUDGET 0 202401 3010 {1 "0"} -7']),
  )
  assert.equal([codes(nobody), nobody.controls], [[], []])
  assert.equal(fields(nobody.budgets[0]!.rows, 'department', 'amount'), [[null, '7.00']])
})

findings('gaps in a voucher series are named', async () => {
  // A series that has the year before its numbers.
  const more = [3, 4, 9, 20001].flatMap((n) => [`#VER A ${n} 20240301 x`, '{', '#TRANS 1930 {} 0', '}'])
  const gap = (await read(sieText({}, more))).findings
  assert.equal(
    gap.map((each) => [each.code, each.row, spelledOut(each).message]),
    [
      [
        'voucher-gap',
        25,
        '5 numbers of entries are missing, where entries are numbered series by series: A 2, A 5 to 8',
      ],
    ],
  )
})

findings('a damaged line is one finding, not an unbalanced voucher too', async () => {
  const intake = await read(sieText({ '#TRANS 1510': '#TRANS 1510 {} x' }))
  assert.equal(codes(intake), ['unreadable-amount'])
})

findings('no mutation makes the importer throw, and every finding says what would mend it', async () => {
  const lines = sieText({}, [
    '#OIB 0 1930 {1 N} 3',
    '#PSALDO 0 202401 3010 {1 N} -1',
    '#PBUDGET 0 202401 3010 {} -1',
  ]).split('\r\n')
  const line = fc.oneof(
    fc.constantFrom(...lines, '{', '}', '#VER', '#TRANS', '#RAR 0', '#UNDERDIM 20 x 20'),
    fc.string(),
  )
  const edit = fc.record({
    at: fc.nat(lines.length),
    drop: fc.nat(3),
    put: fc.array(line, { maxLength: 3 }),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(edit, { maxLength: 4 }),
      fc.constantFrom('psaldo' as const, 'none' as const),
      async (edits, priorYear) => {
        const text = edits
          .reduce((now, { at, drop, put }) => now.toSpliced(at, drop, ...put), lines)
          .join('\n')
        const intake = await read(text, {}, { priorYear })
        assert.ok(intake.findings.every(({ remedy, file }) => remedy !== null && file !== null))
      },
    ),
    { seed, numRuns: times(300) },
  )
})

findings('a file in which everything is wrong is told in full', async () => {
  const lines = Array.from({ length: 150_000 }, () => '#TRANS 1930 {} x')
  const intake = await read(sieText({ '#TRANS 1510': lines }))
  assert.is(codes(intake, 'error').length, 150_000)
})

const several = suite('SIE files of several years')
const next = (change: Change = {}) =>
  sieText({
    '#RAR 0': '#RAR 0 20250101 20251231',
    '#RAR -1': '#RAR -1 20240101 20241231',
    '#IB 0 1930': [
      '#IB 0 1930 1000.00',
      '#IB -1 1930 77',
      '#RES -1 3010 -100.00',
      '#PBUDGET -1 202401 3010 {} -1',
    ],
    '#VER': '#VER A 1 20250115 "Faktura"',
    '#TRANS 3010': '#TRANS 3010 {} -100.00',
    ...change,
  })
const both = (first: string, second: string, entry: Partial<LedgerSetting> = {}) =>
  readSie(
    [
      { file: 'b.se', bytes: dos(second) },
      { file: 'a.se', bytes: dos(first) },
    ],
    { ...setting, ...entry },
    company,
  )

several('each year comes from its own file, in order', async () => {
  const intake = await both(sieText({}, ['#PBUDGET 0 202401 3010 {} -2', '#RES -1 3010 -5']), next())
  assert.equal(codes(intake), ['budgets-differ'])
  assert.equal(column(intake.ledger, 'file'), ['a.se', 'b.se'])
  assert.equal(column(intake.fiscalYears, 'start'), ['2023-01-01', '2024-01-01', '2025-01-01'])
  assert.equal(
    fields(
      intake.openings.filter(({ account }) => account === '1930'),
      'yearStart',
      'amount',
    ),
    [
      ['2024-01-01', '1000.00'],
      ['2025-01-01', '1000.00'],
    ],
  )
  assert.equal(fields(intake.priorResults, 'file', 'amount'), [['a.se', '-5']])
  assert.equal(fields(intake.budgets[0]!.rows, 'file', 'amount'), [['a.se', '2.00']])
  const ids = (await intake.rows()).flat().map((row) => row.transaction_id)
  assert.equal([...new Set(ids)], ['2024 A 1', '2025 A 1'])
})

several('a budget in both files counts once; where it differs, its own year counts, told', async () => {
  const budget = ({ budgets }: SieIntake) => [...budgets[0]!.rows].map(({ amount, file }) => [file, amount])
  const equal = await both(
    sieText({}, ['#PBUDGET 0 202401 3010 {} -2']),
    next({
      '#KONTO 1510': ['#KONTO 1510 x', '#PBUDGET -1 202401 3010 {} -2'],
      '#IB 0 1930': '#IB 0 1930 1000',
    }),
  )
  assert.equal([codes(equal), budget(equal)], [[], [['a.se', '2.00']]])
  const differs = await both(sieText({}, ['#PBUDGET 0 202401 3010 {} -2']), next())
  assert.equal([codes(differs), budget(differs)], [['budgets-differ'], [['a.se', '2.00']]])
  assert.match(
    differs.findings[0]!.message,
    '3010 for 2024-01 is -1.00 here, and -2.00 in a.se, which counts',
  )
  const later = await both(sieText(), next())
  assert.equal([codes(later), budget(later)], [[], [['b.se', '1.00']]])
})

several('what a later file states of an earlier year is held against the vouchers of that year', async () => {
  const intake = await both(
    sieText(),
    next({ '#KONTO 1510': ['#KONTO 1510 x', '#PSALDO -1 202401 1510 {} 100'] }),
  )
  assert.equal(fields(intake.controls, 'file', 'kind', 'account', 'date'), [
    ['b.se', 'movement', '1510', '2024-01-31'],
    ['b.se', 'result', '3010', '2024-12-31'],
  ])
  assert.equal(await tie(intake, intake.controls), [2, 2])
})

several('the same year twice, years that overlap, and two companies are refused', async () => {
  assert.equal(codes(await both(sieText(), sieText()), 'error'), ['duplicate-year'])
  assert.ok(
    codes(await both(sieText(), next({ '#RAR 0': '#RAR 0 20240701 20250630' })), 'error').includes(
      'fiscal-year-conflict',
    ),
  )
  assert.equal(codes(await both(sieText(), next({ '#ORGNR': '#ORGNR 556000-0002' })), 'error'), [
    'different-companies',
  ])
})

several('priorYear: psaldo makes an entry of each month of the year before', async () => {
  const months = [
    '#IB -1 1930 900',
    '#IB -1 2081 -1000',
    '#IB -1 1510 100',
    '#UB -1 1930 1000',
    '#UB -1 2081 -1000',
    '#PSALDO -1 202305 1930 {} 100',
    '#PSALDO -1 202305 1930 {1 N} 40',
    '#PSALDO -1 202305 1510 {} -100',
    '#UB -1 1510 0',
  ]
  const good = await read(sieText({}, months), {}, { priorYear: 'psaldo' })
  assert.equal(good.findings, [])
  assert.equal(
    (await good.rows())[0]!
      .slice(0, 3)
      .map((row) => [row.transaction_id, row.date, row.account, row.department, row.amount]),
    [
      ['2023 2023-05 #PSALDO', '2023-05-31', '1930', 'N', '40'],
      ['2023 2023-05 #PSALDO', '2023-05-31', '1930', null, '60.00'],
      ['2023 2023-05 #PSALDO', '2023-05-31', '1510', null, '-100'],
    ],
  )
})

const members = suite('SIE dimensions and budgets')

members('company.yaml says which dimension is which', async () => {
  const text = sieText({ '#TRANS 3010': '#TRANS 3010 {1 N 6 P1 7 "42"} -100' })
  const tags = async (dimensions: Company['dimensions']) => {
    const row = (await (await read(text, { dimensions })).rows())[0]![1]!
    return [row.class, row.department]
  }
  assert.equal(await tags(undefined), ['P1', 'N'])
  assert.equal(await tags({ '7': 'class' }), ['42', 'N'])
  assert.equal(await tags({ '1': 'class', '6': 'department' }), ['N', 'P1'])
  assert.equal(await tags({ '6': 'none' }), [null, 'N'])
})

members('objects of a sub-dimension stand under the objects that lines name beside them', async () => {
  const dimension = { '#DIM 6': ['#DIM 6 Projekt', '#UNDERDIM 20 Butik 1', '#OBJEKT 20 B1 "Butik 1"'] }
  const intake = await read(sieText({ ...dimension, '#TRANS 3010': '#TRANS 3010 {20 B1 1 N} -100' }))
  assert.equal(intake.findings, [])
  assert.is((await intake.rows())[0]![1]!.department, 'B1')
  assert.equal(intake.departments.map(({ id, parentId }) => [id, parentId]).sort(), [
    ['B1', 'N'],
    ['N', null],
  ])
  const two = await read(
    sieText({
      ...dimension,
      '#TRANS 1510': '#TRANS 1510 {1 S 20 B1} 100',
      '#TRANS 3010': '#TRANS 3010 {1 N 20 B1} -100',
    }),
  )
  assert.equal(codes(two, 'error'), ['member-two-parents'])
  const same = await read(sieText({ '#DIM 6': ['#UNDERDIM 20 Butik 1', '#OBJEKT 20 N Butik'] }))
  assert.equal(codes(same, 'error'), ['duplicate-member'])
})

members('an opening of an object is a cell, the rest stays untagged', async () => {
  const intake = await read(
    sieText({}, ['#OIB 0 1930 {1 N} 300', '#OIB 0 1930 {6 P1} 200.50', '#OIB 0 1930 {2 X} 9']),
  )
  assert.equal(
    intake.openings
      .filter(({ account }) => account === '1930')
      .map((row) => [row.class, row.department, row.amount]),
    [
      [null, 'N', '300'],
      ['P1', null, '200.50'],
      [null, null, '499.50'],
    ],
  )
})

members('controls: all postings, one member, results; unmapped objects say nothing', async () => {
  const intake = await read(
    sieText({}, [
      '#UB 0 1930 1000',
      '#RES 0 3010 -100',
      '#PSALDO 0 202401 3010 {} -100',
      '#PSALDO 0 202401 3010 {1 N} -100',
      '#OUB 0 3010 {6 P1} -100',
      '#PSALDO 0 202401 3010 {7 1} -100',
      '#UB -1 1930 1',
    ]),
  )
  assert.equal(
    intake.controls.map((row) => [row.kind, row.account, row.department, row.class, row.date]),
    [
      ['closing', '1930', null, null, '2024-12-31'],
      ['result', '3010', null, null, '2024-12-31'],
      ['movement', '3010', null, null, '2024-01-31'],
      ['movement', '3010', 'N', null, '2024-01-31'],
      ['result', '3010', null, 'P1', '2024-12-31'],
    ],
  )
  assert.equal(await tie(intake, intake.controls), [5, 5])
})

members('budgets have natural signs; objects are shares of a total, or stand alone', async () => {
  const rows = async (...lines: string[]) =>
    [...(await read(sieText({}, lines))).budgets[0]!.rows].map((row) => [
      row.account,
      row.department,
      row.month,
      row.amount,
    ])
  assert.equal(
    await rows(
      '#PBUDGET 0 202401 3010 {} -100',
      '#PBUDGET 0 202401 3010 {1 N} -40',
      '#PBUDGET 0 202402 4010 {} 7.5',
    ),
    [
      ['3010', 'N', '2024-01', '40.00'],
      ['3010', null, '2024-01', '60.00'],
      ['4010', null, '2024-02', '7.50'],
    ],
  )
  assert.equal(await rows('#PBUDGET 0 202401 3010 {1 N} -40', '#PBUDGET 0 202401 3010 {1 S} -5'), [
    ['3010', 'N', '2024-01', '40.00'],
    ['3010', 'S', '2024-01', '5.00'],
  ])
  const intake = await read(
    sieText({}, ['#PBUDGET 0 202401 3010 {1 N} -40', '#PBUDGET 0 202401 3010 {6 P1} -40']),
  )
  assert.ok(codes(intake).includes('budget-without-total'))
})

const kinds = suite('kinds of SIE accounts')
for (const [id, expected, lines] of [
  ['1019', 'Asset AccumulatedDepreciation', []],
  ['1088', 'Asset FixedAsset', []],
  ['1318', 'Asset AccumulatedDepreciation', []],
  ['1380', 'Asset OtherAsset', []],
  ['1460', 'Asset Inventory', []],
  ['1650', 'Asset SalesTax', []],
  ['1710', 'Asset OtherCurrentAsset', []],
  ['2013', 'Equity Drawings', []],
  ['2099', 'Equity RetainedEarnings', ['#KTYP 2099 T']],
  ['2150', 'Liability OtherCurrentLiability', []],
  ['2350', 'Liability LongTermLiability', []],
  ['2441', 'Liability AccountsPayable', []],
  ['2641', 'Liability SalesTax', ['#KTYP 2641 T']],
  ['7832', 'Expense Depreciation', []],
  ['8410', 'OtherExpense OtherExpense', []],
  ['8336', 'OtherExpense OtherExpense', ['#KTYP 8336 K']],
  ['8431', 'OtherIncome OtherIncome', ['#KTYP 8431 I']],
  ['8910', 'OtherExpense IncomeTax', []],
  ['9100', 'OtherIncome ', ['#RES 0 9100 0', '#KTYP 9100 I']],
  ['9200', 'Asset ', ['#UB 0 9200 0', '#KTYP 9200 T']],
  ['199', undefined, []],
] as const)
  kinds(`${id} ${lines.join(' ')}: ${expected ?? 'unknown'}`, async () => {
    const found = (await read(sieText({ '#KONTO 4010': [`#KONTO ${id} Namn`, ...lines] }))).accounts.find(
      (account) => account.id === id,
    )
    assert.is(found && `${found.classification} ${found.type}`, expected)
  })
kinds('all accounts of the group 899 close the year, unless company.yaml names others', async () => {
  const text = sieText({
    '#KONTO 4010': ['#KONTO 8990 Resultat', '#KONTO 8999 Resultat', '#KONTO 8910 Skatt'],
  })
  assert.equal((await read(text)).closingAccounts, ['8990', '8999'])
  assert.equal((await read(text, { closing: { accounts: ['8999'] } })).closingAccounts, [])
})

kinds('company.yaml wins', async () => {
  const accounts: Company['accounts'] = {
    '3010': { classification: 'OtherIncome' },
    '1930': { classification: 'Asset', cashFlow: 'Operating' },
  }
  const rows = (await read(sieText(), { accounts })).accounts
  assert.is(rows.find(({ id }) => id === '3010')!.classification, 'OtherIncome')
  assert.equal(
    [rows.find(({ id }) => id === '1930')!.type, rows.find(({ id }) => id === '1930')!.cashFlow],
    ['Bank', 'Operating'],
  )
})
