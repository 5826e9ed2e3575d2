/** Harbor's chart of accounts and its trees of classes and departments: tables, written as text to be read. */
import {
  type AccountType,
  CLASSIFICATIONS,
  type Classification,
} from '../../../builder/contract/vocabulary.ts'
import { csv } from '../csv.ts'

export interface Account {
  readonly number: string
  readonly name: string
  readonly classification: Classification
  readonly type: AccountType | ''
  readonly parent: string
  readonly cashFlow: string
  readonly isActive: boolean
}

/**
 * Indentation is the hierarchy, a line without `number` opens a classification.
 * `number  name | type | cash flow category | inactive`
 */
const CHART = `
Asset
  1000 Current assets
    1010 Cash and cash equivalents
      1011 Operating account, First Harbor Bank | Bank
      1012 Payroll account, First Harbor Bank | Bank
      1013 Tax reserve account | Bank
      1014 Petty cash, Portland | Bank
      1015 Old operating account, Casco Savings | Bank | | inactive
      1018 Undeposited funds | CashEquivalent
      1019 Money market fund | CashEquivalent
    1100 Receivables
      1110 Accounts receivable, trade | AccountsReceivable
      1130 Employee advances | OtherCurrentAsset
      1190 Allowance for doubtful accounts | OtherCurrentAsset
    1200 Inventories
      1210 Inventory, deck hardware | Inventory
      1220 Inventory, rope and rigging | Inventory
      1230 Inventory, safety equipment | Inventory
      1240 Inventory, marine electronics | Inventory
      1250 Goods in transit | Inventory
      1290 Inventory reserve | OtherCurrentAsset
    1300 Prepaid expenses
      1310 Prepaid insurance | OtherCurrentAsset
      1320 Prepaid rent | OtherCurrentAsset
      1330 Prepaid software | OtherCurrentAsset
      1340 Deposits with suppliers | OtherCurrentAsset
    1420 Income tax receivable | OtherCurrentAsset
    1490 Clearing account | OtherCurrentAsset
  1500 Property and equipment
    1510 Warehouse equipment | FixedAsset
    1520 Vehicles | FixedAsset
    1530 Furniture and fixtures | FixedAsset
    1540 Computer equipment | FixedAsset
    1550 Leasehold improvements | FixedAsset
  1600 Accumulated depreciation
    1610 Accumulated depreciation, warehouse equipment | AccumulatedDepreciation
    1620 Accumulated depreciation, vehicles | AccumulatedDepreciation
    1630 Accumulated depreciation, furniture | AccumulatedDepreciation
    1640 Accumulated depreciation, computers | AccumulatedDepreciation
    1650 Accumulated depreciation, leasehold improvements | AccumulatedDepreciation
  1700 Other assets
    1710 Security deposits | OtherAsset
    1720 Trademarks | OtherAsset
    1729 Accumulated amortization, trademarks | AccumulatedDepreciation
Liability
  2000 Current liabilities
    2010 Payables
      2011 Accounts payable, trade | AccountsPayable
      2012 Accounts payable, capital expenditure | AccountsPayable | Investing
      2019 Goods received, not invoiced | OtherCurrentLiability
    2100 Credit cards
      2110 Company Visa | CreditCard
      2120 Fuel card | CreditCard
    2200 Sales taxes
      2210 Maine sales tax payable | SalesTax
      2220 Massachusetts sales tax payable | SalesTax
      2230 Florida sales tax payable | SalesTax
    2300 Payroll liabilities
      2320 Federal income tax withheld | OtherCurrentLiability
      2330 State income tax withheld | OtherCurrentLiability
      2340 Social security and Medicare payable | OtherCurrentLiability
      2350 401(k) contributions payable | OtherCurrentLiability
      2360 Health insurance payable | OtherCurrentLiability
      2370 Accrued vacation | OtherCurrentLiability
    2400 Accruals and other
      2410 Accrued expenses | OtherCurrentLiability
      2420 Accrued interest | OtherCurrentLiability
      2430 Accrued bonuses | OtherCurrentLiability
      2440 Customer deposits | OtherCurrentLiability
      2460 Income tax payable | OtherCurrentLiability
      2470 Dividends payable | OtherCurrentLiability | Financing
    2480 Current portion of long-term debt | OtherCurrentLiability | Financing
    2490 Line of credit, First Harbor Bank | OtherCurrentLiability | Financing
  2500 Long-term debt
    2510 Term loan, First Harbor Bank | LongTermLiability
    2520 Vehicle loans | LongTermLiability
    2530 Loan from shareholder | LongTermLiability
Equity
  3000 Equity
    3100 Paid-in capital
      3110 Common stock | Capital
      3120 Additional paid-in capital | Capital
    3200 Retained earnings and distributions
      3210 Retained earnings | RetainedEarnings
      3220 Dividends declared | Drawings
    3300 Treasury stock | OtherEquity
    3900 Opening balance equity | OtherEquity
Income
  4000 Revenue
    4100 Product sales
      4110 Sales, deck hardware | Sales
      4120 Sales, rope and rigging | Sales
      4130 Sales, safety equipment | Sales
      4140 Sales, marine electronics | Sales
    4200 Services
      4210 Rigging services | Sales
      4220 Installation services | Sales
      4230 Equipment rental | Sales
    4300 Other revenue
      4310 Shipping charged to customers | Sales
      4320 Restocking fees | Sales
    4900 Deductions from revenue
      4910 Sales returns | Sales
      4920 Sales discounts | Sales
      4930 Volume rebates | Sales
CostOfSales
  5000 Cost of sales
    5100 Cost of products sold
      5110 Cost of deck hardware | CostOfSales
      5120 Cost of rope and rigging | CostOfSales
      5130 Cost of safety equipment | CostOfSales
      5140 Cost of marine electronics | CostOfSales
    5200 Freight and handling
      5210 Freight in | CostOfSales
      5220 Customs duties | CostOfSales
      5230 Freight out | CostOfSales
      5240 Packaging | CostOfSales
    5300 Cost of services
      5310 Workshop materials | CostOfSales
      5320 Subcontractors | CostOfSales
    5900 Inventory adjustments
      5910 Shrinkage | CostOfSales
      5920 Obsolescence | CostOfSales
      5940 Purchase discounts | CostOfSales
Expense
  6000 Operating expenses
    6100 Compensation
      6110 Salaries | Expense
      6120 Hourly wages | Expense
      6130 Overtime | Expense
      6140 Sales commissions | Expense
      6150 Bonuses | Expense
    6200 Payroll taxes and benefits
      6210 Employer social security and Medicare | Expense
      6220 Unemployment taxes | Expense
      6230 Health insurance | Expense
      6240 401(k) match | Expense
      6250 Workers' compensation | Expense
      6260 Training | Expense
      6270 Vacation earned | Expense
    6300 Occupancy
      6310 Rent, warehouse | Expense
      6320 Rent, stores | Expense
      6330 Electricity | Expense
      6340 Heating | Expense
      6350 Repairs and maintenance | Expense
      6360 Property insurance | Expense
      6370 Cleaning and waste | Expense
      6390 Storage, old Bath site | Expense | | inactive
    6400 Selling
      6410 Online advertising | Expense
      6420 Boat shows | Expense
      6430 Catalogues | Expense
      6440 Travel | Expense
      6450 Meals | Expense
      6460 Card processing fees | Expense
      6470 Bad debts | Expense
    6500 Vehicles
      6510 Fuel | Expense
      6520 Vehicle repairs | Expense
      6530 Vehicle insurance | Expense
    6600 Office and IT
      6610 Software subscriptions | Expense
      6620 Telephone and internet | Expense
      6630 Office supplies | Expense
      6640 Postage | Expense
    6700 Professional and general
      6710 Legal fees | Expense
      6720 Audit and accounting | Expense
      6730 Consulting | Expense
      6740 Bank charges | Expense
      6750 Liability insurance | Expense
      6760 Licences and permits | Expense
      6770 Trade associations | Expense
    6800 Depreciation and amortization
      6810 Depreciation, warehouse equipment | Depreciation
      6820 Depreciation, vehicles | Depreciation
      6830 Depreciation, furniture | Depreciation
      6840 Depreciation, computers | Depreciation
      6850 Depreciation, leasehold improvements | Depreciation
      6860 Amortization, trademarks | Depreciation
OtherIncome
  7000 Other income
    7010 Interest income | OtherIncome
    7020 Gain on disposal of assets | OtherIncome
    7040 Insurance recoveries | OtherIncome
    7050 Sublease income | OtherIncome
OtherExpense
  8000 Other expense
    8010 Interest, term loan | OtherExpense
    8020 Interest, vehicle loans | OtherExpense
    8030 Interest, line of credit | OtherExpense
    8040 Loss on disposal of assets | OtherExpense
    8050 Donations | OtherExpense
    8060 Penalties | OtherExpense
  9000 Income taxes
    9010 Federal income tax | IncomeTax
    9020 Maine income tax | IncomeTax
`

