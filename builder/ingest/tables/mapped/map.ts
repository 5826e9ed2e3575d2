/** What a column map can say beside renaming: a column of debit or credit, the opposite sign, joined columns, rows that are left out. */
import type { LedgerSetting } from '../../../workspace/company.ts'
import { positionsOf } from '../header.ts'

/** The key of a column map for the column that states debit or credit. */
export const DIRECTION = 'direction'
const JOIN = ' + '

/** Whether it does more than rename. */
export const isMapped = ({ columns, skip, count }: LedgerSetting): boolean =>
  skip !== undefined ||
  count !== undefined ||
  Object.entries(columns ?? {}).some(
    ([name, header]) => name === DIRECTION || header.includes(JOIN) || header.startsWith('-'),
  )

const DEBIT = /^(d|dr|deb|debit|s|soll|debet|\+|1)$/i
const CREDIT = /^(c|cr|cred|credit|h|haben|k|kredit|-|-1)$/i

/** Debit or credit, in the words of several languages; null where the text states neither. */
export const sideOf = (text: string): 'debit' | 'credit' | null =>
  CREDIT.test(text) ? 'credit' : DEBIT.test(text) ? 'debit' : null

/** The column of a value, or several columns that are joined by a dash. */
export interface MappedValue {
  readonly at: readonly number[]
  readonly isReversed: boolean
}

/**
 * `Amount`, `-Amount`, `Type + No.`; a header of exactly this name is preferred. Null where the header lacks a
 * column.
 */
export function mappedValue(header: readonly string[], text: string): MappedValue | null {
  const one = (name: string) => positionsOf(header, name)[0]
  const own = one(text)
  if (own !== undefined) return { at: [own], isReversed: false }
  if (text.startsWith('-')) {
    const reversed = one(text.slice(1).trim())
    return reversed === undefined ? null : { at: [reversed], isReversed: true }
  }
  const parts = text.split(JOIN).map((part) => one(part))
  return parts.length > 1 && parts.every((part) => part !== undefined)
    ? { at: parts as number[], isReversed: false }
    : null
}

export const valueAt = (cells: readonly string[], { at }: MappedValue): string => {
  const [first = 0] = at
  if (at.length === 1) return cells[first]?.trim() ?? ''
  return at
    .map((index) => cells[index]?.trim() ?? '')
    .filter((part) => part !== '')
    .join('-')
}
