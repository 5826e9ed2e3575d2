/** What formats say of the classes and departments that their lines carry. */
import { type Finding, warning } from '../../workspace/findings/finding.ts'
import type { MemberRow, Origin } from './intake.ts'

/** Lines that carry a dimension which is neither class nor department, with their sums as people read them. */
export interface UnmappedLines {
  readonly lines: number
  readonly debit: string
  readonly credit: string
}

/** `label` names the dimension. */
export const unmappedDimension = (
  id: string,
  label: string,
  { lines, debit, credit }: UnmappedLines,
  place: Origin & { readonly column?: string },
): Finding =>
  warning(
    'unmapped-dimension',
    `${label} is neither class nor department: ${lines === 1 ? '1 line carries' : `${lines} lines carry`} it, debit ${debit}, credit ${credit}`,
    {
      ...place,
      text: id,
      remedy: `to report by it, write ${id}: class (or department) under "dimensions" in company.yaml`,
    },
  )

/** Text → the row where it stands first. */
export type FirstRows = Map<string, number>

/** An empty text is nothing to note. */
export function noteFirst(rows: FirstRows, text: string, row: number): void {
  if (text !== '' && !rows.has(text)) rows.set(text, row)
}

/** Members that are called by their ids, since nothing but the rows of these files names them. The last of the files counts. */
export function namedMembers<Target extends string>(
  files: readonly { readonly file: string; readonly members: { readonly [target in Target]: FirstRows } }[],
  target: Target,
): MemberRow[] {
  const rows = files.flatMap(({ file, members }) =>
    [...members[target]].map(([id, row]) => ({ file, row, id, name: id, parentId: null, isActive: true })),
  )
  return [...new Map(rows.map((row) => [row.id, row])).values()]
}
