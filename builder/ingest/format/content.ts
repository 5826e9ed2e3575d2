/**
 * What ledger formats provide beside entries: accounts, years, openings, budgets; and how several ledger entries of
 * company.yaml are joined.
 */
import type { BudgetInput, Intake, MetricRow } from './intake.ts'

/** What the importer of a format returns for the files of one ledger entry. */
export type FormatContent = Omit<
  Intake,
  'metrics' | 'trialBalances' | 'reports' | 'commentary' | 'logo' | 'priorYearsLine'
> & { readonly metrics: readonly MetricRow[] }

/** Empty content, for what a format does not provide. */
export const NO_CONTENT: FormatContent = {
  accounts: [],
  classes: [],
  departments: [],
  fiscalYears: [],
  ledger: [],
  openings: [],
  statesOpenings: false,
  priorResults: [],
  controls: [],
  totals: [],
  budgets: [],
  metricDefinitions: [],
  metrics: [],
  closingAccounts: [],
  openingJournals: [],
  closingTypes: [],
  sources: [],
  unread: [],
  differing: [],
  findings: [],
}

/** Joins the content of several ledger entries, none of which is a group. Where two declare an account or member, the later one counts. */
export function joinContent(contents: readonly FormatContent[]): FormatContent {
  const all = <Key extends Exclude<keyof FormatContent, 'statesOpenings' | 'consolidation'>>(
    key: Key,
  ): FormatContent[Key][number][] =>
    contents.flatMap((content): readonly FormatContent[Key][number][] => content[key])
  const latest = <Row>(rows: readonly Row[], keyOf: (row: Row) => string) => [
    ...new Map(rows.map((row) => [keyOf(row), row])).values(),
  ]
  return {
    accounts: latest(all('accounts'), ({ id }) => id),
    classes: latest(all('classes'), ({ id }) => id),
    departments: latest(all('departments'), ({ id }) => id),
    fiscalYears: latest(all('fiscalYears'), ({ start, end }) => `${start} ${end}`),
    ledger: all('ledger'),
    openings: all('openings'),
    statesOpenings: contents.some(({ statesOpenings }) => statesOpenings),
    priorResults: all('priorResults'),
    controls: all('controls'),
    totals: all('totals'),
    budgets: joinBudgets(all('budgets')),
    metricDefinitions: latest(all('metricDefinitions'), ({ id }) => id),
    metrics: all('metrics'),
    closingAccounts: [...new Set(all('closingAccounts'))],
    openingJournals: [...new Set(all('openingJournals'))],
    closingTypes: [...new Set(all('closingTypes'))],
    sources: all('sources'),
    unread: all('unread'),
    differing: all('differing'),
    findings: all('findings'),
  }
}

function joinBudgets(budgets: readonly BudgetInput[]): BudgetInput[] {
  const joined = new Map<string, BudgetInput>()
  for (const budget of budgets) {
    const known = joined.get(budget.id)
    joined.set(budget.id, known === undefined ? budget : { ...known, rows: [...known.rows, ...budget.rows] })
  }
  return [...joined.values()]
}
