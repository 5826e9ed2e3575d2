/**
 * The pages of statements as files: of every basis, of the whole company and of each class and department. A snapshot keeps
 * those of the whole company, so pages say nothing about the snapshot itself or about others; `rendered.ts` adds that when
 * a page is opened, and makes those of classes and departments then.
 */
import { type Frame, firstBasis } from '../../books/reference/frame.ts'
import { headingOf } from '../../books/reference/presentation.ts'
import { type Basis, UNASSIGNED } from '../../contract/vocabulary.ts'
import { postedIds, shownYears } from '../accounts.ts'
import { numbersOf } from '../numbers.ts'
import type { FigureSource, ProvenSource } from '../source.ts'
import { monthTitle } from '../views.ts'
import { styleOf } from './brand.ts'
import { leadingTo, type PageLink, pageText, type ReportPage } from './layout.ts'
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
import { type Choice, figureSheetsOf, OVERVIEW, pageLinks, type ReportSheet, sheetsOf } from './sheets.ts'
import type { LinkOf } from './statement-table.ts'

/** The most members of a dimension that get pages; the interface and `tieout show` have them all. */
const MOST_MEMBERS = 50

/** The pages of one basis and filter. Plain data. */
export interface PageGroup {
  readonly basis: Basis
  readonly filter: Filter
}

/** Makes the pages of a report, or those of some groups. `month` is `YYYY-MM`, a month that the books cover. */
export async function reportPages(
  source: ProvenSource,
  month: string,
  groups: readonly PageGroup[] = pageGroups(source.frame),
): Promise<Pages> {
  const files = frontPages(source.frame)
  const edition = { month, styleSheet: STYLE_SHEET, above: '' }
  for (const group of groups)
    for (const [path, text] of await pagesOf(source, edition, group)) files.set(path, text)
  return files
}

/** What all pages have in common. */
export const frontPages = (frame: Frame): Pages =>
  new Map([
    [STYLE_SHEET, styleOf(frame)],
    [FIRST_PAGE, leadingTo(frame.name, overviewOf(frame))],
  ])

export const pageGroups = (frame: Frame): PageGroup[] =>
  frame.bases.flatMap((basis) => filtersOf(frame).map((filter) => ({ basis, filter })))

/** The groups whose pages a snapshot keeps: those of the whole company. */
export const keptGroups = (frame: Frame): PageGroup[] => frame.bases.map((basis) => ({ basis, filter: ALL }))

/** The paths of the pages that {@link pagesOf} makes. */
export const pathsOfPages = (source: FigureSource, group: PageGroup): string[] =>
  sheetsOf(source).map((sheet) => pathOf(group, sheet))

export interface ReportEdition {
  /** `YYYY-MM`, a month that the books cover. */
  readonly month: string
  /** In the folder of the report. */
  readonly styleSheet: string
  /** The way from the folder below which these pages lie to that of the report: empty, or as of a folder of a month. */
  readonly above: string
  /** Pages of classes and departments are left out, and no page leads there. */
  readonly isWhole?: boolean
}

/** Path inside the report → content. */
export type Pages = Map<string, string>

export async function pagesOf(
  source: ProvenSource,
  edition: ReportEdition,
  group: PageGroup,
): Promise<Pages> {
  const overview = await overviewPageOf(source, edition, group)
  return new Map([...overview, ...(await figurePagesOf(source, edition, group))])
}

/** Makes the page of a group that states the proof and the warnings. */
export const overviewPageOf = (
  source: ProvenSource,
  edition: ReportEdition,
  group: PageGroup,
): Promise<Pages> => madePages(source, edition, group, [OVERVIEW])

/** Makes the pages of a group that state figures alone, each as soon as the source has the figures. */
export const figurePagesOf = (
  source: FigureSource,
  edition: ReportEdition,
  group: PageGroup,
): Promise<Pages> => madePages(source, edition, group, figureSheetsOf(source))

async function madePages<Source extends FigureSource>(
  source: Source,
  edition: ReportEdition,
  group: PageGroup,
  sheets: readonly ReportSheet<Source>[],
): Promise<Pages> {
  const linkOf = linksFrom(source, edition, group)
  const made = sheets.map(
    async (sheet) =>
      [pathOf(group, sheet), await pageOf(source, edition, { ...group, sheet, linkOf })] as const,
  )
  return new Map(await Promise.all(made))
}

/** Makes the page of that path inside the report; null where no page of statements has it. */
export async function statementPageAt(
  source: ProvenSource,
  edition: ReportEdition,
  path: string,
): Promise<string | null> {
  const found = placeOfPage(source, path)
  return found && pageOf(source, edition, { ...found, linkOf: linksFrom(source, edition, found) })
}

