/** What the sources themselves state: rows of them under a table of lines, and figures as a sheet counts them. */
import type { Explanation } from '../builder/inspect/explain.ts'
import type { Unscaled } from '../builder/inspect/unscaled.ts'
import { money, visible } from './money.ts'
import { count, type Terminal } from './terminal.ts'

const NO_LINE = '(the file has no such line: several entries stand in one, and are counted instead)'

/** Whole, however long: this is what the source says. */
export function sourcesText({ sources }: Pick<Explanation, 'sources'>, { paint }: Terminal): string[] {
  if (sources === null || sources.length === 0) return []
  const rows = sources.map(
    ({ file, row, text }) =>
      `${paint.dim(`${file}:${row}`)}  ${text === null ? paint.dim(NO_LINE) : visible(text)}`,
  )
  return [paint.bold('As they stand in the sources, which are the ones that were read'), ...rows, '']
}

/** `44 × 1,000`; nothing where the sheet counts in units of 1. */
export const unscaledText = ({ unscaled }: { readonly unscaled?: Unscaled }): string =>
  unscaled === undefined ? '' : `${money(unscaled.figure)} × ${count(unscaled.scale)}`
