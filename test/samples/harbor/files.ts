/** All files of `datasets/harbor`. */
import { readFileSync } from 'node:fs'
import { yearOf } from '../calendar.ts'
import { ledgerCsv } from '../csv.ts'
import type { Transaction } from '../journal.ts'
import { operatingBudget, revisedForecast } from './budgets.ts'
import { chartCsv, classesCsv, departmentsCsv } from './chart.ts'
import { keepBooks } from './ledger.ts'
import { dailyMetrics, monthlyMetrics, targets2026 } from './metrics.ts'

export async function harborFiles(): Promise<Record<string, string | Uint8Array>> {
  const { accrual, cash, world } = keepBooks()
  return {
    'company.yaml': readFileSync(new URL('company.yaml', import.meta.url)),
    'chart-of-accounts.csv': chartCsv(),
    'classes.csv': classesCsv(),
    'departments.csv': departmentsCsv(),
    ...byYear('accrual', accrual, true),
    ...byYear('cash', cash, false),
    'budgets/operating-2026.xlsx': await operatingBudget(accrual),
    'budgets/forecast-2026-09.xlsx': await revisedForecast(accrual),
    'metrics/monthly.xlsx': await monthlyMetrics(world),
    'metrics/daily.xlsx': await dailyMetrics(),
    'metrics/targets-2026.xlsx': await targets2026(),
  }
}

function byYear(basis: string, transactions: readonly Transaction[], links: boolean): Record<string, string> {
  const years = [...new Set(transactions.map(({ date }) => yearOf(date)))]
  return Object.fromEntries(
    years.map((year) => [
      `ledger/${basis}-${year}.csv`,
      ledgerCsv(
        transactions.filter(({ date }) => yearOf(date) === year),
        { links },
      ),
    ]),
  )
}
