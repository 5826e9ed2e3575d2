/** Describes what a snapshot was made from: each source with hash and control totals, and the settings as they were understood. */
import { join } from 'node:path'
import type { BooksResult } from '../books/books.ts'
import { firstDay, lastDay, monthOf } from '../contract/calendar.ts'
import { currencyDecimals, formatInteger } from '../contract/currency.ts'
import type { Intake, SourceRecord } from '../ingest/format/intake.ts'
import { remembered } from '../ingest/text/remembered.ts'
import type { KeptSource } from '../snapshot/files/inputs.ts'
import type { InputEntry, Manifest } from '../snapshot/files/manifest.ts'
import { sha256 } from '../system/hash.ts'
import type { Company, Scale } from '../workspace/company.ts'

/** The manifest's entries of all sources. The totals of ledger files are those of the books; those of other files are computed here. */
export function inputEntries(
  company: Company,
  intake: Intake,
  { inputs: totals, budgets, reportsAgreed }: Pick<BooksResult, 'inputs' | 'budgets' | 'reportsAgreed'>,
  kept: boolean,
): InputEntry[] {
  const decimals = currencyDecimals(company.currency)
  const ledgers = new Map(totals.map((total) => [total.file, total]))
  const tables = tableTotals({ budgets, metrics: intake.metrics })
  return intake.sources.map((source): InputEntry => {
    const ledger = source.role === 'ledger' ? ledgers.get(source.file) : undefined
    const table = tables.get(source.file)
    const report = reportsAgreed.find(({ file }) => file === source.file)
    return {
      File: source.file,
      Sheet: source.sheet ?? null,
      Role: source.role,
      Format: formatOf(source),
      Bytes: source.bytes,
      Sha256: source.sha256,
      ...(source.etag === undefined ? {} : { ETag: source.etag }),
      ...(source.version == null ? {} : { VersionId: source.version }),
      Encoding: source.encoding,
      Delimiter: source.delimiter ?? null,
      RowsRead: ledger?.rows ?? source.rows ?? 0,
      RowsRejected: ledger?.rejected ?? 0,
      Debit: ledger ? formatInteger(ledger.debit, decimals) : null,
      Credit: ledger ? formatInteger(ledger.credit, decimals) : null,
      ...(ledger?.posted
        ? {
            Postings: ledger.posted.lines,
            PostedDebit: formatInteger(ledger.posted.debit, decimals),
            PostedCredit: formatInteger(ledger.posted.credit, decimals),
          }
        : {}),
      ...(report
        ? {
            Figures: report.figures,
            Report: [report.kind, ...(report.of === null ? [] : [report.of])].join(', '),
          }
        : {}),
      ...(source.stated?.length ? { Stated: source.stated } : {}),
      ...(source.numbers?.length ? { Numbers: source.numbers } : {}),
      Values: table?.count ?? null,
      Total: table?.total ?? null,
      ...(table === undefined || table.scale === 1 ? {} : { Scale: table.scale }),
      FirstDate: ledger?.firstDate ?? table?.first ?? null,
      LastDate: ledger?.lastDate ?? table?.last ?? null,
      // Nobody here has the bytes of an object.
      Kept: kept && source.sha256 !== null,
    }
  })
}

const formatOf = ({ format, encoding, role }: SourceRecord): string =>
  format ??
  (encoding === 'xlsx' || encoding === 'parquet' ? encoding : role === 'configuration' ? 'yaml' : 'csv')

interface TableTotals {
  readonly count: number
  /** The sum of all values after annual figures are divided into months. */
  readonly total: string
  /** The common unit of all values; 1 if they differ. */
  readonly scale: Scale
  readonly first: string
  readonly last: string
}

/** The totals of budgets and metrics by file. A SIE file may hold a budget beside its entries. */
function tableTotals({ budgets, metrics }: Pick<Intake, 'budgets' | 'metrics'>): Map<string, TableTotals> {
  const byFile = new Map<string, FileFigures>()
  const figuresOf = (file: string): FileFigures => {
    const figures = byFile.get(file) ?? new FileFigures()
    byFile.set(file, figures)
    return figures
  }
  for (const { rows } of budgets)
    for (const { file, month, amount, scale } of rows) figuresOf(file).add(amount, scale, ...daysOf(month))
  for (const { file, date, wholeMonth, value, scale } of metrics) {
    const [first, last] = wholeMonth ? daysOf(date.slice(0, 7)) : [date, date]
    figuresOf(file).add(value, scale, first, last)
  }
  return new Map([...byFile].map(([file, figures]) => [file, figures.totals()]))
}

/** The first and last day of a month (`YYYY-MM`). */
const daysOf = remembered((text): readonly [string, string] => {
  const month = monthOf(`${text}-01`)
  return [firstDay(month), lastDay(month)]
})

class FileFigures {
  readonly #sum = new DecimalSum()
  readonly #scales = new Set<Scale>()
  #count = 0
  #first: string | null = null
  #last: string | null = null

  /** A figure of the days from `first` to `last`. */
  add(value: string, scale: Scale = 1, first: string, last: string): void {
    this.#count++
    this.#sum.add(value)
    this.#scales.add(scale)
    if (this.#first === null || first < this.#first) this.#first = first
    if (this.#last === null || last > this.#last) this.#last = last
  }

  totals(): TableTotals {
    const [scale = 1, ...others] = this.#scales
    return {
      count: this.#count,
      total: this.#sum.text(),
      scale: others.length === 0 ? scale : 1,
      first: this.#first ?? '',
      last: this.#last ?? '',
    }
  }
}

/** The exact sum of decimal texts, with as many decimals as the most precise of them. */
class DecimalSum {
  #sum = 0n
  #decimals = 0

  add(value: string): void {
    const decimals = value.split('.')[1]?.length ?? 0
    if (decimals > this.#decimals) {
      this.#sum *= 10n ** BigInt(decimals - this.#decimals)
      this.#decimals = decimals
    }
    this.#sum += BigInt(value.replace('.', '') + '0'.repeat(this.#decimals - decimals))
  }

  text(): string {
    return formatInteger(String(this.#sum), this.#decimals)
  }
}

/** The hash of the settings as they were understood; comments, the order of keys and the spelling of values do not count. */
export const configurationOf = (
  company: Company,
  keepInputs: boolean,
): NonNullable<Manifest['Configuration']> => ({
  Sha256: sha256(JSON.stringify(sorted(company))),
  KeepInputs: keepInputs,
})

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(
    members.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, member]) => [key, sorted(member)]),
  )
}

/** The files of this machine that were read; the sheets of one workbook are one file. */
export const sourcesOf = (folder: string, { sources }: Intake): KeptSource[] => [
  ...new Map(
    sources.flatMap(({ path, file, sha256: hash }) =>
      hash === null
        ? []
        : [[path ?? file, { file: path ?? file, path: join(folder, path ?? file), sha256: hash }] as const],
    ),
  ).values(),
]
