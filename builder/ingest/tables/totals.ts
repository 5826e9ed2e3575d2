/**
 * Rows that sum up others. They are recognised, checked against the rows above them, and left out with a warning,
 * since they would count everything twice. A total that does not agree is an error: either it or a row is wrong.
 */

import { addTo } from '../../contract/grouping.ts'
import { listed } from '../../contract/listed.ts'
import { present } from '../../contract/present.ts'
import type { BudgetSign } from '../../workspace/company.ts'
import { error, type Finding, note, warning } from '../../workspace/findings/finding.ts'
import { COMPANY_FILE } from '../../workspace/workspace.ts'
import { type TextRow, textAt } from '../text/csv.ts'
import { cellPlace, type Table } from './table.ts'

/** Words that begin or end the label of a total, in the languages of the formats that are read here. */
export const TOTAL_WORDS =
  '(grand|sub)?[ -]?totals?|totalt|totale|totaal|totaux|sum|sums|summe|summa|gesamt|gesamtsumme|zwischensumme|somme|suma|soma|i alt|samtals|yhteensä|net (income|profit|loss|result)|gross (profit|margin)|profit|result|resultat|ergebnis|gewinn|årets resultat'
const IS_TOTAL = new RegExp(`^(${TOTAL_WORDS})\\b|\\b(${TOTAL_WORDS})$`, 'i')
export const isTotalLabel = (text: string): boolean => IS_TOTAL.test(text.trim())

/** Labels of results, in which costs count against income. */
const IS_RESULT =
  /\b(net (operating |ordinary |other )?(income|profit|loss|result|earnings|revenue|surplus)|gross profit|operating (income|profit|result|loss)|(income|profit|earnings) before [\w ]*tax\w*|profit|surplus|deficit|result|resultat|ergebnis|gewinn)\b/i
/** Labels of lines that need not be a sum of the rows above them; they are left out either way. */
const IS_OTHER =
  /\b(ebitdar?|ebita?|ebt|margins?|contribution|ratio|growth|per (unit|employee|head)|headcount|ftes?|employees|kpis?|check|control|cash (balance|flow|position)|(opening|closing|ending|beginning) (cash|balance))\b|%/i

const TOTAL_FOR =
  /^(?:sub-?)?(?:totals?|totalt|totale|sum|summe|summa|gesamt)(?: for| of| för)?(?:\s*[-–:])?\s+(\S.*)$/i
const TOTAL_BEHIND = /^(.*\S)(?:\s+[,:–-]?|[,:–-])(?:sub-?)?totals?$/i
/** The title that a total closes: `Total Income` closes `Income`; null where it names none. */
export const sectionOfTotal = (text: string): string | null =>
  (TOTAL_FOR.exec(text.trim()) ?? TOTAL_BEHIND.exec(text.trim()))?.[1] ?? null

export interface SumRule {
  /** Positions of the columns with figures. */
  readonly figures: readonly number[]
  /** The column that names what a row is about. */
  readonly key: number
  /**
   * Null where the row names nothing that has figures of its own; else how it counts in a result: income 1,
   * expenses -1.
   */
  readonly meaning: (row: TextRow) => { readonly inResult: -1 | 0 | 1 } | null
  /** Whether the row of a parent sums up rows of its children, which are in the table too. */
  readonly repeats?: (row: TextRow) => boolean
  /** The figure as an exact integer of any scale; null where it cannot be read. */
  readonly read: (text: string) => bigint | null
  /** The integer as people write it. */
  readonly show: (value: bigint) => string
  /** How a budget writes its signs, where company.yaml states it. */
  readonly sign?: BudgetSign
}

/** A row's figures, or sums of them, in the order of the columns. */
type Vector = readonly bigint[]

const at = (figures: Vector, column: number): bigint => present(figures[column], 'figure of a column')

/** `sums` plus `factor` times the figures, column by column. */
const combined = (sums: Vector, figures: Vector, factor: bigint): Vector =>
  sums.map((sum, i) => sum + factor * at(figures, i))

