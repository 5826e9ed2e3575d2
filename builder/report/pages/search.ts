/** The page that finds accounts by number and name, and lines by their memos for readers who may see entries. */
import { linesByMemo } from '../../books/read/memo-search.ts'
import { firstBasis } from '../../books/reference/frame.ts'
import { type Html, html } from '../../contract/html.ts'
import { postedIds, shownYears } from '../accounts.ts'
import type { ReportSource } from '../source.ts'
import { accountPagePath, addressOf } from './places.ts'

const MOST_ACCOUNTS = 50
const MOST_LINES = 100

/** What was found on the first basis of the books; the newest lines come first. An account leads to its last fiscal year. */
export async function searchResults(source: ReportSource, text: string, entries: boolean): Promise<Html> {
  const { frame, books } = source
  const basis = firstBasis(frame)
  const years = shownYears(source)
  if (text === '')
    return html`<p>Search for accounts by number or name${entries ? ', and for lines by their memos' : ''}.</p>\n`
  const posted = new Set(postedIds(frame))
  const named = new Map(frame.accounts.map(({ id, number, name }) => [id, `${number} ${name}`.trim()]))
  const wanted = text.toLowerCase()
  const accounts = [...named].filter(([id, name]) => posted.has(id) && name.toLowerCase().includes(wanted))
  const link = (id: string, month: string, label: string): Html => {
    const [start = month] = years.find((months) => months.includes(month)) ?? []
    return html`<a href="${addressOf(accountPagePath(basis, id, start))}#${month}">${label}</a>`
  }
  const last = years.at(-1)?.at(-1) ?? ''
  const shown = accounts.slice(0, MOST_ACCOUNTS)
  const found = html`<h2>Accounts</h2>
${bounded(accounts.length, MOST_ACCOUNTS)}<ul>${shown.map(([id, name]) => html`<li>${link(id, last, name)}</li>\n`)}</ul>
`
  if (!entries) return found
  const since = `${years[0]?.[0] ?? last}-01`
  const lines = await linesByMemo(books, { basis, text, since, most: MOST_LINES + 1 })
  const rows = lines
    .slice(0, MOST_LINES)
    .map(
      ({ date, account, memo }) =>
        html`<tr><th scope="row">${link(account, date.slice(0, 7), date)}</th><td>${named.get(account) ?? account}</td><td>${memo}</td></tr>\n`,
    )
  return html`${found}<h2>Memos</h2>
${bounded(lines.length, MOST_LINES)}${
  rows.length === 0
    ? null
    : html`<div class="wide" tabindex="0" role="region" aria-label="Lines found by their memos"><table class="text">
<thead><tr><th scope="col">Date</th><th scope="col">Account</th><th scope="col">Memo</th></tr></thead>
<tbody>
${rows}</tbody></table></div>
`
}`
}

const bounded = (count: number, most: number): Html | null => {
  if (count > 0 && count <= most) return null
  return html`<p class="note">${count === 0 ? 'Nothing was found.' : `The first ${most}; more were found: search for a longer text.`}</p>\n`
}
