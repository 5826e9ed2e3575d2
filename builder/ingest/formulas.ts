/**
 * Cells whose formula has no result: `#REF!`, or one that no spreadsheet program has calculated yet. The reader of
 * workbooks gives them as empty, which would make a figure that is wrong one that is missing.
 */

/** Row → column (both from 0) → what stands there instead of a value: `#REF!` or the formula, `=SUM(B2:B4)`. */
export type Unresolved = ReadonlyMap<number, ReadonlyMap<number, string>>

/** By sheet name; `texts` are the parts of the workbook by their path in the archive. */
export function unresolvedCells(texts: ReadonlyMap<string, string>): ReadonlyMap<string, Unresolved> {
  const textOf = (name: string) => texts.get(name) ?? ''
  const targets = new Map(
    tags(textOf('xl/_rels/workbook.xml.rels'), 'Relationship').map((tag) => [
      attribute(tag, 'Id'),
      attribute(tag, 'Target'),
    ]),
  )
  return new Map(
    tags(textOf('xl/workbook.xml'), 'sheet').map((tag) => {
      const target = targets.get(attribute(tag, 'id')) ?? ''
      const path = target.startsWith('/') ? target.slice(1) : `xl/${target}`
      return [unescapeXml(attribute(tag, 'name')), unresolvedIn(textOf(path))] as const
    }),
  )
}

function unresolvedIn(xml: string): Unresolved {
  const found = new Map<number, Map<number, string>>()
  if (!/\bt="e"|<(?:\w+:)?f\b/.test(xml)) return found
  for (const [, attributes, body] of xml.matchAll(/<(?:\w+:)?c\b([^>]*[^>/])>(.*?)<\/(?:\w+:)?c>/gs)) {
    const text = standsThere(attribute(attributes!, 't'), body!)
    const address = /^([A-Z]+)(\d+)$/.exec(attribute(attributes!, 'r'))
    if (text === null || address === null) continue
    const row = Number(address[2]) - 1
    const column = [...address[1]!].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
    if (!found.has(row)) found.set(row, new Map())
    found.get(row)!.set(column, text)
  }
  return found
}

function standsThere(type: string, body: string): string | null {
  const value = /<(?:\w+:)?v\b[^>]*>([^<]*)</.exec(body)?.[1]
  if (type === 'e') return unescapeXml(value ?? '#ERROR!')
  const formula = /<(?:\w+:)?f\b(?:[^>]*\/>|[^>]*>([^<]*)<)/.exec(body)
  // A text formula may well give empty text; a number is never empty.
  if (formula === null || (type === 'str' ? value !== undefined : value)) return null
  return `=${unescapeXml(formula[1] ?? '')}`
}

/** What mends such a text where a figure was expected; null for any other text. */
export function formulaRemedy(text: string): string | null {
  if (text.startsWith('='))
    return 'open the file in a spreadsheet program and save it, so that the formula is calculated'
  return /^#[A-Z0-9/]+[!?]?$/.test(text) ? 'mend the formula in this cell' : null
}

const tags = (xml: string, name: string): string[] =>
  [...xml.matchAll(new RegExp(`<(?:\\w+:)?${name}\\b([^>]*)>`, 'g'))].map((match) => match[1]!)

const attribute = (attributes: string, name: string): string =>
  new RegExp(`(?:^|[\\s:])${name}="([^"]*)"`).exec(attributes)?.[1] ?? ''

const ENTITIES: Record<string, string> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }
const unescapeXml = (text: string): string =>
  text.replace(/&(?:#(\d+)|#x([\da-fA-F]+)|(\w+));/g, (whole, decimal, hex, name) =>
    decimal || hex
      ? String.fromCodePoint(decimal ? Number(decimal) : Number.parseInt(hex, 16))
      : (ENTITIES[name] ?? whole),
  )
