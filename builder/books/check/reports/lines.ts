/** What the books give for each line of a program's own report: an account, a total of lines, or a result of those above it. */
import { addTo } from '../../../contract/grouping.ts'
import { isOnCreditSide, isProfitAndLoss } from '../../../contract/vocabulary.ts'
import type { OwnReport } from '../../../ingest/format/own-report.ts'
import type { LedgerKeys } from '../../read/key-sql.ts'
import { type Account, type Frame, isEarnings, notClosedCode } from '../../reference/frame.ts'
import type { Sums } from './sums.ts'

/** By column, in minor units, signed as in the report. */
export type Figures = readonly (number | null)[]

export interface Found {
  /** By line; null where a line is neither an account nor a sum. */
  readonly expected: readonly Figures[]
  /** The accounts with an amount in a column that no line is of: code and amount, debit positive; code -1 is the result of the year. */
  readonly missing: (column: number) => readonly (readonly [code: number, amount: number])[]
  /** The accounts that a figure is the sum of, alone; none where it is of others, or of results too. */
  readonly accountsOf: (line: number, column: number) => readonly number[]
}

const CURRENT =
  /^(net (income|profit|loss|earnings)|current years? (unallocated |net )?(earnings|profit|result).*|profit for the (year|period))$/i
const PRIOR =
  /^(retained earnings|(previous|prior) years? .*|accumulated (earnings|profits?)|undistributed profits?.*)$/i
const RESULT = /^(gross|net|operating|total)\b|\b(profit|income|earnings|margin)\b/i

export function statementFigures(
  frame: Frame,
  keys: LedgerKeys,
  { lines, columns, kind }: OwnReport,
  stated: readonly Figures[],
  sums: readonly Sums[],
): Found {
  const isFlow = kind === 'profit and loss'
  const hasFigures = stated.map((figures) => figures.some((each) => each !== null))
  const named = lines.map(({ account }, i) =>
    account !== null && hasFigures[i] ? (keys.accounts.get(account) ?? -1) : -1,
  )
  // A heading may have the name of an account below it, and a line that is there twice must not count twice.
  const lastOf = new Map(named.map((code, i) => [code, i]))
  const codes = named.map((code, i) => (lastOf.get(code) === i ? code : -1))
  const accounts = accountsOfLines(frame, codes)
  const called = (words: RegExp) =>
    isFlow ? -1 : lines.findIndex(({ label }) => words.test(bareLabel(label)))
  const prior =
    called(PRIOR) >= 0 || isFlow
      ? called(PRIOR)
      : codes.findIndex((code) => frame.accounts[code]?.type === 'RetainedEarnings')
  const current = called(CURRENT)
  const sides = sidesOf(frame, keys, lines, codes, isFlow)
  // Debit positive.
  const own = lines.map((_, i): Figures => {
    const code = codes[i] ?? -1
    if (code < 0 && i !== prior && i !== current) return columns.map(() => null)
    return sums.map((sum) => {
      const total = (accounts.get(code) ?? []).reduce((all, each) => all + (sum.accounts.get(each) ?? 0), 0)
      const isCurrent = i === current || (i === prior && current < 0)
      return total + (i === prior ? sum.prior : 0) + (isCurrent ? sum.current : 0)
    })
  })
  const natural = sumsBetween(own, columns.length, (i) => sides[i] ?? 1)
  const result = sumsBetween(own, columns.length, () => (isFlow ? -1 : 1))
  const isAccount = (i: number) => own[i]?.some((each) => each !== null) === true
  const others = lines.map((_, j) => j).filter((j) => !isAccount(j))
  const lastAccount = lines.findLastIndex((_, j) => isAccount(j))
  let since = 0
  const expected = lines.map(({ label, closes }, i): Figures => {
    if (isAccount(i)) return natural(i, i + 1)
    if (!hasFigures[i]) return columns.map(() => null)
    if (isFlow && i > lastAccount && CURRENT.test(bareLabel(label))) return result(0, i)
    // A heading may state the sum of what follows, and a total whose section has another name that of what is above.
    const around = /^(grand )?total/i.test(label)
      ? others.filter((j) => j < i).map((j) => natural(j, i))
      : [...others, lines.length].filter((j) => j > i).map((j) => natural(i, j))
    const tries =
      closes === null ? [result(0, i), result(since, i), ...around] : [natural(closes, i), result(closes, i)]
    const fit = (each: Figures) => each.filter((figure, c) => figure === stated[i]?.[c]).length
    const best = tries.reduce((a, b) => (fit(b) > fit(a) ? b : a))
    const isSum = best.some((figure, c) => figure !== 0 && figure === stated[i]?.[c])
    if (closes === null && !isSum && !RESULT.test(label)) return columns.map(() => null)
    if (closes === null && (best === tries[0] || best === tries[1])) since = i
    return best
  })
  const listed = new Set([...accounts.values()].flat())
  return {
    expected,
    accountsOf: (i) =>
      i === prior || i === current
        ? []
        : (accounts.get(codes[i] ?? -1) ?? []).filter((code) => isFlow || !isEarnings(frame, code)),
    missing: (c) => [
      ...[...(sums[c]?.accounts ?? [])].filter(
        ([code]) =>
          !listed.has(code) && isProfitAndLoss(frame.accounts[code]?.classification ?? 'Equity') === isFlow,
      ),
      ...(isFlow || prior >= 0 ? [] : [[notClosedCode(frame), sums[c]?.prior ?? 0] as const]),
      ...(isFlow || prior >= 0 || current >= 0 ? [] : [[-1, sums[c]?.current ?? 0] as const]),
    ],
  }
}

