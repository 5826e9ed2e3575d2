/** The kind of each QuickBooks account: by its type and detail type, else by the names that QuickBooks itself gives. */
import type { Classification } from '../../../../contract/vocabulary.ts'
import { NOT_IN_STATEMENTS } from '../../../../workspace/company.ts'
import type { Kind, TypedAccount } from '../rows/layout.ts'

type Rule = readonly [pattern: RegExp, classification: Classification, type: Kind['type']]

/**
 * Account types of QuickBooks Online (US; with those of other countries behind them) and Desktop, without capitals and
 * without the `(A/R)` behind them; singular and plural are both in use. Seen in exported account lists of both.
 */
const TYPES: readonly Rule[] = [
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
const DETAILS: readonly Rule[] = [
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
const OWN: readonly Rule[] = [
  [/^accounts receivable(?: \(a\/r\))?$/, 'Asset', 'AccountsReceivable'],
  [/^accounts payable(?: \(a\/p\))?$/, 'Liability', 'AccountsPayable'],
  [/^undeposited funds$|^payments to deposit$/, 'Asset', 'CashEquivalent'],
  [/^inventory asset$/, 'Asset', 'Inventory'],
  [/^sales tax payable$/, 'Liability', 'SalesTax'],
  [/^opening balance equity$/, 'Equity', 'OtherEquity'],
  [/^retained earnings$/, 'Equity', 'RetainedEarnings'],
  [/^cost of goods sold$/, 'CostOfSales', 'CostOfSales'],
]

const plain = (text: string): string =>
  text
    .slice(0, 500)
    .toLowerCase()
    .replace(/\s*\([^)]*\)\s*$/, '')
    .replace(/\s+/g, ' ')
    .trim()

const found = (rules: readonly Rule[], text: string, of?: Classification): Rule | undefined =>
  rules.find(([pattern, classification]) => pattern.test(text) && (of === undefined || of === classification))

export function quickBooksKind({ name, type, detailType }: TypedAccount): Kind | null {
  const own = found(OWN, name.toLowerCase().trim())
  if (type === '') {
    if (own === undefined) return null
    return { classification: own[1], type: own[2], cashFlow: null, doubt: null }
  }
  const rule = found(TYPES, plain(type))
  if (rule === undefined) return null
  const [, classification, usual] = rule
  const detail =
    found(DETAILS, plain(detailType), classification) ?? (own?.[1] === classification ? own : undefined)
  // Desktop lists have no detail types: a contra account is known by its name.
  const isContra = detail === undefined && usual === 'FixedAsset' && /deprec|amorti/i.test(name)
  return {
    classification,
    type: isContra ? 'AccumulatedDepreciation' : (detail?.[2] ?? usual),
    cashFlow: null,
    doubt: isContra ? 'accumulated depreciation by its name, please check' : null,
  }
}
