/** The pages that lead to reports: what this server is, and the companies whose reports a user may see. */
import { html } from '../../builder/contract/html.ts'
import { page } from './layout.ts'

interface Place {
  readonly style: string
  /** Path of the server without a trailing slash. */
  readonly base: string
}

export const homePage = ({ style, base }: Place): string =>
  page(
    { title: 'Financial statements', style },
    html`<h1>Financial statements</h1>
<p class="lead">This server publishes the statements of companies: profit and loss, balance sheet and cash flow, every figure with its proof.</p>
<p><a class="button" href="${base}/reports/">Look at the statements</a></p>
<p class="note"><a href="${base}/account">Your account</a>. For programs: <a href="${base}/openapi.json">the interface</a>, OAuth 2.0.</p>`,
  )

interface ReportList extends Place {
  readonly name: string
  readonly companies: readonly { readonly id: string; readonly name: string; readonly month: string }[]
}

export const reportListPage = ({ style, base, name, companies }: ReportList): string =>
  page(
    { title: 'Statements', style },
    html`<h1>Statements</h1>
<p class="lead">${companies.length === 0 ? `${name}, there is no company yet whose statements you may see.` : 'The companies whose statements you may see.'}</p>
${
  companies.length === 0
    ? null
    : html`<ul class="reports">
${companies.map((company) => html`<li><a href="${base}/reports/${encodeURIComponent(company.id)}/">${company.name}</a> <span>through ${company.month}</span></li>\n`)}</ul>
`
}<p class="note"><a href="${base}/account">Your account</a></p>`,
  )
