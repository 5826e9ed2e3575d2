/**
 * A published statement as people read it: lines in the reader's order, and beside the month what it is compared with.
 * First file of the room that owns what is shown of statements: `lines.ts` (groups, subtotals, names), `columns.ts`
 * (comparatives). Must not state a figure that is not published, or a sum or difference of published figures.
 */
import type { Frame } from '../books/reference/frame.ts'
import { type NumberStyle, PLAIN_NUMBERS, type Words, wordsIn } from '../books/reference/presentation.ts'
import { currencyDecimals } from '../contract/currency.ts'
import { present } from '../contract/present.ts'
import type { Basis, Section, StatementName } from '../contract/vocabulary.ts'
import {
  type AskedFilters,
  basisOf,
  failed,
  filterFindings,
  frameOfReadableBooks,
  monthIn,
  publishedSnapshot,
  type Resolved,
  verifiedFrame,
} from '../inspect/inspect.ts'
import type { PublishedStatement } from '../snapshot/files/documents.ts'
import type { Snapshot } from '../snapshot/files/open.ts'
import type { Finding } from '../workspace/findings/finding.ts'
import { type LineValue, type MonthSpan, type StatementColumn, valuesOf } from './columns.ts'
import type { ReportLine } from './groups.ts'
import { reportLinesOf } from './lines.ts'
import { notesOn, type ShownNote } from './notes.ts'
import { partialColumns } from './partial.ts'
import { type FigureSource, type ReportSource, reportSource } from './source.ts'
import { columnsOf, type DocumentFilter, type View } from './views.ts'

/** What is shown of one statement. `budgetId` names the budget to compare with; null for the first that covers the year to date. */
export interface StatementChoice {
  readonly statement: StatementName
  readonly view: View
  /** `YYYY-MM` */
  readonly month: string
  readonly basis: Basis
  readonly budgetId: string | null
  readonly classId: string | null
  readonly departmentId: string | null
  /** Of the view of months: how many; twelve where it is not said. */
  readonly months?: number | undefined
  /** Of the profit and loss of a month: also in percent of income. */
  readonly hasShares?: boolean | undefined
}

export interface ReportedStatement extends Omit<StatementChoice, 'month' | 'basis'>, AskedFilters {
  readonly company: string
  readonly snapshotId: string | null
  /** `YYYY-MM`; null for the last month of the books. */
  readonly month: string | null
}

export interface ShownLine extends Omit<ReportLine, 'of' | 'measure'> {
  /** The section of its account; null for headings, subtotals and totals. */
  readonly section: Section | null
  /** Its cells are percentages, and their differences points. */
  readonly isRatio: boolean
  /** The accounts whose published rows it adds up; empty for a heading, a published total and a percentage of totals. */
  readonly accounts: readonly string[]
  /** The accounts whose published rows it takes off. */
  readonly less: readonly string[]
  /** The value of each column: minor units of the currency, or tenths of a percent; null where there is none. */
  readonly cells: readonly LineValue[]
  /** The places of the columns in which it is partial: accounts that it adds up have no figure in the budget. */
  readonly partial: readonly number[]
}

export interface ShownColumn extends Pick<StatementColumn, 'kind' | 'title'> {
  /** The months whose actual figures it adds up; null for budgets, members and comparisons. */
  readonly months: MonthSpan | null
  /** The places of the two columns that a difference or a percentage compares; null for an amount. */
  readonly of: readonly [number, number] | null
}

export interface ShownStatement {
  readonly company: string
  readonly name: string
  readonly statement: StatementName
  readonly basis: Basis
  /** The budget that it is compared with; null where there is none, or where it holds no figures of this statement. */
  readonly budget: { readonly id: string; readonly name: string } | null
  readonly classId: string | null
  readonly departmentId: string | null
  readonly currency: string
  readonly decimals: number
  /** What the company calls its dimensions; absent where it states nothing. */
  readonly words?: Words
  /** How the company wants its figures written. */
  readonly numbers: NumberStyle
  /** `YYYY-MM` */
  readonly month: string
  readonly columns: readonly ShownColumn[]
  readonly lines: readonly ShownLine[]
  /** Commentary on these lines; only for the month, and only where the whole company is shown. */
  readonly notes: readonly ShownNote[]
}

