/**
 * The scale of a sheet's figures. What the sheet says and what company.yaml says must agree; where only the sheet says it, it is
 * followed, with a warning.
 */

import type { Scale } from '../../workspace/company.ts'
import { error, type Finding, warning } from '../../workspace/finding.ts'
import { COMPANY_FILE } from '../../workspace/workspace.ts'
import { textAt } from '../text/csv.ts'
import { scaleIn } from '../text/scale.ts'
import type { Table } from './table.ts'

interface Statement {
  readonly scale: Scale
  readonly text: string
  readonly row: number | null
}

/** Everything that a table says of its scale: title, header, notes between and below the rows, sheet and file name. */
function statementsIn(table: Table, figures: readonly number[]): Statement[] {
  const found: Statement[] = []
  const look = (text: string, row: number | null) => {
    const scale = text === '' ? null : scaleIn(text)
    if (scale !== null) found.push({ scale, text, row })
  }
  for (const { row, cells } of table.above) for (const cell of cells) look(cell, row)
  for (const cell of table.header) look(cell, table.headerRow)
  for (const { row, cells } of table.rows)
    if (
      figures.every((column) => !/\d/.test(textAt(cells, column)) || scaleIn(textAt(cells, column)) !== null)
    )
      for (const cell of cells) look(cell, row)
  look(table.file.replace(/^.*[/\\]/, ''), null)
  return found
}

export interface ScaleReading {
  readonly scale: Scale
  readonly findings: readonly Finding[]
}

/** The scale of a table's figures: what it says, which must be what company.yaml says where both do. */
export function scaleOf(
  table: Table,
  figures: readonly number[],
  stated: Scale | undefined,
  { follow }: { readonly follow: boolean },
): ScaleReading {
  const said = statementsIn(table, figures)
  const [first] = said
  const place = { file: table.file, row: first?.row ?? null, text: first?.text ?? null }
  const shown = (scale: Scale) => scale.toLocaleString('en-US')
  const other = said.find(({ scale }) => scale !== first?.scale)
  if (first !== undefined && other !== undefined && stated === undefined)
    return {
      scale: 1,
      findings: [
        error(
          'scale-unclear',
          `"${first.text}" says that figures are in units of ${shown(first.scale)}, and "${other.text}" of ${shown(other.scale)}`,
          {
            ...place,
            remedy:
              'keep figures of one unit in each sheet; or state which it is under "scale" in company.yaml, and correct the other',
          },
        ),
      ],
    }
  const contrary = stated === undefined ? undefined : said.find(({ scale }) => scale !== stated)
  if (contrary !== undefined && stated !== undefined)
    return {
      scale: stated,
      findings: [
        error(
          'scale-differs',
          `"${contrary.text}" says that figures are in units of ${shown(contrary.scale)}; company.yaml says "scale: ${stated}"`,
          {
            file: table.file,
            row: contrary.row,
            text: contrary.text,
            remedy: `state "scale: ${contrary.scale}" under "${table.key}" in ${COMPANY_FILE}; or correct the text in the sheet`,
          },
        ),
      ],
    }
  if (stated !== undefined || first === undefined) return { scale: stated ?? 1, findings: [] }
  const remedy = `state "scale: ${first.scale}" under "${table.key}" in ${COMPANY_FILE}`
  return follow
    ? {
        scale: first.scale,
        findings: [
          warning(
            'scale-read',
            `"${first.text}": the figures are read in units of ${shown(first.scale)}, so that 1 is ${shown(first.scale)}`,
            { ...place, remedy: `nothing need be done if that is so; to confirm it, ${remedy}` },
          ),
        ],
      }
    : {
        scale: 1,
        findings: [
          error(
            'scale-unclear',
            `"${first.text}": whether all values of this sheet are in units of ${shown(first.scale)} is not clear`,
            {
              ...place,
              remedy: `${remedy}, and each value is multiplied; or "scale: 1" and remove the text, where values stay as they stand and the unit of the metric says it`,
            },
          ),
        ],
      }
}
