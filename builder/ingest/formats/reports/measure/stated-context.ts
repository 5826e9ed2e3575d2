/** What the figures that a program states beside its lines are compared with; null for a program that does not mark its rows. */
import type { UnreadRows } from '../../../format/unread-rows.ts'
import { dateReader, type Forms } from '../rows/figures.ts'
import type { ReadableReport } from '../rows/scan.ts'
import type { MeasureContext } from './measured.ts'
import type { RowFigures } from './row-figures.ts'
import { StatedFigures } from './stated.ts'

export function statedFiguresOf(
  report: ReadableReport,
  forms: Forms,
  context: MeasureContext,
  unread: UnreadRows,
  figures: RowFigures,
): StatedFigures | null {
  const { layout, file } = report
  const { marks } = layout
  if (marks === null) return null
  return new StatedFigures({
    ...context,
    file,
    layout,
    marks,
    unread,
    startsYear: (text) => {
      const date = dateReader(forms.dateFormat)(text)
      return date !== null && context.startsYear(date)
    },
    figure: (cells, role) => figures.at(cells, layout.at[role]),
  })
}
