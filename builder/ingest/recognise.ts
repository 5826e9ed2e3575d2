/** What a file is, by its content: a SIE file, or one of the canonical tables by its header. Judges no figures. */
import { readFile } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { error, type Finding, hasErrors } from '../workspace/finding.ts'
import { DELIMITERS, detectDelimiter, firstRecords } from './csv.ts'
import { decodeText } from './decode.ts'
import { type FecSource, openFec } from './fec.ts'
import { looksLikeFec } from './fec-parse.ts'
import type { FecSurvey } from './fec-survey.ts'
import { type AmountForm, amountForm, type DateForm, dateForm } from './forms.ts'
import { TITLE_ROWS } from './header.ts'
import { LEDGER_COLUMNS } from './intake.ts'
import { parseDate, parseMonth, parsePeriod } from './months.ts'
import { guessColumns } from './other-headers.ts'
import { type Scan, scanFile } from './scan.ts'
import { suitability } from './sie-checks.ts'
import { looksLikeSie, parseSie } from './sie-parse.ts'
import type { SieFile } from './sie-records.ts'
import { findColumns, type Head, readTable } from './table.ts'
import { isCompoundFile, isZip, parseXlsx } from './xlsx.ts'

/** How a table is written, as far as it tells; what cannot be told is a question for its owner. */
export interface TableForm {
  /** The sheets that hold it, where the workbook has others. */
  readonly sheets: readonly string[] | null
  /** For people: what each build finds by itself. */
  readonly told: string | null
  readonly amounts: AmountForm
  readonly dates: DateForm
}

/** Canonical column → header in the file; null where none could be found. */
export type ColumnGuess = { readonly [column: string]: string | null }

export type Recognised =
  | { readonly kind: 'sie'; readonly sie: SieFile }
  | { readonly kind: 'fec'; readonly fec: FecSurvey }
  | {
      readonly kind: 'ledger'
      readonly hasBasis: boolean
      /** A guess, where the headers are those of another program. */
      readonly columns: ColumnGuess | null
      readonly form: TableForm
    }
  | { readonly kind: 'chart' | 'members' | 'budget'; readonly form: TableForm }
  | { readonly kind: 'metrics'; readonly metrics: readonly string[]; readonly form: TableForm }
  | { readonly kind: 'unknown'; readonly findings: readonly Finding[] }

/** The first rows of a text file under one delimiter, or of a sheet. */
interface Sample {
  readonly sheet: string | null
  readonly told: string | null
  readonly rows: readonly (readonly string[])[]
}

/** A ledger may hold millions of rows: its first ones tell what it is. */
const SAMPLE_ROWS = 5000

const unknown = (findings: readonly Finding[]): Recognised => ({ kind: 'unknown', findings })

/** `path` must be a file that exists. Findings show its name. */
export async function recognise(path: string): Promise<Recognised> {
  const file = basename(path)
  const scan = await scanFile(path)
  if (scan.bytes === 0)
    return unknown([error('empty-file', 'the file is empty', { file, remedy: 'export it again' })])
  const head = decodeText(scan.head, scan.encoding).text
  if (looksLikeSie(head)) return recogniseSie(await readFile(path), file)
  if (looksLikeFec(head)) return recogniseFec({ file, path, scan })
  if (!isZip(scan.head) && !isCompoundFile(scan.head))
    return recogniseTable(path, textSamples(scan, head), file, false)
  const workbook = await parseXlsx(await readFile(path), '.', file)
  if (hasErrors(workbook.findings)) return unknown(workbook.findings)
  const samples = workbook.sheets
    .filter(({ rows }) => rows.length > 0)
    .map(({ name, rows }) => ({
      sheet: name,
      told: null,
      rows: rows.slice(0, SAMPLE_ROWS).map(({ cells }) => cells),
    }))
  if (samples.length === 0)
    return unknown([error('empty-file', 'all its sheets are blank', { file, remedy: 'export it again' })])
  return recogniseTable(path, samples, file, true)
}

function recogniseSie(bytes: Buffer, file: string): Recognised {
  const { text } = decodeText(bytes, undefined, 'cp437')
  // Only names and kinds are read here. Amounts are judged by the build, which knows the currency.
  const sie = parseSie(file, text, 2)
  const findings = suitability(sie, { currency: sie.currency }).filter(({ severity }) => severity === 'error')
  return findings.length > 0 ? unknown(findings) : { kind: 'sie', sie }
}

