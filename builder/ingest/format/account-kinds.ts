/** What kind of account an account is, where a format says only its number and name: who says so, and what is not said. */
import type { AccountType, CashFlowCategory, Classification } from '../../contract/vocabulary.ts'
import type { Company } from '../../workspace/company.ts'
import { error, type Finding, warning } from '../../workspace/finding.ts'
import type { AccountRow, Origin } from './intake.ts'
import { statedOf } from './keys.ts'

export interface AccountKind {
  readonly classification: Classification
  /** Empty for "other" of the classification. */
  readonly type: AccountType | ''
  readonly cashFlow: CashFlowCategory | null
  /** stated: by company.yaml; rules: by the file or the number; guess: by a default, which is said. */
  readonly by: 'stated' | 'rules' | 'guess'
}

/** Patterns of account numbers, the first match wins. */
export type NumberRanges = readonly (readonly [
  pattern: RegExp,
  classification: Classification,
  type: AccountType | '',
])[]

/** By company.yaml, else by `rules`; a type of the rules fits where they agree with what was stated. */
export function kindOf(
  id: string,
  stated: Company['accounts'],
  rules: Omit<AccountKind, 'by'> | null,
): AccountKind | null {
  const own = statedOf(stated, id)
  if (own === undefined) return rules && { ...rules, by: 'rules' }
  return {
    classification: own.classification,
    type: own.type ?? (rules?.classification === own.classification ? rules.type : ''),
    cashFlow: own.cashFlow ?? null,
    by: 'stated',
  }
}

/** An account as a file uses or declares it; where it stands first. */
export interface UsedAccount extends Origin {
  readonly id: string
  readonly number: string
  readonly name: string
  readonly parentId?: string | null
  /** Null: neither company.yaml nor the file nor the number says. */
  readonly kind: AccountKind | null
}

/** The chart: of an account that several files name the latest counts; those of unknown kind are left out (and reported). */
export function chartRows(accounts: readonly UsedAccount[]): AccountRow[] {
  const rows = accounts.flatMap(({ file, row, id, number, name, kind, parentId = null }): AccountRow[] => {
    if (kind === null) return []
    const { classification, type, cashFlow } = kind
    return [{ file, row, id, number, name, classification, type, cashFlow, parentId, isActive: true }]
  })
  return [...new Map(rows.map((row) => [row.id, row])).values()]
}

/**
 * Accounts that nothing classifies, as assets for the time being: their finding lets nothing be published, and the books
 * can read their lines, so that other mistakes are told with it.
 */
export const unclassifiedRows = (findings: readonly Finding[]): AccountRow[] =>
  findings.flatMap(({ code, file, row, text }) =>
    code !== 'unclassified-account' || text === null
      ? []
      : [
          {
            file: file ?? '',
            row: row ?? 0,
            id: text,
            number: text,
            name: text,
            classification: 'Asset',
            type: '',
            parentId: null,
            cashFlow: null,
            isActive: true,
          },
        ],
  )

/** One finding per account that nothing classifies (an error), or that company.yaml does not confirm yet (a warning). */
export function kindFindings(
  accounts: readonly UsedAccount[],
  company: Company,
  { column, evidence = 'number' }: { readonly column: string; readonly evidence?: string },
): Finding[] {
  const isStated = Object.keys(company.accounts ?? {}).length > 0
  const seen = new Set<string>()
  return accounts.flatMap(({ file, row, id, name, kind }) => {
    if (seen.has(id)) return []
    seen.add(id)
    const place = { file, row, column, text: id }
    const label = name === id || name === '' ? id : `${id} ${name}`
    // A chart of accounts beside the file says more; what it leaves out is an unknown account to the books.
    if (kind === null && company.chartOfAccounts === undefined)
      return [
        error(
          'unclassified-account',
          `account ${label} is used, but its ${evidence} does not say what kind of account it is`,
          {
            ...place,
            remedy: `state its classification under "accounts" in company.yaml, such as "${id}": { classification: Asset }`,
          },
        ),
      ]
    if (kind?.by !== 'rules' || !isStated) return []
    return [
      warning(
        'account-not-stated',
        `account ${label} is not under "accounts" in company.yaml; by its ${evidence} it is read as ${kind.classification}${kind.type ? `, ${kind.type}` : ''}`,
        { ...place, remedy: 'add it, or run "tieout add" with the file again' },
      ),
    ]
  })
}
