/** QuickBooks: what its reports look like, what they leave unsaid, and what is refused, each through a whole build. */

import { readFileSync as readFile, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { addCompany } from '../../../builder/ingest/add/add.ts'
import { QUICKBOOKS } from '../../../builder/ingest/formats/reports/programs/quickbooks.ts'
import type { Finding } from '../../../builder/workspace/findings/finding.ts'
import { onlineJournal, onlineLedger } from '../../peers/business/quickbooks.ts'
import { suite } from '../../suite.ts'
import { makeBusiness } from '../../support/business.ts'
import { cases } from '../../support/case-file.ts'
import { intakeOf } from '../../support/readings.ts'
import { csvOf, type ReportRow, workbookOf } from '../../support/report-files.ts'
import { buildIn, buildWith, codes, type Files, inWorkspace } from '../../support/workspace.ts'

const test = suite('QuickBooks')

const KINDS = {
  Checking: 'Asset, type: Bank',
  'Accounts Payable': 'Liability, type: AccountsPayable',
  Equity: 'Equity, type: Capital',
  Sales: 'Income, type: Sales',
  Rent: 'Expense, type: Expense',
}
const company = (kinds: Readonly<Record<string, string>> = KINDS, more = '', ledger = ''): string => `id: acme
name: Acme
fiscalMonthEnd: 12
currency: USD
accounts:
${Object.entries(kinds)
  .map(([id, kind]) => `  ${JSON.stringify(id)}: { classification: ${kind} }`)
  .join('\n')}
ledger: [{ files: "quickbooks/*", format: quickbooks${ledger} }]
${more}
`
const STAMP = 'Accrual Basis Tuesday, January 7, 2026 10:12 AM GMT-05:00'
const HEAD = ',Date,Transaction Type,Num,Name,Memo/Description,Split,Amount,Balance'

/** A ledger of Online: `Checking 100 > 01/15/2025 Deposit 7 50.00; …`, an account with its opening and its lines. */
function ledger(period: string, ...accounts: readonly string[]): string {
  const rows: string[] = ['Acme', 'General Ledger', `"${period}"`, '', HEAD]
  for (const text of accounts) {
    const [head, lines = ''] = text.split('>') as [string, string?]
    const [, name, opening] = /^(.*?)\s*(-?[\d.]+)?\s*$/.exec(head)!
    rows.push(name!)
    let balance = Number(opening ?? 0) * 100
    if (opening !== undefined) rows.push(`,Beginning Balance,,,,,,,${(balance / 100).toFixed(2)}`)
    let total = 0
    for (const line of lines.split(';').filter((each) => each.trim() !== '')) {
      const [date, type, num, amount, party = ''] = line.trim().split(' ')
      const minor = Math.round(Number(amount) * 100)
      balance += minor
      total += minor
      rows.push(
        `,${date},${type},${num},${party},,x,${(minor / 100).toFixed(2)},${(balance / 100).toFixed(2)}`,
      )
    }
    rows.push(`Total for ${name},,,,,,,$${(total / 100).toFixed(2)},`, '')
  }
  return [...rows, `"${STAMP}"`, ''].join('\n')
}
const JANUARY = ledger(
  'January 2025',
  'Checking 100.00 > 01/15/2025 Deposit 7 50.00; 01/31/2025 Check 8 -20.00',
  'Equity 100.00',
  'Sales > 01/15/2025 Deposit 7 50.00',
  'Rent > 01/31/2025 Check 8 20.00',
)
const FEBRUARY = ledger(
  'February 1-28, 2025',
  'Checking 130.00 > 02/15/2025 Deposit 9 5.00',
  'Equity 100.00',
  'Sales 50.00 > 02/15/2025 Deposit 9 5.00',
  'Rent 20.00',
)
const files = (texts: Readonly<Record<string, string | Buffer>>, yaml = company()): Files => ({
  'company.yaml': yaml,
  ...Object.fromEntries(Object.entries(texts).map(([name, text]) => [`quickbooks/${name}`, text])),
})
/** What is told of the reports; that the bank was overdrawn is not what is tested. */
const told = (findings: readonly Finding[]): string[] =>
  codes(findings).filter((code) => code !== 'abnormal-balance')
/** What is refused where it is read. */
const readIn = async (all: Files) => (await intakeOf(all)).findings
test('brackets in a formula are grouping, as spreadsheets calculate them: =(5.00) is 5.00', async () => {
  const rows = JANUARY.split('\n').map((line): ReportRow => {
    const row = /^"[^"]*"$/.test(line) ? [line.slice(1, -1)] : line.split(',')
    return row.map((cell) => cell.replace(/^-(\d+\.\d\d)$/, '=-($1)').replace(/^(\d+\.\d\d)$/, '=($1)'))
  })
  for (const content of [csvOf(rows), workbookOf({ Sheet1: rows })])
    await buildWith(files({ 'jan.x': content }), ({ result, statement }) => {
      assert.equal(told(result.findings), [])
      assert.equal(statement('BalanceSheet').rows.Checking, ['130.00'])
      assert.equal(statement('ProfitAndLoss').rows, { Sales: ['50.00'], Rent: ['20.00'] })
    })
})

