/** Compares two documents of figures (statements or metrics) by row and month. */
import { present } from './present.ts'

export interface DocumentChange {
  /** AccountId of a row, Name of a total, or NonFinancialId of a metric. */
  readonly row: string
  /** As people know the row: `4010 Sales`. */
  readonly name: string
  readonly total: boolean
  readonly month: string
  /** The figures in units of the currency, as in the JSON; null where a document states none. */
  readonly before: number | null
  readonly now: number | null
}

interface Row {
  readonly AccountId?: string
  readonly AccountNumber?: string | null
  readonly AccountName?: string
  readonly NonFinancialId?: string
  readonly Name?: string
  readonly Values: readonly (number | null)[]
}

interface FigureDocument {
  readonly Periods: readonly { readonly Month: string; readonly StartDate: string }[]
  readonly Data: readonly Row[]
  readonly Summary?: readonly Row[]
}

/**
 * Lists every figure that differs, by row and then month; null where one of the texts is not a document of
 * figures.
 */
export function changesBetween(before: string, now: string): DocumentChange[] | null {
  const [old, young] = [parse(before), parse(now)]
  if (!old || !young) return null
  const [left, right] = [figuresOf(old), figuresOf(young)]
  const changes: DocumentChange[] = []
  for (const key of new Set([...left.keys(), ...right.keys()])) {
    const [was, is] = [left.get(key), right.get(key)]
    const { row, name, total } = present(is ?? was, `row ${key}`)
    const months = new Set([...(was?.values.keys() ?? []), ...(is?.values.keys() ?? [])])
    for (const month of [...months].sort()) {
      const [a, b] = [was?.values.get(month) ?? null, is?.values.get(month) ?? null]
      if (a !== b) changes.push({ row, name, total, month, before: a, now: b })
    }
  }
  return changes
}

/** A document without any figures. */
export const EMPTY_DOCUMENT = '{"Periods":[],"Data":[]}'

/**
 * Whether two documents in one currency certainly agree through a month (YYYY-MM). This is decided on their
 * text, which takes a tenth of the time of parsing: closing a month changes every document, but not its
 * earlier months. In statements of actuals a row that is left out counts as zero. False also where only
 * {@link changesBetween} can decide.
 */
export function sameThrough(before: string, now: string, through: string): boolean {
  const closed = monthsIn(before).filter((month) => month <= through)
  const others = monthsIn(now)
  if (closed.some((month, i) => others[i] !== month)) return false
  return sameRowByRow(before, now, closed.length) ?? sameByRow(before, now, closed.length)
}

const VALUES = '"Values":['

/** Compares rows in order; null where the documents do not have the same rows. */
function sameRowByRow(before: string, now: string, count: number): boolean | null {
  let [left, right] = [before.indexOf('"Data":'), now.indexOf('"Data":')]
  for (;;) {
    const [was, is] = [before.indexOf(VALUES, left), now.indexOf(VALUES, right)]
    if (was === -1 || is === -1) return was === is ? true : null
    if (before.slice(left, was) !== now.slice(right, is)) return null
    left = before.indexOf(']', was)
    right = now.indexOf(']', is)
    const values = before.slice(was + VALUES.length, left)
    const end = is + VALUES.length + values.length
    // The document with more months usually begins with the figures of the other.
    const begins = now.startsWith(values, is + VALUES.length) && (end === right || now[end] === ',')
    if (!begins && firstValues(values, count) !== firstValues(now.slice(is + VALUES.length, right), count))
      return false
  }
}

/** Compares rows by their ids: one additional row shifts all that follow. */
function sameByRow(before: string, now: string, count: number): boolean {
  const [was, rows] = [valuesIn(before), valuesIn(now)]
  if (was === null || rows === null) return false
  const leftOut = /^\{[^\n]*"Statement":[^\n]*"BudgetId":null,/.test(before) ? ZEROS : NO_FIGURES
  for (const [row, values] of was) {
    const [first, is] = [firstValues(values, count), rows.get(row)]
    if (is === undefined ? !leftOut.test(first) : first !== firstValues(is, count)) return false
    rows.delete(row)
  }
  for (const values of rows.values()) if (!leftOut.test(firstValues(values, count))) return false
  return true
}

const ROW = /^\{"(AccountId|Name|NonFinancialId)":"/
const ZEROS = /^(0(\.0+)?(,|$))*$/
const NO_FIGURES = /^(null(,|$))*$/

/** The months of a document as the encoder writes them; empty for other text. */
function monthsIn(document: string): string[] {
  const start = document.indexOf('"Periods":[')
  const periods = document.slice(start, document.indexOf(']', start))
  return [...periods.matchAll(/"Month":"(\d{4}-\d{2})"/g)].flatMap(([, month]) => month ?? [])
}

/**
 * The text of each row's values, by its id: `{"AccountId":"4010"` → `1250.00,0.00`. Null for another layout.
 */
function valuesIn(document: string): Map<string, string> | null {
  const rows = new Map<string, string>()
  for (let start = 0; start < document.length; ) {
    const end = document.indexOf('\n', start)
    const line = document.slice(start, end === -1 ? document.length : end)
    start += line.length + 1
    const values = line.lastIndexOf(VALUES)
    if (values === -1) continue
    if (!ROW.test(line)) return null
    // Quotation marks in ids are escaped, so the first match is the end of the id.
    const name = line.indexOf(',"AccountNumber":')
    rows.set(
      line.slice(0, name === -1 ? values : name),
      line.slice(values + VALUES.length, line.indexOf(']', values)),
    )
  }
  return rows
}

/** `1.00,2.00,3.00`, 2 → `1.00,2.00`. */
function firstValues(values: string, count: number): string {
  let end = -1
  for (let i = 0; i < count; i++) {
    end = values.indexOf(',', end + 1)
    if (end === -1) return values
  }
  return count === 0 ? '' : values.slice(0, end)
}

interface Figures {
  readonly row: string
  readonly name: string
  readonly total: boolean
  readonly values: ReadonlyMap<string, number | null>
}

function figuresOf({ Periods, Data, Summary = [] }: FigureDocument): Map<string, Figures> {
  const isDivided = new Set(Periods.map(({ Month }) => Month)).size < Periods.length
  // Parts of a month are told apart by their first days.
  const months = Periods.map(({ Month, StartDate }) => (isDivided ? StartDate : Month))
  const entry = (row: Row, total: boolean): [string, Figures] => {
    const id = row.AccountId ?? row.NonFinancialId ?? row.Name ?? ''
    const name = [row.AccountNumber, row.AccountName ?? row.Name].filter(Boolean).join(' ') || id
    const values = new Map(months.map((month, i) => [month, row.Values[i] ?? null]))
    return [`${total} ${id}`, { row: id, name, total, values }]
  }
  return new Map([...Data.map((row) => entry(row, false)), ...Summary.map((row) => entry(row, true))])
}

function parse(text: string): FigureDocument | null {
  try {
    const found = JSON.parse(text) as Partial<FigureDocument>
    return Array.isArray(found.Periods) && Array.isArray(found.Data) ? (found as FigureDocument) : null
  } catch {
    return null
  }
}
