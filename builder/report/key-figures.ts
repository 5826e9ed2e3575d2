/** The figures that show at a glance how a company does: net income, cash and total assets of the last month, beside the month before. */
import { currencyDecimals, formatMinor } from '../contract/currency.ts'
import { BASES, type Basis, type StatementName, type SummaryName } from '../contract/vocabulary.ts'
import { type MonthlyFigures, readPublishedStatement } from '../snapshot/files/documents.ts'
import type { Snapshot } from '../snapshot/files/open.ts'

/** A figure of the whole company in the last month of a snapshot, and in the month before. */
export interface KeyFigure {
  readonly name: SummaryName
  readonly basis: Basis
  /** `YYYY-MM` */
  readonly month: string
  /** Decimal text. */
  readonly value: string
  readonly before: string | null
}

const KEY_FIGURES: readonly (readonly [StatementName, SummaryName])[] = [
  ['ProfitAndLoss', 'NetIncome'],
  ['CashFlow', 'EndingCash'],
  ['BalanceSheet', 'TotalAssets'],
]

/** Reads the figures of every basis of the snapshot, accrual first. Throws SnapshotDamagedError where a statement is not as published. */
export async function keyFigures(snapshot: Snapshot): Promise<KeyFigure[]> {
  const decimals = currencyDecimals(snapshot.manifest.Currency)
  const text = (figures: MonthlyFigures, at: number): string | null => {
    const figure = figures.at(at) ?? null
    return figure === null ? null : formatMinor(figure, decimals)
  }
  const figures: KeyFigure[] = []
  for (const basis of BASES)
    for (const [statement, name] of KEY_FIGURES) {
      const scope = { statement, basis, budgetId: null, classId: null, departmentId: null }
      const published = await readPublishedStatement(snapshot, scope)
      const month = published?.months.at(-1)
      const values = published?.totals.get(name)
      const value = values && text(values, -1)
      if (month && values && value) figures.push({ name, basis, month, value, before: text(values, -2) })
    }
  return figures
}
