/**
 * A board pack: the statements of one month as a workbook to send on, made of the same lines and columns as the pages of the
 * report, with formulas that give the published figures.
 */
import { decimalsOf } from '../../books/reference/frame.ts'
import { filterTexts, PLAIN_NUMBERS, wordsIn } from '../../books/reference/presentation.ts'
import type { Tree } from '../../books/reference/tree.ts'
import { lastDay, monthOf } from '../../contract/calendar.ts'
import { present } from '../../contract/present.ts'
import type { StatementName } from '../../contract/vocabulary.ts'
import { ageingOf } from '../../inspect/audit/ageing.ts'
import { bridge } from '../../inspect/audit/bridge.ts'
import { basisOf, failed, type Resolved } from '../../inspect/inspect.ts'
import { freePlace, writeOutput } from '../../system/output.ts'
import { intercompany, isShownAsGroup, translations, worksheets } from '../consolidation.ts'
import { shownMetrics } from '../metrics.ts'
import { commentaryIn } from '../notes.ts'
import { Numbers } from '../numbers.ts'
import { keyTables } from '../pages/overview.ts'
import {
  comparisonFindings,
  composeStatement,
  type OpenedReport,
  openReport,
  type ReportedStatement,
  type ShownColumn,
  type ShownStatement,
  type StatementChoice,
} from '../report.ts'
import type { ReportSource } from '../source.ts'
import { type View, yearToDate } from '../views.ts'
import { ageingSheets, bridgeSheets } from './audit-workbook.ts'
import { contentsSheet } from './contents-sheet.ts'
import { type Exported, extensionFindings, fileAt } from './export.ts'
import { type About, type FigureLook, sheetLayout } from './looks.ts'
import { metricsSheet } from './metrics-sheet.ts'
import { PACK } from './names.ts'
import { provenanceOf } from './provenance.ts'
import { provenanceSheet } from './sheets.ts'
import { statementSheet } from './statement-sheet.ts'
import { type Summary, summarySheet } from './summary-sheet.ts'
import { translationSheet } from './translation-sheet.ts'
import { type Sheet, writeWorkbook } from './xlsx.ts'

export interface PackRequest extends Omit<ReportedStatement, 'statement' | 'view'> {
  /** Shows figures as published, not in the unit of the company's statements. */
  readonly cents: boolean
  /** Absolute. */
  readonly to: string
  /** Name and version of the program that exports. */
  readonly software: string
}

/** The statements of a pack in their order. */
const STATEMENTS: readonly {
  readonly title: string
  readonly statement: StatementName
  readonly view: View
  /** The words before the day of the title. */
  readonly period: string
  /** What the sheet of contents says of it. */
  readonly says: (shown: ShownStatement) => string
}[] = [
  {
    ...{ title: 'Profit and loss', statement: 'ProfitAndLoss', view: 'month', period: 'Period ended' },
    says: (shown) => `The month and the year to date${besides(shown)}`,
  },
  {
    ...{
      title: 'Profit and loss by month',
      statement: 'ProfitAndLoss',
      view: 'months',
      period: 'Period ended',
    },
    says: () => 'The last twelve months with their total, and the same months a year before',
  },
  {
    ...{ title: 'Balance sheet', statement: 'BalanceSheet', view: 'month', period: 'As at' },
    says: ({ columns }) => `Balances at ${list(columns.filter(isAmount).map(({ title }) => title))}`,
  },
  {
    ...{ title: 'Cash flow', statement: 'CashFlow', view: 'month', period: 'Period ended' },
    says: (shown) => `The month and the year to date${besides(shown)}, from net income to cash at the end`,
  },
]

const isAmount = ({ kind }: ShownColumn): boolean => kind === 'amount'

/** Names what stands beside the figures of the month, for the sheet of contents. A first year has no prior year. */
function besides({ budget, columns, month }: ShownStatement): string {
  const isBefore = ({ months }: ShownColumn) => months !== null && months.through < month
  const parts = [...(budget ? ['budget', 'variance'] : []), ...(columns.some(isBefore) ? ['prior year'] : [])]
  return parts.length === 0 ? '' : `, beside ${list(parts)}`
}

