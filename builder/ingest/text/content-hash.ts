/** A number for a sequence of texts, by which equal entries are found without keeping them. */

/** Two hashes, of which 53 bits are kept; another content with the same number is not to be expected. */
export class ContentHash {
  #a = 0x811c9dc5
  #b = 0x9e3779b9

  add(text: string): this {
    let a = this.#a
    let b = this.#b
    // A zero ends each text.
    for (let i = 0; i <= text.length; i++) {
      const code = i < text.length ? text.charCodeAt(i) : 0
      a = Math.imul(a ^ code, 0x01000193)
      b = Math.imul(b + code, 0x85ebca6b) ^ (b >>> 13)
    }
    this.#a = a
    this.#b = b
    return this
  }

  get value(): number {
    return (this.#a >>> 0) * 2 ** 21 + (this.#b >>> 11)
  }
}

export function contentHash(texts: readonly string[]): number {
  const hash = new ContentHash()
  for (const text of texts) hash.add(text)
  return hash.value
}
