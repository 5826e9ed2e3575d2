/**
 * What a sheet says its figures are counted in: "(in thousands of USD)", "USD '000", "TSEK", "k€", "in millions". What
 * the sheet says and what company.yaml says must agree; where only the sheet says it, it is followed, with a warning.
 */
import type { Scale } from '../workspace/company.ts'
import { error, type Finding, warning } from '../workspace/finding.ts'
import { COMPANY_FILE } from '../workspace/workspace.ts'
import { ALL_SIGNS, signPattern } from './decorations.ts'
import type { Table } from './table.ts'

/** Codes that stand behind a letter: TSEK, KEUR. Those that make a word of it (TALL, MTOP) are left out. */
const CODES = 'USD|EUR|GBP|SEK|NOK|DKK|ISK|CHF|CAD|AUD|NZD|SGD|HKD|JPY|CNY|PLN|CZK|HUF|RON|BRL|INR|ZAR|MXN'
const SIGN = signPattern(ALL_SIGNS)
const MONEY = `(?:${CODES}|${SIGN})`
const NOT_BEFORE = '(?<![\\p{L}\\d])'
const NOT_BEHIND = '(?![\\p{L}\\d])'

/** Words count in any capitals; letters before or behind a currency only as people write them. */
const FORMS: readonly (readonly [Scale, readonly RegExp[]])[] = [
  [
    1000,
    [
      /(?<!\p{L})(in|i|en) (thousands?|tausend|tusen|tusental|milliers)(?!\p{L})/iu,
      /(?<!\p{L})(thousands|tusental|milliers)(?!\p{L})/iu,
      new RegExp(`${NOT_BEFORE}${MONEY} ?(thousand|tausend|tusen)${NOT_BEHIND}`, 'iu'),
      new RegExp(`${NOT_BEFORE}(thousand|tausend|tusen) ${MONEY}`, 'iu'),
      /['’‘`]000(['’]?s)?(?!\d)/u,
      /(?<![\d.,])000(['’]s|s)(?!\p{L})/u,
      /\(000\)/u,
      new RegExp(`(?:${NOT_BEFORE}(?:${CODES})|[€$£]) ?000s?(?![\\d.,])`, 'u'),
      new RegExp(`${NOT_BEFORE}[TKk](${CODES}|€|\\$|£)${NOT_BEHIND}`, 'u'),
      new RegExp(`(?:${NOT_BEFORE}(?:${CODES})|[€$£]) ?[kK]${NOT_BEHIND}`, 'u'),
      /(?<!\p{L})[tk]kr(?!\p{L})/iu,
    ],
  ],
  [
    1_000_000,
    [
      /(?<!\p{L})(in|i|en) (millions?|millionen|mio|miljoner|mn)(?!\p{L})/iu,
      /(?<!\p{L})(millions|millionen|miljoner)(?!\p{L})/iu,
      new RegExp(`${NOT_BEFORE}${MONEY} ?(millions?|mio|mn|mln)${NOT_BEHIND}`, 'iu'),
      new RegExp(`${NOT_BEFORE}(million|mio\\.?|mn|mln) ${MONEY}`, 'iu'),
      new RegExp(`${NOT_BEFORE}M(${CODES}|€|\\$|£)${NOT_BEHIND}`, 'u'),
      new RegExp(`(?:${NOT_BEFORE}(?:${CODES})|[€$£]) ?[mM]${NOT_BEHIND}`, 'u'),
      /(?<!\p{L})(mkr|mnkr)(?!\p{L})/iu,
    ],
  ],
]

/** The scale that a text states; null where it states none. */
export function scaleIn(text: string): Scale | null {
  const plain = text.replace(/\s+/g, ' ')
  for (const [scale, forms] of FORMS) if (forms.some((form) => form.test(plain))) return scale
  return null
}

/** A header without what it says of the scale: `Jan 2025 ($000)` is `Jan 2025`. */
export function withoutScale(header: string): string {
  if (scaleIn(header) === null) return header
  const bracketed = header.replace(/[([][^()[\]]*[)\]]/g, (part) => (scaleIn(part) === null ? part : ''))
  const bare = FORMS.flatMap(([, forms]) => forms).reduce((text, form) => text.replace(form, ''), bracketed)
  return bare.replace(/\s+/g, ' ').trim()
}

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
    if (figures.every((column) => !/\d/.test(cells[column]!) || scaleIn(cells[column]!) !== null))
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
  const other = said.find(({ scale }) => scale !== first!.scale)
  if (other !== undefined && stated === undefined)
    return {
      scale: 1,
      findings: [
        error(
          'scale-unclear',
          `"${first!.text}" says that figures are in units of ${shown(first!.scale)}, and "${other.text}" of ${shown(other.scale)}`,
          {
            ...place,
            remedy:
              'keep figures of one unit in each sheet; or state which it is under "scale" in company.yaml, and correct the other',
          },
        ),
      ],
    }
  const contrary = stated === undefined ? undefined : said.find(({ scale }) => scale !== stated)
  if (contrary !== undefined)
    return {
      scale: stated!,
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

export const zerosOf = (scale: Scale): number => String(scale).length - 1
