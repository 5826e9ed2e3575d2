/** What a report states about accounts and was compared with their lines elsewhere, for the rows below. */
import type { Sides } from '../rows/sides.ts'
import { type BalanceSign, SIGNS } from './written.ts'

/** What a report states about accounts, where it agrees with their lines: plain data. */
export interface AgreedFigures {
  readonly ids: readonly string[]
  readonly openings: Sides
  readonly lines: Sides
  readonly wholeOpening: WholeOpening | null
  /** How many balances differ if they are debit positive, and if they are in the sign of the account's own side. */
  readonly differing: Readonly<Record<BalanceSign, number>>
  readonly rolled: number
  readonly rolledRow: number | null
  /** Whether some accounts have an end, and some have a heading in its place. */
  readonly hasEnds: boolean
  readonly lacksEnds: boolean
}

export interface WholeOpening {
  readonly sum: Sides
  readonly row: number
}

/** All of it that is above. */
export class AgreedAbove {
  readonly #ids = new Set<string>()
  readonly differing = { debit: 0, natural: 0 }
  hasEnds = false
  lacksEnds = false
  /** The rows of an account do not stand together. */
  isScattered = false

  add({ ids, differing, hasEnds, lacksEnds }: AgreedFigures): void {
    for (const id of ids) {
      this.see(id)
      this.#ids.add(id)
    }
    for (const sign of SIGNS) this.differing[sign] += differing[sign]
    this.hasEnds ||= hasEnds
    this.lacksEnds ||= lacksEnds
  }

  /** A row below is about the account. */
  see(id: string): void {
    this.isScattered ||= this.#ids.has(id)
  }
}
