/** Recognises a file by its content: a ledger format, or a table by its header. Judges no figures. */
import { basename, dirname } from 'node:path'
import { present } from '../../contract/present.ts'
import { error, type Finding, hasErrors } from '../../workspace/findings/finding.ts'
import { claimColumns, type UnreadColumn } from '../claims/claims.ts'
import type { Meaning } from '../claims/vocabulary.ts'
import { type Format, openSource, type SourceFile } from '../format/format.ts'
import type { FilePreview, Sample } from '../format/preview.ts'
import { FORMATS, formatOf } from '../formats.ts'
import { TableLogs, withFolders, withLog } from '../parquet/folders.ts'
import { reportLayout } from '../tables/controls/layout.ts'
import { COLUMNS, mappedValue } from '../tables/header.ts'
import { planParquet, withoutMinor } from '../tables/parquet.ts'
import { findColumns, readTable } from '../tables/table.ts'
import { dateOfName, dateOfTitle, findBalanceHeader } from '../tables/trial-balance-columns.ts'
import { unreadColumns } from '../tables/unread/unread.ts'
import { TITLE_ROWS } from '../text/csv.ts'
import { type AmountForm, amountForm, type DateForm, dateForm } from '../text/forms.ts'
import { parseDate, parseMonth } from '../text/months.ts'
import { aloneReport, type Control, foreignFile, TITLES, wrongReport } from '../workbook/foreign.ts'
import { type BudgetForm, budgetForm } from './budget-form.ts'
import { nearestOf } from './nearest.ts'
import { NO_CHART, type ProposedColumn } from './propose-map.ts'
import {
  budgetByName,
  type ColumnGuess,
  callsItselfBudget,
  daysOf,
  guessLedger,
  type MapRequest,
  type Read,
  type Reading,
  readChartHeader,
  readDays,
  readHeader,
  readOtherHeader,
} from './table-readings.ts'

/** How a table writes its values, as far as its rows show it; the rest becomes a question for the owner. */
export interface TableForm {
  /** The sheets that hold the table, where the workbook has other sheets too; else null. */
  readonly sheets: readonly string[] | null
  /**
   * What each build detects by itself, in words, such as the delimiter and the encoding; null where there is
   * nothing to say.
   */
  readonly detected: string | null
  readonly amounts: AmountForm
  readonly dates: DateForm
  /** Columns that nobody reads and that may change what rows mean, with what is doubted. */
  readonly asked: readonly (readonly [UnreadColumn, Meaning])[]
}

export type Recognised =
  | { readonly kind: 'format'; readonly format: Format; readonly source: SourceFile }
  | {
      readonly kind: 'ledger'
      readonly hasBasis: boolean
      /** The proposed column map where the headers are those of another program; else null. */
      readonly columns: ColumnGuess | null
      /** The reason for each proposed column. */
      readonly proposal: readonly ProposedColumn[] | null
      readonly form: TableForm
    }
  | { readonly kind: 'chart' | 'members'; readonly form: TableForm }
  | { readonly kind: 'budget'; readonly form: TableForm; readonly figures: BudgetForm }
  | {
      readonly kind: 'metrics'
      /** The name of each metric → `%` where its values are percentages, else ''. */
      readonly metrics: ReadonlyMap<string, string>
      readonly form: TableForm
      readonly figures: BudgetForm
    }
  /** `isDated`: a column, a title or the file name states the day of the balances. */
  | { readonly kind: 'trialBalance'; readonly isDated: boolean; readonly form: TableForm }
  /** A report of the program itself, with which the books must agree. */
  | { readonly kind: 'control'; readonly report: Control; readonly wrong: Finding }
  | { readonly kind: 'unknown'; readonly findings: readonly Finding[] }

const NO_MAP: MapRequest = { isMap: false, stated: {}, accounts: NO_CHART }

/** Only this many rows are sampled: a ledger may hold millions. */
const SAMPLE_ROWS = 5000

const unknown = (findings: readonly Finding[]): Recognised => ({ kind: 'unknown', findings })

