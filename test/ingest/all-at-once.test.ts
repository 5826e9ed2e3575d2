/** Two mistakes that have nothing to do with one another are told in one check, and nothing that is only their consequence. */

import * as assert from 'uvu/assert'
import { spelledOut } from '../../builder/workspace/findings/finding.ts'
import { suite } from '../suite.ts'
import { fecOf, lines } from '../support/fec.ts'
import { saftFile } from '../support/saft.ts'
import { checkWith, companyYaml, type Files, ledgerCsv } from '../support/workspace.ts'

const test = suite('findings all at once')

const yaml = (currency: string, files: string) =>
  `id: acme\nname: Acme\nfiscalMonthEnd: 12\ncurrency: ${currency}\nledger: [{ files: "${files}" }]\n`

/** Codes of the errors, in order of the alphabet, and what is said not to have been checked. */
const errorsOf = (files: Files): Promise<string[]> =>
  checkWith(files, ({ result }) =>
    result.findings
      .map(spelledOut)
      .flatMap(({ severity, code, message }) =>
        severity === 'error' ? [code] : code === 'not-checked' ? [message] : [],
      )
      .sort(),
  )

/** Lines of a sound SIE file, with some in the place of others. */
const sie = (...changes: (readonly [from: string, to: string])[]): Promise<string[]> => {
  const text = changes.reduce(
    (read, [from, to]) => {
      assert.ok(read.includes(from), from)
      return read.replace(from, to)
    },
    `#FLAGGA 0
#FORMAT PC8
#SIETYP 4
#FNAMN "Acme"
#RAR 0 20250101 20251231
#KONTO 1930 "Bank"
#KONTO 2081 "Kapital"
#KONTO 3010 "Sales"
#IB 0 1930 100.00
#IB 0 2081 -100.00
#UB 0 1930 250.00
#UB 0 2081 -100.00
#RES 0 3010 -150.00
#VER A 1 20250301 "one"
{
#TRANS 1930 {} 50.00
#TRANS 3010 {} -50.00
}
#VER A 2 20250401 "two"
{
#TRANS 1930 {} 100.00
#TRANS 3010 {} -100.00
}
`,
  )
  return errorsOf({ 'company.yaml': yaml('SEK', '*.se'), 'a.se': text })
}
const SIE_VOUCHER = ['#TRANS 3010 {} -100.00', '#TRANS 3010 {} -101.00'] as const
const SIE_OPENING = ['#IB 0 2081 -100.00', '#IB 0 2081 -90.00'] as const

test('SIE: the sound file has no error', async () => assert.equal(await sie(), []))

test('SIE: an unbalanced voucher and an opening that does not net to zero, without the balances that follow', async () =>
  assert.equal(await sie(SIE_VOUCHER, SIE_OPENING), ['opening-unbalanced', 'unbalanced-transaction']))

test('SIE: an account of unknown kind, an unbalanced voucher and an opening', async () => {
  const account = ['#TRANS 1930 {} 50.00', '#TRANS 9000 {} 50.00'] as const
  assert.equal(await sie(account, SIE_VOUCHER, SIE_OPENING), [
    'control-differs',
    'opening-unbalanced',
    'unbalanced-transaction',
    'unclassified-account',
  ])
})

test('SIE: an account of unknown kind and a closing balance', async () => {
  const account = ['#TRANS 3010 {} -50.00\n', '#TRANS 3010 {} -51.00\n#TRANS 9000 {} 1.00\n'] as const
  const closing = ['#UB 0 1930 250.00', '#UB 0 1930 260.00'] as const
  const result = ['#RES 0 3010 -150.00', '#RES 0 3010 -151.00'] as const
  assert.equal(await sie(account, result, closing), ['control-differs', 'unclassified-account'])
})

test('SIE: an unbalanced voucher and a closing balance that it does not explain', async () =>
  assert.equal(await sie(SIE_VOUCHER, ['#UB 0 1930 250.00', '#UB 0 1930 260.00']), [
    'control-differs',
    'unbalanced-transaction',
  ]))

test('SIE: a voucher that does not balance explains the closings that differ by just that', async () => {
  const both = ['#TRANS 1930 {} 100.00', '#TRANS 1930 {} 99.00'] as const
  assert.equal(await sie(both, ['#TRANS 3010 {} -50.00', '#TRANS 3010 {} -55.00']), [
    'unbalanced-transaction',
    'unbalanced-transaction',
  ])
})

const SIE_UNREAD = ['#TRANS 3010 {} -100.00', '#TRANS 3010 {} -1O0.00'] as const
const UNREAD_RESULT = 'the result of account 3010 was not checked, because of the error in line 22'