/** `a, b and c` */
const list = (parts: readonly string[]): string =>
  [parts.slice(0, -1).join(', '), ...parts.slice(-1)].filter((part) => part !== '').join(' and ')

/** What a pack shows besides, for whoever may read the ledger: both are of the whole company. */
export interface Schedules {
  readonly ageing: boolean
  /** The snapshot from which the bridge leads, null for the one before; false for no bridge. */
  readonly bridge: string | null | false
}

/** A sheet, and what the contents say of it. */
interface Page {
  readonly says: string
  readonly sheet: Sheet
}

/** Throws PlaceError where `to` is taken. */
export async function exportPack(
  root: string,
  request: PackRequest,
  besides: Schedules = { ageing: false, bridge: false },
): Promise<Resolved<Exported>> {
  const opened = await openReport(root, request)
  if (opened.findings) return opened
  const schedules = await schedulesOf(root, opened.value, request, besides)
  return schedules.findings ? schedules : packOf(opened.value, request, schedules.value)
}

async function schedulesOf(
  root: string,
  { snapshot, source, month }: OpenedReport,
  { basis, software }: PackRequest,
  { ageing, bridge: from }: Schedules,
): Promise<Resolved<Page[]>> {
  const pages: Page[] = []
  if (ageing) {
    const [end, last] = [lastDay(monthOf(`${month}-01`)), source.frame.coverage.endDate]
    const aged = await ageingOf(snapshot, { account: null, asOf: end < last ? end : last })
    if (aged.findings) return aged
    const says = 'By party and age, with the balances that they add up to'
    pages.push(...ageingSheets(aged.value, software).map((sheet) => ({ says, sheet })))
  }
  if (from !== false) {
    const { company, id } = snapshot
    const led = await bridge(root, { company, before: from, now: id, basis })
    if (led.findings) return led
    const says = [
      `From the balances of ${led.value.before.snapshotId} to those of this snapshot, by account`,
      'The lines of the older months that only one of the two has',
      'The lines that moved equity since',
    ]
    pages.push(...bridgeSheets(led.value, software).map((sheet, i) => ({ says: says[i] ?? '', sheet })))
  }
  return { value: pages }
}

/** As {@link exportPack}, of a report that is open already. */
export async function packOf(
  { snapshot, source, month }: OpenedReport,
  request: Omit<PackRequest, 'company' | 'snapshotId' | 'month'>,
  schedules: readonly Page[] = [],
): Promise<Resolved<Exported>> {
  const { frame } = source
  const findings = [...comparisonFindings(frame, request), ...extensionFindings(request.to, '.xlsx')]
  if (findings.length > 0) return failed(...findings)
  freePlace(request.to)
  const basis = basisOf(frame, { basis: request.basis, budgetId: null })
  const choice = { ...request, month, basis }
  const shown: ShownStatement[] = []
  for (const { statement, view } of STATEMENTS)
    shown.push(await composeStatement(source, { ...choice, statement, view }))
  const budget = shown.find((each) => each.budget !== null)?.budget ?? null
  const year = yearToDate({ frame, month })
  const provenance = provenanceOf(
    snapshot,
    frame.name,
    request.software,
    {
      ...{
        What: PACK,
        Format: 'xlsx',
        Statements: [...new Set(STATEMENTS.map(({ statement }) => statement))],
      },
      ...{ Basis: basis.toLowerCase(), BudgetId: budget?.id ?? null },
      ...{ ClassId: request.classId, DepartmentId: request.departmentId, From: year.from, Through: month },
    },
    [],
  )
  const unit = request.cents ? 'exact' : (frame.presentation?.numbers?.unit ?? PLAIN_NUMBERS.unit)
  const numbers = new Numbers(decimalsOf(frame), { ...PLAIN_NUMBERS, unit })
  const about: About = {
    company: frame.name,
    month,
    snapshotId: snapshot.id,
    figures: [numbers.unit(frame.currency), `${basis.toLowerCase()} basis`],
    members: filterTexts({
      classId: memberName(frame.classes, request.classId),
      departmentId: memberName(frame.departments, request.departmentId),
      ...wordsIn(frame),
    }),
  }
  const figures = { decimals: decimalsOf(frame), unit }
  const metrics = await shownMetrics(source, choice)
  const losses = { longFigures: 0, longTexts: 0 }
  const pages = [
    ...STATEMENTS.map(({ title, period, says }, i) => {
      const statement = present(shown[i], title)
      return { says: says(statement), sheet: statementSheet(statement, { ...about, title, period }, figures) }
    }),
    ...(await groupPages(source, choice, about, figures)),
    ...(metrics && metrics.rows.length > 0
      ? [{ says: 'Figures that are no money, by month', sheet: metricsSheet(metrics, about) }]
      : []),
    ...schedules,
    {
      says: 'The snapshot, its sources with their hashes, and the comparisons that tied out',
      sheet: provenanceSheet(provenance, losses, sheetLayout({ ...about, title: 'Provenance' })),
    },
  ]
  const first = {
    says: 'Key figures beside budget and prior year, what was written about the month, income, costs and cash by month',
    sheet: summarySheet(await summaryOf(source, choice), about, figures),
  }
  const sheets = [
    first.sheet,
    contentsSheet([first, ...pages], about, source, provenance),
    ...pages.map(({ sheet }) => sheet),
  ]
  await writeOutput(request.to, 'file', (staged) => writeWorkbook(staged, sheets, losses))
  const files = [await fileAt(request.to, null)]
  return { value: { company: snapshot.company, snapshotId: snapshot.id, files, provenance } }
}

