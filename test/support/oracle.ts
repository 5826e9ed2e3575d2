/**
 * The figures of a small company by plain arithmetic on its ledger lines, in whole cents: written from the accounting
 * rules, sharing no code with the product, so that the two can disagree.
 */
import { movesOf } from './flow-oracle.ts'

export interface Line {
  readonly tx: string
  /** `YYYY-MM-DD` */
  readonly date: string
  readonly account: string
  /** Cents, debit positive. */
  readonly amount: bigint
  readonly class: string | null
  readonly department: string | null
  readonly mark: 'opening' | 'closing' | null
}

type Section =
  | 'Asset'
  | 'Liability'
  | 'Equity'
  | 'Income'
  | 'CostOfSales'
  | 'Expense'
  | 'OtherIncome'
  | 'OtherExpense'

export interface World {
  readonly accounts: Readonly<
    Record<string, { readonly section: Section; readonly cash: string | null; readonly type?: string }>
  >
  /** Accounts that are named as gains and losses on disposals. */
  readonly disposals?: readonly string[]
  /** Member → its parent. */
  readonly classes: Readonly<Record<string, string | null>>
  readonly departments: Readonly<Record<string, string | null>>
  readonly years: readonly (readonly [start: string, end: string])[]
  readonly lines: readonly Line[]
}

export interface Filter {
  readonly classId: string | null
  readonly departmentId: string | null
}

/** Bounds inclusive. */
export type Span = readonly [start: string, end: string]

export interface Answer {
  readonly rows: Readonly<Record<string, readonly bigint[]>>
  readonly totals: Readonly<Record<string, readonly bigint[]>>
}

const PROFIT_AND_LOSS: readonly Section[] = [
  'Income',
  'CostOfSales',
  'Expense',
  'OtherIncome',
  'OtherExpense',
]

export const selects = (world: World, line: Line, { classId, departmentId }: Filter): boolean =>
  carries(world.classes, line.class, classId) && carries(world.departments, line.department, departmentId)

/** Whether a line's tag is the member asked for, or stands somewhere below it. */
function carries(parents: World['classes'], tag: string | null, asked: string | null): boolean {
  if (asked === null) return true
  if (asked === 'unassigned') return tag === null
  for (let member = tag; member !== null; member = parents[member] ?? null) if (member === asked) return true
  return false
}

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n)

/** The months of a range, the first and the last cut to it. */
export function monthsOf([start, end]: Span): Span[] {
  const spans: Span[] = []
  let [year, month] = [Number(start.slice(0, 4)), Number(start.slice(5, 7))]
  for (;;) {
    const prefix = `${year}-${String(month).padStart(2, '0')}`
    if (prefix > end.slice(0, 7)) return spans
    const first = `${prefix}-01`
    const last = `${prefix}-${String(daysIn(year, month)).padStart(2, '0')}`
    spans.push([first < start ? start : first, last > end ? end : last])
    month = month === 12 ? 1 : month + 1
    year = month === 1 ? year + 1 : year
  }
}

