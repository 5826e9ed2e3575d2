/**
 * One synthetic business, for exporting it into every format: a year of trade with openings, sales on credit, payments,
 * purchases, tax, depreciation and a loan, tagged by class and department. The same on every run.
 */
import type { AccountType, Classification } from '../../builder/contract/vocabulary.ts'

export interface BusinessAccount {
  /** Also its id. */
  readonly number: string
  readonly name: string
  readonly classification: Classification
  readonly type: AccountType
  /** At the beginning of the year, minor units, debit positive. */
  readonly opening: number
}

export interface BusinessLine {
  /** Number of the account. */
  readonly account: string
  /** Minor units, debit positive; never 0. */
  readonly amount: number
  readonly class: string | null
  readonly department: string | null
  readonly memo: string
}

export interface BusinessTransaction {
  /** Counted from 1 in order of date; unique. */
  readonly id: number
  /** `YYYY-MM-DD` */
  readonly date: string
  /** As programs call it, with a number that is unique within its type. */
  readonly type: 'Invoice' | 'Payment' | 'Bill' | 'Bill Payment' | 'Expense' | 'Journal Entry'
  readonly document: string
  readonly party: string
  readonly lines: readonly BusinessLine[]
}

export interface Business {
  readonly name: string
  readonly currency: 'EUR'
  readonly year: { readonly start: string; readonly end: string }
  readonly accounts: readonly BusinessAccount[]
  /** Members are their own names. */
  readonly classes: readonly string[]
  readonly departments: readonly string[]
  readonly transactions: readonly BusinessTransaction[]
}

const account = (
  number: string,
  name: string,
  classification: Classification,
  type: AccountType,
  opening = 0,
): BusinessAccount => ({ number, name, classification, type, opening })

const ACCOUNTS = [
  account('1000', 'Bank', 'Asset', 'Bank', 2_500_000),
  account('1100', 'Debtors', 'Asset', 'AccountsReceivable', 840_055),
  account('1500', 'Plant, tools', 'Asset', 'FixedAsset', 1_200_000),
  account('1590', 'Plant depreciation', 'Asset', 'AccumulatedDepreciation', -300_000),
  account('2000', 'Creditors', 'Liability', 'AccountsPayable', -410_020),
  account('2200', 'VAT', 'Liability', 'SalesTax', -55_035),
  account('2500', 'Loan', 'Liability', 'LongTermLiability', -1_000_000),
  account('3000', 'Capital', 'Equity', 'Capital', -2_000_000),
  account('3900', 'Retained earnings', 'Equity', 'RetainedEarnings', -775_000),
  account('4000', 'Sales "A" & services', 'Income', 'Sales'),
  account('4100', 'Sales abroad', 'Income', 'Sales'),
  account('5000', 'Cost of goods', 'CostOfSales', 'CostOfSales'),
  account('6000', 'Rent', 'Expense', 'Expense'),
  account('6050', 'Café & travel', 'Expense', 'Expense'),
  account('6100', 'Depreciation', 'Expense', 'Depreciation'),
  account('8000', 'Interest received', 'OtherIncome', 'OtherIncome'),
  account('8400', 'Interest paid', 'OtherExpense', 'OtherExpense'),
]
const CLASSES = ['East', 'West']
const DEPARTMENTS = ['Shop', 'Works', 'Office']
const PARTIES = ['Ödegård & Söhne', 'Smith, Jones', "O'Brien Ltd", 'Peña SA']

/** Numerical Recipes' linear congruential generator: no more is needed, and it is the same everywhere. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

export function makeBusiness(seed = 2025): Business {
  const random = randomFrom(seed)
  const pick = <T>(items: readonly T[]): T => items[random(items.length)]!
  const drafts: Omit<BusinessTransaction, 'id' | 'document'>[] = []
  const day = (month: number, first = 1) =>
    `2025-${String(month).padStart(2, '0')}-${String(first + random(29 - first)).padStart(2, '0')}`
  const tags = () => ({
    class: random(4) === 0 ? null : pick(CLASSES),
    department: random(4) === 0 ? null : pick(DEPARTMENTS),
  })
  const line = (
    number: string,
    amount: number,
    memo: string,
    tagged: Pick<BusinessLine, 'class' | 'department'> = { class: null, department: null },
  ) => ({ account: number, amount, memo, ...tagged })
  for (let month = 1; month <= 12; month++) {
    for (let n = 0; n < 8; n++) {
      const net = 1_000 + random(90_000)
      const second = random(3) === 0 ? 1 + random(20_000) : 0
      const tax = Math.round(net / 5)
      const party = pick(PARTIES)
      drafts.push({
        date: day(month),
        type: 'Invoice',
        party,
        lines: [
          line('1100', net + second + tax, 'Invoice', tags()),
          line('4000', -net, 'Goods; "best" quality', tags()),
          ...(second > 0 ? [line('4100', -second, 'Freight, abroad', tags())] : []),
          line('2200', -tax, 'VAT 20%'),
        ],
      })
      const paid = 500 + random(60_000)
      drafts.push({
        date: day(month, 10),
        type: 'Payment',
        party,
        lines: [line('1000', paid, 'Received', tags()), line('1100', -paid, 'Received', tags())],
      })
    }
    for (let n = 0; n < 4; n++) {
      const net = 400 + random(40_000)
      const tax = Math.round(net / 5)
      const party = pick(PARTIES)
      const tag = tags()
      drafts.push({
        date: day(month),
        type: 'Bill',
        party,
        lines: [
          line('5000', net, 'Parts', tag),
          line('2200', tax, 'VAT 20%', tag),
          line('2000', -net - tax, 'Bill', tag),
        ],
      })
      const paid = 300 + random(30_000)
      drafts.push({
        date: day(month, 15),
        type: 'Bill Payment',
        party,
        lines: [line('2000', paid, 'Paid', tags()), line('1000', -paid, 'Paid', tags())],
      })
    }
    const travel = 99 + random(9_000)
    drafts.push(
      {
        date: day(month),
        type: 'Expense',
        party: pick(PARTIES),
        lines: [
          line('6000', 120_000, `Rent ${month}/2025`, { class: 'East', department: 'Office' }),
          line('6050', travel, 'Train; café', tags()),
          line('1000', -120_000 - travel, 'Rent and travel', { class: 'East', department: 'Office' }),
        ],
      },
      {
        date: day(month, 28),
        type: 'Journal Entry',
        party: '',
        lines: [
          line('6100', 10_417, 'Depreciation', { class: null, department: 'Works' }),
          line('1590', -10_417, 'Depreciation', { class: null, department: 'Works' }),
          line('8400', 4_167, 'Interest', { class: 'West', department: null }),
          line('2500', 20_000, 'Repayment', { class: 'West', department: null }),
          line('8000', -31, 'Interest'),
          line('1000', -24_136, 'Loan', { class: 'West', department: null }),
        ],
      },
    )
  }
  drafts.sort((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0))
  const counts = new Map<string, number>()
  return {
    name: 'Ödegård Trading',
    currency: 'EUR',
    year: { start: '2025-01-01', end: '2025-12-31' },
    accounts: ACCOUNTS,
    classes: CLASSES,
    departments: DEPARTMENTS,
    transactions: drafts.map((draft, i) => {
      const count = (counts.get(draft.type) ?? 0) + 1
      counts.set(draft.type, count)
      return { ...draft, id: i + 1, document: `${1000 + count}` }
    }),
  }
}

/** `-123456` → `-1234.56` */
export function decimal(minor: number): string {
  const digits = String(Math.abs(minor)).padStart(3, '0')
  return `${minor < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}
