/**
 * Follows the balances that a ledger states beside what it brings forward and its lines: the running
 * balance of each row, the heading of a parent (the sum of its sub-accounts), and the balance of each total. Whether they
 * are debit positive or of the account's own side is known once all of the report has been read, so both are followed.
 */

import { LISTED } from '../../../../workspace/cap-findings.ts'
import type { UnreadRows } from '../../../format/unread-rows.ts'
import type { Sections } from '../rows/sections.ts'
import { RunningBalance } from './differences.ts'
import type { Break, FollowedBalances, FollowedLines, Implied, StatedTotal } from './stated-balances.ts'
import { type BalanceSign, NOTHING, plus, SIGNS, type Stated, type Written, writtenAs } from './written.ts'

/** The running balance of one section, or of one account where there are no sections. */
interface Chain {
  readonly label: string
  readonly section: number | null
  readonly id: string
  /** The expected balance of the next row, by each sign. */
  readonly is: { readonly [sign in BalanceSign]: RunningBalance }
  /** False until the first balance: what the account stood at before is not known. */
  isKnown: boolean
  /** A line was left out since the last balance. */
  lacks: boolean
  readonly breaks: { readonly [sign in BalanceSign]: Break[] }
}

interface Heading {
  readonly row: number
  readonly label: string
  readonly stated: number
}

export class Balances {
  readonly votes = { debit: 0, natural: 0 }
  readonly #implied: Implied[] = []
  readonly #unread: UnreadRows
  /** Sections with a line that cannot be read; null for lines outside of sections. */
  readonly #lacking = new Set<number | null>()
  readonly #sections: Sections
  readonly #chains = new Map<number | string, Chain>()
  readonly #followed = { rows: 0, broken: { debit: 0, natural: 0 } }
  /** By section: what it brings forward, and what its lines move. */
  readonly #opened: Written[] = []
  readonly #moved: Written[] = []
  #all = NOTHING
  readonly #parents: ReadonlySet<number>
  readonly #headings = new Map<number, Heading>()
  readonly #totals: StatedTotal[] = []

  constructor(sections: Sections, unread: UnreadRows) {
    this.#sections = sections
    this.#unread = unread
    this.#parents = sections.parents()
  }

  #openedOf = (section: number): Written => this.#opened[section] ?? NOTHING
  #movedOf = (section: number): Written => this.#moved[section] ?? NOTHING

  isParent = (section: number | null): boolean => section !== null && this.#parents.has(section)

  /** What an account brings forward; `balance` where a balance stands beside sides. */
  opening(
    section: number | null,
    id: string,
    row: number,
    opening: Written,
    balance: number | null = null,
  ): void {
    const chain = this.#chain(section, id)
    for (const sign of SIGNS) chain.is[sign].set(opening[sign])
    chain.isKnown = true
    this.#add(this.#opened, section, opening)
    if (balance !== null) this.#compare(chain, row, balance)
  }

  /** What stands in the row of an account that has sub-accounts: the sum of what these bring forward. */
  heading(section: number, row: number, { minor }: Stated): void {
    this.#headings.set(section, { row, label: this.#sections.labelOf(section), stated: minor })
  }

  line(section: number | null, id: string, row: number, moved: Written, balance: number | null): void {
    const chain = this.#chain(section, id)
    for (const sign of SIGNS) chain.is[sign].move(moved[sign])
    this.#add(this.#moved, section, moved)
    if (balance === null) return
    if (this.#goesOn(chain, balance)) return
    if (chain.isKnown) {
      this.#followed.rows++
      for (const sign of SIGNS) if (!chain.is[sign].follows(balance)) this.#followed.broken[sign]++
      this.#compare(chain, row, balance)
      return
    }
    const now = valuesOf(chain)
    const before = { debit: balance - now.debit, natural: balance - now.natural }
    if (before.debit !== 0 || before.natural !== 0) this.#implied.push({ id, row, before })
    // A balance that begins with the first line has only one sign under which nothing was before it.
    this.#vote(now, balance)
    for (const sign of SIGNS) chain.is[sign].set(balance)
    chain.isKnown = true
  }

  /** A line that cannot be read: the next balance shows its effect. */
  lose(section: number | null, id: string | null): void {
    this.#lacking.add(section)
    if (section !== null || id !== null) this.#chain(section, id ?? '').lacks = true
  }

  /** Continues from the stated balance after a line that was left out; false where none was. */
  #goesOn(chain: Chain, stated: number): boolean {
    if (!chain.lacks) return false
    for (const sign of SIGNS) chain.is[sign].set(stated)
    chain.lacks = false
    chain.isKnown = true
    return true
  }

