/** What formats say of the classes and departments that their lines carry. */
import { error, type Finding, warning } from '../../workspace/findings/finding.ts'
import type { Origin } from './intake.ts'

export const reservedMember = (
  target: 'class' | 'department',
  id: string,
  place: Origin & { readonly column?: string },
  remedy: string,
): Finding =>
  error('reserved-id', `"${id}" is reserved and cannot be the id of a ${target}`, {
    ...place,
    text: id,
    remedy,
  })

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
