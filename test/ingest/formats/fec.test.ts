/** FEC: what programs write against the regulation, and what is refused, each through a whole build. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import * as assert from 'uvu/assert'
import type { LedgerPlan } from '../../../builder/ingest/format/intake.ts'
import { classifyFecAccount } from '../../../builder/ingest/formats/fec/accounts.ts'
import { looksLikeFec } from '../../../builder/ingest/formats/fec/layout.ts'
import { spelledOut } from '../../../builder/workspace/findings/finding.ts'
import { suite } from '../../suite.ts'
import { proposed } from '../../support/added.ts'
import { COLUMNS, fecOf, type Line, lines } from '../../support/fec.ts'
import { column, fields } from '../../support/fields.ts'
import { intakeOf, statedIn } from '../../support/readings.ts'
import {
  type Built,
  buildWith,
  checkWith,
  codes,
  findingsOf,
  only,
  postings,
} from '../../support/workspace.ts'

const test = suite('FEC')

const YEAR = lines(`
  AN 1 20230101 512000 1000,00
  AN 1 20230101 101000 -1000,00
  VE 1 20230105 411000 120,00 F1 Vente
  VE 1 20230105 707000 -100,00 F1 Vente
  VE 1 20230105 445710 -20,00 F1 Vente
  BQ 1 20230210 512000 120,00 R1 Encaissement
  BQ 1 20230210 411000 -120,00 R1 Encaissement`)

/** `-1234,50` or `1234.50` as cents. */
const cents = (text: string) => Math.round(Number(text.replace(',', '.')) * 100)

const NAME = '123456789FEC20231231.txt'
const yaml = (more = '', files = '*FEC*') =>
  `id: acme\nname: Acme\nfiscalMonthEnd: 12\ncurrency: EUR\nledger: [{ files: "${files}" }]\n${more}\n`
const built = <T>(fec: string | Buffer, look: (built: Built) => T | Promise<T>, more = '', name = NAME) =>
  buildWith(company(fec, more, name), look)
const company = (fec: string | Buffer, more = '', name = NAME) => ({
  'company.yaml': yaml(more),
  [name]: fec,
})
const findingsIn = async (fec: string | Buffer, more = '') => (await intakeOf(company(fec, more))).findings
/** What is refused where it is read. */
const refusal = async (fec: string | Buffer, code: string, more = '') => {
  const found = only(await findingsIn(fec, more), code)
  assert.is(found.severity, 'error')
  return found
}

/** The figures of {@link YEAR}, however its file is written. */
const isYear = (read: Built): void => {
  assert.equal(
    codes(read.result.findings).filter((code) => code !== 'cash-basis-unlinked'),
    [],
  )
  assert.equal(read.statement('ProfitAndLoss').totals.NetIncome, ['100.00', '0.00'])
  const cash = read.statement('CashFlow').totals
  assert.equal(cash.BeginningCash, ['1000.00', '1000.00'], 'the opening is no activity')
  assert.equal(cash.EndingCash, ['1000.00', '1120.00'])
}

/** Whatever it is written like, the books get of it what they get of {@link YEAR}. */
const readsAsYear = async (fec: string | Buffer, year = YEAR) =>
  assert.equal(statedIn(await intakeOf(company(fec))), statedIn(await intakeOf(company(fecOf(year)))))

test('as the regulation has it', () => built(fecOf(YEAR), isYear))

test('separated by |, with the separator at the end of each line', () => {
  const piped = fecOf(YEAR, { delimiter: '|' }).replaceAll('\r\n', '|\r\n')
  return readsAsYear(piped)
})

test('padded fields, zeros before amounts, blank amounts', () => {
  const padded = YEAR.map((row) => ({
    ...row,
    CompteNum: `${row.CompteNum}    `,
    JournalCode: ` ${row.JournalCode} `,
    Debit: row.Debit === '0,00' ? '   ' : `0000000${row.Debit}`,
  }))
  return readsAsYear(fecOf(padded))
})