/** `id  name | inactive`, indented as above. */
const CLASSES = `
wholesale Wholesale
  wholesale-ne Wholesale Northeast
    wholesale-ne-marinas Marinas and yards
    wholesale-ne-fleets Fishing fleets
  wholesale-se Wholesale Southeast
  wholesale-west Wholesale West Coast
retail Retail
  retail-portland Portland store
  retail-boston Boston store
  retail-online Online shop
services Services
  services-rigging Rigging and installation
  services-rental Rental
EXP Export (given up in 2024) | inactive
`
const DEPARTMENTS = `
ops Operations
  warehouse Warehouse
  purchasing Purchasing
  delivery Delivery
sales Sales and marketing
workshop Workshop
admin Administration
  finance Finance
  it Information technology
`

const depthOf = (line: string): number => (line.length - line.trimStart().length) / 2

/** Each line with its fields and the lines above it that it is indented under, innermost last. */
function outline(text: string): { id: string; fields: string[]; ancestors: string[] }[] {
  const path: string[] = []
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [head, ...rest] = line.split('|').map((field) => field.trim()) as [string, ...string[]]
      const [id, ...name] = head.split(' ') as [string, ...string[]]
      path.length = depthOf(line)
      const ancestors = [...path]
      path.push(id)
      return { id, fields: [name.join(' '), ...rest], ancestors }
    })
}

