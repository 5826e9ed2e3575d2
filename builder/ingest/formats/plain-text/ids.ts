/**
 * Ids of transactions, `2025-01-31/7`: counted by day, so that transactions keep their ids when others are added to another day.
 * A part of a file is written before it is known how many transactions of a day stand above it; its ids are corrected then.
 */

/** How many transactions of a day there are. */
export type CountOf = (day: string) => number

export const NONE_ABOVE: CountOf = () => 0

export const idOf = (day: string, count: number): string => `${day}/${count}`

/** Counts of several parts are added up. */
export class DayCounts {
  readonly counts = new Map<string, number>()

  readonly of: CountOf = (day) => this.counts.get(day) ?? 0

  add(day: string, count: number): number {
    const sum = this.of(day) + count
    this.counts.set(day, sum)
    return sum
  }

  addAll(others: ReadonlyMap<string, number>): void {
    for (const [day, count] of others) this.add(day, count)
  }
}

/** Where ids stand in a text of CSV: for each, the place of its count, its day by number, and the count. */
export interface IdPlaces {
  readonly days: readonly string[]
  readonly places: Uint32Array
}

/** Numbers for each id. */
const EACH = 3

/** Notes ids as they are written. */
export class IdNotes {
  readonly #days = new Map<string, number>()
  readonly #notes: number[] = []
  /** Numbers of the ids, and bytes, of the pieces that are complete. */
  #noted = 0
  #bytes = 0

  /** `at` is the place of the count among the letters of the piece that is being written. */
  note(at: number, day: string, count: number): void {
    let number = this.#days.get(day)
    if (number === undefined) {
      number = this.#days.size
      this.#days.set(day, number)
    }
    this.#notes.push(at, number, count)
  }

  /** The bytes of a piece, which is complete. */
  bytesOf(piece: string): Buffer {
    const bytes = Buffer.from(piece)
    const isAscii = bytes.length === piece.length
    let [letter, byte] = [0, 0]
    for (; this.#noted < this.#notes.length; this.#noted += EACH) {
      const at = this.#notes[this.#noted] ?? 0
      byte = isAscii ? at : byte + Buffer.byteLength(piece.slice(letter, at))
      letter = at
      this.#notes[this.#noted] = this.#bytes + byte
    }
    this.#bytes += bytes.length
    return bytes
  }

  places(): IdPlaces {
    return { days: [...this.#days.keys()], places: new Uint32Array(this.#notes) }
  }
}

/** The same text, where so many transactions of each day stand above it. */
export function withCounts(csv: Buffer, { days, places }: IdPlaces, above: CountOf): Buffer {
  const counts = days.map(above)
  if (counts.every((count) => count === 0)) return csv
  let size = csv.length
  for (let i = 0; i < places.length; i += EACH) {
    const [before, count] = [counts[places[i + 1] ?? 0] ?? 0, places[i + 2] ?? 0]
    if (before > 0) size += digits(before + count) - digits(count)
  }
  const corrected = Buffer.allocUnsafe(size)
  let from = 0
  let to = 0
  for (let i = 0; i < places.length; i += EACH) {
    const [at, before, count] = [places[i] ?? 0, counts[places[i + 1] ?? 0] ?? 0, places[i + 2] ?? 0]
    if (before === 0) continue
    to += csv.copy(corrected, to, from, at)
    to += corrected.write(String(before + count), to, 'latin1')
    from = at + digits(count)
  }
  csv.copy(corrected, to, from)
  return corrected
}

const digits = (count: number): number => {
  let length = 1
  for (let least = 10; count >= least; least *= 10) length++
  return length
}
