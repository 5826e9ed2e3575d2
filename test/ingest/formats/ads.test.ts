/** Audit Data Standard: signs, currencies, periods, the trial balance as opening and as control, each through a build. */
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { suite } from '../../suite.ts'
import { proposed } from '../../support/added.ts'
import { buildWith, codes, type Files, findingsOf, only, postings } from '../../support/workspace.ts'
import { workbook } from '../folder.ts'

const test = suite('Audit Data Standard')

const DETAIL =
  'Journal_ID|Journal_ID_Line_Number|JE_Header_Description|Effective_Date|Fiscal_Year|Period|GL_Account_Number|Amount|Amount_Credit_Debit_Indicator|Amount_Currency|Reporting_Amount|Reporting_Amount_Currency|Business_Unit_Code'
const CHART = `GL_Account_Number|GL_Account_Name|Account_Type|Account_Subtype|FS_Caption|Parent_GL_Account_Number
1000|Operating account|Assets|Current Assets|Cash and Cash Equivalents|
1200|Trade|Assets|Current Assets|Accounts Receivable|
3000|Common stock|Equity|||
4000|Product revenue|Revenue|||
4100|Online|Revenue|||4000
5000|Parts|Expenses|Cost of Goods Sold||
9000|Never used|Assets|||
`
const BALANCE =
  'GL_Account_Number|Business_Unit_Code|Balance_As_Of_Date|Fiscal_Year|Period|Amount_Beginning|Amount_Ending|Amount_Currency'

/** `1 1 2025-01-15 M01 1000 50.00 D USD [unit]` */
const detail = (...lines: string[]): string =>
  [
    DETAIL,
    ...lines.map((line) => {
      const [id, number, date, period, account, amount, side, currency = 'USD', unit = ''] = line.split(' ')
      return [
        id,
        number,
        `Entry ${id}`,
        date,
        '2025',
        period,
        account,
        amount,
        side === '-' ? '' : side,
        currency,
        `${amount}9`,
        'SEK',
        unit,
      ].join('|')
    }),
    '',
  ].join('\r\n')
const SALE = ['1 1 2025-01-15 M01 1000 50.00 D', '1 2 2025-01-15 M01 4000 50.00 C']

const files = (rest: Files, more = ''): Files => ({
  'company.yaml': `id: acme\nname: Acme\nfiscalMonthEnd: 12\ncurrency: USD\nledger: [{ files: "ads/*" }]\n${more}\n`,
  'ads/Chart_Of_Accounts.txt': CHART,
  ...rest,
})
const gl = (...lines: string[]): Files => ({ 'ads/GL_Detail_20250101_20251231.txt': detail(...lines) })

test('credits are positive with C, or with H; kinds of accounts follow from type, subtype and caption', async () => {
  for (const [debit, credit] of ['DC', 'SH'])
    await buildWith(
      files(gl(...SALE.map((line) => line.replace(/D$/, debit!).replace(/C$/, credit!)))),
      (built) => {
        assert.equal(codes(built.result.findings), ['openings-not-stated'])
        assert.equal(built.statement('ProfitAndLoss').totals.NetIncome, ['50.00'])
        assert.equal(built.statement('CashFlow').totals.EndingCash, ['50.00'])
      },
    )
})

test('a negative debit with D stays one: only where every credit is negative are amounts signed already', async () => {
  const signed = ['1 1 2025-01-15 M01 1000 50.00 D', '1 2 2025-01-15 M01 4000 -50.00 C']
  const reversal = ['2 1 2025-01-16 M01 1000 -20.00 D', '2 2 2025-01-16 M01 4000 -20.00 C']
  await buildWith(files(gl(...signed)), (built) =>
    assert.equal(built.statement('ProfitAndLoss').totals.NetIncome, ['50.00']),
  )
  await buildWith(files(gl(...SALE, ...reversal)), (built) =>
    assert.equal(built.statement('ProfitAndLoss').totals.NetIncome, ['30.00']),
  )
})

test('a side that is neither is refused, once, with its row', async () => {
  const found = only(
    await findingsOf(files(gl(...SALE, '2 1 2025-01-15 M01 1000 1.00 X', '2 2 2025-01-15 M01 4000 1.00 X'))),
    'unreadable-side',
  )
  assert.equal([found.row, found.text], [4, 'X'])
})

test('the amounts are those in the currency of the books; where none is, the file is refused', async () => {
  const euro = gl(...SALE.map((line) => `${line} EUR`))
  const inCrowns = { ...files(euro) }
  const yaml = String(inCrowns['company.yaml']).replace('USD', 'SEK')
  await buildWith({ ...inCrowns, 'company.yaml': yaml.replace('SEK', 'EUR') }, (built) =>
    assert.equal(built.statement('ProfitAndLoss').totals.NetIncome, ['50.00']),
  )
  const found = only(await findingsOf(inCrowns), 'currency-mismatch')
  assert.is(found.text, 'EUR, SEK')
  const reported = detail(...SALE.map((line) => `${line} EUR`)).replaceAll('50.009', '57.10')
  await buildWith(
    { ...inCrowns, 'company.yaml': yaml, 'ads/GL_Detail_20250101_20251231.txt': reported },
    (built) => assert.equal(built.statement('ProfitAndLoss').totals.NetIncome, ['57.10']),
  )
})

test('lines keep their row, line number, source; a period after the twelfth is the type of its entry', () =>
  buildWith(
    files(
      gl(...SALE, '2 1 20251231 M13 1000 1.00 D', '2 2 20251231 M13 4000 1.00 C'),
      'closing: { types: [] }',
    ),
    async (built) => {
      assert.equal(await postings(built, 'row, transaction_id, line_id, date, type'), [
        '2 2025 1 2025 1 1 2025-01-15 ',
        '3 2025 1 2025 1 2 2025-01-15 ',
        '4 2025 2 2025 2 1 2025-12-31 M13',
        '5 2025 2 2025 2 2 2025-12-31 M13',
      ])
    },
  ))

