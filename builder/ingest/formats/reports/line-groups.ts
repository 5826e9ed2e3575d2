/**
 * Adds up the lines of each group, of which a report may have millions: a group is known by the hash of its name. Two names
 * with the same 53 bits would be one group here; the books add up entries by their names, so that nothing is hidden by it.
 */
import type { Unbalanced } from '../../format/entries.ts'
import { contentHash } from '../../text/content-hash.ts'
import { NumberIndex } from '../../text/number-index.ts'

export class LineGroups {
  readonly #index = new NumberIndex()
  readonly #minor: number[] = []
  readonly #unsigned: number[] = []
  readonly #rows: number[] = []
  readonly #names = new Names()

  add(name: string, row: number, minor: number, unsigned: number): void {
    const next = this.#rows.length
    const group = this.#index.first(contentHash([name]), next)
    this.#minor[group] = (this.#minor[group] ?? 0) + minor
    this.#unsigned[group] = (this.#unsigned[group] ?? 0) + unsigned
    if (group !== next) return
    this.#names.add(name)
    this.#rows.push(row)
  }

  /** Groups that do not balance; `sign` is the sign of lines without one. */
  *unbalanced(sign: 1 | -1): Generator<Unbalanced> {
    for (let i = 0; i < this.#rows.length; i++) {
      const minor = (this.#minor[i] ?? 0) + sign * (this.#unsigned[i] ?? 0)
      if (minor !== 0) yield { name: this.#names.at(i), row: this.#rows[i] ?? 0, minor }
    }
  }
}

/** Texts as bytes, which the garbage collector need not look at. */
class Names {
  #bytes = Buffer.alloc(1 << 12)
  #size = 0
  readonly #ends: number[] = []

  add(name: string): void {
    this.#reserve(2 * name.length)
    this.#size += this.#bytes.write(name, this.#size, 'utf16le')
    this.#ends.push(this.#size)
  }

  at = (i: number): string => this.#bytes.toString('utf16le', i === 0 ? 0 : this.#ends[i - 1], this.#ends[i])

  #reserve(more: number): void {
    let length = this.#bytes.length
    while (length < this.#size + more) length *= 2
    if (length === this.#bytes.length) return
    const bytes = Buffer.alloc(length)
    this.#bytes.copy(bytes, 0, 0, this.#size)
    this.#bytes = bytes
  }
}
