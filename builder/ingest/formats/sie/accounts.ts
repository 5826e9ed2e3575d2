/**
 * The kind of each SIE account. SIE itself hardly states it; the number of the account does, by the Swedish BAS chart.
 * The order of evidence: company.yaml, #RES or #IB/#UB, #KTYP, the BAS range. Reads no amounts.
 */
import { type AccountType, type Classification, isProfitAndLoss } from '../../../contract/vocabulary.ts'
import type { Company } from '../../../workspace/company.ts'
import { type AccountKind, kindOf, type NumberRanges } from '../../format/account-kinds.ts'
import { statedOf } from '../../format/keys.ts'
import type { SieAccount, SieFile } from './records.ts'

/** BAS ranges, the first match wins. Four digits and more; a longer number is a sub-account of its first four. */
const BAS: NumberRanges = [
  [/^1[0-2]88/, 'Asset', 'FixedAsset'], // advances paid, not accumulated depreciation as other x8 accounts
  [/^1[0-3].[89]/, 'Asset', 'AccumulatedDepreciation'], // x8 write-downs, x9 depreciation
  [/^1[0-2]/, 'Asset', 'FixedAsset'],
  [/^13/, 'Asset', 'OtherAsset'], // financial fixed assets
  [/^14/, 'Asset', 'Inventory'],
  [/^15[01]/, 'Asset', 'AccountsReceivable'],
  [/^165/, 'Asset', 'SalesTax'],
  [/^1[5-8]/, 'Asset', 'OtherCurrentAsset'],
  [/^19/, 'Asset', 'Bank'],
  [/^2019|^209[1589]/, 'Equity', 'RetainedEarnings'],
  [/^20[1-4][1-5]/, 'Equity', 'Drawings'], // a sole trader's or partner's withdrawals, tax and living costs
  [/^20[1-4]|^208[1-4]|^209[37]/, 'Equity', 'Capital'],
  [/^20/, 'Equity', 'OtherEquity'],
  [/^23/, 'Liability', 'LongTermLiability'],
  [/^244/, 'Liability', 'AccountsPayable'],
  [/^26/, 'Liability', 'SalesTax'],
  [/^2/, 'Liability', 'OtherCurrentLiability'],
  [/^3/, 'Income', 'Sales'],
  [/^4/, 'CostOfSales', 'CostOfSales'],
  [/^78/, 'Expense', 'Depreciation'],
  [/^[5-7]/, 'Expense', 'Expense'],
  [/^89[1-8]/, 'OtherExpense', 'IncomeTax'],
  [/^8[0-3]/, 'OtherIncome', 'OtherIncome'],
  [/^8/, 'OtherExpense', 'OtherExpense'], // 84 interest paid, 88 appropriations, 899 the year's result
]

/** The last #KONTO of an account, and its file: the latest name counts. */
export function declarationOf(
  id: string,
  files: readonly SieFile[],
): { readonly file: SieFile; readonly account: SieAccount } | null {
  const declared = files.flatMap((file) => {
    const account = file.accounts.get(id)
    return account === undefined ? [] : [{ file, account }]
  })
  return declared.at(-1) ?? null
}

/** Where an account stands in the files: on the P&L, on the balance sheet, or nowhere. */
type Statement = 'profit-and-loss' | 'balance-sheet' | null

/** The kind that the rules give to every account of the files; null where they cannot tell. */
export function classifyAccounts(
  files: readonly SieFile[],
  stated: Company['accounts'],
): Map<string, AccountKind | null> {
  const results = new Set<string>()
  const balances = new Set<string>()
  const used = new Set<string>()
  for (const file of files) {
    for (const { label, account } of file.balances) {
      used.add(account)
      if (label === 'RES') results.add(account)
      else if (label === 'IB' || label === 'UB') balances.add(account)
    }
    for (const account of file.vouchers.accounts.keys()) used.add(account)
  }
  const kinds = new Map<string, AccountKind | null>()
  for (const id of new Set([...files.flatMap((file) => [...file.accounts.keys()]), ...used])) {
    const statement = results.has(id) ? 'profit-and-loss' : balances.has(id) ? 'balance-sheet' : null
    const kindOfFile = files.map((file) => file.accountKinds.get(id)).findLast((kind) => kind !== undefined)
    const byRules = classify(id, statement, kindOfFile)
    kinds.set(id, statedOf(stated, id) === undefined ? byRules : kindOf(id, stated, byRules))
  }
  return kinds
}

function classify(id: string, seenOn: Statement, accountKind: string | undefined): AccountKind | null {
  const rules = (
    classification: Classification,
    type: AccountType | '' = '',
    by: AccountKind['by'] = 'rules',
  ) => ({ classification, type, cashFlow: null, by }) as const
  const statement = seenOn ?? statementOf(accountKind)
  const range = BAS.find(([pattern]) => /^\d{4,}$/.test(id) && pattern.test(id))
  if (range !== undefined) {
    const [, classification, type] = range
    const rangeStatement = isProfitAndLoss(classification) ? 'profit-and-loss' : 'balance-sheet'
    if (statement === null || statement === rangeStatement) {
      // In class 8 gains and losses share ranges, and #KTYP says which of the two an account is. Tax stays an expense.
      if (id.startsWith('8') && type !== 'IncomeTax' && accountKind === 'I')
        return rules('OtherIncome', 'OtherIncome')
      if (id.startsWith('8') && type !== 'IncomeTax' && accountKind === 'K')
        return rules('OtherExpense', 'OtherExpense')
      return rules(classification, type)
    }
  }
  // The number is outside of BAS, or contradicts the statement on which the account stands.
  if (statement === 'balance-sheet' && accountKind === 'T') return rules('Asset')
  if (statement === 'balance-sheet' && accountKind === 'S') return rules('Liability')
  if (statement === 'profit-and-loss' && accountKind === 'I') return rules('OtherIncome')
  if (statement === 'profit-and-loss')
    return rules('OtherExpense', '', accountKind === 'K' ? 'rules' : 'guess')
  return null
}

const statementOf = (accountKind: string | undefined): Statement =>
  accountKind === 'I' || accountKind === 'K'
    ? 'profit-and-loss'
    : accountKind === 'T' || accountKind === 'S'
      ? 'balance-sheet'
      : null
