/**
 * The kind of each SAF-T account. Norway maps each account to the standard chart (NS 4102) or to a code of the
 * income statement, which has the same numbers; in Portugal the number is that of the SNC. Reads no amounts.
 */
import type { AccountType, Classification } from '../../../contract/vocabulary.ts'
import type { Company } from '../../../workspace/company.ts'
import { type AccountKind, kindOf, type NumberRanges } from '../../format/account-kinds.ts'
import { statedOf } from '../../format/keys.ts'
import type { SaftAccount } from './parse.ts'

/**
 * NS 4102 by the first two to four digits, the first match wins. Short-term loans (23) and dividends payable (28) are
 * financing, and LongTermLiability is the one type that is. Classes 88 and 89 distribute the year's result: they move equity.
 */
const NS4102: NumberRanges = [
  [/^107/, 'Asset', 'OtherAsset'], // deferred tax
  [/^1[0-2]/, 'Asset', 'FixedAsset'],
  [/^13/, 'Asset', 'OtherAsset'], // financial fixed assets
  [/^148/, 'Asset', 'OtherCurrentAsset'], // advances to suppliers
  [/^14/, 'Asset', 'Inventory'],
  [/^15[3467]/, 'Asset', 'OtherCurrentAsset'], // not invoiced; owed by group companies, owners, staff, others
  [/^15/, 'Asset', 'AccountsReceivable'],
  [/^16[0-4]|^16$/, 'Asset', 'SalesTax'],
  [/^1[678]/, 'Asset', 'OtherCurrentAsset'],
  [/^19/, 'Asset', 'Bank'],
  [/^20[0234]/, 'Equity', 'Capital'],
  [/^20[67]/, 'Equity', 'Drawings'],
  [/^20[58]/, 'Equity', 'RetainedEarnings'],
  [/^20/, 'Equity', 'OtherEquity'],
  [/^21/, 'Liability', 'OtherCurrentLiability'], // provisions: deferred tax and pensions are no financing
  [/^2[238]/, 'Liability', 'LongTermLiability'],
  [/^24/, 'Liability', 'AccountsPayable'],
  [/^27[0-4]|^27$/, 'Liability', 'SalesTax'],
  [/^2/, 'Liability', 'OtherCurrentLiability'],
  [/^3[0-35]/, 'Income', 'Sales'],
  [/^3/, 'Income', ''],
  [/^4/, 'CostOfSales', 'CostOfSales'],
  [/^60/, 'Expense', 'Depreciation'],
  [/^[5-7]/, 'Expense', 'Expense'],
  [/^8[04]/, 'OtherIncome', 'OtherIncome'],
  [/^8[36]/, 'OtherExpense', 'IncomeTax'],
  [/^8[15]/, 'OtherExpense', 'OtherExpense'],
  [/^8[89]/, 'Equity', 'OtherEquity'],
]

/** Norway 1.30: the kind by category, where the code is not a number of the standard chart (banks, insurers). */
const CATEGORIES: Readonly<Record<string, readonly [Classification, AccountType | '']>> = {
  balanseverdiForAnleggsmiddel: ['Asset', 'FixedAsset'],
  balanseverdiForOmloepsmiddel: ['Asset', 'OtherCurrentAsset'],
  egenkapital: ['Equity', 'OtherEquity'],
  langsiktigGjeld: ['Liability', 'LongTermLiability'],
  kortsiktigGjeld: ['Liability', 'OtherCurrentLiability'],
  salgsinntekt: ['Income', 'Sales'],
  annenDriftsinntekt: ['Income', ''],
  varekostnad: ['CostOfSales', 'CostOfSales'],
  loennskostnad: ['Expense', 'Expense'],
  annenDriftskostnad: ['Expense', 'Expense'],
  finansinntekt: ['OtherIncome', 'OtherIncome'],
  finanskostnad: ['OtherExpense', 'OtherExpense'],
}

/**
 * SNC (sistema de normalização contabilística), the first match wins. Accounts that can stand on either side are on the
 * side of their name. Class 64 to 68 is operating in the Portuguese income statement, 69 and 79 are financial.
 */