test('columns in another order, other capitals, cells in quotation marks', async () => {
  const columns = [...COLUMNS].reverse()
  await readsAsYear(fecOf(YEAR, { columns }))
  const [, ...body] = fecOf(YEAR).split('\r\n')
  await readsAsYear([COLUMNS.join('\t').toUpperCase(), ...body].join('\r\n'))
  const quoted = fecOf(YEAR).replace(/[^\t\r\n]+/g, '"$&"')
  await readsAsYear(quoted)
})

test('Montant and Sens in place of Debit and Credit', async () => {
  const columns = COLUMNS.map((column) => ({ Debit: 'Montant', Credit: 'Sens' })[column] ?? column)
  for (const [debit, credit] of [
    ['D', 'C'],
    ['+1', '-1'],
  ] as const) {
    const signed = YEAR.map((row) => ({
      ...row,
      Montant: row.Debit === '0,00' ? row.Credit! : row.Debit!,
      Sens: row.Debit === '0,00' ? credit : debit,
    }))
    await readsAsYear(fecOf(signed, { columns }))
  }
  const neither = YEAR.map((row) => ({ ...row, Montant: row.Debit!, Sens: 'X' }))
  assert.is((await refusal(fecOf(neither.slice(0, 1), { columns }), 'unreadable-side')).column, 'Sens')
})

test('every line end, blank lines, a byte order mark, ISO 8859-15', async () => {
  for (const end of ['\n', '\r', '\r\r\n']) await readsAsYear(fecOf(YEAR, { end }))
  await built(`\ufeff${fecOf(YEAR)}\r\n\r\n\u001a`, isYear)
  const latin = YEAR.map((row) => ({ ...row, EcritureLib: 'Réglé 10 €' }))
  const bytes = Buffer.from([...fecOf(latin)].map((char) => (char === '€' ? 0xa4 : char.charCodeAt(0))))
  await readsAsYear(bytes, latin)
})

test('the separator inside a label', () => {
  const piped = fecOf(
    YEAR.map((row) => ({ ...row, EcritureLib: 'Vente | acompte|solde', CompAuxLib: '' })),
    { delimiter: '|' },
  )
  return built(piped, (read) => {
    const told = only(read.result.findings, 'separator-in-label')
    assert.match(told.message, '7 lines hold')
    assert.equal([told.severity, told.row], ['note', 2])
    assert.equal(read.statement('CashFlow').totals.EndingCash, ['1000.00', '1120.00'])
  })
})

test('a separator too many where no label explains it', async () => {
  const rows = fecOf(YEAR, { delimiter: '|' }).split('\r\n')
  rows[3] = rows[3]!.replace('120,00', '12|0,00|x')
  const found = await refusal(rows.join('\r\n'), 'column-count')
  assert.is(found.row, 4)
})

test('quotes and commas in labels are text', async () => {
  const { ledger } = await intakeOf(
    company(fecOf(YEAR.map((row) => ({ ...row, EcritureLib: 'écran 24", "noir' })))),
  )
  assert.is((ledger[0] as LedgerPlan).path.split('"écran 24"", ""noir"').length, 8)
})

test('EcritureNum 0 on every line: the finest grouping that balances', () => {
  const rows = lines(`
    AN 0 20230101 512000 1000,00
    AN 0 20230101 101000 -1000,00
    VE 0 20230105 411000 120,00 F1
    VE 0 20230105 707000 -120,00 F1
    VE 0 20230105 411000 60,00 F2
    VE 0 20230105 707000 -60,00 F2
    BQ 0 20230110 512000 50,00 R1
    BQ 0 20230110 411000 -50,00 R2
    OD 0 20230112 607000 30,00 P1
    OD 0 20230114 401000 -30,00 P2`)
  return built(fecOf(rows), async (read) => {
    assert.equal(
      codes(read.result.findings).filter((code) => code !== 'abnormal-balance'),
      ['entries-joined'],
    )
    assert.equal(await postings(read, 'row, transaction_id'), [
      '4 2023 VE 2023-01-05 F1',
      '5 2023 VE 2023-01-05 F1',
      '6 2023 VE 2023-01-05 F2',
      '7 2023 VE 2023-01-05 F2',
      '8 2023 BQ 2023-01-10',
      '9 2023 BQ 2023-01-10',
      '10 2023 OD 2023-01',
      '11 2023 OD 2023-01',
    ])
  })
})

