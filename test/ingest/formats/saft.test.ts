/** SAF-T Financial: what Norwegian and Portuguese programs write, and what is refused, each through a whole build. */
import * as assert from 'uvu/assert'
import type { LedgerPlan } from '../../../builder/ingest/format/intake.ts'
import { suite } from '../../suite.ts'
import { proposed } from '../../support/added.ts'
import { column } from '../../support/fields.ts'
import { intakeOf, statedIn } from '../../support/readings.ts'
import { type SaftFile, saftFile } from '../../support/saft.ts'
import {
  type Built,
  buildWith,
  checkWith,
  codes,
  type Files,
  findingsOf,
  only,
  postings,
} from '../../support/workspace.ts'

const test = suite('SAF-T')

const yaml = (more = '', currency = 'NOK') =>
  `id: acme\nname: Acme\nfiscalMonthEnd: 12\ncurrency: ${currency}\nledger: [{ files: "*.xml" }]\n${more}\n`

const ACCOUNTS = `
  1920 Bank 1000.00 1120.00
  1500 Kunder 0.00 0.00
  2000 Aksjekapital -1000.00 -1000.00
  2700 Utgaaende-mva 0.00 -20.00
  3000 Salg 0.00 -100.00`
const LINES = `
  1 2025-01-05 1500 120.00
  1 2025-01-05 3000 -100.00
  1 2025-01-05 2700 -20.00
  2 2025-02-10 1920 120.00
  2 2025-02-10 1500 -120.00`
const YEAR: SaftFile = { accounts: ACCOUNTS, lines: LINES }

type Given = string | Buffer | Files
const company = (given: Given, more = '', currency = 'NOK'): Files => ({
  'company.yaml': yaml(more, currency),
  ...(typeof given === 'string' || Buffer.isBuffer(given) ? { 'saft.xml': given } : given),
})
const built = <T>(given: Given, look: (built: Built) => T | Promise<T>, more = '', currency = 'NOK') =>
  buildWith(company(given, more, currency), look)
/** What is refused where it is read. */
const refusal = async (given: Given, code: string, more = '', currency = 'NOK') => {
  const { findings } = await intakeOf(company(given, more, currency))
  const found = only(findings, code)
  assert.is(found.severity, 'error')
  return found
}
/** What only the books show to be wrong. */
const refusedBooks = (given: Given, code: string, currency = 'NOK') =>
  checkWith(company(given, '', currency), ({ result }) => {
    assert.is(result.outcome, 'refused')
    return only(result.findings, code)
  })

/** The figures of {@link YEAR}, however its file is written. */
const isYear = ({ result, statement }: Built): void => {
  assert.equal(codes(result.findings), [])
  assert.equal(statement('ProfitAndLoss').totals.NetIncome, ['100.00', '0.00'])
  const cash = statement('CashFlow').totals
  assert.equal(cash.BeginningCash, ['1000.00', '1000.00'], 'the opening is no activity')
  assert.equal(cash.EndingCash, ['1000.00', '1120.00'])
}

/** Whatever it is written like, the books get of it what they get of {@link YEAR}. */
const readsAsYear = async (given: Given, more = '', year = saftFile(YEAR)) =>
  assert.equal(statedIn(await intakeOf(company(given, more))), statedIn(await intakeOf(company(year, more))))

test('as the Norwegian schema has it; the date of the document counts, not that of posting', () =>
  built(saftFile(YEAR), isYear))

test('the closing balances and totals that the file states are checked', async () => {
  await built(saftFile(YEAR), ({ result }) => assert.is(result.controlsAgreed, 5))
  const wrong = ACCOUNTS.replace('1120.00', '1120.01')
  const found = await refusedBooks(saftFile({ ...YEAR, accounts: wrong }), 'control-differs')
  assert.match(found.message, 'closing balance of 1,120.01 for account 1920')
  assert.is(found.row, 9, 'the line of the account')
  for (const totals of [{ debit: '240.01' }, { credit: '0' }]) {
    const total = await refusedBooks(saftFile({ ...YEAR, totals }), 'control-differs')
    assert.match(total.message, /states a Total(Debit|Credit) of .*; its lines add up to 240.00/)
  }
})

test('totals of amounts that are rounded to the currency are told not to be checked', () =>
  checkWith(
    company(
      saftFile({
        accounts: '1920 Bank 0 30.99\n3000 Salg 0 -30.99',
        lines: `
  1 2025-01-05 1920 10.333
  1 2025-01-05 1920 10.333
  1 2025-01-05 1920 10.334
  1 2025-01-05 3000 -31.00`,
        totals: { debit: '31.00', credit: '31.00' },
      }),
      'rounding: { tolerance: 0.01, account: "3000" }',
    ),
    ({ result }) => {
      assert.is(result.outcome, 'checked', JSON.stringify(result.findings))
      assert.equal(
        column(
          result.findings.filter(({ code }) => code === 'not-checked'),
          'message',
        ),
        ['TotalDebit', 'TotalCredit'].map(
          (name) => `${name} was not checked, since amounts of lines were rounded`,
        ),
      )
    },
  ))

