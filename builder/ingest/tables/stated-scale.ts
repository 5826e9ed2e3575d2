/**
 * The scale of a sheet's figures. What the sheet states and what company.yaml states must agree; where only the
 * sheet states it, it is used, with a warning.
 */

import type { Scale } from '../../workspace/company.ts'
import { error, type Finding, warning } from '../../workspace/findings/finding.ts'
import { COMPANY_FILE } from '../../workspace/workspace.ts'
import { textAt } from '../text/csv.ts'
import { scaleIn } from '../text/scale.ts'
import type { Table } from './table.ts'

interface Statement {
  readonly scale: Scale
  readonly text: string
  readonly row: number | null
}

/**
 * Every text of a table that states a scale: title, header, notes between and below the rows, names of sheet and
 * file.
 */
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

/** The scale of a table's figures; a finding where the table and company.yaml differ. */
export function scaleOf(
  table: Table,
  figures: readonly number[],
  stated: Scale | undefined,
  { follow }: { readonly follow: boolean },
): ScaleReading {
  const said = statementsIn(table, figures)
  const [first] = said
  if (stated !== undefined) {
    const contrary = said.find(({ scale }) => scale !== stated)
    return { scale: stated, findings: contrary === undefined ? [] : [scaleDiffers(table, contrary, stated)] }
  }
  if (first === undefined) return { scale: 1, findings: [] }
  const other = said.find(({ scale }) => scale !== first.scale)
  if (other !== undefined) return { scale: 1, findings: [twoScales(table, first, other)] }
  return follow
    ? { scale: first.scale, findings: [scaleRead(table, first)] }
    : { scale: 1, findings: [unitOfMetrics(table, first)] }
}

const shown = (scale: Scale): string => scale.toLocaleString('en-US')

const placeOf = ({ file }: Table, { row, text }: Statement) => ({ file, row, text })

/** How to state a scale for the table in company.yaml. */
const stateIt = ({ key }: Table, scale: Scale): string =>
  `state "scale: ${scale}" under "${key}" in ${COMPANY_FILE}`

const twoScales = (table: Table, first: Statement, other: Statement): Finding =>
  error(
    'scale-unclear',
    `"${first.text}" says that figures are in units of ${shown(first.scale)}, and "${other.text}" of ${shown(other.scale)}`,
    {
      ...placeOf(table, first),
      remedy:
        'keep figures of one unit in each sheet; or state which it is under "scale" in company.yaml, and correct the other',
    },
  )

const scaleDiffers = (table: Table, said: Statement, stated: Scale): Finding =>
  error(
    'scale-differs',
    `"${said.text}" says that figures are in units of ${shown(said.scale)}; company.yaml says "scale: ${stated}"`,
    {
      ...placeOf(table, said),
      remedy: `${stateIt(table, said.scale)}; or correct the text in the sheet`,
    },
  )

const scaleRead = (table: Table, said: Statement): Finding =>
  warning(
    'scale-read',
    `"${said.text}": the figures are read in units of ${shown(said.scale)}, so that 1 is ${shown(said.scale)}`,
    {
      ...placeOf(table, said),
      remedy: `nothing need be done if that is so; to confirm it, ${stateIt(table, said.scale)}`,
    },
  )

/** Metrics may have different units, so that a text in the sheet does not tell which of them it means. */
const unitOfMetrics = (table: Table, said: Statement): Finding =>
  error(
    'scale-unclear',
    `"${said.text}": whether all values of this sheet are in units of ${shown(said.scale)} is not clear`,
    {
      ...placeOf(table, said),
      remedy: `${stateIt(table, said.scale)}, and each value is multiplied; or "scale: 1" and remove the text, where values stay as they stand and the unit of the metric says it`,
    },
  )
