/**
 * The kind of each account of a program: by the program's own type of it, else by words in its name, else by its
 * number where the program's charts are numbered alike. What is not the program's own word is to be checked.
 */
import { type Classification, isProfitAndLoss } from '../../../../contract/vocabulary.ts'
import type { AccountKind } from '../../../format/account-kinds.ts'
import { kindOfWords } from '../../../format/account-words.ts'
import type { AccountLabel, Dimension, Kind, Target, TypedAccount } from '../rows/layout.ts'

export type TypeRule = readonly [type: RegExp, classification: Classification, type_: AccountKind['type']]

const first = (rules: readonly TypeRule[], text: string, of?: Classification): TypeRule | undefined =>
  rules.find(([pattern, classification]) => pattern.test(text) && (of === undefined || of === classification))

/**
 * The kind by the program's words alone: `types` and, within the classification of the type, `details`, and `own`, the accounts that the
 * program makes itself. There is no type for accumulated depreciation on a list without details: it is a fixed asset by its name.
 */
export const kindOfTypes =
  (rules: Readonly<Record<'types' | 'details' | 'own', readonly TypeRule[]>>) =>
  ({ name, type, detailType }: TypedAccount): Kind | null => {
    const own = first(rules.own, plain(name))
    const root = type === '' ? own : first(rules.types, withoutRemark(type))
    if (root === undefined) return null
    const [, classification, usual] = root
    const detail =
      first(rules.details, withoutRemark(detailType), classification) ??
      (own?.[1] === classification ? own : undefined)
    const isContra = detail === undefined && usual === 'FixedAsset' && /deprec|amorti/i.test(name)
    return {
      classification,
      type: isContra ? 'AccumulatedDepreciation' : (detail?.[2] ?? usual),
      cashFlow: null,
      doubt: isContra ? 'accumulated depreciation by its name, please check' : null,
    }
  }

/** `Accounts receivable (A/R)` → `accounts receivable`. */
const withoutRemark = (text: string): string => plain(text.slice(0, 500)).replace(/ ?\([^)]*\)$/, '')

/** Names that say what an account is in any chart; what is particular stands before what is general. */
const NAMES: readonly (readonly [RegExp, Classification])[] = [
  [/\baccumulated (depreciation|amorti[sz]ation)\b/, 'Asset'],
  [/\b(receivables?|debtors|inventory|inventories|prepaid|prepayments?|undeposited)\b/, 'Asset'],
  [/\b(interest|dividends?|rent(al)?) (income|received)\b/, 'OtherIncome'],
  [/\binterest (expense|paid)\b/, 'OtherExpense'],
  [/\b(payables?|creditors|accrued|credit cards?|mortgage|loans?|deferred (income|revenue))\b/, 'Liability'],
  [/\bcost of (goods|sales|revenues?)\b|\bcogs\b/, 'CostOfSales'],
  [
    /\b(retained earnings|equity|(share|issued|contributed) capital|common stock|paid[- ]in|undistributed profits)/,
    'Equity',
  ],
  // Capital gains, leases, expenditure and working capital are no equity.
  [
    /\b(owner|partner|member|shareholder|stockholder)['’]?s?['’]? (draw|capital)|^capital( stock| accounts?| contributions?)?$/,
    'Equity',
  ],
  [
    /\bexpenses?\b|\bdepreciation\b|\bsalar(y|ies)\b|\bwages\b|\bpayroll\b|\brent\b|\butilities\b|\binsurance\b|\badvertising\b/,
    'Expense',
  ],
  [/\b(sales|revenues?|fees earned|income)\b/, 'Income'],
  [/\b(cash|bank|checking|savings|petty cash|equipment|vehicles?|furniture|buildings?|land)\b/, 'Asset'],
]

/** The last word says that an account is one of income or expense, but for what is not earned yet. */
const RESULT = /^(?!.*\bunearned\b).*\b(income|revenues?|expenses?)$/

