/**
 * Makes a report as people open it: the pages that the snapshot keeps, as they were published, with the id of the snapshot added;
 * and the pages that it does not keep: classes and departments, accounts, which show entries, the certificate, and the history
 * of the company.
 */
import { basename, dirname, join } from 'node:path'
import { type Frame, firstBasis } from '../books/reference/frame.ts'
import { type Html, html } from '../contract/html.ts'
import { BASES } from '../contract/vocabulary.ts'
import { figureChanges } from '../inspect/diff.ts'
import { cutFinding, cutManifest } from '../snapshot/files/cut.ts'
import { SnapshotDamagedError } from '../snapshot/files/damage.ts'
import { readPublishedChart } from '../snapshot/files/documents.ts'
import { isReport, reportPath } from '../snapshot/files/layout.ts'
import { openSnapshotIn, readPointer, type Snapshot } from '../snapshot/files/open.ts'
import { candidatesIn } from '../snapshot/log/candidates.ts'
import { closedThroughNow } from '../snapshot/log/lock-date.ts'
import { readLog } from '../snapshot/log/log.ts'
import { LEFT_OUT_TEXT } from '../workspace/findings/finding.ts'
import { accountPageAt, allAccountPages } from './pages/account-pages.ts'
import { styleOf } from './pages/brand.ts'
import { certificate } from './pages/certificate.ts'
import { historyPage, type SnapshotStep } from './pages/history.ts'
import { type PageLink, pageText, surrounded } from './pages/layout.ts'
import { newsSection } from './pages/news.ts'
import {
  ALL,
  accountOfPage,
  addressOf,
  CERTIFICATE,
  FIRST_PAGE,
  HISTORY,
  monthFolder,
  placeInMonth,
  SEARCH,
  STYLE_SHEET_AROUND,
  statementFolder,
  wayUp,
} from './pages/places.ts'
import { searchResults } from './pages/search.ts'
import { pageLinks } from './pages/sheets.ts'
import {
  frontPages,
  keptGroups,
  overviewOf,
  pageGroups,
  pagesOf,
  pathsOfPages,
  placeOfPage,
  type ReportEdition,
  reportPages,
  type StatementPlace,
  statementPageAt,
} from './pages/site.ts'
import type { OpenedReport } from './report.ts'
import { dayTitle, monthsOfSpan, monthTitle } from './views.ts'

interface RenderedFile {
  /** The path inside the report. */
  readonly path: string
  readonly content: string
}

/** A report as a folder has the pages of this many months; the server makes those of any. */
const MOST_MONTHS = 12

/**
 * Yields every page, as somebody who has the snapshots may see it. With `isAmongOthers`, also the page about the company's other
 * snapshots, and the whole company's statements of the months before.
 */
export async function* renderedReport(
  opened: OpenedReport,
  isAmongOthers = true,
): AsyncGenerator<RenderedFile> {
  const { source, month } = opened
  const about = [...ABOUT_THE_SNAPSHOT].filter(([path]) => isAmongOthers || path !== HISTORY)
  const ways = about.map(([path]) => path)
  const months = isAmongOthers ? monthsThrough(source.frame, month).slice(0, MOST_MONTHS) : [month]
  const groups = keptGroups(source.frame)
  const inMonths = new Set(groups.flatMap((group) => pathsOfPages(source, group)))
  const news = isAmongOthers ? await newsOf(opened) : null
  const whole = (path: string, content: string, choice: readonly string[] = []) =>
    around(opened, path, content, ways, choice, news)
  for (const [path, content] of await statementPages(opened))
    yield whole(path, content, inMonths.has(path) ? months : [])
  for (const other of months.slice(1))
    for (const group of groups)
      for (const [path, content] of await pagesOf(source, { ...editionIn(other), isWhole: true }, group))
        yield whole(`${monthFolder(other)}${path}`, content, months)
  yield { path: STYLE_SHEET_AROUND, content: styleOf(source.frame) }
  for await (const { path, text } of allAccountPages(source)) yield whole(path, text)
  for (const [path, page] of about)
    yield whole(path, await page(opened, { entries: true, hosts: true, log: isAmongOthers }))
}