const balances = (...rows: string[]): Files => ({
  'ads/Trial_Balance.txt': [BALANCE, ...rows.map((row) => `${row.split(' ').join('|')}|USD`), ''].join('\n'),
})
const OPENED = [
  '1000  2025-01-31 2025 M01 100.00 150.00',
  '3000  2025-01-31 2025 M01 -100.00 -100.00',
  '4000  2025-01-31 2025 M01 0 -50.00',
]

test('the trial balance opens the first period, and each of its balances is checked', () =>
  buildWith(files({ ...gl(...SALE), ...balances(...OPENED) }), (built) => {
    assert.equal(codes(built.result.findings), [])
    assert.equal(built.statement('CashFlow').totals.BeginningCash, ['100.00'])
    assert.is(built.result.controlsAgreed, 3)
  }))

test('a balance that the lines do not give is refused with both figures', async () => {
  const wrong = OPENED.map((row) => row.replace('150.00', '151.00'))
  const found = only(await findingsOf(files({ ...gl(...SALE), ...balances(...wrong) })), 'control-differs')
  assert.equal([found.file, found.row], ['ads/Trial_Balance.txt', 2])
  assert.match(found.message, '151.00')
  assert.match(found.message, '150.00')
})

test('of periods 12 and 13 on one day the later one counts; a later year must open with what was carried', async () => {
  const year = [
    ...OPENED,
    '1000  2025-12-31 2025 M12 150.00 150.00',
    '1000  2025-12-31 2025 M13 150.00 149.00',
    '5000  2025-12-31 2025 M13 0 1.00',
  ]
  const lines = [...SALE, '2 1 2025-12-31 M13 5000 1.00 D', '2 2 2025-12-31 M13 1000 1.00 C']
  await buildWith(files({ ...gl(...lines), ...balances(...year) }), (built) =>
    assert.equal(codes(built.result.findings), []),
  )
  const next = ['1000  2026-01-31 2026 M01 140.00 141.00', '3000  2026-01-31 2026 M01 -140.00 -140.00']
  const more = ['3 1 2026-01-15 M01 1000 1.00 D', '3 2 2026-01-15 M01 4000 1.00 C']
  assert.ok(
    codes(await findingsOf(files({ ...gl(...lines, ...more), ...balances(...year, ...next) }))).includes(
      'opening-not-carried',
    ),
  )
})

test('business units are classes, segments what company.yaml says', () =>
  buildWith(files(gl(...SALE.map((line) => `${line} USD EAST`))), (built) =>
    assert.equal(built.statement('ProfitAndLoss', { classId: 'EAST' }).totals.NetIncome, ['50.00']),
  ))

test('the tables may be sheets of a workbook', async () => {
  const rows = (text: string) =>
    text
      .trim()
      .split(/\r?\n/)
      .map((line) => line.split('|'))
  const book = await workbook({
    GL_Detail: rows(detail(...SALE)),
    Chart_Of_Accounts: rows(CHART),
    Trial_Balance: rows(String(Object.values(balances(...OPENED))[0])),
  })
  const { 'ads/Chart_Of_Accounts.txt': _, ...rest } = files({})
  await buildWith({ ...rest, 'ads/all.xlsx': book }, async (built) => {
    assert.equal(codes(built.result.findings), [])
    assert.equal(await postings(built, 'row, file'), ['2 ads/all.xlsx#GL_Detail', '3 ads/all.xlsx#GL_Detail'])
  })
})

test('a torn line, an account without a kind, a table of another standard', async () => {
  const torn = await findingsOf(files({ 'ads/GL_Detail.txt': `${detail(...SALE)}2|1|cut` }))
  assert.is(only(torn, 'column-count').row, 4)
  const unknown = await findingsOf(
    files(gl('1 1 2025-01-15 M01 1000 5.00 D', '1 2 2025-01-15 M01 7777 5.00 C')),
  )
  assert.match(only(unknown, 'unclassified-account').message, '7777')
  const other = await findingsOf({
    ...files(gl(...SALE)),
    'company.yaml':
      'id: acme\nname: A\nfiscalMonthEnd: 12\ncurrency: USD\nledger: [{ files: "x.csv", format: ads }]\n',
    'x.csv': 'a,b\n1,2\n',
  })
  only(other, 'unknown-file')
})

test('add reads the end of the year from the periods, kinds from the chart, and leaves unused accounts out', () => {
  const july = [
    '1 1 2024-07-15 M01 1000 5.00 D',
    '1 2 2024-07-15 M01 4100 5.00 C',
    '2 1 2024-08-15 M02 5000 5.00 D',
    '2 2 2024-08-15 M02 1000 5.00 C',
  ]
  return proposed({ 'GL_Detail.txt': detail(...july), 'Chart.txt': CHART }, ({ result, yaml }) => {
    assert.equal(result.findings, [])
    const { fiscalMonthEnd, currency, accounts, ledger } = parse(yaml) as Record<string, unknown>
    assert.equal([fiscalMonthEnd, currency], [6, 'USD'])
    assert.equal(accounts, {
      '1000': { classification: 'Asset', type: 'Bank' },
      '4000': { classification: 'Income' },
      '4100': { classification: 'Income' },
      '5000': { classification: 'CostOfSales', type: 'CostOfSales' },
    })
    assert.equal(ledger, [{ files: 'ads/*', format: 'ads' }])
  })
})
