/**
 * The pages of statements as files: of every basis, of the whole company and of each class and department. A snapshot keeps
 * them, so they say nothing about the snapshot itself or about others; `rendered.ts` adds that when a page is opened.
 */
import { type Frame, firstBasis } from '../../books/frame.ts'
import { type Basis, UNASSIGNED } from '../../contract/vocabulary.ts'
import type { Html } from '../../pages/html.ts'
import { postedUnder, shownYears } from '../accounts.ts'
import { numbersOf } from '../numbers.ts'
import type { ReportSource } from '../source.ts'
import { monthTitle } from '../views.ts'
import { type Link, leadingTo, pageText } from './layout.ts'
import {
  ALL,
  accountPagePath,
  addressOf,
  FIRST_PAGE,
  type Filter,
  STYLE_SHEET,
  statementFolder,
  wayUp,
} from './places.ts'
import { type Choice, pageLinks, type Sheet, sheetsOf } from './sheets.ts'
import type { LinkOf } from './statement-table.ts'
import { STYLE } from './style.ts'

/** Further members are left out of the pages; the interface and `tieout show` have them all. */
const MOST_MEMBERS = 50

/** The pages that are made at once: those of one basis and filter. Plain data. */
export interface PageGroup {
  readonly basis: Basis
  readonly filter: Filter
}

/** Path inside the report → content. `month` is `YYYY-MM`, a month that the books cover. */
export async function reportPages(source: ReportSource, month: string): Promise<Map<string, string>> {
  const files = frontPages(source.frame)
  for (const group of pageGroups(source.frame))
    for (const [path, text] of await pagesOf(source, month, group)) files.set(path, text)
  return files
}

/** What all pages have in common. */
export const frontPages = (frame: Frame): Map<string, string> =>
  new Map([
    [STYLE_SHEET, STYLE],
    [FIRST_PAGE, leadingTo(frame.name, overviewOf(frame))],
  ])

export const pageGroups = (frame: Frame): PageGroup[] =>
  frame.bases.flatMap((basis) => filtersOf(frame).map((filter) => ({ basis, filter })))

/** The same paths that {@link pagesOf} gives. */
export const pathsOfPages = (frame: Frame, { basis, filter }: PageGroup): string[] =>
  sheetsOf(frame).map(({ file }) => `${statementFolder(basis, filter)}${file}`)

/** The pages of a group, by path inside the report. */
export async function pagesOf(
  source: ReportSource,
  month: string,
  { basis, filter }: PageGroup,
): Promise<Map<string, string>> {
  const { frame } = source
  const filters = filtersOf(frame)
  const linkOf = filter.kind === 'all' ? linksToAccounts(source, basis) : () => null
  const files = new Map<string, string>()
  for (const sheet of sheetsOf(frame)) {
    const body = await sheet.body(source, choiceOf(basis, filter, month), linkOf)
    const page = { basis, filter, sheet, month, filters, body }
    const path = `${statementFolder(basis, filter)}${sheet.file}`
    files.set(path, pageOf(frame, page, wayUp(path)))
  }
  return files
}

/** The overview of the whole company on the first basis. */
export const overviewOf = (frame: Frame): string => `${statementFolder(firstBasis(frame), ALL)}${FIRST_PAGE}`

const choiceOf = (basis: Basis, { kind, id }: Filter, month: string): Choice => ({
  ...{ basis, month, budgetId: null },
  classId: kind === 'class' ? id : null,
  departmentId: kind === 'department' ? id : null,
})

function filtersOf({ classes, departments }: Frame): Filter[] {
  const members = (kind: 'class' | 'department', { members }: Frame['classes']): Filter[] =>
    members.length === 0
      ? []
      : [...members, { id: UNASSIGNED, name: 'Unassigned' }].map(({ id, name }) => ({
          kind,
          id,
          label: name,
        }))
  return [
    ALL,
    ...[...members('class', classes), ...members('department', departments)].slice(0, MOST_MEMBERS),
  ]
}

/** Links a figure to its lines on the page of the account, in the fiscal year of its last month. */
function linksToAccounts(source: ReportSource, basis: Basis): LinkOf {
  const years = shownYears(source)
  return (account, { through }) => {
    const start = years.find((months) => months.includes(through))?.[0]
    if (start === undefined || postedUnder(account, source.frame) === null) return null
    const path = accountPagePath(basis, account, start).slice(statementFolder(basis, ALL).length)
    return `${addressOf(path)}#${through}`
  }
}

interface StatementPage {
  readonly basis: Basis
  readonly filter: Filter
  readonly sheet: Sheet
  readonly month: string
  readonly filters: readonly Filter[]
  readonly body: Html
}

function pageOf(
  frame: Frame,
  { basis, filter, sheet, month, filters, body }: StatementPage,
  root: string,
): string {
  const link = (label: string, to: Filter, ofBasis: Basis, isHere: boolean): Link => ({
    ...{ label, isHere },
    href: `${root}${addressOf(statementFolder(ofBasis, to))}${sheet.file}`,
  })
  const ofKind = (kind: Filter['kind']) =>
    filters
      .filter((each) => each.kind === kind || each.kind === 'all')
      .map((each) => link(each.label, each, basis, each.id === (filter.kind === kind ? filter.id : null)))
  const words = [
    basis.toLowerCase(),
    ...(filter.id === null ? [] : [`${filter.kind} ${filter.label}`]),
    numbersOf(frame).unit(frame.currency),
  ]
  return pageText({
    title: sheet.label,
    about: `${monthTitle(month)}, ${words.join(', ')}`,
    company: frame.name,
    root,
    pages: pageLinks(frame, basis, filter, root, sheet),
    filters: [
      {
        name: 'Basis',
        links: frame.bases.map((each) => link(each.toLowerCase(), filter, each, each === basis)),
      },
      { name: 'Class', links: ofKind('class') },
      { name: 'Department', links: ofKind('department') },
    ],
    body,
  })
}
