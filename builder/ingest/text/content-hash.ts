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

  /** To be added up: where contents differ in the same letters, these numbers do not differ by the same amount. */
  get summand(): number {
    return (scattered(this.#a ^ this.#b) >>> 0) * 2 ** 21 + (scattered(this.#b) >>> 11)
  }
}

/** Each bit of the result depends on each bit of `bits` (the finalizer of MurmurHash3). */
function scattered(bits: number): number {
  const once = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35)
  return twice ^ (twice >>> 16)
}

/** The sum of two such numbers, which is one as well; the order of what is added up does not matter. */
export const hashSum = (one: number, other: number): number => {
  const above = one - (2 ** 53 - other)
  return above < 0 ? one + other : above
}

export function contentHash(texts: readonly string[]): number {
  const hash = new ContentHash()
  for (const text of texts) hash.add(text)
  return hash.value
}
