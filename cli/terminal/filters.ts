/** The filter options, which are the same for every command, and their text in the output. */
import { type Command, Option } from 'commander'
import { filterTexts, type Words } from '../../builder/books/reference/presentation.ts'
import { type Basis, type StatementName, statementTitle } from '../../builder/contract/vocabulary.ts'
import type { Resolved } from '../../builder/inspect/inspect.ts'
import { UsageError } from './exit.ts'

export interface FilterOptions {
  readonly basis?: string
  readonly class?: string
  readonly department?: string
}

export const basisOption = (): Option =>
  new Option('--basis <basis>', 'accrual or cash (default: accrual, else the one there is)').choices([
    'accrual',
    'cash',
  ])

export const filterOptions = (command: Command): Command => memberOptions(command.addOption(basisOption()))

export const memberOptions = (command: Command): Command =>
  command
    .option('--class <id>', 'only this class with those below it, or "unassigned"')
    .option('--department <id>', 'only this department with those below it, or "unassigned"')

export const askedFilters = (options: FilterOptions) => ({
  basis: options.basis === undefined ? null : (options.basis.toUpperCase() as Basis),
  classId: options.class ?? null,
  departmentId: options.department ?? null,
})

/** Returns the value; throws {@link UsageError} with the findings, which name the available choices. */
export function resolved<T>(answer: Resolved<T>): T {
  if (answer.findings === undefined) return answer.value
  const sentences = answer.findings.map(({ message, remedy }) => (remedy ? `${message}; ${remedy}` : message))
  throw new UsageError(sentences.join('\n'))
}

interface Scope {
  readonly company: string
  readonly statement?: StatementName
  readonly basis: Basis
  readonly budgetId?: string | null
  readonly classId: string | null
  readonly departmentId: string | null
  readonly words?: Words
}

/** `harbor, profit and loss, accrual, class retail` */
export const scopeText = (scope: Scope): string =>
  [
    scope.company,
    ...(scope.statement ? [statementTitle(scope.statement)] : []),
    ...(scope.budgetId ? [`budget ${scope.budgetId}`] : [scope.basis.toLowerCase()]),
    ...filterTexts(scope),
  ].join(', ')
