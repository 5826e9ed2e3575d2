/**
 * Rows of parents beside rows of their children, in budgets and metrics: header accounts, parent departments and
 * classes. A row that is exactly the sum of its children's rows repeats them, and is left out. One that is not may
 * be the parent's own figure or a sum that lacks a child, which only its owner can tell.
 */
import { addTo } from '../../../contract/grouping.ts'
import { present } from '../../../contract/present.ts'
import { error, type Finding, warning } from '../../../workspace/findings/finding.ts'
import { COMPANY_FILE } from '../../../workspace/workspace.ts'
import type { ColumnRows } from '../../format/column-rows.ts'

/** Id → id of the parent, of those that have one. */
export type Parents = ReadonlyMap<string, string>

export const parentsOf = (
  rows: Iterable<{ readonly id: string; readonly parentId: string | null }>,
): Parents =>
  new Map([...rows].flatMap(({ id, parentId }) => (parentId === null ? [] : [[id, parentId] as const])))

/** What a figure is of; for a metric `account` is its id. */
interface About {
  readonly account: string
  readonly class: string | null
  readonly department: string | null
}
const KINDS = ['account', 'class', 'department'] as const
export type Trees = { readonly [kind in (typeof KINDS)[number]]: Parents }

export interface FigureOf<Row> {
  readonly about: About
  readonly row: Row
  readonly period: string
  /** An integer of any scale. */
  readonly figure: bigint
}

/** All figures about the same. */
interface Line<Row> {
  readonly about: About
  readonly rows: Set<Row>
  readonly byPeriod: Map<string, bigint>
  /** The ids of `about`, each with those above it, the nearest first. */
  readonly above: { readonly [kind in (typeof KINDS)[number]]: readonly string[] }
}

/** The line of a parent beside lines of its children. */
export interface ParentLine<Row> extends Line<Row> {
  readonly children: readonly Line<Row>[]
  /** The first period in which it is not the sum of its children; null where there is none. */
  readonly differs: { readonly period: string; readonly stated: bigint; readonly sum: bigint } | null
}

function upwards(id: string | null, parents: Parents): string[] {
  const ids: string[] = []
  for (let at = id ?? undefined; at !== undefined && !ids.includes(at); at = parents.get(at)) ids.push(at)
  return ids
}

function linesOf<Row>(figures: Iterable<FigureOf<Row>>, trees: Trees): Line<Row>[] {
  const lines = new Map<string, Line<Row>>()
  for (const { about, row, period, figure } of figures) {
    const key = KINDS.map((kind) => about[kind] ?? '').join('\n')
    let line = lines.get(key)
    if (line === undefined) {
      const [account, klass, department] = KINDS.map((kind) => upwards(about[kind], trees[kind]))
      const above = { account: account ?? [], class: klass ?? [], department: department ?? [] }
      line = { about, rows: new Set(), byPeriod: new Map(), above }
      lines.set(key, line)
    }
    line.rows.add(row)
    line.byPeriod.set(period, (line.byPeriod.get(period) ?? 0n) + figure)
  }
  return [...lines.values()]
}

/** A line of a header account without a department is also above those of its accounts in departments. */
const isAbove = <Row>({ about }: Line<Row>, { above }: Line<Row>): boolean =>
  KINDS.every((kind) => about[kind] === null || above[kind].includes(about[kind])) &&
  KINDS.some((kind) => about[kind] !== null && above[kind].indexOf(about[kind]) > 0)

/** The lines of parents beside their children. `isOwn` tells those whose figures are known to be no sums. */
export function parentLines<Row>(
  figures: Iterable<FigureOf<Row>>,
  trees: Trees,
  isOwn: (parent: ParentLine<Row>) => boolean,
): ParentLine<Row>[] {
  const lines = linesOf(figures, trees)
  const below = new Map<string, Line<Row>[]>()
  for (const line of lines) for (const id of line.above.account) addTo(below, id, line)
  const depth = ({ above }: Line<Row>) => KINDS.reduce((sum, kind) => sum + above[kind].length, 0)
  const sums = new Set<Line<Row>>()
  // The deepest first: children that are sums themselves do not count.
  return lines
    .toSorted((a, b) => depth(b) - depth(a))
    .flatMap((line) => {
      const periods = [...line.byPeriod]
      const children = (below.get(line.about.account) ?? []).filter(
        (other) =>
          !sums.has(other) && isAbove(line, other) && periods.some(([period]) => other.byPeriod.has(period)),
      )
      if (children.length === 0 || periods.every(([, figure]) => figure === 0n)) return []
      const [differs = null] = periods.flatMap(([period, stated]) => {
        const sum = children.reduce((total, { byPeriod }) => total + (byPeriod.get(period) ?? 0n), 0n)
        return sum === stated ? [] : [{ period, stated, sum }]
      })
      const parent = { ...line, children, differs }
      if (isOwn(parent) || isFarBelow(parent)) return []
      if (differs === null) sums.add(line)
      return [parent]
    })
}

