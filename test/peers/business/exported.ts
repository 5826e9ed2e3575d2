/** The synthetic business in some format: its files, and what of it that format can carry. */
import type { Business, BusinessAccount, BusinessLine, BusinessTransaction } from '../../support/business.ts'
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

/** A report of an accounting program, which carries both dimensions. */
export function exportedReport(
  business: Business,
  name: string,
  files: Files,
  more: string,
  account?: Exported['account'],
): Exported {
  const id = account === undefined ? undefined : (each: BusinessAccount) => account(each).id
  return {
    name,
    files: { 'company.yaml': companyYamlOf(business, more, id), ...files },
    dimensions: ['class', 'department'],
    ...(account === undefined ? {} : { account }),
  }
}

export interface Entry {
  readonly transaction: BusinessTransaction
  readonly line: BusinessLine
}

/** What a ledger shows of an account. */
export const linesOf = (transactions: readonly BusinessTransaction[], account: string): Entry[] =>
  transactions.flatMap((transaction) =>
    transaction.lines.filter((line) => line.account === account).map((line) => ({ transaction, line })),
  )

export const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)
export const debits = (lines: readonly BusinessLine[]): number =>
  sum(lines.map(({ amount }) => Math.max(amount, 0)))
export const credits = (lines: readonly BusinessLine[]): number =>
  sum(lines.map(({ amount }) => Math.max(-amount, 0)))