/** Recognises the file at `path`, which must exist. Findings name it without its folder. */
export async function recognise(path: string, map: MapRequest = NO_MAP): Promise<Recognised> {
  const file = basename(path)
  const source = await openSource(path, file)
  const { scan, look } = source
  if (scan.bytes === 0)
    return unknown([error('empty-file', 'the file is empty', { file, remedy: 'export it again' })])
  if (look.workbook !== null && hasErrors(look.workbook.findings)) return unknown(look.workbook.findings)
  const foreign = look.workbook === null ? foreignFile(look.head, file) : null
  if (foreign !== null) return unknown([foreign])
  if (look.parquet !== null) {
    const log = await new TableLogs().above(path)
    return log ? unknown([withLog(file, log, dirname(path))]) : recogniseParquet(source, map)
  }
  const format = map.isMap ? null : formatOf(look)
  if (format !== null) return { kind: 'format', format, source }
  const samples = look.samples(SAMPLE_ROWS)
  if (samples.length === 0)
    return unknown([error('empty-file', 'all its sheets are blank', { file, remedy: 'export it again' })])
  const known = await recogniseTable(path, samples, file, look, map)
  const isCanonical = known.kind === 'ledger' && known.columns === null
  const [wrong] = samples.flatMap(
    ({ rows }) => wrongReport(rows, file, callsItselfBudget(rows.slice(0, TITLES), file)) ?? [],
  )
  const isBudget = samples.some(({ rows }) => callsItselfBudget(rows.slice(0, TITLES), file))
  const control = isBudget || isCanonical || map.isMap ? null : controlIn(samples, file, wrong)
  // A title says it; the names of file and sheet do where the table is nothing else.
  const isElse = known.kind !== 'unknown' && known.kind !== 'trialBalance'
  if (control !== null && (wrong !== undefined || !isElse)) return control
  if (wrong !== undefined && !isCanonical) return unknown([wrong])
  const unmapped = map.isMap && known.kind === 'unknown' ? formatOf(look) : null
  return unmapped === null ? known : unknown([needsNoMap(file, unmapped)])
}

function controlIn(
  samples: readonly Sample[],
  file: string,
  wrong: Finding | undefined,
): Extract<Recognised, { kind: 'control' }> | null {
  for (const { sheet, rows } of samples) {
    const layout = reportLayout(
      rows.map((cells, i) => ({ row: i + 1, cells: cells.map((cell) => cell.trim()) })),
      [sheet, file],
    )
    if (layout !== null && !layout.headers.some((header) => /^(debit|credit)/i.test(header)))
      return { kind: 'control', report: layout.kind, wrong: aloneReport(layout.kind, file, wrong) }
  }
  return null
}

/**
 * Recognises a ledger by the columns of a Parquet file. Their types need no question; mistakes in them are said before a large file is
 * copied.
 */
function recogniseParquet(source: SourceFile, map: MapRequest): Recognised {
  const { file, path, scan, look } = source
  const header = look.samples(1)[0]?.rows[0] ?? []
  const reading = (map.isMap ? null : readHeader(withoutMinor(header))) ?? guessLedger(map)(header, [])
  const isLedger = reading?.kind === 'ledger'
  const footer = present(look.parquet, `footer of ${file}`)
  if (footer.problem !== null || (isLedger && reading.proposal === null)) {
    const state = { bytes: scan.bytes, sha256: scan.sha256 }
    const { findings } = planParquet(
      { file: withFolders(path), path, footer, state },
      { files: file },
      'ledger',
    )
    if (hasErrors(findings)) return unknown(findings)
  }
  if (!isLedger) return unknown([noLedgerColumns(file, header)])
  const { hasBasis, columns, proposal } = reading
  const form = { sheets: null, detected: 'Parquet', amounts: amountForm([]), dates: dateForm([]), asked: [] }
  return { kind: 'ledger', hasBasis, columns, proposal, form }
}

const noLedgerColumns = (file: string, header: readonly string[]): Finding =>
  error('unknown-file', 'is Parquet, and its columns are not those of a ledger', {
    file,
    text: header.join(', ').slice(0, 200),
    remedy:
      'of Parquet, ledgers are read, and all other tables as CSV or .xlsx; if it is a ledger, name its columns: --map transaction_id="…" --map date="…" --map account="…" --map amount="…"',
  })

const DELIMITER_NAMES: Record<string, string> = { ',': 'commas', ';': 'semicolons', '\t': 'tabs', '|': '"|"' }

interface Found {
  readonly reading: Reading
  /** The rows down to the header: titles and the header itself. */
  readonly above: Sample['rows']
  /** The rows below the header. */
  readonly rows: Sample['rows']
}

