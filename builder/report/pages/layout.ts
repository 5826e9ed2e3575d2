/** The frame of every page of a report: title, links to the other pages and filters, footer. A page fetches nothing and needs no script. */
import { Html, html } from '../../contract/html.ts'
import { CERTIFICATE, HISTORY, SEARCH } from './places.ts'

export interface PageLink {
  readonly label: string
  /** Relative to the page. */
  readonly href: string
  readonly isHere: boolean
}

export interface ReportPage {
  readonly title: string
  /** Below the title: period, basis, currency. */
  readonly about: string
  readonly company: string
  /** The relative path from the page to the folder of the report, such as `../../`. */
  readonly root: string
  readonly pages: readonly PageLink[]
  readonly filters: readonly { readonly name: string; readonly links: readonly PageLink[] }[]
  readonly body: Html
  /** In the folder of the report. */
  readonly styleSheet: string
}

export const pageText = ({
  title,
  about,
  company,
  root,
  pages,
  filters,
  body,
  styleSheet,
}: ReportPage): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}: ${company}</title>
<link rel="stylesheet" href="${root}${styleSheet}">
</head>
<body>
<a class="skip" href="#main">To the figures</a>
<header>
<p class="company">${company}</p>
<nav aria-label="Pages"><ul>${pages.map(item)}</ul></nav>
${filters.filter(({ links }) => links.length > 1).map(filter)}</header>
<main id="main">
<h1>${title}</h1>
<p class="about">${about}</p>
${body}</main>
<footer><p>${company}, ${about}</p>${SURROUNDINGS}</footer>
</body>
</html>
`.text

/** A page that only leads to another one, without a script. */
export const leadingTo = (company: string, href: string): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url=${href}">
<title>${company}</title>
</head>
<body><main><h1>${company}</h1><p><a href="${href}">The statements</a></p></main></body>
</html>
`.text

/** Marks the place at which a page names its snapshot when it is opened. The published page cannot name it, since it is part of it. */
const SURROUNDINGS = new Html('<!-- snapshot -->')

const LABELS: Readonly<Record<string, string>> = { [CERTIFICATE]: 'Certificate', [HISTORY]: 'History' }

/** What is added to a published page when it is opened. */
export interface Surroundings {
  /** The relative path to the report's folder. */
  readonly root: string
  /** Paths of the pages about the snapshot. */
  readonly ways: readonly string[]
  /** The same page of each month; none where it is of no month. */
  readonly months: readonly PageLink[]
  /** Other forms of the page, as files to save. */
  readonly files?: readonly PageLink[]
  /** What was searched for, in a form that searches; null where the report has none. */
  readonly search?: string | null
  /** Stands before the statements of an overview. */
  readonly news?: Html | null
}

/** Adds the id of the snapshot and links to the pages about it; below the other filters the choice of the month, and the page as files. */
export const surrounded = (
  page: string,
  snapshotId: string,
  { root, ways, months, files = [], search = null, news = null }: Surroundings,
): string =>
  page
    .replace(
      END_OF_HEADER,
      (end) =>
        html`${months.length > 1 ? filter({ name: 'Month', links: months }) : null}${fileLinks(files)}${search === null ? null : searchForm(root, search)}${new Html(end)}`
          .text,
    )
    .replace(FIRST_HEADING, (at) => html`${news}${new Html(at)}`.text)
    .replace(
      SURROUNDINGS.text,
      () =>
        html`<p>Snapshot ${snapshotId}.${ways.map((path) => html` <a href="${root}${path}">${LABELS[path] ?? path}</a>`)}</p>`
          .text,
    )

const fileLinks = (files: readonly PageLink[]): Html | null =>
  files.length === 0
    ? null
    : html`<p class="filter">Save ${files.map(({ label, href }, i) => html`${i === 0 ? '' : ', '}<a href="${href}">${label}</a>`)}</p>
`

const searchForm = (root: string, text: string): Html =>
  html`<form class="filter" role="search" action="${root}${SEARCH}"><label>Search <input type="search" name="q" maxlength="100" accesskey="s" value="${text}"></label> <button>Find</button></form>
`

const END_OF_HEADER = '</header>\n'
/** The first heading of an overview, below the cards and the commentary. */
const FIRST_HEADING = '<h2>Result</h2>'

const item = ({ label, href, isHere }: PageLink): Html =>
  isHere
    ? html`<li><a href="${href}" aria-current="page">${label}</a></li>`
    : html`<li><a href="${href}">${label}</a></li>`

const filter = ({ name, links }: ReportPage['filters'][number]): Html => {
  const here = links.find(({ isHere }) => isHere)?.label ?? ''
  return html`<details class="filter"><summary>${name}: ${here}</summary><ul>${links.map(item)}</ul></details>
`
}
