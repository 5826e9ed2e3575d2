/** The fiscal years that SIE files date (#RAR), and which file's figures of a year count. */
import { byCodePoint } from '../../../contract/vocabulary.ts'
import { error, type Finding } from '../../../workspace/findings/finding.ts'
import type { FiscalYear } from '../../format/intake.ts'
import type { BalanceLabel, SieBalance, SieFile } from './records.ts'
import { otherBudget, type Shown } from './stated.ts'

/** One fiscal year as a file states it, with the file's own index of it. */
export interface SieYear extends FiscalYear {
  readonly file: SieFile
  readonly index: number
}

/** Each file with its own fiscal year (#RAR 0); a file that does not date it is left out. */
export const currentYears = (files: readonly SieFile[]): SieYear[] =>
  files.flatMap((file) => {
    const year = file.years.get(0)
    return year === undefined ? [] : [{ ...year, file, index: 0 }]
  })

/** The files that can be built, in order: of transactions (SIE 4), and of a year that they date. */
export const transactionFiles = (files: readonly SieFile[]): SieFile[] =>
  currentYears(files.filter(({ type }) => type === '4'))
    .sort((a, b) => byCodePoint(a.start, b.start))
    .map(({ file }) => file)

/** The figures that its file states of a year. */
export const rowsOf = ({ file, index }: SieYear, ...labels: readonly BalanceLabel[]): SieBalance[] =>
  file.balances.filter(({ label, year }) => year === index && labels.includes(label))

export interface Calendar {
  /** In order, each with the file whose figures of it count: its own where there is one. */
  readonly years: readonly SieYear[]
  /** Years that another file states as well; their figures do not count. */
  readonly others: readonly SieYear[]
  readonly findings: readonly Finding[]
}

export function calendar(files: readonly SieFile[]): Calendar {
  const findings: Finding[] = []
  const years: SieYear[] = []
  const others: SieYear[] = []
  const candidates = files
    .flatMap((file) => [...file.years].map(([index, year]): SieYear => ({ ...year, file, index })))
    .sort((a, b) => Math.abs(a.index) - Math.abs(b.index))
  for (const year of candidates) {
    const other = years.find((known) => known.start <= year.end && year.start <= known.end)
    if (other === undefined) years.push(year)
    else if (other.start !== year.start || other.end !== year.end || (year.index === 0 && other.index === 0))
      findings.push(
        error(
          year.index === 0 && other.index === 0 && other.start === year.start
            ? 'duplicate-year'
            : 'fiscal-year-conflict',
          `the year ${year.start} to ${year.end} overlaps ${other.start} to ${other.end} in ${other.file.file}`,
          {
            file: year.file.file,
            column: '#RAR',
            text: String(year.index),
            remedy: 'keep one file per fiscal year',
          },
        ),
      )
    else others.push(year)
  }
  return { years: years.sort((a, b) => byCodePoint(a.start, b.start)), others, findings }
}

/** The file whose budget of a year counts, the year's own first, and what other files state differently. */
export function budgetYear(
  year: SieYear,
  others: readonly SieYear[],
  shown: Shown,
): { readonly year: SieYear; readonly findings: readonly Finding[] } {
  const stated = [year, ...others.filter(({ start }) => start === year.start)]
    .map((each) => ({ year: each, file: each.file.file, rows: rowsOf(each, 'PBUDGET') }))
    .filter(({ rows }) => rows.length > 0)
  const [counted, ...rest] = stated
  if (counted === undefined) return { year, findings: [] }
  return { year: counted.year, findings: rest.flatMap((other) => otherBudget(counted, other, shown)) }
}