/** Figures far below what the children have are no sum of them, even one with a mistake in it: they are the parent's own. */
function isFarBelow<Row>({ byPeriod, children }: ParentLine<Row>): boolean {
  const total = (lines: readonly Pick<Line<Row>, 'byPeriod'>[]) =>
    lines
      .flatMap((line) => [...byPeriod.keys()].map((period) => line.byPeriod.get(period) ?? 0n))
      .reduce((sum, figure) => sum + (figure < 0n ? -figure : figure), 0n)
  return 5n * total([{ byPeriod }]) < 4n * total(children)
}

interface ParentRule<Row> {
  /** The key of company.yaml that names the files. */
  readonly key: string
  readonly trees: Trees
  readonly isOwn: (row: Row) => boolean
  /** Null where rows of this kind are never added up. */
  readonly figureOf: (row: Row) => Omit<FigureOf<Row>, 'row'> | null
  readonly show: (figure: bigint) => string
}

/** The rows without those of parents that sum up their children, and what is to be said about parents. */
export function withoutParents<Row extends { readonly file: string; readonly row: number }>(
  rows: ColumnRows<Row>,
  none: () => ColumnRows<Row>,
  { key, trees, isOwn, figureOf, show }: ParentRule<Row>,
): { readonly rows: ColumnRows<Row>; readonly findings: readonly Finding[] } {
  function* figures(): Generator<FigureOf<number>> {
    for (let row = 0; row < rows.length; row++) {
      const figure = figureOf(present(rows.at(row), 'row'))
      if (figure !== null) yield { ...figure, row }
    }
  }
  if (!mayHaveParents(figures, trees)) return { rows, findings: [] }
  const firstOf = (line: Line<number>) => present(rows.at(Math.min(...line.rows)), 'row of a line')
  const parents = parentLines(figures(), trees, (line) => isOwn(firstOf(line)))
  const sums = parents.filter(({ differs }) => differs === null)
  const asked = parents.filter(({ differs }) => differs !== null)
  const said = (line: Line<number>, others: number) => {
    const { file, row } = firstOf(line)
    const text = KINDS.flatMap((kind) => line.about[kind] ?? []).join(', ')
    const more = others === 0 ? '' : ` (and ${others} more such row${others === 1 ? '' : 's'})`
    const own = `where figures of parents are their own, beside those of their children, state "parents: own" under "${key}" in ${COMPANY_FILE}`
    return { place: { file, row, text }, text, more, own }
  }
  const findings: Finding[] = []
  for (const sum of sums.slice(0, 1)) {
    const { place, text, more, own } = said(sum, sums.length - 1)
    const what = `"${text}" is exactly the sum of its children in other rows: left out, since those count${more}`
    findings.push(warning('parent-left-out', what, { ...place, remedy: `nothing need be done; ${own}` }))
  }
  for (const { differs, ...line } of asked.slice(0, 1)) {
    const { place, text, more, own } = said(line, asked.length - 1)
    const { period, stated, sum } = present(differs, 'difference')
    const what = `"${text}" has ${show(stated)} for ${period}, and its children in other rows ${show(sum)}: is it their sum, or a figure of its own?${more}`
    const remedy = `where it is their sum, correct it or the rows; ${own}`
    findings.push(error('parent-beside-children', what, { ...place, remedy }))
  }
  if (sums.length === 0) return { rows, findings }
  const left = new Set(sums.flatMap((line) => [...line.rows]))
  const kept = none()
  for (let row = 0; row < rows.length; row++) if (!left.has(row)) kept.push(present(rows.at(row), 'row'))
  return { rows: kept, findings }
}

/** Whether any id stands above another one, so that rows of a parent may stand beside those of its children. */
function mayHaveParents(figures: () => Iterable<FigureOf<unknown>>, trees: Trees): boolean {
  if (KINDS.every((kind) => trees[kind].size === 0)) return false
  const ids = { account: new Set(), class: new Set(), department: new Set() }
  for (const { about } of figures()) for (const kind of KINDS) ids[kind].add(about[kind])
  return KINDS.some((kind) =>
    [...trees[kind].keys()].some(
      (id) =>
        ids[kind].has(id) && upwards(id, trees[kind]).some((other) => other !== id && ids[kind].has(other)),
    ),
  )
}
