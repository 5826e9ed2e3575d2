/** Texts in their order as one number, by which equal entries are found without keeping any. */

/** Two numbers of which 53 bits are kept: another content with the same is not to be expected. */
export function contentHash(texts: readonly string[]): number {
  let a = 0x811c9dc5
  let b = 0x9e3779b9
  for (const text of texts)
    for (let i = 0; i <= text.length; i++) {
      const code = i < text.length ? text.charCodeAt(i) : 0
      a = Math.imul(a ^ code, 0x01000193)
      b = Math.imul(b + code, 0x85ebca6b) ^ (b >>> 13)
    }
  return (a >>> 0) * 2 ** 21 + (b >>> 11)
}
