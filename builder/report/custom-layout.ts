/**
 * The lines of a statement in the company's own layout (`layout` of company.yaml). Every published row stands in exactly one part
 * of it. A row that no part holds, which can only be one that is no account of the chart, has a line of its own.
 */
import type { Account } from '../books/reference/frame.ts'
import { type LayoutPart, RAISING } from '../books/reference/presentation.ts'
import { SUMMARY_LABELS } from '../contract/vocabulary.ts'
import type { PublishedRow } from '../snapshot/files/documents.ts'
import {
  accountLine,
  grouped,
  heading,
  type LineStyle,
  type ReportLine,
  resultOf,
  totalLine,
} from './groups.ts'
import { PARTS } from './parts.ts'

type Chart = ReadonlyMap<string, Account>

/** A part of the layout with the published rows that it holds. */
interface FilledPart {
  readonly part: LayoutPart
  readonly rows: readonly PublishedRow[]
}

/** Lists the parts in the company's order. A total adds up all parts above it; the last total is net income as published. */
export function ownProfitAndLoss(
  layout: readonly LayoutPart[],
  rows: readonly PublishedRow[],
  chart: Chart,
): ReportLine[] {
  const { filled, others } = filledParts(layout, rows)
  const lines: ReportLine[] = []
  const added: PublishedRow[] = []
  for (const { part, rows } of filled) {
    if (part.show === 'total') lines.push(runningTotal(part, added))
    else lines.push(...partLines({ part, rows }, chart, resultStyle(rows), 0))
    added.push(...rows)
  }
  const last = layout.at(-1)
  const isLast = last?.show === 'total' && others.length === 0
  const name = (isLast ? last.label : null) ?? SUMMARY_LABELS.NetIncome
  return [
    ...(isLast ? lines.slice(0, -1) : lines),
    ...others.map((row) => accountLine(row, resultStyle([row]), 0)),
    totalLine(['NetIncome', 'more'], 'sum', 'total', name),
  ]
}

/** Lists the lines of one section: its parts in the company's order, then the rows that no part names. */
export function ownBalanceSheetPart(
  layout: readonly LayoutPart[],
  rows: readonly PublishedRow[],
  chart: Chart,
  style: LineStyle,
): ReportLine[] {
  const { filled, others } = filledParts(layout, rows)
  const shown = filled.filter((each) => each.rows.length > 0)
  return [
    ...shown.flatMap((each) =>
      each.part.label === null ? grouped(each.rows, chart, style, 1) : partLines(each, chart, style, 1),
    ),
    ...others.map((row) => accountLine(row, style, 1)),
  ]
}

function filledParts(
  layout: readonly LayoutPart[],
  rows: readonly PublishedRow[],
): { readonly filled: readonly FilledPart[]; readonly others: readonly PublishedRow[] } {
  const byName = new Map(layout.flatMap((part) => part.accounts.map((id) => [id, part] as const)))
  const holderOf = ({ accountId, section }: PublishedRow): LayoutPart | undefined =>
    byName.get(accountId) ?? layout.find(({ rest }) => rest.includes(section))
  return {
    filled: layout.map((part) => ({ part, rows: rows.filter((row) => holderOf(row) === part) })),
    others: rows.filter((row) => holderOf(row) === undefined),
  }
}

function partLines({ part, rows }: FilledPart, chart: Chart, style: LineStyle, depth: number): ReportLine[] {
  if (rows.length === 0) return []
  const { label, total } = namesOf(part)
  const sum = { accounts: rows.map(({ accountId }) => accountId) }
  const id = `own:${label}`
  if (part.show === 'line') return [{ id, kind: 'account', depth, number: '', label, ...style, of: sum }]
  return [
    heading(id, label, depth),
    ...grouped(rows, chart, style, depth + 1),
    { id: `${id}:total`, kind: 'subtotal', depth, number: '', label: total, ...style, of: sum },
  ]
}

/** Names a part and its total; a section keeps its usual names where the company gives it no other. */
function namesOf({ label, rest }: LayoutPart): { readonly label: string; readonly total: string } {
  if (label !== null) return { label, total: `Total ${label}` }
  const usual = Object.values(PARTS)
    .flat()
    .find(({ section }) => section === rest[0])
  const name = usual?.heading ?? ''
  return { label: name, total: usual?.total ? SUMMARY_LABELS[usual.total[0]] : `Total ${name}` }
}

const runningTotal = ({ label }: LayoutPart, above: readonly PublishedRow[]): ReportLine => ({
  ...{ id: `own:${label}`, kind: 'total', depth: 0, number: '', label: label ?? '', measure: 'sum' },
  ...{ of: resultOf(above), better: 'more' },
})

/** The style of the first row, since all rows of a part have the same sign. */
const resultStyle = ([row]: readonly PublishedRow[]): LineStyle => ({
  measure: 'sum',
  better: row === undefined || RAISING.has(row.section) ? 'more' : 'less',
})
