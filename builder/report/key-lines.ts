/**
 * Figures that readers look for and that no statement has as a line: below it, as sums and differences of its published rows. The
 * types of the accounts say which rows these are.
 */
import type { Account } from '../books/reference/frame.ts'
import type { StatementName } from '../contract/vocabulary.ts'
import type { PublishedRow } from '../snapshot/files/documents.ts'
import { heading, type ReportLine, resultOf } from './groups.ts'
import type { FigureSource } from './source.ts'
import { termsOf } from './terms.ts'

type StructureSource = Pick<FigureSource, 'frame' | 'layout' | 'hasChart'>
type Chart = ReadonlyMap<string, Account>
const typeOf = ({ accountId }: PublishedRow, chart: Chart): string => chart.get(accountId)?.type ?? ''

const idsOf = (rows: readonly PublishedRow[]): string[] => rows.map(({ accountId }) => accountId)

const sumLine = (
  id: string,
  label: string,
  of: { readonly accounts: readonly string[]; readonly less?: readonly string[] },
): ReportLine => ({
  ...{ id, kind: 'subtotal', depth: 1, number: '', label },
  ...{ measure: 'sum', better: 'more', of },
})

/** What stands below a statement with its heading; nothing where no account has the type that a figure needs. */
export function keyLines(
  statement: StatementName,
  rows: readonly PublishedRow[],
  chart: Chart,
  source: StructureSource,
): ReportLine[] {
  const lines = KEY_LINES[statement](rows, chart, source)
  return lines.length === 0 ? [] : [heading('key-figures', 'Key figures', 0), ...lines]
}

const KEY_LINES: Readonly<
  Record<
    StatementName,
    (rows: readonly PublishedRow[], chart: Chart, source: StructureSource) => ReportLine[]
  >
> = {
  ProfitAndLoss: beforeTax,
  BalanceSheet: workingCapital,
  CashFlow: freeCashFlow,
}

function beforeTax(rows: readonly PublishedRow[], chart: Chart): ReportLine[] {
  const others = rows.filter((row) => typeOf(row, chart) !== 'IncomeTax')
  if (others.length === rows.length) return []
  return [sumLine('before-tax', 'Profit before income tax', resultOf(others))]
}

export const CURRENT_ASSETS = 'current-assets'
export const CURRENT_LIABILITIES = 'current-liabilities'

function workingCapital(rows: readonly PublishedRow[], _: Chart, source: StructureSource): ReportLine[] {
  const terms = source.layout < 3 ? '' : termsOf(rows, source)
  if (typeof terms === 'string') return []
  const { assets, liabilities } = terms
  return [
    sumLine(CURRENT_ASSETS, 'Current assets', { accounts: assets }),
    sumLine(CURRENT_LIABILITIES, 'Current liabilities', { accounts: liabilities }),
    sumLine('working-capital', 'Working capital', { accounts: assets, less: liabilities }),
  ].map((line) => ({ ...line, measure: 'last', better: null }))
}

/** Payables are among investing activities where they are for property. */
function freeCashFlow(rows: readonly PublishedRow[], chart: Chart): ReportLine[] {
  const operating = rows.filter(({ section }) => section === 'Operating')
  const spent = rows.filter(
    (row) => row.section === 'Investing' && ['FixedAsset', 'AccountsPayable'].includes(typeOf(row, chart)),
  )
  if (spent.length === 0) return []
  return [
    sumLine('capital-expenditure', 'Capital expenditure', { accounts: idsOf(spent) }),
    sumLine('free-cash-flow', 'Free cash flow', { accounts: idsOf([...operating, ...spent]) }),
  ]
}
