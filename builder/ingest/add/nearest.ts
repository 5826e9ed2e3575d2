/**
 * For the message about an unrecognised file: which known kinds of files it resembles most, and what it lacks of
 * them.
 */

import type { Sample } from '../format/preview.ts'
import { FORMATS } from '../formats.ts'
import { type NamedColumn, namedColumn, plainHeader } from '../tables/other-headers.ts'
import { TITLE_ROWS } from '../text/csv.ts'
import { parsePeriod } from '../text/months.ts'

interface Candidate {
  readonly name: string
  /** What the header must contain, each with a test for it. */
  readonly needs: readonly { readonly text: string; readonly isIn: (cells: readonly string[]) => boolean }[]
}

const cell = (text: string) => ({
  text,
  isIn: (cells: readonly string[]) => cells.some((each) => plainHeader(each) === plainHeader(text)),
})
const column = (name: NamedColumn, text: string = name) => ({
  text,
  isIn: (cells: readonly string[]) => namedColumn(name, cells) !== undefined,
})
const either = (text: string, ...any: readonly Candidate['needs'][number][]) => ({
  text,
  isIn: (cells: readonly string[]) => any.some(({ isIn }) => isIn(cells)),
})
const months = {
  text: 'months',
  isIn: (cells: readonly string[]) => cells.some((each) => parsePeriod(each) !== null),
}
const sides = {
  text: 'debit and credit',
  isIn: (cells: readonly string[]) => [column('debit'), column('credit')].every(({ isIn }) => isIn(cells)),
}
const money = either('amount, or debit and credit', column('amount'), sides)

const TABLES: readonly Candidate[] = [
  { name: 'a ledger', needs: [column('transaction_id'), column('date'), column('account'), money] },
  { name: 'a chart of accounts', needs: [cell('id'), cell('name'), cell('classification')] },
  { name: 'a budget', needs: [column('account'), months] },
  { name: 'metrics', needs: [cell('metric'), either('value, or months', cell('value'), months)] },
  {
    name: 'a trial balance',
    needs: [column('account'), either('balance, or debit and credit', cell('balance'), sides)],
  },
]

/** `knownBy` lists the headers of a format; where a format has several forms, each of them is a candidate. */
const candidates = (): readonly Candidate[] => [
  ...TABLES,
  ...FORMATS.flatMap(({ name, knownBy }) =>
    knownBy.split('; or ').map((names) => ({ name, needs: names.split(', ').map(cell) })),
  ),
]

/**
 * Describes the two best candidates, such as `a ledger (there is no column for account)`. Where only one candidate
 * matches anything, the table that lacks the fewest columns is added; where none does, the list is empty.
 */
export function nearestOf(samples: readonly Sample[]): readonly string[] {
  const rows = samples.flatMap((sample) => sample.rows.slice(0, TITLE_ROWS + 1))
  const scored = candidates().flatMap(({ name, needs }) => {
    const missing = rows.map((cells) => needs.filter(({ isIn }) => !isIn(cells)))
    const [least] = missing.sort((a, b) => a.length - b.length)
    const isTable = TABLES.some((table) => table.name === name)
    if (least === undefined || (least.length === needs.length && !isTable)) return []
    const found = needs.length - least.length
    return [{ name, found, missing: least.map(({ text }) => text) }]
  })
  const fit = ({ found, missing }: (typeof scored)[number]) => found - missing.length
  if (scored.every(({ found }) => found === 0)) return []
  const isAny = ({ found }: (typeof scored)[number]) => Number(found > 0)
  scored.sort((a, b) => isAny(b) - isAny(a) || fit(b) - fit(a) || b.found - a.found)
  const best = new Map(scored.toReversed().map((each) => [each.name, each]))
  return scored
    .filter((each) => best.get(each.name) === each)
    .slice(0, 2)
    .map(({ name, missing }) =>
      missing.length === 0 ? name : `${name} (there is no column for ${missing.join(', ')})`,
    )
}
