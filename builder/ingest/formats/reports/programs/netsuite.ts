/**
 * Oracle NetSuite: the General Ledger report (accounts as headings, `Opening Balance`, lines, `Total - 1000 - Checking`,
 * amounts with the currency's sign), and saved searches of transactions (`Amount (Debit)`, `Amount (Credit)`, months as
 * `Jan 2025`), as CSV or Excel.
 */
import { NOT_IN_STATEMENTS } from '../../../../workspace/company.ts'
import type { ReportFamily } from '../rows/layout.ts'
import { AMERICAN, labelReader, named, programKind, type TypeRule } from './kinds.ts'

const TYPES: readonly TypeRule[] = [
  [/^(statistical|non[- ]?posting)$/, 'Asset', NOT_IN_STATEMENTS],
  [/^bank$/, 'Asset', 'Bank'],
  [/^accounts? receivable$/, 'Asset', 'AccountsReceivable'],
  [/^(other current assets?|unbilled receivable|deferred expense)$/, 'Asset', ''],
  [/^fixed assets?$/, 'Asset', 'FixedAsset'],
  [/^other assets?$/, 'Asset', 'OtherAsset'],
  [/^accounts? payable$/, 'Liability', 'AccountsPayable'],
  [/^credit card$/, 'Liability', 'CreditCard'],
  [/^(other current liabilit(y|ies)|deferred revenue)$/, 'Liability', 'OtherCurrentLiability'],
  [/^long[- ]term liabilit(y|ies)$/, 'Liability', 'LongTermLiability'],
  [/^equity$/, 'Equity', ''],
  [/^income$/, 'Income', 'Sales'],
  [/^other income$/, 'OtherIncome', 'OtherIncome'],
  [/^cost of (goods sold|sales)$/, 'CostOfSales', 'CostOfSales'],
  [/^expenses?$/, 'Expense', ''],
  [/^other expenses?$/, 'OtherExpense', 'OtherExpense'],
]

/** `1000 - Checking`, `1000 Checking`. */
const parseLabel = labelReader(/^(?<number>\d[\w.-]*)\s*[-–·\s]\s*(?<name>\D.*)/s)

/** A saved search also lists transactions that do not post. */
const NO_POSTING =
  'sales order|purchase order|estimate|quote|opportunity|requisition|return authorization|vendor return authorization|work order|transfer order|blanket purchase order|purchase contract|request for quote'

export const NETSUITE: ReportFamily = {
  id: 'netsuite',
  name: 'NetSuite',
  knownBy:
    'Account, Type, Date, Document Number, Name, Debit, Credit, Balance; or Amount (Debit), Amount (Credit)',
  headers: {
    id: ['internal id', 'transaction number'],
    date: ['date'],
    type: ['type', 'transaction type'],
    num: ['document number', 'document no.', 'number'],
    name: ['name', 'entity'],
    memo: ['memo', 'memo (main)', 'description'],
    account: ['account', 'account: name', 'account name'],
    code: ['account: number', 'account number', 'number'],
    accountType: ['account type', 'account: type', 'type'],
    debit: ['amount (debit)', 'debit amount', 'debit'],
    credit: ['amount (credit)', 'credit amount', 'credit'],
    balance: ['balance', 'running balance'],
    period: ['period', 'posting period', 'accounting period'],
    dueDate: ['due date', 'due date/receive by'],
    enteredOn: ['date created'],
    enteredBy: ['created by'],
  },
  dimensions: named([
    ['department', ['department', 'department: name']],
    ['class', ['class', 'class: name']],
  ]),
  titles: [[/^general ledger$/i, 'ledger']],
  kindOf: (at, header, titled) => {
    const isChart = at.date === undefined && header.includes('number') && header.includes('name')
    // QuickBooks has a total of balances, the canonical chart a classification.
    const isOther = header.includes('balance total') || header.includes('classification')
    if (isChart) return at.accountType !== undefined && !isOther ? 'chart' : null
    if (at.date === undefined || at.debit === undefined || at.credit === undefined) return null
    const isNumbered = header.some((text) => /^(document number|internal id|transaction number)$/.test(text))
    if (!isNumbered || (at.account === undefined && at.code === undefined)) return null
    if (header.includes('amount (debit)')) return 'journal'
    return header[0] === 'account' &&
      at.type !== undefined &&
      (at.balance !== undefined || titled === 'ledger')
      ? 'ledger'
      : null
  },
  placed: (at, header) => {
    // The account list calls them Number and Name.
    if (at.date !== undefined || !header.includes('number') || !header.includes('name')) return at
    const { num: _, name: __, type: ___, ...others } = at
    return {
      ...others,
      code: header.indexOf('number'),
      account: header.indexOf('name'),
      accountType: at.accountType ?? header.findIndex((text) => text === 'type' || text === 'account type'),
    }
  },
  grouping: [['type', 'reference', 'party'], ['type', 'reference'], ['type', 'party'], ['type']],
  separator: ' : ',
  parseLabel,
  accountKind: programKind(TYPES, AMERICAN),
  chartHint: 'add the list of accounts of NetSuite too (Number, Name, Type)',
  openingsHint: 'export the General Ledger report, which has the opening balance of each account',
  basis: 'accrual',
  ends: 'never',
  neverCounts: [
    { of: ['posting'], values: ['no', 'f', 'false'] },
    { of: 'type', values: NO_POSTING.split('|') },
  ],
  marks: {
    at: ['type', 'memo', 'name'],
    words: [
      [/^(opening balance|balance forward|beginning balance)$/i, 'opening'],
      [/^(closing balance|ending balance)$/i, 'closing'],
      [/^(grand |overall )?total$/i, 'grand'],
      [/^total\b/i, 'total'],
    ],
    headings: 'plain',
    isNested: true,
    ends: 'total',
  },
}