/** The months of the books through this one, the newest first. */
const monthsThrough = ({ coverage }: Pick<Frame, 'coverage'>, month: string): string[] =>
  monthsOfSpan({ from: coverage.startDate.slice(0, 7), through: month }).reverse()

/** What a reader may see of a page. */
interface Sight {
  /** The lines of accounts: dates, amounts, memos, names. */
  readonly entries: boolean
  /** The names of the computers in the log. */
  readonly hosts: boolean
  /** Endings of the files that statements can be saved as here; none where it is left out. */
  readonly files?: readonly SavedAs[]
  /** What is searched for, empty for nothing; absent where the report is opened without what answers. */
  readonly search?: string
}

const SAVED_AS = { csv: 'as CSV', xlsx: 'as workbook', pdf: 'as PDF' } as const
export type SavedAs = keyof typeof SAVED_AS

/** The form of a file to save by its ending; null for a path of the report itself. */
export const savedAs = (path: string): SavedAs | null =>
  (Object.keys(SAVED_AS) as SavedAs[]).find((as) => path.endsWith(`.${as}`)) ?? null

/** The month and the page of which the file to save of that path is made; null where no page of statements has it. */
export function savedPage(
  { source, month }: OpenedReport,
  path: string,
): { readonly month: string; readonly page: StatementPlace } | null {
  const html = `${path.slice(0, path.lastIndexOf('.') + 1)}html`
  const other = placeInMonth(html)
  if (other !== null && !monthsThrough(source.frame, month).slice(1).includes(other.month)) return null
  const page = placeOfPage(source, other?.path ?? html)
  return page && page.sheet.statements.length > 0 ? { month: other?.month ?? month, page } : null
}

/** Makes one file of the report; null where it has none by that name. */
export async function renderedFile(
  published: OpenedReport,
  path: string,
  sight: Sight,
): Promise<string | null> {
  const opened = sight.entries ? published : withoutEntryText(published)
  const { source, month } = opened
  if (path === STYLE_SHEET_AROUND) return styleOf(source.frame)
  const months = monthsThrough(source.frame, month)
  const ways = [...ABOUT_THE_SNAPSHOT.keys()]
  const other = placeInMonth(path)
  if (other !== null) {
    if (!months.slice(1).includes(other.month)) return null
    const text = await statementPageAt(source, editionIn(other.month), other.path)
    return text && around(opened, path, text, ways, months, null, sight).content
  }
  const about =
    path === SEARCH && sight.search !== undefined
      ? framed(opened, SEARCH, 'Search', await searchResults(source, sight.search, sight.entries))
      : await ABOUT_THE_SNAPSHOT.get(path)?.(opened, { ...sight, log: true })
  const text = about ?? (await pageAt(opened, path, sight))
  const isOfMonth = about === undefined && accountOfPage(path) === null
  const news = isOverview(path) ? await newsOf(opened) : null
  return text && around(opened, path, text, ways, isOfMonth ? months : [], news, sight).content
}

/** Overviews of the whole company, of the month of the report. */
const isOverview = (path: string): boolean =>
  BASES.some((basis) => path === `${statementFolder(basis, ALL)}${FIRST_PAGE}`)

/** What is new since the snapshot before, and, where this one is the current one and of its last month, what waits. */
async function newsOf({ snapshot, source, month }: OpenedReport): Promise<Html> {
  const [root, company] = [dirname(dirname(snapshot.folder)), dirname(snapshot.folder)]
  const { Previous, Restatement = null, Currency } = snapshot.manifest
  const before = Previous && (await snapshotBefore(snapshot))
  const known = before && new Set((await readPublishedChart(before)).map(({ Id }) => Id))
  const since =
    before && known && before.manifest.Currency === Currency
      ? {
          before: before.id,
          changes: await figureChanges(before, snapshot),
          restatement: Restatement,
          accounts: source.frame.accounts.filter(({ id }) => !known.has(id)),
        }
      : null
  const current = await readPointer(root, snapshot.company)
  const isCurrent = current?.SnapshotId === snapshot.id && month === snapshot.manifest.Month
  return newsSection(
    { since, waits: isCurrent ? await waitingFor(source.frame, company, snapshot) : [] },
    `${wayUp(overviewOf(source.frame))}${HISTORY}`,
  )
}