export const daysIn = (year: number, month: number): number =>
  month === 2
    ? (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
      ? 29
      : 28
    : [4, 6, 9, 11].includes(month)
      ? 30
      : 31

export function oracle(
  world: World,
  statement: 'ProfitAndLoss' | 'BalanceSheet' | 'CashFlow',
  filter: Filter,
  range: Span,
): Answer {
  const section = (line: Line): Section => world.accounts[line.account]!.section
  const isResult = (line: Line): boolean => PROFIT_AND_LOSS.includes(section(line))
  const isCash = (line: Line): boolean => world.accounts[line.account]!.cash === 'Cash'
  const entries = grouped(world.lines)
  const isTransfer = (line: Line): boolean => {
    const entry = entries.get(line.tx)!
    return (
      entry.every((other) => section(other) === 'Equity') && sum(entry.map(({ amount }) => amount)) === 0n
    )
  }
  const own = world.lines.filter((line) => selects(world, line, filter))
  const activity = own.filter((line) => line.mark === null && (isResult(line) || !isTransfer(line)))
  const months = monthsOf(range)
  const inside = (line: Line, [start, end]: Span): boolean => start <= line.date && line.date <= end
  const until = (line: Line, date: string): boolean => line.mark === 'opening' || line.date <= date

  /** A figure per month, of each account in turn. */
  const byAccount = (lines: readonly Line[], figure: (lines: readonly Line[], month: Span) => bigint) =>
    Object.fromEntries(
      Object.keys(world.accounts).map((account) => {
        const those = lines.filter((line) => line.account === account)
        return [account, months.map((month) => figure(those, month))]
      }),
    )
  const across = (figure: (month: Span) => bigint): bigint[] => months.map(figure)
  const moved = (lines: readonly Line[], month: Span): bigint =>
    sum(lines.filter((line) => inside(line, month)).map(({ amount }) => amount))
  const standing = (lines: readonly Line[], [, end]: Span): bigint =>
    sum(lines.filter((line) => until(line, end)).map(({ amount }) => amount))
  const of = (...sections: Section[]) => activity.filter((line) => sections.includes(section(line)))

  if (statement === 'ProfitAndLoss') {
    const income = across((month) => -moved(of('Income'), month))
    const cost = across((month) => moved(of('CostOfSales'), month))
    const expense = across((month) => moved(of('Expense'), month))
    const otherIncome = across((month) => -moved(of('OtherIncome'), month))
    const otherExpense = across((month) => moved(of('OtherExpense'), month))
    const gross = income.map((value, i) => value - cost[i]!)
    const operating = gross.map((value, i) => value - expense[i]!)
    const results = activity.filter(isResult)
    return {
      rows: byAccount(results, (lines, month) => {
        const credit = lines[0] && ['Income', 'OtherIncome'].includes(section(lines[0]))
        return credit ? -moved(lines, month) : moved(lines, month)
      }),
      totals: {
        TotalIncome: income,
        TotalCostOfSales: cost,
        GrossProfit: gross,
        TotalExpense: expense,
        OperatingIncome: operating,
        TotalOtherIncome: otherIncome,
        TotalOtherExpense: otherExpense,
        NetIncome: operating.map((value, i) => value + otherIncome[i]! - otherExpense[i]!),
      },
    }
  }

  if (statement === 'BalanceSheet') {
    const results = own.filter(isResult)
    const all = across((month) => -standing(results, month))
    const current = across(([, end]) => {
      const [start] = world.years.find(([first, last]) => first <= end && end <= last) ?? [end]
      const counted = results.filter(
        (line) => line.mark !== 'opening' && start <= line.date && line.date <= end,
      )
      return -sum(counted.map((line) => (line.mark === null ? line.amount : ownShares(world).get(line)!)))
    })
    const balancing = across((month) => standing(own, month))
    const rows = byAccount(
      own.filter((line) => !isResult(line)),
      (lines, month) =>
        lines[0] && section(lines[0]) === 'Asset' ? standing(lines, month) : -standing(lines, month),
    )
    const total = (wanted: Section, sign: bigint) =>
      across(
        (month) =>
          sign *
          standing(
            own.filter((line) => section(line) === wanted),
            month,
          ),
      )
    const assets = total('Asset', 1n)
    const liabilities = total('Liability', -1n)
    const equity = total('Equity', -1n).map((value, i) => value + all[i]! + balancing[i]!)
    return {
      rows: {
        ...rows,
        'current-year-earnings': current,
        'prior-years-not-closed': all.map((value, i) => value - current[i]!),
        balancing,
      },
      totals: {
        TotalAssets: assets,
        TotalLiabilities: liabilities,
        TotalEquity: equity,
        TotalLiabilitiesAndEquity: equity.map((value, i) => value + liabilities[i]!),
      },
    }
  }

  const ofAll = world.lines.filter((line) => line.mark === null && (isResult(line) || !isTransfer(line)))
  const moves = movesOf(world, ofAll)
    .map((line): Line => ({ ...line, mark: null }))
    .filter((line) => selects(world, line, filter))
  const shown = [...activity.filter((line) => !isResult(line) && !isCash(line)), ...moves]
  const rows = {
    ...byAccount(shown, (lines, month) => -moved(lines, month)),
    ...Object.fromEntries(
      ['disposal-proceeds', 'without-cash'].map((row) => [
        row,
        months.map(
          (month) =>
            -moved(
              moves.filter(({ account }) => account === row),
              month,
            ),
        ),
      ]),
    ),
  }
  const net = across((month) => -moved(activity.filter(isResult), month))
  const balancing = across((month) => moved(activity, month))
  const category = (wanted: string) =>
    across((_) => 0n).map((_, i) =>
      sum(
        Object.entries(rows)
          .filter(([id]) =>
            id === 'disposal-proceeds'
              ? wanted === 'Investing'
              : (world.accounts[id]?.cash ?? 'Operating') === wanted,
          )
          .map(([, values]) => values[i]!),
      ),
    )
  const operating = category('Operating').map((value, i) => value + net[i]! + balancing[i]!)
  const investing = category('Investing')
  const financing = category('Financing')
  const cash = own.filter(isCash)
  const dayBefore = (line: Line, date: string): boolean => line.mark === 'opening' || line.date < date
  return {
    rows: { ...rows, 'net-income': net, balancing },
    totals: {
      NetCashFromOperating: operating,
      NetCashFromInvesting: investing,
      NetCashFromFinancing: financing,
      NetChangeInCash: operating.map((value, i) => value + investing[i]! + financing[i]!),
      BeginningCash: across(([start]) =>
        sum(cash.filter((line) => dayBefore(line, start)).map(({ amount }) => amount)),
      ),
      EndingCash: across((month) => standing(cash, month)),
    },
  }
}

const shares = new WeakMap<World, Map<Line, bigint>>()

/**
 * How much of each closing line is of its own year's results: all of it on the year's last day. Before, the balance counts that an
 * account's lines of the entry clear, or those of the accounts together where none is cleared exactly (accounting.md §4).
 */
function ownShares(world: World): Map<Line, bigint> {
  const known = shares.get(world)
  if (known) return known
  const made = new Map<Line, bigint>()
  const isResult = ({ account }: Line) => PROFIT_AND_LOSS.includes(world.accounts[account]!.section)
  const closings = [
    ...grouped(world.lines.filter((line) => line.mark === 'closing' && isResult(line))).values(),
  ]
  closings.sort((a, b) => (a[0]!.date < b[0]!.date ? -1 : a[0]!.date > b[0]!.date ? 1 : 0))
  for (const entry of closings) {
    const { date } = entry[0]!
    const [start, end] = world.years.find(([first, last]) => first <= date && date <= last)!
    const balances = (accounts: readonly string[]) => {
      let [own, earlier] = [0n, 0n]
      for (const line of world.lines) {
        if (!accounts.includes(line.account) || (line.mark !== 'opening' && line.date > date)) continue
        if (line.mark === 'closing' && !made.has(line)) continue
        const isOwn = line.mark !== 'opening' && start <= line.date
        const part = !isOwn ? 0n : line.mark === null ? line.amount : made.get(line)!
        own += part
        earlier += line.amount - part
      }
      return { own, earlier }
    }
    const cleared = (lines: readonly Line[], { own, earlier }: ReturnType<typeof balances>) => {
      const moved = sum(lines.map(({ amount }) => amount))
      const exact = [own, earlier, own + earlier].includes(-moved)
      const least = (a: bigint, b: bigint) => (a < b ? a : b)
      const older =
        moved > 0n && earlier < 0n
          ? least(moved, -earlier)
          : moved < 0n && earlier > 0n
            ? -least(-moved, earlier)
            : 0n
      return { exact, part: moved === -own && own !== earlier ? moved : moved - older, moved }
    }
    const divided: [Line, bigint][] = []
    const divide = (lines: readonly Line[], part: bigint, moved: bigint) => {
      const raw = lines.map((line) => (moved === 0n ? 0n : line.amount * part * moved))
      const square = moved === 0n ? 1n : moved * moved
      // Turned so that the whole is positive, rounded down, and the missing cents given to the largest remainders.
      const turn = sum(lines.map(({ amount }) => amount)) < 0n ? -1n : 1n
      const ratio = part * moved < 0n ? -1n : 1n
      const floors = raw.map((each) => floor(each * turn * ratio, square))
      const missing = (moved === 0n ? 0n : part * turn * ratio) - sum(floors)
      const order = raw
        .map((each, i) => ({ i, rest: each * turn * ratio - floors[i]! * square }))
        .sort((a, b) => (a.rest < b.rest ? 1 : a.rest > b.rest ? -1 : 0))
      for (const { i } of order.slice(0, Number(missing))) floors[i]! += 1n
      for (const [i, line] of lines.entries()) divided.push([line, floors[i]! * turn * ratio])
    }
    if (date === end) for (const line of entry) divided.push([line, line.amount])
    else {
      const rest: Line[] = []
      for (const account of new Set(entry.map((line) => line.account))) {
        const lines = entry.filter((line) => line.account === account)
        const { exact, part, moved } = cleared(lines, balances([account]))
        if (exact) divide(lines, part, moved)
        else rest.push(...lines)
      }
      const { part, moved } = cleared(rest, balances(rest.map(({ account }) => account)))
      divide(rest, part, moved)
    }
    for (const [line, part] of divided) made.set(line, part)
  }
  shares.set(world, made)
  return made
}

const floor = (a: bigint, b: bigint): bigint => (a >= 0n ? a / b : -((-a + b - 1n) / b))

function grouped(lines: readonly Line[]): Map<string, Line[]> {
  const groups = new Map<string, Line[]>()
  for (const line of lines) groups.set(line.tx, [...(groups.get(line.tx) ?? []), line])
  return groups
}

/** Cents as they stand in a file. */
export const centsText = (cents: bigint): string => {
  const digits = String(cents < 0n ? -cents : cents).padStart(3, '0')
  return `${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}