const isClassification = (text: string): text is Classification =>
  (CLASSIFICATIONS as readonly string[]).includes(text)

export const ACCOUNTS: readonly Account[] = outline(CHART)
  .filter(({ id }) => !isClassification(id))
  .map(({ id, fields, ancestors }) => ({
    number: id,
    name: fields[0]!,
    classification: ancestors[0] as Classification,
    type: (fields[1] ?? '') as AccountType | '',
    parent: ancestors.length > 1 ? ancestors.at(-1)! : '',
    cashFlow: fields[2] ?? '',
    isActive: fields[3] !== 'inactive',
  }))

export const chartCsv = (): string =>
  csv([
    'id,number,name,classification,type,parent,cash_flow,is_active'.split(','),
    ...ACCOUNTS.map((account) => [
      account.number,
      account.number,
      account.name,
      account.classification,
      account.type,
      account.parent,
      account.cashFlow,
      String(account.isActive),
    ]),
  ])

const membersCsv = (text: string): string =>
  csv([
    ['id', 'name', 'parent', 'is_active'],
    ...outline(text).map(({ id, fields, ancestors }) => [
      id,
      fields[0]!,
      ancestors.at(-1) ?? '',
      String(fields[1] !== 'inactive'),
    ]),
  ])
export const classesCsv = (): string => membersCsv(CLASSES)
export const departmentsCsv = (): string => membersCsv(DEPARTMENTS)
