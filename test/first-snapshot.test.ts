/**
 * As a new user: the files of each program added, what is asked answered, a snapshot published. What is asked is what the table
 * of datasets/formats/README.md says, where no more than two answers are needed.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { addCompany } from '../builder/ingest/add/add.ts'
import { FORMATS } from '../builder/ingest/formats.ts'
import { packed, seedOf } from './ingest/fuzz/corpus.ts'
import { ads } from './peers/business/ads.ts'
import {
  desktopJournal,
  desktopLedger,
  onlineDetail,
  onlineJournal,
  onlineLedger,
} from './peers/business/quickbooks.ts'
import { accountTransactions, generalLedgerDetail, journalReport } from './peers/business/xero.ts'
import { chosen } from './seed.ts'
import { suite } from './suite.ts'
import { makeBusiness } from './support/business.ts'
import { csvOf } from './support/report-files.ts'
import { saftFile } from './support/saft.ts'
import { buildIn, COMPANY, type Files, findingsText, inWorkspace, writeFiles } from './support/workspace.ts'

const test = suite('from the file to the first snapshot')

const business = makeBusiness()

/** Types of accounts as QuickBooks and Xero call them. */
const TYPES: Readonly<Record<string, readonly [quickBooks: string, xero: string]>> = {
  Bank: ['Bank', 'Bank'],
  AccountsReceivable: ['Accounts receivable (A/R)', 'Accounts Receivable'],
  FixedAsset: ['Fixed Assets', 'Fixed Asset'],
  AccumulatedDepreciation: ['Fixed Assets', 'Fixed Asset'],
  AccountsPayable: ['Accounts payable (A/P)', 'Accounts Payable'],
  SalesTax: ['Other Current Liabilities', 'Current Liability'],
  LongTermLiability: ['Long Term Liabilities', 'Non-current Liability'],
  Capital: ['Equity', 'Equity'],
  RetainedEarnings: ['Equity', 'Retained Earnings'],
  Sales: ['Income', 'Revenue'],
  CostOfSales: ['Cost of Goods Sold', 'Direct Costs'],
  Expense: ['Expenses', 'Expense'],
  Depreciation: ['Expenses', 'Depreciation'],
  OtherIncome: ['Other Income', 'Other Income'],
  OtherExpense: ['Other Expense', 'Expense'],
}

const quickBooksList = csvOf([
  ['Account List'],
  ['Acme'],
  [],
  ['Account #', 'Full name', 'Type', 'Detail type', 'Description', 'Total balance'],
  ...business.accounts.map(({ number, name, type }) => [number, name, TYPES[type]![0], '', '', '']),
])
const xeroChart = csvOf([
  ['*Code', '*Name', '*Type', '*Tax Code', 'Description', 'Dashboard', 'Expense Claims', 'Enable Payments'],
  ...business.accounts.map(({ number, name, type }) => [
    type === 'Bank' ? '' : number,
    name,
    TYPES[type]![1],
    'Tax Exempt',
    '',
    'No',
    'No',
    'No',
  ]),
])

const without = (files: Files): Files =>
  Object.fromEntries(Object.entries(files).filter(([name]) => name !== 'company.yaml'))
const of = async (
  exporter: (
    b: typeof business,
  ) => { readonly files: Files } | null | Promise<{ readonly files: Files } | null>,
  more: Files = {},
): Promise<Files> => ({ ...without((await exporter(business))!.files), ...more })
const corpus = (name: string): Files =>
  Object.fromEntries(
    Object.entries(without(packed(seedOf(name)))).map(([path, bytes]) => [path.split('/').at(-1)!, bytes]),
  )

