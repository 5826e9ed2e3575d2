/** Loans, cash management, taxes on income, shareholders: what Harbor's controller books from the bank's papers. */
import { addMonths, businessDay, dayOf, lastDay, monthNumber } from '../calendar.ts'
import { type Line, reversed, share } from '../journal.ts'
import { seeded } from '../random.ts'
import { openingAssets } from './assets.ts'
import { BANK, FIRST_MONTH, RECEIVABLES, usd, type World } from './world.ts'

const finance = { department: 'finance' } as const
export const OPENING_REFERENCE = 'OPENING'

/**
 * Harbor Supply Co. was founded to take over the business of a partnership on 1 January 2023: cash, goods and
 * equipment with the loans on them, but neither customers' nor suppliers' accounts, which the partners kept.
 */
export function openBooks(world: World): void {
  const taken: Line[] = [
    { account: '1011', amount: usd(342_350) },
    { account: '1012', amount: usd(5_000) },
    { account: '1013', amount: usd(40_000) },
    { account: '1014', amount: usd(1_200) },
    { account: '1015', amount: usd(18_640) },
    { account: '1019', amount: usd(150_000) },
    { account: '1210', amount: usd(268_400) },
    { account: '1220', amount: usd(181_900) },
    { account: '1230', amount: usd(171_250) },
    { account: '1240', amount: usd(259_700) },
    { account: '1310', amount: usd(9_600) },
    ...openingAssets(),
    { account: '1710', amount: usd(18_000) },
    { account: '2510', amount: -usd(420_000) },
    { account: '2520', amount: -usd(96_000) },
    { account: '2530', amount: -usd(120_000) },
    { account: '3110', amount: -usd(100_000) },
  ]
  const paidIn = taken.reduce((sum, line) => sum + line.amount, 0)
  world.journal.post(
    'OPN',
    `${FIRST_MONTH}-01`,
    'Assets and loans taken over on foundation',
    [...taken, { account: '3120', amount: -paidIn }],
    OPENING_REFERENCE,
  )
  // The insurance that came with the business runs out in the summer.
  for (let ahead = 0; ahead < 8; ahead++)
    world.journal.later(lastDay(addMonths(FIRST_MONTH, ahead)), (day) =>
      world.journal.post('ADJ', day, 'Insurance taken over, used up', [
        { account: '6360', amount: usd(1_200), department: 'ops' },
        { account: '1310', amount: -usd(1_200), department: 'ops' },
      ]),
    )
}

interface Loan {
  readonly account: string
  readonly interest: string
  /** Percent × 100 a year. */
  readonly rate: number
  readonly principal: number
  readonly draws: Readonly<Record<string, number>>
}
const LOANS: readonly Loan[] = [
  { account: '2510', interest: '8010', rate: 625, principal: usd(5_000), draws: { '2024-02': usd(180_000) } },
  {
    account: '2520',
    interest: '8020',
    rate: 540,
    principal: usd(2_000),
    draws: { '2024-06': usd(50_000), '2025-10': usd(70_000) },
  },
]

/** Interest and principal on the 5th; a draw-down on the 10th. */
export function serveLoans(world: World, month: string): void {
  for (const loan of LOANS) {
    const owed = 0 - world.journal.balance(loan.account)
    const principal = Math.min(loan.principal, owed)
    const interest = share(owed, loan.rate, 120_000)
    world.journal.post('LON', businessDay(dayOf(month, 5)), 'Loan instalment', [
      { account: loan.account, amount: principal },
      { account: loan.interest, amount: interest, ...finance },
      { account: BANK, amount: -principal - interest, ...finance },
    ])
    const drawn = loan.draws[month] ?? 0
    world.journal.post('LON', businessDay(dayOf(month, 10)), 'Loan drawn', [
      { account: BANK, amount: drawn, ...finance },
      { account: loan.account, amount: -drawn },
    ])
  }
  if (month === '2024-12' || month === '2025-12')
    world.journal.post('LON', businessDay(dayOf(month, 18)), 'Repayment to shareholder', [
      { account: '2530', amount: usd(60_000) },
      { account: BANK, amount: -usd(60_000), ...finance },
    ])
  // The part due within a year is shown as current on the balance sheet date only.
  if (monthNumber(month) === 12) {
    const due: Line[] = [
      { account: '2510', amount: usd(60_000) },
      { account: '2480', amount: -usd(60_000) },
    ]
    const id = world.journal.post('ADJ', lastDay(month), 'Loan due within a year', due)
    world.journal.later(`${addMonths(month, 1)}-01`, (day) =>
      world.journal.post('REV', day, `Reversal of ${id}`, reversed(due), id),
    )
  }
}

