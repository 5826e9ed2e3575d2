/** Sums of lines, and balances as reports write them: whether they are debit positive, or of the account's own side, is known once all is read. */

/** Debit and credit in minor units. */
export interface Sides {
  readonly debit: number
  readonly credit: number
}

/** The figures of one line: `net` is debit positive where there are sides, else the amount as it stands. */
export interface Figures extends Sides {
  readonly net: number
}

/** A balance as the report writes it: signed where it has sides, else in the report's own sign. */
export interface Stated {
  readonly minor: number
  readonly isSigned: boolean
  readonly row: number
}

/** How a file writes one balance: debit positive, or in the sign of the account's own side. */
export interface Written {
  readonly net: number
  readonly natural: number
}
export type BalanceSign = keyof Written
export const SIGNS = ['net', 'natural'] as const satisfies readonly BalanceSign[]

/** Both forms of a balance or movement; one without sides is in the file's own sign already. */
export const writtenAs = (minor: number, isSigned: boolean, isCredit: boolean): Written => ({
  net: minor,
  natural: isSigned && isCredit ? 0 - minor : minor,
})

export class Sum implements Written {
  debit = 0
  credit = 0
  net = 0
  natural = 0
  lines = 0
  /** The account of its lines; null where they are of several. */
  account: string | null = null
  /** A row of it cannot be read. */
  lacks = false

  add(id: string, { debit, credit, net }: Figures, natural: number): void {
    this.account = this.lines === 0 || this.account === id ? id : null
    this.lines++
    this.debit += debit
    this.credit += credit
    this.net += net
    this.natural += natural
  }

  lose(): void {
    this.lines++
    this.lacks = true
  }

  /** The sum of several; of one account where only one has lines. */
  static of(sums: readonly Sum[]): Sum {
    const all = new Sum()
    for (const { debit, credit, net, natural, lines, account, lacks } of sums) {
      if (lines > 0) all.account = all.lines === 0 || all.account === account ? account : null
      all.debit += debit
      all.credit += credit
      all.net += net
      all.natural += natural
      all.lines += lines
      all.lacks ||= lacks
    }
    return all
  }
}

/** A balance that is followed from row to row. */
export class RunningBalance {
  #value = 0
  /** What it is if the last balance that differed was wrong itself, instead of the lines before it. */
  #other = 0

  get value(): number {
    return this.#value
  }

  set = (value: number): void => {
    this.#value = value
    this.#other = value
  }

  move(by: number): void {
    this.#value += by
    this.#other += by
  }

  follows = (stated: number): boolean => stated === this.#value || stated === this.#other

  /** Continues from the balance that is stated, whether it follows or not. */
  goOn(stated: number): void {
    this.#other = this.follows(stated) ? stated : this.#value
    this.#value = stated
  }
}

export const sidesOf = (net: number): Sides =>
  net < 0 ? { debit: 0, credit: -net } : { debit: net, credit: 0 }
