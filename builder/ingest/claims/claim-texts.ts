/** Looks at titles, names of sheets and headers of amounts: what they say of all figures below them is asked as columns are. */
import { error, type Finding } from '../../workspace/findings/finding.ts'
import { scaleIn } from '../text/scale.ts'
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

type TextFacts = Pick<ClaimFacts, 'of' | 'isCumulative'>

/** What a title or the name of a sheet may say about all figures below it; null where it says nothing. */
function meaningOfText(text: string, { of, isCumulative }: TextFacts): Meaning | null {
  const plain = ` ${plainWords(text)} `
  const has = (words: ReadonlySet<string>) => [...words].some((word) => plain.includes(` ${word} `))
  if (has(NEVER_COUNTS.status)) return 'status'
  const [other, own] = of === 'budget' ? [ACTUAL, PLANNED] : [OTHER_FIGURES[of ?? 'ledger'], ACTUAL]
  if (has(other) && (of === undefined || !has(own))) return 'scenario'
  if (has(CUMULATIVE) && !isCumulative) return 'period'
  // Units of budgets and metrics are read with their figures.
  if (of !== undefined) return null
  return scaleIn(text) === null ? null : 'unit'
}

/** A question about a title or the name of a sheet; none where it is harmless or answered. */
export function claimText(
  text: string,
  place: { readonly file: string; readonly row: number | null; readonly what: 'title' | 'sheet' | 'header' },
  key: string,
  answers: Answers,
  facts: TextFacts = {},
): Finding[] {
  const meaning = isIgnored(answers, text) ? null : meaningOfText(text, facts)
  if (meaning === null) return []
  return [
    error('meaning-of-title', `the ${place.what} says "${text}": ${doubtOf(meaning, facts)}`, {
      file: place.file,
      row: place.row,
      text,
      remedy: `take out of the file what is not meant${place.what === 'sheet' ? ', or name the sheets that are under "sheet"' : ''}; or say in ${key} of company.yaml ${meaning === 'period' && facts.of !== undefined ? `${CUMULATED}, or ` : ''}that it changes nothing: "ignore: ${yamlList([text])}"`,
    }),
  ]
}
