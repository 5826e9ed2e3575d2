/** What a file is, by its content: a SIE file, or one of the canonical tables by its header. Judges no figures. */
import { readFile } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { error, type Finding, hasErrors } from '../workspace/finding.ts'
import { detectDelimiter, parseCsv } from './csv.ts'
import { decodeText } from './decode.ts'
import { LEDGER_COLUMNS } from './intake.ts'
import { parseDate, parsePeriod } from './months.ts'
import { type Scan, scanFile } from './scan.ts'
import { suitability } from './sie-checks.ts'
import { looksLikeSie, parseSie } from './sie-parse.ts'
import type { SieFile } from './sie-records.ts'
import { findColumns, readTable, type Table } from './table.ts'
import { isCompoundFile, isZip } from './xlsx.ts'

export type Recognised =
  | { readonly kind: 'sie'; readonly sie: SieFile }
  /** `dateSample`: a date that is not ISO, so that its form must be stated. */
  | { readonly kind: 'ledger'; readonly hasBasis: boolean; readonly dateSample: string | null }
  | { readonly kind: 'chart' | 'members' | 'budget' }
  | { readonly kind: 'metrics'; readonly metrics: readonly string[] }
  | { readonly kind: 'unknown'; readonly findings: readonly Finding[] }

/** A header with some of its rows. */
type Sample = Pick<Table, 'file' | 'key' | 'header' | 'rows'>

const unknown = (findings: readonly Finding[]): Recognised => ({ kind: 'unknown', findings })

/** `path` must be a file that exists. Findings show its name. */
export async function recognise(path: string): Promise<Recognised> {
  const file = basename(path)
  const scan = await scanFile(path)
  if (scan.bytes === 0)
    return unknown([error('empty-file', 'the file is empty', { file, remedy: 'export it again' })])
  const head = decodeText(scan.head, scan.encoding).text
  if (looksLikeSie(head)) return recogniseSie(await readFile(path), file)
  if (!isZip(scan.head) && !isCompoundFile(scan.head))
    return recogniseTable(path, firstRows(scan, head, file), file)
  const reading = await readTable(dirname(path), file, { files: file }, 'ledger', 'ledger')
  return hasErrors(reading.findings)
    ? unknown(reading.findings)
    : recogniseTable(path, reading.tables[0]!, file)
}

function recogniseSie(bytes: Buffer, file: string): Recognised {
  const { text } = decodeText(bytes, undefined, 'cp437')
  // Only names and kinds are read here. Amounts are judged by the build, which knows the currency.
  const sie = parseSie(file, text, 2)
  const findings = suitability(sie, { currency: sie.currency }).filter(({ severity }) => severity === 'error')
  return findings.length > 0 ? unknown(findings) : { kind: 'sie', sie }
}

/** A ledger may hold millions of rows: its first ones tell what it is. */
function firstRows(scan: Scan, head: string, file: string): Sample {
  const lines = head.split(/(?<=\r\n|\n|\r(?!\n))/).slice(0, 20)
  // The last line may be cut in the middle.
  const text = (lines.length > 1 && scan.bytes > scan.head.length ? lines.slice(0, -1) : lines).join('')
  const { rows } = parseCsv(text, detectDelimiter(text), file)
  return { file, key: '', header: rows[0]?.cells ?? [], rows: rows.slice(1) }
}

const CHART = ['id', 'number', 'name', 'classification', 'type', 'parent'] as const
const BUDGET = ['account', 'month', 'date', 'amount'] as const
const METRICS = ['metric', 'date', 'month', 'value'] as const

async function recogniseTable(path: string, table: Sample, file: string): Promise<Recognised> {
  const { header, rows } = table
  const ledger = findColumns(table, LEDGER_COLUMNS, []).at
  const isMoney = ledger.amount !== undefined || (ledger.debit !== undefined && ledger.credit !== undefined)
  if (
    ledger.transaction_id !== undefined &&
    ledger.date !== undefined &&
    ledger.account !== undefined &&
    isMoney
  ) {
    const date = rows.map(({ cells }) => cells[ledger.date!] ?? '').find((cell) => cell !== '') ?? null
    return {
      kind: 'ledger',
      hasBasis: ledger.basis !== undefined,
      dateSample: date === null || parseDate(date) !== null ? null : date,
    }
  }
  const hasPeriods = header.some((cell) => parsePeriod(cell) !== null)
  const budget = findColumns(table, BUDGET, []).at
  const isLongBudget =
    (budget.month !== undefined || budget.date !== undefined) && budget.amount !== undefined
  if (budget.account !== undefined && (hasPeriods || isLongBudget)) return { kind: 'budget' }
  const metrics = findColumns(table, METRICS, []).at
  if (metrics.metric !== undefined && (hasPeriods || metrics.value !== undefined))
    return { kind: 'metrics', metrics: await metricNames(path, file) }
  const chart = findColumns(table, CHART, []).at
  if (chart.id !== undefined && chart.name !== undefined)
    return { kind: chart.classification === undefined ? 'members' : 'chart' }
  return unknown([
    error('unknown-file', `nothing known: it is no SIE file, and its header is that of no table read here`, {
      file,
      row: 1,
      text: header.filter(Boolean).join(', ').slice(0, 200) || null,
      remedy: `looked for: ${LOOKED_FOR}. Rename its columns, or write company.yaml by hand with a column map ("columns")`,
    }),
  ])
}

const LOOKED_FOR = [
  'SIE 4 (#FLAGGA, #SIETYP 4)',
  'ledger (transaction_id, date, account, and amount or debit and credit)',
  'chart of accounts (id, name, classification)',
  'classes or departments (id, name)',
  'budget (account and months, or account, month, amount)',
  'metrics (metric and months, or metric, date, value)',
].join('; ')

async function metricNames(path: string, file: string): Promise<string[]> {
  const { tables } = await readTable(dirname(path), file, { files: file }, 'metrics', 'metrics')
  const names = tables.flatMap((table) => {
    const { metric } = findColumns(table, METRICS, []).at
    return metric === undefined ? [] : table.rows.map(({ cells }) => cells[metric] ?? '')
  })
  return [...new Set(names)].filter((name) => name !== '')
}
