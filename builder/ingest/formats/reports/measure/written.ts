/** Balances as reports write them: whether they are debit positive, or of the account's own side, is known once all is read. */

/** A balance as the report writes it: signed where it has sides, else in the report's own sign. */
export interface Stated {
  readonly minor: number
  readonly isSigned: boolean
  readonly row: number
}

/** How a file writes one balance: debit positive, or in the sign of the account's own side. */
export interface Written {
  readonly debit: number
  readonly natural: number
}
export type BalanceSign = keyof Written
export const SIGNS = ['debit', 'natural'] as const satisfies readonly BalanceSign[]

export const NOTHING: Written = { debit: 0, natural: 0 }
export const plus = (a: Written, b: Written): Written => ({
  debit: a.debit + b.debit,
  natural: a.natural + b.natural,
})

/** Both forms of a balance or movement; one without sides is in the file's own sign already. */
export const writtenAs = (minor: number, isSided: boolean, isCredit: boolean): Written => ({
  debit: minor,
  natural: isSided && isCredit ? 0 - minor : minor,
})
