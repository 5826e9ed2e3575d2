/**
 * Reports of QuickBooks Online and QuickBooks Desktop, as CSV or XLSX. Layouts that are read, and where each was seen (test
 * data and readers in public repositories, written for real exports):
 *
 * - Online, General Ledger (classic): `,Date,Transaction Type,Num,Name,Memo/Description,Split,Amount,Balance`, an account
 *   on a row of its own, `Beginning Balance`, `Total for …`, a last line with basis and time (qoe gl_formats).
 * - Online, General Ledger (since 2024): `,Distribution account,Transaction date,Transaction type,Num,Name,…,Amount,
 *   Balance`, or Debit and Credit. Its XLSX writes totals, and sometimes every amount, as formulas without a result. An
 *   Amount has the sign of the account's own side, and so has Balance (closethebooks qbo_exports).
 * - Online, Transaction Detail by Account: the same without balances brought forward, with or without sections.
 * - Online, Journal (classic): `Date,Transaction Type,Num,Name,Memo/Description,Account,Debit,Credit`, the words of an entry
 *   on its first row only, its total without a label; (since 2024): the number of each entry on a row of its own, its
 *   words on every row, `Total for 1001` (qbo-journal of a GnuCash importer; closethebooks).
 * - Desktop, General Ledger and Transaction Detail by Account: `,Type,Date,Num,Adj,Name,Memo,Split,Debit,Credit,Balance`,
 *   `5012 · Thing`, balances in the row of the account, labels of sub-accounts in columns of their own (GAS-snippets
 *   quickbooks-macro; knives qbdcore).
 * - Desktop, Journal and Custom Transaction Detail: `Trans #,Type,Date,Num,Name,Memo,Account,…,Debit,Credit`, blank columns
 *   between them, `TOTAL` below each entry, numbers printed as `364,616` (journal-report of a construction ledger; Reckon).
 * - Account List of either: `Account #,Full name,Type,Detail type,…`; `Account,Type,Balance Total,…,Accnt. #`.
 */

import { NOT_IN_STATEMENTS } from '../../../../workspace/company.ts'
import type { AccountLabel, Positions, ReportFamily, ReportKind } from '../rows/layout.ts'
import { kindOfTypes, labelReader, named, type TypeRule } from './kinds.ts'

/** `5012 · Thing`, in which each name of a path has its own number. */
const desktopLabel = labelReader(/^(?<number>\d[\w.-]*)\s+·\s+(?<name>\S.*)$/)
/** `4000 Service Revenue`. Account numbers have three digits or more, and a name behind them. */
const onlineLabel = labelReader(/^(?<number>\d[\d.-]{2,})\s+(?<name>\S.*)$/)

function parseLabel(label: string): AccountLabel {
  const own = desktopLabel(label)
  return own.number === '' ? onlineLabel(label) : { ...own, isOwn: true }
}

/**
 * Account types of QuickBooks Online (US; with those of other countries behind them) and Desktop, without capitals and
 * without the `(A/R)` behind them; singular and plural are both in use. Seen in exported account lists of both.
 */
