/** What the overview of an opened report says besides its figures: what is new since the snapshot before, and what waits. */
import type { Frame } from '../../books/reference/frame.ts'
import { accountLabel } from '../../books/reference/frame.ts'
import { displayDecimal } from '../../contract/currency.ts'
import { type Html, html } from '../../contract/html.ts'
import { listed } from '../../contract/listed.ts'
import type { FigureChanges } from '../../inspect/diff.ts'
import type { Restatement } from '../../snapshot/files/manifest.ts'
import { monthTitle } from '../views.ts'

export interface News {
  /** Null for the first snapshot, and where the one before is not there any more. */
  readonly since: {
    readonly before: string
    readonly changes: FigureChanges
    readonly restatement: Restatement | null
    readonly accounts: Frame['accounts']
  } | null
  /** Sentences; none where the snapshot is not the current one. */
  readonly waits: readonly string[]
}

/** `details`: the address of the page that lists the figures. */
export const newsSection = ({ since, waits }: News, details: string): Html =>
  html`${
    since === null
      ? null
      : html`<h2>New since ${since.before}</h2>
<ul class="news">${changesOf(since).map((line) => html`<li>${line}</li>`)}</ul>
<p class="note"><a href="${details}">Every snapshot, and what changed</a></p>
`
  }${waits.length === 0 ? null : html`<h2>What waits</h2>\n<ul class="news">${waits.map((line) => html`<li>${line}</li>`)}</ul>\n`}`

function changesOf({ changes, restatement, accounts }: NonNullable<News['since']>): string[] {
  const { newMonths, goneMonths, newBudgets } = changes
  const closed = restatement?.LockDate.slice(0, 7) ?? ''
  const isOpen = ({ month }: { readonly month: string }) => month > closed
  const open = changes.changes.filter(isOpen)
  const months = [...new Set(open.map(({ month }) => month))].sort()
  const count = (n: number, what: string) => `${displayDecimal(String(n))} ${what}${n === 1 ? '' : 's'}`
  const reason = restatement?.Reason ? `: ${restatement.Reason}` : ''
  return [
    ...(newMonths.length === 0 ? [] : [`New months: ${newMonths.map(monthTitle).join(', ')}.`]),
    ...(goneMonths.length === 0 ? [] : [`Months that are gone: ${goneMonths.map(monthTitle).join(', ')}.`]),
    open.length === 0
      ? 'No figure of the whole company changed in an earlier month that was open.'
      : `${count(open.length, 'figure')} of months that were open changed: ${listed(months.map(monthTitle), 6)}.`,
    ...(restatement === null
      ? []
      : [`${count(restatement.Figures, 'figure')} of closed months restated${reason}.`]),
    ...(accounts.length === 0 ? [] : [`New accounts: ${listed(accounts.map(accountLabel), 4)}.`]),
    ...(newBudgets.length === 0 ? [] : [`New budgets: ${listed(newBudgets, 4)}.`]),
  ]
}
