/**
 * ERPNext: the General Ledger, grouped by account, as CSV or Excel. `'Opening'`, `'Total'` and `'Closing (Opening + Total)'`
 * stand in the column of accounts, first for all accounts, then above and below the lines of each, and at the end for
 * all again. Accounts are written `1110 - Cash - CO`, the last part being the company.
 */
import type { AccountLabel, ReportFamily } from '../rows/layout.ts'
import { named, programKind, type TypeRule } from './kinds.ts'

/** Account types, then root types. */
const TYPES: readonly TypeRule[] = [
  [/^(bank|cash)$/, 'Asset', 'Bank'],
  [/^receivable$/, 'Asset', 'AccountsReceivable'],
  [/^stock$/, 'Asset', 'Inventory'],
  [/^(fixed asset|capital work in progress)$/, 'Asset', 'FixedAsset'],
  [/^accumulated depreciation$/, 'Asset', 'AccumulatedDepreciation'],
  [/^current asset$/, 'Asset', 'OtherCurrentAsset'],
  [/^payable$/, 'Liability', 'AccountsPayable'],
  [/^tax$/, 'Liability', 'SalesTax'],
  [
    /^(current liability|stock received but not billed|service received but not billed)$/,
    'Liability',
    'OtherCurrentLiability',
  ],
  [/^cost of goods sold$/, 'CostOfSales', 'CostOfSales'],
  [/^depreciation$/, 'Expense', 'Depreciation'],
  [/^(income account|direct income|income)$/, 'Income', ''],
  [/^indirect income$/, 'OtherIncome', 'OtherIncome'],
  [
    /^(expense account|expense|direct expense|indirect expense|chargeable|round off|stock adjustment|expenses included in (valuation|asset valuation))$/,
    'Expense',
    '',
  ],
  [/^equity$/, 'Equity', ''],
  [/^asset$/, 'Asset', ''],
  [/^liability$/, 'Liability', ''],
]

/** `1110 - Cash - CO`, `Cash - CO`, `1110 - Cash`. */
function parseLabel(label: string): AccountLabel {
  const parts = label.split(' - ')
  const [first = '', ...others] = parts
  const isNumbered = others.length > 0 && /^(?=\D*\d)[\d.-]+$/.test(first)
  const rest = isNumbered ? others : parts
  // The company's abbreviation is at the end of every account.
  const isOfCompany = rest.length > 1 && /^[\p{Lu}\d&._-]{1,8}$/u.test(rest.at(-1) ?? '')
  const names = isOfCompany ? rest.slice(0, -1) : rest
  return { number: isNumbered ? first : '', name: names.join(' - ') }
}

export const ERPNEXT: ReportFamily = {
  id: 'erpnext',
  name: 'ERPNext',
  knownBy: 'Posting Date, Account, Debit, Credit, Balance, Voucher Type, Voucher No',
  headers: {
    id: ['voucher no', 'voucher no.'],
    date: ['posting date'],
    type: ['voucher type'],
    name: ['party'],
    memo: ['remarks'],
    account: ['account', 'account name'],
    code: ['account number'],
    accountType: ['root type'],
    detailType: ['account type'],
    debit: ['debit'],
    credit: ['credit'],
    balance: ['balance'],
  },
  dimensions: named([
    ['department', ['cost center']],
    ['class', ['project']],
  ]),
  titles: [[/^general ledger$/i, 'ledger']],
  kindOf: (at) => {
    if (at.date !== undefined && at.id !== undefined && at.account !== undefined)
      return at.debit !== undefined && at.credit !== undefined && at.type !== undefined ? 'ledger' : null
    return at.date === undefined && at.account !== undefined && at.accountType !== undefined ? 'chart' : null
  },
  grouping: [['type', 'party'], ['type']],
  separator: null,
  parseLabel,
  accountKind: programKind(TYPES, {
    1: 'Asset',
    2: 'Liability',
    3: 'Equity',
    4: 'Income',
    5: 'Expense',
  }),
  chartHint: 'add the list of accounts too (Account, Export, with Root Type and Account Type)',
  openingsHint: 'export the General Ledger grouped by account: it has the opening of each',
  basis: 'accrual',
  marks: {
    at: ['account'],
    words: [
      [/^'?opening'?$/i, 'opening'],
      [/^'?total'?$/i, 'change'],
      [/^'?closing( \(opening \+ total\))?'?$/i, 'closing'],
    ],
    headings: 'none',
    isGrouped: true,
    ends: 'closing',
    hasGrand: true,
  },
}
