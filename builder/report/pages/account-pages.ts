/**
 * The pages of accounts: one for each fiscal year with every line behind the figures. A year of many lines has a page for each
 * month beside it, and a month of many lines several.
 */
import type { Frame } from '../../books/reference/frame.ts'
import { headingOf, type Words } from '../../books/reference/presentation.ts'
import { inParts } from '../../contract/bytes.ts'
import { escapeHtml, Html, html } from '../../contract/html.ts'
import type { Basis } from '../../contract/vocabulary.ts'
import { segment } from '../../snapshot/files/layout.ts'
import {
  type AccountLedger,
  type AccountMonth,
  type AccountYear,
  accountLedgers,
  type LedgerLine,
  postedIds,
} from '../accounts.ts'
import { type Numbers, numbersOf } from '../numbers.ts'
import type { ReportSource } from '../source.ts'
import { monthTitle } from '../views.ts'
import { type PageLink, pageText } from './layout.ts'
import { ALL, accountPagePath, addressOf, STYLE_SHEET_AROUND, wayUp } from './places.ts'
import { pageLinks } from './sheets.ts'

interface AccountPage {
  readonly path: string
  readonly text: string
}

/** The bytes of lines on one page; with title, months and links a page stays below 150 kB. */
const MOST_BYTES = 120_000

/** The pages of all accounts: path inside the report → content. */
export async function* allAccountPages(source: ReportSource): AsyncGenerator<AccountPage> {
  for await (const ledger of accountLedgers(source)) yield* accountPages(ledger, source.frame)
}

/** Makes one page; null where there is none at that path. */
export async function accountPageAt(
  source: ReportSource,
  path: string,
  { basis, segment: name }: { readonly basis: Basis; readonly segment: string },
): Promise<string | null> {
  const account = postedIds(source.frame).find((id) => segment(id, 'all') === name)
  if (account === undefined) return null
  for await (const ledger of accountLedgers(source, { basis, account }))
    for (const page of accountPages(ledger, source.frame)) if (page.path === path) return page.text
  return null
}

function accountPages(ledger: AccountLedger, frame: Frame): AccountPage[] {
  const names = {
    classes: new Map(frame.classes.members.map(({ id, name }) => [id, name])),
    departments: new Map(frame.departments.members.map(({ id, name }) => [id, name])),
  }
  const shown: Shown = { ledger, frame, names, numbers: numbersOf(frame) }
  return ledger.years.flatMap((year) => pagesOfYear(shown, year))
}

interface Shown {
  readonly ledger: AccountLedger
  readonly frame: Frame
  readonly numbers: Numbers
  readonly names: Readonly<Record<'classes' | 'departments', ReadonlyMap<string, string>>>
}

/** One of several pages with the lines of a year, beside the page of the year itself. */
interface Part {
  readonly path: string
  readonly label: string
  readonly rows: string
}

function pagesOfYear(shown: Shown, year: AccountYear): AccountPage[] {
  const { basis, account } = shown.ledger
  const months = year.months.map((month) => ({ month, rows: rowsOf(month, shown) }))
  const bytes = months.flatMap(({ rows }) => rows).reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  const path = accountPagePath(basis, account.id, year.start)
  if (bytes <= MOST_BYTES)
    return [
      yearPage(
        shown,
        year,
        months.map(({ month, rows }) => `${rows.join('')}${monthRow(month, shown, [])}`),
      ),
    ]
  const folder = `${path.replace(/\.html$/, '')}/`
  const divided = months.map(({ month, rows }) => ({ month, parts: partsOf(month.month, rows, folder) }))
  const all = divided.flatMap(({ parts }) => parts)
  return [
    yearPage(
      shown,
      year,
      divided.map(({ month, parts }) => monthRow(month, shown, parts)),
    ),
    ...all.map((part, i) => partPage(shown, year, part, all[i - 1], all[i + 1])),
  ]
}

function rowsOf({ lines, newYear }: AccountMonth, shown: Shown): string[] {
  const rows = lines.map((line) => row(line, shown))
  if (newYear) rows.splice(newYear.at, 0, balanceRow(`Fiscal year from ${newYear.start}`, 0, shown))
  return rows
}

/** Divides the lines of a month into pages of at most {@link MOST_BYTES}. */
function partsOf(month: string, rows: readonly string[], folder: string): Part[] {
  const chunks = inParts(rows, MOST_BYTES)
  return chunks.map((chunk, i) => ({
    path: `${folder}${month}${i === 0 ? '' : `-${i + 1}`}.html`,
    label: chunks.length === 1 ? monthTitle(month) : `${monthTitle(month)}, ${i + 1} of ${chunks.length}`,
    rows: chunk.join(''),
  }))
}

const head = (words: Words | undefined): Html =>
  html`<thead><tr><th scope="col">Date</th><th scope="col">Entry</th><th scope="col">Memo</th><th scope="col">${headingOf('class', words)}</th><th scope="col">${headingOf('department', words)}</th><th scope="col" class="amount">Amount</th><th scope="col" class="amount">Balance</th><th scope="col">Source</th></tr></thead>
`

const table = ({ presentation }: Frame, caption: string, bodies: readonly string[]): Html =>
  html`<div class="wide" tabindex="0" role="region" aria-label="${caption}"><table class="lines">
<caption>${caption}</caption>
${head(presentation?.words)}${bodies.map((rows) => html`<tbody>\n${new Html(rows)}</tbody>\n`)}</table></div>
`

