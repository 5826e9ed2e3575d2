/**
 * Reads published documents back: statements as exact figures in the signs in which they were published, metrics, the
 * company and its budgets. Each is parsed by the schema of the interface that it was written for.
 */
import type { z } from 'zod'
import { currencyDecimals } from '../../contract/currency.ts'
import type { MetricScope, Period, StatementScope } from '../../contract/document.ts'
import { parseMetrics } from '../../contract/encode.ts'
import {
  budgets,
  chartOfAccounts,
  companyInfo,
  nonFinancial,
  notStated,
  statements,
  withoutCash,
} from '../../contract/schemas.ts'
import type { NotStatedReason, Section } from '../../contract/vocabulary.ts'
import { publishedMinor, SnapshotDamagedError } from './damage.ts'
import { dividedPath, INFO, listPath, metricsPath, statementPath } from './layout.ts'

export interface Documents {
  /** Id of the snapshot, for messages. */
  readonly id: string
  has(path: string): boolean
  read(path: string): Promise<Buffer>
}

/** One figure in minor units for each month of the statement; null where a budget states none. */
export type MonthlyFigures = readonly (number | null)[]

export interface PublishedRow {
  readonly accountId: string
  readonly number: string
  readonly name: string
  readonly section: Section
  readonly figures: MonthlyFigures
}

export interface PublishedStatement {
  readonly scope: StatementScope
  /** `YYYY-MM`, without a gap. */
  readonly months: readonly string[]
  readonly periods: readonly Period[]
  /** Rows by the id of the account, in the order of the statement. */
  readonly rows: ReadonlyMap<string, PublishedRow>
  /** Totals by their names, such as `GrossProfit`. */
  readonly totals: ReadonlyMap<string, MonthlyFigures>
  /** By month, why the cash flow of a budget has no figure. */
  readonly notStated: ReadonlyMap<string, { readonly reason: NotStatedReason; readonly detail: string }>
  /** What entries without cash would have added to these sections of the cash flow. */
  readonly withoutCash: ReadonlyMap<Section, MonthlyFigures>
  /** The parts of the months that a fiscal year divides; absent where there are none. */
  readonly parts?: PublishedStatement
}

/** Null where nothing was published of that scope. Throws {@link SnapshotDamagedError} where the file is not as published. */
export async function readPublishedStatement(
  documents: Documents,
  scope: StatementScope,
  path = statementPath(scope),
): Promise<PublishedStatement | null> {
  if (!documents.has(path)) return null
  const { Currency, Periods, NotStated, WithoutCash, Data, Summary } = await readDocument(
    documents,
    path,
    statements[scope.statement],
    'a statement',
  )
  const decimals = currencyDecimals(Currency)
  const exact = (values: readonly (number | null)[]): MonthlyFigures =>
    values.map((value) => (value === null ? null : publishedMinor(value, decimals, path)))
  return {
    scope,
    months: Periods.map(({ Month }) => Month),
    periods: Periods.map(({ Month, StartDate, EndDate }) => ({
      ...{ month: Month, startDate: StartDate, endDate: EndDate },
    })),
    rows: new Map(
      Data.map((row) => [
        row.AccountId,
        {
          accountId: row.AccountId,
          number: row.AccountNumber,
          name: row.AccountName,
          section: row.Section,
          figures: exact(row.Values),
        },
      ]),
    ),
    totals: new Map(Summary.map(({ Name, Values }) => [Name, exact(Values)])),
    withoutCash: new Map(
      withoutCash.parse(WithoutCash ?? []).map(({ Section, Values }) => [Section, exact(Values)]),
    ),
    notStated: new Map(
      notStated
        .parse(NotStated ?? [])
        .map(({ Month, Reason, Detail }) => [Month, { reason: Reason, detail: Detail }]),
    ),
  }
}

/**
 * As {@link readPublishedStatement}, with the parts of divided months, and with a row for each account that only these
 * parts have: its amounts in a month cancel each other.
 */
export async function readPublishedInParts(
  documents: Documents,
  scope: StatementScope,
): Promise<PublishedStatement | null> {
  const whole = await readPublishedStatement(documents, scope)
  const parts = whole && (await readPublishedStatement(documents, scope, dividedPath(scope)))
  if (!parts) return whole
  const zeros = whole.months.map(() => 0)
  const rows = new Map(whole.rows)
  for (const [id, row] of parts.rows) if (!rows.has(id)) rows.set(id, { ...row, figures: zeros })
  return { ...whole, rows, parts }
}

export interface PublishedMetrics {
  /** `YYYY-MM`, without a gap. */
  readonly months: readonly string[]
  /** By the id of the metric, a value for each month as decimal text; null where there is none, which is not zero. */
  readonly values: ReadonlyMap<string, readonly (string | null)[]>
}

/** Null where nothing was published of that scope. Throws {@link SnapshotDamagedError} where the file is not as published. */
export async function readPublishedMetrics(
  documents: Documents,
  scope: MetricScope,
): Promise<PublishedMetrics | null> {
  const path = metricsPath(scope)
  if (!documents.has(path)) return null
  const { Periods } = await readDocument(documents, path, nonFinancial, 'a document of metrics')
  const { Data } = parseMetrics((await documents.read(path)).toString('utf8'))
  return {
    months: Periods.map(({ Month }) => Month),
    values: new Map(Data.map(({ NonFinancialId, Values }) => [NonFinancialId, Values])),
  }
}

/** The company's name, as the snapshot publishes it. Throws {@link SnapshotDamagedError}. */
export const readCompanyName = async (documents: Pick<Documents, 'id' | 'read'>): Promise<string> =>
  (await readDocument(documents, INFO, companyInfo, 'a description of a company')).Name

type ChartEntry = z.output<typeof chartOfAccounts>['Data'][number]

/** The chart of accounts of a snapshot, computed rows included. Throws {@link SnapshotDamagedError}. */
export async function readPublishedChart(documents: Pick<Documents, 'id' | 'read'>): Promise<ChartEntry[]> {
  const schema = chartOfAccounts.pick({ Data: true })
  return (await readDocument(documents, listPath('chart-of-accounts'), schema, 'a chart of accounts')).Data
}

/** Ids of the budgets of a snapshot. Throws {@link SnapshotDamagedError}. */
export async function readBudgetIds(documents: Pick<Documents, 'id' | 'read'>): Promise<string[]> {
  // The published file holds the whole list; only the server's answers have the members of a page.
  const { Data } = await readDocument(
    documents,
    listPath('budgets'),
    budgets.pick({ Data: true }),
    'a list of budgets',
  )
  return Data.map(({ Id }) => Id)
}

async function readDocument<T>(
  documents: Pick<Documents, 'id' | 'read'>,
  path: string,
  schema: z.ZodType<T>,
  what: string,
): Promise<T> {
  const refuse = (why: string): never => {
    throw new SnapshotDamagedError(
      `${path} of snapshot ${documents.id} is not ${what}: ${why}; verify the snapshot, and read it with the version that published it`,
    )
  }
  const text = (await documents.read(path)).toString('utf8')
  let found: unknown
  try {
    found = JSON.parse(text)
  } catch {
    return refuse('it is not JSON')
  }
  const { success, data, error } = schema.safeParse(found)
  if (success) return data
  const [issue] = error.issues
  return refuse(issue === undefined ? 'it has another form' : `${issue.path.join('.')}: ${issue.message}`)
}