/** Without the number of an account. */
const bareLabel = (label: string): string => label.replace(/^[\d\s.·:–-]+/, '')

/** Gives the sums of the lines from one up to another, by column, without adding them up for each pair of lines. */
function sumsBetween(own: readonly Figures[], columns: number, signOf: (line: number) => number) {
  const upTo: number[][] = [Array(columns).fill(0)]
  for (const [i, figures] of own.entries())
    upTo.push((upTo[i] ?? []).map((sum, c) => sum + signOf(i) * (figures[c] ?? 0)))
  return (from: number, to: number): number[] =>
    (upTo[to] ?? []).map((sum, c) => sum - (upTo[from]?.[c] ?? 0))
}

/** For the code of each line, the accounts that it stands for: itself, and those below it that have no line. */
function accountsOfLines(frame: Frame, codes: readonly number[]): ReadonlyMap<number, readonly number[]> {
  const byId = new Map(frame.accounts.map(({ id }, code) => [id, code]))
  const lines = new Set(codes)
  const found = new Map<number, number[]>()
  for (const code of frame.accounts.keys()) {
    let at: number | undefined = code
    while (at !== undefined && !lines.has(at)) at = byId.get(frame.accounts[at]?.parentId ?? '')
    if (at !== undefined) addTo(found, at, code)
  }
  return found
}

/** 1 for lines that are stated debit positive, -1 for others: by the section of a balance sheet, else by the kind of account. */
function sidesOf(
  { accounts }: Frame,
  keys: LedgerKeys,
  lines: OwnReport['lines'],
  codes: readonly number[],
  isFlow: boolean,
): readonly number[] {
  const sideOf = (account: Account | undefined): number =>
    isOnCreditSide(account?.classification ?? 'Equity') ? -1 : 1
  let section: number | null = null
  return lines.map(({ label, account: id }, i) => {
    const account = accounts[codes[i] ?? -1]
    // A section that is an account, such as one called "Capital improvements", is on the side of that account.
    const parent = accounts[keys.accounts.get(id ?? '') ?? -1]
    if (!isFlow && account === undefined && !/^(total|net)\b/i.test(label))
      section =
        parent !== undefined
          ? sideOf(parent)
          : /liabilit|equity|capital|creditors/i.test(label)
            ? -1
            : /assets?\b/i.test(label)
              ? 1
              : section
    return section ?? sideOf(account)
  })
}

/** Of an aged list only the total is a figure of the books, that of the control accounts; all others must add up to it. */
export function agedFigures(
  frame: Frame,
  _: LedgerKeys,
  { kind, lines, columns }: OwnReport,
  stated: readonly Figures[],
  sums: readonly Sums[],
): Found {
  const isReceivable = kind === 'aged receivables'
  const type = isReceivable ? 'AccountsReceivable' : 'AccountsPayable'
  const last = columns.findLastIndex(({ header }) => /total|balance/i.test(header))
  const whole = last < 0 ? columns.length - 1 : last
  const wholes = lines.map(({ label }) => /^((grand )?total|aged (receivable|payable)s?)$/i.test(label))
  const totals = lines.map(({ closes }, i) => closes !== null || wholes[i])
  const sum = (from: number, to: number, c: number) =>
    stated.slice(from, to).reduce((all, figures, i) => all + (totals[from + i] ? 0 : (figures[c] ?? 0)), 0)
  const controls = [...frame.accounts.keys()].filter((code) => frame.accounts[code]?.type === type)
  const control = controls.reduce((all, code) => all + (sums[0]?.accounts.get(code) ?? 0), 0)
  const expected = lines.map(({ closes }, i): Figures => {
    const figures = stated[i] ?? []
    if (closes !== null && !wholes[i]) return columns.map((_, c) => sum(closes, i, c))
    if (wholes[i])
      return columns.map((_, c) =>
        c === whole ? (isReceivable ? control : 0 - control) : sum(0, lines.length, c),
      )
    const across = figures.reduce<number>((all, each, c) => all + (c === whole ? 0 : (each ?? 0)), 0)
    return figures.map((each, c) => (c === whole && columns.length > 1 ? across : each))
  })
  return { expected, missing: () => [], accountsOf: (i, c) => (wholes[i] && c === whole ? controls : []) }
}
