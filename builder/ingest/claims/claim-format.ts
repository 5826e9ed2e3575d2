/**
 * Columns, elements, tags and titles that a format with a reader of its own does not read: counted as its records pass, and asked as those
 * of a table are.
 */
import type { Finding } from '../../workspace/findings/finding.ts'
import { claimText } from './claim-texts.ts'
import { type Answers, type ClaimFacts, claimColumns, countValue, type UnreadColumn } from './claims.ts'

/** Name of a column → how many records hold each of its values. */
export type Values = Map<string, Map<string, number>>

export function countIn(all: Values, name: string, value: string, times = 1): void {
  let values = all.get(name)
  if (values === undefined) {
    values = new Map()
    all.set(name, values)
  }
  countValue(values, value, times)
}

/** What a file says that its reader does not read. */
export interface Unclaimed {
  readonly file: string
  readonly headerRow?: number
  readonly values: Values
  readonly titles?: readonly string[]
}

/** Questions about it. By default, records cannot be left out by `skip`: what the file states of itself holds them, so that its program leaves them out. */
export function claimFormat(
  files: readonly Unclaimed[],
  answers: Answers,
  facts: ClaimFacts,
  key = 'the entry',
): Finding[] {
  const columns = files.flatMap(({ file, headerRow = null, values: own }): UnreadColumn[] =>
    [...own].map(([header, values]) => ({ file, headerRow, header, values })),
  )
  return [
    ...claimColumns(columns, key, answers, { canSkip: false, ...facts }).questions,
    ...files.flatMap(({ file, titles = [] }) =>
      titles.flatMap((text) => claimText(text, { file, row: null, what: 'title' }, key, answers)),
    ),
  ]
}