function findTable({ rows }: Sample, read: Read): Found | null {
  for (const [i, cells] of rows.slice(0, TITLE_ROWS + 1).entries()) {
    const reading = read(cells, rows.slice(i + 1), rows.slice(0, i))
    if (reading !== null) return { reading, above: rows.slice(0, i + 1), rows: rows.slice(i + 1) }
  }
  return null
}

async function recogniseTable(
  path: string,
  samples: readonly Sample[],
  file: string,
  { workbook, encoding }: FilePreview,
  map: MapRequest,
): Promise<Recognised> {
  const isWorkbook = workbook !== null
  const balance = recogniseBalance(samples, file)
  if (balance?.isNamed && !map.isMap) return balance.known
  const readings = map.isMap
    ? [readChartHeader, guessLedger(map), readOtherHeader]
    : [readHeader, budgetByName(file), guessLedger(map), ...(balance === null ? [readDays] : [])]
  for (const read of readings) {
    const found = samples.flatMap((sample) => {
      const table = findTable(sample, read)
      return table === null ? [] : [{ sample, ...table }]
    })
    const [first] = found
    if (first === undefined) continue
    const { kind, columns, proposal, hasBasis } = first.reading
    // Samples of a text are attempts with different delimiters, of which one is right; samples of a workbook are
    // its sheets, and all sheets of one kind belong together.
    const alike = isWorkbook ? found.filter(({ reading }) => reading.kind === kind) : [first]
    const sheets =
      isWorkbook && alike.length < samples.length ? alike.flatMap(({ sample }) => sample.sheet ?? []) : null
    const { delimiter } = first.sample
    const detected = delimiter === null ? null : `${encoding}, cells between ${DELIMITER_NAMES[delimiter]}`
    const form = formOf(alike, sheets, detected)
    if (kind === 'ledger') return { kind, hasBasis, columns, proposal, form }
    const figures = () => budgetForm(file, alike, form.amounts)
    if (kind === 'metrics')
      return { kind, metrics: await metricUnits(path, file, sheets), form, figures: figures() }
    return kind === 'budget' ? { kind, form, figures: figures() } : { kind, form }
  }
  if (map.isMap && !balance?.isNamed) return unknown([noLedgerHeader(samples, file, map)])
  return balance?.known ?? unknown([unknownFile(samples, file)])
}

const CALLED_BALANCE =
  /trial.?balance|\btb\b|salden|saldobalans|saldibalanse|råbalans|balance g[ée]n[ée]rale/i

/**
 * Recognises a trial balance: accounts with balances and without dates of entries. Unless the title or the file
 * name says so, other kinds of tables are tried before.
 */
function recogniseBalance(
  samples: readonly Sample[],
  file: string,
): {
  readonly known: Extract<Recognised, { readonly kind: 'trialBalance' }>
  readonly isNamed: boolean
} | null {
  for (const { sheet, rows } of samples) {
    const found = findBalanceHeader(rows)
    if (found === null) continue
    const { at, columns } = found
    const title = rows.slice(0, at).flat().join(' \n ')
    const below = rows.slice(at + 1)
    const cellsAt = (...columns: readonly (number | null)[]) =>
      columns.flatMap((column) => (column === null ? [] : below.map((cells) => cells[column]?.trim() ?? '')))
    const isDated = columns.date !== null || (dateOfTitle(title) ?? dateOfName(file)) !== null
    return {
      isNamed: CALLED_BALANCE.test(`${title} ${file.replace(/_/g, ' ')} ${sheet ?? ''}`),
      known: {
        kind: 'trialBalance',
        isDated,
        form: {
          sheets: null,
          detected: null,
          amounts: amountForm(cellsAt(columns.balance, columns.debit, columns.credit)),
          dates: dateForm(cellsAt(columns.date)),
          asked: [],
        },
      },
    }
  }
  return null
}

function formOf(
  tables: readonly (Found & { sample: Sample })[],
  sheets: string[] | null,
  detected: string | null,
): TableForm {
  const cellsAt = (positions: (reading: Reading) => readonly (number | undefined)[]) =>
    tables.flatMap(({ reading, rows }) =>
      positions(reading).flatMap((at) =>
        at === undefined ? [] : rows.map((cells) => cells[at]?.trim() ?? ''),
      ),
    )
  const dates = cellsAt(({ date }) => [date])
  const unread = tables.flatMap(({ reading: { read, figures }, above, rows }) => {
    const header = above.at(-1) ?? []
    const others = header.flatMap((cell, i) => (cell.trim() === '' || read?.includes(i) ? [] : [i]))
    const table = { file: '', header, headerRow: above.length, rows: rows.map((cells) => ({ cells })) }
    const at = figures.filter((each) => each !== undefined)
    return read === undefined ? [] : unreadColumns(table, others, {}, { at, currency: null })
  })
  return {
    sheets,
    detected,
    asked: claimColumns(unread, '', {}, { currency: null }).asked,
    amounts: amountForm(cellsAt(({ figures }) => figures)),
    // Months and cells that are dates in the workbook need no date format; dates typed as text do.
    dates: dateForm(
      dates.filter((date) => parseMonth(date) === null && !(detected === null && parseDate(date) !== null)),
    ),
  }
}

