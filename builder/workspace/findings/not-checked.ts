/** Reports checks that could not run because of another mistake, so that nobody takes them for passed. */
import { listed } from '../../contract/listed.ts'
import { type Finding, warning } from './finding.ts'

/** A message names at most this number of accounts, entries or rows. */
const NAMED = 8

/** The warning that `what` was not checked. `rows` are those with errors on which it depends. */
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

/** Names in a sentence: `account 1510`, `accounts 1510, 1930, and 3 more`. */
export const several = (names: readonly string[], one: string, many: string): string =>
  `${names.length === 1 ? one : many} ${listed(names, NAMED)}`
