/** Audit Data Standard: signs, currencies, periods, the trial balance as opening and as control, each through a build. */

import * as assert from 'uvu/assert'
import { suite } from '../../suite.ts'
import { cases } from '../../support/case-file.ts'
import { buildWith, codes, type Files, postings } from '../../support/workspace.ts'
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
const balances = (...rows: string[]): Files => ({
  'ads/Trial_Balance.txt': [BALANCE, ...rows.map((row) => `${row.split(' ').join('|')}|USD`), ''].join('\n'),
})
const OPENED = [
  '1000  2025-01-31 2025 M01 100.00 150.00',
  '3000  2025-01-31 2025 M01 -100.00 -100.00',
  '4000  2025-01-31 2025 M01 0 -50.00',
]

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

cases(test, new URL('cases/ads.yaml', import.meta.url))
