/** FEC: what programs write against the regulation, and what is refused, each through a whole build. */

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import * as assert from 'uvu/assert'
import { classifyFecAccount } from '../../../builder/ingest/formats/fec/accounts.ts'
import { looksLikeFec } from '../../../builder/ingest/formats/fec/parse.ts'
import { suite } from '../../suite.ts'
import { cases } from '../../support/case-file.ts'
import { COLUMNS, fecOf, lines } from '../../support/fec.ts'
import { intakeOf, statedIn } from '../../support/readings.ts'
import { type Built, buildWith, checkWith, codes, only } from '../../support/workspace.ts'

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

test('every line end, blank lines, a byte order mark, ISO 8859-15', async () => {
  for (const end of ['\n', '\r', '\r\r\n']) await readsAsYear(fecOf(YEAR, { end }))
  await built(`\ufeff${fecOf(YEAR)}\r\n\r\n\u001a`, isYear)
  const latin = YEAR.map((row) => ({ ...row, EcritureLib: 'Réglé 10 €' }))
  const bytes = Buffer.from([...fecOf(latin)].map((char) => (char === '€' ? 0xa4 : char.charCodeAt(0))))
  await readsAsYear(bytes, latin)
})

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

cases(test, new URL('cases/fec.yaml', import.meta.url))