/** Only names, years and kinds are taken here. What is wrong with lines is judged by the build. */
async function recogniseFec(source: FecSource): Promise<Recognised> {
  const { survey } = await openFec(source, {}, { currency: 'EUR' })
  return survey.rows === 0 ? unknown(survey.findings) : { kind: 'fec', fec: survey }
}

const DELIMITER_NAMES: Record<string, string> = { ',': 'commas', ';': 'semicolons', '\t': 'tabs', '|': '"|"' }

/** The usual delimiter first: under another one, the rows below a title may be a table. */
function textSamples({ encoding, bytes, head }: Scan, text: string): Sample[] {
  const usual = detectDelimiter(text)
  // The last row of a part may be cut in the middle.
  const whole =
    bytes > head.length ? text.slice(0, Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r'))) : text
  return [usual, ...DELIMITERS.filter((other) => other !== usual)].map((delimiter) => ({
    sheet: null,
    told: `${encoding}, cells between ${DELIMITER_NAMES[delimiter]}`,
    rows: firstRecords(whole, delimiter, SAMPLE_ROWS).map(({ cells }) => cells),
  }))
}

const CHART = ['id', 'number', 'name', 'classification', 'type', 'parent'] as const
const BUDGET = ['account', 'month', 'date', 'amount'] as const
const METRICS = ['metric', 'date', 'month', 'value'] as const

/** What a header says its table is, and the columns with figures and dates. */
interface Reading {
  readonly kind: 'ledger' | 'chart' | 'members' | 'budget' | 'metrics'
  readonly columns: ColumnGuess | null
  readonly hasBasis: boolean
  readonly figures: readonly (number | undefined)[]
  readonly date: number | undefined
}

function readHeader(header: readonly string[]): Reading | null {
  const head: Head = { file: '', key: '', header, headerRow: 1 }
  const reading = (kind: Reading['kind'], figures: Reading['figures'] = [], date?: number): Reading => ({
    kind,
    columns: null,
    hasBasis: false,
    figures,
    date,
  })
  const ledger = findColumns(head, LEDGER_COLUMNS, []).at
  const isMoney = ledger.amount !== undefined || (ledger.debit !== undefined && ledger.credit !== undefined)
  if (
    ledger.transaction_id !== undefined &&
    ledger.date !== undefined &&
    ledger.account !== undefined &&
    isMoney
  )
    return {
      ...reading('ledger', [ledger.amount, ledger.debit, ledger.credit], ledger.date),
      hasBasis: ledger.basis !== undefined,
    }
  const periods = header.flatMap((cell, i) => (parsePeriod(cell) === null ? [] : [i]))
  const budget = findColumns(head, BUDGET, []).at
  // A number of the entry beside account, date and amount: a journal, whatever its program calls that column.
  const isJournal = guessColumns(header)?.transaction_id != null
  const month = budget.month ?? (isJournal ? undefined : budget.date)
  if (
    budget.account !== undefined &&
    (periods.length > 0 || (month !== undefined && budget.amount !== undefined))
  )
    return reading('budget', [...periods, budget.amount], budget.date)
  const metrics = findColumns(head, METRICS, []).at
  if (metrics.metric !== undefined && (periods.length > 0 || metrics.value !== undefined))
    return reading('metrics', [...periods, metrics.value], metrics.date)
  const chart = findColumns(head, CHART, []).at
  if (chart.id !== undefined && chart.name !== undefined)
    return reading(chart.classification === undefined ? 'members' : 'chart')
  return null
}

/** A ledger whose headers are those of another program. */
function guessLedger(header: readonly string[]): Reading | null {
  const columns = guessColumns(header)
  if (columns === null) return null
  const at = (column: string) => {
    const name = columns[column]
    return name == null ? undefined : header.indexOf(name)
  }
  const figures = [at('amount'), at('debit'), at('credit')]
  return { kind: 'ledger', columns, hasBasis: at('basis') !== undefined, figures, date: at('date') }
}

interface Found {
  readonly reading: Reading
  /** Rows below the header. */
  readonly rows: Sample['rows']
}

function findTable({ rows }: Sample, read: (header: readonly string[]) => Reading | null): Found | null {
  for (const [i, cells] of rows.slice(0, TITLE_ROWS + 1).entries()) {
    const reading = read(cells)
    if (reading !== null) return { reading, rows: rows.slice(i + 1) }
  }
  return null
}

async function recogniseTable(
  path: string,
  samples: readonly Sample[],
  file: string,
  isWorkbook: boolean,
): Promise<Recognised> {
  for (const read of [readHeader, guessLedger]) {
    const found = samples.flatMap((sample) => {
      const table = findTable(sample, read)
      return table === null ? [] : [{ sample, ...table }]
    })
    const [first] = found
    if (first === undefined) continue
    const { kind, columns, hasBasis } = first.reading
    // Of a text, only one delimiter is the right one; of a workbook, all sheets of the kind belong together.
    const alike = isWorkbook ? found.filter(({ reading }) => reading.kind === kind) : [first]
    const sheets =
      isWorkbook && alike.length < samples.length ? alike.map(({ sample }) => sample.sheet!) : null
    const form = formOf(alike, sheets, isWorkbook)
    if (kind === 'ledger') return { kind, hasBasis, columns, form }
    if (kind === 'metrics') return { kind, metrics: await metricNames(path, file, sheets), form }
    return { kind, form }
  }
  return unknown([unknownFile(samples, file)])
}

function formOf(
  tables: readonly (Found & { sample: Sample })[],
  sheets: string[] | null,
  isWorkbook: boolean,
): TableForm {
  const cellsAt = (positions: (reading: Reading) => readonly (number | undefined)[]) =>
    tables.flatMap(({ reading, rows }) =>
      positions(reading).flatMap((at) =>
        at === undefined ? [] : rows.map((cells) => cells[at]?.trim() ?? ''),
      ),
    )
  const dates = cellsAt(({ date }) => [date])
  return {
    sheets,
    told: tables[0]!.sample.told,
    amounts: amountForm(cellsAt(({ figures }) => figures)),
    // Months need no form, nor do cells that are dates in the workbook; those typed as text do.
    dates: dateForm(
      dates.filter((date) => parseMonth(date) === null && !(isWorkbook && parseDate(date) !== null)),
    ),
  }
}

/** The row that is most likely meant as the header: the first of those with the most cells. */
function unknownFile(samples: readonly Sample[], file: string): Finding {
  const [first] = samples
  const filled = (cells: readonly string[]) => cells.filter((cell) => cell.trim() !== '')
  const rows = (first?.rows ?? []).slice(0, TITLE_ROWS)
  const width = Math.max(0, ...rows.map((cells) => filled(cells).length))
  const row = rows.findIndex((cells) => filled(cells).length === width)
  return error(
    'unknown-file',
    'nothing known: it is neither SIE nor FEC, and its header is that of no table read here',
    {
      file: first?.sheet == null || samples.length === 1 ? file : `${file}#${first.sheet}`,
      row: row + 1,
      text:
        filled(rows[row] ?? [])
          .join(', ')
          .slice(0, 200) || null,
      remedy: `looked for: ${LOOKED_FOR}. Rename its columns, or write company.yaml by hand with a column map ("columns")`,
    },
  )
}

const LOOKED_FOR = [
  'SIE 4 (#FLAGGA, #SIETYP 4)',
  'FEC (JournalCode, EcritureDate, CompteNum)',
  'ledger (transaction_id, date, account, and amount or debit and credit)',
  'chart of accounts (id, name, classification)',
  'classes or departments (id, name)',
  'budget (account and months, or account, month, amount)',
  'metrics (metric and months, or metric, date, value)',
].join('; ')

async function metricNames(path: string, file: string, sheets: string[] | null): Promise<string[]> {
  const setting = { files: file, ...(sheets === null ? {} : { sheet: sheets }) }
  const { tables } = await readTable(dirname(path), file, setting, 'metrics', 'metrics')
  const names = tables.flatMap((table) => {
    const { metric } = findColumns(table, METRICS, []).at
    return metric === undefined ? [] : table.rows.map(({ cells }) => cells[metric] ?? '')
  })
  return [...new Set(names)].filter((name) => name !== '')
}
