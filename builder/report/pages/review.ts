/** What somebody looks at before a company is published: findings, accounts, months, and the difference to what is published. */

import { displayDecimal } from '../../contract/currency.ts'
import { type Html, html } from '../../contract/html.ts'
import type { MonthOfPostings, Review, ReviewedAccount } from '../../inspect/review.ts'
import { type Finding, spelledOut } from '../../workspace/findings/finding.ts'
import { findingList } from './finding-list.ts'
import { changesText } from './history.ts'
import { pageText } from './layout.ts'
import { FIRST_PAGE, STYLE_SHEET } from './places.ts'
import { textTable } from './plain-table.ts'
import { REPORT_STYLE } from './style.ts'

export interface Reviewed {
  readonly company: string
  readonly findings: readonly Finding[]
  readonly coverage: { readonly startDate: string; readonly endDate: string } | null
  /** Null where the books could not be made. */
  readonly review: Review | null
}

/** Path → content: a page and its style sheet. */
export function reviewFiles(reviewed: Reviewed): Map<string, string> {
  const { company, coverage } = reviewed
  const about = coverage ? `${coverage.startDate} to ${coverage.endDate}` : 'nothing was computed'
  const page = pageText({
    ...{ title: 'Before publishing', about, company, root: '', pages: [], filters: [] },
    styleSheet: STYLE_SHEET,
    body: bodyOf(reviewed),
  })
  return new Map([
    [FIRST_PAGE, page],
    [STYLE_SHEET, REPORT_STYLE],
  ])
}

/** Findings that have a section of their own. */
const ABNORMAL = 'abnormal-balance'
/** A check warns of restated closed months; a build without a reason refuses them. */
const RESTATED = 'closed-month-restated'

function bodyOf({ findings, review }: Reviewed): Html {
  const errors = findings.filter(({ severity }) => severity === 'error').length
  return html`<p class="proof"><strong>${verdictOn(findings)}</strong> ${plural(errors, 'error')}, ${plural(findings.length - errors, 'warning')}.</p>
<h2>Findings</h2>
${findingsOrNone(findings.filter(({ code }) => code !== ABNORMAL))}<h2>Balances on the abnormal side</h2>
${findingsOrNone(findings.filter(({ code }) => code === ABNORMAL))}${review === null ? html`<p>Accounts, months and figures are not shown, since the books could not be made: correct the errors first.</p>\n` : reviewSections(review)}`
}

function verdictOn(findings: readonly Finding[]): string {
  if (findings.some(({ severity }) => severity === 'error')) return 'It cannot be published yet.'
  return findings.some(({ code }) => code === RESTATED)
    ? 'It needs a reason to be published, since closed months differ.'
    : 'Nothing stops the publication.'
}

const reviewSections = (review: Review): Html => html`<h2>Difference to what is published</h2>
${
  review.since === null
    ? html`<p>Nothing is published yet.</p>\n`
    : review.changes === null
      ? html`<p>${review.since} cannot be compared with it.</p>\n`
      : changesText({ before: review.since, now: 'the next snapshot', changes: review.changes })
}<h2>Accounts</h2>
${review.since === null ? null : accountTables(review)}${accountTable('Accounts without a type, which count as other accounts of their classification', review.untypedAccounts)}<h2>Postings by month</h2>
${monthTable(review.months)}`

const accountTables = ({ newAccounts, renamedAccounts, goneAccounts }: Review): Html =>
  html`${accountTable('New accounts', newAccounts)}${
    renamedAccounts.length === 0
      ? html`<p>No account has another name.</p>\n`
      : textTable(
          'Renamed accounts',
          ['Number', 'Name', 'Name before'],
          renamedAccounts.map(({ number, name, before }) => [number, name, before]),
        )
  }${accountTable('Accounts that are gone', goneAccounts)}`

const accountTable = (caption: string, accounts: readonly ReviewedAccount[]): Html =>
  accounts.length === 0
    ? html`<p>${caption}: none.</p>\n`
    : textTable(
        caption,
        ['Number', 'Name', 'Id'],
        accounts.map(({ number, name, id }) => [number, name, id]),
      )

const findingsOrNone = (findings: readonly Finding[]): Html =>
  findings.length === 0 ? html`<p>None.</p>\n` : findingList(findings.map(spelledOut), true)

/** The table shows two years; earlier months were reviewed when they were published. */
const MOST_MONTHS = 24

function monthTable(months: readonly MonthOfPostings[]): Html {
  const names = [...new Set(months.map(({ month }) => month))].sort().slice(-MOST_MONTHS)
  const bases = [...new Set(months.map(({ basis }) => basis))]
  const cell = (month: string, basis: string): string => {
    const found = months.find((each) => each.month === month && each.basis === basis)
    const { postings, isFew } = found ?? { postings: 0, isFew: false }
    return `${displayDecimal(String(postings))}${isFew ? ': unusually few' : ''}`
  }
  return textTable(
    'Postings; unusually few are less than half of the median of the twelve months before',
    ['Month', ...bases.map((basis) => basis.toLowerCase())],
    names.map((month) => [month, ...bases.map((basis) => cell(month, basis))]),
    bases.length,
  )
}

const plural = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`
