/**
 * Which differences are a mistake of their own, and which only the consequence of one that was told: of a line that cannot be
 * read, of an entry that does not balance, of openings that do not net to zero.
 */
import type { Differing, UnreadRow } from '../ingest/format/intake.ts'
import { KnownDifferences } from '../ingest/format/known-differences.ts'
import type { Finding } from '../workspace/finding.ts'
import { notChecked, several } from '../workspace/not-checked.ts'
import type { Keys } from './ledger.ts'

/** A row that was left out, with the code of its account; null: it may be any. */
export type LeftOut = Omit<UnreadRow, 'account'> & { readonly account: number | null }

export class Doubts {
  readonly #leftOut: readonly LeftOut[]
  readonly #known: KnownDifferences
  readonly #openings: number[] = []
  readonly #unchecked = new Map<string, { readonly accounts: Set<string>; readonly rows: Set<LeftOut> }>()

  /** `differences`: by how much entries are off. */
  constructor(leftOut: readonly LeftOut[], differences: readonly number[]) {
    this.#leftOut = leftOut
    this.#known = new KnownDifferences(differences)
  }

  /** The openings are off by so much: debits minus credits. */
  addOpenings(off: number): void {
    this.#openings.push(off)
    this.#known.add(off)
  }

  get isEmpty(): boolean {
    return this.#known.isEmpty && this.#leftOut.length === 0
  }

  explain = (difference: number): boolean => this.#known.explain(difference)

  /**
   * What a source states of itself, and no known mistake explains; what follows from that is explained from then on. And
   * what shows where openings are wrong: of these only the sum is known.
   */
  contradictions(differing: readonly Differing[]): { told: Finding[]; ofOpenings: Finding[] } {
    const told = differing.filter(({ off }) => !this.#known.explainEither(off))
    for (const { off } of told) this.#known.add(0 - off)
    const ofOpenings = differing.filter(({ off }) =>
      this.#openings.some((each) => Math.abs(each) === Math.abs(off)),
    )
    return { told: told.map(({ finding }) => finding), ofOpenings: ofOpenings.map(({ finding }) => finding) }
  }

  /** Rows that were left out and may have moved the account, or any. */
  of = (account: number | null, where: UnreadRow['of'] | 'any' = 'any'): readonly LeftOut[] =>
    this.#leftOut.filter(
      (row) =>
        row.of !== 'statement' &&
        (where === 'any' || row.of === where || row.of === 'either') &&
        (account === null || row.account === null || row.account === account),
    )

  /** False where the difference only follows from what was told, or cannot be judged, which {@link findings} then say. */
  isFault(
    account: number | null,
    name: string,
    difference: number,
    what: string,
    where: UnreadRow['of'] | 'any' = 'any',
  ): boolean {
    if (difference === 0) return false
    const rows = this.of(account, where)
    if (rows.length === 0) return !this.explain(difference)
    const unchecked = this.#unchecked.get(what) ?? { accounts: new Set(), rows: new Set() }
    if (name !== '') unchecked.accounts.add(name)
    for (const row of rows) unchecked.rows.add(row)
    this.#unchecked.set(what, unchecked)
    return false
  }

  /** What was not checked, and why. */
  findings(): Finding[] {
    return [...this.#unchecked].map(([what, { accounts, rows }]) => {
      const of = accounts.size === 0 ? '' : ` of ${several([...accounts], 'account', 'accounts')}`
      return notChecked(`${what}${of}`, [...rows])
    })
  }
}

/** The rows that importers could not read, in codes. */
export const leftOutOf = (unread: readonly UnreadRow[], accounts: Keys): LeftOut[] =>
  unread.map((row) => ({
    ...row,
    account: row.account === null ? null : (accounts.get(row.account) ?? null),
  }))