const needsNoMap = (file: string, { name }: Format): Finding =>
  error('unknown-file', `is ${name}, which is read without a column map`, {
    file,
    remedy: 'add it without --map',
  })

function noLedgerHeader(samples: readonly Sample[], file: string, { stated }: MapRequest): Finding {
  const said = ([column, header]: readonly string[]) => `${column}=${header}`
  const named = Object.entries(stated)
  const rows = samples.flatMap((sample) => sample.rows.slice(0, TITLE_ROWS + 1))
  const missing = named.filter(([, header]) => !rows.some((cells) => mappedValue(cells, header) !== null))
  const { text, row } = unknownFile(samples, file)
  return error(
    'unknown-file',
    missing.length > 0
      ? `no header is called as you said: ${missing.map(said).join(', ')}`
      : named.length > 0
        ? `no row is the header of a ledger with ${named.map(said).join(', ')}, and dates and amounts below it`
        : 'no row is the header of a ledger: below none of them stand dates and amounts',
    {
      file,
      row,
      text,
      remedy: 'name headers as they stand in the file: --map date="…" --map account="…" --map amount="…"',
    },
  )
}

/**
 * The message for an unrecognised file. Shows the row that is most likely the header: the first of those with the
 * most cells.
 */
function unknownFile(samples: readonly Sample[], file: string): Finding {
  const [first] = samples
  const filled = (cells: readonly string[]) => cells.filter((cell) => cell.trim() !== '')
  const rows = (first?.rows ?? []).slice(0, TITLE_ROWS)
  const width = Math.max(0, ...rows.map((cells) => filled(cells).length))
  const row = rows.findIndex((cells) => filled(cells).length === width)
  const nearest = nearestOf(samples)
  return error(
    'unknown-file',
    nearest.length === 0
      ? 'is of no format read here, and no row in it is the header of a table'
      : `is of no format read here; it comes nearest to ${nearest.join(', and to ')}`,
    {
      file: first?.sheet == null || samples.length === 1 ? file : `${file}#${first.sheet}`,
      row: row + 1,
      text:
        filled(rows[row] ?? [])
          .join(', ')
          .slice(0, 200) || null,
      remedy:
        nearest.length === 0
          ? `what is read: ${FORMATS.map(({ name }) => name).join(', ')}, ledgers and trial balances of other programs, charts of accounts, lists of classes or departments, budgets, metrics; as CSV or .xlsx`
          : 'if it is a ledger with one row per line of an entry, whatever its headers are called: add it with --map; else name its columns as that needs them',
    },
  )
}

async function metricUnits(
  path: string,
  file: string,
  sheets: string[] | null,
): Promise<ReadonlyMap<string, string>> {
  const setting = { files: file, ...(sheets === null ? {} : { sheet: sheets }) }
  const { tables } = await readTable(dirname(path), file, setting, 'metrics', 'metrics')
  const units = new Map<string, string>()
  const add = (name: string | undefined, values: readonly (string | undefined)[]): void => {
    if (name && units.get(name) !== '%')
      units.set(name, values.some((value) => value?.trim().endsWith('%')) ? '%' : '')
  }
  for (const table of tables) {
    const { metric } = findColumns(table, COLUMNS.metrics, []).at
    const cellsOf = table.rows.map(({ cells }) => cells)
    if (metric === undefined)
      for (const column of daysOf(table.header, cellsOf)?.metrics ?? [])
        add(
          table.header[column],
          cellsOf.map((cells) => cells[column]),
        )
    else
      for (const cells of cellsOf) {
        const others = cells.filter((cell, at) => at !== metric && cell !== '')
        // A footnote stands alone in its row.
        if (others.length > 0) add(cells[metric], others)
      }
  }
  return units
}
