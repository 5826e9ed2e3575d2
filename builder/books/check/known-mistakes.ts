/**
 * Tells differences that are mistakes of their own from those that only follow from a reported mistake: from an unreadable line,
 * an unbalanced entry, or openings that do not net to zero.
 */
import type { Differing, UnreadRow } from '../../ingest/format/intake.ts'
import { differingBy, KnownDifferences } from '../../ingest/format/known-differences.ts'
import type { Finding } from '../../workspace/findings/finding.ts'
import { notChecked, several } from '../../workspace/findings/not-checked.ts'
import type { Keys } from '../read/key-sql.ts'

/** A row that was left out, with the code of its account, or null where the account is unknown. */
export type LeftOut = Omit<UnreadRow, 'account'> & { readonly account: number | null }

export class KnownMistakes {
  readonly #leftOut: readonly LeftOut[]
  readonly #known: KnownDifferences
  readonly #openings: number[] = []
  readonly #unchecked = new Map<string, { readonly accounts: Set<string>; readonly rows: Set<LeftOut> }>()

  /** `differences` are the debits minus credits of the unbalanced entries, in minor units. */
  constructor(leftOut: readonly LeftOut[], differences: readonly number[]) {
    this.#leftOut = leftOut
    this.#known = new KnownDifferences(differences)
  }

  /** Adds the difference of openings that do not net to zero: debits minus credits, in minor units. */
  addOpenings(off: number): void {
    this.#openings.push(off)
    this.#known.add(off)
  }

  get isEmpty(): boolean {
    return this.#known.isEmpty && this.#leftOut.length === 0
  }

  /** Whether known mistakes explain a difference, in minor units. */
  explain = (difference: number): boolean => this.#known.explain(difference)

  /**
   * `unexplained` are findings about figures of the sources that contradict the books and that no known mistake explains; from
   * then on they explain what follows from them. `ofOpenings` are those with the same difference as unbalanced openings,
   * of which only the sum is known: they show where the openings are wrong.
   */
  contradictions(differing: readonly Differing[]): { unexplained: Finding[]; ofOpenings: Finding[] } {
    const unexplained = differing.filter(({ off }) => !this.#known.explainEither(off))
    for (const { off } of unexplained) this.#known.add(0 - off)
    const ofOpenings = this.#openings.flatMap((each) => differingBy(differing, each))
    return { unexplained: unexplained.map(({ finding }) => finding), ofOpenings }
  }

  /** Rows that were left out and may belong to the account, or to any account where it is null. */
  of = (account: number | null, where: UnreadRow['of'] | 'any' = 'any'): readonly LeftOut[] =>
    this.#leftOut.filter(
      (row) =>
        row.of !== 'statement' &&
        (where === 'any' || row.of === where || row.of === 'either') &&
        (account === null || row.account === null || row.account === account),
    )

  /**
   * Whether a difference (minor units) of an account is a mistake of its own. It is not if a reported mistake explains it. Where rows
   * of the account were left out it cannot be judged, and {@link findings} then says that `what` was not checked.
   */
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

  /** Findings that say what was not checked, and because of which rows. */
  findings(): Finding[] {
    return [...this.#unchecked].map(([what, { accounts, rows }]) => {
      const of = accounts.size === 0 ? '' : ` of ${several([...accounts], 'account', 'accounts')}`
      return notChecked(`${what}${of}`, [...rows])
    })
  }
}

/** The rows that importers could not read, with the codes of their accounts. */
export const leftOutOf = (unread: readonly UnreadRow[], accounts: Keys): LeftOut[] =>
  unread.map((row) => ({
    ...row,
    account: row.account === null ? null : (accounts.get(row.account) ?? null),
  }))
