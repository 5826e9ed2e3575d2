/**
 * Reports of Xero, as CSV or XLSX. Layouts that are read, and where each was seen (test data and readers in public
 * repositories, written for real exports):
 *
 * - Account Transactions and General Ledger Detail in sections: title, firm, `For the period 1 January 2024 to 31 December
 *   2024`, `Date,Source,Description,Reference,Debit,Credit,Running Balance,Gross,Tax`; the account in the column of dates
 *   (`Sales`, `200 - Sales`, `Sales (200)`), `Opening Balance`, `Total Sales`, `Closing Balance` below it, `Net movement`,
 *   a grand `Total`; amounts `1,234.56`, `(1,234.56)` (txns ledger reader; a parser of a General Ledger Detail of 63,653 rows).
 * - The same with an account in each row: `…,Debit,Credit,Gross,Net,GST,…,Account Code,Account,Account Type,Related
 *   account`; bank accounts have no code; four decimals occur (importers of NZOSA).
 * - Journal Report: `Date,Journal ID,Account Code,Account,Debit,Credit` with Narration, Posted Date and Posted By, one row per
 *   line; or the date on the first row of a journal only, `Debit USD` (NZOSA; the journal importer of a GnuCash reader).
 * - Columns may stand in any order; up to two tracking categories are columns under their own names.
 * - The chart of accounts: `*Code,*Name,*Type,*Tax Code,…`, types as words or as codes such as `CURRLIAB`.
 */
import type { Dimension, Positions, ReportFamily, ReportKind } from '../rows/layout.ts'
import { kindOfTypes, labelReader, type TypeRule } from './kinds.ts'

/** `200 - Sales`, `Sales (200)`. */
const parseLabel = labelReader(
  /^(?=[\w./]*\d)(?<number>[\w./]+) - (?<name>.+)$/,
  /^(?<name>.+) \((?=[\w./-]*\d)(?<number>[\w./-]+)\)$/,
)

/** Types as reports and the chart write them, and as codes (`CURRLIAB`); without capitals. */
const TYPES: readonly TypeRule[] = [
  [/^bank$/, 'Asset', 'Bank'],
  [/^accounts? receivable$/, 'Asset', 'AccountsReceivable'],
  [/^inventory$/, 'Asset', 'Inventory'],
  [/^(?:current( asset)?|prepayment)$/, 'Asset', 'OtherCurrentAsset'],
  [/^fixed( asset)?$/, 'Asset', 'FixedAsset'],
  [/^non-?current( asset)?$/, 'Asset', 'OtherAsset'],
  [/^accounts? payable$/, 'Liability', 'AccountsPayable'],
  [/^(?:gst|vat|sales tax)$/, 'Liability', 'SalesTax'],
  [/^(?:termliab|(?:non-current|term) liability)$/, 'Liability', 'LongTermLiability'],
  [
    /^(?:currliab|current liability|liability|payg(?:liability| liability)?|superannuation(?:liability| liability)|wages payable(?: liability)?|wagespayableliability|unpaid expense claims?|historical(?: adjustment)?|rounding|tracking(?: transfers)?)$/,
    'Liability',
    'OtherCurrentLiability',
  ],
  [/^retained earnings$/, 'Equity', 'RetainedEarnings'],
  [/^equity$/, 'Equity', 'OtherEquity'],
  [/^(?:revenue|sales)$/, 'Income', 'Sales'],
  [/^other ?income$/, 'OtherIncome', 'OtherIncome'],
  [/^direct ?costs$/, 'CostOfSales', 'CostOfSales'],
  [/^depreciatn$|^depreciation$/, 'Expense', 'Depreciation'],
  [/^(?:expenses?|overheads?|superannuation ?expense|wages ?expense)$/, 'Expense', 'Expense'],
]

/** Names that Xero gives its own accounts, under the classification of their type. */
const OWN: readonly TypeRule[] = [
  [/^accounts receivable$|^trade debtors$/, 'Asset', 'AccountsReceivable'],
  [/^accounts payable$|^trade creditors$/, 'Liability', 'AccountsPayable'],
  [/^(?:gst|vat|sales tax)$/, 'Liability', 'SalesTax'],
  [/^retained earnings$/, 'Equity', 'RetainedEarnings'],
]

