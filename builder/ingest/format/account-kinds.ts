/** The kind of an account in formats that state only its number and name: from company.yaml, from rules, or unknown. */
import type { AccountType, CashFlowCategory, Classification } from '../../contract/vocabulary.ts'
import type { Company, NOT_IN_STATEMENTS } from '../../workspace/company.ts'
import { error, type Finding, warning } from '../../workspace/findings/finding.ts'
import type { AccountRow, Origin } from './intake.ts'
import { statedOf } from './keys.ts'

export interface AccountKind {
  readonly classification: Classification
  /** Empty for "other" of the classification. */
  readonly type: AccountType | '' | typeof NOT_IN_STATEMENTS
  readonly cashFlow: CashFlowCategory | null
  /** stated: by company.yaml; rules: by the file or the number; guess: by a default, which is reported. */
  readonly by: 'stated' | 'rules' | 'guess'
}

/** Patterns of account numbers; the first match counts. */
export type NumberRanges = readonly (readonly [
  pattern: RegExp,
  classification: Classification,
  type: AccountType | '',
])[]

/**
 * The kind from company.yaml, else from `rules`. A type of the rules is added to what company.yaml states if it
 * fits.
 */
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

/** An account that a file uses or declares, with the place where it first stands. */
export interface UsedAccount extends Origin {
  readonly id: string
  readonly number: string
  readonly name: string
  readonly parentId?: string | null
  /** Null where neither company.yaml nor the file nor the number tells the kind. */
  readonly kind: AccountKind | null
}

/**
 * Makes the chart. Where several files name an account, the latest counts; accounts of unknown kind are left out,
 * and reported elsewhere.
 */
export function chartRows(accounts: readonly UsedAccount[]): AccountRow[] {
  const rows = accounts.flatMap(({ file, row, id, number, name, kind, parentId = null }): AccountRow[] => {
    if (kind === null) return []
    const { classification, type, cashFlow } = kind
    return [{ file, row, id, number, name, classification, type, cashFlow, parentId, isActive: true }]
  })
  return [...new Map(rows.map((row) => [row.id, row])).values()]
}

/**
 * Rows for accounts of unknown kind, as assets for the time being. Their finding prevents publication, but the
 * books can read their lines, so that other mistakes are reported at the same time.
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

/**
 * One finding for each account whose kind is unknown (an error), or is not confirmed by company.yaml yet (a
 * warning).
 */
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
    // Where there is a chart of accounts beside the file, an account that it leaves out is reported by the books
    // as unknown.
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