export interface OpenedReport {
  readonly snapshot: Snapshot
  readonly source: ReportSource
  /** `YYYY-MM` */
  readonly month: string
}

export interface SnapshotStatement extends ShownStatement {
  readonly snapshotId: string
}

/** Opens a published snapshot and chooses the month to show: the one asked for, or else the last of the books. */
export async function openReport(
  root: string,
  { company, snapshotId, month }: Pick<ReportedStatement, 'company' | 'snapshotId' | 'month'>,
): Promise<Resolved<OpenedReport>> {
  const found = await publishedSnapshot(root, company, snapshotId)
  if (found.findings) return found
  const opened = await openedReport(found.value, true)
  const { frame } = opened.source
  const asked = monthIn(frame.coverage, month ?? frame.coverage.endDate.slice(0, 7), 'the books')
  if (asked.findings) return asked
  return { value: { ...opened, month: asked.value.startDate.slice(0, 7) } }
}

/**
 * Opens a snapshot for the last month of its books. Throws SnapshotDamagedError where they are not as published, or, with
 * `looksAtTables`, where a table cannot be read. A server does not look at every row for each page.
 */
export async function openedReport(snapshot: Snapshot, looksAtTables = false): Promise<OpenedReport> {
  const frame = await (looksAtTables ? frameOfReadableBooks : verifiedFrame)(snapshot)
  const { Warnings: warnings, Totals, TieOuts: tieOuts, ControlsAgreed, Inputs } = snapshot.manifest
  const source = reportSource(snapshot.folder, snapshot, {
    ...{ frame, warnings, postings: Totals.Postings, tieOuts },
    controlsAgreed: ControlsAgreed ?? null,
    hasChart: Inputs.some(({ Role }) => Role === 'chart'),
  })
  return { snapshot, source, month: frame.coverage.endDate.slice(0, 7) }
}

export async function shownStatement(
  root: string,
  request: ReportedStatement,
): Promise<Resolved<SnapshotStatement>> {
  const opened = await openReport(root, request)
  if (opened.findings) return opened
  const { snapshot, source, month } = opened.value
  const findings = comparisonFindings(source.frame, request)
  if (findings.length > 0) return failed(...findings)
  const basis = basisOf(source.frame, { basis: request.basis, budgetId: null })
  const shown = await composeStatement(source, { ...request, month, basis })
  return { value: { ...shown, snapshotId: snapshot.id } }
}

/** Finds what is wrong with the filters of actuals that a budget may stand beside. */
export const comparisonFindings = (frame: Frame, { budgetId, ...actuals }: AskedFilters): Finding[] => [
  ...filterFindings(frame, { ...actuals, budgetId: null }),
  ...(budgetId === null ? [] : filterFindings(frame, { ...NO_FILTERS, budgetId })),
]
const NO_FILTERS = { basis: null, classId: null, departmentId: null }

/** Composes one statement as it is shown, without empty lines and columns. */
export const composeStatement = (source: FigureSource, choice: StatementChoice): Promise<ShownStatement> =>
  composeLines(source, choice, (documents) => reportLinesOf(choice.statement, documents, source))

/**
 * Composes the lines that `linesFor` makes of the published documents, with the columns of the chosen statement. The
 * figures are those of the statement `of`: a line of another statement may be shown among these columns.
 */
