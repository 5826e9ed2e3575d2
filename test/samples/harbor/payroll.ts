/** Who works at Harbor and what the payroll books: gross by department, withholdings, employer's share, bonuses. */
import { addMonths, businessDay, dayOf, lastDay, monthNumber } from '../calendar.ts'
import { type Line, share } from '../journal.ts'
import { seeded } from '../random.ts'
import { BANK, season, usd, type World } from './world.ts'

interface Position {
  readonly count: number
  /** Yearly gross of one person in dollars, 2023. */
  readonly pay: number
  readonly hourly: boolean
  readonly department: string
  readonly class?: string
  readonly from?: string
  readonly until?: string
  /** Months in which seasonal staff work. */
  readonly months?: readonly number[]
}

const SUMMER = [4, 5, 6, 7, 8] as const
const POSITIONS: readonly Position[] = [
  { count: 1, pay: 168_000, hourly: false, department: 'admin' },
  { count: 1, pay: 105_000, hourly: false, department: 'finance' },
  { count: 1, pay: 56_000, hourly: false, department: 'finance' },
  { count: 1, pay: 82_000, hourly: false, department: 'it' },
  { count: 1, pay: 96_000, hourly: false, department: 'sales', class: 'wholesale' },
  { count: 1, pay: 71_000, hourly: false, department: 'sales', class: 'wholesale-ne' },
  { count: 1, pay: 68_000, hourly: false, department: 'sales', class: 'wholesale-se' },
  { count: 1, pay: 70_000, hourly: false, department: 'sales', class: 'wholesale-west', from: '2023-05' },
  { count: 1, pay: 58_000, hourly: false, department: 'sales', class: 'retail-portland' },
  { count: 3, pay: 38_500, hourly: true, department: 'sales', class: 'retail-portland' },
  { count: 1, pay: 61_000, hourly: false, department: 'sales', class: 'retail-boston', from: '2024-03' },
  { count: 2, pay: 41_000, hourly: true, department: 'sales', class: 'retail-boston', from: '2024-03' },
  { count: 1, pay: 54_000, hourly: false, department: 'sales', class: 'retail-online' },
  { count: 2, pay: 66_000, hourly: false, department: 'purchasing' },
  { count: 1, pay: 72_000, hourly: false, department: 'warehouse' },
  { count: 4, pay: 42_000, hourly: true, department: 'warehouse' },
  { count: 2, pay: 37_000, hourly: true, department: 'warehouse', months: SUMMER },
  { count: 3, pay: 45_500, hourly: true, department: 'delivery' },
  { count: 1, pay: 78_000, hourly: false, department: 'workshop', class: 'services-rigging' },
  { count: 3, pay: 55_000, hourly: true, department: 'workshop', class: 'services-rigging' },
  {
    count: 1,
    pay: 55_000,
    hourly: true,
    department: 'workshop',
    class: 'services-rigging',
    until: '2024-08',
  },
  { count: 1, pay: 44_000, hourly: true, department: 'workshop', class: 'services-rental' },
]

const employed = (position: Position, month: string): boolean =>
  (position.from ?? '') <= month &&
  month <= (position.until ?? '9') &&
  (position.months?.includes(monthNumber(month)) ?? true)

/** People on the payroll at the end of a month, by department and class. */
export const headcount = (month: string): { department: string; class: string; people: number }[] =>
  POSITIONS.filter((position) => employed(position, month)).map((position) => ({
    department: position.department,
    class: position.class ?? '',
    people: position.count,
  }))

const WITHHELD = [
  { account: '2320', perMille: 121 },
  { account: '2330', perMille: 46 },
  { account: '2350', perMille: 38 },
] as const

/** The month's payroll on its last business day; what was withheld is remitted on the 15th of the next. */
export function payStaff(world: World, month: string): void {
  const random = seeded(`harbor/payroll/${month}`)
  // Raises of 3.5 percent take effect in April.
  const raises = Number(month.slice(0, 4)) - 2023 - (monthNumber(month) < 4 ? 1 : 0)
  const gross = new Map<string, Line>()
  const add = (account: string, amount: number, position: Pick<Position, 'class' | 'department'>) => {
    const key = `${account}|${position.class ?? ''}|${position.department}`
    const amountBefore = gross.get(key)?.amount ?? 0
    gross.set(key, {
      account,
      amount: amountBefore + amount,
      class: position.class,
      department: position.department,
    })
  }
  for (const position of POSITIONS.filter((candidate) => employed(candidate, month))) {
    const monthly = share(usd(position.count * position.pay), 1000 + 35 * raises, 12_000)
    add(position.hourly ? '6120' : '6110', position.hourly ? random.around(monthly, 4) : monthly, position)
    if (position.hourly && season(month) > 115)
      add('6130', share(monthly, season(month) - 100, 500), position)
  }
  for (const memberClass of ['wholesale-ne', 'wholesale-se', 'wholesale-west'])
    add('6140', share(usd(random.between(900, 2_600)), season(month), 100), {
      class: memberClass,
      department: 'sales',
    })
  post(world, month, 'Payroll', [...gross.values()])

  for (const department of ['sales', 'ops', 'workshop', 'admin']) {
    const amount = share(
      usd({ sales: 1_900, ops: 900, workshop: 600, admin: 1_700 }[department]!),
      season(month),
      100,
    )
    world.journal.post('ADJ', lastDay(month), 'Bonus earned', [
      { account: '6150', amount, department },
      { account: '2430', amount: -amount, department },
    ])
  }
  if (monthNumber(month) === 2) payBonuses(world, month)
  if (monthNumber(month) % 3 === 0) accrueVacation(world, month)
}

