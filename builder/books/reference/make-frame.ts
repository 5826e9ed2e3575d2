/** Makes the frame of the books: accounts, fiscal years, coverage, bases, budgets, disposals, presentation. */
import { firstDay, lastDay, later, monthOf } from '../../contract/calendar.ts'
import { listed } from '../../contract/listed.ts'
import { BASES, type Basis, isProfitAndLoss } from '../../contract/vocabulary.ts'
import type { Database } from '../../database/database.ts'
import type { Rows } from '../../ingest/format/column-rows.ts'
import type { Intake } from '../../ingest/format/intake.ts'
import type { Company } from '../../workspace/company.ts'
import { error, type Finding, hasErrors } from '../../workspace/findings/finding.ts'
import { COMPANY_FILE } from '../../workspace/workspace.ts'
import { areKindsKnown, isSound } from '../check/after-errors.ts'
import {
  type BudgetFigure,
  type BudgetUses,
  budgetFigures,
  budgetOf,
  budgetResults,
  usesOf,
} from '../post/budget-figures.ts'
import { commentaryOf } from '../post/commentary.ts'
import { type MetricValues, metricValues } from '../post/metric-values.ts'
import { basisName } from '../read/codes.ts'
import type { Keys, LedgerKeys } from '../read/key-sql.ts'
import { canGoOn, type Lines, type Making, reportContradictions } from '../read/read-lines.ts'
import {
  budgetYearsOf,
  fiscalMonthEndOf,
  fiscalYearFindings,
  fiscalYearOf,
  fiscalYearsBetween,
  unlistedYearFindings,
} from './fiscal.ts'
import { accountAt, accountsOf, type Frame } from './frame.ts'
import { frameFindings, lateLockFindings } from './frame-findings.ts'
import { layoutOf } from './layout.ts'
import type { Presentation } from './presentation.ts'

export interface Framed {
  readonly frame: Frame
  readonly budgetFigures: Rows<BudgetFigure>
  readonly metricValues: MetricValues
}

/** Makes the frame and its figures. Returns null where too little could be read; the findings say why. */
export async function makeFrame(making: Making, lines: Lines): Promise<Framed | null> {
  const { db, company, intake, keys, files, statedYears, findings } = making
  const budgets = budgetFigures(company, keys, intake.budgets)
  const metrics = metricValues(keys, intake.metrics)
  findings.push(...budgets.findings, ...metrics.findings)
  findings.push(...fiscalYearFindings(statedYears, 'company.yaml'))
  const span = await ledgerSpan(db)
  if (span === null && !hasErrors(findings))
    findings.push(
      error('no-transactions', 'the ledger files hold no transactions', {
        file: files[0] ?? null,
        remedy: 'export the ledger with its postings, not only balances',
      }),
    )
  if (span === null || !canGoOn(making, lines)) {
    reportContradictions(making, lines)
    return null
  }
  const frame = await frameOf(making, span, { budgetFigures: budgets.figures, metricValues: metrics.values })
  if (areKindsKnown(findings))
    findings.push(...frameFindings(frame, isSound(findings, intake.sources, 'budget')))
  if (!canGoOn(making, lines)) {
    reportContradictions(making, lines)
    return null
  }
  return { frame, budgetFigures: budgets.figures, metricValues: metrics.values }
}

/** The first and last posting date (`YYYY-MM-DD`), and the bases with postings. Openings are left out. */
interface LedgerSpan {
  readonly from: string
  readonly to: string
  readonly bases: readonly Basis[]
}

async function frameOf(making: Making, span: LedgerSpan, figures: Omit<Framed, 'frame'>): Promise<Frame> {
  const { db, company, intake, keys, closedThrough, accountRows, classes, departments, findings } = making
  const { fiscalYears, endDate } = yearsOf(making, span)
  const [firstYear] = fiscalYears
  const lastYear = fiscalYears.at(-1)
  if (!firstYear || !lastYear) throw new Error(`no fiscal year holds ${span.from}`)
  const uses = usesOf(figures.budgetFigures)
  const accounts = accountsOf(accountRows, await accountsWithFigures(db, keys, intake, uses))
  const coverage = { startDate: firstDay(monthOf(firstYear.start)), endDate }
  const disposals = disposalAccounts(company.disposals?.gainsAndLosses ?? [], accounts, keys.accounts)
  findings.push(...disposals.findings)
  const years = { fiscalYears, fiscalMonthEnd: fiscalMonthEndOf(lastYear, company.fiscalMonthEnd) }
  const budgets = budgetsOf(making, accounts, uses, figures.metricValues)
  return {
    companyId: company.id,
    name: company.name,
    currency: company.currency,
    fiscalMonthEnd: years.fiscalMonthEnd,
    accounts,
    classes,
    departments,
    // In the order of earlier versions: where nothing else differs, the file is the same.
    fiscalYears,
    ...budgetYearsOf(years, budgets, making.statedYears, company.fiscalMonthEnd),
    coverage,
    bases: span.bases,
    basisSources: Object.fromEntries(
      span.bases.map((basis) => [basis, basis === 'ACCRUAL' ? 'Books' : 'Exported']),
    ),
    budgets,
    metrics: intake.metricDefinitions,
    lockedThrough: closedThrough,
    disposals: disposals.codes,
    ...overdraftsOf(making),
    ...(intake.consolidation && { consolidation: intake.consolidation }),
    ...presentationOf(making, accounts, coverage),
  }
}

