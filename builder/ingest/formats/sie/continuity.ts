/**
 * Whether a year opens (#IB 0) with what the file states as the close of the year before (#UB -1, #RES -1). The figures of
 * the year before are not published, so a difference is a warning: the file of that year is compared with its own closings.
 */
import { isProfitAndLoss } from '../../../contract/vocabulary.ts'
import { type Finding, warning } from '../../../workspace/findings/finding.ts'
import type { Reading } from './figures.ts'
import type { SieBalance, SieFile } from './records.ts'

type Classified = Pick<Reading, 'classificationOf' | 'shown'>

export function continuity(file: SieFile, reading: Classified): Finding[] {
  const of = (label: SieBalance['label'], year: number) =>
    file.balances.filter((row) => row.label === label && row.year === year && row.objects.length === 0)
  const closings = of('UB', -1)
  const openings = of('IB', 0)
  const results = of('RES', -1)
  return [
    ...(closings.length === 0 || openings.length === 0
      ? []
      : notCarried(file.file, closings, openings, sum(results), reading)),
    ...(closings.length === 0 || results.length === 0
      ? []
      : unequalResult(file.file, closings, results, sum(of('IB', -1)), reading)),
  ]
}

const sum = (rows: readonly SieBalance[]): number => rows.reduce((total, { minor }) => total + minor, 0)

/** Equity may differ by the result of the year before, which some programs move without an entry. */
function notCarried(
  file: string,
  closings: readonly SieBalance[],
  openings: readonly SieBalance[],
  result: number,
  { classificationOf, shown }: Classified,
): Finding[] {
  const closed = new Map(closings.map((row) => [row.account, row.minor]))
  const opened = new Map(openings.map((row) => [row.account, row.minor]))
  // Of each account its opening, else its closing: the line that a difference is reported on.
  const stated = new Map([...closings, ...openings].map((row) => [row.account, row]))
  const differences = [...stated.values()].flatMap(({ account, line }) => {
    const classification = classificationOf(account)
    const before = closed.get(account) ?? 0
    const after = opened.get(account) ?? 0
    if (before === after || (classification !== null && isProfitAndLoss(classification))) return []
    return [{ account, line, before, after, isEquity: classification === 'Equity' }]
  })
  const moved = differences
    .filter(({ isEquity }) => isEquity)
    .reduce((total, { before, after }) => total + after - before, 0)
  const named = differences.filter(({ isEquity }) => !isEquity || (moved !== 0 && moved !== result))
  const [first] = named
  if (first === undefined) return []
  const list = named.map(
    ({ account, before, after }) => `${account} closes with ${shown(before)} and opens with ${shown(after)}`,
  )
  return [
    warning(
      'closing-not-carried',
      `the year does not open with what the year before closed with (#UB -1, #IB 0): ${list.join('; ')}`,
      {
        file,
        row: first.line,
        column: '#IB',
        text: first.account,
        remedy:
          'was the year before changed after it was closed? carry its balances forward in the accounting program and export again; where the openings are right, nothing need be done',
      },
    ),
  ]
}

/**
 * Balances and results of a year are one trial balance, which adds up to zero, or to the results of earlier years that were
 * not moved when it opened.
 */
function unequalResult(
  file: string,
  closings: readonly SieBalance[],
  results: readonly SieBalance[],
  unmoved: number,
  { shown }: Classified,
): Finding[] {
  const difference = sum(closings) + sum(results)
  const [first] = results
  if (difference === 0 || difference === unmoved || first === undefined) return []
  return [
    warning(
      'prior-result-differs',
      `the results of the year before (#RES -1) add up to ${shown(sum(results))}, its closing balances (#UB -1) to ${shown(sum(closings))}: they should be each other's opposite, and differ by ${shown(difference)}`,
      {
        file,
        row: first.line,
        column: '#RES',
        remedy: 'export the file again, in full; these figures are not published',
      },
    ),
  ]
}