test('NumberOfEntries may count lines; any other number is told', async () => {
  await readsAsYear(saftFile({ ...YEAR, totals: { entries: '5' } }))
  const { findings } = await intakeOf(company(saftFile({ ...YEAR, totals: { entries: '3' } })))
  assert.match(only(findings, 'entry-count-differs').message, 'it holds 2 transactions with 5 lines')
})

test('with prefixes, on one line, with a mark, with comments, in any encoding that it declares', async () => {
  const party =
    '<Customers><Customer><CustomerID>7</CustomerID><Name>Ærlig, "Ole"</Name></Customer></Customers></MasterFiles>'
  const text = saftFile({ ...YEAR, replace: [['Bank', 'Bånk – €']] })
    .replace('</MasterFiles>', party)
    .replaceAll('</TransactionDate>', '</TransactionDate><CustomerID>7</CustomerID>')
  const { accounts, ledger } = await intakeOf(company(text))
  assert.is(accounts[0]!.name, 'Bånk – €')
  assert.match((ledger[0] as LedgerPlan).path, 'Ærlig, ""Ole""')
  const [start, ...rest] = text.split('<Transaction>')
  const latin = (encoding: string) =>
    Buffer.from(text.replace('UTF-8', encoding).replace('–', '\u0096').replace('€', '\u0080'), 'latin1')
  const utf16 = Buffer.from(`\ufeff${text.replace('UTF-8', 'UTF-16')}`, 'utf16le')
  const tags = '</Transaction>\n<Transaction><TransactionID>900</TransactionID>'
  for (const file of [
    text.replace('xmlns=', 'xmlns:n1=').replaceAll(/<(\/?)(?=[A-Z])/g, '<$1n1:'),
    text.replaceAll('\n', ''),
    text.replaceAll('\n', '\r\n'),
    text.replaceAll('\n', '\r'),
    [start, ...rest.map((each) => each.replaceAll('\n', ''))].join('<Transaction>'),
    `\ufeff${text}`,
    text.replace(/^<\?xml.*?\?>/, '<!-- by hand -->'),
    utf16,
    Buffer.from(utf16).swap16(),
    latin('windows-1252'),
    latin('ISO-8859-1'),
    text.replace('UTF-8', 'windows-1252'),
    text.replaceAll('<Transaction>', '<Transaction >').replaceAll('<Journal>', '<Journal id="1">'),
    text.replace('<AuditFile ', '<AuditFile note="a > b" '),
    text.replaceAll('<Transaction>', `<!-- ${tags.repeat(20)} --><Transaction>`),
    text.replaceAll('<Transaction>', `<?note ${tags.repeat(20)}?><Transaction>`),
  ])
    await readsAsYear(file, '', text)
  await readsAsYear(text.replaceAll('Entry 1', `<![CDATA[${tags}]]>`), '', text)
})

test('a journal that begins between two transactions is that of those below', async () => {
  const journal = '</Journal>\n<Journal><JournalID>B&amp;1</JournalID>\n<Transaction>'
  const file = saftFile(YEAR).replace(/<Transaction>(?=\s*<TransactionID>2)/, journal)
  const { ledger } = await intakeOf(company(file))
  const rows = (ledger[0] as LedgerPlan).path.split('\n').slice(1, -1)
  assert.equal(
    rows.map((row) => row.includes('B&1')),
    [false, false, false, true, true],
  )
})

test('bytes that are not of the encoding that the file declares are refused', async () => {
  const text = saftFile({ ...YEAR, replace: [['Bank', 'Bånk']] })
  const latin = Buffer.from(text, 'latin1')
  assert.match((await refusal(latin, 'undecodable-text')).message, 'utf-8')
  const none = Buffer.from(text.replace(/^<\?xml.*?\?>/, ''), 'latin1')
  await refusal(none, 'undecodable-text')
  const unknown = await refusal(Buffer.from(text.replace('UTF-8', 'EBCDIC'), 'latin1'), 'unknown-encoding')
  assert.is(unknown.text, 'EBCDIC')
  const stated = yaml().replace('"*.xml" }', '"*.xml", encoding: iso-8859-1 }')
  const read = await intakeOf({ 'company.yaml': stated, 'saft.xml': latin })
  assert.equal(statedIn(read), statedIn(await intakeOf(company(text))))
})

test('a posting period moves an entry into its month; the thirteenth is the last day of the year', () =>
  built(
    saftFile({
      accounts: '1920 Bank 0.00 60.00\n3000 Salg 0.00 -60.00',
      lines: `
        1 2025-01-05 1920 10.00
        1 2025-01-05 3000 -10.00
        2 2025-04-02 1920 20.00 p:3/2025
        2 2025-04-02 3000 -20.00
        3 2026-02-01 1920 30.00 p:13/2025
        3 2026-02-01 3000 -30.00
        4 2025-05-02 1920 5.00
        4 2025-05-02 1920 -5.00`,
    }),
    async (read) =>
      assert.equal(
        (await postings(read, 'date::VARCHAR, amount::INTEGER', 'seq')).filter((line) => / \d+$/.test(line)),
        ['2025-01-05 10', '2025-03-31 20', '2025-12-31 30', '2025-05-02 5'],
      ),
  ))