const BY_MEMBER = {
  ProfitAndLoss: 'Profit and loss by member',
  BalanceSheet: 'Balance sheet by member',
  CashFlow: 'Cash flow by member',
}

/** The sheets of a group: its members side by side, what they have with each other, and translation. */
async function groupPages(
  source: ReportSource,
  choice: Omit<StatementChoice, 'statement' | 'view'>,
  about: About,
  figures: FigureLook,
): Promise<Page[]> {
  if (!isShownAsGroup(source, choice)) return []
  const page = (shown: ShownStatement, title: string, says: string) => ({
    says: `${says}: ${shown.columns.at(-1)?.title}`,
    sheet: statementSheet(
      shown,
      { ...about, title, period: shown.statement === 'BalanceSheet' ? 'As at' : 'Period ended' },
      figures,
    ),
  })
  const shown = await worksheets(source, choice)
  const pairs = await intercompany(source, choice)
  const translated = await translations(source, choice)
  return [
    ...shown.map((each, i) => {
      const name = BY_MEMBER[each.statement]
      const title = shown[i - 1]?.statement === each.statement ? `${name}, year` : name
      return page(each, title, 'Members, what is eliminated, and the group')
    }),
    ...pairs.map((each) =>
      page(
        each,
        each.statement === 'BalanceSheet' ? 'Intercompany balances' : 'Intercompany results',
        'What members have with each other, and what is not agreed',
      ),
    ),
    ...(translated.length === 0
      ? []
      : [
          {
            says: 'How members in other currencies were translated, and what the difference is made of',
            sheet: translationSheet(translated, about),
          },
        ]),
  ]
}

/** What the overview of the pages shows, of which the statements of the pack hold the rest. */
async function summaryOf(
  source: ReportSource,
  choice: Omit<StatementChoice, 'statement' | 'view'>,
): Promise<Summary> {
  const { basis, classId, departmentId, month } = choice
  const scope = { basis, budgetId: null, classId, departmentId }
  const isWhole = classId === null && departmentId === null
  const { result, position } = await keyTables(source, choice)
  return {
    tables: [result, position],
    notes: isWhole ? commentaryIn(source.frame, month).filter(({ line }) => line === null) : [],
    result: await source.statement({ ...scope, statement: 'ProfitAndLoss' }),
    cash: isWhole ? await source.statement({ ...scope, statement: 'CashFlow' }) : null,
  }
}

const memberName = ({ members }: Tree, id: string | null): string | null =>
  members.find((member) => member.id === id)?.name ?? id