test('entry numbers that begin anew each month are entries of their own', () => {
  const rows = lines(`
    VE 1 20230105 411000 120,00
    VE 1 20230105 707000 -120,00
    VE 1 20230205 512000 60,00
    VE 1 20230205 707000 -60,00`)
  return built(fecOf(rows), async (read) => {
    assert.equal(await postings(read, 'DISTINCT transaction_id'), [
      '2023 VE 1 2023-01-05',
      '2023 VE 1 2023-02-05',
    ])
  })
})

test('the first and the last number of each journal are those of the source', async () => {
  const rows = ['VE 3', 'VE 7', 'BQ A-2', 'VE 1', 'BQ A-10'].map(
    (entry) => `${entry} 20230105 512000 1,00\n${entry} 20230105 707000 -1,00`,
  )
  const { sources } = await intakeOf(company(fecOf(lines(rows.join('\n')))))
  assert.equal(sources.find(({ role }) => role === 'ledger')?.numbers, ['VE 1 to 7', 'BQ A-2 to 10'])
})

/** One sale for each journal and number, `VE 1; BQ 2`; with the message of a gap, if there is one. */
const gapIn = async (entries: string): Promise<string | null> => {
  const text = entries
    .split('; ')
    .map((entry) => `${entry} 20230105 512000 1,00\n${entry} 20230105 707000 -1,00`)
    .join('\n')
  const findings = (await findingsIn(fecOf(lines(text)))).map(spelledOut)
  return findings.find(({ code }) => code === 'voucher-gap')?.message ?? null
}

test('a gap in the numbers of entries is one warning, and none is told where no number is missing', async () => {
  // Through all journals, journal by journal, with a prefix, none at all, by month, and one journal beginning at a number of its own.
  for (const entries of [
    'AN 1; VE 2; BQ 3; VE 4',
    'AN 1; VE 1; VE 2; BQ 1; BQ 2',
    'VE VE001; VE VE002; BQ BQ017; BQ BQ018',
    'VE 0; BQ 0',
    'VE 2023010001; VE 2023010002; VE 2023020001',
    'VE 1; VE 2; BQ 1001; BQ 1002; OD 5000; OD 5001',
  ])
    assert.is(await gapIn(entries), null, entries)
  const many = Array.from({ length: 30 }, (_, i) => `VE ${2 * i + 1}`).join('; ')
  for (const [entries, told] of [
    [
      'AN 1; VE 2; BQ 4; VE 5; VE 8',
      /^3 numbers of entries are missing, .* through all journals: 3, 6 to 7$/,
    ],
    ['VE 1; VE 3; BQ 1; BQ 2; BQ 5', /^3 numbers .*, where .* numbered journal by journal: VE 2, BQ 3 to 4$/],
    ['VE VE1; VE VE2; VE VE4', /^1 number of entries is missing, .* through all journals: VE3$/],
    [many, /^29 numbers .*: 2, 4, .*, 40, and 9 more$/],
  ] as const)
    assert.match((await gapIn(entries))!, told)
})

test('openings by the journal’s name, by its code, or as company.yaml says', async () => {
  const named = (code: string, name: string) =>
    YEAR.map((row) => (row.JournalCode === 'AN' ? { ...row, JournalCode: code, JournalLib: name } : row))
  for (const [code, name] of [
    ['90', 'A NOUVEAUX'],
    ['RN', 'Report à nouveau'],
    ['X1', 'Journal des à-nouveaux'],
    ['ANO', ''],
    ['AN', 'OD54'],
  ] as const)
    assert.equal((await intakeOf(company(fecOf(named(code, name))))).openingJournals, [code])
  await built(fecOf(named('OUV', 'OUVERTURE')), isYear, 'opening: { journals: [OUV] }')
  await built(
    fecOf(YEAR),
    (read) => assert.equal(read.statement('CashFlow').totals.BeginningCash, ['0.00', '1000.00']),
    'opening: { journals: [] }',
  )
  assert.equal(
    (await intakeOf(company(fecOf(named('AN', 'ACHATS NORD'))))).openingJournals,
    [],
    'another journal',
  )
})