const FLOOR = usd(180_000)
const STEP = usd(100_000)

/** On the last business day: draw on the line of credit or pay it back, invest what is left; interest on both. */
export function manageCash(world: World, month: string): void {
  const date = businessDay(lastDay(month))
  const lineOwed = 0 - world.journal.balance('2490')
  const cash = world.journal.balance(BANK)
  world.journal.post('INT', lastDay(month), 'Interest on line of credit', [
    { account: '8030', amount: share(lineOwed, 790, 120_000), ...finance },
    { account: '2420', amount: -share(lineOwed, 790, 120_000) },
  ])
  if (monthNumber(month) % 3 === 0) {
    const accrued = 0 - world.journal.balance('2420')
    world.journal.later(businessDay(dayOf(addMonths(month, 1), 5)), (day) =>
      world.journal.post('INT', day, 'Interest of the quarter', [
        { account: '2420', amount: accrued },
        { account: BANK, amount: -accrued, ...finance },
      ]),
    )
  }
  const invested = world.journal.balance('1019')
  const earned = share(invested, 410, 120_000)
  world.journal.post('INT', lastDay(month), 'Interest on money market fund', [
    { account: '1019', amount: earned, ...finance },
    { account: '7010', amount: -earned, ...finance },
  ])
  const move = (account: string, amount: number, memo: string) =>
    world.journal.post('TRF', date, memo, [
      { account: BANK, amount, ...finance },
      { account, amount: -amount, ...(account === '2490' ? {} : finance) },
    ])
  const lacking = cash < FLOOR ? Math.ceil((FLOOR - cash) / STEP) * STEP : 0
  const fromFund = Math.min(lacking, Math.floor(invested / STEP) * STEP)
  if (fromFund > 0) move('1019', fromFund, 'From money market fund')
  if (lacking > fromFund) move('2490', lacking - fromFund, 'Drawn on line of credit')
  if (lineOwed > 0 && cash > FLOOR + STEP)
    move('2490', -Math.min(lineOwed, Math.floor((cash - FLOOR) / STEP) * STEP), 'Line of credit paid back')
  else if (cash > 5 * FLOOR) move('1019', -2 * STEP, 'To money market fund')
}

/** Bank charges, petty cash, a tenant, and the once-only events of four years. */
export function bookSundries(world: World, month: string): void {
  const random = seeded(`harbor/sundries/${month}`)
  const post = (series: string, day: number, memo: string, lines: readonly Line[]) =>
    world.journal.post(series, businessDay(dayOf(month, day)), memo, lines)
  const paid = (account: string, amount: number, tags = {}): Line[] => [
    { account, amount, ...tags },
    { account: BANK, amount: -amount, ...finance },
  ]
  post(
    'BNK',
    28,
    'Bank charges',
    paid('6740', usd(random.between(180, 320)) + random.between(0, 99), finance),
  )
  const petty = random.between(12_000, 38_000)
  post('PTY', 25, 'Petty cash', [
    { account: '6630', amount: petty, department: 'warehouse' },
    { account: '1014', amount: -petty, department: 'warehouse' },
  ])
  post('PTY', 27, 'Petty cash refilled', paid('1014', petty, { department: 'warehouse' }))
  if (month >= '2024-01')
    post('RNT', 3, 'Sublease of the loft', [
      { account: BANK, amount: usd(1_250), ...finance },
      { account: '7050', amount: -usd(1_250), department: 'ops' },
    ])
  const events: Record<string, () => void> = {
    '2023-06': () =>
      post('TRF', 20, 'Account with Casco Savings closed', [
        { account: BANK, amount: usd(18_640), ...finance },
        { account: '1015', amount: -usd(18_640), ...finance },
      ]),
    '2023-11': () => post('DON', 24, 'Sea rescue fund', paid('8050', usd(5_000), { department: 'admin' })),
    '2024-02': () => post('BNK', 12, 'Deposit for the Boston store', paid('1710', usd(28_200))),
    '2024-05': () =>
      post('ADV', 8, 'Advance to an employee', paid('1130', usd(3_000), { department: 'workshop' })),
    '2024-08': () =>
      post('ADV', 21, 'Advance paid back', [
        { account: BANK, amount: usd(3_000), department: 'workshop' },
        { account: '1130', amount: -usd(3_000), department: 'workshop' },
      ]),
    '2024-09': () =>
      post('INS', 16, 'Insurance pays for storm damage', [
        { account: BANK, amount: usd(12_400), ...finance },
        { account: '7040', amount: -usd(12_400), department: 'warehouse' },
      ]),
    '2024-10': () => post('EQY', 15, 'Own shares bought back', paid('3300', usd(40_000))),
    '2024-11': () => post('DON', 22, 'Sea rescue fund', paid('8050', usd(6_000), { department: 'admin' })),
    '2025-03': () =>
      post('EQY', 10, 'Shares issued', [
        { account: BANK, amount: usd(100_000), ...finance },
        { account: '3110', amount: -usd(10_000) },
        { account: '3120', amount: -usd(90_000) },
      ]),
    '2025-04': () => post('BNK', 22, 'Late filing penalty', paid('8060', usd(385), finance)),
    '2025-11': () => post('DON', 24, 'Sea rescue fund', paid('8050', usd(6_000), { department: 'admin' })),
    '2026-06': () => {
      // Someone else's money: it waits on the clearing account until it is sent back.
      post('BNK', 9, 'Receipt without a known payer', [
        { account: BANK, amount: usd(4_118) + 75, ...finance },
        { account: '1490', amount: -usd(4_118) - 75 },
      ])
      post('BNK', 23, 'Returned to the payer', paid('1490', usd(4_118) + 75))
    },
  }
  events[month]?.()
}

