/** Lakeside's chart of accounts: forty-seven accounts, no hierarchy. */

/** `number name | classification | type` */
const CHART = `
1130 Dental equipment | Asset | FixedAsset
1139 Accumulated depreciation, dental equipment | Asset | AccumulatedDepreciation
1150 Computers | Asset | FixedAsset
1159 Accumulated depreciation, computers | Asset | AccumulatedDepreciation
1510 Dental supplies | Asset | Inventory
1701 Receivables, Kela and insurers | Asset | AccountsReceivable
1710 Card payments under way | Asset | OtherCurrentAsset
1900 Cash desk | Asset | Bank
1910 Bank account | Asset | Bank
2000 Share capital | Equity | Capital
2250 Profits of earlier years | Equity | RetainedEarnings
2621 Bank loan | Liability | LongTermLiability
2871 Trade payables | Liability | AccountsPayable
2920 Withholding tax payable | Liability | OtherCurrentLiability
2939 VAT payable | Liability | SalesTax
2945 Pension insurance payable | Liability | OtherCurrentLiability
2960 Holiday pay accrued | Liability | OtherCurrentLiability
2980 Income tax payable | Liability | OtherCurrentLiability
2995 Dividends payable | Liability | OtherCurrentLiability
3000 Dental care | Income | Sales
3010 Dental hygiene | Income | Sales
3020 Products sold | Income | Sales
3090 Refunds to patients | Income | Sales
4000 Dental supplies used | CostOfSales | CostOfSales
4100 Dental laboratory | CostOfSales | CostOfSales
4400 Change in supplies | CostOfSales | CostOfSales
5000 Salaries, dentists | Expense | Expense
5010 Wages, assistants and hygienist | Expense | Expense
5990 Holiday pay | Expense | Expense
6130 Pension insurance | Expense | Expense
6300 Social security | Expense | Expense
6870 Depreciation, dental equipment | Expense | Depreciation
6880 Depreciation, computers | Expense | Depreciation
7230 Rent | Expense | Expense
7250 Cleaning | Expense | Expense
7370 Electricity | Expense | Expense
7680 Patient records software | Expense | Expense
7750 Maintenance of equipment | Expense | Expense
7800 Insurance | Expense | Expense
8050 Marketing | Expense | Expense
8170 Professional training | Expense | Expense
8380 Bookkeeping | Expense | Expense
8450 Telephone and internet | Expense | Expense
8560 Card fees | Expense | Expense
9200 Gain on sale of equipment | OtherIncome | OtherIncome
9460 Interest on loans | OtherExpense | OtherExpense
9940 Income tax | OtherExpense | IncomeTax
`

export const ACCOUNTS: readonly (readonly [
  number: string,
  name: string,
  classification: string,
  type: string,
])[] = CHART.trim()
  .split('\n')
  .map((line) => {
    const [account, classification, type] = line.split('|').map((field) => field.trim()) as [
      string,
      string,
      string,
    ]
    return [account.slice(0, 4), account.slice(5), classification, type]
  })