test('periods of a year from July to June are counted from July, by whichever year they are named', async () => {
  const lines = (year: (calendar: number) => number) => `
    1 2024-07-05 1920 10.00 p:1/${year(2024)}
    1 2024-07-05 3000 -10.00
    2 2024-12-05 1920 10.00 p:6/${year(2024)}
    2 2024-12-05 3000 -10.00
    3 2025-01-05 1920 20.00 p:7/${year(2024)}
    3 2025-01-05 3000 -20.00
    4 2025-08-01 1920 30.00 p:13/${year(2024)}
    4 2025-08-01 3000 -30.00`
  for (const name of [0, 1])
    await buildWith(
      {
        'company.yaml': yaml().replace('fiscalMonthEnd: 12', 'fiscalMonthEnd: 6'),
        'saft.xml': saftFile({
          selection: `1 ${2024 + name} 12 ${2024 + name}`,
          accounts: '1920 Bank 0.00 70.00\n3000 Salg 0.00 -70.00',
          lines: lines((year) => year + name),
        }),
      },
      async (read) => {
        assert.equal(await postings(read, 'date::VARCHAR', 'seq').then((days) => [...new Set(days)]), [
          '2024-07-05',
          '2024-12-05',
          '2025-01-05',
          '2025-06-30',
        ])
        assert.is(read.result.controlsAgreed, 2)
      },
    )
})

test('periods that are no months move nothing, which is told', () =>
  built(
    saftFile({
      accounts: '1920 Bank 0.00 30.00\n3000 Salg 0.00 -30.00',
      lines: `
        1 2025-04-05 1920 10.00 p:2/2025
        1 2025-04-05 3000 -10.00
        2 2025-08-05 1920 20.00 p:4/2025
        2 2025-08-05 3000 -20.00`,
    }),
    async (read) => {
      assert.equal(codes(read.result.findings), ['periods-not-months'])
      assert.equal([...new Set(await postings(read, 'date::VARCHAR', 'seq'))], ['2025-04-05', '2025-08-05'])
    },
  ))

const TAGGED = {
  accounts: '1920 Bank 0.00 -100.00\n7000 Kost 0.00 100.00',
  analyses: 'A Avdeling 10 Oslo\nA Avdeling 20 Bergen\nP Prosjekt X Bru\nP Prosjekt Y Vei',
}
const tagged = (codesOfLine: string, amount = '100.00', version = '1.30') =>
  saftFile({
    ...TAGGED,
    version,
    accounts: amount.startsWith('-') ? '1920 Bank 0.00 100.00\n7000 Kost 0.00 -100.00' : TAGGED.accounts,
    lines: `1 2025-01-05 7000 ${amount} ${codesOfLine}\n1 2025-01-05 1920 ${amount.startsWith('-') ? amount.slice(1) : `-${amount}`}`,
  })
/** `class department amount` of the rows that account 7000 has, debit positive. */
async function partsOf(given: string, more = ''): Promise<string[]> {
  const { ledger, findings } = await intakeOf(company(given, more))
  assert.equal(
    findings.filter(({ severity }) => severity === 'error'),
    [],
  )
  const { path, header } = ledger[0] as LedgerPlan
  const rows = path.trim().split('\n').slice(1)
  return rows
    .map((row) => Object.fromEntries(row.split(',').map((cell, i) => [header![i]!, cell])))
    .filter(({ account }) => account === '7000')
    .map(
      (row) =>
        `${row.class || '-'} ${row.department || '-'} ${row.debit === '' ? `-${row.credit}` : row.debit}`,
    )
}

for (const [what, codesOfLine, parts, amount = '100.00', version = '1.30'] of [
  ['the whole line', 'A:10', ['- 10 100.00']],
  ['the whole line, with its amount', 'A:10=100.00', ['- 10 100.00']],
  ['the whole line, with no amount', 'A:10=0.00', ['- 10 100.00']],
  ['two parts', 'A:10=60.00 A:20=40.00', ['- 10 60.00', '- 20 40.00']],
  ['what is left is untagged', 'A:10=60.00 A:20=30.00', ['- 10 60.00', '- 20 30.00', '- - 10.00']],
  ['parts on both sides', 'A:10=120.00 A:20=-20.00', ['- 10 120.00', '- 20 -20.00']],
  [
    '1.20, one amount without a side',
    'A:10=60.00 A:20=40.00',
    ['- 10 -60.00', '- 20 -40.00'],
    '-100.00',
    '1.20',
  ],
  ['1.20, signed', 'A:10=-60.00 A:20=-40.00', ['- 10 -60.00', '- 20 -40.00'], '-100.00', '1.20'],
  ['1.30, each with its side', 'A:10=-60.00 A:20=-40.00', ['- 10 -60.00', '- 20 -40.00'], '-100.00'],
  ['a class of both departments', 'A:10=60.00 A:20=40.00 P:X', ['X 10 60.00', 'X 20 40.00']],
  ['two classes of a department', 'A:10 P:X=60.00 P:Y=40.00', ['X 10 60.00', 'Y 10 40.00']],
  ['the same parts of both', 'A:10=60.00 A:20=40.00 P:X=60.00 P:Y=40.00', ['X 10 60.00', 'Y 20 40.00']],
] as const)
  test(`codes of a line: ${what}`, async () =>
    assert.equal(await partsOf(tagged(codesOfLine, amount, version)), parts))

