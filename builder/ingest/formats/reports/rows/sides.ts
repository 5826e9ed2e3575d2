/** Debit and credit of several rows, each added up on its own, in minor units. */

export interface Sides {
  debit: number
  credit: number
}
export const nothing = (): Sides => ({ debit: 0, credit: 0 })
export const netOf = ({ debit, credit }: Sides): number => debit - credit
export const plus = (a: Sides, b: Sides): Sides => ({ debit: a.debit + b.debit, credit: a.credit + b.credit })
export const sidesOf = (net: number): Sides =>
  net < 0 ? { debit: 0, credit: -net } : { debit: net, credit: 0 }