test('openings that do not net, stand inside the year, or on accounts of results', async () => {
  const change = (at: number, change: Line) =>
    fecOf(YEAR.map((row, i) => (i === at ? { ...row, ...change } : row)))
  await built(change(0, { Debit: '999,00' }), ({ result }) => {
    assert.is(result.outcome, 'refused')
    only(result.findings, 'opening-unbalanced')
  })
  const late = await refusal(change(1, { EcritureDate: '20230601' }), 'opening-inside-year')
  assert.is(late.row, 3)
  await built(change(1, { CompteNum: '707000' }), ({ result }) => {
    assert.is(only(result.findings, 'result-in-opening').row, 3)
    assert.is.not(result.snapshotId, null)
  })
  // On another day of its first month an opening still is the state at the start.
  await built(
    fecOf(YEAR.map((row) => (row.JournalCode === 'AN' ? { ...row, EcritureDate: '20230102' } : row))),
    isYear,
  )
})

const DETAILED = lines(`
  AN 0 20230101 512000 1000,00
  AN 0 20230101 101000 -1300,00
  AN 0 20211130 411000 100,00 F-9 Facture
  AN 0 20221215 411000 200,00 F-90 Facture`)
const ACTIVITY = YEAR.filter(({ JournalCode }) => JournalCode !== 'AN')

for (const [what, rows, more] of [
  ['beside others of the first day', DETAILED, ''],
  [
    'alone',
    DETAILED.map((row) => ({ ...row, EcritureDate: row.EcritureDate!.replace('20230101', '20221231') })),
    '',
  ],
  [
    'in books of several stated years',
    DETAILED,
    'fiscalYears: [{ start: 2022-01-01, end: 2022-12-31 }, { start: 2023-01-01, end: 2023-12-31 }]',
  ],
] as const)
  test(`detailed openings with the dates of their invoices are the first day's, ${what}`, () =>
    built(
      fecOf([...rows, ...ACTIVITY]),
      ({ result, statement }) => {
        assert.equal(codes(result.findings), [])
        assert.is(result.coverage!.startDate, '2023-01-01')
        assert.equal(statement('CashFlow').totals.BeginningCash, ['1000.00', '1000.00'])
        assert.equal(statement('BalanceSheet').rows['411000'], ['420.00', '300.00'])
      },
      more,
    ))

const samples = resolve(import.meta.dirname, '../../../../shared/samples/fec')
const real = join(samples, '000000000FEC20231231.txt')
const realTest = existsSync(real) ? test : test.skip
for (const name of existsSync(samples)
  ? readdirSync(samples).filter((each) => /FEC\d+\.txt$/i.test(each))
  : [])
  realTest(`no number is missing in ${name}`, () =>
    checkWith({ 'company.yaml': yaml(), [name]: readFileSync(join(samples, name)) }, ({ result }) =>
      assert.not(codes(result.findings).includes('voucher-gap')),
    ),
  )

realTest('a real file: 22 columns, no numbers, openings dated 2021 to 2023 that belong to 2023', () => {
  const bytes = readFileSync(real)
  const rows = bytes
    .toString('latin1')
    .trim()
    .split(/\r?\n/)
    .map((line) => line.split('\t'))
  const sum = (isOf: (cells: readonly string[]) => boolean) =>
    rows
      .slice(1)
      .filter(isOf)
      .reduce((total, cells) => total + cents(cells[11]!) - cents(cells[12]!), 0)
  assert.is(
    sum((cells) => cells[0] === 'AD'),
    0,
  )
  return built(
    bytes,
    ({ result, statement }) => {
      assert.is.not(result.snapshotId, null)
      assert.is(result.coverage!.startDate, '2023-01-01')
      const cash = statement('CashFlow').totals
      const bank = (cells: readonly string[]) => /^5[1348]/.test(cells[4]!)
      assert.is(
        cents(cash.BeginningCash![0]!),
        sum((cells) => bank(cells) && cells[0] === 'AD'),
      )
      assert.is(cents(cash.EndingCash!.at(-1)!), sum(bank))
    },
    '',
    '000000000FEC20231231.txt',
  )
})