test('parts of classes and departments that cross are refused, unless one of them is not read', async () => {
  const crossed = tagged('A:10=60.00 A:20=40.00 P:X=50.00 P:Y=50.00')
  assert.ok((await refusal(crossed, 'analysis-crossed')).row! > 0)
  await built(
    crossed,
    (read) => {
      assert.equal(read.statement('ProfitAndLoss', { departmentId: '20' }).rows['7000'], ['40.00'])
      only(read.result.findings, 'unmapped-dimension')
    },
    'dimensions: { P: none }',
  )
})

test('codes that contradict one another are refused with the line', async () => {
  const exceeding = await refusal(tagged('A:10=60.00 A:20=50.00'), 'analysis-exceeds-line')
  assert.match(exceeding.message, 'exceed the line by 10.00: A 10, A 20')
  await refusal(tagged('A:10 A:20'), 'two-members')
  await refusal(tagged('A:10=60.00 A:20'), 'unreadable-amount')
  await refusal(tagged('A:10=60.001'), 'unreadable-amount')
  await refusal(tagged('A:10', '100.00').replaceAll('>10<', '>all<'), 'reserved-id')
})

test('an Analysis without an AnalysisID is refused with its line, unless its type is read as nothing', async () => {
  const whole = tagged('A:10 P:X')
  for (const [instead, text] of [
    ['', 'A (none)'],
    ['<AnalysisID/>', 'A (none)'],
  ] as const) {
    const file = whole.replace(
      /(<Analysis><AnalysisType>A<\/AnalysisType>)<AnalysisID>10<\/AnalysisID>/,
      `$1${instead}`,
    )
    assert.is.not(file, whole)
    const found = await refusal(file, 'analysis-without-id')
    const row = file.slice(0, file.indexOf('<AccountID>7000</AccountID>\n<Analysis>')).split('\n').length - 2
    assert.equal([found.severity, found.file, found.row, found.text], ['error', 'saft.xml', row, text])
    assert.equal(await partsOf(file, 'dimensions: { A: none, P: class }'), ['X - 100.00'])
  }
})

test('codes that no table declares, types that are neither, and what company.yaml makes of them', async () => {
  const told = async (codesOfLine: string, code: string) =>
    only((await intakeOf(company(tagged(codesOfLine)))).findings, code).message
  assert.match(await told('A:30', 'undeclared-member'), '1 analysis code is used')
  assert.equal(await partsOf(tagged('A:30')), ['- 30 100.00'])
  assert.match(
    await told('K5:Z A:10', 'unmapped-dimension'),
    'type K5 is neither class nor department: 1 line carries it, debit 100.00',
  )
  assert.equal(await partsOf(tagged('K5:Z A:10'), 'dimensions: { K5: class, A: department }'), [
    'Z 10 100.00',
  ])
})

test('a file per month is one ledger: openings inside the year are checked, a missing month is found', async () => {
  const january = saftFile({
    selection: '2025-01-01 2025-01-31',
    accounts: '1920 Bank 500.00 600.00\n2000 Kapital -500.00 -500.00\n3000 Salg 0.00 -100.00',
    lines: '1 2025-01-05 1920 100.00\n1 2025-01-05 3000 -100.00',
  })
  const february = saftFile({
    selection: '2 2025 2 2025',
    accounts: '1920 Bank 600.00 650.00\n2000 Kapital -500.00 -500.00\n3000 Salg -100.00 -150.00',
    lines: '2 2025-02-05 1920 50.00\n2 2025-02-05 3000 -50.00',
  })
  const march = saftFile({
    selection: '2025-03-01 2025-03-31',
    accounts: '1920 Bank 650.00 650.00\n2000 Kapital -500.00 -500.00\n3000 Salg -150.00 -150.00',
    lines: '3 2025-03-05 1920 1.00\n3 2025-03-05 1920 -1.00',
  })
  await built({ 'b.xml': january, 'a.xml': february, 'c.xml': march }, ({ result, statement }) => {
    assert.equal(codes(result.findings), [])
    assert.equal(statement('ProfitAndLoss').rows['3000'], ['100.00', '50.00', '0.00'])
    assert.is(result.controlsAgreed, 15)
  })
  await built({ 'b.xml': january, 'c.xml': march }, ({ result }) => {
    assert.is(result.snapshotId, null)
    assert.ok(codes(result.findings).every((code) => code === 'control-differs'))
    assert.match(result.findings[0]!.message, 'at 2025-02-28')
  })
  const overlap = await refusal(
    { 'a.xml': january, 'b.xml': saftFile({ ...YEAR, lines: LINES }) },
    'duplicate-period',
  )
  assert.match(
    overlap.message,
    'covers 2025-01-01 to 2025-12-31, which overlaps 2025-01-01 to 2025-01-31 in a.xml',
  )
})

test('a first file that starts inside the year brings what the year has earned so far', () =>
  built(
    saftFile({
      selection: '2025-05-01 2025-12-31',
      accounts: '1920 Bank 600.00 650.00\n2000 Kapital -500.00 -500.00\n3000 Salg -100.00 -150.00',
      lines: '2 2025-05-05 1920 50.00\n2 2025-05-05 3000 -50.00',
    }),
    ({ result, statement }) => {
      assert.equal(codes(result.findings), [])
      assert.equal(statement('ProfitAndLoss').rows['3000']!.at(-1), '50.00')
      assert.equal(statement('BalanceSheet').rows['current-year-earnings']!.at(-1), '150.00')
    },
  ))