export interface TotalsReading {
  /** The table without its totals. */
  readonly table: Table
  /** The rows that were checked against those above them. */
  readonly sums: ReadonlySet<TextRow>
  readonly findings: readonly Finding[]
}

/** Removes totals. Only a row whose label names nothing else is a total: an account named "Total" is an account. */
export function withoutTotals(table: Table, rule: SumRule): TotalsReading {
  if (rule.figures.length === 0 || !table.rows.some((row) => mayBeTotal(table, row, rule)))
    return { table, sums: new Set(), findings: [] }
  const findings: Finding[] = []
  const others: LeftOut[] = []
  const uncalculated: LeftOut[] = []
  const totals: LeftOut[] = []
  const left: TextRow[] = []
  const checked = new Set<TextRow>()
  const sums = new RunningSums(rule.figures.length)
  let isWhole = true
  for (const row of table.rows) {
    const texts = rule.figures.map((column) => textAt(row.cells, column))
    const label = labelOf(row, rule)
    const meaning = rule.meaning(row)
    if (texts.every((text) => text === '')) {
      left.push(row)
      // A title between the rows; the rows below it may have a sum of their own.
      if (meaning === null) sums.begin()
      sums.open(label)
      continue
    }
    if (rule.repeats?.(row)) {
      sums.begin()
      sums.open(label)
      left.push(row)
      continue
    }
    const values = texts.map((text) => (text === '' ? 0n : rule.read(text)))
    const isReadable = values.every((value) => value !== null)
    const isTotal = meaning === null && mayBeTotal(table, row, rule)
    const isUncalculated = isTotal && texts.every((text) => text === '' || text.startsWith('='))
    if (isUncalculated) {
      uncalculated.push({ row, label })
      sums.begin()
      continue
    }
    const isOther = isTotal && rule.sign !== undefined && IS_OTHER.test(label.slice(0, 500))
    if (isOther && !isReadable) {
      others.push({ row, label })
      continue
    }
    if (isTotal && isReadable) {
      const isResult = rule.sign !== undefined && !isOther && IS_RESULT.test(label.slice(0, 500))
      const found = explained(label, values, isResult, rule, sums)
      // Where a row above could not be read, sums differ for that reason, which is reported already.
      const isZero = found !== 'agrees' && label !== '' && values.every((value) => value === 0n)
      if (isZero) uncalculated.push({ row, label })
      else if (found === 'agrees') {
        totals.push({ row, label })
        checked.add(row)
      } else if (isOther) others.push({ row, label })
      else if (isWhole)
        findings.push(
          found === 'costs-negative' || found === 'debit-positive'
            ? otherSigns(table, row, rule, found, sums.result())
            : differs(table, row, rule, values, found === 'differs' ? sums.expected(isResult) : found),
        )
      if (found === 'agrees' || isOther || isWhole || isZero) {
        sums.begin()
        continue
      }
    }
    if (meaning === null || !isReadable) isWhole = false
    else {
      sums.open(label)
      sums.add(values, meaning.inResult)
    }
    left.push(row)
  }
  findings.push(
    ...totalsLeftOut(table, totals),
    ...linesLeftOut(table, others),
    ...neverCalculated(table, uncalculated),
  )
  return { table: { ...table, rows: left }, sums: checked, findings }
}

/** Whether a total is the sum of its section or of rows above it; where it is not, the sum of the section. */
function explained(
  label: string,
  values: Vector,
  isResult: boolean,
  { sign }: SumRule,
  sums: RunningSums,
): Explained | Vector {
  // A loss may be written without a minus, and a result may be written in the sense of debit and credit, with a
  // profit in credit.
  const mayBeTurned = /loss|verlust/i.test(label) || sign === 'debit-positive'
  const section = sectionOfTotal(label)
  return (
    (section === null ? null : sums.explainSection(section, values)) ??
    sums.explain(values, label === '' ? 2 : 0, isResult, mayBeTurned)
  )
}

/** A result that only agrees if the rows had other signs shows how the sheet writes its signs. */
type Explained = 'agrees' | 'differs' | 'costs-negative' | 'debit-positive'

