/** Prints rows of the sources below a table of lines, and figures in the unit of their sheet. */
import type { Explanation } from '../../builder/inspect/explain.ts'
import type { Unscaled } from '../../builder/inspect/unscaled.ts'
import { money, visible } from './money.ts'
import { count, type Terminal } from './terminal.ts'

const NO_LINE = '(the file has no such line: several entries stand in one, and are counted instead)'

/** Rows are printed in full, however long, because they are quotations. */
export function sourcesText({ sources }: Pick<Explanation, 'sources'>, { paint }: Terminal): string[] {
  if (sources === null || sources.length === 0) return []
  const rows = sources.map(
    ({ file, row, text }) =>
      `${paint.dim(`${file}:${row}`)}  ${text === null ? paint.dim(NO_LINE) : visible(text)}`,
  )
  return [paint.bold('As they stand in the sources, which are the ones that were read'), ...rows, '']
}

/** For example `44 × 1,000`; empty where the sheet counts in units of 1. */
export const unscaledText = ({ unscaled }: { readonly unscaled?: Unscaled }): string =>
  unscaled === undefined ? '' : `${money(unscaled.figure)} × ${count(unscaled.scale)}`
