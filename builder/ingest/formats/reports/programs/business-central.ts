/**
 * Microsoft Dynamics 365 Business Central: General Ledger Entries, opened in Excel or as CSV, one row for each entry. Closing
 * dates (`C12/31/24`) mark the entries that close a year. The Chart of Accounts says what kind each account is.
 */
import type { Cells } from '../../../text/delimited.ts'
import { parseDate } from '../../../text/months.ts'
import { cellOf, setCell } from '../rows/cells.ts'
import type { Layout, ReportFamily } from '../rows/layout.ts'
import { named, programKind, type TypeRule } from './kinds.ts'

/** Subcategories that the program comes with, then categories. */
const TYPES: readonly TypeRule[] = [
  [/^cash$/, 'Asset', 'Bank'],
  [/^accounts receivable$/, 'Asset', 'AccountsReceivable'],
  [/^inventory$/, 'Asset', 'Inventory'],
  [/^(prepaid expenses|current assets)$/, 'Asset', 'OtherCurrentAsset'],
  [/^(fixed assets|equipment|buildings|land|vehicles)$/, 'Asset', 'FixedAsset'],
  [/^accumulated depreciation$/, 'Asset', 'AccumulatedDepreciation'],
  [/^current liabilities$/, 'Liability', ''],
  [/^payroll liabilities$/, 'Liability', 'OtherCurrentLiability'],
  [/^long term liabilities$/, 'Liability', 'LongTermLiability'],
  [/^(common stock|preferred stock)$/, 'Equity', 'Capital'],
  [/^retained earnings$/, 'Equity', 'RetainedEarnings'],
  [/^distributions to shareholders$/, 'Equity', 'Drawings'],
  [/^interest expense$/, 'OtherExpense', 'OtherExpense'],
  [/^assets?$/, 'Asset', ''],
  [/^liabilit(y|ies)$/, 'Liability', ''],
  [/^equity$/, 'Equity', ''],
  [/^income$/, 'Income', ''],
  [/^cost of goods sold$/, 'CostOfSales', 'CostOfSales'],
  [/^expenses?$/, 'Expense', ''],
]

const CLOSING = 'Closing date'

const CLOSING_FORMS = ['DD/MM/', 'MM/DD/', 'DD.MM.', 'DD-MM-', 'MM-DD-'].flatMap((form) => [
  `${form}YY`,
  `${form}YYYY`,
])

/** A closing date may have a year of two digits where other dates have four. It ends a month, and can be read in one way only. */
const closingDay = (text: string): string =>
  CLOSING_FORMS.map((form) => parseDate(text, form)).find((day) => day !== null && day.slice(8) > '12') ??
  text

/** `C12/31/24` is the end of 12/31/24, after its other entries. */
function plainRows({ at }: Layout): (cells: Cells) => Cells {
  return (own) => {
    const text = cellOf(own, at.date)
    if (!/^C\d/.test(text)) return own
    const cells = [...own]
    setCell(cells, at.date, closingDay(text.slice(1)))
    setCell(cells, at.type, CLOSING)
    return cells
  }
}

export const BUSINESS_CENTRAL: ReportFamily = {
  id: 'business-central',
  name: 'Business Central',
  knownBy: 'Posting Date, Document Type, Document No., G/L Account No., Amount, Entry No.',
  headers: {
    id: ['transaction no.', 'document no.'],
    date: ['posting date'],
    type: ['document type'],
    num: ['document no.', 'external document no.'],
    memo: ['description'],
    account: ['g/l account name', 'name'],
    code: ['g/l account no.', 'no.'],
    accountType: ['account category', 'income/balance'],
    detailType: ['account subcategory', 'account subcategory descript.'],
    debit: ['debit amount', 'debit amount (lcy)'],
    credit: ['credit amount', 'credit amount (lcy)'],
    amount: ['amount', 'amount (lcy)'],
    line: ['entry no.'],
    enteredBy: ['user id'],
  },
  dimensions: named([
    ['department', ['department code', 'global dimension 1 code']],
    ['class', ['project code', 'customergroup code', 'customer group code', 'global dimension 2 code']],
  ]),
  titles: [
    [/^general ledger entries$/i, 'journal'],
    [/^chart of accounts$/i, 'chart'],
  ],
  kindOf: (at, header) => {
    const isEntry = at.date !== undefined && header.includes('g/l account no.') && at.id !== undefined
    if (isEntry)
      return at.amount !== undefined || (at.debit !== undefined && at.credit !== undefined) ? 'journal' : null
    return at.date === undefined &&
      header.includes('no.') &&
      header.includes('name') &&
      at.accountType !== undefined
      ? 'chart'
      : null
  },
  placed: (at, header) =>
    at.date === undefined || at.type !== undefined ? at : { ...at, type: header.length },
  grouping: [['type', 'reference'], ['reference']],
  separator: null,
  accountKind: programKind(TYPES, null),
  chartHint: 'add the Chart of Accounts of Business Central too: it says what kind each account is',
  openingsHint: 'export the entries of all dates, from the first one ever posted',
  basis: 'accrual',
  repeated: 'amount',
  ends: 'never',
  closingTypes: [CLOSING],
  // A reversed entry and the one that reverses it both stay, and both are marked.
  harmless: ['reversed', 'reversed entry no.', 'reversed by entry no.'],
  plainRows,
}
