/**
 * What can still be judged after an error, so that one check tells all independent mistakes. A row that cannot be read is
 * left out, and what is not affected by it is judged as ever; what depends on it is said not to have been checked.
 */
import type { Intake, UnreadRow } from '../ingest/format/intake.ts'
import type { Finding } from '../workspace/finding.ts'
import type { Keys } from './ledger.ts'

/** An entry does not balance, but all of its lines were read; the accounts, openings and days of the books are all there. */
const UNBALANCED = 'unbalanced-transaction'
/** Nothing says what kind an account is; its importer gave it one for the time being, so that its lines were read. */
const UNCLASSIFIED = 'unclassified-account'
/** Mistakes that no balance depends on: of company.yaml and the chart, and of what a source states of itself. */
const BESIDE_BALANCES = new Set([
  'no-cash-account',
  'empty-budget',
  'lock-date-too-late',
  'control-differs',
  'balances-unreadable',
])
/** Files of which no line is a line of the books. */
const BESIDE_LEDGER = new Set(['budget', 'metrics', 'trialBalance'])

const errorsOf = (findings: readonly Finding[]): Finding[] =>
  findings.filter(({ severity }) => severity === 'error')
const placeOf = ({ file, row }: { readonly file: string | null; readonly row: number | null }): string =>
  JSON.stringify([file, row])

/** Every line was read and stands in an account, or is known to be left out: openings and balances can be added up. */
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

/** Nothing of the files with this role has an error. */
export const isSound = (
  findings: readonly Finding[],
  sources: Intake['sources'],
  of: Intake['sources'][number]['role'],
): boolean => {
  const files = new Set(sources.filter(({ role }) => role === of).map(({ file }) => file))
  return !errorsOf(findings).some(({ file }) => files.has(file ?? ''))
}

/** The kind of an account decides where its figures stand. */
export const areKindsKnown = (findings: readonly Finding[]): boolean =>
  !findings.some(({ code }) => code === UNCLASSIFIED)

/** What an importer has not told already, in its format's own words; one that reads entries itself tells all that do not balance. */
export function notTold(told: readonly Finding[], found: readonly Finding[]): Finding[] {
  const key = ({ code, file, row }: Finding): string =>
    code === UNBALANCED ? `${code}|${file}` : `${code}|${file}|${row}`
  const known = new Set(told.map(key))
  return found.filter((each) => !known.has(key(each)))
}

/** Openings that do not net to zero, with the first place that shows which of them is wrong. */
export function withEvidence(found: Finding, [evidence]: readonly Finding[]): Finding {
  if (found.code !== 'opening-unbalanced' || evidence === undefined) return found
  return {
    ...found,
    message: `${found.message}: ${evidence.message}`,
    row: evidence.row,
    file: evidence.file,
  }
}