test('years: the next one opens with what the one before closed with, the result in equity', async () => {
  const next = (opening: string) =>
    saftFile({
      selection: '1 2026 12 2026',
      accounts: `1920 Bank 1120.00 1130.00\n1500 Kunder 0.00 0.00\n2000 Aksjekapital -1000.00 -1000.00\n2050 Annen-EK ${opening} ${opening}\n2700 Mva -20.00 -20.00\n3000 Salg 0.00 -10.00`,
      lines: '1 2026-01-05 1920 10.00\n1 2026-01-05 3000 -10.00',
    })
  await built({ '2025.xml': saftFile(YEAR), '2026.xml': next('-100.00') }, ({ result, statement }) => {
    assert.equal(codes(result.findings), [])
    assert.is(result.controlsAgreed, 11)
    assert.equal(statement('BalanceSheet').rows['2050']!.at(-1), '100.00')
    const { months, rows } = statement('BalanceSheet')
    assert.equal(rows['current-year-earnings']!.at(-1), '10.00')
    // The year that is closed stays as it was published before the next one opened.
    const yearEnd = months.indexOf('2025-12')
    assert.equal(
      [rows['2050']?.[yearEnd] ?? '0.00', rows['current-year-earnings']![yearEnd]],
      ['0.00', '100.00'],
    )
  })
  await refusedBooks({ '2025.xml': saftFile(YEAR), '2026.xml': next('-90.00') }, 'opening-not-carried')
})

test('handing out the result (88, 89) moves equity, and is no expense', () =>
  built(
    saftFile({
      accounts: `${ACCOUNTS}\n8960 Overfoeringer 0.00 100.00\n2050 Annen-EK 0.00 -100.00`,
      lines: `${LINES}\n3 2025-12-31 8960 100.00\n3 2025-12-31 2050 -100.00`,
    }),
    ({ result, statement }) => {
      assert.equal(codes(result.findings), [])
      assert.is(statement('ProfitAndLoss').totals.NetIncome!.at(-1), '0.00')
      assert.is(statement('BalanceSheet').totals.TotalEquity!.at(-1), '1100.00')
      assert.is(statement('CashFlow').totals.NetCashFromFinancing!.at(-1), '0.00')
    },
  ))

test('each line has a number of its own, inside its element; on one line of text they count on', async () => {
  const file = tagged('A:10=60.00 A:20=40.00')
  const at = file.split('\n').indexOf('<Line>') + 1
  await built(file, async (read) => {
    const rows = (await postings(read, 'row', 'seq')).map(Number)
    assert.equal(rows.slice(0, 2), [at, at + 1])
    assert.is(rows.length, 3)
  })
  await built(file.replaceAll('\n', ''), async (read) =>
    assert.equal((await postings(read, 'row', 'seq')).map(Number), [1, 2, 4]),
  )
})

test('texts with separators, quotation marks and line ends stay what they are', () =>
  built(saftFile({ ...YEAR, replace: [['Linje', 'a, "b"\n c; &amp; \'d\' =1+1']] }), async (read) => {
    isYear(read)
    assert.is((await postings(read, 'memo', 'seq'))[0], 'a, "b" c; & \'d\' =1+1')
  }))

test('what is wrong with a line is named with its number', async () => {
  const lineOf = (text: string, part: string) => text.slice(0, text.indexOf(part)).split('\n').length
  for (const [from, to, code] of [
    ['<Amount>120.00</Amount>', '<Amount>120.001</Amount>', 'too-many-decimals'],
    ['<Amount>120.00</Amount>', '<Amount>1,2</Amount>', 'unreadable-amount'],
    ['<DebitAmount><Amount>120.00</Amount></DebitAmount>', '', 'missing-amount'],
    ['<AccountID>1500</AccountID>\n', '\n', 'missing-account'],
    ['<TransactionDate>2025-01-05', '<TransactionDate>2025-02-30', 'unreadable-date'],
    ['<Amount>100.00', '<Amount>100.01', 'unbalanced-transaction'],
  ] as const) {
    const text = saftFile({ ...YEAR, totals: { debit: '', credit: '' }, replace: [[from, to]] })
    const found = (await findingsOf(company(text))).find((each) => each.code === code)
    assert.equal([found?.severity, found?.file], ['error', 'saft.xml'], code)
    if (code !== 'unbalanced-transaction' && code !== 'unreadable-date')
      assert.is(found!.row, lineOf(text, '<Line>'), code)
  }
})