/** Commentary and closings are waited for where the company writes and closes. */
async function waitingFor(
  { presentation, coverage }: Frame,
  company: string,
  { folder }: Snapshot,
): Promise<string[]> {
  const month = coverage.endDate.slice(0, 7)
  const written = presentation?.commentary ?? []
  const closed = await closedThroughNow(folder)
  const proposed = (await candidatesIn(company)).filter(({ isStale }) => !isStale).length
  return [
    ...(written.length > 0 && !written.some((each) => each.month === month)
      ? [`No commentary on ${monthTitle(month)} is written yet.`]
      : []),
    ...(closed !== null && closed < coverage.endDate
      ? [`${monthTitle(month)} is open: the books are closed through ${dayTitle(closed)}.`]
      : []),
    ...(proposed === 0
      ? []
      : [`${proposed === 1 ? '1 change waits' : `${proposed} changes wait`} for approval.`]),
  ]
}

/** The report for readers who may not see entries: neither its warnings nor what is said of its sources quote any. */
export const withoutEntryText = ({ snapshot, source, month }: OpenedReport): OpenedReport => ({
  month,
  snapshot: { ...snapshot, manifest: cutManifest(snapshot.manifest, snapshot.manifestHash) },
  source: { ...source, warnings: source.warnings.map(cutFinding) },
})

/** Adds the id of the snapshot, the links to the pages about it and to the same page of other months; the rest of a published page stays as it was published. */
function around(
  { snapshot, source, month }: OpenedReport,
  path: string,
  content: string,
  ways: readonly string[],
  months: readonly string[],
  news: Html | null = null,
  { files = [], search }: Pick<Sight, 'files' | 'search'> = {},
): RenderedFile {
  if (!path.endsWith('.html')) return { path, content }
  const root = wayUp(path)
  const { month: here, path: below } = placeInMonth(path) ?? { month, path }
  const links = months.map(
    (each): PageLink => ({
      label: monthTitle(each),
      href: `${root}${each === month ? '' : monthFolder(each)}${addressOf(below)}`,
      isHere: each === here,
    }),
  )
  const isSaved = files.length > 0 && (placeOfPage(source, below)?.sheet.statements.length ?? 0) > 0
  return {
    path,
    content: surrounded(content, snapshot.id, {
      root,
      ways,
      months: links,
      search: search ?? null,
      files: (isSaved ? files : []).map((as) => ({
        label: SAVED_AS[as],
        href: basename(path).replace(/html$/, as),
        isHere: false,
      })),
      news: isOverview(path) ? news : null,
    }),
  }
}

/** The pages of statements: those that the snapshot keeps as they were published, the others from the same published figures. */
async function statementPages(opened: OpenedReport): Promise<ReadonlyMap<string, string>> {
  const { snapshot, source, month } = opened
  if (!keepsPages(opened)) return reportPages(source, month)
  const pages = new Map<string, string>()
  for (const path of [...snapshot.files.keys()].filter(isReport))
    pages.set(path.slice(reportPath('').length), (await snapshot.read(path)).toString('utf8'))
  for (const group of pageGroups(source.frame)) {
    if (pathsOfPages(source, group).every((path) => pages.has(path))) continue
    for (const [path, text] of await pagesOf(source, editionOf(opened), group))
      if (!pages.has(path)) pages.set(path, text)
  }
  return pages
}

/** Pages that are made now do not take the style that kept ones were published with. */
const editionOf = ({ month }: OpenedReport): ReportEdition => ({
  month,
  styleSheet: STYLE_SHEET_AROUND,
  above: '',
})

const editionIn = (month: string): ReportEdition => ({
  month,
  styleSheet: STYLE_SHEET_AROUND,
  above: wayUp(monthFolder(month)),
})

/** A snapshot keeps the pages of the last month of its books. */
const keepsPages = ({ snapshot, source, month }: OpenedReport): boolean =>
  snapshot.has(reportPath(FIRST_PAGE)) && month === source.frame.coverage.endDate.slice(0, 7)

