/**
 * Encodes every statement and metric document, whether for a snapshot, for a range of whole months or for an
 * ad-hoc range. Money needs its own encoder, since `JSON.stringify` turns `1234.50` into `1234.5`.
 */

import { ByteWriter, bytesOf, inPieces } from './bytes.ts'
import { cutTo, periodsOf } from './calendar.ts'
import { currencyDecimals } from './currency.ts'
import {
  type DateRange,
  type Figures,
  type MetricDocument,
  type MetricScope,
  NO_BALANCE_SHEET,
  type NotStated,
  type Period,
  type StatementDocument,
  type StatementRow,
  type StatementScope,
  type SummaryRow,
} from './document.ts'
import { type BasisSource, type Section, SUMMARY_NAMES } from './vocabulary.ts'

const json = JSON.stringify

export const encodeStatement = (doc: StatementDocument): string =>
  new StatementEncoder().encode(doc).toString('utf8')

/** Encodes many statements of one company: the text before the figures is made once and copied. */
export class StatementEncoder {
  readonly #out = new ByteWriter()
  /** The bytes before a row's figures, by section and account. */
  readonly #heads = new Map<Section, Map<string, RowHead>>()
  #periods: { readonly of: readonly Period[]; readonly text: string } = { of: [], text: '[]' }

