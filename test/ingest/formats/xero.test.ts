/** Xero: what its reports look like, what they leave unsaid, and what is refused, each through a whole build. */
import * as assert from 'uvu/assert'
import { XERO } from '../../../builder/ingest/formats/reports/programs/xero.ts'
import type { Finding } from '../../../builder/workspace/findings/finding.ts'
import { accountTransactions, generalLedgerDetail } from '../../peers/business/xero.ts'
import { suite } from '../../suite.ts'
import { added, proposed } from '../../support/added.ts'
import { makeBusiness } from '../../support/business.ts'
import { intakeOf } from '../../support/readings.ts'
import { csvOf, type ReportRow } from '../../support/report-files.ts'
import { buildWith, codes, type Files, findingsOf, only } from '../../support/workspace.ts'

const test = suite('Xero')

const KINDS = {
  Bank: 'Asset, type: Bank',
  '800': 'Liability, type: AccountsPayable',
  '970': 'Equity, type: Capital',
  '200': 'Income, type: Sales',
  '469': 'Expense, type: Expense',
}
const company = (more = ''): string => `id: acme
name: Acme
fiscalMonthEnd: 3
currency: GBP
accounts:
${Object.entries(KINDS)
  .map(([id, kind]) => `  ${JSON.stringify(id)}: { classification: ${kind} }`)
  .join('\n')}
ledger: [{ files: "xero/*", format: xero }]
${more}
`
const files = (texts: Readonly<Record<string, string | Buffer>>, yaml = company()): Files => ({
  'company.yaml': yaml,
  ...Object.fromEntries(Object.entries(texts).map(([name, text]) => [`xero/${name}`, text])),
})
const told = (findings: readonly Finding[]): string[] =>
  codes(findings).filter((code) => code !== 'abnormal-balance')

const title = (period: string): ReportRow[] => [
  ['Account Transactions'],
  ['Acme Ltd'],
  [period],
  ['Accrual Basis'],
  [],
]
const HEAD = 'Date,Source,Contact,Description,Reference,Debit,Credit,Running Balance,Account Code'.split(',')

/** A sale of 120.00 for cash and rent of 20.00, in sections; the bank has no code. */
const APRIL: readonly ReportRow[] = [
  ...title('For the month ended 30 April 2025'),
  HEAD,
  ['Bank'],
  ['Opening Balance', '', '', '', '', '1,000.00', '0.00', '1,000.00'],
  ['07 Apr 2025', 'Receive Money', 'Ann', 'Sale', 'R1', '120.00', '0.00', '1,120.00', ''],
  ['30 Apr 2025', 'Spend Money', 'Bob', 'Rent', 'S1', '0.00', '20.00', '1,100.00', ''],
  ['Total Bank', '', '', '', '', '120.00', '20.00', '1,100.00'],
  ['Closing Balance', '', '', '', '', '1,100.00', '0.00', '1,100.00'],
  ['Capital (970)'],
  ['Opening Balance', '', '', '', '', '0.00', '1,000.00', '(1,000.00)'],
  ['Total Capital (970)', '', '', '', '', '0.00', '0.00', '(1,000.00)'],
  ['Closing Balance', '', '', '', '', '0.00', '1,000.00', '(1,000.00)'],
  ['Sales'],
  ['07 Apr 2025', 'Receive Money', 'Ann', 'Sale', 'R1', '0.00', '120.00', '(120.00)', '200'],
  ['Total Sales', '', '', '', '', '0.00', '120.00', '(120.00)'],
  ['469 - Rent'],
  ['30 Apr 2025', 'Spend Money', 'Bob', 'Rent', 'S1', '20.00', '0.00', '20.00', '469'],
  ['Total 469 - Rent', '', '', '', '', '20.00', '0.00', '20.00'],
  ['Total', '', '', '', '', '140.00', '140.00', '0.00'],
]
/** The next month, which brings forward what was earned in April. */
const MAY: readonly ReportRow[] = [
  ...title('For the month ended 31 May 2025'),
  HEAD,
  ['Bank'],
  ['Opening Balance', '', '', '', '', '1,100.00', '0.00', '1,100.00'],
  ['05 May 2025', 'Receive Money', 'Ann', 'Sale', 'R2', '5.00', '0.00', '1,105.00', ''],
  ['Total Bank', '', '', '', '', '5.00', '0.00', '1,105.00'],
  ['Sales'],
  ['Opening Balance', '', '', '', '', '0.00', '120.00', '(120.00)'],
  ['05 May 2025', 'Receive Money', 'Ann', 'Sale', 'R2', '0.00', '5.00', '(125.00)', '200'],
  ['Total Sales', '', '', '', '', '0.00', '5.00', '(125.00)'],
  ['Total', '', '', '', '', '5.00', '5.00', '0.00'],
]
const replaced = (rows: readonly ReportRow[], from: string, to: string): string => {
  const text = csvOf(rows)
  assert.ok(text.includes(from), from)
  return text.replace(from, to)
}

