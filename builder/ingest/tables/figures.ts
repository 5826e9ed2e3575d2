/** Reads all budgets and metrics that company.yaml names, entry by entry. */
import { isPercentUnit } from '../../contract/currency.ts'
import { type Aggregation, RESERVED_MEMBER_IDS } from '../../contract/vocabulary.ts'
import type { Company } from '../../workspace/company.ts'
import { error, type Finding, warning } from '../../workspace/findings/finding.ts'
import { COMPANY_FILE } from '../../workspace/workspace.ts'
import type { ColumnRows } from '../format/column-rows.ts'
import type { FormatContent } from '../format/content.ts'
import type { BudgetInput, MetricDefinition, MetricRow, SourceRecord } from '../format/intake.ts'
import { nameKeys } from '../format/keys.ts'
import { type BudgetContext, readBudget } from './budgets/budgets.ts'
import { joinedRows, keptMetrics } from './kept-rows.ts'
import { defineMetrics, readMetrics, repeatedIds } from './metrics/metrics.ts'
import type { MetricContext } from './metrics/sheet.ts'
import { repeatedFigures, repeatedValues } from './repeats.ts'
import { readTables, type Table } from './table.ts'

interface FiguresReading {
  readonly sources: readonly SourceRecord[]
  /** About the files; `ofFigures` are about what these hold. */
  readonly findings: readonly Finding[]
  readonly ofFigures: readonly Finding[]
}

/** The budgets that the ledger's files hold, and behind them those that company.yaml names. */
export async function readBudgets(
  folder: string,
  { budgets: settings = [], currency }: Company,
  context: Omit<BudgetContext, 'currency'>,
  carried: readonly BudgetInput[],
): Promise<FiguresReading & { readonly budgets: readonly BudgetInput[] }> {
  const budgets: BudgetInput[] = []
  const sources: SourceRecord[] = []
  const findings: Finding[] = []
  const ofFigures = [
    ...repeatedIds(settings, 'budgets'),
    ...settings.flatMap(({ id }, i) => takenId(id, `budgets.${i}.id`, carried)),
  ]
  // One after the other: of each, text and cells are in memory until its figures are read.
  for (const [i, setting] of settings.entries()) {
    const read = await readTables(folder, setting, 'budget', `budgets.${i}`)
    const { rows, findings: own } = readBudget(read.tables, setting, { ...context, currency })
    budgets.push({ id: setting.id, name: setting.name, rows })
    sources.push(...read.sources)
    findings.push(...read.findings)
    // A budget without any figure is refused as a whole.
    const empty = rows.length === 0 ? [] : filesWithoutFigures(read.tables, rows, own)
    ofFigures.push(...own, ...empty, ...repeatedFigures(rows))
  }
  return { budgets: [...carried, ...budgets], sources, findings, ofFigures }
}

/** Reports an id that cannot name a budget: `actuals` is reserved, and a ledger format may have a budget of this id. */
function takenId(id: string, column: string, carried: readonly BudgetInput[]): Finding[] {
  const place = { file: COMPANY_FILE, column, text: id, remedy: 'give the budget another id' }
  if (RESERVED_MEMBER_IDS.has(id)) return [error('reserved-id', `the id "${id}" cannot name a budget`, place)]
  return carried.some((budget) => budget.id === id)
    ? [error('duplicate-id', `the ledger's files hold a budget with the id "${id}" already`, place)]
    : []
}

/** The metrics that company.yaml defines, with all of their values, and those carried. `budgets` are all that a value may be a part of. */
export async function readAllMetrics(
  folder: string,
  company: Company,
  dimensions: Pick<MetricContext, 'classes' | 'departments' | 'parents' | 'calendar'>,
  budgets: readonly BudgetInput[],
  carried: Pick<FormatContent, 'metricDefinitions' | 'metrics'>,
): Promise<
  FiguresReading & { readonly definitions: readonly MetricDefinition[]; readonly rows: ColumnRows<MetricRow> }
> {
  const { definitions, findings: ofFigures } = defineMetrics(company)
  const idsOf = (...kinds: readonly Aggregation[]) =>
    new Set(definitions.flatMap(({ id, aggregation }) => (kinds.includes(aggregation) ? [id] : [])))
  const context: MetricContext = {
    ...dimensions,
    metrics: nameKeys(definitions),
    budgets: new Set(budgets.map(({ id }) => id)),
    sums: idsOf('Sum'),
    added: idsOf('Sum', 'Last'),
    percents: new Set(definitions.flatMap(({ id, unit }) => (isPercentUnit(unit) ? [id] : []))),
  }
  const values: ColumnRows<MetricRow>[] = []
  const sources: SourceRecord[] = []
  const findings: Finding[] = []
  for (const [i, setting] of (company.metrics ?? []).entries()) {
    const read = await readTables(folder, setting, 'metrics', `metrics.${i}`)
    const { rows, findings: own } = readMetrics(read.tables, setting, context)
    values.push(rows)
    sources.push(...read.sources)
    findings.push(...read.findings)
    ofFigures.push(...own, ...filesWithoutFigures(read.tables, rows, own))
  }
  if (carried.metrics.length > 0) {
    const kept = keptMetrics()
    for (const row of carried.metrics) kept.push(row)
    values.push(kept)
  }
  const rows = joinedRows(values, keptMetrics)
  // Rows of which a question stands open may be those of another scenario.
  const asked = new Set(ofFigures.flatMap(({ code, file }) => (code === 'meaning-of-column' ? [file] : [])))
  ofFigures.push(...repeatedValues(rows).filter(({ file }) => !asked.has(file)))
  return { definitions: [...definitions, ...carried.metricDefinitions], rows, sources, findings, ofFigures }
}

/** Files without any figure: truncated below the header, or not filled in yet. In a workbook one sheet with figures is enough. A file with another finding is not reported again. */
function filesWithoutFigures(
  tables: readonly Table[],
  rows: Iterable<{ readonly file: string }>,
  findings: readonly Finding[],
): Finding[] {
  const heads = new Map<string, Table>()
  for (const table of tables) if (!heads.has(pathOf(table))) heads.set(pathOf(table), table)
  const explained = new Set(findings.map(({ file }) => file))
  for (const { file } of rows) explained.add(file)
  for (const table of tables) if (explained.has(table.file)) heads.delete(pathOf(table))
  return [...heads.values()].map(({ file, headerRow }) =>
    warning('no-figures', 'has a header, but no figure', {
      file,
      row: headerRow,
      remedy: 'export the file again, or fill it in; remove one that is not needed',
    }),
  )
}

const pathOf = ({ file, sheet }: Table): string =>
  sheet !== null && file.endsWith(`#${sheet}`) ? file.slice(0, -sheet.length - 1) : file
