/** What `tieout add` writes into company.yaml of FEC files: currency, years, kinds of accounts, one entry for all years. */
import { ACCOUNTS_ABOUT } from './add-sie.ts'
import { classifyFecAccount } from './ingest/fec-accounts.ts'
import type { FecSurvey } from './ingest/fec-survey.ts'
import type { CompanyEdit } from './workspace/company-edit.ts'
import { BLANK } from './workspace/yaml-file.ts'

/** A FEC says the currency by law, and its year; the company's name it does not know. */
export function fecFacts(surveys: readonly FecSurvey[]): {
  readonly name: null
  readonly fiscalMonthEnd: number | null
  readonly currency: string | null
} {
  const end = surveys
    .flatMap(({ year }) => year?.end ?? [])
    .sort()
    .at(-1)
  return { name: null, fiscalMonthEnd: end === undefined ? null : Number(end.slice(5, 7)), currency: 'EUR' }
}

/** Which journals were taken for balances brought forward, so that an accountant can say otherwise. */
export function openingsComment(surveys: readonly FecSurvey[]): string {
  const journals = [...new Set(surveys.flatMap(({ openingJournals }) => openingJournals))]
  return journals.length === 0
    ? 'no journal of balances brought forward was found; opening.journals would name one'
    : `opening balances: journal ${journals.join(', ')}; opening.journals would name others`
}

/** The kind of each account by its number in the plan comptable, written out to be read and corrected. */
export function describeFecAccounts(edit: CompanyEdit, surveys: readonly FecSurvey[]): void {
  const names = new Map(surveys.flatMap(({ accounts }) => [...accounts].map(([id, { name }]) => [id, name])))
  let added = 0
  for (const [id, name] of [...names].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const kind = classifyFecAccount(id, undefined)
    const value =
      kind === null
        ? { classification: BLANK }
        : { classification: kind.classification, ...(kind.type === '' ? {} : { type: kind.type }) }
    const doubt = kind === null ? '; its number does not say what it is' : ''
    if (edit.addToMap('accounts', id, value, (name || id) + doubt, ACCOUNTS_ABOUT)) added++
  }
  if (added > 0) edit.changes.push(`accounts: ${added} added`)
}
