/** Finds numbers among millions of others, in less memory and time than a Map. */

/** A power of two. */
const FIRST_ROOM = 1024

/** Whole numbers below 2^53, such as those of content-hash.ts, in the order in which they came first. */
export class NumberIndex {
  /** Each number plus one; 0 where there is none. At most half of the places are taken, so that a free one is near. */
  #keys = new Float64Array(FIRST_ROOM)
  #positions = new Uint32Array(FIRST_ROOM)
  #size = 0

  /** How many different numbers there are. */
  get size(): number {
    return this.#size
  }

  /** The position of the number, from 0; one that is not there yet comes behind all others. */
  positionOf(number: number): number {
    const key = number + 1
    const at = this.#placeOf(key)
    if (this.#keys[at] === key) return this.#positions[at] ?? 0
    this.#keys[at] = key
    this.#positions[at] = this.#size
    this.#size++
    if (2 * this.#size > this.#keys.length) this.#grow()
    return this.#size - 1
  }

  #grow(): void {
    const [keys, positions] = [this.#keys, this.#positions]
    this.#keys = new Float64Array(2 * keys.length)
    this.#positions = new Uint32Array(2 * keys.length)
    for (const [i, key] of keys.entries()) {
      if (key === 0) continue
      const at = this.#placeOf(key)
      this.#keys[at] = key
      this.#positions[at] = positions[i] ?? 0
    }
  }

  /** Where the key stands, or would. */
  #placeOf(key: number): number {
    const last = this.#keys.length - 1
    let at = (key / 2 ** 21) & last
    for (;;) {
      const taken = this.#keys[at]
      if (taken === key || taken === 0) return at
      at = (at + 1) & last
    }
  }
}
