/** Accounts whose id is their path, `assets:bank:checking`: the kind of each by its name, and the tree of the paths. */
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

/** hledger's rule for cash; `assets:current:receivables` is not cash, since its name says receivables. */
const CASH = /^assets?:(.+:)?(cash|bank|che(ck|que)?(ing)?|savings?|current)(:|$)/i
const NOT_MORE: ReadonlySet<string> = new Set(['', 'OtherCurrentAsset'])

function ruleOf(id: string): Omit<AccountKind, 'by'> | null {
  const root = ROOTS.find(([pattern]) => pattern.test(id))
  if (root === undefined) return null
  const below = id.includes(':') ? id.slice(id.indexOf(':')) : ''
  const [classification, type] = kindOfWords(root[1], below)
  return { classification, type: NOT_MORE.has(type) && CASH.test(id) ? 'Bank' : type, cashFlow: null }
}

/** By company.yaml, else by the name; null where neither gives a kind. */
export const classifyPath = (id: string, stated: Company['accounts']): AccountKind | null =>
  kindOf(id, stated, ruleOf(id))

const parentOf = (id: string): string | null => (id.includes(':') ? id.slice(0, id.lastIndexOf(':')) : null)

/** The last part of the path; the parents show the rest. */
export const nameOf = (id: string): string => id.slice(id.lastIndexOf(':') + 1)

/** Each part is an account, whose id repeats all parts above it: their length grows with the square of the depth. */
export const DEEPEST = 100
export const isTooDeep = (id: string): boolean => id.split(':', DEEPEST + 1).length > DEEPEST

/**
 * The chart with its parents. A parent without postings has the kind of the accounts below it, and is left out where these
 * differ. An account stands below its parent only where both are of the same kind.
 */
export function treeRows(accounts: readonly UsedAccount[]): AccountRow[] {
  const used = new Map(accounts.map((account) => [account.id, account]))
  /** Parent → its kind, null where the accounts below it differ; and the first of these accounts. */
  const parents = new Map<
    string,
    { kind: AccountRow['classification'] | null; readonly first: UsedAccount }
  >()
  for (const account of used.values()) {
    if (account.kind === null) continue
    for (let id = parentOf(account.id); id !== null; id = parentOf(id)) {
      const { classification } = account.kind
      const parent = parents.get(id)
      if (parent === undefined) parents.set(id, { kind: classification, first: account })
      else if (parent.kind !== classification) parent.kind = null
    }
  }
  const classOf = (id: string) =>
    used.get(id)?.kind?.classification ?? (used.has(id) ? null : (parents.get(id)?.kind ?? null))
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
    ...[...parents].flatMap(([id, { kind, first }]) =>
      kind === null || used.has(id)
        ? []
        : [row(id, first, { classification: kind, type: '', cashFlow: null })],
    ),
  ]
}
