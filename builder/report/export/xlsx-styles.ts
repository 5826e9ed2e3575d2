/** How cells of a workbook look, as data, and the part of the package that lists the looks in use (ECMA-376 §18.8). */

export interface CellStyle {
  readonly bold?: boolean
  readonly underline?: boolean
  /** The size of letters in points; the default is 11. */
  readonly size?: number
  /** The colour of the letters, `RRGGBB`. */
  readonly color?: string
  /** The colour behind them, `RRGGBB`. */
  readonly fill?: string
  /** A number format code; the default is `General`. */
  readonly format?: string
  /** The indentation from the left, in steps. */
  readonly indent?: number
  readonly align?: 'left' | 'right'
  readonly wrap?: boolean
  readonly top?: Rule
  readonly bottom?: Rule
}
type Rule = 'thin' | 'double'

export const DATE_STYLE: CellStyle = { format: 'yyyy\\-mm\\-dd' }

/** Formats with lower numbers are those that every program knows. */
const FIRST_OWN_FORMAT = 164

/**
 * The looks in use so far. A cell names its look by its number, the place in a list, so that `styles.xml` is written
 * after all cells.
 */
export class Styles {
  readonly #formats: string[] = []
  readonly #fonts = [font({})]
  readonly #fills = [
    '<fill><patternFill patternType="none"/></fill>',
    '<fill><patternFill patternType="gray125"/></fill>',
  ]
  readonly #borders = [border({})]
  readonly #looks = [look({ format: 0, font: 0, fill: 0, border: 0 }, {})]
  readonly #known = new WeakMap<CellStyle, number>()

  numberOf(style: CellStyle | undefined): number {
    if (style === undefined) return 0
    const known = this.#known.get(style)
    if (known !== undefined) return known
    const { format, fill } = style
    const parts = {
      format: format === undefined ? 0 : FIRST_OWN_FORMAT + placeIn(this.#formats, format),
      font: placeIn(this.#fonts, font(style)),
      fill: fill === undefined ? 0 : placeIn(this.#fills, solid(fill)),
      border: placeIn(this.#borders, border(style)),
    }
    const number = placeIn(this.#looks, look(parts, style))
    this.#known.set(style, number)
    return number
  }

  /** Content of `xl/styles.xml`, in the namespace that is given. */
  xml(namespace: string): string {
    const formats = this.#formats.map(
      (code, i) =>
        `<numFmt numFmtId="${FIRST_OWN_FORMAT + i}" formatCode="${code.replaceAll('"', '&quot;')}"/>`,
    )
    return `<styleSheet xmlns="${namespace}">${formats.length === 0 ? '' : list('numFmts', formats)}${list('fonts', this.#fonts)}${list('fills', this.#fills)}${list('borders', this.#borders)}<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>${list('cellXfs', this.#looks)}<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`
  }
}

const list = (name: string, parts: readonly string[]): string =>
  `<${name} count="${parts.length}">${parts.join('')}</${name}>`

/** The place of a part in the list; appends it where it is not there yet. */
function placeIn(parts: string[], part: string): number {
  const place = parts.indexOf(part)
  return place === -1 ? parts.push(part) - 1 : place
}

const font = ({ bold, underline, size = 11, color }: CellStyle): string =>
  `<font>${bold ? '<b/>' : ''}${underline ? '<u/>' : ''}<sz val="${size}"/>${color === undefined ? '' : `<color rgb="FF${color}"/>`}<name val="Calibri"/></font>`

const solid = (color: string): string =>
  `<fill><patternFill patternType="solid"><fgColor rgb="FF${color}"/></patternFill></fill>`

const border = ({ top, bottom }: CellStyle): string => {
  const rule = (side: string, style: Rule | undefined) =>
    style === undefined ? `<${side}/>` : `<${side} style="${style}"><color auto="1"/></${side}>`
  return `<border><left/><right/>${rule('top', top)}${rule('bottom', bottom)}<diagonal/></border>`
}

/** The places of the parts that make up a look. */
interface Parts {
  readonly format: number
  readonly font: number
  readonly fill: number
  readonly border: number
}

function look({ format, font, fill, border }: Parts, { align, indent, wrap }: CellStyle): string {
  const begin = `<xf numFmtId="${format}" fontId="${font}" fillId="${fill}" borderId="${border}" xfId="0" applyNumberFormat="1" applyFont="1" applyFill="1" applyBorder="1"`
  const side = align ?? (indent === undefined ? undefined : 'left')
  if (side === undefined && !wrap) return `${begin}/>`
  const alignment = [
    ...(side === undefined ? [] : [`horizontal="${side}"`]),
    ...(wrap ? ['wrapText="1"'] : []),
    ...(indent === undefined ? [] : [`indent="${indent}"`]),
  ]
  return `${begin} applyAlignment="1"><alignment ${alignment.join(' ')}/></xf>`
}
