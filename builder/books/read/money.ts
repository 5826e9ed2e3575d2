/** Writes amounts of money for messages about the books. */
import { displayMinor } from '../../contract/currency.ts'
import { decimalsOf, type Frame } from '../reference/frame.ts'

/** Minor units as text such as `1,234.50`. It accepts amounts of any size, so that a finding about an amount never fails. */
export const moneyText = (frame: Pick<Frame, 'currency'>, minor: number | bigint | string): string =>
  displayMinor(minor, decimalsOf(frame))
