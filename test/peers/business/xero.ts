/** Xero: ledgers in sections and with an account in each row, and the journal report with an opening entry. */
import type { Business, BusinessAccount } from '../../support/business.ts'
import { csvOf, grouped, type ReportRow, workbookOf } from '../../support/report-files.ts'
import { credits, debits, type Entry, type Exported, exportedReport, linesOf } from './exported.ts'

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
/** `05 Jan 2025` */
const worded = (date: string): string =>
  `${date.slice(8)} ${MONTHS[Number(date.slice(5, 7)) - 1]} ${date.slice(0, 4)}`
const dayFirst = (date: string): string => `${date.slice(8)}/${date.slice(5, 7)}/${date.slice(0, 4)}`

const SOURCES = {
  Invoice: 'Receivable Invoice',
  Payment: 'Receivable Payment',
  Bill: 'Payable Invoice',
  'Bill Payment': 'Payable Payment',
  Expense: 'Spend Money',
  'Journal Entry': 'Manual Journal',
} as const
const TYPES: Readonly<Record<string, string>> = {
  Bank: 'Bank',
  AccountsReceivable: 'Accounts Receivable',
  FixedAsset: 'Fixed Asset',
  AccumulatedDepreciation: 'Fixed Asset',
  AccountsPayable: 'Accounts Payable',
  SalesTax: 'Current Liability',
  LongTermLiability: 'Non-current Liability',
  Capital: 'Equity',
  RetainedEarnings: 'Equity',
  Sales: 'Revenue',
  CostOfSales: 'Direct Costs',
  Expense: 'Expense',
  Depreciation: 'Depreciation',
  OtherIncome: 'Other Income',
  OtherExpense: 'Expense',
}

const sides = (entries: readonly Pick<Entry, 'line'>[]): [debit: number, credit: number] => {
  const lines = entries.map(({ line }) => line)
  return [debits(lines), credits(lines)]
}
/** `(1,234.50)` for a negative one. */
const bracketed = (minor: number): string => (minor < 0 ? `(${grouped(-minor)})` : grouped(minor))

const TITLE = (business: Business, title: string): ReportRow[] => [
  [title],
  [business.name],
  ['For the period 1 January 2025 to 31 December 2025'],
  ['Accrual Basis'],
  [],
]

/** Sections by name, the contact before the description, tracking categories under their own names; Windows-1252. */
export function accountTransactions(business: Business): Exported {
  const byName = ({ name }: BusinessAccount) => ({ id: name, number: '', name })
  const rows: ReportRow[] = [
    ...TITLE(business, 'Account Transactions'),
    [
      'Date',
      'Source',
      'Description',
      'Reference',
      'Debit',
      'Credit',
      'Running Balance',
      'Gross',
      'Tax',
      'Line',
      'Branch',
    ],
  ]
  for (const { number, name, opening } of business.accounts) {
    const entries = linesOf(business.transactions, number)
    if (entries.length === 0 && opening === 0) continue
    rows.push([name])
    let balance = opening
    const balances = (label: string, minor: number): ReportRow => [
      label,
      '',
      '',
      '',
      grouped(Math.max(minor, 0)),
      grouped(Math.max(-minor, 0)),
      bracketed(minor),
      '0.00',
      '0.00',
    ]
    if (opening !== 0) rows.push(balances('Opening Balance', opening))
    for (const { transaction, line } of entries) {
      balance += line.amount
      const { date, type, document, party } = transaction
      const description = party === '' ? line.memo : `${party} - ${line.memo}`
      const [debit, credit] = sides([{ line }])
      rows.push([
        worded(date),
        SOURCES[type],
        description,
        document,
        grouped(debit),
        grouped(credit),
        bracketed(balance),
        '0.00',
        '0.00',
        line.class,
        line.department,
      ])
    }
    const [debit, credit] = sides(entries)
    rows.push([
      `Total ${name}`,
      '',
      '',
      '',
      grouped(debit),
      grouped(credit),
      bracketed(balance),
      '0.00',
      '0.00',
    ])
    if (opening !== 0) rows.push(balances('Closing Balance', balance))
    rows.push([])
  }
  const [debit, credit] = sides(business.transactions.flatMap(({ lines }) => lines.map((line) => ({ line }))))
  rows.push(['Total', '', '', '', grouped(debit), grouped(credit), '0.00', '0.00', '0.00'])
  const text = Buffer.from(csvOf(rows), 'latin1')
  return exportedReport(
    business,
    'Xero, account transactions, CSV',
    { 'gl.csv': text },
    'ledger: [{ files: "gl.*" }]',
    byName,
  )
}

