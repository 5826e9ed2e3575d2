/** A published statement, read back as exact figures: integers of minor units, in the signs in which it was published. */
import { currencyDecimals, minorFromJson } from '../contract/currency.ts'
import type { MetricScope, StatementScope } from '../contract/document.ts'
import { nonFinancial, statements } from '../contract/schemas.ts'
import type { Section } from '../contract/vocabulary.ts'
import { SnapshotDamagedError } from '../snapshot/damage.ts'
import { metricsPath, statementPath } from '../snapshot/layout.ts'

/** The documents of a snapshot, by path. */
export interface Documents {
  /** Of the snapshot; for messages. */
  readonly id: string
  has(path: string): boolean
  read(path: string): Promise<Buffer>
}

/** One figure for each month of the statement; null where a budget states none. */
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
  /** By the id of the account, in the order of the statement. */
  readonly rows: ReadonlyMap<string, PublishedRow>
  /** By the name of the total, such as `GrossProfit`. */
  readonly totals: ReadonlyMap<string, MonthlyFigures>
}

/** Null where nothing was published of that scope. Throws {@link SnapshotDamagedError} where the file is not as published. */
export async function readPublished(
  documents: Documents,
  scope: StatementScope,
): Promise<PublishedStatement | null> {
  const path = statementPath(scope)
  if (!documents.has(path)) return null
  const parsed = statements[scope.statement].safeParse(
    JSON.parse((await documents.read(path)).toString('utf8')),
  )
  if (!parsed.success)
    throw new SnapshotDamagedError(
      `${path} of ${documents.id} is not a statement: ${parsed.error.issues[0]?.message}`,
    )
  const { Currency, Periods, Data, Summary } = parsed.data
  const decimals = currencyDecimals(Currency)
  const exact = (values: readonly (number | null)[]): MonthlyFigures =>
    values.map((value) => (value === null ? null : minorFromJson(value, decimals)))
  return {
    scope,
    months: Periods.map(({ Month }) => Month),
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
  }
}

export interface PublishedMetrics {
  /** `YYYY-MM`, without a gap. */
  readonly months: readonly string[]
  /** By the id of the metric, a value for each month; null where there is none, which is not zero. */
  readonly values: ReadonlyMap<string, readonly (number | null)[]>
}

/** Null where nothing was published of that scope. Throws {@link SnapshotDamagedError} where the file is not as published. */
export async function readPublishedMetrics(
  documents: Documents,
  scope: MetricScope,
): Promise<PublishedMetrics | null> {
  const path = metricsPath(scope)
  if (!documents.has(path)) return null
  const parsed = nonFinancial.safeParse(JSON.parse((await documents.read(path)).toString('utf8')))
  if (!parsed.success)
    throw new SnapshotDamagedError(
      `${path} of ${documents.id} does not hold metrics: ${parsed.error.issues[0]?.message}`,
    )
  const { Periods, Data } = parsed.data
  return {
    months: Periods.map(({ Month }) => Month),
    values: new Map(Data.map(({ NonFinancialId, Values }) => [NonFinancialId, Values])),
  }
}
