/** The parts of each statement as data: sections in the reader's order, what they are called, and the totals that follow them. */
import type { Section, StatementName } from '../contract/vocabulary.ts'
import type { ReportLine, Total } from './groups.ts'

/** What a part of a statement is called, and the totals that follow it. */
interface Part {
  readonly section: Section
  readonly heading: string
  readonly better: ReportLine['better']
  /** The total of the section itself, which is left out where the section is empty. */
  readonly total: Total | null
  readonly totals: readonly Total[]
}

const PROFIT_AND_LOSS: readonly Part[] = [
  {
    ...{ section: 'Income', heading: 'Income', better: 'more' },
    total: ['TotalIncome', 'more'],
    totals: [],
  },
  {
    section: 'CostOfSales',
    heading: 'Cost of sales',
    better: 'less',
    total: ['TotalCostOfSales', 'less'],
    totals: [['GrossProfit', 'more']],
  },
  {
    section: 'Expense',
    heading: 'Expenses',
    better: 'less',
    total: ['TotalExpense', 'less'],
    totals: [['OperatingIncome', 'more']],
  },
  {
    section: 'OtherIncome',
    heading: 'Other income',
    better: 'more',
    total: ['TotalOtherIncome', 'more'],
    totals: [],
  },
  {
    section: 'OtherExpense',
    heading: 'Other expenses',
    better: 'less',
    total: ['TotalOtherExpense', 'less'],
    totals: [['NetIncome', 'more']],
  },
]

const BALANCE_SHEET: readonly Part[] = [
  {
    section: 'Asset',
    heading: 'Assets',
    better: null,
    total: null,
    totals: [['TotalAssets', null]],
  },
  {
    section: 'Liability',
    heading: 'Liabilities',
    better: null,
    total: null,
    totals: [['TotalLiabilities', null]],
  },
  {
    section: 'Equity',
    heading: 'Equity',
    better: null,
    total: null,
    totals: [
      ['TotalEquity', null],
      ['TotalLiabilitiesAndEquity', null],
    ],
  },
]

const CASH_FLOW: readonly Part[] = [
  {
    section: 'Operating',
    heading: 'Operating activities',
    better: 'more',
    total: null,
    totals: [['NetCashFromOperating', 'more']],
  },
  {
    section: 'Investing',
    heading: 'Investing activities',
    better: 'more',
    total: null,
    totals: [['NetCashFromInvesting', 'more']],
  },
  {
    section: 'Financing',
    heading: 'Financing activities',
    better: 'more',
    total: null,
    totals: [
      ['NetCashFromFinancing', 'more'],
      ['NetChangeInCash', 'more'],
      ['BeginningCash', null],
      ['EndingCash', 'more'],
    ],
  },
]

export const PARTS: Readonly<Record<StatementName, readonly Part[]>> = {
  ProfitAndLoss: PROFIT_AND_LOSS,
  BalanceSheet: BALANCE_SHEET,
  CashFlow: CASH_FLOW,
}
