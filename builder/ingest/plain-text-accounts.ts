/** Accounts that are their path, `assets:bank:checking`: what kind each is by its name, and the tree that the paths make. */
import type { Company } from '../workspace/company.ts'
import { type AccountKind, kindOf, type NumberRanges, type UsedAccount } from './account-kinds.ts'
import type { AccountRow } from './intake.ts'

/**
 * By the top of the path as hledger and Beancount have it; what lies below it refines. The first match wins. Cash is by
 * hledger's rule, but for what is called a receivable, stock or plant: `assets:current:receivables` is no cash.
 */
const NAMES: NumberRanges = [
  [/^assets?:(.*:)?([^:]*receivables?|debtors?)(:|$)/i, 'Asset', 'AccountsReceivable'],
  [/^assets?:(.*:)?(inventory|inventories)(:|$)/i, 'Asset', 'Inventory'],
  [/^assets?:(.*:)?[^:]*depreciation(:|$)/i, 'Asset', 'AccumulatedDepreciation'],
  [
    /^assets?:(.*:)?(fixed([ -]?assets?)?|equipment|machinery|vehicles?|furniture|buildings?|land|property|plant)(:|$)/i,
    'Asset',
    'FixedAsset',
  ],
  [/^assets?:(.+:)?(cash|bank|che(ck|que)?(ing)?|savings?|current)(:|$)/i, 'Asset', 'Bank'],
  [/^assets?(:|$)/i, 'Asset', ''],
  [/^(debts?|liabilit(y|ies)):(.*:)?([^:]*payables?|creditors?)(:|$)/i, 'Liability', 'AccountsPayable'],
  [/^(debts?|liabilit(y|ies)):(.*:)?(credit[ -]?)?cards?(:|$)/i, 'Liability', 'CreditCard'],
  [/^(debts?|liabilit(y|ies)):(.*:)?(vat|gst|sales[ -]?tax)(:|$)/i, 'Liability', 'SalesTax'],
  [
    /^(debts?|liabilit(y|ies)):(.*:)?([^:]*loans?|mortgages?|long[ -]?term[^:]*)(:|$)/i,
    'Liability',
    'LongTermLiability',
  ],
  [/^(debts?|liabilit(y|ies))(:|$)/i, 'Liability', ''],
  [/^equity:(.*:)?(retained|earnings)[^:]*(:|$)/i, 'Equity', 'RetainedEarnings'],
  [/^equity:(.*:)?(draws?|drawings?|withdrawals?|dividends?)(:|$)/i, 'Equity', 'Drawings'],
  [/^equity:(.*:)?([^:]*capital|contributions?)(:|$)/i, 'Equity', 'Capital'],
  [/^equity(:|$)/i, 'Equity', ''],
  [/^(income|revenue)s?:(.*:)?sales(:|$)/i, 'Income', 'Sales'],
  [/^(income|revenue)s?(:|$)/i, 'Income', ''],
  [
    /^expenses?:(.*:)?(cogs|costs? of (goods|sales)[^:]*|cost-?of-?(goods|sales)[^:]*)(:|$)/i,
    'CostOfSales',
    'CostOfSales',
  ],
  [/^expenses?:(.*:)?depreciation(:|$)/i, 'Expense', 'Depreciation'],
  [/^expenses?(:|$)/i, 'Expense', 'Expense'],
]

/** By company.yaml, else by the name; null where neither says. */
export function classifyPath(id: string, stated: Company['accounts']): AccountKind | null {
  const rule = NAMES.find(([pattern]) => pattern.test(id))
  return kindOf(id, stated, rule ? { classification: rule[1], type: rule[2], cashFlow: null } : null)
}

const parentOf = (id: string): string | null => (id.includes(':') ? id.slice(0, id.lastIndexOf(':')) : null)

/** The last part of the path: where it stands is told by its parents. */
export const nameOf = (id: string): string => id.slice(id.lastIndexOf(':') + 1)

/**
 * The chart with its parents. A parent without postings is what all accounts below it are; where these differ, it is
 * none, and neither is one that is of another kind itself.
 */
export function treeRows(accounts: readonly UsedAccount[]): AccountRow[] {
  const used = new Map(accounts.map((account) => [account.id, account]))
  const kinds = new Map<string, AccountRow['classification'] | null>()
  const first = new Map<string, UsedAccount>()
  for (const account of used.values()) {
    if (account.kind === null) continue
    for (let id = parentOf(account.id); id !== null; id = parentOf(id)) {
      const { classification } = account.kind
      kinds.set(id, kinds.has(id) && kinds.get(id) !== classification ? null : classification)
      if (!first.has(id)) first.set(id, account)
    }
  }
  const classOf = (id: string) =>
    used.get(id)?.kind?.classification ?? (used.has(id) ? null : (kinds.get(id) ?? null))
  const row = (
    id: string,
    { file, row }: UsedAccount,
    kind: Pick<AccountRow, 'classification' | 'type' | 'cashFlow'>,
  ): AccountRow => {
    const parentId = parentOf(id)
    const isKin = parentId !== null && classOf(parentId) === kind.classification
    return {
      file,
      row,
      id,
      number: '',
      name: nameOf(id),
      ...kind,
      parentId: isKin ? parentId : null,
      isActive: true,
    }
  }
  return [
    ...[...used.values()].flatMap((account) =>
      account.kind === null
        ? []
        : [
            row(account.id, account, {
              classification: account.kind.classification,
              type: account.kind.type,
              cashFlow: account.kind.cashFlow,
            }),
          ],
    ),
    ...[...kinds].flatMap(([id, classification]) =>
      classification === null || used.has(id)
        ? []
        : [row(id, first.get(id)!, { classification, type: '', cashFlow: null })],
    ),
  ]
}
