/** Compares the spelling of names, for messages that say what may have been meant. */

/** The Levenshtein distance: the number of letters to insert, remove or replace. */
export function editDistance(a: string, b: string): number {
  // The distances between the letters of `a` so far and each beginning of `b`, from one letter on.
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
