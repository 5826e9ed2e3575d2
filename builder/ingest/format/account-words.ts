/**
 * What an English name tells about an account whose classification is known: its type, and whether it belongs to
 * other income or expenses.
 */
import type { AccountType, Classification } from '../../contract/vocabulary.ts'

type Kind = readonly [classification: Classification, type: AccountType | '']

/** The first match counts, so that specific words stand before general ones. */
const WORDS: { readonly [classification in Classification]?: readonly (readonly [RegExp, ...Kind])[] } = {
  Asset: [
    [/depreciation|amorti[sz]ation/, 'Asset', 'AccumulatedDepreciation'],
    [/receivables?\b|\bdebtors?\b/, 'Asset', 'AccountsReceivable'],
    [/\b(inventory|inventories)\b/, 'Asset', 'Inventory'],
    [
      /\b(fixed|property|plant|equipment|machinery|vehicles?|furniture|buildings?|land)\b/,
      'Asset',
      'FixedAsset',
    ],
    [/\b(cash|banks?|checking|cheques?|savings?)\b/, 'Asset', 'Bank'],
    [/\b(sales tax|vat|gst|input tax)\b/, 'Asset', 'SalesTax'],
    [/\bnon[- ]?current|long[- ]?term|goodwill|intangible|\binvestments?\b/, 'Asset', 'OtherAsset'],
    [/\bcurrent\b|\bprepa(id|yments?)\b/, 'Asset', 'OtherCurrentAsset'],
  ],
  Liability: [
    [
      /\b(accounts?|trade)[- ]payables?|^payables?$|:payables?(:|$)|\bcreditors?\b/,
      'Liability',
      'AccountsPayable',
    ],
    [/\bcredit[- ]?cards?\b|:cards?(:|$)/, 'Liability', 'CreditCard'],
    [/\b(sales tax|vat|gst)\b/, 'Liability', 'SalesTax'],
    [
      /\bnon[- ]?current|long[- ]?term|\b(mortgages?|loans?|bonds?|debts?|notes? payable)\b/,
      'Liability',
      'LongTermLiability',
    ],
    [/\bcurrent\b|\baccru(ed|als?)\b/, 'Liability', 'OtherCurrentLiability'],
  ],
  Equity: [
    [/\bretained\b|\bearnings\b|accumulated deficit/, 'Equity', 'RetainedEarnings'],
    [/\b(draws?|drawings?|withdrawals?|dividends?|distributions?)\b/, 'Equity', 'Drawings'],
    [/\bcapital\b|\bstock\b|\bshares?\b|paid[- ]in|\bcontributions?\b/, 'Equity', 'Capital'],
  ],
  Income: [
    [/\bother (income|revenues?)\b|\binterest (income|received)\b|\bgains?\b/, 'OtherIncome', 'OtherIncome'],
    [/\bsales\b/, 'Income', 'Sales'],
  ],
  Expense: [
    [/\bcosts? of (goods|sales|revenues?)\b|\bcogs\b/, 'CostOfSales', 'CostOfSales'],
    [/depreciation|amorti[sz]ation/, 'Expense', 'Depreciation'],
    [/\bincome tax(es)?\b/, 'OtherExpense', 'IncomeTax'],
    [/\bother expenses?\b|\binterest (expense|paid)\b|\bloss(es)? on\b/, 'OtherExpense', 'OtherExpense'],
    [/^/, 'Expense', 'Expense'],
  ],
}

/** `text` is a name, a path, a caption, or several of them; dashes and underscores count as blanks. */
export function kindOfWords(classification: Classification, text: string): Kind {
  const plain = text.toLowerCase().replace(/[-_]/g, ' ')
  const found = WORDS[classification]?.find(([pattern]) => pattern.test(plain))
  if (found === undefined) return [classification, '']
  const [, narrower, type] = found
  return [narrower, type]
}
