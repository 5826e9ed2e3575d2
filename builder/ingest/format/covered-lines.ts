/**
 * The days that the lines of a file cover, and the lines themselves. They distinguish an export that contains an
 * earlier one from a file beside it, such as another journal of the same days.
 */
import { parseDate } from '../text/months.ts'
import type { FiscalYear } from './intake.ts'

/** First and last day, both included. */
export interface Covered extends FiscalYear {
  /**
   * What another file may also hold: a set of accounts, none of which may stand in two files; or lines, nearly all of which
   * stand in another export of the same; null where the file holds all entries of its days.
   */
  readonly holds: ReadonlySet<string> | LineHashes | null
  /** The numbers of entries with their days, where the file has numbers. */
  readonly entries?: LineHashes
}

/** The share of equal lines by which two files are the same export, since a few lines may have been corrected. */
const SAME = 0.9

/** Lines by their hashes. */
export class LineHashes {
  readonly #hashes = new Set<number>()

  add(line: readonly string[]): void {
    this.#hashes.add(contentHash(line))
  }

  sharesAny(other: LineHashes): boolean {
    return this.#sharedWith(other) > 0
  }

  /** Whether one file holds nearly all lines of the other. */
  holdsSame(other: LineHashes): boolean {
    const shared = this.#sharedWith(other)
    return shared > 0 && shared >= Math.min(this.#hashes.size, other.#hashes.size) * SAME
  }

  #sharedWith(other: LineHashes): number {
    return [...this.#hashes].filter((hash) => other.#hashes.has(hash)).length
  }
}

export class CoveredLines {
  readonly #lines = new LineHashes()
  readonly #entries = new LineHashes()
  #span: { start: string; end: string } | null = null

  /** A line without a readable date belongs to no period and is left out. */
  add(date: string | null, cells: readonly string[], entry = ''): void {
    if (date === null || parseDate(date) === null) return
    this.#lines.add([date, ...cells])
    if (entry !== '') this.#entries.add([date, entry])
    this.#span ??= { start: date, end: date }
    if (date < this.#span.start) this.#span.start = date
    if (date > this.#span.end) this.#span.end = date
  }

  get covers(): readonly Covered[] {
    return this.#span === null ? [] : [{ ...this.#span, holds: this.#lines, entries: this.#entries }]
  }
}

/** Whether two files hold entries that would count twice. */
export const overlap = (a: Covered, b: Covered): boolean =>
  a.start <= b.end && b.start <= a.end && holdsSame(a.holds, b.holds)

/** Whether an entry of one day has the same number in both. */
export const sharesEntries = (a: Covered, b: Covered): boolean =>
  a.entries !== undefined && b.entries !== undefined && a.entries.sharesAny(b.entries)

function holdsSame(a: Covered['holds'], b: Covered['holds']): boolean {
  if (a === null || b === null) return true
  if (a instanceof LineHashes || b instanceof LineHashes)
    return a instanceof LineHashes && b instanceof LineHashes && a.holdsSame(b)
  return [...a].some((each) => b.has(each))
}

/** A number for a sequence of texts: two hashes, of which 53 bits are kept; another sequence with the same number is not to be expected. */
function contentHash(texts: readonly string[]): number {
  let a = 0x811c9dc5
  let b = 0x9e3779b9
  // A zero ends each text.
  for (const text of texts)
    for (let i = 0; i <= text.length; i++) {
      const code = i < text.length ? text.charCodeAt(i) : 0
      a = Math.imul(a ^ code, 0x01000193)
      b = Math.imul(b + code, 0x85ebca6b) ^ (b >>> 13)
    }
  return (a >>> 0) * 2 ** 21 + (b >>> 11)
}
