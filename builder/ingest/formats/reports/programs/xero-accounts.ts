/** The kind of each Xero account: by its type, in the words of reports or the codes of the chart, and by the names of Xero's own accounts. */
import type { AccountType, Classification } from '../../../../contract/vocabulary.ts'
import type { Kind, TypedAccount } from '../rows/layout.ts'

type Rule = readonly [pattern: RegExp, classification: Classification, type: AccountType | '']

/** Types as reports and the chart write them, and as codes (`CURRLIAB`); without capitals. */
const TYPES: readonly Rule[] = [
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
const OWN: readonly Rule[] = [
  [/^accounts receivable$|^trade debtors$/, 'Asset', 'AccountsReceivable'],
  [/^accounts payable$|^trade creditors$/, 'Liability', 'AccountsPayable'],
  [/^(?:gst|vat|sales tax)$/, 'Liability', 'SalesTax'],
  [/^retained earnings$/, 'Equity', 'RetainedEarnings'],
]

export function xeroKind({ name, type }: TypedAccount): Kind | null {
  const plain = (text: string): string => text.toLowerCase().replace(/\s+/g, ' ').trim()
  const own = OWN.find(([pattern]) => pattern.test(plain(name)))
  if (type === '')
    return own === undefined ? null : { classification: own[1], type: own[2], cashFlow: null, doubt: null }
  const rule = TYPES.find(([pattern]) => pattern.test(plain(type)))
  if (rule === undefined) return null
  const [, classification, usual] = rule
  // Xero has no type for accumulated depreciation: "Less Accumulated Depreciation on …" is a fixed asset.
  const isContra = usual === 'FixedAsset' && /deprec|amorti/i.test(name)
  return {
    classification,
    type: isContra ? 'AccumulatedDepreciation' : own?.[1] === classification ? own[2] : usual,
    cashFlow: null,
    doubt: isContra ? 'accumulated depreciation by its name, please check' : null,
  }
}
