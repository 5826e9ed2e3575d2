/** Audit Data Standard: lines, chart and trial balances per month and business unit, by which the books are checked. */
import { type Business, type BusinessLine, decimal } from '../../support/business.ts'
import { companyYamlOf, type Exported, type Exporter } from './exported.ts'

type Table = readonly (readonly string[])[]
const text = (table: Table, delimiter: string): string =>
  table
    .map((cells) => {
      const quoted = (cell: string) => (/["|,]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)
      return `${cells.map(quoted).join(delimiter)}\r\n`
    })
    .join('')

const ENDS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31].map(
  (day, month) => `2025-${String(month + 1).padStart(2, '0')}-${day}`,
)

interface Form {
  readonly delimiter: string
  /** Amounts always positive, with D or C; else signed, and ISO's names. */
  readonly hasSides: boolean
  readonly date: (date: string) => string
}

function detailOf({ transactions }: Business, { hasSides, date }: Form): Table {
  const sides = (amount: number) =>
    hasSides ? [decimal(Math.abs(amount)), amount < 0 ? 'C' : 'D'] : [decimal(amount)]
  return [
    [
      'Journal_ID',
      'Journal_ID_Line_Number',
      'JE_Header_Description',
      'JE_Line_Description',
      'Source',
      'Business_Unit_Code',
      'Effective_Date',
      'Fiscal_Year',
      'Period',
      'GL_Account_Number',
      ...(hasSides
        ? ['Amount', 'Amount_Credit_Debit_Indicator', 'Amount_Currency']
        : ['FunctionalAmount', 'FunctionalCurrencyCode']),
      'Segment01',
    ],
    ...transactions.flatMap((transaction) =>
      transaction.lines.map((line, i) => [
        String(transaction.id),
        String(i + 1),
        transaction.type,
        line.memo,
        'GJ',
        line.class ?? '',
        date(transaction.date),
        '2025',
        `M${transaction.date.slice(5, 7)}`,
        line.account,
        ...sides(line.amount),
        'EUR',
        line.department ?? '',
      ]),
    ),
  ]
}

const chartOf = ({ accounts }: Business): Table => [
  ['GL_Account_Number', 'GL_Account_Name', 'Account_Type'],
  ...accounts.map(({ number, name, classification }) => [number, name, classification]),
]

/** One row per account, business unit and month; openings are of no unit. */
function balancesOf({ accounts, transactions, classes }: Business, { date }: Form): Table {
  const rows: string[][] = []
  for (const { number, opening } of accounts)
    for (const unit of ['', ...classes]) {
      const isOfUnit = (line: BusinessLine) => line.account === number && (line.class ?? '') === unit
      let balance = unit === '' ? opening : 0
      for (const [month, end] of ENDS.entries()) {
        const moved = transactions
          .filter((each) => each.date.startsWith(end.slice(0, 7)))
          .flatMap(({ lines }) => lines.filter(isOfUnit))
          .reduce((sum, { amount }) => sum + amount, 0)
        const cells = [
          date(end),
          '2025',
          `M${String(month + 1).padStart(2, '0')}`,
          decimal(balance),
          decimal(balance + moved),
        ]
        rows.push([number, unit, ...cells, 'EUR'])
        balance += moved
      }
    }
  const header =
    'GL_Account_Number Business_Unit_Code Balance_As_Of_Date Fiscal_Year Period Amount_Beginning Amount_Ending Amount_Currency'
  return [header.split(' '), ...rows]
}

const exporter = (name: string, form: Form): Exporter =>
  Object.defineProperty(
    (business: Business): Exported => ({
      name,
      files: {
        'company.yaml': companyYamlOf(
          business,
          'dimensions: { Segment01: department }\nledger: [{ files: "*.txt" }]',
        ),
        'GL_Detail_20250101_20251231.txt': text(detailOf(business, form), form.delimiter),
        'Chart_Of_Accounts.txt': text(chartOf(business), form.delimiter),
        'Trial_Balance_20251231.txt': text(balancesOf(business, form), form.delimiter),
      },
      dimensions: ['class', 'department'],
    }),
    'name',
    { value: name },
  )

export const ads: readonly Exporter[] = [
  exporter('AICPA, sides', { delimiter: '|', hasSides: true, date: (date) => date.replaceAll('-', '') }),
  exporter('ISO names, signed', { delimiter: ',', hasSides: false, date: (date) => date }),
]