/** Sections by code and name, the number of each journal, columns in the order of the alphabet; types say the kinds. */
export function generalLedgerDetail(business: Business): Exported {
  const rows: ReportRow[] = [
    ...TITLE(business, 'General Ledger Detail'),
    [
      'Account Code',
      'Account Type',
      'Class',
      'Contact',
      'Credit',
      'Date',
      'Debit',
      'Department',
      'Description',
      'Journal ID',
      'Reference',
      'Source',
    ],
  ]
  for (const { number, name, type, opening } of business.accounts) {
    const entries = linesOf(business.transactions, number)
    rows.push([`${number} - ${name}`])
    if (opening !== 0)
      rows.push(['Opening Balance', '', '', '', Math.max(-opening, 0) / 100, '', Math.max(opening, 0) / 100])
    for (const { transaction, line } of entries) {
      const { id, date, type: kind, document, party } = transaction
      const [debit, credit] = sides([{ line }])
      rows.push([
        number,
        TYPES[type]!,
        line.class,
        party,
        credit / 100,
        worded(date),
        debit / 100,
        line.department,
        line.memo,
        id,
        document,
        SOURCES[kind],
      ])
    }
    const [debit, credit] = sides(entries)
    rows.push([`Total ${number} - ${name}`, '', '', '', credit / 100, '', debit / 100])
    rows.push(['Net movement', '', '', '', '', '', (debit - credit) / 100])
  }
  const [debit, credit] = sides(business.transactions.flatMap(({ lines }) => lines.map((line) => ({ line }))))
  rows.push(['Total', '', '', '', credit / 100, '', debit / 100])
  return exportedReport(
    business,
    'Xero, general ledger detail, workbook',
    { 'gl.xlsx': workbookOf({ 'General Ledger Detail': rows }) },
    'ledger: [{ files: "gl.*" }]',
  )
}

/** A row for each line with the number of its journal, the opening as conversion balances; no code for the bank. */
export function journalReport(business: Business): Exported {
  const names = new Map(business.accounts.map(({ number, name }) => [number, name]))
  const bank = ({ number, name }: BusinessAccount) =>
    number === '1000' ? { id: name, number: '', name } : { id: number, number, name }
  const rows: ReportRow[] = [
    ['Journal Report'],
    [business.name],
    ['For the period 1 January 2025 to 31 December 2025'],
    [],
    [
      'Date',
      'Journal ID',
      'Account Code',
      'Account',
      'Description',
      'Debit EUR',
      'Credit EUR',
      'Narration',
      'Posted Date',
      'Posted By',
      'Class',
      'Department',
    ],
  ]
  const opening = business.accounts.filter((each) => each.opening !== 0)
  const journals = [
    {
      id: 0,
      date: business.year.start,
      lines: opening.map((each) => ({
        account: each.number,
        amount: each.opening,
        memo: 'Conversion balance',
        class: null,
        department: null,
      })),
    },
    ...business.transactions,
  ]
  for (const { id, date, lines } of journals)
    for (const line of lines) {
      const [debit, credit] = sides([{ line }])
      const code = line.account === '1000' ? '' : line.account
      rows.push([
        dayFirst(date),
        id + 1,
        code,
        names.get(line.account)!,
        line.memo,
        grouped(debit),
        grouped(credit),
        'x',
        dayFirst(date),
        'Ann',
        line.class,
        line.department,
      ])
    }
  return exportedReport(
    business,
    'Xero, journal report, CSV',
    { 'gl.csv': csvOf(rows, '\n') },
    'ledger: [{ files: "gl.*", dateFormat: DD/MM/YYYY }]\nopening: { transactions: ["1"] }',
    bank,
  )
}

export const XERO = [accountTransactions, generalLedgerDetail, journalReport] as const
