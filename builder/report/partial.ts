/** Finds the sums that leave something out, because the budget has no figure of an account that they add up. */
import type { StatementName } from '../contract/vocabulary.ts'
import type { PublishedStatement } from '../snapshot/files/documents.ts'
import { totalParts } from '../statements/specs.ts'
import { isMissing, type StatementColumn, valuesOf } from './columns.ts'
import type { ReportLine } from './groups.ts'

/** Explains {@link PARTIAL} below a statement that has such a figure. */
export const PARTIAL_EXPLAINED = '* partial: the budget has no figure for some of what is added up'
export const PARTIAL = '*'
export const hasPartial = ({
  lines,
}: {
  readonly lines: readonly { readonly partial: readonly number[] }[]
}): boolean => lines.some(({ partial }) => partial.length > 0)

/**
 * Returns a function that gives, for a line, the places of the budget columns where an account that it adds up has no
 * figure. Accounts without any figure in these columns do not count.
 */
export function partialColumns(
  statement: StatementName,
  columns: readonly StatementColumn[],
  documents: readonly (PublishedStatement | null)[],
): (line: ReportLine) => readonly number[] {
  const sections = new Map(
    documents.flatMap((document) => [...(document?.rows ?? [])].map(([id, { section }]) => [id, section])),
  )
  const missing = columns.map((column) => {
    const document = column.kind === 'amount' ? documents[column.document] : null
    if (column.kind !== 'amount' || !document || document.scope.budgetId === null) return []
    return [...sections.keys()].filter((id) => isMissing(id, document, column.span) && isShown(id))
  })
  function isShown(id: string): boolean {
    const line: ReportLine = { ...ONE_ACCOUNT, of: { accounts: [id] } }
    return valuesOf(line, columns, documents).some((cell) => cell !== null && cell !== 0)
  }
  const isAdded = ({ of }: ReportLine, id: string): boolean => {
    if (of === null || 'withoutCash' in of) return false
    if ('accounts' in of) return of.accounts.includes(id) || (of.less?.includes(id) ?? false)
    const section = sections.get(id)
    return ('total' in of ? [of.total] : of.ratio).some((name) => {
      const parts = totalParts(statement, name)
      return parts !== 'cash' && section !== undefined && section in parts
    })
  }
  return (line) => missing.flatMap((accounts, i) => (accounts.some((id) => isAdded(line, id)) ? [i] : []))
}

const ONE_ACCOUNT: Omit<ReportLine, 'of'> = {
  ...{ id: '', kind: 'account', depth: 0, number: '', label: '', measure: 'sum', better: null },
}