test('SIE: a line that cannot be read, an unbalanced voucher, openings and a closing balance', async () =>
  assert.equal(
    await sie(SIE_UNREAD, ['#TRANS 3010 {} -50.00', '#TRANS 3010 {} -51.00'], SIE_OPENING, [
      '#UB 0 1930 250.00',
      '#UB 0 1930 260.00',
    ]),
    [
      'control-differs',
      'opening-unbalanced',
      UNREAD_RESULT,
      'unbalanced-transaction',
      'unreadable-amount',
    ].sort(),
  ))

test('SIE: an opening that cannot be read: whether openings net to zero is not judged, the rest is', async () =>
  assert.equal(await sie(['#IB 0 2081 -100.00', '#IB 0 2081 -1O0.00'], SIE_VOUCHER), [
    'the closing balance of account 2081 was not checked, because of the error in line 10',
    'unbalanced-transaction',
    'unreadable-amount',
    'whether the opening balances add up to zero was not checked, because of the error in line 10',
  ]))

test('SIE: a voucher whose head cannot be read may touch any account', async () =>
  assert.equal(await sie(['#VER A 2 20250401 "two"', '#VER A 2 20250401 "two'], SIE_OPENING), [
    'opening-unbalanced',
    'the closing balance of accounts 1930, 2081 was not checked, because of the error in line 19',
    UNREAD_RESULT.replace('22', '19'),
    'unreadable-line',
  ]))

/** `VE 1 20230105 707000 0,00 100,00`: journal, number, date, account, debit, credit. */
const fec = (text: string): Promise<string[]> => {
  const rows = text
    .trim()
    .split('\n')
    .map((line) => {
      const [journal, number, date, account, Debit, Credit] = line.replace(/^ {2}/, '').split(' ') as string[]
      const [read] = lines(`${journal || '-'} ${number || '-'} ${date} ${account || '-'} 0,00 p x`)
      const stated = { JournalCode: journal!, EcritureNum: number!, CompteNum: account! }
      return { ...read, ...stated, Debit: Debit!, Credit: Credit! }
    })
  return errorsOf({ 'company.yaml': yaml('EUR', '*FEC*'), '123456789FEC20231231.txt': fecOf(rows) })
}
const FEC_OPENING = `AN 1 20230101 512000 1000,00 0,00
  AN 1 20230101 101000 0,00 1000,00`
const FEC_WRONG_OPENING = FEC_OPENING.replace('0,00 1000,00', '0,00 900,00')
const FEC_SALE = `VE 1 20230105 512000 120,00 0,00
  VE 1 20230105 707000 0,00 120,00`
const FEC_UNBALANCED = FEC_SALE.replaceAll(' 1 ', ' 2 ').replace('0,00 120,00', '0,00 110,00')

test('FEC: the sound file has no error', async () =>
  assert.equal(await fec([FEC_OPENING, FEC_SALE].join('\n')), []))

test('FEC: a line that cannot be read and an entry that does not balance; not the entry of that line', async () => {
  const bad = FEC_SALE.replace('0,00 120,00', '0,00 12O,00')
  assert.equal(await fec([FEC_OPENING, bad, FEC_UNBALANCED].join('\n')), [
    'unbalanced-transaction',
    'unreadable-amount',
  ])
})

test('FEC: where a bad line does not say its entry, no entry is judged', async () => {
  const cut = FEC_SALE.replace('707000', '')
  assert.equal(await fec([FEC_OPENING, cut, FEC_UNBALANCED].join('\n')), [
    'missing-account',
    'unbalanced-transaction',
  ])
  const nameless = cut.replace('VE 1 20230105  0,00', '  20230105  0,00')
  assert.equal(await fec([FEC_OPENING, FEC_UNBALANCED, nameless].join('\n')), [
    'missing-account',
    'whether entries 2023 VE 2, 2023 VE 1 balance was not checked, because of the error in line 7',
  ])
})

test('FEC: a line that cannot be read and openings that do not net to zero', async () => {
  const bad = FEC_SALE.replace('0,00 120,00', '0,00 12O,00')
  assert.equal(await fec([FEC_WRONG_OPENING, bad, FEC_UNBALANCED].join('\n')), [
    'opening-unbalanced',
    'unbalanced-transaction',
    'unreadable-amount',
  ])
  const unread = FEC_OPENING.replace('0,00 1000,00', '0,00 1000,x')
  assert.equal(await fec([unread, FEC_UNBALANCED].join('\n')), [
    'unbalanced-transaction',
    'unreadable-amount',
    'whether the opening balances add up to zero was not checked, because of the error in line 3',
  ])
})

