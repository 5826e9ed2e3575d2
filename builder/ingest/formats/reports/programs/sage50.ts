/**
 * Sage 50 (US, once Peachtree): the General Ledger, as Excel or CSV. Account ID and Account Description in two columns, on
 * every row or on the first one of each account, or one below the other in the first column; `Beginning Balance` with
 * its date, lines, `Current Period Change` and the next `Beginning Balance` at each month's end, `Ending Balance`.
 */
import type { Cells } from '../../../text/delimited.ts'
import { cellOf, setCell } from '../rows/cells.ts'
import type { Layout, ReportFamily } from '../rows/layout.ts'
import { AMERICAN, programKind, type TypeRule } from './kinds.ts'

const TYPES: readonly TypeRule[] = [
  [/^cash$/, 'Asset', 'Bank'],
  [/^accounts? receivable$/, 'Asset', 'AccountsReceivable'],
  [/^inventory$/, 'Asset', 'Inventory'],
  [/^other current assets?$/, 'Asset', 'OtherCurrentAsset'],
  [/^fixed assets?$/, 'Asset', 'FixedAsset'],
  [/^accumulated depreciation$/, 'Asset', 'AccumulatedDepreciation'],
  [/^other assets?$/, 'Asset', 'OtherAsset'],
  [/^accounts? payable$/, 'Liability', 'AccountsPayable'],
  [/^other current liabilit(y|ies)$/, 'Liability', 'OtherCurrentLiability'],
  [/^long[- ]term liabilit(y|ies)$/, 'Liability', 'LongTermLiability'],
  [/^equity[- ]retained earnings$/, 'Equity', 'RetainedEarnings'],
  [/^equity[- ]gets closed$/, 'Equity', 'Drawings'],
  [/^equity([- ]does(n't| not) close)?$/, 'Equity', 'OtherEquity'],
  [/^income$/, 'Income', 'Sales'],
  [/^cost of sales$/, 'CostOfSales', 'CostOfSales'],
  [/^expenses?$/, 'Expense', ''],
]

const OPENS = /^(beginning|fiscal year begin) balance$/i

/** The account of each row, where it stands on an account's first row only. An account's first row is a balance. */
function plainRows({ at, header }: Layout): (cells: Cells) => Cells {
  const isStacked = cellOf(header, at.account) === ''
  let account = ''
  let label = ''
  return (own) => {
    const said = cellOf(own, at.code)
    const memo = cellOf(own, at.memo)
    if (OPENS.test(memo) || !isStacked) {
      if (said !== '' && said !== account) {
        account = said
        label = ''
      }
    } else if (said !== '' && said !== account) label = said
    const name = cellOf(own, at.account)
    if (!isStacked && name !== '') label = name
    if (cellOf(own, at.date) === '' && memo === '') return own
    const cells = [...own]
    setCell(cells, at.code, account)
    setCell(cells, at.account, label)
    return cells
  }
}

export const SAGE50: ReportFamily = {
  id: 'sage50',
  name: 'Sage 50',
  knownBy: 'Account ID, Date, Reference, Jrnl, Trans Description, Debit Amt, Credit Amt, Balance',
  headers: {
    date: ['date'],
    type: ['jrnl'],
    num: ['reference'],
    memo: ['trans description'],
    account: ['account description', 'description'],
    code: ['account id'],
    accountType: ['account type', 'type'],
    debit: ['debit amt', 'debit amount', 'debit'],
    credit: ['credit amt', 'credit amount', 'credit'],
    balance: ['balance'],
  },
  titles: [
    [/^general ledger\b/i, 'ledger'],
    [/^chart of accounts$/i, 'chart'],
  ],
  kindOf: (at) => {
    if (at.code === undefined || at.account === undefined) return null
    if (at.date !== undefined && at.type !== undefined && at.memo !== undefined && at.debit !== undefined)
      return 'ledger'
    return at.date === undefined && at.account !== undefined && at.accountType !== undefined ? 'chart' : null
  },
  // The description may stand below the ID, under a header of its own row.
  placed: (at, header) =>
    at.date === undefined || at.code === undefined || at.account !== undefined || header[1] !== ''
      ? at
      : { ...at, account: 1 },
  grouping: [['type', 'reference'], ['type']],
  separator: null,
  accountKind: programKind(TYPES, AMERICAN),
  chartHint: 'add the Chart of Accounts of Sage 50 too: it says what kind each account is',
  openingsHint: 'export the General Ledger, whose first row of each account is its Beginning Balance',
  basis: 'accrual',
  plainRows,
  marks: {
    at: ['memo'],
    words: [
      [OPENS, 'opening'],
      [/^current period change$/i, 'change'],
      [/^ending balance$/i, 'closing'],
    ],
    headings: 'none',
    ends: 'closing',
  },
}