const HOSTILE: readonly (readonly [
  name: string,
  file: (text: string) => string | Buffer,
  code: string,
  message?: string,
])[] = [
  [
    'an entity bomb',
    (text) =>
      text
        .replace(
          '<AuditFile',
          '<!DOCTYPE lolz [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>\n<AuditFile',
        )
        .replace('Bank', '&b;'),
    'malformed-xml',
    'DOCTYPE',
  ],
  [
    'an external entity',
    (text) => text.replace('<AuditFile', '<!DOCTYPE x SYSTEM "file:///etc/passwd">\n<AuditFile'),
    'malformed-xml',
  ],
  ['an entity that nobody declares', (text) => text.replace('Bank', '&passwd;'), 'malformed-xml'],
  ['a file that was cut off', (text) => text.slice(0, text.indexOf('</Journal>')), 'truncated-file'],
  [
    'a file that was cut off inside a tag',
    (text) => text.slice(0, text.lastIndexOf('<Amount>') + 4),
    'truncated-file',
  ],
  ['elements that are not closed', (text) => text.replace('</Line>', ''), 'malformed-xml'],
  ['a second root', (text) => `${text}<AuditFile/>`, 'malformed-xml'],
  ['NUL', (text) => text.replace('Linje', 'Lin\0je'), 'zero-bytes'],
  [
    'deep nesting',
    (text) => text.replace('Linje', `${'<a>'.repeat(5000)}${'</a>'.repeat(5000)}`),
    'malformed-xml',
  ],
  ['a text without end', (text) => text.replace('Linje', 'x'.repeat(3 << 20)), 'malformed-xml'],
  [
    'an element of many',
    (text) => text.replace('<Description>Linje', `${'<a/>'.repeat(20_000)}<Description>Linje`),
    'malformed-xml',
  ],
]
for (const [name, file, code, message = ''] of HOSTILE)
  test(`${name} is refused, with its line`, async () => {
    const found = await refusal(file(saftFile(YEAR)), code)
    assert.is(found.file, 'saft.xml')
    assert.ok(found.row! >= 1)
    assert.ok(found.message.length < 300)
    assert.match(found.message, message)
  })

test('audit files of another kind are refused by name', async () => {
  const xaf =
    '<?xml version="1.0"?>\n<auditfile xmlns="http://www.auditfiles.nl/XAF/3.2"><header/></auditfile>'
  assert.match((await refusal(xaf, 'unreadable-file')).message, 'XAF')
  const register = '<AuditFile xmlns="urn:StandardAuditFile-Taxation-CashRegister:NO"><Header/></AuditFile>'
  assert.match((await refusal(register, 'no-financial-saft')).message, 'Cash Register')
  const invoices = saftFile({ ...YEAR, country: 'PT' })
    .replace('<TaxAccountingBasis>C', '<TaxAccountingBasis>F')
    .replace(/<GeneralLedgerEntries>[\s\S]*<\/GeneralLedgerEntries>/, '<SourceDocuments/>')
  assert.match(
    (await refusal(invoices, 'no-general-ledger', '', 'EUR')).message,
    'TaxAccountingBasis F: it holds invoices',
  )
  const other = saftFile({ ...YEAR, country: 'DK', version: '1.0' }).replaceAll(/(<\/?)Line>/g, '$1Entry>')
  assert.match((await refusal(other, 'unknown-saft-version')).message, 'SAF-T of DK, version 1.0')
  await refusal('<AuditFile/>', 'no-header')
  await refusal(saftFile({ ...YEAR, accounts: '' }), 'no-accounts')
})

test('another country with the same elements is read; its accounts must be stated', async () => {
  const file = saftFile({ ...YEAR, country: 'DK', version: '1.0' }).replaceAll(
    /(<\/?)Line>/g,
    '$1TransactionLine>',
  )
  await built(file, ({ result }) => {
    assert.is(result.snapshotId, null)
    assert.ok(codes(result.findings).every((code) => code === 'unclassified-account'))
  })
  const kinds = `accounts:
  1920: { classification: Asset, type: Bank }
  1500: { classification: Asset, type: AccountsReceivable }
  2000: { classification: Equity }
  2700: { classification: Liability, type: SalesTax }
  3000: { classification: Income }`
  await built(file, isYear, kinds)
})

test('another currency, two companies and two accounts of one number are refused', async () => {
  assert.match((await refusal(saftFile({ ...YEAR, currency: 'SEK' }), 'currency-mismatch')).message, 'in SEK')
  const later = {
    ...YEAR,
    selection: '1 2026 12 2026',
    registration: '888888888',
    lines: LINES.replaceAll('2025', '2026'),
  }
  await refusal({ 'a.xml': saftFile(YEAR), 'b.xml': saftFile(later) }, 'different-companies')
  await refusal(saftFile({ ...YEAR, accounts: `${ACCOUNTS}\n1920 Bank 1.00 2.00` }), 'duplicate-account')
  await readsAsYear(saftFile({ ...YEAR, accounts: `${ACCOUNTS}\n1920 Bank 1000.00 1120.00` }))
})

test('an account that is used and not declared is told', () =>
  built(
    saftFile({
      ...YEAR,
      lines: `${LINES}\n3 2025-02-11 1920 -5.00\n3 2025-02-11 6800 5.00`,
      accounts: ACCOUNTS.replace('1120.00', '1115.00'),
    }),
    ({ result, statement }) => {
      assert.equal(codes(result.findings), ['undeclared-account'])
      assert.equal(statement('ProfitAndLoss').rows['6800'], ['0.00', '5.00'])
    },
  ))