  /** A line of the section, or of one inside it, cannot be read. */
  #isLacking = (section: number | null): boolean =>
    section === null
      ? this.#lacking.size > 0
      : [...this.#lacking].some((lost) => lost !== null && this.#sections.isIn(lost, section))

  closing(section: number | null, id: string, row: number, closing: Written, balance: number | null): void {
    const chain = this.#chain(section, id)
    if (!chain.isKnown) return
    if (chain.lacks) {
      this.#unread.leave(`the closing balance of ${chain.label}`)
      return
    }
    for (const sign of SIGNS) this.#expect(chain, sign, row, closing[sign])
    if (balance !== null) this.#compare(chain, row, balance)
  }

  /**
   * Compares the balance of a total. True where the heading of the account turns out to be its own opening
   * instead of the sum of its sub-accounts: only the total can prove it.
   */
  total(section: number, label: string, row: number, stated: number | null): boolean {
    const isOwn = this.#isOwnOpening(section, stated)
    if (stated === null) return isOwn
    const own = plus(this.#openedOf(section), this.#movedOf(section))
    const inside = this.#closingIn(section)
    if (this.#isLacking(section)) {
      this.#unread.leave(label)
      return isOwn
    }
    this.#vote(inside, stated)
    this.#totals.push({ row, label, section, stated, expected: inside, own })
    return isOwn
  }

  /**
   * The sum of balances in the sign of each account's own side has no meaning. A report that leaves out accounts without
   * entries may state zero, which is the sum of all accounts.
   */
  grand(row: number, stated: number | null): void {
    if (stated === null || stated === 0) return
    if (this.#isLacking(null)) {
      this.#unread.leave('the total of the report')
      return
    }
    const expected = { debit: this.#all.debit, natural: stated }
    const label = 'the total of the report'
    this.#totals.push({ row, label, section: null, stated, expected, own: null })
  }

  #isOwnOpening(section: number, total: number | null): boolean {
    const heading = this.#headings.get(section)
    if (heading === undefined || this.#isLacking(section)) return false
    const below = this.#sumIn(this.#opened, section)
    const closing = this.#closingIn(section)
    this.#vote(below, heading.stated)
    const isOwn = SIGNS.every(
      (sign) => below[sign] !== heading.stated && closing[sign] + heading.stated === total,
    )
    if (isOwn) {
      this.#headings.delete(section)
      this.#add(this.#opened, section, writtenAs(heading.stated, false, false))
    }
    return isOwn
  }

  #closingIn = (section: number): Written =>
    plus(this.#sumIn(this.#opened, section), this.#sumIn(this.#moved, section))

  #sumIn(of: readonly Written[], section: number): Written {
    let sum = NOTHING
    for (let i = section; i < of.length; i++) {
      const written = of[i]
      if (written !== undefined && this.#sections.isIn(i, section)) sum = plus(sum, written)
    }
    return sum
  }

  #vote(expected: Written, stated: number): void {
    if (expected.debit === expected.natural) return
    for (const sign of SIGNS) if (expected[sign] === stated) this.votes[sign]++
  }

  #compare(chain: Chain, row: number, stated: number): void {
    this.#vote(valuesOf(chain), stated)
    for (const sign of SIGNS) this.#expect(chain, sign, row, stated)
    for (const sign of SIGNS) chain.is[sign].goOn(stated)
  }

  #expect({ is, breaks }: Chain, sign: BalanceSign, row: number, stated: number): void {
    if (!is[sign].follows(stated) && breaks[sign].length < LISTED)
      breaks[sign].push({ row, stated, expected: is[sign].value })
  }

  #add(to: Written[], section: number | null, written: Written): void {
    this.#all = plus(this.#all, written)
    if (section !== null) to[section] = plus(to[section] ?? NOTHING, written)
  }

  #chain(section: number | null, id: string): Chain {
    const key = section ?? id
    let chain = this.#chains.get(key)
    if (chain === undefined) {
      const label = section === null ? id : this.#sections.labelOf(section)
      chain = {
        label,
        section,
        id,
        is: { debit: new RunningBalance(), natural: new RunningBalance() },
        isKnown: false,
        lacks: false,
        breaks: { debit: [], natural: [] },
      }
      this.#chains.set(key, chain)
    }
    return chain
  }

  /** After the last row. */
  followed(): FollowedBalances {
    return {
      ...this.#lines(),
      headings: [...this.#headings].map(([section, heading]) => ({
        ...heading,
        section,
        expected: this.#sumIn(this.#opened, section),
      })),
      totals: this.#totals,
    }
  }

  #lines(): FollowedLines {
    const { rows, broken } = this.#followed
    const chains = [...this.#chains.values()].flatMap(({ label, section, id, breaks }) =>
      SIGNS.some((sign) => breaks[sign].length > 0) ? [{ label, of: section ?? id, breaks }] : [],
    )
    return { votes: { ...this.votes }, implied: this.#implied, rows, broken: { ...broken }, chains }
  }
}

const valuesOf = ({ is }: Chain): Written => ({ debit: is.debit.value, natural: is.natural.value })