/** Sums from the top at each place where a section may begin: the sum of a part is the difference of two of them. */
class RunningSums {
  #plain: Vector
  #result: Vector
  /** Sums at a start → the number of rows above it, the earliest for equal sums. */
  readonly #plainStarts = new Map<string, number>()
  readonly #resultStarts = new Map<string, number>()
  /** Titles, in lower case → the sums where each began. */
  readonly #titles = new Map<string, { readonly plain: Vector; readonly result: Vector }[]>()
  #rows = 0

  constructor(columns: number) {
    this.#plain = Array.from({ length: columns }, () => 0n)
    this.#result = this.#plain
    this.begin()
  }
  add(values: Vector, inResult: -1 | 0 | 1): void {
    this.#rows++
    this.#plain = combined(this.#plain, values, 1n)
    if (inResult !== 0) this.#result = combined(this.#result, values, BigInt(inResult))
  }
  begin(): void {
    for (const [starts, sums] of [
      [this.#plainStarts, this.#plain],
      [this.#resultStarts, this.#result],
    ] as const)
      if (!starts.has(sums.join())) starts.set(sums.join(), this.#rows)
  }
  open(title: string): void {
    if (title === '') return
    addTo(this.#titles, title.toLowerCase(), { plain: this.#plain, result: this.#result })
  }
  /** Whether the values are the sum of the rows below this title, else that sum; null where there is no such title. */
  explainSection(title: string, values: Vector): 'agrees' | Vector | null {
    const starts = this.#titles.get(title.toLowerCase())
    const latest = starts?.at(-1)
    if (starts === undefined || latest === undefined) return null
    const since = (sums: Vector, start: Vector) => combined(sums, start, -1n)
    const is = (sums: Vector) => sums.join() === values.join()
    return starts.some(
      ({ plain, result }) => is(since(this.#plain, plain)) || is(since(this.#result, result)),
    )
      ? 'agrees'
      : since(this.#plain, latest.plain)
  }
  /**
   * Whether the values are the sum or the result of at least `least` rows since any start. One row is not enough
   * where a figure without a label repeats the one above it, since that may be the same account again.
   */
  explain(values: Vector, least: number, isResult: boolean, mayBeTurned: boolean): Explained {
    const isSum = (starts: ReadonlyMap<string, number>, sums: Vector, factor = 1n) => {
      const above = starts.get(combined(sums, values, -factor).join())
      return above !== undefined && this.#rows - above >= least
    }
    if (isSum(this.#resultStarts, this.#result)) return 'agrees'
    const isPlain = isSum(this.#plainStarts, this.#plain)
    if (!isResult) return isPlain ? 'agrees' : 'differs'
    if (mayBeTurned && isSum(this.#resultStarts, this.#result, -1n)) return 'agrees'
    return isPlain
      ? 'costs-negative'
      : isSum(this.#plainStarts, this.#plain, -1n)
        ? 'debit-positive'
        : 'differs'
  }
  /** The total or result of all rows above. */
  expected(isResult: boolean): Vector {
    return isResult ? this.#result : this.#plain
  }
  result(): Vector {
    return this.#result
  }
}

/** Whether the row has the label of a total, or no label at all. */
function mayBeTotal(table: Table, row: TextRow, { key, figures, meaning, sign }: SumRule): boolean {
  if (meaning(row) !== null) return false
  const texts = table.header.flatMap((_, i) =>
    figures.includes(i) || row.cells[i] === '' ? [] : [textAt(row.cells, i)],
  )
  return (
    texts.length === 0 ||
    texts.some(isTotalLabel) ||
    row.cells[key] === '' ||
    (sign !== undefined && isLine(textAt(row.cells, key)))
  )
}

const isLine = (text: string): boolean => IS_RESULT.test(text) || IS_OTHER.test(text)

const labelOf = (row: TextRow, { key }: SumRule): string =>
  row.cells[key] || (row.cells.find((cell) => cell !== '' && isTotalLabel(cell)) ?? '')

/** A row that is left out and listed in one warning for the table. */
export interface LeftOut {
  readonly row: TextRow
  readonly label: string
}

const NAMED = 6
function leftOut(
  table: Table,
  rows: readonly LeftOut[],
  code: 'total-left-out' | 'line-left-out',
  [one, many]: readonly [one: string, many: string],
  remedy: string,
  severe = warning,
): Finding[] {
  const [first] = rows
  if (first === undefined) return []
  const quoted = ({ label }: LeftOut) => (label === '' ? 'the row' : `"${label}"`)
  const named = rows.map((each) => `${quoted(each)} in row ${each.row.row}`)
  return [
    severe(
      code,
      rows.length === 1 ? `${quoted(first)} ${one}` : `${rows.length} rows ${many}: ${listed(named, NAMED)}`,
      { file: table.file, row: first.row.row, text: first.label, remedy },
    ),
  ]
}

const linesLeftOut = (table: Table, rows: readonly LeftOut[]): Finding[] =>
  leftOut(
    table,
    rows,
    'line-left-out',
    [
      'is not an account, and not a sum of the rows above it: not read',
      'are not accounts, and not sums of the rows above them: not read',
    ],
    'nothing need be done, unless one is an account: then add it to the chart',
  )

export const NOT_CALCULATED =
  'nothing need be done; to have totals checked, open the file in a spreadsheet program, save it, and copy it here again'
const neverCalculated = (table: Table, rows: readonly LeftOut[]): Finding[] =>
  leftOut(
    table,
    rows,
    'total-left-out',
    [
      'was never calculated: left out, and it proves nothing',
      'were never calculated: left out, and they prove nothing',
    ],
    NOT_CALCULATED,
    note,
  )

export const totalsLeftOut = (
  table: Table,
  rows: readonly LeftOut[],
  checked = 'checked, and left out',
): Finding[] =>
  leftOut(
    table,
    rows,
    'total-left-out',
    [`sums up rows above it: ${checked}`, `sum up rows above them: ${checked}`],
    'nothing need be done; a row that is not a total needs a name of its own',
    note,
  )

function differs(table: Table, row: TextRow, rule: SumRule, values: Vector, total: Vector): Finding {
  const differing = values.findIndex((value, i) => value !== total[i])
  const first = Math.max(0, differing)
  const place = cellPlace(table, row, present(rule.figures[first], 'column of a figure'))
  const label = labelOf(row, rule)
  if (label !== '')
    return error(
      'total-differs',
      `"${label}" is ${rule.show(at(values, first))}, and the rows above it add up to ${rule.show(at(total, first))}`,
      { ...place, remedy: 'correct the total or the rows; or remove the total, which is not needed' },
    )
  const why =
    differing === -1
      ? 'they are those of one row above once more'
      : `they are not the sum of the rows above, which is ${rule.show(at(total, first))} here`
  return error('empty-account', `has figures, but no name; and ${why}`, {
    ...place,
    remedy: 'write what the figures are of; or remove the row, if it sums up others',
  })
}

/** Reports a result that only agrees if costs, or income, were written with a minus. */
function otherSigns(
  table: Table,
  row: TextRow,
  rule: SumRule,
  sign: 'costs-negative' | 'debit-positive',
  result: Vector,
): Finding {
  const values = rule.figures.map((column) => rule.read(textAt(row.cells, column)) ?? 0n)
  const first = Math.max(
    0,
    values.findIndex((value, i) => value !== result[i]),
  )
  const place = cellPlace(table, row, present(rule.figures[first], 'column of a figure'))
  return error(
    'sign-differs',
    `"${labelOf(row, rule)}" is ${rule.show(at(values, first))}; with ${rule.sign === 'natural' ? 'costs counted against income' : `"sign: ${rule.sign}"`} the rows above it give ${rule.show(at(result, first))}. The sheet writes ${sign === 'costs-negative' ? 'costs' : 'income'} with a minus`,
    {
      ...place,
      remedy: `state "sign: ${sign}" under "${table.key}" in ${COMPANY_FILE}; or correct the figures`,
    },
  )
}