test('months join; accounts by code where there is one, however a section names them', async () => {
  await buildWith(files({ 'apr.csv': csvOf(APRIL), 'may.csv': csvOf(MAY) }), ({ result, statement }) => {
    assert.equal(told(result.findings), [])
    assert.equal(statement('BalanceSheet').rows, {
      Bank: ['1100.00', '1105.00'],
      '970': ['1000.00', '1000.00'],
      'current-year-earnings': ['100.00', '105.00'],
    })
    assert.equal(statement('ProfitAndLoss').rows, { '200': ['120.00', '5.00'], '469': ['20.00', '0.00'] })
  })
})

test('what a later month brings forward, and each balance at the end, is compared with the books', async () => {
  const wrong = replaced(
    MAY,
    'Opening Balance,,,,,0.00,120.00,(120.00)',
    'Opening Balance,,,,,0.00,121.00,(121.00)',
  ).replaceAll('(125.00)', '(126.00)')
  assert.match(
    only(await findingsOf(files({ 'apr.csv': csvOf(APRIL), 'may.csv': wrong })), 'control-differs').message,
    /^May 2025 begins with 121\.00 in 200; the books end April 2025 at 120\.00\./,
  )
  const closing = replaced(
    APRIL,
    'Closing Balance,,,,,"1,100.00",0.00,"1,100.00"',
    'Closing Balance,,,,,"1,101.00",0.00,"1,101.00"',
  )
  const found = only(await findingsOf(files({ 'apr.csv': closing })), 'balance-differs')
  assert.match(found.message, /^Bank stands at 1,101\.00 in row 12; .* make 1,100\.00$/)
  assert.is(found.row, 12)
})

test('totals of sections and of the report agree with the lines, or the report is refused', async () => {
  const sale = '07 Apr 2025,Receive Money,Ann,Sale,R1,120.00'
  const line = replaced(APRIL, sale, sale.replace('120.00', '121.00'))
  assert.equal(codes(await findingsOf(files({ 'apr.csv': line }))), ['unbalanced-transaction'])
  const total = replaced(APRIL, 'Total Bank,,,,,120.00', 'Total Bank,,,,,121.00')
  assert.match(
    only(await findingsOf(files({ 'apr.csv': total })), 'total-differs').message,
    /Total Bank is stated as 121\.00, its lines add up to 120\.00/,
  )
  const grand = replaced(APRIL, 'Total,,,,,140.00', 'Total,,,,,141.00')
  assert.match(
    only(await findingsOf(files({ 'apr.csv': grand })), 'total-differs').message,
    /the total of the report is stated as 141\.00/,
  )
})

test('a report that was cut off anywhere is refused', async () => {
  const all = accountTransactions(makeBusiness()).files
  const lines = (all['gl.csv'] as Buffer).toString('latin1').split('\n')
  for (let i = 1; i <= 10; i++) {
    const text = `${lines.slice(0, Math.floor((lines.length * i) / 11) + (i % 3)).join('\n')}\n`
    const cut = { ...all, 'gl.csv': Buffer.from(text, 'latin1') }
    const read = codes((await intakeOf(cut)).findings)
    const found = read.includes('report-cut-off') ? read : codes(await findingsOf(cut))
    assert.ok(
      found.some((code) => ['report-cut-off', 'unbalanced-transaction'].includes(code)),
      `${i}: ${found}`,
    )
  }
})

test('a payment whose sides have other references is one entry by its contact', async () => {
  const rows: ReportRow[] = [
    ...title('For the month ended 30 April 2025'),
    'Date,Source,Contact,Description,Reference,Debit,Credit,Account Code,Account,Account Type,Related account'.split(
      ',',
    ),
    '07/04/2025,Receivable Payment,Ann,,PG1,0.0000,50.0000,200,Sales,Revenue,'.split(','),
    ['07/04/2025', 'Receivable Payment', 'Ann', '', 'INV-1', '50.0000', '0.0000', '', 'Bank', 'Bank', ''],
    ['07/04/2025', 'Receivable Payment', 'Cy', '', 'PG2', '0.0000', '7.0000', '200', 'Sales', 'Revenue', ''],
    ['07/04/2025', 'Receivable Payment', 'Cy', '', 'INV-2', '7.0000', '0.0000', '', 'Bank', 'Bank', ''],
    ['Total', '', '', '', '', '57.0000', '57.0000'],
  ]
  await buildWith(files({ 'apr.csv': csvOf(rows) }), ({ result, statement }) => {
    assert.equal(told(result.findings).sort(), ['entries-joined', 'openings-not-stated'])
    assert.match(only(result.findings, 'entries-joined').message, /; 4 groups of lines/)
    assert.equal(statement('ProfitAndLoss').rows['200'], ['57.00'])
  })
})

