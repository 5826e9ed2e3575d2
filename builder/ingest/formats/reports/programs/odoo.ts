/**
 * Odoo: the General Ledger report, unfolded, as Excel or CSV, and the list of Journal Items. In the report an account is a
 * row with its totals (`101000 Bank`), below it `Initial Balance`, its lines, whose first column is the entry, and `Total
 * 101000 Bank`; totals include the initial balance. Newer versions have the code and the name in two columns.
 */
import { NOT_IN_STATEMENTS } from '../../../../workspace/company.ts'
import { NEVER_COUNTS } from '../../../claims/vocabulary.ts'
import type { Cells } from '../../../text/delimited.ts'
import { cellOf } from '../rows/cells.ts'
import type { Layout, ReportFamily } from '../rows/layout.ts'
import { AMERICAN, labelReader, named, programKind, type TypeRule } from './kinds.ts'

/** As exports write them, and as they are stored. */
const TYPES: readonly TypeRule[] = [
  [/^(receivable|asset receivable)$/, 'Asset', 'AccountsReceivable'],
  [/^(bank and cash|asset cash)$/, 'Asset', 'Bank'],
  [/^(current assets?|asset current|prepayments?|asset prepayments)$/, 'Asset', 'OtherCurrentAsset'],
  [/^(fixed assets?|asset fixed)$/, 'Asset', 'FixedAsset'],
  [/^(non-current assets?|asset non current)$/, 'Asset', 'OtherAsset'],
  [/^(payable|liability payable)$/, 'Liability', 'AccountsPayable'],
  [/^(credit card|liability credit card)$/, 'Liability', 'CreditCard'],
  [/^(current liabilities|liability current)$/, 'Liability', 'OtherCurrentLiability'],
  [/^(non-current liabilities|liability non current)$/, 'Liability', 'LongTermLiability'],
  [/^(current year earnings|equity unaffected)$/, 'Equity', 'RetainedEarnings'],
  [/^equity$/, 'Equity', ''],
  [/^income$/, 'Income', ''],
  [/^(other income|income other)$/, 'OtherIncome', 'OtherIncome'],
  [/^(cost of revenue|expense direct cost)$/, 'CostOfSales', 'CostOfSales'],
  [/^(depreciation|expense depreciation)$/, 'Expense', 'Depreciation'],
  [/^(other expenses?|expense other)$/, 'OtherExpense', 'OtherExpense'],
  [/^expenses?$/, 'Expense', ''],
  [/^off[- ]balance( sheet)?$/, 'Asset', NOT_IN_STATEMENTS],
]

const parseLabel = labelReader(/^(?=[\w.-]*\d)(?<number>[\w.-]+)\s+(?<name>\S.*)$/)

/** `{"7": 100.0}` is all of one analytic account. */
const wholeTo = (text: string): string => /^\{\s*"([^"]+)":\s*100(?:\.0+)?\s*\}$/.exec(text)?.[1] ?? text

/** A list that is exported as it is grouped has rows with the name of each group, how many lines it has, and their sums. */
const isGroup = ({ at, firstNamed }: Layout, own: Cells): boolean =>
  [at.id, at.date, at.account ?? at.code].every((position) => cellOf(own, position) === '') &&
  /\S \(\d+\)$/.test(own.slice(0, firstNamed + 1).find((text) => text !== '') ?? '')

function plainRows(layout: Layout): (cells: Cells) => Cells {
  const { at, header, kind, dimensions } = layout
  const headers = header.map((text) => text.toLowerCase())
  const isSplit = kind === 'ledger' && headers[0] === 'code' && headers[1] === 'account name'
  return (own) => {
    if (kind === 'journal' && isGroup(layout, own)) return []
    const cells = [...own]
    for (const { at: position } of dimensions) cells[position] = wholeTo(cells[position] ?? '')
    const [code = '', name = ''] = own
    if (isSplit && cellOf(own, at.date) === '' && code !== '' && name !== '') cells[0] = `${code} ${name}`
    else if (isSplit && code === '') cells[0] = name
    return cells
  }
}

export const ODOO: ReportFamily = {
  id: 'odoo',
  name: 'Odoo',
  knownBy: 'Communication, Partner, Balance; or Journal Entry, Account, Partner, Label',
  headers: {
    id: ['journal entry', 'number'],
    date: ['date', 'invoice date'],
    type: ['journal'],
    num: ['reference', 'ref'],
    name: ['partner'],
    memo: ['communication', 'label'],
    account: ['account', 'account name', 'account/display name'],
    code: ['account/code', 'account code', 'code'],
    accountType: ['type', 'account type', 'account/type'],
    debit: ['debit'],
    credit: ['credit'],
    balance: ['balance'],
    dueDate: ['due date'],
    enteredOn: ['created on'],
    enteredBy: ['created by'],
  },
  dimensions: named([['department', ['analytic distribution', 'analytic account', 'analytic']]]),
  titles: [
    [/^general ledger$/i, 'ledger'],
    [/^journal items?$/i, 'journal'],
    [/^chart of accounts$/i, 'chart'],
  ],
  kindOf: (at, header) => {
    const hasSides = at.debit !== undefined && at.credit !== undefined
    if (at.date === undefined)
      return at.code !== undefined && header.includes('account name') && at.accountType !== undefined
        ? 'chart'
        : null
    if (!hasSides || at.name === undefined) return null
    if (header.includes('journal entry') && (at.account !== undefined || at.code !== undefined))
      return 'journal'
    const isReport = header[0] === '' || header[0] === 'code'
    return isReport && at.memo !== undefined && at.balance !== undefined ? 'ledger' : null
  },
  // The report names no column for the entry, and its accounts stand in rows of their own.
  placed: (at, header) => {
    if (at.date === undefined || header.includes('journal entry')) return at
    const { account: _, code: __, ...others } = at
    return { ...others, id: 0 }
  },
  grouping: [['type', 'reference'], ['type']],
  separator: null,
  parseLabel,
  accountKind: programKind(TYPES, AMERICAN),
  chartHint: 'add the Chart of Accounts of Odoo too (Code, Account Name, Type)',
  openingsHint: 'export the General Ledger report, unfolded: it has the initial balance of each account',
  basis: 'accrual',
  repeated: 'balance',
  ends: 'never',
  // Drafts and cancelled entries never count. Drafts have no number yet: `/`, or `Draft Invoice (* 15)`.
  neverCounts: [
    { of: ['status', 'state', 'statut', 'estado', 'stato'], values: [...NEVER_COUNTS.status, 'cancel'] },
    { of: 'id', pattern: /^\/$|^[^/]*\(\* ?\d+\)$/ },
  ],
  plainRows,
  marks: {
    at: ['memo'],
    words: [
      [/^initial balance$/i, 'opening'],
      [/^(total( general ledger)?|total:)$/i, 'grand'],
      [/^total\s/i, 'total'],
      [/^load more/i, 'nothing'],
    ],
    headings: 'totals',
    ends: 'total',
    hasGrand: true,
    totalsWithOpening: true,
  },
}