test('FEC: without numbers, no entry of the journal of a bad line is judged, those of others are', async () => {
  const bad = FEC_SALE.replaceAll(' 1 ', ' 0 ').replace('0,00 120,00', '0,00 12O,00')
  const same = FEC_UNBALANCED.replaceAll(' 2 ', ' 0 ').replaceAll('20230105', '20230207')
  assert.equal(await fec([FEC_OPENING, bad, same].join('\n')), [
    'unreadable-amount',
    'whether entries 2023 VE 2023-01, 2023 VE 2023-02 balance was not checked, because of the error in line 5',
  ])
  assert.equal(await fec([FEC_OPENING, bad, same.replaceAll('VE ', 'BQ ')].join('\n')), [
    'unbalanced-transaction',
    'unreadable-amount',
    'whether entry 2023 VE 2023-01 balances was not checked, because of the error in line 5',
  ])
})

test('FEC: an account of unknown kind, an entry that does not balance, and openings', async () => {
  const unknown = FEC_SALE.replace('707000', '890000')
  assert.equal(await fec([FEC_WRONG_OPENING, unknown, FEC_UNBALANCED].join('\n')), [
    'opening-unbalanced',
    'unbalanced-transaction',
    'unclassified-account',
  ])
})

const saft = (
  lines: string,
  accounts = '1920 Bank 1000.00 1120.00\n2000 Kapital -1000.00 -1000.00\n3000 Salg 0.00 -120.00',
  more: Partial<Parameters<typeof saftFile>[0]> = {},
): Promise<string[]> =>
  errorsOf({ 'company.yaml': yaml('NOK', '*.xml'), 'a.xml': saftFile({ accounts, lines, ...more }) })
const SAFT_LINES = '1 2025-01-05 1920 120.00\n1 2025-01-05 3000 -120.00'
const SAFT_UNBALANCED = '2 2025-02-05 1920 10.00\n2 2025-02-05 3000 -11.00'

test('SAF-T: the sound file has no error', async () => assert.equal(await saft(SAFT_LINES), []))

test('SAF-T: an entry that does not balance and an opening that does not net to zero', async () => {
  const accounts = '1920 Bank 1000.00 1130.00\n2000 Kapital -900.00 -900.00\n3000 Salg 0.00 -131.00'
  assert.equal(await saft(`${SAFT_LINES}\n${SAFT_UNBALANCED}`, accounts), [
    'opening-unbalanced',
    'unbalanced-transaction',
  ])
})

test('SAF-T: an account of unknown kind, an entry that does not balance, and an opening', async () => {
  const accounts =
    '1920 Bank 1000.00 1130.00\n2000 Kapital -900.00 -900.00\n3000 Salg 0.00 -131.00\nX1 Annet 0.00 0.00'
  const unknown = '3 2025-03-05 X1 5.00\n3 2025-03-05 X1 -5.00'
  assert.equal(await saft([SAFT_LINES, SAFT_UNBALANCED, unknown].join('\n'), accounts), [
    'opening-unbalanced',
    'unbalanced-transaction',
    'unclassified-account',
  ])
})

test('SAF-T: a line that is too large and another entry that does not balance', async () => {
  const large = '3 2025-03-05 1920 99999999999999.00\n3 2025-03-05 3000 -1.00'
  const accounts = '1920 Bank 1000.00 1131.00\n2000 Kapital -1000.00 -1000.00\n3000 Salg 0.00 -131.00'
  const unchecked = 'the closing balance of account 1920 was not checked, because of the error in line 73'
  assert.equal(await saft([SAFT_LINES, SAFT_UNBALANCED, large].join('\n'), accounts), [
    'TotalDebit was not checked, because of the error in line 73',
    'amount-too-large',
    unchecked,
    'unbalanced-transaction',
  ])
})

test('SAF-T: an amount that cannot be read, openings, a closing balance and a total', async () => {
  const bad = '3 2025-03-05 1920 4.00\n3 2025-03-05 3000 -4.00'
  const accounts = '1920 Bank 1000.00 1134.00\n2000 Kapital -900.00 -950.00\n3000 Salg 0.00 -135.00'
  const found = await saft([SAFT_LINES, SAFT_UNBALANCED, bad].join('\n'), accounts, {
    totals: { debit: '99.00' },
    replace: [['<DebitAmount><Amount>4.00', '<DebitAmount><Amount>4.x0']],
  })
  assert.equal(found, [
    'TotalDebit was not checked, because of the error in line 73',
    'control-differs',
    'opening-unbalanced',
    'the closing balance of account 1920 was not checked, because of the error in line 73',
    'unbalanced-transaction',
    'unreadable-amount',
  ])
})