const NESTED_KINDS = {
  ...KINDS,
  'Rent:Office': 'Expense, type: Expense',
  'Rent:Office:Floor 2': 'Expense, type: Expense',
}

const DESKTOP = ['', '', '', 'Type', 'Date', 'Num', 'Name', 'Memo', 'Split', 'Debit', 'Credit', 'Balance']
test('Desktop puts labels of sub-accounts into columns of their own, and lines of a parent under "Other"', async () => {
  const rows: ReportRow[] = [
    DESKTOP,
    ['Checking', '', '', '', '', '', '', '', '', '', '', '0.00'],
    ['', '', '', 'Check', '01/15/2025', '1', 'Ann', '', '-SPLIT-', '', '30.00', '-30.00'],
    ['Total Checking', '', '', '', '', '', '', '', '', '0.00', '30.00', '-30.00'],
    ['Rent', '', '', '', '', '', '', '', '', '', '', '0.00'],
    ['', 'Office', '', '', '', '', '', '', '', '', '', '0.00'],
    ['', '', '', 'Check', '01/15/2025', '1', 'Ann', '', 'x', '20.00', '', '20.00'],
    ['', 'Total Office', '', '', '', '', '', '', '', '20.00', '0.00', '20.00'],
    ['', 'Rent - Other', '', '', '', '', '', '', '', '', '', '0.00'],
    ['', '', '', 'Check', '01/15/2025', '1', 'Ann', '', 'x', '10.00', '', '10.00'],
    ['', 'Total Rent - Other', '', '', '', '', '', '', '', '10.00', '0.00', '10.00'],
    ['Total Rent', '', '', '', '', '', '', '', '', '30.00', '0.00', '30.00'],
    ['TOTAL', '', '', '', '', '', '', '', '', '30.00', '30.00', '0.00'],
  ]
  for (const content of [csvOf(rows), workbookOf({ Sheet1: rows })])
    await buildWith(files({ 'gl.x': content }, company(NESTED_KINDS)), ({ result, statement }) => {
      assert.equal(told(result.findings), ['period-not-stated'])
      assert.equal(statement('ProfitAndLoss').rows, { Rent: ['10.00'], 'Rent:Office': ['20.00'] })
    })
})

test('a ledger that was cut off anywhere is refused; a journal too, but for whole entries, which is said', async () => {
  const business = makeBusiness()
  const cuts = async (name: 'gl.csv', all: Files, check: (found: readonly string[], at: number) => void) => {
    const lines = String(all[name]).split('\n')
    for (let i = 1; i <= 12; i++) {
      const at = Math.floor((lines.length * i) / 13) + (i % 3)
      const cut = { ...all, [name]: `${lines.slice(0, at).join('\n')}\n` }
      check(codes(await readIn(cut)), at)
    }
  }
  await cuts('gl.csv', onlineLedger(business).files, (found, at) =>
    assert.ok(found.includes('report-cut-off'), `${at}: ${found}`),
  )
  await cuts('gl.csv', onlineJournal(business).files, (found, at) =>
    assert.ok(
      found.some((code) => ['report-cut-off', 'report-without-end'].includes(code)),
      `${at}: ${found}`,
    ),
  )
})

