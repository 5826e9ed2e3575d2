/** Lines that a program lists and never counts, or that company.yaml leaves out: totals of the report may include them, the books do not. */
import { plainWords } from '../../../claims/vocabulary.ts'
import type { Cells } from '../../../text/delimited.ts'
import { remembered } from '../../../text/remembered.ts'
import type { Layout } from './layout.ts'

/** Says of the cells of a line whether it is left out. */
export function leftOutTest({ leftOut }: Pick<Layout, 'leftOut'>): (cells: Cells) => boolean {
  const tests = leftOut.map(({ at, values, pattern }) => {
    const is = remembered((text) => values.includes(plainWords(text)) || (pattern?.test(text) ?? false))
    return (cells: Cells) => cells[at] !== undefined && cells[at] !== '' && is(cells[at])
  })
  return tests.length === 0 ? () => false : (cells) => tests.some((test) => test(cells))
}
