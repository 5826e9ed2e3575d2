/** Says in words what was checked before the figures were published. */
import { displayDecimal } from '../contract/currency.ts'
import type { CheckResults, FigureSource } from './source.ts'

/** Counts the checks, all of which hold: nothing is published where one fails. */
export function proofText({
  tieOuts,
  controlsAgreed,
  layout,
}: Pick<CheckResults, 'tieOuts' | 'controlsAgreed'> & Pick<FigureSource, 'layout'>): string {
  const checks = tieOuts.reduce((sum, { Checks }) => sum + Checks, 0)
  const stated =
    controlsAgreed === null || controlsAgreed === 0
      ? ''
      : ` ${count(controlsAgreed)} totals and balances that the sources state agree with the books.`
  if (layout === 1)
    return `${count(tieOuts.length)} identities hold in ${count(checks)} checks of every month and combination.${stated}`
  return `Assets equal liabilities and equity, and ${count(tieOuts.length - 1)} other rules hold: ${count(checks)} checks of every month, class and department.${stated}`
}

const count = (n: number): string => displayDecimal(String(n))
