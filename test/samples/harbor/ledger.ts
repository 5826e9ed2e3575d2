/** Harbor's ledgers: four years of accrual entries, the cash-basis ledger made from them, both with closings. */
import { addMonths, lastDay, monthsBetween } from '../calendar.ts'
import { toCashBasis } from '../cash-basis.ts'
import { type Closing, closeYear } from '../closing.ts'
import { byDate, createJournal, type Transaction } from '../journal.ts'
import { keepRegister } from './assets.ts'
import { ACCOUNTS } from './chart.ts'
import {
  bookSundries,
  declareDividend,
  manageCash,
  openBooks,
  provideForTax,
  reviewReceivables,
  serveLoans,
} from './financing.ts'
import { payStaff } from './payroll.ts'
import { billRunningCosts, bookCostOfSales, buyGoods, useCards } from './purchases.ts'
import { grantRebates, invoiceMonth, remitSalesTax, takeRetail } from './sales.ts'
import { FIRST_MONTH, LAST_MONTH, type World } from './world.ts'

/** 2025 was closed only when the audit was done. */
export const CLOSINGS: readonly Closing[] = [
  ['2023', '2023-12-31'],
  ['2024', '2024-12-31'],
  ['2025', '2026-03-31'],
].map(([year, date]) => ({
  id: `CLS-${year!.slice(2)}-00001`,
  reference: `CLOSE-${year}`,
  start: `${year}-01-01`,
  end: `${year}-12-31`,
  date: date!,
}))

const typeOf = new Map(ACCOUNTS.map((account) => [account.number, account.type]))
const isProfitAndLoss = (account: string) => account >= '4000'

export interface Ledgers {
  readonly accrual: readonly Transaction[]
  readonly cash: readonly Transaction[]
  readonly world: World
}

export function keepBooks(): Ledgers {
  const journal = createJournal()
  const world: World = { journal, shipped: new Map(), customers: new Set(), customersAt: new Map() }
  openBooks(world)
  for (const month of monthsBetween(FIRST_MONTH, LAST_MONTH)) {
    remitSalesTax(world, month)
    serveLoans(world, month)
    invoiceMonth(world, month)
    takeRetail(world, month)
    buyGoods(world, month)
    grantRebates(world, month)
    billRunningCosts(world, month)
    useCards(world, month)
    payStaff(world, month)
    keepRegister(world, month)
    bookSundries(world, month)
    declareDividend(world, month)
    journal.runUntil(lastDay(month))
    bookCostOfSales(world, month)
    reviewReceivables(world, month)
    manageCash(world, month)
    provideForTax(world, month)
  }
  const entries = [...journal.transactions, ...closeDividends(journal.transactions)]
  const cashEntries = toCashBasis(entries, {
    isReceivableOrPayable: (account) =>
      ['AccountsReceivable', 'AccountsPayable'].includes(typeOf.get(account)!),
    isDeferred: (account) => isProfitAndLoss(account) || typeOf.get(account) === 'SalesTax',
  })
  return { accrual: closed(entries), cash: closed(cashEntries), world }
}

const closed = (entries: readonly Transaction[]): Transaction[] =>
  byDate([...entries, ...CLOSINGS.map((closing) => closeYear(entries, closing, isProfitAndLoss, '3210'))])

/** Dividends declared in a year go into retained earnings on its last day: equity against equity, no closing of P&L. */
function closeDividends(entries: readonly Transaction[]): Transaction[] {
  return ['2023', '2024', '2025'].flatMap((year) => {
    const declared = entries
      .filter(({ date }) => date.startsWith(year))
      .flatMap(({ lines }) => lines)
      .filter(({ account }) => account === '3220')
      .reduce((sum, line) => sum + line.amount, 0)
    if (declared === 0) return []
    return [
      {
        id: `DIV-${year.slice(2)}-00001`,
        date: lastDay(addMonths(`${year}-11`, 1)),
        reference: `DIVIDEND-${year}`,
        memo: 'Dividend of the year',
        lines: [
          { account: '3210', amount: declared },
          { account: '3220', amount: -declared },
        ],
      },
    ]
  })
}