test('add: kinds of accounts by the Account List, which may be added later', async () => {
  const list = csvOf([
    ['Account List'],
    ['Acme'],
    [],
    ['Account #', 'Full name', 'Type', 'Detail type', 'Description', 'Total balance'],
    ['', 'Checking', 'Bank', 'Checking', '', '130.00'],
    ['', 'Equity', 'Equity', "Owner's Equity", '', '100.00'],
    ['', 'Sales', 'Income', 'Sales of Product Income', '', ''],
    ['', 'Rent', 'Expenses', 'Rent or Lease of Buildings', '', ''],
    ['TOTAL', '', '', '', '', '230.00'],
  ])
  await inWorkspace({}, async (workspace) => {
    const path = (name: string, text: string) => {
      writeFileSync(join(workspace.root, name), text)
      return join(workspace.root, name)
    }
    const yaml = () => String(readFile(join(workspace.datasets, 'zed', 'company.yaml')))
    const first = await addCompany(workspace, 'zed', [path('jan.csv', JANUARY)])
    assert.equal(first.findings, [])
    assert.match(yaml(), /name: Acme # as reports show it/)
    assert.match(
      yaml(),
      /"Sales": \{ classification: FILL IN \} # Sales; kind unknown: neither the report nor a list of accounts states it/,
    )
    assert.match(yaml(), /files: quickbooks\/\*, format: quickbooks \} # add the Account List/)
    const second = await addCompany(workspace, 'zed', [path('accounts.csv', list)])
    assert.equal(second.findings, [])
    assert.match(yaml(), /"Sales": \{ classification: Income, type: Sales \} # Sales\n/)
    assert.not.match(yaml(), /classification: FILL IN/)
    writeFileSync(
      join(workspace.datasets, 'zed', 'company.yaml'),
      yaml()
        .replace('fiscalMonthEnd: FILL IN', 'fiscalMonthEnd: 12')
        .replace('currency: FILL IN', 'currency: USD'),
    )
    const { result, statement } = await buildIn(workspace, 'zed')
    assert.equal(told(result.findings), [])
    assert.equal(statement('ProfitAndLoss').totals.NetIncome, ['30.00'])
  })
})

test('add: a year to date takes the place of the one before; the next month, and the other basis, stand beside it', async () => {
  const toDate = ledger(
    'January 1-February 28, 2025',
    'Checking 100.00 > 01/15/2025 Deposit 7 50.00; 01/31/2025 Check 8 -20.00; 02/15/2025 Deposit 9 5.00',
    'Equity 100.00',
    'Sales > 01/15/2025 Deposit 7 50.00; 02/15/2025 Deposit 9 5.00',
    'Rent > 01/31/2025 Check 8 20.00',
  )
  await inWorkspace({}, async (workspace) => {
    const add = async (name: string, text: string, replace = false) => {
      writeFileSync(join(workspace.root, name), text)
      const { findings, files: added } = await addCompany(workspace, 'zed', [join(workspace.root, name)], {
        replace,
      })
      return [codes(findings), added.flatMap(({ instead }) => instead)]
    }
    assert.equal(await add('General Ledger.csv', JANUARY), [[], []])
    assert.equal(await add('General Ledger (1).csv', toDate), [['period-there-already'], []])
    assert.equal(await add('cash.csv', toDate.replace('Accrual', 'Cash')), [[], []])
    assert.equal(await add('feb.csv', FEBRUARY), [[], []])
    assert.equal(await add('General Ledger (1).csv', toDate, true), [
      [],
      ['quickbooks/General Ledger.csv', 'quickbooks/feb.csv'],
    ])
    assert.equal(await add('General Ledger.csv', JANUARY, true), [['period-there-already'], []])
  })
})

test('types of accounts in the words of several countries, of Online and Desktop', () => {
  for (const [name, type, detailType, expected] of [
    ['Debtors', 'Accounts receivable (A/R)', '', 'Asset AccountsReceivable'],
    ['Truck', 'Fixed Assets', 'Vehicles', 'Asset FixedAsset'],
    ['Truck', 'Fixed Asset', 'Accumulated Depreciation', 'Asset AccumulatedDepreciation'],
    ['Accum. depreciation', 'Fixed Asset', '', 'Asset AccumulatedDepreciation ?'],
    ['Visa', 'Credit Card', '', 'Liability CreditCard'],
    ['VAT', 'Other Current Liabilities', 'Sales Tax Payable', 'Liability SalesTax'],
    ['Undeposited Funds', 'Other Current Asset', '', 'Asset CashEquivalent'],
    ['Undeposited Funds', '', '', 'Asset CashEquivalent'],
    ['Retained Earnings', '', '', 'Equity RetainedEarnings'],
    ['Loan', 'Long Term Liability', '', 'Liability LongTermLiability'],
    ['Stock', 'Other Current Assets', 'Inventory', 'Asset Inventory'],
    ['Depreciation', 'Other Expense', 'Depreciation', 'OtherExpense Depreciation'],
    ['Fun', 'Non-Posting', '', 'Asset NotInStatements'],
    ['Fun', '', '', null],
  ] as const) {
    const found = QUICKBOOKS.accountKind({ number: '', name, type, detailType })
    const kind = found && `${found.classification} ${found.type}${found.doubt === null ? '' : ' ?'}`
    assert.is(kind, expected, `${name}, ${type}`)
  }
})

cases(test, new URL('cases/quickbooks.yaml', import.meta.url))