test('an entry that holds each of its lines twice is told', async () => {
  const [, , ...rest] = YEAR
  const sale = rest.slice(0, 3)
  const twice = [...YEAR.slice(0, 2), ...sale, ...sale, ...rest.slice(3)]
  const lineByLine = [...YEAR.slice(0, 2), ...sale.flatMap((line) => [line, line]), ...rest.slice(3)]
  for (const rows of [twice, lineByLine])
    await built(fecOf(rows), ({ result }) => {
      const found = only(result.findings, 'entry-repeated')
      assert.equal([found.severity, found.row], ['warning', 7])
      assert.match(found.message, 'the lines of entry 2023 VE 1 stand twice in this file: in row 4')
    })
  // Openings that stand twice are doubled figures too.
  await built(fecOf([...YEAR.slice(0, 2), ...YEAR]), ({ result }) =>
    assert.is(only(result.findings, 'entry-repeated').row, 4),
  )
})

test('a file that was appended to itself is refused where its numbers are a series, and asked about where they are none', async () => {
  const repeated = async (rows: readonly Line[]) => {
    const { severity, row, message } = only(await findingsOf(company(fecOf(rows))), 'entry-repeated')
    return [severity, row, message]
  }
  assert.equal(await repeated([...YEAR, ...YEAR]), [
    'error',
    9,
    '3 entries, 2023 AN 1 first, stand in the file twice, with the same number, date and lines, and would count twice',
  ])
  assert.equal(await repeated([...YEAR, ...YEAR.slice(2, 5)]), [
    'error',
    9,
    'entry 2023 VE 1 stands in the file twice, with the same number, date and lines, and would count twice',
  ])
  const unnumbered = YEAR.slice(2).map((line) => ({ ...line, EcritureNum: '0' }))
  const asked = fecOf([...YEAR.slice(0, 2), ...unnumbered, ...unnumbered])
  assert.is(only(await findingsOf(company(asked)), 'entry-repeated').severity, 'warning')
})

const NEXT = lines(`
  AN 1 20240101 512000 1120,00
  AN 1 20240101 101000 -1000,00
  AN 1 20240101 445710 -20,00
  AN 1 20240101 120000 -100,00
  VE 1 20240105 411000 50,00
  VE 1 20240105 707000 -50,00`)

test('years in a row: the closed year end stays as it was when the next year opens with its result moved', async () => {
  const at = (month: string, read: Built) => {
    const { months, rows } = read.statement('BalanceSheet')
    return ['120000', 'current-year-earnings', 'prior-years-not-closed'].map(
      (id) => rows[id]?.[months.indexOf(month)] ?? '0.00',
    )
  }
  await built(fecOf(YEAR), (read) => assert.equal(at('2023-02', read), ['0.00', '100.00', '0.00']))
  const both = { 'company.yaml': yaml(), [NAME]: fecOf(YEAR), '123456789FEC20241231.txt': fecOf(NEXT) }
  await buildWith(both, (read) => {
    assert.equal(codes(read.result.findings), [])
    assert.equal(at('2023-12', read), ['0.00', '100.00', '0.00'])
    assert.equal(at('2024-01', read), ['100.00', '50.00', '0.00'])
    assert.is(read.statement('CashFlow').totals.EndingCash!.at(-1), '1120.00')
  })
})