export interface StatementPlace extends PageGroup {
  readonly sheet: ReportSheet
}

/** What stands on the page of that path. */
export function placeOfPage(source: FigureSource, path: string): StatementPlace | null {
  for (const group of pageGroups(source.frame))
    for (const sheet of sheetsOf(source)) if (pathOf(group, sheet) === path) return { ...group, sheet }
  return null
}

const pathOf = ({ basis, filter }: PageGroup, { file }: Pick<ReportSheet, 'file'>): string =>
  `${statementFolder(basis, filter)}${file}`

/** The overview of the whole company on the first basis. */
export const overviewOf = (frame: Frame): string => `${statementFolder(firstBasis(frame), ALL)}${FIRST_PAGE}`

export const choiceOf = (basis: Basis, { kind, id }: Filter, month: string): Choice => ({
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

/**
 * Links a figure to its lines on the page of the account, in the fiscal year of its last month. Classes and departments have no pages of
 * accounts of their own: each line says which it belongs to.
 */
function linksFrom(source: FigureSource, { above }: ReportEdition, { basis, filter }: PageGroup): LinkOf {
  const folder = statementFolder(basis, ALL)
  const posted = new Set(postedIds(source.frame))
  // A row has many figures of one year, and each is a link to the same page.
  const byMonth = new Map(
    shownYears(source).flatMap((months) => {
      const year = { start: months[0] ?? '', addresses: new Map<string, string>() }
      return months.map((month) => [month, year])
    }),
  )
  return (account, { through }) => {
    const year = byMonth.get(through)
    if (year === undefined || !posted.has(account)) return null
    let address = year.addresses.get(account)
    if (address === undefined) {
      const path = accountPagePath(basis, account, year.start)
      address =
        above === '' && filter.kind === 'all'
          ? addressOf(path.slice(folder.length))
          : `${wayUp(folder)}${above}${addressOf(path)}`
      year.addresses.set(account, address)
    }
    return `${address}#${through}`
  }
}

interface StatementPage<Source> extends PageGroup {
  readonly sheet: ReportSheet<Source>
  readonly linkOf: LinkOf
}

async function pageOf<Source extends FigureSource>(
  source: Source,
  { month, styleSheet, above, isWhole = false }: ReportEdition,
  page: StatementPage<Source>,
): Promise<string> {
  const { frame } = source
  const { basis, filter, sheet, linkOf } = page
  const root = wayUp(pathOf(page, sheet))
  return pageText({
    title: sheet.label,
    about: aboutPage(frame, { month, basis, filter }),
    company: frame.name,
    ...{ root, styleSheet: `${above}${styleSheet}` },
    pages: pageLinks(source, basis, filter, root, sheet),
    filters: filterLinks(frame, page, root, isWhole ? [ALL] : filtersOf(frame)),
    body: await sheet.body(source, choiceOf(basis, filter, month), linkOf),
  })
}

/** Says what a page is of: `June 2025, accrual, class North, whole SEK`. */
export const aboutPage = (
  frame: Frame,
  { month, basis, filter }: PageGroup & { readonly month: string },
): string =>
  [
    ...[monthTitle(month), basis.toLowerCase()],
    ...(filter.id === null ? [] : [`${filter.kind} ${filter.label}`]),
    numbersOf(frame).unit(frame.currency),
  ].join(', ')

/** Links to the same page on each basis and of each class and department. */
function filterLinks(
  frame: Frame,
  { basis, filter, sheet }: PageGroup & { readonly sheet: Pick<ReportSheet, 'file'> },
  root: string,
  filters: readonly Filter[],
): ReportPage['filters'] {
  const link = (label: string, to: PageGroup, isHere: boolean): PageLink => ({
    ...{ label, isHere },
    href: `${root}${addressOf(pathOf(to, sheet))}`,
  })
  const words = frame.presentation?.words
  const ofKind = (kind: Filter['kind']) =>
    filters
      .filter((each) => each.kind === kind || each.kind === 'all')
      .map((to) => link(to.label, { basis, filter: to }, to.id === (filter.kind === kind ? filter.id : null)))
  return [
    {
      name: 'Basis',
      links: frame.bases.map((to) => link(to.toLowerCase(), { basis: to, filter }, to === basis)),
    },
    { name: headingOf('class', words), links: ofKind('class') },
    { name: headingOf('department', words), links: ofKind('department') },
  ]
}