async function pageAt(opened: OpenedReport, path: string, { entries }: Sight): Promise<string | null> {
  const { snapshot, source } = opened
  const account = accountOfPage(path)
  if (account !== null)
    return entries
      ? await accountPageAt(source, path, account)
      : framed(opened, path, 'Lines of an account', NO_ENTRIES)
  // Overviews of earlier versions have warnings that quote entries: here nothing is left of them.
  const isKept =
    entries ||
    basename(path) !== FIRST_PAGE ||
    snapshot.manifest.Warnings.every(({ message }) => message !== LEFT_OUT_TEXT)
  if (isKept && keepsPages(opened) && snapshot.has(reportPath(path)))
    return (await snapshot.read(reportPath(path))).toString('utf8')
  return frontPages(source.frame).get(path) ?? (await statementPageAt(source, editionOf(opened), path))
}

const NO_ENTRIES = html`<p>You may see the figures of this company, but not the entries behind them. Whoever looks after this server can change that.</p>
`

/** `log`: whether the page may show what the log says after the publication. An archive shows only what follows from the snapshot. */
type Page = (opened: OpenedReport, sight: Sight & { readonly log: boolean }) => Promise<string>

/** Pages about the snapshot itself and about the others of the company. */
const ABOUT_THE_SNAPSHOT: ReadonlyMap<string, Page> = new Map<string, Page>([
  [
    CERTIFICATE,
    async (opened, { log }) => {
      const { snapshot, source } = opened
      const closed = log ? await closedThroughNow(snapshot.folder) : (snapshot.manifest.LockedThrough ?? null)
      return framed(opened, CERTIFICATE, 'Certificate', certificate(snapshot, source.frame.name, closed))
    },
  ],
  [
    HISTORY,
    async (opened, sight) => framed(opened, HISTORY, 'History', await historyOf(opened.snapshot, sight)),
  ],
])

function framed({ source }: OpenedReport, path: string, title: string, body: Html): string {
  const { frame } = source
  const { startDate, endDate } = frame.coverage
  const root = wayUp(path)
  return pageText({
    ...{ title, about: `${startDate} to ${endDate}`, company: frame.name, root, filters: [], body },
    styleSheet: STYLE_SHEET_AROUND,
    pages: pageLinks(source, firstBasis(frame), ALL, root, null),
  })
}

/** The log of the company, and what changed from one snapshot to the next. */
export async function historyOf(
  snapshot: Snapshot,
  { entries, hosts }: Pick<Sight, 'entries' | 'hosts'>,
): Promise<Html> {
  const { records } = await readLog(dirname(snapshot.folder))
  const shown = records.map((record) => ({
    ...record,
    By: hosts ? record.By : record.By.replace(/@.*/, ''),
    Reason: entries ? record.Reason : null,
  }))
  return historyPage(shown, await stepsOf(snapshot))
}

/** Comparing more takes long; `tieout diff` compares any two. */
const MOST_STEPS = 12

/** Compares each snapshot with the one before it, as far back as they are here. */
async function stepsOf(newest: Snapshot): Promise<SnapshotStep[]> {
  const steps: SnapshotStep[] = []
  for (let now = newest; now.manifest.Previous && steps.length < MOST_STEPS; ) {
    const before = await snapshotBefore(now)
    if (before === null)
      return [...steps, { before: now.manifest.Previous.SnapshotId, now: now.id, changes: null }]
    const isComparable = before.manifest.Currency === now.manifest.Currency
    steps.push({
      before: before.id,
      now: now.id,
      changes: isComparable ? await figureChanges(before, now) : null,
    })
    now = before
  }
  return steps
}

/** Null where it is the first, was pruned or is damaged; `tieout verify` says which. */
async function snapshotBefore({
  folder,
  company,
  manifest: { Previous },
}: Snapshot): Promise<Snapshot | null> {
  if (!Previous) return null
  const { SnapshotId, ManifestSha256 } = Previous
  try {
    return await openSnapshotIn(join(dirname(folder), SnapshotId), company, SnapshotId, ManifestSha256)
  } catch (problem) {
    if (!(problem instanceof SnapshotDamagedError)) throw problem
    return null
  }
}
