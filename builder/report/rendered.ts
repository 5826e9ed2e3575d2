/**
 * A report as people open it: the pages that the snapshot keeps, as they were published, with the id of the snapshot; and what it
 * does not keep: the pages of accounts, which show entries, its certificate, and the history of the company.
 */
import { dirname, join } from 'node:path'
import { firstBasis } from '../books/frame.ts'
import { figureChanges } from '../inspect/diff.ts'
import type { Html } from '../pages/html.ts'
import { SnapshotDamagedError } from '../snapshot/damage.ts'
import { isReport, REPORT } from '../snapshot/layout.ts'
import { readLog } from '../snapshot/log.ts'
import { openSnapshotIn, type Snapshot } from '../snapshot/open.ts'
import { allAccountPages } from './pages/account-pages.ts'
import { certificate } from './pages/certificate.ts'
import { historyPage, type Step } from './pages/history.ts'
import { pageText, surrounded } from './pages/layout.ts'
import { ALL, CERTIFICATE, HISTORY, STYLE_SHEET_AROUND, wayUp } from './pages/places.ts'
import { pageLinks } from './pages/sheets.ts'
import { reportPages } from './pages/site.ts'
import { STYLE } from './pages/style.ts'
import type { OpenedReport } from './report.ts'

export interface RenderedFile {
  /** Inside the report. */
  readonly path: string
  readonly content: string
}

export async function* renderedReport(opened: OpenedReport): AsyncGenerator<RenderedFile> {
  const { snapshot, source } = opened
  const around = ({ path, content }: RenderedFile): RenderedFile => ({
    path,
    content: path.endsWith('.html') ? surrounded(content, snapshot.id, wayUp(path)) : content,
  })
  for await (const file of statementPages(opened)) yield around(file)
  yield { path: STYLE_SHEET_AROUND, content: STYLE }
  for await (const { path, text } of allAccountPages(source)) yield around({ path, content: text })
  yield around(framed(opened, CERTIFICATE, 'Certificate', certificate(snapshot, source.frame.name)))
  const records = (await readLog(dirname(snapshot.folder))).records
  yield around(framed(opened, HISTORY, 'History', historyPage(records, await stepsOf(snapshot))))
}

/** Those that were published, where they are of the month that is asked for; else made anew of the same figures. */
async function* statementPages({ snapshot, source, month }: OpenedReport): AsyncGenerator<RenderedFile> {
  const published = [...snapshot.files.keys()].filter(isReport)
  if (published.length > 0 && month === source.frame.coverage.endDate.slice(0, 7))
    for (const path of published)
      yield { path: path.slice(REPORT.length + 1), content: (await snapshot.read(path)).toString('utf8') }
  else for (const [path, content] of await reportPages(source, month)) yield { path, content }
}

function framed({ source }: OpenedReport, path: string, title: string, body: Html): RenderedFile {
  const { frame } = source
  const { startDate, endDate } = frame.coverage
  return {
    path,
    content: pageText({
      ...{ title, about: `${startDate} to ${endDate}`, company: frame.name, root: '', filters: [], body },
      styleSheet: STYLE_SHEET_AROUND,
      pages: pageLinks(firstBasis(frame), ALL, '', null),
    }),
  }
}

/** Further ones take long to compare; `tieout diff` compares any two. */
const MOST_STEPS = 12

/** From each snapshot back to the one that it follows, as far as they are here. */
async function stepsOf(newest: Snapshot): Promise<Step[]> {
  const steps: Step[] = []
  for (let now = newest; now.manifest.Previous && steps.length < MOST_STEPS; ) {
    const { SnapshotId, ManifestSha256 } = now.manifest.Previous
    const folder = join(dirname(now.folder), SnapshotId)
    try {
      const before = await openSnapshotIn(folder, now.company, SnapshotId, ManifestSha256)
      const isComparable = before.manifest.Currency === now.manifest.Currency
      steps.push({
        before: before.id,
        now: now.id,
        changes: isComparable ? await figureChanges(before, now) : null,
      })
      now = before
    } catch (problem) {
      // It was pruned, or is damaged: `tieout verify` tells which.
      if (!(problem instanceof SnapshotDamagedError)) throw problem
      return [...steps, { before: SnapshotId, now: now.id, changes: null }]
    }
  }
  return steps
}
