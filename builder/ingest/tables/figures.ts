/** Reads all budgets and metrics that company.yaml names, entry by entry. */
import { type Aggregation, RESERVED_MEMBER_IDS } from '../../contract/vocabulary.ts'
import type { Company } from '../../workspace/company.ts'
import { error, type Finding } from '../../workspace/finding.ts'
import { COMPANY_FILE } from '../../workspace/workspace.ts'
import type { ColumnRows } from '../format/column-rows.ts'
import type { BudgetInput, MetricDefinition, MetricRow, SourceRecord } from '../format/intake.ts'
import { nameKeys } from '../format/keys.ts'
import { type BudgetContext, readBudget } from './budgets/budgets.ts'
import { joinedRows, keptMetrics } from './kept-rows.ts'
import { defineMetrics, type MetricContext, readMetrics, repeatedIds } from './metrics/metrics.ts'
import { repeatedValues } from './metrics/repeats.ts'
import { readTables } from './table.ts'

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
    ofFigures.push(...own)
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

/** The metrics that company.yaml defines, and all of their values. `budgets` are all that a value may be a part of. */
export async function readAllMetrics(
  folder: string,
  company: Company,
  dimensions: Pick<MetricContext, 'classes' | 'departments' | 'parents' | 'calendar'>,
  budgets: readonly BudgetInput[],
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
    percents: new Set(definitions.flatMap(({ id, unit }) => (unit === '%' ? [id] : []))),
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
    ofFigures.push(...own)
  }
  const rows = joinedRows(values, keptMetrics)
  // Rows of which a question stands open may be those of another scenario.
  const asked = new Set(ofFigures.flatMap(({ code, file }) => (code === 'meaning-of-column' ? [file] : [])))
  ofFigures.push(...repeatedValues(rows).filter(({ file }) => !asked.has(file)))
  return { definitions, rows, sources, findings, ofFigures }
}
