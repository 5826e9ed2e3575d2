/** How alike two names are spelled: for messages that say what may have been meant. */

/** Levenshtein's distance: how many letters must be put in, left out or exchanged. */
export function editDistance(a: string, b: string): number {
  // The distance of each beginning of `b` from what was taken of `a` so far, without its first one.
  let before = Array.from(b, (_, j) => j + 1)
  for (const [i, letter] of Array.from(a).entries()) {
    let [left, corner] = [i + 1, i]
    before = before.map((above, j) => {
      left = Math.min(left + 1, above + 1, corner + (letter === b[j] ? 0 : 1))
      corner = above
      return left
    })
  }
  return before.at(-1) ?? a.length
}