/** First digit of an account's number → what it is, in the charts that these programs come with. */
export type Digits = { readonly [digit: string]: Classification }
export const AMERICAN: Digits = {
  1: 'Asset',
  2: 'Liability',
  3: 'Equity',
  4: 'Income',
  5: 'CostOfSales',
  6: 'Expense',
  7: 'Expense',
  8: 'Expense',
  9: 'OtherExpense',
}

const plain = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[_\s]+/g, ' ')
    .trim()

/** The program's type alone; null where it says none that is known. */
function byType(rules: readonly TypeRule[], { name, type, detailType }: TypedAccount): Kind | null {
  const root = rules.find(([pattern]) => pattern.test(plain(type)))
  // The finer type counts where it is one of the coarser one.
  const rule =
    rules.find(
      ([pattern, own]) =>
        pattern.test(plain(detailType)) && (root === undefined || sides(own) === sides(root[1])),
    ) ?? root
  if (rule === undefined) return null
  const [, classification, own] = rule
  const [refined, word] = kindOfWords(classification, name)
  return {
    classification: own === '' ? refined : classification,
    type: own === '' || (own === 'FixedAsset' && word === 'AccumulatedDepreciation') ? word : own,
    cashFlow: null,
    doubt: own === '' && refined !== classification ? `${refined} by its name, please check` : null,
  }
}

/** `digits` null: the program's charts are numbered in many ways. */
export const programKind =
  (rules: readonly TypeRule[], digits: Digits | null) =>
  (account: TypedAccount): Kind | null => {
    const typed = byType(rules, account)
    if (typed !== null) return typed
    const name = plain(account.name)
    const named = NAMES.find(([pattern]) => pattern.test(name))?.[1]
    const numbered = digits?.[account.number[0] ?? '']
    const classification = numbered ?? named
    if (classification === undefined) return null
    // Of a number and a name that contradict each other, neither is known to be right.
    const isResult = named !== undefined && isProfitAndLoss(named) && RESULT.test(name)
    if (isResult && numbered !== undefined && !isProfitAndLoss(numbered)) return null
    // A number says where an account stands; its name may say more within that.
    const family =
      numbered !== undefined && named !== undefined && sides(named) === sides(numbered)
        ? named
        : classification
    const [refined, type] = kindOfWords(
      family === 'CostOfSales' || family === 'OtherExpense'
        ? 'Expense'
        : family === 'OtherIncome'
          ? 'Income'
          : family,
      account.name,
    )
    const isOther = family === 'CostOfSales' || family === 'OtherExpense' || family === 'OtherIncome'
    return {
      classification: isOther ? family : refined,
      type: isOther ? family : type,
      cashFlow: null,
      doubt: `by its ${numbered === undefined ? 'name' : 'number'}, please check`,
    }
  }

const sides = (kind: Classification): string =>
  kind === 'CostOfSales' || kind === 'Expense' || kind === 'OtherExpense'
    ? 'expense'
    : kind === 'Income' || kind === 'OtherIncome'
      ? 'income'
      : kind

/** Class and department, each by the first of its headers that the report has. */
export const named =
  (targets: readonly (readonly [Target, readonly string[]])[]) =>
  (headers: readonly { readonly text: string; readonly at: number }[]): Dimension[] =>
    targets.flatMap(([target, names]) => {
      const found = names
        .map((name) => headers.find(({ text }) => text === name))
        .find((header) => header !== undefined)
      return found === undefined ? [] : [{ id: found.text, at: found.at, target }]
    })

/**
 * By the first pattern that matches, with groups `number` and `name`; else all of the label is the name. A label may be of any length:
 * a pattern asks for a digit by looking ahead, so that there is one way only to divide a label.
 */
export const labelReader =
  (...patterns: readonly RegExp[]) =>
  (label: string): AccountLabel => {
    for (const pattern of patterns) {
      const { number, name } = pattern.exec(label)?.groups ?? {}
      if (number !== undefined && name !== undefined) return { number, name }
    }
    return { number: '', name: label }
  }