const PT: SaftFile = {
  country: 'PT',
  accounts: `
    12 Depositos 0.00 0.00 GR
    1201 Banco 1000.00 1123.00 GM:12
    21 Clientes 0.00 0.00 GR
    2111 Clientes-gerais 0.00 0.00 GM:21
    2432 IVA-dedutivel 0.00 0.00 GM
    2433 IVA-liquidado 0.00 -23.00 GM
    2411 IRC 0.00 -21.00 GM
    51 Capital -1000.00 -1000.00 GM
    71 Vendas 0.00 0.00 GM
    8121 Imposto 0.00 0.00 GM
    811 RAI 0.00 0.00 GM
    818 Resultado 0.00 -79.00 GM`,
  lines: `
    1 2025-01-05 2111 123.00
    1 2025-01-05 71 -100.00
    1 2025-01-05 2433 -23.00
    2 2025-02-05 1201 123.00
    2 2025-02-05 2111 -123.00
    3 2025-12-31 8121 21.00 t:A p:14/2025
    3 2025-12-31 2411 -21.00
    4 2025-12-31 71 100.00 t:A p:14/2025
    4 2025-12-31 811 -100.00
    5 2025-12-31 811 100.00 t:A p:15/2025
    5 2025-12-31 8121 -21.00
    5 2025-12-31 818 -79.00`,
}
const builtPt = <T>(given: Given, look: (built: Built) => T | Promise<T>) => built(given, look, '', 'EUR')
const isPt = ({ result, statement }: Built): void => {
  assert.equal(codes(result.findings), [])
  const { rows, totals } = statement('ProfitAndLoss')
  assert.is(rows['71']![0], '100.00')
  assert.is(rows['8121']!.at(-1), '21.00', 'the tax of the year is an expense, though its entry is of type A')
  assert.is(totals.NetIncome!.at(-1), '-21.00')
  assert.is(statement('BalanceSheet').rows['818']!.at(-1), '79.00')
  assert.is(statement('BalanceSheet').totals.TotalEquity!.at(-1), '1079.00')
  assert.is(statement('CashFlow').totals.EndingCash!.at(-1), '1123.00')
}

test('Portugal: the entries that carry the result into equity are closing entries', () =>
  builtPt(saftFile(PT), isPt))

test('Portugal: closing balances may be those before the result was carried', async () => {
  const before = PT.accounts
    .replace('71 Vendas 0.00 0.00', '71 Vendas 0.00 -100.00')
    .replace('8121 Imposto 0.00 0.00', '8121 Imposto 0.00 21.00')
    .replace('818 Resultado 0.00 -79.00', '818 Resultado 0.00 0.00')
  await builtPt(saftFile({ ...PT, accounts: before }), isPt)
  const wrong = before.replace('71 Vendas 0.00 -100.00', '71 Vendas 0.00 -100.01')
  await refusedBooks(saftFile({ ...PT, accounts: wrong }), 'control-differs', 'EUR')
})

test('Portugal: headers of the chart carry no balance, and are parents; nothing may be posted to them', async () => {
  await builtPt(
    saftFile({
      ...PT,
      accounts: PT.accounts.replace('12 Depositos 0.00 0.00 GR', '12 Depositos 1000.00 1123.00 GR'),
    }),
    (read) => {
      isPt(read)
      const chart = read.read('chart-of-accounts.json')
      assert.match(chart, /"1201"[^}]*"12"/)
      assert.match(chart, /"12",[^}]*"IsHeader":true/)
    },
  )
  const posted = saftFile({ ...PT, lines: PT.lines.replaceAll('1201', '12') })
  assert.match((await refusal(posted, 'header-account', '', 'EUR')).message, 'headers of the chart: 12')
})

test('Portugal: both sides of a balance are netted; cost accounting is left out, which is told', async () => {
  const both = saftFile(PT).replace(
    '<OpeningDebitBalance>1000.00</OpeningDebitBalance><OpeningCreditBalance>0.00',
    '<OpeningDebitBalance>5000.00</OpeningDebitBalance><OpeningCreditBalance>4000.00',
  )
  await builtPt(both, isPt)
  const cost = saftFile({
    ...PT,
    accounts: `${PT.accounts}\n91 Custos 0.00 7.00 AM\n92 Refletidos 0.00 -7.00 AM`,
    lines: `${PT.lines}\n9 2025-03-01 91 7.00\n9 2025-03-01 92 -7.00`,
  })
  await builtPt(cost, ({ result, statement }) => {
    assert.match(only(result.findings, 'cost-accounting').message, '91, 92')
    assert.is(statement('BalanceSheet').totals.TotalEquity!.at(-1), '1079.00')
  })
})

test('Portugal: the next year opens with the result in equity, and moves it on', async () => {
  const next = saftFile({
    country: 'PT',
    selection: '2026-01-01 2026-12-31',
    accounts: `
      1201 Banco 1123.00 1173.00
      2411 IRC -21.00 -21.00
      2433 IVA-liquidado -23.00 -23.00
      51 Capital -1000.00 -1000.00
      56 Transitados 0.00 -79.00
      71 Vendas 0.00 -50.00
      818 Resultado -79.00 0.00`,
    lines: `
      1 2026-01-05 1201 50.00
      1 2026-01-05 71 -50.00
      2 2026-02-05 818 79.00
      2 2026-02-05 56 -79.00`,
  })
  await builtPt({ '2025.xml': saftFile(PT), '2026.xml': next }, ({ result, statement }) => {
    assert.equal(codes(result.findings), [])
    const equity = statement('BalanceSheet').rows
    assert.is(equity['56']!.at(-1), '79.00')
    assert.is(equity['current-year-earnings']!.at(-1), '50.00')
    assert.is(statement('CashFlow').totals.NetCashFromFinancing!.at(-1), '0.00')
  })
})