const TYPES: readonly TypeRule[] = [
  [/^bank$|^cash and cash equivalents?$/, 'Asset', 'Bank'],
  [/^accounts? receivable$|^debtors$/, 'Asset', 'AccountsReceivable'],
  [/^other current assets?$|^current assets?$/, 'Asset', 'OtherCurrentAsset'],
  [/^fixed assets?$|^tangible assets?$/, 'Asset', 'FixedAsset'],
  [/^other assets?$|^non-current assets?$/, 'Asset', 'OtherAsset'],
  [/^accounts? payable$|^creditors$/, 'Liability', 'AccountsPayable'],
  [/^credit cards?$/, 'Liability', 'CreditCard'],
  [/^other current liabilit(?:y|ies)$|^current liabilit(?:y|ies)$/, 'Liability', 'OtherCurrentLiability'],
  [/^(?:long[- ]term|non-current) liabilit(?:y|ies)$/, 'Liability', 'LongTermLiability'],
  [/^(?:owner'?s )?equity$/, 'Equity', 'OtherEquity'],
  [/^(?:income|revenue|turnover)$/, 'Income', 'Sales'],
  [/^other income$/, 'OtherIncome', 'OtherIncome'],
  [/^cost of (?:goods sold|sales)$/, 'CostOfSales', 'CostOfSales'],
  [/^expenses?$/, 'Expense', 'Expense'],
  [/^other expenses?$/, 'OtherExpense', 'OtherExpense'],
  [/^non-posting$/, 'Asset', NOT_IN_STATEMENTS],
]

/** Detail types, under the classification of their type. */
const DETAILS: readonly TypeRule[] = [
  [/^undeposited funds$/, 'Asset', 'CashEquivalent'],
  [/^(?:money market|cash on hand|checking|savings|trust account.*)$/, 'Asset', 'Bank'],
  [/^inventory$/, 'Asset', 'Inventory'],
  [/^accumulated (?:depreciation|amorti[sz]ation|depletion)/, 'Asset', 'AccumulatedDepreciation'],
  [/^(?:sales tax|gst|hst|vat|global tax) (?:payable|suspense)$/, 'Liability', 'SalesTax'],
  [/^retained earnings$/, 'Equity', 'RetainedEarnings'],
  [
    /^(?:common|preferred) stock$|^paid-in capital|^partner contributions?$|^share capital$/,
    'Equity',
    'Capital',
  ],
  [/distributions?$|^dividend/, 'Equity', 'Drawings'],
  [/^depreciation$|^amorti[sz]ation$/, 'Expense', 'Depreciation'],
  [/^depreciation$|^amorti[sz]ation$/, 'OtherExpense', 'Depreciation'],
]

/** Accounts that QuickBooks makes itself, whose type cannot be another. */
const OWN: readonly TypeRule[] = [
  [/^accounts receivable(?: \(a\/r\))?$/, 'Asset', 'AccountsReceivable'],
  [/^accounts payable(?: \(a\/p\))?$/, 'Liability', 'AccountsPayable'],
  [/^undeposited funds$|^payments to deposit$/, 'Asset', 'CashEquivalent'],
  [/^inventory asset$/, 'Asset', 'Inventory'],
  [/^sales tax payable$/, 'Liability', 'SalesTax'],
  [/^opening balance equity$/, 'Equity', 'OtherEquity'],
  [/^retained earnings$/, 'Equity', 'RetainedEarnings'],
  [/^cost of goods sold$/, 'CostOfSales', 'CostOfSales'],
]

const isTyped = ({ date, type }: Positions): boolean => date !== undefined && type !== undefined

function kindOf(at: Positions, header: readonly string[], titled: ReportKind | null): ReportKind | null {
  const hasSides = at.debit !== undefined && at.credit !== undefined
  const isNumbered = at.num !== undefined || at.id !== undefined
  if (isTyped(at) && isNumbered && at.memo !== undefined && (hasSides || at.amount !== undefined)) {
    if (titled === 'journal') return 'journal'
    if (titled === 'ledger') return 'ledger'
    // By its columns: a journal has an account in each row, and nothing that only an account has.
    const isJournal =
      at.account !== undefined && hasSides && at.split === undefined && at.balance === undefined
    return isJournal ? 'journal' : at.split !== undefined || at.balance !== undefined ? 'ledger' : null
  }
  const isChart =
    at.date === undefined &&
    at.account !== undefined &&
    at.accountType !== undefined &&
    (at.detailType !== undefined ||
      header.some((text) => /^(?:total balance|balance(?: total)?)$/.test(text)))
  return isChart ? 'chart' : null
}

const isOnline = (header: readonly string[]): boolean =>
  header.some((text) => /^transaction type$/i.test(text))

export const QUICKBOOKS: ReportFamily = {
  id: 'quickbooks',
  name: 'QuickBooks',
  knownBy: 'Date, Transaction Type, Num, Memo/Description, Split',
  headers: {
    id: ['trans #', 'trans. #', 'trans no', 'transaction id', 'transaction #'],
    date: ['transaction date', 'date'],
    type: ['transaction type', 'type'],
    num: ['num', 'no.', 'no', '#', 'number', 'doc num', 'ref no.'],
    name: ['name', 'source name', 'payee'],
    memo: ['memo/description', 'memo', 'description'],
    account: ['account full name', 'full name', 'distribution account', 'account', 'account name'],
    code: ['distribution account number', 'account #', 'account number', 'accnt. #', 'acct. #'],
    accountType: ['account type', 'type'],
    detailType: ['detail type'],
    debit: ['debit'],
    credit: ['credit'],
    amount: ['amount'],
    balance: ['balance'],
    split: ['split account', 'split', 'item split account'],
    accountCurrency: ['currency', 'account currency'],
    dueDate: ['due date'],
    enteredOn: ['create date'],
    enteredBy: ['created by'],
  },
  // QuickBooks Online names the second dimension as its owner chose.
  dimensions: named([
    ['class', ['class', 'class full name', 'item class']],
    [
      'department',
      [
        'location',
        'location full name',
        'department',
        'department full name',
        'division',
        'store',
        'territory',
      ],
    ],
  ]),
  titles: [
    [/^journal$/i, 'journal'],
    [/^(?:general ledger|transaction detail by account|custom transaction detail report)\b/i, 'ledger'],
    [/^(?:account list|account listing|chart of accounts)$/i, 'chart'],
  ],
  kindOf,
  // In Online they have; Desktop has debit-positive amounts.
  hasNaturalSigns: ({ header }) => isOnline(header),
  // Estimates, orders and delayed charges are listed and never posted.
  neverCounts: [
    { of: ['posting'], values: ['no', 'n'] },
    {
      of: 'type',
      values: ['estimate', 'sales order', 'purchase order', 'charge', 'delayed charge', 'delayed credit'],
    },
  ],
  grouping: [['type', 'reference', 'party'], ['type', 'reference'], ['type', 'party'], ['type']],
  // The last line of Online can be switched off.
  alwaysEnds: ({ kind, header }) => kind === 'journal' || !isOnline(header),
  separator: ':',
  parseLabel,
  deleted: /(?<!\s)\s+\(deleted(?:-\d+)?\)$/i,
  accountKind: kindOfTypes({ types: TYPES, details: DETAILS, own: OWN }),
  chartHint: 'add the Account List of QuickBooks too: it says what kind each account is',
  openingsHint:
    'export the General Ledger, which has them; or the journal of all dates, from the first entry ever made',
}
