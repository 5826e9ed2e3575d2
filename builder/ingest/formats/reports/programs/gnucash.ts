/**
 * GnuCash: Export Transactions to CSV (not the simple layout), one row for each split, blank cells carried down in older
 * versions; and Export Account Tree to CSV, which says what kind each account is.
 */

import { kindOfWords } from '../../../format/account-words.ts'
import type { Cells } from '../../../text/delimited.ts'
import { cellOf, setCell } from '../rows/cells.ts'
import type { Kind, Layout, ReportFamily, TypedAccount } from '../rows/layout.ts'
import { programKind, type TypeRule } from './kinds.ts'

const TYPES: readonly TypeRule[] = [
  [/^(bank|cash)$/, 'Asset', 'Bank'],
  [/^(a\/receivable|receivable)$/, 'Asset', 'AccountsReceivable'],
  [/^(stock|mutual|mutual fund)$/, 'Asset', 'OtherAsset'],
  [/^asset$/, 'Asset', ''],
  [/^(credit|credit card)$/, 'Liability', 'CreditCard'],
  [/^(a\/payable|payable)$/, 'Liability', 'AccountsPayable'],
  [/^liability$/, 'Liability', ''],
  [/^(equity|trading)$/, 'Equity', ''],
  [/^income$/, 'Income', ''],
  [/^expense$/, 'Expense', ''],
]

const TOP: readonly (readonly [RegExp, TypeRule[1]])[] = [
  [/^assets?\b/i, 'Asset'],
  [/^liabilit(y|ies)\b/i, 'Liability'],
  [/^equity\b/i, 'Equity'],
  [/^(income|revenues?)\b/i, 'Income'],
  [/^expenses?\b/i, 'Expense'],
]

const typed = programKind(TYPES, null)

/** By the type of the account, else by the top account of its tree. */
function accountKind(account: TypedAccount): Kind | null {
  const path = account.id ?? account.name
  if (account.type !== '') return typed({ ...account, name: path })
  const top = TOP.find(([pattern]) => pattern.test(path))?.[1]
  if (top === undefined) return null
  const [classification, type] = kindOfWords(top, path)
  return { classification, type, cashFlow: null, doubt: 'by its place in the tree, please check' }
}

/** Rows below the first of an entry leave out what they share with it. `CURRENCY::USD` is USD. */
function plainRows({ at }: Layout): (cells: Cells) => Cells {
  const shared = [at.id, at.date, at.num, at.memo, at.currency]
  let before: Cells = []
  return (own) => {
    const cells = [...own]
    const id = cellOf(own, at.id)
    const isNew = id !== '' && id !== cellOf(before, at.id)
    if (!isNew && cellOf(own, at.account) !== '')
      for (const position of shared)
        if (cellOf(cells, position) === '') setCell(cells, position, cellOf(before, position))
    setCell(cells, at.currency, cellOf(cells, at.currency).replace(/^.*::/, ''))
    before = cells
    return cells
  }
}

export const GNUCASH: ReportFamily = {
  id: 'gnucash',
  name: 'GnuCash',
  knownBy: 'Date, Transaction ID, Number, Description, Full Account Name, Amount Num.',
  headers: {
    id: ['transaction id'],
    date: ['date'],
    num: ['number'],
    memo: ['description'],
    account: ['full account name'],
    accountType: ['type'],
    amount: ['value num.', 'value num', 'amount num.', 'amount num'],
    currency: ['commodity/currency'],
  },
  kindOf: (at, header) => {
    if (at.account === undefined) return null
    if (at.date !== undefined && at.id !== undefined && at.amount !== undefined) return 'journal'
    return at.date === undefined && at.accountType !== undefined && header.includes('placeholder')
      ? 'chart'
      : null
  },
  grouping: [[]],
  separator: ':',
  accountKind,
  chartHint:
    'add the account tree too (File, Export, Export Account Tree to CSV): it says what kind each account is',
  openingsHint: 'export all transactions, from the first one ever entered',
  basis: 'accrual',
  ends: 'never',
  plainRows,
}
