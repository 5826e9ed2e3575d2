/** The balances of accounts and sections, followed from row to row, in both signs that they may have. */
import { LISTED } from '../../../../workspace/findings/cap-findings.ts'
import type { Cells } from '../../../text/delimited.ts'
import type { Break, Implied } from './differences.ts'
import { type BalanceSign, type RunningBalance, SIGNS, type Stated, type Sum, type Written } from './sums.ts'

/** The account of a row: its section, where the report has sections, and the account. */
export interface At {
  readonly section: number | null
  readonly id: string | null
}

/** A row that states something of an account. */
export interface StatedRow extends At {
  readonly row: number
  readonly cells: Cells
}

/** One section, or one account where there are no sections. */
export interface Followed {
  readonly key: number | string
  readonly id: string
  readonly label: string
  readonly row: number
  /** What it brings forward, what its lines move, and the same since the last row that states such a sum. */
  readonly opening: Sum
  readonly moved: Sum
  change: Sum
  readonly is: { readonly [sign in BalanceSign]: RunningBalance }
  readonly breaks: { readonly [sign in BalanceSign]: Break[] }
  /** False until the first balance: what the account stood at before is not known. */
  isKnown: boolean
  /** A row was left out since the last balance. */
  lacksBalance: boolean
  /** A heading that repeats the account's totals; the totals of a parent, or its own opening. */
  heading: StatedRow | null
  parentHeading: Stated | null
  hasEnd: boolean
}

export class Balances {
  /** Balances that only one of the two signs explains. */
  readonly votes = { net: 0, natural: 0 }
  readonly implied: Implied[] = []
  /** Balances beside lines, and those that do not continue. */
  rows = 0
  readonly broken = { net: 0, natural: 0 }

  /** The balance beside a line. */
  line(own: Followed, row: number, balance: number): void {
    if (own.isKnown && !own.lacksBalance) {
      this.rows++
      for (const sign of SIGNS) if (!own.is[sign].follows(balance)) this.broken[sign]++
    }
    if (own.isKnown || own.lacksBalance) this.compare(own, row, balance)
    else this.#begin(own, row, balance)
  }

  /** The first balance, with nothing brought forward above it. */
  #begin(own: Followed, row: number, balance: number): void {
    const now = valuesOf(own)
    const before = { net: balance - now.net, natural: balance - now.natural }
    if (SIGNS.some((sign) => before[sign] !== 0)) this.implied.push({ id: own.id, row, before })
    // A balance that begins with the first line has only one sign under which nothing was before it.
    this.vote(now, balance)
    // Where it is wrong itself, the next one goes on from nothing.
    for (const sign of SIGNS) own.is[sign].goOn(balance)
    own.isKnown = true
  }

  /** After a row that was left out, it goes on from the stated balance. */
  compare(own: Followed, row: number, stated: number): void {
    if (own.lacksBalance) {
      for (const sign of SIGNS) own.is[sign].set(stated)
      own.lacksBalance = false
      own.isKnown = true
      return
    }
    this.vote(valuesOf(own), stated)
    for (const sign of SIGNS) {
      this.expect(own, sign, row, stated)
      own.is[sign].goOn(stated)
    }
  }

  expect({ is, breaks }: Followed, sign: BalanceSign, row: number, stated: number): void {
    if (!is[sign].follows(stated) && breaks[sign].length < LISTED)
      breaks[sign].push({ row, stated, expected: is[sign].value })
  }

  vote(expected: Written, stated: number): void {
    if (expected.net === expected.natural) return
    for (const sign of SIGNS) if (expected[sign] === stated) this.votes[sign]++
  }
}

const valuesOf = ({ is }: Followed): Written => ({ net: is.net.value, natural: is.natural.value })