test('amounts without a leading zero, as some databases print them', () =>
  built(
    saftFile({
      accounts: '1920 Bank .00 .50\n2000 Kapital 0 0\n3000 Salg .00 -.50',
      lines: '1 2025-01-05 1920 .50\n1 2025-01-05 3000 -.50',
      totals: { debit: '.50', credit: '.50' },
    }),
    ({ result, statement }) => {
      assert.equal(codes(result.findings), [])
      assert.equal(statement('ProfitAndLoss').rows['3000'], ['0.50'])
    },
  ))

test('one late date makes no other fiscal year: the date counts, and the doubt is told', () =>
  built(
    saftFile({
      accounts: '1920 Bank 0.00 10.00\n3000 Salg 0.00 -10.00',
      lines: '1 2025-10-05 1920 10.00 p:9/2025\n1 2025-10-05 3000 -10.00',
    }),
    async (read) => {
      assert.equal(codes(read.result.findings), ['periods-not-months'])
      assert.equal([...new Set(await postings(read, 'date::VARCHAR', 'seq'))], ['2025-10-05'])
    },
  ))

test('a selection that is not a date or period is passed over: the entries say what the file covers', async () => {
  for (const selection of [
    '2025-02-31 2025-12-31',
    '0000-00-00 9999-99-99',
    '1 0 12 9999',
    '2025-12-31 2025-01-01',
  ])
    await built(saftFile({ ...YEAR, selection }), isYear)
  await refusal(saftFile({ ...YEAR, selection: 'x y', lines: '', totals: { entries: '0' } }), 'no-period')
})

test('the type of a voucher, where there is one, can mark openings and closings', () => {
  const file = saftFile({
    ...YEAR,
    accounts: ACCOUNTS.replace('1000.00 1120.00', '0.00 1120.00').replace(
      '-1000.00 -1000.00',
      '0.00 -1000.00',
    ),
    lines: `9 2025-01-01 1920 1000.00\n9 2025-01-01 2000 -1000.00\n${LINES}`,
    replace: [['<TransactionType>Normal', '<VoucherType>IB</VoucherType><TransactionType>Normal']],
  })
  return built(file, isYear, 'opening: { types: [IB] }')
})

test('more accounts than any chart has are refused before they fill the memory', async () => {
  const many = Array.from({ length: 200_001 }, (_, i) => `<Account><AccountID>${i}</AccountID></Account>`)
  const file = saftFile(YEAR).replace(
    '</GeneralLedgerAccounts>',
    () => `${many.join('')}</GeneralLedgerAccounts>`,
  )
  assert.match((await refusal(file, 'too-many-ids')).message, 'more than 200000 accounts')
})

test('add sets up a Norwegian file: name, year, currency, dimensions, kinds of accounts', () => {
  const text = saftFile({
    selection: '1 2024 3 2024',
    accounts: `1209 Akk-avskrivning-maskiner 0.00 0.00 12\n1920 Bank 10.00 20.00 19\n44 Eget 0.00 -10.00 salgsinntekt:3000\n1 Ukjent 1.00 1.00\n2 Annen 1.00 1.00 constructor:x\n8300 Skatt 0.00 0.00`,
    analyses: 'X Kostnadssted 1 Drift\nP Prosjekt 2 Bru\nS Selger 3 Ola',
    lines: '1 2024-07-05 1920 10.00 p:1/2024\n1 2024-07-05 44 -10.00',
  })
  return proposed({ 'export.XML': text }, ({ yaml }) => {
    for (const part of [
      'name: Bedriften AS',
      'fiscalMonthEnd: 6',
      'currency: NOK',
      'files: ledger/*.xml, format: saft } # SAF-T NO 1.30; its years begin in month 7',
      '"X": department # Kostnadssted',
      '"P": class # Prosjekt',
      '"S": none # Selger',
      '"1209": { classification: Asset, type: AccumulatedDepreciation }',
      '"1920": { classification: Asset, type: Bank }',
      '"44": { classification: Income, type: Sales }',
      '"8300": { classification: OtherExpense, type: IncomeTax }',
      '"1": { classification: FILL IN } # Ukjent; kind unknown: neither its number nor its grouping states it',
      // A grouping that no list knows, whatever word it is.
      '"2": { classification: FILL IN } # Annen; kind unknown',
    ])
      assert.ok(yaml.includes(part), `${part} in\n${yaml}`)
  })
})

test('add refuses what is not SAF-T Financial, and says why', () =>
  proposed(
    {
      'kasse.xml': '<AuditFile xmlns="urn:StandardAuditFile-Taxation-CashRegister:NO"><Header/></AuditFile>',
    },
    ({ result }) => {
      only(result.findings, 'no-financial-saft')
      assert.is(result.companyFile, 'unchanged')
    },
  ))