test('SAF-T: totals that only an unbalanced entry explains are no mistake of their own', async () =>
  assert.equal(
    await saft(
      `${SAFT_LINES}\n${SAFT_UNBALANCED}`,
      '1920 Bank 1000.00 1130.00\n2000 Kapital -1000.00 -1000.00\n3000 Salg 0.00 -130.00',
      { totals: { debit: '130.00', credit: '130.00' } },
    ),
    ['unbalanced-transaction'],
  ))

const csv = (entries: string, setting = 'opening: { transactions: [o] }'): Promise<string[]> =>
  errorsOf({ 'company.yaml': companyYaml(setting), 'ledger.csv': ledgerCsv(entries) })

test('canonical CSV: an entry that does not balance and an opening that does not net to zero', async () =>
  assert.equal(
    await csv(`o 2025-01-01 bank 100; o 2025-01-01 capital -90
      1 2025-01-15 bank 50; 1 2025-01-15 sales -51; 2 2025-02-15 bank 5; 2 2025-02-15 sales -5`),
    ['opening-unbalanced', 'unbalanced-transaction'],
  ))

test('canonical CSV: a row that cannot be read and another entry that does not balance', async () => {
  const entries = `1 2025-01-15 bank 50; 1 2025-01-15 sales -51; 2 2025-02-15 bank 5; 2 2025-02-15 sales -x`
  assert.equal(await csv(entries, ''), ['unbalanced-transaction', 'unreadable-amount'])
  assert.equal(
    await csv(entries.replace('-x', '-5').replace('2 2025-02-15 sales', '2 2025-02-15 sails'), ''),
    ['unbalanced-transaction', 'unknown-account'],
  )
})

test('canonical CSV: a row that names no entry explains the entry that lacks it, and no other', async () => {
  const rows = '1,2025-01-15,bank,50\n,2025-01-15,sales,-50\n2,2025-02-15,bank,5\n2,2025-02-15,sales,-6\n'
  const ledger = `transaction_id,date,account,amount\n${rows}`
  assert.equal(await errorsOf({ 'ledger.csv': ledger }), ['missing-transaction-id', 'unbalanced-transaction'])
})

const CSV_OPENING = 'o 2025-01-01 bank 100; o 2025-01-01 capital -90'

test('canonical CSV: a row that cannot be read, and openings', async () =>
  assert.equal(await csv(`${CSV_OPENING}; 2 2025-02-15 bank 5; 2 2025-02-15 sales -x`), [
    'opening-unbalanced',
    'unreadable-amount',
  ]))

test('canonical CSV: beside a row that is no record, entries are not judged, openings are', async () => {
  const sound = ledgerCsv(`${CSV_OPENING}; 2 2025-02-15 bank 5`)
  const files = {
    'company.yaml': companyYaml('opening: { transactions: [o] }'),
    'ledger.csv': `${sound}2,2025`,
  }
  assert.equal(await errorsOf(files), [
    'malformed-row',
    'whether entry 2 balances was not checked, because of the error in line 5',
    'whether the opening balances add up to zero was not checked, because of the error in line 5',
  ])
})

test('canonical CSV: an entry that does not balance, and a trial balance that it explains but for one account', async () => {
  const files = (stated: string) => ({
    'company.yaml': companyYaml('trialBalance: [{ files: tb.csv, date: 2025-01-31 }]'),
    'ledger.csv': ledgerCsv(
      '1 2025-01-15 bank 50; 1 2025-01-15 sales -51; 2 2025-01-16 bank 5; 2 2025-01-16 sales -5',
    ),
    'tb.csv': `account,debit,credit\n${stated}`,
  })
  assert.equal(await errorsOf(files('bank,55.00,\nsales,,55.00\n')), ['unbalanced-transaction'])
  assert.equal(await errorsOf(files('bank,57.00,\nsales,,57.00\n')), [
    'trial-balance-differs',
    'trial-balance-differs',
    'unbalanced-transaction',
  ])
})

test('a budget that cannot be read, and openings', async () => {
  const files = {
    'company.yaml': companyYaml(
      'opening: { transactions: [o] }\nbudgets: [{ id: b, name: B, files: b.csv }]',
    ),
    'ledger.csv': ledgerCsv(`${CSV_OPENING}; 1 2025-01-15 bank 50; 1 2025-01-15 sales -50`),
    'b.csv': 'account,2025-01\nsales,x\n',
  }
  assert.equal(await errorsOf(files), ['opening-unbalanced', 'unreadable-amount'])
})