/** Columns that Xero offers by itself: any other is a tracking category. */
const OFFERED =
  /^(?:.*\b(?:date|account|balance|gross|net|gst|vat|tax|rate|currency|journal|posted|narration|id)\b.*|source(?: type)?|contact(?: group)?|description|details|invoice number|reference|debit|credit|movement|item(?: code)?|quantity|unit price|status|reconciled|year|month|.*\((?:source|foreign|fx)\)|code|name|type|dashboard|expense claims|enable payments|report code)$/
const DEPARTMENTS = /depart|location|cost|branch|office|region|team|site|store/

function dimensions(headers: readonly { readonly text: string; readonly at: number }[]): Dimension[] {
  const categories = headers.filter(({ text }) => !OFFERED.test(text)).slice(0, 2)
  // Of two, one is the department: the one that is called so, else the second.
  const named = categories.findIndex(({ text }) => DEPARTMENTS.test(text))
  const department = named === -1 && categories.length === 2 ? 1 : named
  return categories.map(({ text, at }, i) => ({
    id: text,
    at,
    target: i === department ? 'department' : 'class',
  }))
}

/** The number of an entry in other ledgers, whose title may be the same; Xero has a Journal ID. */
const OTHER_NUMBER = /^(?:transaction|trans|txn|entry|voucher|vch|document|doc)[ _-]?(?:id|no|number|#)?\.?$/

function kindOf(at: Positions, header: readonly string[], titled: ReportKind | null): ReportKind | null {
  const isLine = at.date !== undefined && at.debit !== undefined && at.credit !== undefined
  const isCoded = at.code !== undefined || at.account !== undefined
  const isOther = header.some((text) => OTHER_NUMBER.test(text))
  if (isLine && !isOther && (titled === 'ledger' || titled === 'journal')) return titled
  if (
    isLine &&
    isCoded &&
    at.id !== undefined &&
    header.some((text) => /^(?:narration|posted (?:date|by))$/.test(text))
  )
    return 'journal'
  if (isLine && at.type !== undefined && at.memo !== undefined && (at.balance !== undefined || isCoded))
    return 'ledger'
  const isChart =
    at.date === undefined && at.code !== undefined && at.account !== undefined && at.accountType !== undefined
  return isChart && header.includes('tax code') ? 'chart' : null
}

export const XERO: ReportFamily = {
  id: 'xero',
  name: 'Xero',
  knownBy: 'Date, Source, Description, Reference, Debit, Credit, Running Balance',
  headers: {
    id: ['journal id', 'journal number', 'journal no.', 'journal no'],
    date: ['date', 'journal date'],
    type: ['source', 'source type'],
    num: ['reference', 'invoice number'],
    name: ['contact', 'contact name'],
    memo: ['description', 'narration', 'details'],
    account: ['account', 'account name', 'name'],
    code: ['account code', 'code'],
    accountType: ['account type', 'type'],
    debit: ['debit'],
    credit: ['credit'],
    balance: ['running balance', 'balance'],
    split: ['related account'],
    dueDate: ['due date'],
    enteredOn: ['posted date'],
    enteredBy: ['posted by'],
  },
  dimensions,
  titles: [
    [/^journal report\b/i, 'journal'],
    [/^(?:account transactions|general ledger(?: detail)?|detailed account transactions?)\b/i, 'ledger'],
    [/^chart of accounts$/i, 'chart'],
  ],
  kindOf,
  // Without a column for it, the contact stands before the description.
  grouping: [['type', 'reference', 'payee'], ['type', 'payee'], ['type', 'reference'], ['type']],
  alwaysEnds: ({ kind }) => kind === 'ledger',
  separator: null,
  parseLabel,
  accountKind: kindOfTypes({ types: TYPES, details: [], own: OWN }),
  chartHint: 'add the chart of accounts of Xero too: it says what kind each account is',
  openingsHint:
    'export General Ledger Detail with opening balances; or the Journal Report from the first journal ever made',
}
