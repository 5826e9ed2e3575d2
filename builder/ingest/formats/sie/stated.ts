/**
 * What SIE files state more than once, or of nobody. Programs repeat records: budgets under year 0 and again under year -1 with
 * the same months, whole sections twice. What is equal counts once; what is stated with two values is an error.
 */
import { error, type Finding, warning } from '../../../workspace/findings/finding.ts'
import type { FiscalYear } from '../../format/intake.ts'
import type { SieBalance, SieFile } from './records.ts'

/** Money as in tables: 1,234.50. */
export type Shown = (minor: number) => string

/** Leaves each figure in the file once, under the year that its month lies in. Returns what contradicts itself. */
export function statedOnce(sie: SieFile, shown: Shown): Finding[] {
  const figures = new Map<string, SieBalance>()
  const contradictions: Contradiction[] = []
  for (const row of sie.balances) {
    const figure = row.month === null ? row : { ...row, year: yearOfMonth(row.month, row.year, sie.years) }
    const key = figureKey(figure)
    const known = figures.get(key)
    if (known === undefined) figures.set(key, figure)
    else if (known.minor !== figure.minor) contradictions.push({ first: known, second: figure })
  }
  sie.balances = [...figures.values()]
  return contradiction(sie.file, contradictions, shown)
}

/** The year that holds the month, also where the index names another year. */
function yearOfMonth(month: string, index: number, years: ReadonlyMap<number, FiscalYear>): number {
  const holds = ({ start, end }: FiscalYear) => start.slice(0, 7) <= month && month <= end.slice(0, 7)
  const own = years.get(index)
  if (own !== undefined && holds(own)) return index
  return [...years].find(([, year]) => holds(year))?.[0] ?? index
}

/** What two records must share to state the same figure. */
export const figureKey = ({ label, year, month, account, objects }: SieBalance): string =>
  JSON.stringify([
    label,
    month ?? year,
    account,
    objects.map(({ dimension, id }) => JSON.stringify([dimension, id])).sort(),
  ])

interface Contradiction {
  readonly first: SieBalance
  readonly second: SieBalance
}

/** One finding for all contradictions, with the amounts of the first. */
function contradiction(file: string, [named, ...others]: readonly Contradiction[], shown: Shown): Finding[] {
  if (named === undefined) return []
  const { first, second } = named
  const more =
    others.length === 0 ? '' : `; ${others.length} more figures are stated twice with different amounts`
  return [
    error(
      'stated-twice',
      `the file states ${figureName(first)} twice: ${shown(first.minor)} on line ${first.line}, ${shown(second.minor)} on line ${second.line}${more}`,
      {
        file,
        row: second.line,
        column: `#${second.label}`,
        text: second.amount,
        remedy:
          'which of the two is right? correct it in the accounting program and export again, or remove the wrong lines from the file',
      },
    ),
  ]
}

const NAMES: Readonly<Record<SieBalance['label'], string>> = {
  IB: 'the opening balance',
  OIB: 'the opening balance',
  UB: 'the closing balance',
  OUB: 'the closing balance',
  RES: 'the result',
  PSALDO: 'the movement',
  PBUDGET: 'the budget',
}

/** "the budget of account 3041 for 2011-01", "the opening balance of account 1930 {1 "N"}". */
function figureName({ label, account, objects, month }: SieBalance): string {
  const of =
    objects.length === 0 ? '' : ` {${objects.map(({ dimension, id }) => `${dimension} "${id}"`).join(' ')}}`
  return `${NAMES[label]} of account ${account}${of}${month === null ? '' : ` for ${month}`}`
}

/** One year's budget as a file states it. */
export interface StatedBudget {
  readonly file: string
  readonly rows: readonly SieBalance[]
}

/** Two files may state the budget of one year: that of the year's own file counts, and each difference is reported. */
export function otherBudget(counted: StatedBudget, other: StatedBudget, shown: Shown): Finding[] {
  const known = new Map(counted.rows.map((row) => [figureKey(row), row]))
  const different = other.rows.filter((row) => known.get(figureKey(row))?.minor !== row.minor)
  const [first] = different
  if (first === undefined) return []
  const own = known.get(figureKey(first))
  const more = different.length === 1 ? '' : `; ${different.length - 1} more of its budget figures differ`
  return [
    warning(
      'budgets-differ',
      `${figureName(first)} is ${shown(first.minor)} here, and ${own === undefined ? 'is not stated' : shown(own.minor)} in ${counted.file}, which counts${more}`,
      {
        file: other.file,
        row: first.line,
        column: '#PBUDGET',
        text: first.amount,
        remedy: `where the budget was changed since, export ${counted.file} again`,
      },
    ),
  ]
}

const key = (dimension: string, id: string): string => JSON.stringify([dimension, id])

/**
 * Leaves out of a file, and returns it, objects "0" that are neither declared nor on a voucher: programs write {"1" "0"} for what carries no
 * object of dimension 1. What has no object is what the other shares leave of the total.
 */
export function withoutNobody(file: SieFile): SieFile {
  const isZero = (id: string) => /^0+$/.test(id)
  if (!file.balances.some(({ objects }) => objects.some(({ id }) => isZero(id)))) return file
  const known = new Set([
    ...file.objects.map(({ dimension, id }) => key(dimension, id)),
    ...[...file.vouchers.dimensions].flatMap(([dimension, { objects }]) =>
      [...objects].map((id) => key(dimension, id)),
    ),
  ])
  const figureOf = ({ label, year, month, account }: SieBalance) =>
    JSON.stringify([label, year, month, account])
  const totals = new Set(file.balances.filter(({ objects }) => objects.length === 0).map(figureOf))
  file.balances = file.balances.flatMap((row) => {
    const objects = row.objects.filter(({ dimension, id }) => !isZero(id) || known.has(key(dimension, id)))
    if (objects.length === row.objects.length) return [row]
    // Where a budget has no total, its share without an object is a part of it. Other figures only serve to check the books.
    const isShare = row.label === 'PBUDGET' && !totals.has(figureOf(row))
    return isShare ? [{ ...row, objects }] : []
  })
  return file
}

/**
 * Dimensions whose objects stand on movements or closings, but on no voucher line of any file: balances by object cannot be
 * made of such files. Dimension → the first such figure, and how many there are.
 */
export function balancesOnly(
  files: readonly SieFile[],
): ReadonlyMap<string, { readonly file: string; readonly row: SieBalance; readonly count: number }> {
  const stated = new Map<string, { file: string; row: SieBalance; count: number }>()
  for (const { file, balances } of files) {
    const opened = new Map(balances.map((row) => [keyOf(row, 'OIB'), row.minor]))
    for (const row of balances) {
      const isMoved =
        row.label === 'PSALDO'
          ? row.minor !== 0
          : row.label === 'OUB' && row.minor !== (opened.get(keyOf(row, 'OUB')) ?? 0)
      if (isMoved && row.year === 0)
        for (const { dimension } of row.objects) {
          const known = stated.get(dimension)
          if (known === undefined) stated.set(dimension, { file, row, count: 1 })
          else known.count++
        }
    }
  }
  for (const { vouchers } of files)
    for (const dimension of vouchers.dimensions.keys()) stated.delete(dimension)
  return stated
}

/** Openings and closings of one account and object share a key. */
const keyOf = ({ label, year, account, objects }: SieBalance, of: 'OIB' | 'OUB'): string =>
  label === of ? JSON.stringify([year, account, objects]) : ''
