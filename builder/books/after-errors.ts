/**
 * What can still be judged after an error, so that one check tells all independent mistakes: a stage goes on where the
 * mistakes of those before leave whole what it looks at. What would only be their consequence is not looked at.
 */
import type { Finding } from '../workspace/finding.ts'
import type { Keys } from './ledger.ts'

/** An entry does not balance, but all of its lines were read; the accounts, openings and days of the books are all there. */
const UNBALANCED = 'unbalanced-transaction'
/** Nothing says what kind an account is; its importer gave it one for the time being, so that its lines were read. */
const UNCLASSIFIED = 'unclassified-account'
/** Mistakes of company.yaml and of the chart that no balance depends on. */
const BESIDE_BALANCES = new Set(['no-cash-account', 'empty-budget', 'lock-date-too-late'])

const errorsOf = (findings: readonly Finding[]): Finding[] =>
  findings.filter(({ severity }) => severity === 'error')

/** Every line was read and stands in an account, so that openings can be added up. */
export const areLinesWhole = (findings: readonly Finding[], accounts: Keys): boolean =>
  errorsOf(findings).every(
    ({ code, text }) =>
      code === UNBALANCED ||
      BESIDE_BALANCES.has(code) ||
      (code === UNCLASSIFIED && text !== null && accounts.get(text) != null),
  )

/** What accounts come to is what the source holds: the sum of an entry that does not balance is wrong somewhere. */
export const areBalancesWhole = (findings: readonly Finding[]): boolean =>
  !findings.some(({ code }) => code === UNBALANCED)

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
