/**
 * Reads the unit that a sheet states for its figures: "(in thousands of USD)", "USD '000", "TSEK", "k€", "in
 * millions".
 */
import type { Scale } from '../../workspace/company.ts'
import { ALL_SIGNS, signPattern } from './decorations.ts'

/** Codes that may follow a letter: TSEK, KEUR. Codes that would make a word with it (TALL, MTOP) are left out. */
export const CODES =
  'USD|EUR|GBP|SEK|NOK|DKK|ISK|CHF|CAD|AUD|NZD|SGD|HKD|JPY|CNY|PLN|CZK|HUF|RON|BRL|INR|ZAR|MXN'
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

/** A header without its unit: `Jan 2025 ($000)` is `Jan 2025`. */
export function withoutScale(header: string): string {
  if (scaleIn(header) === null) return header
  const bracketed = header.replace(/[([][^()[\]]*[)\]]/g, (part) => (scaleIn(part) === null ? part : ''))
  const bare = FORMS.flatMap(([, forms]) => forms).reduce((text, form) => text.replace(form, ''), bracketed)
  return bare.replace(/\s+/g, ' ').trim()
}

export const zerosOf = (scale: Scale): number => String(scale).length - 1
