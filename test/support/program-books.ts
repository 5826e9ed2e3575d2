/**
 * One small set of books, chosen by hand, that six accounting programs export in test/support/programs.ts.
 */

export interface ProgramAccount {
  readonly number: string
  readonly name: string
  /** In an account tree. */
  readonly path: string
  /** Debit positive, in whole units. */
  readonly opening: number
  /** Of Odoo, ERPNext (root and own), NetSuite, GnuCash, Business Central (category and subcategory), Sage 50. */
  readonly types: readonly string[]
}

const TABLE = `
1010 | Assets:Current Assets:Checking | 10000 | Bank and Cash | Asset | Bank | Bank | BANK | Assets | Cash | Cash
1100 | Assets:Accounts Receivable | 2500 | Receivable | Asset | Receivable | Accounts Receivable | RECEIVABLE | Assets | Accounts Receivable | Accounts Receivable
1500 | Assets:Fixed Assets:Office Equipment | 6000 | Fixed Assets | Asset | Fixed Asset | Fixed Asset | ASSET | Assets | Equipment | Fixed Assets
1590 | Assets:Fixed Assets:Accumulated Depreciation | -1200 | Fixed Assets | Asset | Accumulated Depreciation | Fixed Asset | ASSET | Assets | Accumulated Depreciation | Accumulated Depreciation
2000 | Liabilities:Accounts Payable | -1800 | Payable | Liability | Payable | Accounts Payable | PAYABLE | Liabilities | Current Liabilities | Accounts Payable
2500 | Liabilities:Bank Loan | -5000 | Non-current Liabilities | Liability |  | Long Term Liability | LIABILITY | Liabilities | Long Term Liabilities | Long Term Liabilities
3000 | Equity:Common Stock | -8000 | Equity | Equity | Equity | Equity | EQUITY | Equity | Common Stock | Equity-doesn't close
3900 | Equity:Retained Earnings | -2500 | Current Year Earnings | Equity | Equity | Equity | EQUITY | Equity | Retained Earnings | Equity-Retained Earnings
4000 | Income:Sales | 0 | Income | Income | Income Account | Income | INCOME | Income |  | Income
5000 | Expenses:Cost of Goods Sold | 0 | Cost of Revenue | Expense | Cost of Goods Sold | Cost of Goods Sold | EXPENSE | Cost of Goods Sold |  | Cost of Sales
6000 | Expenses:Rent Expense | 0 | Expenses | Expense | Expense Account | Expense | EXPENSE | Expense |  | Expenses
6100 | Expenses:Depreciation Expense | 0 | Depreciation | Expense | Depreciation | Expense | EXPENSE | Expense |  | Expenses
6200 | Expenses:Interest Expense | 0 | Expenses | Expense | Expense Account | Other Expense | EXPENSE | Expense | Interest Expense | Expenses`

export const ACCOUNTS: readonly ProgramAccount[] = TABLE.trim()
  .split('\n')
  .map((line) => {
    const [number, path, opening, ...types] = line.split(' | ')
    return { number: number!, path: path!, name: path!.split(':').at(-1)!, opening: Number(opening), types }
  })

export interface ProgramEntry {
  readonly number: string
  readonly type: string
  readonly date: string
  readonly memo: string
  readonly party: string
  readonly department: string
  readonly lines: readonly (readonly [account: string, amount: number])[]
}

const entry = (
  number: string,
  type: string,
  date: string,
  memo: string,
  party: string,
  department: string,
  lines: Readonly<Record<string, number>>,
): ProgramEntry => ({ number, type, date, memo, party, department, lines: Object.entries(lines) })

export const ENTRIES: readonly ProgramEntry[] = [
  entry('INV/2025/00001', 'Invoice', '2025-01-10', 'Spring order', 'Ann', 'East', {
    '1100': 3000,
    '4000': -3000,
  }),
  entry('PAY/2025/00001', 'Payment', '2025-01-15', 'Invoice of December', 'Ann', '', {
    '1010': 2500,
    '1100': -2500,
  }),
  entry('BILL/2025/00001', 'Bill', '2025-01-20', 'Rent of January', 'Landlord', 'Admin', {
    '2000': -900,
    '6000': 900,
  }),
  entry('MISC/2025/00001', 'Journal', '2025-01-31', 'Depreciation', '', 'Admin', {
    '1590': -100,
    '6100': 100,
  }),
  entry('PAY/2025/00002', 'Payment', '2025-02-05', 'Bill of December', 'Supplier', '', {
    '1010': -1800,
    '2000': 1800,
  }),
  entry('INV/2025/00002', 'Invoice', '2025-02-12', 'Second order', 'Bob', 'West', {
    '1100': 4200,
    '4000': -4200,
  }),
  entry('CHK/2025/00001', 'Check', '2025-02-20', 'Goods', 'Supplier', 'East', {
    '1010': -1500,
    '5000': 1500,
  }),
  entry('CHK/2025/00002', 'Check', '2025-02-28', 'Loan', 'Bank', 'Admin', {
    '1010': -525,
    '2500': 500,
    '6200': 25,
  }),
]

const OPENING_ENTRY: ProgramEntry = {
  number: 'OPEN/2025/00001',
  type: 'Journal',
  date: '2025-01-01',
  memo: 'Opening balances',
  party: '',
  department: '',
  lines: ACCOUNTS.filter(({ opening }) => opening !== 0).map(({ number, opening }) => [number, opening]),
}
/** Books of a list of entries begin with an entry of what was there. */
export const LISTED = [OPENING_ENTRY, ...ENTRIES]