/** Its first quarter, in columns that do not name the currency. */
const partOfYear = (report: string): string =>
  report
    .replace('31 December', '31 March')
    .replace('Debit EUR,Credit EUR', 'Debit,Credit')
    .split('\n')
    .filter((line) => !/^\d\d\/(?:0[4-9]|1[0-2])\//.test(line))
    .join('\n')

/** Whose corpus is in dollars. */
const USD = new Set([
  'hledger, Beancount, Ledger',
  'Odoo',
  'ERPNext',
  'NetSuite',
  'GnuCash',
  'Business Central',
  'Sage 50',
])

/** By the name in the table. */
const EXPORTS: Readonly<Record<string, () => Files | Promise<Files>>> = {
  'SIE 4': () => corpus('sie'),
  FEC: () => corpus('fec'),
  'SAF-T': () => ({
    'books.xml': saftFile({
      accounts: '1920 Bank 1000.00 1120.00\n2000 Kapital -1000.00 -1000.00\n3000 Salg 0.00 -120.00',
      lines: '1 2025-01-05 1920 120.00\n1 2025-01-05 3000 -120.00',
    }),
  }),
  'hledger, Beancount, Ledger': () => corpus('plain-text'),
  'Audit Data Standard': () => of(ads[0]!),
  'QuickBooks Online, General Ledger and Account List': () =>
    of(onlineLedger, { 'list.csv': quickBooksList }),
  'QuickBooks Online, Transaction Detail and Account List': () =>
    of(onlineDetail, { 'list.csv': quickBooksList }),
  'QuickBooks Online, Journal and Account List': () => of(onlineJournal, { 'list.csv': quickBooksList }),
  'QuickBooks Desktop, General Ledger and Account Listing': () =>
    of(desktopLedger, { 'list.csv': quickBooksList }),
  'QuickBooks Desktop, Journal and Account Listing': () => of(desktopJournal, { 'list.csv': quickBooksList }),
  'Xero, General Ledger Detail and chart': () => of(generalLedgerDetail, { 'chart.csv': xeroChart }),
  'Xero, Account Transactions and chart': () => of(accountTransactions, { 'chart.csv': xeroChart }),
  'Xero, Journal Report and chart': () => of(journalReport, { 'chart.csv': xeroChart }),
  'Xero, Journal Report of part of a year, and chart': async () => ({
    'gl.csv': partOfYear(String((await of(journalReport))['gl.csv'])),
    'chart.csv': xeroChart,
  }),
  Odoo: () => corpus('odoo'),
  ERPNext: () => corpus('erpnext'),
  NetSuite: () => corpus('netsuite'),
  GnuCash: () => corpus('gnucash'),
  'Business Central': () => corpus('business-central'),
  'Sage 50': () => corpus('sage50'),
}

const ANSWERS: Readonly<Record<string, string>> = {
  fiscalMonthEnd: '12',
  basis: 'accrual',
  classification: 'Asset',
}

/** Rows of the table: export, what must be answered, what may wait. */
const README = new URL('../datasets/formats/README.md', import.meta.url)
const table = readFileSync(README, 'utf8')
  .split('## From the file to the first snapshot')[1]!
  .split('\n## ')[0]!
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| export'))
  .map((line) => line.split('|').map((cell) => cell.trim()))
const keys = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1]!)

test('the table has every format, and each of its rows is tried', () => {
  assert.equal(
    table.map(([, name]) => name!.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')),
    Object.keys(EXPORTS),
  )
  const pages = table.map(([, name]) => /\(([^)]*)\.md\)/.exec(name!)![1])
  for (const { id } of FORMATS) assert.ok(pages.includes(id === 'saft' ? 'saf-t' : id), id)
})

for (const [i, [name, files]] of chosen([...Object.entries(EXPORTS).entries()]))
  test(name, () =>
    inWorkspace({}, async (workspace) => {
      const folder = join(workspace.datasets, COMPANY)
      const from = mkdtempSync(join(tmpdir(), 'tieout-first-'))
      rmSync(folder, { recursive: true, force: true })
      const exported = await files()
      writeFiles(from, exported)
      const paths = Object.keys(exported).map((each) => join(from, each))
      const { questions, mayWait } = await addCompany(workspace, COMPANY, paths)
      const [, , asked, later] = table[i] as [string, string, string, string]
      assert.equal(
        questions.map(({ column }) => column!.split('.').at(-1)),
        keys(asked),
      )
      assert.ok(questions.length <= 2)
      assert.equal(
        mayWait.map(({ text }) => text.split(':')[0]),
        keys(later),
      )
      const path = join(folder, 'company.yaml')
      const currency = USD.has(name) ? 'USD' : 'EUR'
      const answered = Object.entries({ ...ANSWERS, currency }).reduce(
        (yaml, [key, value]) => yaml.replaceAll(`${key}: FILL IN`, `${key}: ${value}`),
        readFileSync(path, 'utf8'),
      )
      writeFileSync(path, answered)
      const { result } = await buildIn(workspace, COMPANY)
      assert.is(result.outcome, 'published', findingsText(result.findings))
      // What was not answered is said.
      const codes = result.findings.map(({ code }) => code)
      const warned = codes.includes('openings-not-stated') || codes.includes('opening-or-activity')
      if (mayWait.length > 0) assert.ok(warned)
    }),
  )
