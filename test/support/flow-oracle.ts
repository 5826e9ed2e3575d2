/**
 * What entries move on the cash flow (docs/accounting.md §5), by plain arithmetic on ledger lines, in whole cents: sharing no code with
 * the product, so that the two can disagree.
 */
import type { Line, World } from './oracle.ts'

/** A line that only the cash flow shows, on an account or a computed row. */
export type Move = Omit<Line, 'mark'>

const sum = (lines: readonly { readonly amount: bigint }[]): bigint =>
  lines.reduce((total, { amount }) => total + amount, 0n)
const abs = (amount: bigint): bigint => (amount < 0n ? -amount : amount)
const sign = (amount: bigint): bigint => (amount > 0n ? 1n : amount < 0n ? -1n : 0n)
const least = (a: bigint, b: bigint): bigint => (a < b ? a : b)

/** `activity` in the order of the ledger: no openings, closing entries and transfers. */
export function movesOf(world: World, activity: readonly Line[]): Move[] {
  const entries = new Map<string, Line[]>()
  for (const line of activity.filter(({ amount }) => amount !== 0n)) {
    const key = `${line.tx} ${line.date.slice(0, 7)}`
    entries.set(key, [...(entries.get(key) ?? []), line])
  }
  return [...entries.values()].flatMap((lines) => movesOfEntry(world, lines))
}

function movesOfEntry({ accounts, disposals = [] }: World, lines: readonly Line[]): Move[] {
  const account = (line: Line) => accounts[line.account]!
  const isResult = (line: Line) => !['Asset', 'Liability', 'Equity'].includes(account(line).section)
  const place = (line: Line) => (isResult(line) ? 'Result' : (account(line).cash ?? 'Operating'))
  const isNamed = (line: Line) => disposals.includes(line.account)
  const isCharge = (line: Line) => isResult(line) && account(line).type === 'Depreciation'
  const isAllowance = (line: Line) =>
    account(line).type === 'AccumulatedDepreciation' && place(line) === 'Operating'
  const isAsset = (line: Line) => account(line).section === 'Asset' && place(line) === 'Investing'
  const isOther = (line: Line) =>
    isResult(line) &&
    !isNamed(line) &&
    !isCharge(line) &&
    !['IncomeTax', 'SalesTax'].includes(account(line).type ?? '')
  const isKnown = (line: Line) =>
    isAsset(line) ||
    isAllowance(line) ||
    isResult(line) ||
    place(line) === 'Cash' ||
    ['AccountsReceivable', 'AccountsPayable', 'CreditCard', 'SalesTax', 'IncomeTax'].includes(
      account(line).type ?? '',
    )

  const credits = lines.some((line) => isAsset(line) && line.amount < 0n)
  const debits = lines.some((line) => isAsset(line) && line.amount > 0n)
  const written = sum(lines.filter((line) => isCharge(line) || isAllowance(line)))
  const named = lines.some(isNamed)
  const allowed = sum(lines.filter(isAllowance))
  const assumes =
    !named &&
    ((credits && written > 0n && allowed > 0n) || (debits && written < 0n && allowed < 0n)) &&
    new Set(lines.filter(isOther).map((line) => line.account)).size === 1 &&
    lines.every(isKnown)
  const onlyCharges = !lines.some((line) => isResult(line) && !isCharge(line))
  const disposes =
    assumes || (written > 0n && (credits || named)) || (written < 0n && (named || (debits && onlyCharges)))
  const takesDebits = written < 0n || (written === 0n && !credits)
  const goes = (line: Line): boolean =>
    isNamed(line) ||
    (disposes && (isCharge(line) || isAllowance(line))) ||
    (assumes && isOther(line)) ||
    ((disposes || named) && isAsset(line) && (takesDebits ? line.amount > 0n : line.amount < 0n))

  const allowance = lines.find(isAllowance)?.account
  const pairs: Move[] = []
  const pair = (line: Line, from: string, onto: string, amount: bigint) => {
    const { mark: _, ...rest } = line
    pairs.push({ ...rest, account: from, amount: -amount }, { ...rest, account: onto, amount })
  }
  for (const line of lines.filter(goes))
    pair(line, isCharge(line) ? (allowance ?? line.account) : line.account, 'disposal-proceeds', line.amount)

  // What stands under investing and financing after that, line by line.
  const parts = lines.flatMap((line) => {
    if (goes(line)) return [{ line, account: 'disposal-proceeds', place: 'Investing', amount: line.amount }]
    return ['Investing', 'Financing'].includes(place(line))
      ? [{ line, account: line.account, place: place(line), amount: line.amount }]
      : []
  })
  type Part = (typeof parts)[number]
  const cancel = (of: Part[], wanted: bigint) => {
    const sharing = of.filter(({ amount }) => sign(amount) === sign(wanted))
    const whole = abs(sum(sharing))
    const shares = sharing.map((part) => ({
      part,
      share: (abs(part.amount) * abs(wanted)) / whole,
      rest: (abs(part.amount) * abs(wanted)) % whole,
    }))
    const cents = Number(abs(wanted) - shares.reduce((total, { share }) => total + share, 0n))
    for (const each of [...shares].sort((a, b) => Number(b.rest - a.rest)).slice(0, cents)) each.share += 1n
    for (const { part, share } of shares) {
      pair(part.line, part.account, 'without-cash', sign(wanted) * share)
      part.amount -= sign(wanted) * share
    }
  }
  const cash = lines.filter((line) => place(line) === 'Cash')
  const bothWays = cash.some(({ amount }) => amount > 0n) && cash.some(({ amount }) => amount < 0n)
  const of = (wanted: string) => parts.filter((part) => part.place === wanted)
  const [investing, financing] = [sum(of('Investing')), sum(of('Financing'))]
  if (!bothWays && sign(investing) * sign(financing) < 0n) {
    const both = least(abs(investing), abs(financing))
    cancel(of('Investing'), sign(investing) * both)
    cancel(of('Financing'), sign(financing) * both)
  }
  const equity = of('Financing').filter(({ line }) => account(line).section === 'Equity')
  const operating = sum(lines.filter((line) => ['Operating', 'Result'].includes(place(line)) && !goes(line)))
  if (cash.every(({ amount }) => amount === 0n) && sign(sum(equity)) * sign(operating) < 0n)
    cancel(equity, sign(sum(equity)) * least(abs(sum(equity)), abs(operating)))
  return pairs
}
