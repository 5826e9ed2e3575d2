/** How programs write a number and a name of an account in one label. */
import type { AccountLabel } from '../rows/layout.ts'

/**
 * By the first pattern that matches, with groups `number` and `name`; else all of the label is the name. A label may be of any length:
 * a pattern asks for a digit by looking ahead, so that there is one way only to divide a label.
 */
export const labelReader =
  (...patterns: readonly RegExp[]) =>
  (label: string): AccountLabel => {
    for (const pattern of patterns) {
      const { number, name } = pattern.exec(label)?.groups ?? {}
      if (number !== undefined && name !== undefined) return { number, name }
    }
    return { number: '', name: label }
  }
