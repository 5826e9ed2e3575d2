/** Accounts that are their path, `assets:bank:checking`: what kind each is by its name, and the tree that the paths make. */
import type { Classification } from '../../../contract/vocabulary.ts'
import type { Company } from '../../../workspace/company.ts'
import { type AccountKind, kindOf, type UsedAccount } from '../../format/account-kinds.ts'
import { kindOfWords } from '../../format/account-words.ts'
import type { AccountRow } from '../../format/intake.ts'

/** The tops of paths, as hledger and Beancount have them. */
const ROOTS: readonly (readonly [RegExp, Classification])[] = [
  [/^assets?(:|$)/i, 'Asset'],
  [/^(debts?|liabilit(y|ies))(:|$)/i, 'Liability'],
  [/^equity(:|$)/i, 'Equity'],
  [/^(income|revenue)s?(:|$)/i, 'Income'],
  [/^expenses?(:|$)/i, 'Expense'],
]

/** hledger's rule for cash. What is called a receivable, stock or plant below it is none: `assets:current:receivables`. */
const CASH = /^assets?:(.+:)?(cash|bank|che(ck|que)?(ing)?|savings?|current)(:|$)/i
const NOT_MORE: ReadonlySet<string> = new Set(['', 'OtherCurrentAsset'])

function ruleOf(id: string): Omit<AccountKind, 'by'> | null {
  const root = ROOTS.find(([pattern]) => pattern.test(id))
  if (root === undefined) return null
  const below = id.includes(':') ? id.slice(id.indexOf(':')) : ''
  const [classification, type] = kindOfWords(root[1], below)
  return { classification, type: NOT_MORE.has(type) && CASH.test(id) ? 'Bank' : type, cashFlow: null }
}

/** By company.yaml, else by the name; null where neither says. */
export const classifyPath = (id: string, stated: Company['accounts']): AccountKind | null =>
  kindOf(id, stated, ruleOf(id))

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
