/** What could not be judged because of another mistake is said, so that nobody takes it for checked. */
import { type Finding, warning } from './finding.ts'

/** So many accounts, entries and rows are named. */
const NAMED = 8

/** `what` depends on rows each of which has an error of its own. */
export function notChecked(what: string, rows: readonly Pick<Finding, 'file' | 'row'>[]): Finding {
  const [first] = rows
  const lines = several(
    [...new Set(rows.flatMap(({ row }) => (row === null ? [] : [String(row)])))],
    'the error in line',
    'the errors in lines',
  )
  return warning('not-checked', `${what} was not checked, because of ${lines}`, {
    file: first?.file ?? null,
    row: first?.row ?? null,
    remedy: 'nothing more to do: it is checked once that is corrected',
  })
}

/** `account 1510`, `accounts 1510, 1930 and 3 more`. */
export function several(names: readonly string[], one: string, many: string): string {
  const named = names.slice(0, NAMED).join(', ')
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : ''
  return `${names.length === 1 ? one : many} ${named}${more}`
}
