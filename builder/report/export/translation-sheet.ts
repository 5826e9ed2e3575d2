/** The sheet of a group's board pack that states how members in other currencies were translated. */

import { formatInteger } from '../../contract/currency.ts'
import type { TranslationTable } from '../consolidation.ts'
import {
  type About,
  amountFormat,
  BOLD,
  headFigure,
  headText,
  QUIET,
  sheetLayout,
  TITLE_WIDTH,
  titleRows,
} from './looks.ts'
import { once } from './sheets.ts'
import type { Sheet } from './xlsx.ts'
import type { SheetCell } from './xlsx-cells.ts'

const WIDTH = 18

export function translationSheet(tables: readonly TranslationTable[], about: About): Sheet {
  const title = { ...about, title: 'Translation', period: 'Period ended' }
  const columns = Math.max(...tables.map(({ heads }) => heads.length))
  const cellOf = (of: TranslationTable['rows'][number]['cells'][number], isTotal: boolean): SheetCell => {
    if (typeof of === 'string') return { text: of, style: { align: 'right' } }
    if (of.minor === null) return null
    const style = {
      ...(isTotal ? { ...BOLD, top: 'thin' as const } : {}),
      format: amountFormat({ decimals: of.decimals, unit: 'exact' }),
    }
    return { number: formatInteger(String(of.minor), of.decimals), style }
  }
  const rows = tables.flatMap(({ caption, heads, rows }): SheetCell[][] => [
    [{ text: caption, style: QUIET }],
    [headText(''), ...heads.map(headFigure)],
    ...rows.map(({ label, isTotal, cells }) => [
      { text: label, style: isTotal ? BOLD : {} },
      ...cells.map((cell) => cellOf(cell, isTotal)),
    ]),
    [],
  ])
  return {
    name: title.title,
    widths: [TITLE_WIDTH + 8, ...Array.from({ length: columns }, () => WIDTH)],
    frozen: { rows: 0, columns: 1 },
    rows: once([...titleRows(title), ...rows]),
    layout: sheetLayout(title),
  }
}
