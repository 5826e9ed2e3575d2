/** Looks at titles, notes, names of sheets and headers of amounts. What they say of all figures is asked about, as columns are. */
import { error, type Finding } from '../../workspace/findings/finding.ts'
import { ALL_SIGNS, signPattern, signsOf } from '../text/decorations.ts'
import { CODES, scaleIn } from '../text/scale.ts'
import {
  type Answers,
  type ClaimFacts,
  CUMULATED,
  doubtOf,
  isIgnored,
  OTHER_FIGURES,
  yamlList,
} from './claims.ts'
import { ACTUAL, CUMULATIVE, type Meaning, NEVER_COUNTS, PLANNED, plainWords } from './vocabulary.ts'

type TextFacts = Partial<Pick<ClaimFacts, 'of' | 'isCumulative' | 'currency'>>

/** Signs that are no letters: `kr` or `R` may be part of a name. */
const SIGNS = signPattern(ALL_SIGNS.filter((sign) => /[^\p{L}.]/u.test(sign)))
const MONEY = new RegExp(`(?<![\\p{L}\\d])[TKkM]?(${CODES}|${SIGNS})(?!\\p{L})`, 'gu')
/** What stands before the currency of all figures: `Currency: EUR`, `all amounts in EUR`, `(in whole EUR)`. */
const BEFORE_MONEY =
  /(?:[([]|(?<!\p{L})(?:in|i|en|currency|währung|valuta|devise|moneda|moeda)[\s:=]+)(?:\p{L}+ )?$/iu

/** Whether a text says that the figures are in another currency; the header of an amount does so by naming one. */
function isOfOther(text: string, currency: string, isHeader: boolean): boolean {
  const named = [...text.matchAll(MONEY)]
  const isOwn = named.some(([, money = '']) => signsOf(currency).includes(money))
  const isUnit = isHeader || scaleIn(text) !== null
  return (
    !isOwn &&
    named.some(
      ({ 0: found, index }) => isUnit || found === text.trim() || BEFORE_MONEY.test(text.slice(0, index)),
    )
  )
}

type What = 'title' | 'sheet' | 'header' | 'note'

/** What a title, the name of a sheet or a note may say about all figures; null where it says nothing. */
function meaningOfText(text: string, what: What, { of, isCumulative, currency }: TextFacts): Meaning | null {
  const isForeign = currency != null && isOfOther(text, currency, what === 'header')
  // Any other word in a note may be about the rows beside it.
  if (what === 'note') return isForeign ? 'currency' : null
  const plain = ` ${plainWords(text)} `
  const has = (words: ReadonlySet<string>) => [...words].some((word) => plain.includes(` ${word} `))
  if (has(NEVER_COUNTS.status)) return 'status'
  const [other, own] = of === 'budget' ? [ACTUAL, PLANNED] : [OTHER_FIGURES[of ?? 'ledger'], ACTUAL]
  if (has(other) && (of === undefined || !has(own))) return 'scenario'
  if (has(CUMULATIVE) && !isCumulative) return 'period'
  if (isForeign) return 'currency'
  // Units of budgets and metrics are read with their figures.
  if (of !== undefined) return null
  return scaleIn(text) === null ? null : 'unit'
}

/** A question about a title or the name of a sheet; none where it is harmless or answered. */
export function claimText(
  text: string,
  place: { readonly file: string; readonly row: number | null; readonly what: What },
  key: string,
  answers: Answers,
  facts: TextFacts = {},
): Finding[] {
  const meaning = isIgnored(answers, text) ? null : meaningOfText(text, place.what, facts)
  if (meaning === null) return []
  return [
    error('meaning-of-title', `the ${place.what} says "${text}": ${doubtOf(meaning, facts)}`, {
      file: place.file,
      row: place.row,
      text,
      remedy: `${meaning === 'currency' ? `state the figures in ${facts.currency}` : 'take out of the file what is not meant'}${place.what === 'sheet' ? ', or name the sheets that are under "sheet"' : ''}; or say in ${key} of company.yaml ${meaning === 'period' && facts.of !== undefined ? `${CUMULATED}, or ` : ''}that it changes nothing: "ignore: ${yamlList([text])}"`,
    }),
  ]
}
