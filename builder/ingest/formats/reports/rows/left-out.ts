/** Lines that a program lists and never counts, or that company.yaml leaves out: totals of the report may include them, the books do not. */
import { plainWords } from '../../../claims/vocabulary.ts'
import type { Cells } from '../../../text/delimited.ts'
import { remembered } from '../../../text/remembered.ts'
import { cellOf } from './cells.ts'
import type { Layout, Role } from './layout.ts'

/** Columns that the rows below the first one of an entry leave out. */
export const CARRIED = ['id', 'date', 'type', 'num'] as const satisfies readonly Role[]

/** Says of the cells of a line whether it is left out; told of the lines of a journal in order, whose entries may have their type in the first row only. */
export function leftOutTest({ leftOut, kind, at: places }: Layout): (cells: Cells) => boolean {
  const tests = leftOut.map(({ at, values, pattern }) => {
    const is = remembered((text) => values.includes(plainWords(text)) || (pattern?.test(text) ?? false))
    return (cells: Cells) => cells[at] !== undefined && cells[at] !== '' && is(cells[at])
  })
  if (tests.length === 0) return () => false
  let isOut = false
  return (cells) => {
    const isBelow = kind === 'journal' && CARRIED.every((role) => cellOf(cells, places[role]) === '')
    const isOwn = tests.some((test) => test(cells))
    if (!isBelow) isOut = isOwn
    return isOut || isOwn
  }
}