const yearToDate = (world: World, year: string, accounts: (account: string) => boolean): number =>
  0 -
  world.journal.transactions
    .filter((transaction) => transaction.date.startsWith(year))
    .flatMap((transaction) => transaction.lines)
    .filter((line) => accounts(line.account))
    .reduce((sum, line) => sum + line.amount, 0)

/** Each quarter's provision brings the year's tax to 21 % federal and 7 % state of the profit so far. */
export function provideForTax(world: World, month: string): void {
  if (monthNumber(month) % 3 !== 0) return
  const year = month.slice(0, 4)
  const profit = yearToDate(world, year, (account) => account >= '4000' && account < '9000')
  const lines = (
    [
      ['9010', 21],
      ['9020', 7],
    ] as const
  ).map(([account, percent]): Line => {
    const booked = 0 - yearToDate(world, year, (other) => other === account)
    return { account, amount: share(Math.max(profit, 0), percent, 100) - booked, ...finance }
  })
  const provided = lines.reduce((sum, line) => sum + line.amount, 0)
  world.journal.post('ADJ', lastDay(month), 'Income tax of the quarter', [
    ...lines,
    { account: '2460', amount: -provided },
  ])
  const owed = 0 - world.journal.balance('2460')
  if (owed <= 0) return
  world.journal.later(businessDay(dayOf(addMonths(month, 1), 14)), (day) => {
    world.journal.post('TRF', day, 'To the tax reserve', [
      { account: '1013', amount: owed, ...finance },
      { account: BANK, amount: -owed, ...finance },
    ])
    world.journal.post('TAX', day, 'Estimated income tax', [
      { account: '2460', amount: owed },
      { account: '1013', amount: -owed, ...finance },
    ])
  })
}

/** Doubtful accounts are kept at 1.5 percent of receivables, adjusted each quarter. */
export function reviewReceivables(world: World, month: string): void {
  if (monthNumber(month) % 3 !== 0) return
  const wanted = share(world.journal.balance(RECEIVABLES), 15, 1000)
  const change = wanted + world.journal.balance('1190')
  world.journal.post('ADJ', lastDay(month), 'Allowance for doubtful accounts', [
    { account: '6470', amount: change, ...finance },
    { account: '1190', amount: -change, ...finance },
  ])
}

/** Half of last year's profit is declared in March and paid in April. */
export function declareDividend(world: World, month: string): void {
  if (monthNumber(month) !== 3) return
  const lastYear = String(Number(month.slice(0, 4)) - 1)
  const profit = yearToDate(world, lastYear, (account) => account >= '4000')
  const dividend = Math.floor(profit / 2 / usd(1_000)) * usd(1_000)
  if (dividend <= 0) return
  world.journal.post('EQY', businessDay(dayOf(month, 24)), 'Dividend declared', [
    { account: '3220', amount: dividend },
    { account: '2470', amount: -dividend },
  ])
  world.journal.later(businessDay(dayOf(addMonths(month, 1), 20)), (day) =>
    world.journal.post('EQY', day, 'Dividend paid', [
      { account: '2470', amount: dividend },
      { account: BANK, amount: -dividend, ...finance },
    ]),
  )
}