/** The codes of the gain and loss accounts that company.yaml names. Names that are not P&L accounts become findings. */
function disposalAccounts(
  named: readonly string[],
  accounts: Frame['accounts'],
  keys: Keys,
): { codes: number[]; findings: Finding[] } {
  const codes: number[] = []
  const findings: Finding[] = []
  for (const [i, id] of named.entries()) {
    const code = keys.get(id)
    if (code != null && isProfitAndLoss(accountAt({ accounts }, code).classification)) codes.push(code)
    else
      findings.push(
        error('unknown-account', `"${id}" is not an income or expense account of the chart`, {
          file: COMPANY_FILE,
          column: `disposals.gainsAndLosses.${i}`,
          text: id,
          remedy: 'name the accounts that gains and losses on disposals are booked to',
        }),
      )
  }
  return { codes, findings }
}

/** The accounts that company.yaml names as overdrafts; the chart has reported names that it does not know. */
function overdraftsOf({ company, keys, rules }: Making): Pick<Frame, 'overdrafts'> {
  const codes = (company.overdrafts ?? []).flatMap((id) => keys.accounts.get(id) ?? [])
  return rules === 2 || codes.length === 0 ? {} : { overdrafts: codes }
}

/** How the company wants its statements shown. The member is absent where it states nothing. */
function presentationOf(
  { company, intake, findings }: Making,
  accounts: Frame['accounts'],
  coverage: Frame['coverage'],
): Pick<Frame, 'presentation'> {
  const laidOut = company.layout && layoutOf(company.layout, accounts)
  const said = commentaryOf(intake.commentary, { accounts, coverage, layout: laidOut?.layout })
  findings.push(...(laidOut?.findings ?? []), ...said.findings, ...unknownMetrics(company, intake))
  const brand = company.brand && {
    ...(company.brand.colour && { colour: company.brand.colour }),
    ...(intake.logo && { logo: intake.logo }),
  }
  // The classes of a group are its members.
  const words = company.group ? { class: 'member', ...company.words } : company.words
  const presentation: Presentation = {
    ...(laidOut && { layout: laidOut.layout }),
    ...(company.numbers && { numbers: company.numbers }),
    ...(words && { words }),
    ...(company.ratios && { ratios: company.ratios }),
    ...(brand && { brand }),
    ...(said.commentary.length > 0 && { commentary: said.commentary }),
  }
  return Object.keys(presentation).length === 0 ? {} : { presentation }
}

/** Metrics that `ratios` names and nobody defines. */
function unknownMetrics({ ratios }: Company, { metricDefinitions }: Intake): Finding[] {
  const known = new Set(metricDefinitions.map(({ id }) => id))
  return (['incomePer', 'beside'] as const).flatMap((key) =>
    Object.keys(ratios?.[key] ?? {})
      .filter((id) => !known.has(id))
      .map((id) =>
        error('ratio-metric', `"${id}" is no metric of the company`, {
          file: COMPANY_FILE,
          column: `ratios.${key}.${id}`,
          text: id,
          remedy: `name one of ${listed([...known], 8) || 'the metrics under "nonFinancial", which has none'}`,
        }),
      ),
  )
}

/** The fiscal years and the end of the coverage: the end of the last month that has postings or is closed. */
function yearsOf(
  { company, statedYears, closedThrough, findings }: Making,
  span: LedgerSpan,
): { fiscalYears: Frame['fiscalYears']; endDate: string } {
  const last = later(closedThrough, span.to) ?? span.to
  const covered = { startDate: span.from, endDate: lastDay(monthOf(last)) }
  const { startDate, endDate } = covered
  const fiscalYears = fiscalYearsBetween(startDate, endDate, statedYears, company.fiscalMonthEnd)
  const lastPosted = fiscalYearOf(fiscalYears, span.to)
  if (!lastPosted) throw new Error(`no fiscal year holds ${span.to}`)
  findings.push(
    ...unlistedYearFindings(statedYears, covered, 'company.yaml'),
    ...lateLockFindings(company.lockDate, lastDay(monthOf(lastPosted.end)), span.to),
  )
  return { fiscalYears, endDate }
}

function budgetsOf(
  { company, intake, keys, findings }: Making,
  accounts: Frame['accounts'],
  uses: BudgetUses,
  metricValues: MetricValues,
): Frame['budgets'] {
  const results = budgetResults(company, keys, accounts, uses)
  findings.push(...results.findings)
  const declared = [...(company.budgets ?? []), ...intake.budgets]
  const months = new Map(declared.map(({ id }) => [id, new Set(uses.get(id)?.months)]))
  for (const { budget, date } of metricValues) if (budget !== null) months.get(budget)?.add(monthOf(date))
  return [...new Map(declared.map((budget) => [budget.id, budget.name]))].map(([id, name]) =>
    budgetOf({ id, name, ...results.of(id) }, months.get(id) ?? new Set()),
  )
}

async function accountsWithFigures(
  db: Database,
  keys: LedgerKeys,
  intake: Intake,
  uses: BudgetUses,
): Promise<Set<number>> {
  const used = await db.rows<{ account: number }>(
    'SELECT DISTINCT account FROM line WHERE account IS NOT NULL',
  )
  return new Set([
    ...used.map((row) => row.account),
    ...intake.openings.flatMap((row) => keys.accounts.get(row.account) ?? []),
    ...[...uses.values()].flatMap(({ accounts }) => [...accounts]),
  ])
}

async function ledgerSpan(db: Database): Promise<{ from: string; to: string; bases: Basis[] } | null> {
  const [span] = await db.rows<{ from: string | null; to: string | null }>(
    `SELECT min(day)::VARCHAR AS from, max(day)::VARCHAR AS to FROM line WHERE NOT opening`,
  )
  if (!span?.from || !span.to) return null
  const bases = (
    await db.rows<{ basis: number }>(
      'SELECT DISTINCT basis FROM line WHERE NOT opening AND basis IS NOT NULL',
    )
  ).map((row) => basisName(row.basis))
  return { from: span.from, to: span.to, bases: BASES.filter((basis) => bases.includes(basis)) }
}
