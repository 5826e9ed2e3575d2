/** Finds numbers among millions of others, in less memory and time than a Map. */

/** How many places there are at first; a power of two, as always. */
const FIRST_ROOM = 1024

/** For whole numbers below 2^53, such as those of content-hash.ts, the value with which each came first. */
export class NumberIndex {
  /**
   * At each place a number plus one, or 0 where there is none, and its value: side by side, since fetching either from memory is what
   * takes time. At most half of the places are taken, so that a free one is near.
   */
  #places = new Float64Array(2 * FIRST_ROOM)
  #size = 0

  /** The value with which the number came first, which is now `value` if it is new. */
  first(number: number, value: number): number {
    const key = number + 1
    const at = placeOf(this.#places, key)
    if (this.#places[at] === key) return this.#places[at + 1] ?? 0
    this.#places[at] = key
    this.#places[at + 1] = value
    this.#size++
    if (4 * this.#size > this.#places.length) this.reserve(2 * this.#size)
    return value
  }

  /** Makes room for so many. */
  reserve(size: number): void {
    const places = this.#places
    let { length } = places
    while (length < 4 * size) length *= 2
    if (length === places.length) return
    const more = new Float64Array(length)
    for (let i = 0; i < places.length; i += 2) {
      const key = places[i] ?? 0
      if (key === 0) continue
      const at = placeOf(more, key)
      more[at] = key
      more[at + 1] = places[i + 1] ?? 0
    }
    this.#places = more
  }
}

/** Numbers that are counted up, not hashes, as numbers that the index tells apart by the bits it looks at first. */
export const asHash = (number: number): number => (number % 2 ** 32) * 2 ** 21 + Math.floor(number / 2 ** 32)

/** Where the key stands, or would. */
function placeOf(places: Float64Array, key: number): number {
  const last = places.length - 1
  let at = (2 * (key / 2 ** 21)) & last & ~1
  for (;;) {
    const taken = places[at]
    if (taken === key || taken === 0) return at
    at = (at + 2) & last
  }
}
