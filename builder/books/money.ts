/** Money in messages about books. */
import { displayMinor } from '../contract/currency.ts'
import { decimalsOf, type Frame } from './frame.ts'

/** Minor units as tables have them, of whatever size: a finding about an amount must not fail on it. */
export const moneyText = (frame: Pick<Frame, 'currency'>, minor: number | bigint | string): string =>
  displayMinor(minor, decimalsOf(frame))
