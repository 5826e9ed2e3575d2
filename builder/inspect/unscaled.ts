/** Shows what a sheet that counts in thousands or millions states for a figure of the books. */

import { shiftPoint } from '../ingest/text/amount.ts'
import { zerosOf } from '../ingest/text/scale.ts'
import type { Manifest } from '../snapshot/files/manifest.ts'
import { SCALES, type Scale } from '../workspace/company.ts'

export interface Unscaled {
  /** The unit of the sheet: 1000 or 1000000. */
  readonly scale: Scale
  /**
   * The figure in that unit, as decimal text; where the sheet's figure was spread over the months of a quarter or
   * year, its share.
   */
  readonly figure: string
}

/** The scales of the sheets behind these lines, by file; sheets in units of 1 are left out. */
export function sheetScales(
  { Inputs }: Pick<Manifest, 'Inputs'>,
  lines: readonly { readonly file: string | null }[],
): ReadonlyMap<string, Scale> {
  const files = new Set(lines.map(({ file }) => file))
  return new Map(
    Inputs.flatMap(({ File, Scale }) => {
      const scale = SCALES.find((each) => each !== 1 && each === Scale)
      return scale !== undefined && files.has(File) ? [[File, scale] as const] : []
    }),
  )
}

/** The remark that stands below the lines of an explanation. */
export const scaleRemark = (file: string, scale: Scale): string =>
  `${file} counts in units of ${scale.toLocaleString('en-US')}: each of its figures is multiplied by that.`

/** Converts an amount back to the sheet's unit; empty where the sheet counts in units of 1. */
export function unscaled(
  scales: ReadonlyMap<string, Scale>,
  file: string | null,
  amount: string,
): { readonly unscaled?: Unscaled } {
  const scale = scales.get(file ?? '')
  return scale === undefined ? {} : { unscaled: { scale, figure: shiftPoint(amount, -zerosOf(scale)) } }
}