export async function composeLines(
  { frame, statement: published, layout }: FigureSource,
  choice: StatementChoice,
  linesFor: (documents: readonly PublishedStatement[]) => readonly ReportLine[],
  of: StatementName = choice.statement,
): Promise<ShownStatement> {
  const { statement, basis, classId, departmentId, month, view, budgetId, months, hasShares } = choice
  const { budget, documents, columns } = columnsOf(view, {
    ...{ frame, statement, month, budgetId, months, hasShares, layout },
  })
  const scope = { statement: of, basis, budgetId: null, classId, departmentId }
  const read = await Promise.all(documents.map((filter) => published({ ...scope, ...filter })))
  const partialIn = partialColumns(statement, columns, read)
  const lines = linesFor(read.filter((document) => document !== null)).map((line) => {
    const cells = valuesOf(line, columns, read)
    return { ...shownLine(line, read), cells, partial: partialIn(line).filter((i) => cells[i] !== null) }
  })
  const shown = withoutEmptyColumns(columns, withoutEmptyLines(lines))
  const isCompared = shown.columns.some(
    (column) => column.kind === 'amount' && documents[column.document]?.budgetId !== undefined,
  )
  return {
    ...{ company: frame.companyId, name: frame.name, ...wordsIn(frame) },
    ...{ statement, basis, classId, departmentId, month },
    budget: budget && isCompared ? { id: budget.id, name: budget.name } : null,
    currency: frame.currency,
    decimals: currencyDecimals(frame.currency),
    numbers: frame.presentation?.numbers ?? PLAIN_NUMBERS,
    columns: shown.columns.map((column) => ({
      kind: column.kind,
      title: column.title,
      of: 'of' in column ? placesIn(shown.columns, column.of, columns) : null,
      months: column.kind === 'amount' && isOfActuals(documents[column.document]) ? column.span : null,
    })),
    lines: shown.lines,
    notes: isWhole({ classId, departmentId }) && view === 'month' ? notesOn(shown.lines, frame, month) : [],
  }
}

const isOfActuals = (filter: DocumentFilter | undefined): boolean =>
  filter !== undefined && Object.keys(filter).length === 0

const isWhole = ({ classId, departmentId }: Pick<StatementChoice, 'classId' | 'departmentId'>): boolean =>
  classId === null && departmentId === null

/** Translates the places of two columns into their places among the columns that are shown. */
function placesIn(
  shown: readonly StatementColumn[],
  [a, b]: readonly [number, number],
  all: readonly StatementColumn[],
): readonly [number, number] {
  const place = (column: number) => shown.indexOf(present(all[column], `column ${column}`))
  return [place(a), place(b)]
}

function shownLine(
  { of, measure: _, ...line }: ReportLine,
  documents: readonly (PublishedStatement | null)[],
): Omit<ShownLine, 'cells' | 'partial'> {
  const { accounts, less = [] } = of !== null && 'accounts' in of ? of : { accounts: [] }
  const [first] = line.kind === 'account' ? accounts : []
  const row =
    first === undefined ? undefined : documents.find((each) => each?.rows.has(first))?.rows.get(first)
  return {
    ...line,
    section: row?.section ?? null,
    isRatio: of !== null && 'ratio' in of,
    ...{ accounts, less },
  }
}

/** Removes accounts and subtotals that are zero in every column, then headings with nothing below them. Totals stay. */
function withoutEmptyLines(lines: readonly ShownLine[]): ShownLine[] {
  const kept: ShownLine[] = []
  for (const line of lines.toReversed()) {
    const below = kept.at(-1)
    const isKept =
      line.kind === 'heading'
        ? below !== undefined && below.depth > line.depth
        : line.kind === 'total' || line.cells.some((cell) => cell !== null && cell !== 0)
    if (isKept) kept.push(line)
  }
  return kept.reverse()
}

/** Removes columns without any figure, such as months before the books and comparisons with them. */
function withoutEmptyColumns(
  columns: readonly StatementColumn[],
  lines: readonly ShownLine[],
): { readonly columns: readonly StatementColumn[]; readonly lines: readonly ShownLine[] } {
  const isStated = columns.map((_, i) =>
    lines.some(({ cells }) => cells[i] !== null && cells[i] !== undefined),
  )
  return {
    columns: columns.filter((_, i) => isStated[i]),
    lines: lines.map((line) => ({
      ...line,
      cells: line.cells.filter((_, i) => isStated[i]),
      partial: line.partial.map((place) => isStated.slice(0, place).filter(Boolean).length),
    })),
  }
}