test('letters link invoice and payment: the cash basis is derived; letters of two customers are two', () => {
  const rows = YEAR.map((row) =>
    row.CompteNum === '411000'
      ? { ...row, CompAuxNum: 'C1', CompAuxLib: 'Client un', EcritureLet: 'AA' }
      : row,
  )
  const other = lines(`
    VE 2 20230106 411000 30,00 F2
    VE 2 20230106 707000 -30,00 F2`).map((row) =>
    row.CompteNum === '411000' ? { ...row, CompAuxNum: 'C2', EcritureLet: 'AA' } : row,
  )
  return built(fecOf([...rows, ...other]), (read) => {
    assert.equal(codes(read.result.findings), [])
    assert.equal(read.statement('ProfitAndLoss', { basis: 'CASH' }).totals.NetIncome, ['0.00', '100.00'])
    assert.equal(
      read.statement('CashFlow', { basis: 'CASH' }).totals.EndingCash,
      read.statement('CashFlow').totals.EndingCash,
    )
  })
})

test('a lettered opening receivable is collected', () => {
  const rows = lines(`
    AN 1 20230101 411000 500,00
    AN 1 20230101 101000 -500,00
    BQ 1 20230210 512000 500,00
    BQ 1 20230210 411000 -500,00`).map((row) =>
    row.CompteNum === '411000' ? { ...row, EcritureLet: 'A' } : row,
  )
  return built(fecOf(rows), (read) => {
    const results = read.statement('ProfitAndLoss', { basis: 'CASH' })
    assert.equal(results.rows['opening-receivables-collected'], ['0.00', '500.00'])
  })
})

test('the fiscal year: by the name, by the entries where it cannot be, by company.yaml', async () => {
  const yearOf = async (name: string, rows: readonly Line[]) => {
    const { fiscalYears, findings } = await intakeOf(company(fecOf(rows), '', name))
    const told = codes(findings).includes('fiscal-year-assumed')
    return `${fiscalYears.map(({ start, end }) => `${start} ${end}`).join(', ')}${told ? ' assumed' : ''}`
  }
  assert.is(await yearOf('123456789FEC20230630.txt', YEAR), '2023-01-01 2023-06-30')
  assert.is(await yearOf('123456789FEC20231231.txt', YEAR.slice(2)), '2023-01-01 2023-12-31')
  assert.is(await yearOf('123456789FEC20230630.txt', YEAR.slice(2)), '2022-07-01 2023-06-30')
  assert.is(await yearOf('exportFEC.txt', YEAR), '2023-01-01 2023-12-31 assumed')
  assert.is(await yearOf('123456789FEC20501231.txt', YEAR), '2023-01-01 2023-12-31 assumed')
  const long = [...YEAR, ...lines('OD 1 20240115 607000 1,00\nOD 1 20240115 512000 -1,00')]
  assert.is(await yearOf('123456789FEC20221231.txt', long), '2023-01-01 2024-01-31 assumed')
  const stated = 'fiscalYears: [{ start: 2023-01-01, end: 2023-03-31 }]'
  await built(
    fecOf(YEAR),
    async (read) => {
      const { frame } = await read.books()
      assert.equal(
        frame.fiscalYears.map(({ start, end }) => `${start} ${end}`),
        ['2023-01-01 2023-03-31'],
      )
      assert.not(codes(read.result.findings).includes('fiscal-year-assumed'))
    },
    stated,
    'exportFEC.txt',
  )
})

test('a year that was exported twice, another company’s file, the same file twice', async () => {
  const refused = (files: Record<string, string>, code: string) =>
    buildWith({ 'company.yaml': yaml(), [NAME]: fecOf(YEAR), ...files }, ({ result }) => {
      assert.is(result.snapshotId, null)
      return only(result.findings, code)
    })
  const again = await refused({ 'newFEC.txt': fecOf(YEAR.slice(0, 5)) }, 'duplicate-year')
  assert.match(again.message, `overlaps 2023-01-01 to 2023-12-31`)
  const other = await refused({ '999999999FEC20241231.txt': fecOf(NEXT) }, 'different-companies')
  assert.is(other.text, '999999999')
  await refused({ 'copyFEC.txt': fecOf(YEAR) }, 'same-file-twice')
})

