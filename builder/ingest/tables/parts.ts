/** What can be done with a part of a file of budgets or metrics alone, here or in a thread. */
import type { BudgetSetting, MetricSetting } from '../../workspace/company.ts'
import type { Finding } from '../../workspace/finding.ts'
import { type Shared, sharedValue } from '../../workspace/threads.ts'
import type { PackedRows } from '../format/column-rows.ts'
import type { MetricRow } from '../format/intake.ts'
import type { PartHands } from '../format/part-hands.ts'
import type { Delimiter } from '../text/csv.ts'
import { bytesOf, type Range } from '../text/text-parts.ts'
import { type BudgetContext, readBudgetSheet } from './budgets/budgets.ts'
import type { DetailedBudgetRow } from './kept-rows.ts'
import { type MetricContext, readMetricSheet } from './metrics/metrics.ts'
import { readText, type Table, type TextReading } from './table.ts'

/** An entry of company.yaml, and what must be known to read its figures. */
export type FigureEntry = BudgetEntry | MetricEntry

export interface BudgetEntry {
  readonly role: 'budget'
  readonly key: string
  readonly setting: BudgetSetting
  readonly context: BudgetContext
}

export interface MetricEntry {
  readonly role: 'metrics'
  readonly key: string
  readonly setting: MetricSetting
  readonly context: MetricContext
}

/** A text in UTF-8 whose header was found. */
export interface PartedText {
  /** Path relative to the company's folder. */
  readonly file: string
  /** The path to open. */
  readonly path: string
  readonly delimiter: Delimiter
  /** Title and header, with which each part is a file of its own. */
  readonly head: Uint8Array
}

export interface PartToRead {
  readonly part: Range
  readonly isWhole: boolean
  readonly shared: Shared<{ readonly text: PartedText; readonly entry: FigureEntry }>
}

/** Rows count from the beginning of the head. */
export interface ReadPart extends Pick<TextReading, 'encoding' | 'delimiter' | 'records'> {
  /** Without its rows. */
  readonly table: Table
  /** How many rows it has. */
  readonly rows: number
  /** About the text, and about the figures in it. */
  readonly findings: { readonly text: readonly Finding[]; readonly figures: readonly Finding[] }
  readonly packed: PackedFigures
}

/** Of a budget, or of each group of values. */
export type PackedFigures = readonly PackedRows<DetailedBudgetRow>[] | readonly PackedRows<MetricRow>[]

export const WORK = { readPart }
export type FigureHands = PartHands<typeof WORK>

/** Null where the figures can only be read with those of other parts, or where there is anything to report of its rows. */
async function readPart({ part, isWhole, shared }: PartToRead): Promise<ReadPart | null> {
  const { text, entry } = sharedValue(shared)
  const own = await bytesOf(text.path, part)
  const bytes = part.start === 0 ? own : Buffer.concat([text.head, own])
  const setting = { ...entry.setting, encoding: 'utf-8' as const, delimiter: text.delimiter }
  const { table, findings, ...read } = readText(bytes, text.file, setting, entry.role, entry.key)
  if (table === null) return null
  const figures = readFigures(table, entry)
  const isOfHead = ({ severity, row }: Finding) =>
    severity !== 'error' && (row === null || row <= table.headerRow)
  if (!isWhole && !(figures.isByRow && [...findings, ...figures.findings].every(isOfHead))) return null
  return {
    ...read,
    table: { ...table, rows: [] },
    rows: table.rows.length,
    findings: { text: findings, figures: figures.findings },
    packed: figures.packed,
  }
}

function readFigures(table: Table, entry: FigureEntry) {
  if (entry.role === 'budget') {
    const { rows, ...read } = readBudgetSheet(table, entry.setting, entry.context)
    return { ...read, packed: [rows.packed()] }
  }
  const { groups, findings, isByRow = true } = readMetricSheet(table, entry.setting, entry.context)
  return { findings, isByRow, packed: groups.map((rows) => rows.packed()) }
}
