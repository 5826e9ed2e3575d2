/**
 * Decides which checks can still run after an error, so that one run reports all independent mistakes. A row that cannot be
 * read is left out. Checks that do not depend on it run as usual; those that do are reported as not checked.
 */
import type { Intake, UnreadRow } from '../../ingest/format/intake.ts'
import type { Finding } from '../../workspace/findings/finding.ts'
import type { Keys } from '../read/key-sql.ts'

/** All lines of an unbalanced entry were read, so accounts, openings and dates are complete. */
const UNBALANCED = 'unbalanced-transaction'
/** The source does not state the account's kind. The importer assumes one, so that the account's lines can be read. */
const UNCLASSIFIED = 'unclassified-account'
/** Errors in company.yaml, in the chart or in a source's own control figures, which do not affect any balance. */
const BESIDE_BALANCES = new Set([
  'no-cash-account',
  'empty-budget',
  'lock-date-too-late',
  'control-differs',
  'balances-unreadable',
])
/** Files with these roles add no postings to the books. */
const BESIDE_LEDGER = new Set(['budget', 'metrics', 'trialBalance', 'control'])

const errorsOf = (findings: readonly Finding[]): Finding[] =>
  findings.filter(({ severity }) => severity === 'error')
const placeOf = ({ file, row }: { readonly file: string | null; readonly row: number | null }): string =>
  JSON.stringify([file, row])

/**
 * Whether every line was read and has an account, or is known to be left out. Only then can openings and balances be added
 * up. `leftOut` holds the file and row of the lines that were left out.
 */
export function areLinesKnown(
  findings: readonly Finding[],
  accounts: Keys,
  leftOut: readonly Pick<UnreadRow, 'file' | 'row'>[],
  sources: Intake['sources'],
): boolean {
  const known = new Set(leftOut.map(placeOf))
  const beside = new Set(sources.filter(({ role }) => BESIDE_LEDGER.has(role)).map(({ file }) => file))
  return errorsOf(findings).every(
    (found) =>
      found.code === UNBALANCED ||
      BESIDE_BALANCES.has(found.code) ||
      beside.has(found.file ?? '') ||
      (found.row !== null && known.has(placeOf(found))) ||
      (found.code === UNCLASSIFIED && found.text !== null && accounts.get(found.text) != null),
  )
}

/** Whether no file with the role `of` has an error. */
export const isSound = (
  findings: readonly Finding[],
  sources: Intake['sources'],
  of: Intake['sources'][number]['role'],
): boolean => {
  const files = new Set(sources.filter(({ role }) => role === of).map(({ file }) => file))
  return !errorsOf(findings).some(({ file }) => files.has(file ?? ''))
}

/** Whether the kind of every account is known. The kind decides in which section of a statement the account stands. */
export const areKindsKnown = (findings: readonly Finding[]): boolean =>
  !findings.some(({ code }) => code === UNCLASSIFIED)

/** The findings in `found` that the importer has not reported already in the words of its format. */
export function notReported(reported: readonly Finding[], found: readonly Finding[]): Finding[] {
  const key = ({ code, file, row }: Finding): string => `${code}|${file}|${row}`
  const known = new Set(reported.map(key))
  return found.filter((each) => !known.has(key(each)))
}
