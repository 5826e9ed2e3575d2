/**
 * Adds up the lines of each group, of which a report may have millions: a group is known by the hash of its name. Two names
 * with the same 53 bits would be one group here; the books add up entries by their names, so that nothing is hidden by it.
 */
import type { Unbalanced } from '../../format/entries.ts'
import { bufferOf } from '../../format/part-hands.ts'
import { contentHash } from '../../text/content-hash.ts'
import { NumberIndex } from '../../text/number-index.ts'

/** Groups column by column, in the order of their first lines. */
export interface GroupColumns {
  readonly hashes: Float64Array
  /** The names one after the other, in UTF-16, and where each ends, in bytes. */
  readonly names: Uint8Array
  readonly ends: Float64Array
  /** The sums of lines, and of those whose sign is only known at the end. */
  readonly minor: Float64Array
  readonly unsigned: Float64Array
  /** The first line of each. */
  readonly rows: Float64Array
}

export class LineGroups {
  readonly #index = new NumberIndex()
  readonly #hashes: number[] = []
  readonly #minor: number[] = []
  readonly #unsigned: number[] = []
  readonly #rows: number[] = []
  readonly #names = new Names()

  add(name: string, row: number, minor: number, unsigned: number): void {
    if (this.#isNew(contentHash([name]), row, minor, unsigned)) this.#names.add(name)
  }

  /** Lines of other rows, below those that were added. */
  addAll({ hashes, names, ends, minor, unsigned, rows }: GroupColumns): void {
    const bytes = bufferOf(names)
    for (let i = 0; i < hashes.length; i++)
      if (this.#isNew(hashes[i] ?? 0, rows[i] ?? 0, minor[i] ?? 0, unsigned[i] ?? 0))
        this.#names.copy(bytes, i === 0 ? 0 : (ends[i - 1] ?? 0), ends[i] ?? 0)
  }

  columns(): GroupColumns {
    return {
      hashes: Float64Array.from(this.#hashes),
      ...this.#names.columns(),
      minor: Float64Array.from(this.#minor),
      unsigned: Float64Array.from(this.#unsigned),
      rows: Float64Array.from(this.#rows),
    }
  }

  /** Groups that do not balance; `sign` is the sign of lines without one. */
  *unbalanced(sign: 1 | -1): Generator<Unbalanced> {
    for (let i = 0; i < this.#rows.length; i++) {
      const minor = (this.#minor[i] ?? 0) + sign * (this.#unsigned[i] ?? 0)
      if (minor !== 0) yield { name: this.#names.at(i), row: this.#rows[i] ?? 0, minor }
    }
  }

  #isNew(hash: number, row: number, minor: number, unsigned: number): boolean {
    const next = this.#rows.length
    const group = this.#index.first(hash, next)
    this.#minor[group] = (this.#minor[group] ?? 0) + minor
    this.#unsigned[group] = (this.#unsigned[group] ?? 0) + unsigned
    if (group !== next) return false
    this.#hashes.push(hash)
    this.#rows.push(row)
    return true
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

  copy(from: Buffer, start: number, end: number): void {
    this.#reserve(end - start)
    this.#size += from.copy(this.#bytes, this.#size, start, end)
    this.#ends.push(this.#size)
  }

  at = (i: number): string => this.#bytes.toString('utf16le', i === 0 ? 0 : this.#ends[i - 1], this.#ends[i])

  columns = (): Pick<GroupColumns, 'names' | 'ends'> => ({
    names: Uint8Array.from(this.#bytes.subarray(0, this.#size)),
    ends: Float64Array.from(this.#ends),
  })

  #reserve(more: number): void {
    let length = this.#bytes.length
    while (length < this.#size + more) length *= 2
    if (length === this.#bytes.length) return
    const bytes = Buffer.alloc(length)
    this.#bytes.copy(bytes, 0, 0, this.#size)
    this.#bytes = bytes
  }
}