function yearPage(shown: Shown, year: AccountYear, months: readonly string[]): AccountPage {
  const { basis, account, years } = shown.ledger
  const before = `${year.before.map((line) => row(line, shown)).join('')}${balanceRow('Opening', year.before.at(-1)?.balance ?? year.opening, shown)}`
  const path = accountPagePath(basis, account.id, year.start)
  const caption = `Lines of ${nameOf(shown)} and the balance after each`
  const others = years.map(({ start, months }) => ({
    label: yearLabel(start, months),
    href: addressOf(accountPagePath(basis, account.id, start).replace(/^.*\//, '')),
    isHere: start === year.start,
  }))
  return pageOf(
    shown,
    path,
    yearLabel(year.start, year.months),
    others,
    table(shown.frame, caption, [before, ...months]),
  )
}

function partPage(
  shown: Shown,
  year: AccountYear,
  part: Part,
  before: Part | undefined,
  after: Part | undefined,
): AccountPage {
  const { basis, account } = shown.ledger
  const back = accountPagePath(basis, account.id, year.start).replace(/^.*\//, '')
  const link = (label: string, href: string): Html => html`<a href="${href}">${label}</a> `
  const near = (other: Part | undefined): Html | null =>
    other ? link(other.label, addressOf(other.path.replace(/^.*\//, ''))) : null
  const ways = html`<p class="note">${link(yearLabel(year.start, year.months), `../${back}`)}${near(before)}${near(after)}</p>\n`
  return pageOf(
    shown,
    part.path,
    part.label,
    [],
    html`${ways}${table(shown.frame, `Lines of ${nameOf(shown)}: ${part.label}`, [part.rows])}`,
  )
}

const nameOf = ({ ledger: { account } }: Shown): string =>
  [account.number, account.name].filter((text) => text !== '').join(' ')

const yearLabel = (start: string, months: readonly AccountMonth[]): string =>
  `${monthTitle(start)} to ${monthTitle(months.at(-1)?.month ?? start)}`

function pageOf(
  shown: Shown,
  path: string,
  period: string,
  years: readonly PageLink[],
  body: Html,
): AccountPage {
  const { ledger, frame } = shown
  const root = wayUp(path)
  const about = `${period}, ${ledger.basis.toLowerCase()}, ${frame.currency}`
  return {
    path,
    text: pageText({
      ...{ title: nameOf(shown), about, company: frame.name, root, body },
      styleSheet: STYLE_SHEET_AROUND,
      pages: pageLinks({ frame }, ledger.basis, ALL, root, null),
      filters: [{ name: 'Year', links: years }],
    }),
  }
}

/** Words for lines that are not ordinary activity. */
const KIND_WORDS: Readonly<Record<LedgerLine['kind'], string>> = {
  activity: '',
  opening: 'Opening balance',
  'brought-forward': 'Brought forward',
  transfer: 'Transfer inside equity',
  'closing-current': 'Closing entry',
  'closing-prior': 'Closing entry',
  'gross-up': '',
  disposal: '',
  'without-cash': '',
}

/** Builds the row as plain text rather than as a template, since there are as many rows as postings. */
function row(line: LedgerLine, { names, numbers }: Shown): string {
  const { kind, date, entry, memo, classId, departmentId, amount, balance, file, row, counts } = line
  const word = KIND_WORDS[kind]
  const told = [word && !counts ? `${word}, not in the profit and loss` : word, memo ?? '']
  return (
    `<tr${counts ? '' : ' class="aside"'}><td>${date ?? ''}</td><td>${escapeHtml(entry ?? '')}</td>` +
    `<td>${escapeHtml(told.filter((text) => text !== '').join(': '))}</td>` +
    `<td>${member(classId, names.classes)}</td><td>${member(departmentId, names.departments)}</td>` +
    `<td data-minor="${amount}">${numbers.exact(amount)}</td><td data-minor="${balance}">${numbers.exact(balance)}</td>` +
    `<td>${file === null ? '' : `${escapeHtml(file)}${row === null ? '' : `:${row}`}`}</td></tr>\n`
  )
}

const member = (id: string | null, names: ReadonlyMap<string, string>): string =>
  id === null ? '' : escapeHtml(names.get(id) ?? id)

const balanceRow = (label: string, balance: number, { numbers }: Shown): string =>
  `<tr class="subtotal"><th scope="row" colspan="5">${label}</th><td></td><td data-minor="${balance}">${numbers.exact(balance)}</td><td></td></tr>\n`

/** The row with the figure of a month, below its lines or beside the links to them. */
function monthRow(
  { month, amount, balance }: AccountMonth,
  { numbers }: Shown,
  parts: readonly Part[],
): string {
  const ways = parts.map(({ path, label }) => {
    const [folder, file] = path.split('/').slice(-2)
    return ` <a href="${addressOf(`${folder}/${file}`)}">${escapeHtml(label)}</a>`
  })
  return (
    `<tr class="subtotal" id="${month}"><th scope="row" colspan="5">${monthTitle(month)}${ways.length > 0 ? `: lines${ways.join(',')}` : ''}</th>` +
    `<td data-minor="${amount}">${numbers.exact(amount)}</td><td data-minor="${balance}">${numbers.exact(balance)}</td><td></td></tr>\n`
  )
}