test('a journal report: an entry that does not balance is named by its number', async () => {
  const rows = (credit: string): ReportRow[] => [
    'Date,Journal ID,Account Code,Account,Debit,Credit,Narration,Posted Date,Posted By'.split(','),
    ['15 Apr 2025', '41', '469', 'Rent', '10.00', '0.00', 'Rent', '15 Apr 2025', 'Ann'],
    ['15 Apr 2025', '41', '', 'Bank', '0.00', credit, 'Rent', '15 Apr 2025', 'Ann'],
    ['', '41', '', '', '10.00', credit],
  ]
  const found = only(await findingsOf(files({ 'j.csv': csvOf(rows('9.00')) })), 'unbalanced-transaction')
  assert.match(found.message, /\b41\b/)
  await buildWith(files({ 'j.csv': csvOf(rows('10.00')) }), ({ result, statement }) => {
    assert.equal(told(result.findings).sort(), ['openings-not-stated', 'report-without-end'])
    assert.equal(statement('ProfitAndLoss').rows['469'], ['10.00'])
  })
})

test('add: kinds by the types in the report, else by the chart; tracking categories are asked about', async () => {
  const chart = csvOf([
    '*Code,*Name,*Type,*Tax Code,Description,Dashboard,Expense Claims,Enable Payments,Balance'.split(','),
    ['', 'Bank', 'Bank', 'No VAT', '', 'Yes', 'No', 'No', ''],
    ['970', 'Capital', 'EQUITY', 'No VAT', '', 'No', 'No', 'No', ''],
    ['200', 'Sales', 'Revenue', '20% VAT', '', 'No', 'No', 'No', ''],
    ['469', 'Rent', 'OVERHEADS', '20% VAT', '', 'No', 'No', 'No', ''],
  ])
  const answers = { fiscalMonthEnd: '3', currency: 'GBP' }
  await added(
    { 'apr.csv': csvOf(APRIL), 'chart.csv': chart },
    ({ yaml, built: { result, statement } }) => {
      assert.match(yaml, /name: Acme Ltd/)
      assert.match(yaml, /"Bank": \{ classification: Asset, type: Bank \}/)
      assert.match(yaml, /"469": \{ classification: Expense, type: Expense \} # Rent\n/)
      assert.not.match(yaml, /classification: FILL IN/)
      assert.equal(told(result.findings), [])
      assert.equal(statement('ProfitAndLoss').totals.NetIncome, ['100.00'])
    },
    answers,
  )
  await proposed({ 'gl.xlsx': generalLedgerDetail(makeBusiness()).files['gl.xlsx']! }, ({ yaml }) => {
    for (const line of [
      '"Class": class # Class\n  "Department": department',
      '"1590": { classification: Asset, type: AccumulatedDepreciation } # Plant depreciation; accumulated depreciation by its name, please check',
      '"3000": { classification: FILL IN } # Capital; kind unknown: neither the report nor a list of accounts states it',
    ])
      assert.match(yaml, line)
  })
})

test('types in words and in codes', () => {
  for (const [type, name, expected] of [
    ['Current Asset', 'x', 'Asset OtherCurrentAsset'],
    ['CURRENT', 'x', 'Asset OtherCurrentAsset'],
    ['Non-current Asset', 'x', 'Asset OtherAsset'],
    ['NONCURRENT', 'x', 'Asset OtherAsset'],
    ['CURRLIAB', 'x', 'Liability OtherCurrentLiability'],
    ['TERMLIAB', 'x', 'Liability LongTermLiability'],
    ['Non-current Liability', 'x', 'Liability LongTermLiability'],
    ['DIRECTCOSTS', 'x', 'CostOfSales CostOfSales'],
    ['OTHERINCOME', 'x', 'OtherIncome OtherIncome'],
    ['DEPRECIATN', 'x', 'Expense Depreciation'],
    ['Overhead', 'x', 'Expense Expense'],
    ['Sales', 'x', 'Income Sales'],
    ['Tithes', 'x', null],
    ['Current Asset', 'Accounts Receivable', 'Asset AccountsReceivable'],
    ['Current Liability', 'VAT', 'Liability SalesTax'],
    ['', 'Retained Earnings', 'Equity RetainedEarnings'],
    ['', 'x', null],
  ] as const) {
    const found = XERO.accountKind({ number: '', name, type, detailType: '' })
    assert.is(found && `${found.classification} ${found.type}`, expected, `${type}, ${name}`)
  }
})