/** What is wrong with the first line of an entry, and the column where it is told. */
const FAULTS: readonly (readonly [code: string, column: string, change: Line])[] = [
  ['unreadable-date', 'EcritureDate', { EcritureDate: '20230231' }],
  ['unreadable-date', 'EcritureDate', { EcritureDate: '' }],
  ['missing-account', 'CompteNum', { CompteNum: '' }],
  ['unreadable-amount', 'Debit', { Debit: '12,0,0' }],
  ['unreadable-amount', 'Credit', { Credit: 'abc' }],
  ['too-many-decimals', 'Debit', { Debit: '120,005' }],
  ['amount-too-large', 'Debit', { Debit: '99999999999999999' }],
  ['missing-amount', 'Debit', { Debit: '', Credit: '' }],
  ['debit-and-credit', 'Debit', { Credit: '1,00' }],
  ['unclassified-account', 'CompteNum', { CompteNum: '890000' }],
]
test('each mistake of a file is one finding, with its line and column', async () => {
  const entries = FAULTS.flatMap(([, , change], i) => {
    const [debit, credit] = lines(`VE ${i} 20230105 411000 120,00\nVE ${i} 20230105 707000 -120,00`)
    return [{ ...debit!, ...change }, credit!]
  })
  await checkWith(company(fecOf(entries)), ({ result }) => {
    assert.is(result.outcome, 'refused')
    const errors = result.findings.filter(({ severity }) => severity === 'error')
    assert.equal(
      errors
        .map(({ code, file, row, column }) => [code, file, row, column])
        .sort((a, b) => Number(a[2]) - Number(b[2])),
      FAULTS.map(([code, column], i) => [code, NAME, 2 * i + 2, column]),
    )
    assert.ok(errors.every(({ remedy }) => remedy))
  })
  const unbalanced = fecOf(YEAR.map((row, i) => (i === 2 ? { ...row, Debit: '120,01' } : row)))
  const errors = (await findingsOf(company(unbalanced))).filter(({ severity }) => severity === 'error')
  assert.equal(fields(errors, 'code', 'row', 'column'), [['unbalanced-transaction', 4, 'EcritureNum']])
})

test('a file that was cut off, has no lines, lacks columns, or is one endless line', async () => {
  const whole = fecOf(YEAR)
  assert.is((await refusal(whole.slice(0, -40), 'column-count')).row, 8)
  await refusal(fecOf([]), 'no-transactions')
  const columns = COLUMNS.filter((column) => column !== 'Credit')
  assert.is((await refusal(fecOf(YEAR, { columns }), 'missing-column')).column, 'Credit')
  const endless = await refusal(whole + 'x'.repeat(5 << 20), 'line-too-long')
  assert.is(endless.row, 9)
  assert.ok(endless.text!.length < 100)
})

test('thousands of faulty lines are listed up to a number and counted beyond it', () => {
  const rows = Array.from({ length: 3000 }, () => ({ ...YEAR[2]!, EcritureDate: 'x' }))
  return built(fecOf(rows), ({ result }) => {
    const found = result.findings.filter(({ code }) => code === 'unreadable-date')
    assert.is(found.length, 201)
    assert.match(found.at(-1)!.message, 'and 2800 more')
  })
})

test('amounts with a decimal point, in brackets of blanks, negative ones as written', () => {
  const rows = YEAR.map((row) => ({
    ...row,
    Debit: row.Debit!.replace(',', '.'),
    Credit: row.Credit === '1000,00' ? '1 000,00' : row.Credit!,
  }))
  const storno = lines(`
    VE 9 20230120 411000 10,00
    VE 9 20230120 707000 -10,00`).map((row) => ({
    ...row,
    Debit: row.Debit === '0,00' ? '0,00' : `-${row.Debit}`,
    Credit: row.Credit === '0,00' ? '0,00' : `-${row.Credit}`,
  }))
  return built(fecOf([...rows, ...storno]), (read) =>
    assert.equal(read.statement('ProfitAndLoss').totals.NetIncome, ['90.00', '0.00']),
  )
})

