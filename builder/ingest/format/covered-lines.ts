/**
 * The days that the lines of a file cover, and a sample of the lines. They distinguish an export that contains an
 * earlier one from a file beside it, such as another journal of the same days. Memory is bounded.
 */
import { contentHash } from '../text/content-hash.ts'
import { parseDate } from '../text/months.ts'
import type { FiscalYear } from './intake.ts'

/** First and last day, both included. */
export interface Covered extends FiscalYear {
  /**
   * What another file may also hold: a set of accounts, none of which may stand in two files; or a sample of lines,
   * nearly all of which stand in another export of the same; null where the file holds all entries of its days.
   */
  readonly holds: ReadonlySet<string> | LineSample | null
  /** A sample of the numbers of entries with their days, where the file has numbers. */
  readonly entries?: LineSample
}

/** Sampled lines, which are enough to recognise a file. */
const MOST = 1 << 15
/** The share of equal lines by which two files are the same export, since a few lines may have been corrected. */
const SAME = 0.9

export class LineSample {
  /** Lines are chosen by their hash, so that the same lines are chosen in every file. */
  #below = 2 ** 53
  #hashes = new Set<number>()

  add(line: readonly string[]): void {
    const hash = contentHash(line)
    if (hash >= this.#below) return
    this.#hashes.add(hash)
    if (this.#hashes.size > MOST) this.#thin(this.#below / 2)
  }

  #thin(below: number): void {
    this.#below = below
    this.#hashes = new Set([...this.#hashes].filter((hash) => hash < below))
  }

  #under(below: number): readonly number[] {
    return [...this.#hashes].filter((hash) => hash < below)
  }

  sharesAny(other: LineSample): boolean {
    const below = Math.min(this.#below, other.#below)
    return this.#under(below).some((hash) => other.#hashes.has(hash))
  }

  /** Whether one file holds nearly all lines of the other. */
  holdsSame(other: LineSample): boolean {
    const below = Math.min(this.#below, other.#below)
    const [own, others] = [this.#under(below), other.#under(below)]
    const [few, many] = own.length <= others.length ? [own, others] : [others, own]
    const all = new Set(many)
    const same = few.filter((hash) => all.has(hash)).length
    return same > 0 && same >= few.length * SAME
  }
}

export class CoveredLines {
  readonly #sample = new LineSample()
  readonly #entries = new LineSample()
  #span: { start: string; end: string } | null = null

  /** A line without a readable date belongs to no period and is left out. */
  add(date: string | null, cells: readonly string[], entry = ''): void {
    if (date === null || parseDate(date) === null) return
    this.#sample.add([date, ...cells])
    if (entry !== '') this.#entries.add([date, entry])
    this.#span ??= { start: date, end: date }
    if (date < this.#span.start) this.#span.start = date
    if (date > this.#span.end) this.#span.end = date
  }

  get covers(): readonly Covered[] {
    return this.#span === null ? [] : [{ ...this.#span, holds: this.#sample, entries: this.#entries }]
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
  if (a instanceof LineSample || b instanceof LineSample)
    return a instanceof LineSample && b instanceof LineSample && a.holdsSame(b)
  return [...a].some((each) => b.has(each))
}
