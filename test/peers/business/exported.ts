/** The synthetic business in some format: its files, and what of it that format can carry. */
import type { Business, BusinessAccount } from '../../support/business.ts'
import type { Files } from '../../support/workspace.ts'

export interface Exported {
  /** For the name of the test: format, variant. */
  readonly name: string
  /** Everything in the company's folder, company.yaml included. */
  readonly files: Files
  /** Which tags the format carries. Statements are compared under every filter of these. */
  readonly dimensions: readonly ('class' | 'department')[]
  /** How the format identifies an account, where that is not the number for id and number. */
  readonly account?: (account: BusinessAccount) => {
    readonly id: string
    readonly number: string
    readonly name: string
  }
}

/** Null where a program that writes the format is not installed: the case is skipped and says so. */
export type Exporter = (business: Business) => Exported | null | Promise<Exported | null>

/** `company.yaml` with the kinds of accounts that most formats cannot say; `more` is the ledger and what else it needs. */
export function companyYamlOf(
  business: Business,
  more: string,
  id: (account: BusinessAccount) => string = ({ number }) => number,
): string {
  const kinds = business.accounts.map(
    (account) =>
      `  ${JSON.stringify(id(account))}: { classification: ${account.classification}, type: ${account.type} }`,
  )
  return `id: acme
name: ${business.name}
fiscalMonthEnd: 12
currency: ${business.currency}
accounts:
${kinds.join('\n')}
${more}
`
}