test('a company that states its accounts is told of new ones; another currency is told', async () => {
  await built(
    fecOf(YEAR),
    ({ result }) => {
      const told = result.findings.filter(({ code }) => code === 'account-not-stated')
      assert.equal(told.map(({ text }) => text).sort(), ['101000', '411000', '445710', '707000'])
    },
    'accounts: { "512000": { classification: Asset, type: Bank } }',
  )
  await checkWith(
    { 'company.yaml': yaml().replace('EUR', 'USD'), [NAME]: fecOf(YEAR) },
    ({ result }) => void only(result.findings, 'currency-mismatch'),
  )
})

test('add sets all up; an account that no class describes is a marked blank', () => {
  const odd = lines('OD 1 20230301 890000 5,00\nOD 1 20230301 512000 -5,00')
  return proposed({ '123456789FEC20230331.TXT': fecOf([...YEAR, ...odd]) }, ({ result, yaml }) => {
    assert.equal(result.findings, [])
    assert.equal(fields(result.files, 'kind', 'to'), [['fec', 'ledger/123456789FEC20230331.fec']])
    assert.equal(column(result.questions, 'column'), ['accounts.890000.classification'])
    for (const line of [
      'fiscalMonthEnd: 3',
      'currency: EUR',
      '- { start: 2023-01-01, end: 2023-03-31 }',
      '{ files: ledger/*.fec, format: fec } # opening balances: journal AN',
      '"707000": { classification: Income, type: Sales } # Ventes',
      '"890000": { classification: FILL IN }',
    ])
      assert.ok(yaml.includes(line), line)
  })
})

test('what a FEC is, by its header alone', () => {
  assert.ok(looksLikeFec(fecOf(YEAR)))
  assert.ok(looksLikeFec(`\ufeff${fecOf(YEAR, { delimiter: '|' })}`))
  assert.ok(looksLikeFec(COLUMNS.join(';').toLowerCase()))
  assert.not.ok(looksLikeFec('transaction_id,date,account,amount\n'))
  assert.not.ok(looksLikeFec('CompteNum\tDebit\tCredit\n'))
})

test('kinds of accounts by the plan comptable', () => {
  const kind = (id: string) => {
    const found = classifyFecAccount(id, undefined)
    return found === null ? null : `${found.classification} ${found.type}`.trim()
  }
  const KINDS = {
    '101300': 'Equity Capital',
    '106100': 'Equity RetainedEarnings',
    '129': 'Equity RetainedEarnings',
    '164000': 'Liability LongTermLiability',
    '2154': 'Asset FixedAsset',
    '28154': 'Asset AccumulatedDepreciation',
    '370000': 'Asset Inventory',
    '401ABC': 'Liability AccountsPayable',
    '409100': 'Asset OtherCurrentAsset',
    '411000': 'Asset AccountsReceivable',
    '419100': 'Liability OtherCurrentLiability',
    '445660': 'Asset SalesTax',
    '445710': 'Liability SalesTax',
    '455100': 'Liability LongTermLiability',
    '486000': 'Asset OtherCurrentAsset',
    '512000': 'Asset Bank',
    '519000': 'Liability Bank',
    '580000': 'Asset Bank',
    '606100': 'Expense Expense',
    '607000': 'CostOfSales CostOfSales',
    '641000': 'Expense Expense',
    '661000': 'OtherExpense OtherExpense',
    '681100': 'Expense Depreciation',
    '687100': 'OtherExpense Depreciation',
    '695000': 'OtherExpense IncomeTax',
    '707000': 'Income Sales',
    '740000': 'Income',
    '771000': 'OtherIncome OtherIncome',
    '791000': 'Income',
    '181000': null,
    '861000': 'Asset NotInStatements',
    '890000': null,
    '900000': null,
    C0001: null,
  }
  for (const [id, expected] of Object.entries(KINDS)) assert.is(kind(id), expected, id)
})
