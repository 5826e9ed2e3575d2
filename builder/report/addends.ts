/**
 * Finds the lines above a line that it is the sum of, so that a reader can follow it: the accounts of a group, or income less cost
 * of sales for the gross profit. It follows from the accounts that each line adds up, whatever the layout.
 */
import { totalParts } from '../statements/specs.ts'
import type { ShownLine, ShownStatement } from './report.ts'

/** A line by its place in the list, added or subtracted. */
export interface Addend {
  readonly line: number
  readonly sign: 1 | -1
}

/** The accounts that a line adds up, each with its sign. */
type Accounts = ReadonlyMap<string, 1 | -1>

/** Stands for the opening cash of a statement, which is no account of it. */
const BEGINNING_CASH = 'BeginningCash'

/**
 * For each line, the lines above it that add up the same accounts, as few and as near as possible. Null where a line is
 * no such sum: an account itself, a heading, a percentage, or a total of accounts that are not shown.
 */
export function addendsOf({
  statement,
  lines,
}: Pick<ShownStatement, 'statement' | 'lines'>): (readonly Addend[] | null)[] {
  const accounts = lines.filter(({ kind }) => kind === 'account')
  const isShown = new Set(accounts.flatMap((line) => line.accounts))
  const sums = lines.map((line): Accounts => {
    // An account line without an account states what is in no total.
    const isOutside = line.kind === 'account' && line.accounts.length === 0
    if (line.isRatio || line.kind === 'heading' || isOutside) return new Map()
    if (line.accounts.length + line.less.length > 0)
      return new Map(
        [...signed(line.accounts, 1), ...signed(line.less, -1)].filter(([account]) => isShown.has(account)),
      )
    return ofTotal(line, statement, accounts)
  })
  return lines.map(({ kind }, i) =>
    kind === 'account' || kind === 'heading' ? null : covering(sums[i] ?? new Map(), sums.slice(0, i)),
  )
}

const signed = (accounts: readonly string[], sign: 1 | -1) =>
  accounts.map((account) => [account, sign] as const)

function ofTotal(
  { id }: ShownLine,
  statement: ShownStatement['statement'],
  accounts: readonly ShownLine[],
): Accounts {
  const parts = totalParts(statement, id)
  if (parts !== 'cash')
    return new Map(
      accounts.flatMap((line) => {
        const sign = line.section === null ? undefined : parts[line.section]
        return sign === undefined ? [] : signed(line.accounts, sign)
      }),
    )
  const beginning = [BEGINNING_CASH, 1] as const
  if (id === BEGINNING_CASH) return new Map([beginning])
  // Cash at the end: the beginning and all that moved.
  return new Map([beginning, ...accounts.flatMap((line) => signed(line.accounts, 1))])
}

/** Takes the nearest line that fits into the accounts that are left, until none is left; null where some stay. */
function covering(whole: Accounts, above: readonly Accounts[]): Addend[] | null {
  const left = new Map(whole)
  const addends: Addend[] = []
  for (let line = above.length - 1; line >= 0 && left.size > 0; line--) {
    const own = above[line] ?? new Map()
    const sign = signIn(own, left)
    if (sign === null) continue
    addends.unshift({ line, sign })
    for (const account of own.keys()) left.delete(account)
  }
  return addends.length === 0 || left.size > 0 ? null : addends
}

/** The sign with which all of `own` stands in `whole`; null where it does not. */
function signIn(own: Accounts, whole: Accounts): 1 | -1 | null {
  const [first] = own
  if (first === undefined || own.size > whole.size) return null
  const sign = whole.get(first[0]) === first[1] ? 1 : -1
  for (const [account, each] of own) if (whole.get(account) !== sign * each) return null
  return sign
}
