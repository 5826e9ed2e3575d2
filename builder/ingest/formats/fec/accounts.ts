/**
 * The kind of each FEC account. The file states only its number and name; the number gives the kind, by the
 * French chart of accounts (plan comptable général). Reads no amounts.
 */
import { type Company, NOT_IN_STATEMENTS } from '../../../workspace/company.ts'
import { type AccountKind, kindOf, type NumberRanges } from '../../format/account-kinds.ts'

/**
 * PCG prefixes, the first match wins. Third-party accounts (class 4) may have a balance on either side: the kind is that of
 * the account's name, whatever its balance.
 */
const PCG: NumberRanges = [
  [/^106/, 'Equity', 'RetainedEarnings'], // reserves
  [/^108/, 'Equity', 'Drawings'], // the owner's account
  [/^10/, 'Equity', 'Capital'],
  [/^1[12]/, 'Equity', 'RetainedEarnings'], // brought forward, result of the year
  [/^1[34]/, 'Equity', 'OtherEquity'], // investment grants, regulated provisions
  [/^15|^1688/, 'Liability', 'OtherCurrentLiability'], // provisions; accrued interest on loans
  [/^1[67]/, 'Liability', 'LongTermLiability'],
  [/^2[67]9/, 'Liability', 'LongTermLiability'], // still to be paid on shares
  [/^2[0-5]/, 'Asset', 'FixedAsset'],
  [/^2[67]/, 'Asset', 'OtherAsset'], // financial fixed assets
  [/^2[89]/, 'Asset', 'AccumulatedDepreciation'],
  [/^3/, 'Asset', 'Inventory'],
  [/^409/, 'Asset', 'OtherCurrentAsset'], // advances to suppliers, credit notes to come
  [/^40/, 'Liability', 'AccountsPayable'],
  [/^419/, 'Liability', 'OtherCurrentLiability'], // advances of customers
  [/^41/, 'Asset', 'AccountsReceivable'],
  [/^425|^4287|^4387|^441|^4487/, 'Asset', 'OtherCurrentAsset'], // advances to staff, income to be received
  [/^4456|^4458[36]/, 'Asset', 'SalesTax'], // VAT to be deducted
  [/^445/, 'Liability', 'SalesTax'],
  [/^4[234]/, 'Liability', 'OtherCurrentLiability'],
  [/^4562/, 'Asset', 'OtherCurrentAsset'], // capital called and not paid
  [/^45[567]/, 'Liability', 'LongTermLiability'], // partners' accounts and dividends: financing
  [/^46[25]|^4687/, 'Asset', 'OtherCurrentAsset'],
  [/^477|^487/, 'Liability', 'OtherCurrentLiability'],
  [/^4[56]/, 'Liability', 'OtherCurrentLiability'],
  [/^4[789]/, 'Asset', 'OtherCurrentAsset'], // suspense, prepaid expenses, write-downs
  [/^50/, 'Asset', 'CashEquivalent'],
  [/^519/, 'Liability', 'Bank'], // overdrafts are a part of cash
  [/^5[1348]/, 'Asset', 'Bank'], // 58: money on its way between two of them
  [/^5[29]/, 'Asset', 'OtherCurrentAsset'],
  [/^6096|^606/, 'Expense', 'Expense'], // supplies that are not stored
  [/^60/, 'CostOfSales', 'CostOfSales'],
  [/^681/, 'Expense', 'Depreciation'],
  [/^68/, 'OtherExpense', 'Depreciation'], // financial and exceptional
  [/^69[5-9]/, 'OtherExpense', 'IncomeTax'],
  [/^6[679]/, 'OtherExpense', 'OtherExpense'],
  [/^6[1-5]/, 'Expense', 'Expense'],
  [/^70/, 'Income', 'Sales'],
  [/^7[67]|^78[67]|^79[67]/, 'OtherIncome', 'OtherIncome'],
  [/^7/, 'Income', ''],
]

/** By company.yaml, else by the number; null where neither gives a kind: 18, 89, class 9, and ids that are not numbers. */
export function classifyFecAccount(id: string, stated: Company['accounts']): AccountKind | null {
  // Class 8: commitments, voluntary work. Against 89 balances are opened and closed.
  if (/^8[0-8]\d/.test(id))
    return kindOf(id, stated, { classification: 'Asset', type: NOT_IN_STATEMENTS, cashFlow: null })
  const rule = /^\d{3}/.test(id) ? PCG.find(([pattern]) => pattern.test(id)) : undefined
  return kindOf(id, stated, rule ? { classification: rule[1], type: rule[2], cashFlow: null } : null)
}
