/**
 * The cash flow of entries of every kind about assets, loans and equity (cash-flow-cases.yaml), against figures worked by hand. All stand in
 * one company, each in months of its own.
 */
import { readFileSync } from 'node:fs'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { monthText } from '../../builder/contract/calendar.ts'
import { suite } from '../suite.ts'
import { buildWith, companyYaml, ledgerCsv } from '../support/workspace.ts'

const test = suite('cash-flow-cases')

type Totals = readonly [operating: number, investing: number, financing: number]
interface Case {
  readonly is: string
  readonly lines: string
  readonly right: Totals
  readonly told?: Totals
  readonly merged?: Totals
}

const groups = parse(readFileSync(new URL('cash-flow-cases.yaml', import.meta.url), 'utf8')) as Record<
  string,
  readonly Case[]
>
const CASES = Object.entries(groups).flatMap(([group, cases]) =>
  cases.map((each) => ({ ...each, name: `${group} ${each.is}` })),
)
const START = 2005 * 12

const CHART = `id,name,classification,type,cash_flow
bank,Bank,Asset,Bank,
debtors,Debtors,Asset,AccountsReceivable,
stock,Stock,Asset,Inventory,
prepaid,Prepaid,Asset,OtherCurrentAsset,
clearing,Clearing,Asset,OtherCurrentAsset,
called,Capital called,Asset,OtherCurrentAsset,
buyer,Due from buyers of assets,Asset,OtherCurrentAsset,Investing
deposit,Deposits on assets,Asset,OtherAsset,
lent,Loans to buyers,Asset,OtherAsset,
shares,Securities,Asset,OtherAsset,
building,Under construction,Asset,FixedAsset,
plant,Plant,Asset,FixedAsset,
van,Vans,Asset,FixedAsset,
land,Land,Asset,FixedAsset,
leased,Leased,Asset,FixedAsset,
accdep,Depreciation of plant,Asset,AccumulatedDepreciation,
vandep,Depreciation of vans,Asset,AccumulatedDepreciation,
creditors,Creditors,Liability,AccountsPayable,
builders,Due to builders,Liability,AccountsPayable,Investing
card,Card,Liability,CreditCard,
vat,Sales tax,Liability,SalesTax,
accrued,Accrued,Liability,OtherCurrentLiability,
taxdue,Tax due,Liability,OtherCurrentLiability,Operating
owed,Dividends owed,Liability,OtherCurrentLiability,Financing
deferred,Deferred tax,Liability,LongTermLiability,Operating
overdraft,Overdraft,Liability,Bank,
loan,Loan,Liability,LongTermLiability,
loan2,Another loan,Liability,LongTermLiability,
lease,Lease,Liability,LongTermLiability,
capital,Capital,Equity,Capital,
drawings,Drawings,Equity,Drawings,
reserve,Reserve,Equity,OtherEquity,
revaluation,Revaluation,Equity,OtherEquity,
retained,Retained earnings,Equity,RetainedEarnings,
sales,Sales,Income,Sales,
wages,Wages,Expense,Expense,
rent,Rent,Expense,Expense,
dep,Depreciation,Expense,Depreciation,
interest,Interest,OtherExpense,OtherExpense,
gain,Gains on disposals,OtherIncome,OtherIncome,
loss,Losses on disposals,OtherExpense,OtherExpense,
other,Other income,OtherIncome,OtherIncome,
bookvalue,Written off,OtherExpense,OtherExpense,
tax,Income tax,OtherExpense,IncomeTax,
`

/** What else a month has, and its operating cash flow. */
const ORDINARY =
  'debtors 300, sales -300; bank 250, debtors -250; wages 200, bank -200; dep 40, accdep -40; rent 90, creditors -90; creditors 80, bank -80'
const ORDINARY_FLOW = -30

/** Each case in two months: as it is, and with all that the month has in one entry. */
const MONTHS = CASES.flatMap(({ name, lines, right, told = right, merged = told }, i) => [
  { name, month: monthText(START + 2 * i), lines, wanted: told, id: (n: number) => `e${n}` },
  {
    name: `${name}, in one entry with its month`,
    month: monthText(START + 2 * i + 1),
    lines: `${lines}; ${ORDINARY}`,
    wanted: [merged[0] + ORDINARY_FLOW, merged[1], merged[2]],
    id: () => 'e',
  },
])

test('what entries are on the cash flow', async () => {
  const rows = MONTHS.flatMap(({ month, lines, id }) =>
    lines
      .split('; ')
      .flatMap((entry, n) => entry.split(', ').map((line) => `${month}/${id(n)} ${month}-15 ${line}`)),
  )
  const files = {
    'company.yaml': companyYaml('disposals: { gainsAndLosses: [gain, loss] }\noverdrafts: [overdraft]\n'),
    'chart.csv': CHART,
    'ledger.csv': ledgerCsv(rows.join('\n')),
  }
  await buildWith(files, (built) => {
    const { months, totals } = built.statement('CashFlow')
    const wrong = MONTHS.flatMap(({ name, month, wanted }) => {
      const at = months.indexOf(month)
      const found = ['Operating', 'Investing', 'Financing'].map((each) =>
        Number(totals[`NetCashFrom${each}`]![at]),
      )
      return String(found) === String(wanted) ? [] : [`${name}: ${found}, not ${wanted}`]
    })
    assert.is(wrong.join('\n'), '')
  })
})
