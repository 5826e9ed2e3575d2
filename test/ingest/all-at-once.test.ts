/** Two mistakes that have nothing to do with one another are told in one check, and nothing that is only their consequence. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { saftFile } from '../support/saft.ts'
import { buildWith, companyYaml, type Files, ledgerCsv } from '../support/workspace.ts'

const test = suite('findings all at once')

const yaml = (currency: string, files: string) =>
  `id: acme\nname: Acme\nfiscalMonthEnd: 12\ncurrency: ${currency}\nledger: [{ files: "${files}" }]\n`

/** Codes of the errors, in order of the alphabet. */
const errorsOf = (files: Files): Promise<string[]> =>
  buildWith(files, ({ result }) =>
    result.findings
      .filter(({ severity }) => severity === 'error')
      .map(({ code }) => code)
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

const HEADER =
  'JournalCode JournalLib EcritureNum EcritureDate CompteNum CompteLib CompAuxNum CompAuxLib PieceRef PieceDate EcritureLib Debit Credit EcritureLet DateLet ValidDate Montantdevise Idevise'

/** `VE 1 20230105 707000 0,00 100,00`: journal, number, date, account, debit, credit. */
const fec = (text: string): Promise<string[]> => {
  const rows = text
    .trim()
    .split('\n')
    .map((line) => {
      const [journal, number, date, account, debit, credit] = line.replace(/^ {2}/, '').split(' ')
      const name = journal === 'AN' ? 'A NOUVEAUX' : 'JOURNAL'
      return [journal, name, number, date, account, 'x', '', '', 'p', date, 'x', debit, credit, '', '', date]
        .concat('', '')
        .join('\t')
    })
  const file = [HEADER.split(' ').join('\t'), ...rows, ''].join('\r\n')
  return errorsOf({ 'company.yaml': yaml('EUR', '*FEC*'), '123456789FEC20231231.txt': file })
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
  assert.equal(await fec([FEC_OPENING, FEC_UNBALANCED, nameless].join('\n')), ['missing-account'])
})

test('FEC: without numbers, no entry of the journal of a bad line is judged, those of others are', async () => {
  const bad = FEC_SALE.replaceAll(' 1 ', ' 0 ').replace('0,00 120,00', '0,00 12O,00')
  const same = FEC_UNBALANCED.replaceAll(' 2 ', ' 0 ').replaceAll('20230105', '20230207')
  assert.equal(await fec([FEC_OPENING, bad, same].join('\n')), ['unreadable-amount'])
  assert.equal(await fec([FEC_OPENING, bad, same.replaceAll('VE ', 'BQ ')].join('\n')), [
    'unbalanced-transaction',
    'unreadable-amount',
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
  assert.equal(await saft([SAFT_LINES, SAFT_UNBALANCED, large].join('\n')), [
    'amount-too-large',
    'unbalanced-transaction',
  ])
})

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

test('canonical CSV: where a row names no entry, none is added up', async () => {
  const rows = '1,2025-01-15,bank,50\n,2025-01-15,sales,-50\n2,2025-02-15,bank,5\n2,2025-02-15,sales,-6\n'
  const ledger = `transaction_id,date,account,amount\n${rows}`
  assert.equal(await errorsOf({ 'ledger.csv': ledger }), ['missing-transaction-id'])
})

test.run()
