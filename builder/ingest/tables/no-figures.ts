/** Reports budget and metric files without any figure: truncated below the header, or not filled in yet. */
import { type Finding, warning } from '../../workspace/finding.ts'
import type { Table } from './table.ts'

/** In a workbook one sheet with figures is enough. A file with another finding is not reported again. */
export function filesWithoutFigures(
  tables: readonly Table[],
  rows: Iterable<{ readonly file: string }>,
  findings: readonly Finding[],
): Finding[] {
  const heads = new Map<string, Table>()
  for (const table of tables) if (!heads.has(pathOf(table))) heads.set(pathOf(table), table)
  const explained = new Set(findings.map(({ file }) => file))
  for (const { file } of rows) explained.add(file)
  for (const table of tables) if (explained.has(table.file)) heads.delete(pathOf(table))
  return [...heads.values()].map(({ file, headerRow }) =>
    warning('no-figures', 'has a header, but no figure', {
      file,
      row: headerRow,
      remedy: 'export the file again, or fill it in; remove one that is not needed',
    }),
  )
}

const pathOf = ({ file, sheet }: Table): string =>
  sheet !== null && file.endsWith(`#${sheet}`) ? file.slice(0, -sheet.length - 1) : file
