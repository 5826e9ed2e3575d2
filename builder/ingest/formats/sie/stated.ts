/**
 * Figures that SIE files state more than once. Programs repeat records: budgets under year 0 and again under year -1 with
 * the same months, whole sections twice. What is equal counts once; what is stated with two values is an error.
 */
import { error, type Finding, warning } from '../../../workspace/findings/finding.ts'
import type { FiscalYear } from '../../format/intake.ts'
import type { SieBalance, SieFile } from './records.ts'

/** Money as in tables: 1,234.50. */
export type Shown = (minor: number) => string

/** The file with each figure once, under the year that its month lies in. */
export function statedOnce(
  sie: SieFile,
  shown: Shown,
): { readonly sie: SieFile; readonly findings: Finding[] } {
  const figures = new Map<string, SieBalance>()
  const contradictions: Contradiction[] = []
  for (const row of sie.balances) {
    const figure = row.month === null ? row : { ...row, year: yearOfMonth(row.month, row.year, sie.years) }
    const key = figureKey(figure)
    const known = figures.get(key)
    if (known === undefined) figures.set(key, figure)
    else if (known.minor !== figure.minor) contradictions.push({ first: known, second: figure })
  }
  return {
    sie: { ...sie, balances: [...figures.values()] },
    findings: contradiction(sie.file, contradictions, shown),
  }
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