function post(world: World, month: string, memo: string, gross: readonly Line[]): void {
  const date = businessDay(lastDay(month))
  const sum = gross.reduce((total, line) => total + line.amount, 0)
  const employer = gross.map((line) => ({
    ...line,
    account: '6210',
    amount: share(line.amount, 765, 10_000),
  }))
  const merged = mergeByDepartment(employer)
  const fica = 2 * merged.reduce((total, line) => total + line.amount, 0)
  const withheld = WITHHELD.map(({ account, perMille }) => ({ account, amount: -share(sum, perMille, 1000) }))
  const match = share(sum, 30, 1000)
  // Unemployment tax stops once a year's first 12,000 dollars of pay are passed: it falls on the first quarter.
  const unemployment = monthNumber(month) <= 3 ? share(sum, 21, 1000) : 0
  const net = sum - fica / 2 + withheld.reduce((total, line) => total + line.amount, 0)
  world.journal.post('TRF', date, 'Transfer for payroll', [
    { account: '1012', amount: net, department: 'finance' },
    { account: BANK, amount: -net, department: 'finance' },
  ])
  const id = world.journal.post('PAY', date, `${memo} ${month}`, [
    ...gross,
    ...merged,
    { account: '6220', amount: unemployment, department: 'admin' },
    { account: '6240', amount: match, department: 'admin' },
    ...withheld.map((line) => (line.account === '2350' ? { ...line, amount: line.amount - match } : line)),
    { account: '2340', amount: -fica },
    { account: '2410', amount: -unemployment },
    { account: '1012', amount: -net, department: 'finance' },
  ])
  world.journal.later(businessDay(dayOf(addMonths(month, 1), 15)), (day) =>
    world.journal.post(
      'TAX',
      day,
      'Payroll taxes and 401(k)',
      [
        ...withheld.map((line) => ({ account: line.account, amount: -line.amount })),
        { account: '2350', amount: match, memo: '401(k) match' },
        { account: '2340', amount: fica },
        { account: '2410', amount: unemployment, memo: 'Unemployment tax' },
        {
          account: BANK,
          amount: withheld.reduce((total, line) => total + line.amount, 0) - match - fica - unemployment,
          department: 'finance',
        },
      ],
      id,
    ),
  )
}

function mergeByDepartment(lines: readonly Line[]): Line[] {
  const merged = new Map<string, Line>()
  for (const line of lines) {
    const key = `${line.class ?? ''}|${line.department ?? ''}`
    merged.set(key, { ...line, amount: (merged.get(key)?.amount ?? 0) + line.amount })
  }
  return [...merged.values()]
}

/** Last year's bonuses are paid in February out of what was set aside. */
function payBonuses(world: World, month: string): void {
  const owed = 0 - world.journal.balance('2430')
  const paid = share(owed, 85, 100)
  if (paid <= 0) return
  const date = businessDay(dayOf(month, 20))
  const withheld = share(paid, 28, 100)
  world.journal.post('PAY', date, 'Bonuses of last year', [
    { account: '2430', amount: paid },
    { account: '2320', amount: -withheld },
    { account: BANK, amount: withheld - paid, department: 'finance' },
  ])
  world.journal.later(businessDay(dayOf(addMonths(month, 1), 15)), (day) =>
    world.journal.post('TAX', day, 'Tax withheld from bonuses', [
      { account: '2320', amount: withheld },
      { account: BANK, amount: -withheld, department: 'finance' },
    ]),
  )
}

/** Vacation builds up in the first half of the year and is used in the second. */
function accrueVacation(world: World, month: string): void {
  const dollars = { 3: 5_200, 6: 6_900, 9: -7_800, 12: -2_600 }[monthNumber(month)] ?? 0
  world.journal.post('ADJ', lastDay(month), 'Vacation earned less taken', [
    { account: '6270', amount: usd(dollars), department: 'admin' },
    { account: '2370', amount: -usd(dollars), department: 'admin' },
  ])
}
