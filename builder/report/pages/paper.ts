/** The statements as one document for paper: every page of one basis, each on a new sheet, then the certificate and the history. */
import type { Frame } from '../../books/reference/frame.ts'
import { type Html, html } from '../../contract/html.ts'
import type { Basis } from '../../contract/vocabulary.ts'
import type { Snapshot } from '../../snapshot/files/open.ts'
import { closedThroughNow } from '../../snapshot/log/lock-date.ts'
import { historyOf } from '../rendered.ts'
import type { ReportSource } from '../source.ts'
import { styleOf } from './brand.ts'
import { certificate } from './certificate.ts'
import { pageText } from './layout.ts'
import { ALL, type Filter, STYLE_SHEET } from './places.ts'
import { sheetsOf } from './sheets.ts'
import { aboutPage, choiceOf } from './site.ts'
import { NO_LINKS } from './statement-table.ts'

export interface Paper {
  readonly source: ReportSource
  readonly snapshot: Snapshot
  /** `YYYY-MM` */
  readonly month: string
  readonly basis: Basis
  /** Of one page alone, also of a class or department; null or absent for all of the whole company, with certificate and history. */
  readonly only?: { readonly file: string; readonly filter: Filter } | null
}

export const PAPER = 'paper.html'

/** Path → content: the document and its style sheet. */
export async function paperFiles(paper: Paper): Promise<Map<string, string>> {
  const { source, snapshot, month, basis, only = null } = paper
  const { frame } = source
  const about = aboutOf(paper)
  const choice = choiceOf(basis, only?.filter ?? ALL, month)
  const sheets: Html[] = []
  for (const sheet of sheetsOf(source))
    if (only === null || sheet.file === only.file)
      sheets.push(sheetOf(sheet.label, about, await sheet.body(source, choice, NO_LINKS)))
  const body = html`${sheets}${only === null ? await proofOf(paper) : null}`
  return new Map([
    [
      PAPER,
      pageText({
        ...{ title: 'Statements', about, company: frame.name, root: '', styleSheet: STYLE_SHEET },
        ...{ pages: [], filters: [], body },
      }),
    ],
    [STYLE_SHEET, `${styleOf(frame)}${marginsOf(frame, snapshot.id)}`],
  ])
}

async function proofOf({ snapshot, source: { frame } }: Paper): Promise<Html> {
  const closed = await closedThroughNow(snapshot.folder)
  // A document is sent on: it tells who published something, not at which computer.
  const history = await historyOf(snapshot, { entries: true, hosts: false })
  return html`${sheetOf('Certificate', snapshot.id, certificate(snapshot, frame.name, closed))}${sheetOf('History', 'Everything that was published of the company', history)}`
}

const LAST_ROWS = 12

const aboutOf = ({ source: { frame }, month, basis, only }: Paper): string =>
  aboutPage(frame, { month, basis, filter: only?.filter ?? ALL })

const sheetOf = (title: string, about: string, body: Html): Html => html`<section class="sheet">
<h2 class="title">${title}</h2>
<p class="about">${about}</p>
${body}</section>
`

/**
 * Prints company and snapshot at the bottom of every sheet. The last rows of a table stay together, so that none spills a few of them
 * onto a page of its own.
 */
const marginsOf = ({ name }: Frame, snapshotId: string): string => `@media print {
  body > footer, main > h1, main > .about { display: none; }
  .sheet + .sheet { break-before: page; }
  .title { margin-top: 0; font-size: 14pt; }
  .company { font-size: 10pt; }
  .sheet tbody tr:nth-last-child(-n + ${LAST_ROWS}):not(:first-child) { break-before: avoid; }
}
@page { @bottom-left { content: ${cssText(`${name}, snapshot ${snapshotId}`)}; font-size: 7pt; } }
`

/** Quotes a text for CSS: anything but letters, digits and plain punctuation is written by its code point. */
const cssText = (text: string): string =>
  `"${text.replace(/[^\p{L}\p{N} .,:()-]/gu, (sign) => `\\${sign.codePointAt(0)?.toString(16)} `)}"`