const SNC: NumberRanges = [
  [/^1[123]/, 'Asset', 'Bank'],
  [/^14/, 'Asset', 'OtherCurrentAsset'],
  [/^218/, 'Liability', 'OtherCurrentLiability'], // advances from customers
  [/^21/, 'Asset', 'AccountsReceivable'],
  [/^22[89]/, 'Asset', 'OtherCurrentAsset'], // advances to suppliers, impairment
  [/^22/, 'Liability', 'AccountsPayable'],
  [/^23[29]/, 'Asset', 'OtherCurrentAsset'], // advances to staff
  [/^243[278]/, 'Asset', 'SalesTax'], // VAT deductible, to be recovered, to be refunded
  [/^243/, 'Liability', 'SalesTax'],
  [/^25/, 'Liability', 'LongTermLiability'],
  [/^26[126]/, 'Asset', 'OtherAsset'], // capital not paid up, loans to shareholders
  [/^26/, 'Liability', 'LongTermLiability'], // shareholders: financing
  [/^2713|^2721|^279/, 'Asset', 'OtherCurrentAsset'],
  [/^2741/, 'Asset', 'OtherAsset'], // deferred tax
  [/^278/, 'Asset', 'OtherCurrentAsset'],
  [/^281/, 'Asset', 'OtherCurrentAsset'], // prepaid
  [/^2[34789]/, 'Liability', 'OtherCurrentLiability'],
  [/^39/, 'Asset', 'OtherCurrentAsset'], // advances for purchases
  [/^3/, 'Asset', 'Inventory'],
  [/^4[234]8|^4[2-5]9/, 'Asset', 'AccumulatedDepreciation'],
  [/^4[2345]/, 'Asset', 'FixedAsset'],
  [/^4[16]/, 'Asset', 'OtherAsset'],
  [/^5[14]/, 'Equity', 'Capital'],
  [/^5[56]/, 'Equity', 'RetainedEarnings'],
  [/^5/, 'Equity', 'OtherEquity'],
  [/^61/, 'CostOfSales', 'CostOfSales'],
  [/^64/, 'Expense', 'Depreciation'],
  [/^6[235678]/, 'Expense', 'Expense'],
  [/^69/, 'OtherExpense', 'OtherExpense'],
  [/^7[12]/, 'Income', 'Sales'],
  [/^7[3-8]/, 'Income', ''],
  [/^79/, 'OtherIncome', 'OtherIncome'],
  [/^812/, 'OtherExpense', 'IncomeTax'],
  [/^81/, 'Equity', 'RetainedEarnings'], // the result that closing entries carry here
  [/^89/, 'Equity', 'Drawings'], // dividends in advance
]

type Rules = Omit<AccountKind, 'by'>
const rules = (classification: Classification, type: AccountType | ''): Rules => ({
  classification,
  type,
  cashFlow: null,
})

function byNumber(ranges: NumberRanges, number: string): Rules | null {
  const range = ranges.find(([pattern]) => pattern.test(number))
  return range === undefined ? null : rules(range[1], range[2])
}

/** Numbers of four digits or more are of the standard chart; shorter ones are of a company's own. */
const isStandard = (number: string): boolean => /^\d{4,}$/.test(number)

function norwegian({ id, name, standard, category, code }: SaftAccount): Rules | null {
  const mapped = /^\d{2,4}$/.test(standard) ? standard : /^\d{4}$/.test(code) ? code : null
  const own = isStandard(id) ? byNumber(NS4102, id) : null
  const byCategory = statedOf(CATEGORIES, category)
  const stated =
    mapped !== null ? byNumber(NS4102, mapped) : byCategory !== undefined ? rules(...byCategory) : null
  // Mapped to its own number, or to the group that it is numbered in: four digits say more than two.
  const agrees = own !== null && mapped !== null && id.startsWith(mapped.slice(0, 2))
  const kind = agrees ? own : (stated ?? own)
  const isWrittenDown = kind?.type === 'FixedAsset' && /avskr|nedskr|depreciation|write-?down/i.test(name)
  return isWrittenDown ? rules('Asset', 'AccumulatedDepreciation') : kind
}

/** By company.yaml, else by the national chart of `country`; null where neither gives a kind. */
export function classifySaftAccount(
  account: SaftAccount,
  country: string | null,
  stated: Company['accounts'],
): AccountKind | null {
  const known =
    country === 'NO'
      ? norwegian(account)
      : country === 'PT' && /^\d{2}/.test(account.id)
        ? byNumber(SNC, account.id)
        : null
  return kindOf(account.id, stated, known)
}

/** Portugal: headers of the chart, which carry the totals of the accounts below them. */
export const isHeaderAccount = ({ category }: SaftAccount): boolean => /^[GA][RA]$/.test(category)
/** Portugal: accounts of cost accounting, beside the ledger. */
export const isCostAccount = ({ category }: SaftAccount): boolean => /^A[RAM]$/.test(category)
