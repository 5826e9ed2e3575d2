/** What the vouchers of a SIE file use, noted while it is read, because to read the lines of vouchers again takes as long. */

export interface SieObject {
  readonly dimension: string
  readonly id: string
}

export interface VoucherUses {
  /** Account → the first line with it. */
  readonly accounts: ReadonlyMap<string, number>
  readonly dimensions: ReadonlyMap<string, DimensionUse>
}

/** The lines that carry an object of a dimension; sums in minor units. */
export interface DimensionUse {
  readonly objects: ReadonlySet<string>
  readonly lines: number
  readonly debit: number
  readonly credit: number
  readonly firstLine: number
}

interface Mutable extends DimensionUse {
  readonly objects: Set<string>
  lines: number
  debit: number
  credit: number
}

export class UsesOfVouchers implements VoucherUses {
  readonly accounts = new Map<string, number>()
  readonly dimensions = new Map<string, Mutable>()

  note(account: string, objects: readonly SieObject[], minor: number, line: number): void {
    if (!this.accounts.has(account)) this.accounts.set(account, line)
    if (objects.length === 0) return
    for (const dimension of new Set(objects.map((object) => object.dimension))) {
      const use = this.#ofDimension(dimension, line)
      for (const object of objects) if (object.dimension === dimension) use.objects.add(object.id)
      use.lines++
      if (minor > 0) use.debit += minor
      else use.credit -= minor
    }
  }

  #ofDimension(dimension: string, line: number): Mutable {
    let use = this.dimensions.get(dimension)
    if (use === undefined) {
      use = { objects: new Set(), lines: 0, debit: 0, credit: 0, firstLine: line }
      this.dimensions.set(dimension, use)
    }
    return use
  }
}
