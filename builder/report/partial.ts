/** Finds the sums that leave something out, because the budget has no figure of an account that they add up. */
import type { StatementName } from '../contract/vocabulary.ts'
import type { PublishedStatement } from '../snapshot/documents.ts'
import { totalParts } from '../statements/specs.ts'
import { type Column, cellsOf, isMissing } from './columns.ts'
import type { Line } from './groups.ts'

/** Explains {@link PARTIAL} below a statement that has such a figure. */
export const PARTIAL_EXPLAINED = '* partial: the budget has no figure for some of what is added up'
export const PARTIAL = '*'
export const hasPartial = ({
  lines,
}: {
  readonly lines: readonly { readonly partial: readonly number[] }[]
}): boolean => lines.some(({ partial }) => partial.length > 0)

/** For a line, the places of the columns of budgets where an account that it adds up has no figure. Accounts without any figure in these columns do not count. */
export function partialColumns(
  statement: StatementName,
  columns: readonly Column[],
  documents: readonly (PublishedStatement | null)[],
): (line: Line) => readonly number[] {
  const sections = new Map(
    documents.flatMap((document) => [...(document?.rows ?? [])].map(([id, { section }]) => [id, section])),
  )
  const missing = columns.map((column) => {
    const document = column.kind === 'amount' ? documents[column.document] : null
    if (column.kind !== 'amount' || !document || document.scope.budgetId === null) return []
    return [...sections.keys()].filter((id) => isMissing(id, document, column.span) && isShown(id))
  })
  function isShown(id: string): boolean {
    const line: Line = { ...ONE_ACCOUNT, of: { accounts: [id] } }
    return cellsOf(line, columns, documents).some((cell) => cell !== null && cell !== 0)
  }
  const isAdded = ({ of }: Line, id: string): boolean => {
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

const ONE_ACCOUNT: Omit<Line, 'of'> = {
  ...{ id: '', kind: 'account', depth: 0, number: '', label: '', measure: 'sum', better: null },
}