  /** Encodes a statement. The result is a view of memory that the next call overwrites. */
  encode(doc: StatementDocument): Buffer {
    const out = this.#out
    const decimals = currencyDecimals(doc.currency)
    const head = {
      CompanyId: doc.companyId,
      Statement: doc.statement,
      AccountingBasis: doc.basis,
      BasisSource: doc.basisSource,
      StartDate: doc.startDate,
      EndDate: doc.endDate,
      BudgetId: doc.budgetId,
      ClassId: doc.classId,
      DepartmentId: doc.departmentId,
      Currency: doc.currency,
    }
    if (doc.periods !== this.#periods.of)
      this.#periods = { of: doc.periods, text: lines(doc.periods.map(periodText)) }
    out.clear()
    const notStated = doc.notStated === undefined ? '' : `,\n"NotStated":${notStatedText(doc.notStated)}`
    out.text(`${json(head).slice(0, -1)},\n"Periods":${this.#periods.text}${notStated}`)
    for (const [i, row] of (doc.withoutCash ?? []).entries()) {
      out.text(`${i === 0 ? ',\n"WithoutCash":[\n' : ']},\n'}{"Section":"${row.section}","Values":[`)
      out.figures(row.values, decimals)
    }
    out.text(doc.withoutCash === undefined ? ',\n"Data":[' : ']}\n],\n"Data":[')
    for (const [i, row] of doc.rows.entries()) {
      out.text(i === 0 ? '\n' : ']},\n')
      out.bytes(this.#head(row))
      out.figures(row.values, decimals)
    }
    out.text(doc.rows.length === 0 ? '],\n"Summary":[' : ']}\n],\n"Summary":[')
    for (const [i, row] of doc.summary.entries()) {
      out.text(`${i === 0 ? '\n' : ']},\n'}{"Name":"${row.name}","Values":[`)
      out.figures(row.values, decimals)
    }
    out.text(doc.summary.length === 0 ? ']}\n' : ']}\n]}\n')
    return out.written
  }

  #head(row: StatementRow): Buffer {
    let heads = this.#heads.get(row.section)
    if (heads === undefined) {
      heads = new Map()
      this.#heads.set(row.section, heads)
    }
    const known = heads.get(row.accountId)
    if (known?.number === row.accountNumber && known.name === row.accountName) return known.bytes
    const bytes = Buffer.from(
      `{"AccountId":${json(row.accountId)},"AccountNumber":${json(row.accountNumber)},"AccountName":${json(row.accountName)},` +
        `"Section":"${row.section}","Values":[`,
    )
    heads.set(row.accountId, { number: row.accountNumber, name: row.accountName, bytes })
    return bytes
  }
}

interface RowHead {
  readonly number: string
  readonly name: string
  readonly bytes: Buffer
}

/** Encodes a metric answer; values are written as their decimal text. */
export function encodeMetrics(doc: MetricDocument): string {
  const head = {
    CompanyId: doc.companyId,
    StartDate: doc.startDate,
    EndDate: doc.endDate,
    BudgetId: doc.budgetId,
    ClassId: doc.classId,
    DepartmentId: doc.departmentId,
  }
  const data = doc.rows.map(
    (row) =>
      `{"NonFinancialId":${json(row.metricId)},"Values":[${row.values.map((v) => v ?? 'null').join(',')}]}`,
  )
  return `${json(head).slice(0, -1)},\n"Periods":${lines(doc.periods.map(periodText))},\n"Data":${lines(data)}}\n`
}

/** Encodes a list of a snapshot as `{"Data":[…]}`, one entry per line. Entries must not contain money. */
export const encodeList = (entries: Iterable<object>): Buffer => bytesOf(listTexts(texts(entries)))

/** Encodes a list in pieces, for hundreds of thousands of entries. Each run holds at least one entry. */
export const encodeLongList = (runs: Iterable<string>): Generator<Buffer> => inPieces(listTexts(runs))

/** Some entries of a list that are JSON already, as {@link encodeLongList} takes them. */
export const encodeRun = (entries: readonly string[]): string => entries.join(',\n')

function* listTexts(runs: Iterable<string>): Generator<string> {
  yield '{"Data":'
  yield* linesOf(runs)
  yield '}\n'
}

/** Yields `[…]` with one entry per line. */
export const entryLines = (entries: Iterable<object>): Generator<string> => linesOf(texts(entries))

function* texts(entries: Iterable<object>): Generator<string> {
  for (const entry of entries) yield json(entry)
}

function* linesOf(runs: Iterable<string>): Generator<string> {
  let isEmpty = true
  for (const run of runs) {
    yield `${isEmpty ? '[' : ','}\n${run}`
    isEmpty = false
  }
  yield isEmpty ? '[]' : '\n]'
}

/** Encodes one page of a list, as endpoints 6 to 10 answer it. */
export const encodePage = (entries: readonly object[], offset: number, limit: number): string =>
  `{"Data":${lines(entries.slice(offset, offset + limit).map((entry) => json(entry)))},` +
  `\n"Pagination":${json({ offset, limit, total: entries.length })}}\n`

/** A JSON array with one item, already encoded, per line. */
export const lines = (items: readonly string[]): string =>
  items.length === 0 ? '[]' : `[\n${items.join(',\n')}\n]`

const notStatedText = (months: readonly NotStated[]): string =>
  lines(months.map(({ month, reason, detail }) => json({ Month: month, Reason: reason, Detail: detail })))

const periodText = (period: Period): string =>
  `{"Month":"${period.month}","StartDate":"${period.startDate}","EndDate":"${period.endDate}"}`

/** Keeps the rows that have a figure other than zero in some period. */
export const withFigures = <Row extends { readonly values: Figures }>(rows: readonly Row[]): Row[] =>
  rows.filter((row) => hasFigure(row.values))

/** A plain loop, since every figure of every statement passes here. */
function hasFigure(values: Figures): boolean {
  for (let p = 0; p < values.length; p++) if (values[p] !== 0 && !Number.isNaN(values[p])) return true
  return false
}

/**
 * Encodes the statement of a combination without postings: every period of the range inside the coverage, no
 * rows, and totals of 0. Totals of a budget are null, since a budget without figures states nothing.
 */
export function emptyStatement(
  company: { readonly id: string; readonly currency: string; readonly basisSource: BasisSource },
  scope: StatementScope,
  range: DateRange,
  coverage: DateRange | null,
): string {
  const inside = coverage && cutTo(range, coverage)
  const periods = inside ? periodsOf(inside) : []
  const nothing = scope.budgetId === null ? 0 : Number.NaN
  return encodeStatement({
    companyId: company.id,
    currency: company.currency,
    basisSource: company.basisSource,
    ...scope,
    ...range,
    periods,
    rows: [],
    summary: emptySummary(scope, periods.length, nothing),
    ...(scope.statement === 'CashFlow' && {
      notStated: periods.flatMap(({ month }) =>
        scope.budgetId === null
          ? []
          : [{ month, reason: 'NoBalanceSheet' as const, detail: NO_BALANCE_SHEET }],
      ),
    }),
  })
}

const emptySummary = (scope: StatementScope, periods: number, nothing: number): SummaryRow[] =>
  SUMMARY_NAMES[scope.statement].map((name) => ({ name, values: new Float64Array(periods).fill(nothing) }))

interface MetricJson {
  readonly CompanyId: string
  readonly Periods: readonly {
    readonly Month: string
    readonly StartDate: string
    readonly EndDate: string
  }[]
  readonly Data: readonly { readonly NonFinancialId: string; readonly Values: readonly (string | null)[] }[]
}

/** Reads metric values as text: an average may have more digits than a double holds. */
export const parseMetrics = (document: string): MetricJson =>
  JSON.parse(
    document.replace(
      /"Values":\[([^\]]*)\]/g,
      (_, values: string) => `"Values":[${values.replace(/[^,]+/g, (v) => (v === 'null' ? v : `"${v}"`))}]`,
    ),
  ) as MetricJson

/** Cuts metrics to a range of whole months, in the order asked for; null where the document has no value. */
export function sliceMetrics(
  document: Buffer | string | null,
  company: { readonly id: string },
  scope: MetricScope,
  metricIds: readonly string[],
  range: DateRange,
  coverage: DateRange | null,
): string {
  const full = document === null ? null : parseMetrics(document.toString())
  const rows = new Map(full?.Data.map((row) => [row.NonFinancialId, row.Values]))
  const inside = coverage && cutTo(range, coverage)
  const periods = inside ? periodsOf(inside) : []
  const months = new Map(full?.Periods.map((period, index) => [period.Month, index]))
  return encodeMetrics({
    companyId: company.id,
    ...scope,
    ...range,
    periods,
    rows: metricIds.map((metricId) => ({
      metricId,
      values: periods.map((period) => rows.get(metricId)?.[months.get(period.month) ?? -1] ?? null),
    })),
  })
}
