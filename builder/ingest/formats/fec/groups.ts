/** Groups of lines are numbered through all parts of a file; what is known of each stays where its part has it. */

/** A part that was joined to those before it. */
export interface JoinedPart {
  /** The number of its first group. Those that earlier parts have too are known by the number that they have there. */
  readonly offset: number
}

/** The part that a group came with. */
export function partOf<Part extends JoinedPart>(parts: readonly Part[], group: number): Part | undefined {
  let low = 0
  let high = parts.length
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((parts[middle]?.offset ?? 0) <= group) low = middle
    else high = middle
  }
  return parts[low]
}
