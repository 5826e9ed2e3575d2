/**
 * Where a report can be read on without the rows above. What stands above must not be needed to read the rows below, or the place
 * says it; and it must not be compared with them, or only by totals, which are compared once all rows have been read.
 */
import type { EntryForm } from './layout.ts'
import type { Stretch } from './walk.ts'

/** In front of a row. */
export interface Place extends Pick<Stretch, 'rows' | 'sections' | 'open' | 'balance'> {
  /** In bytes. */
  readonly start: number
  /** Of a journal: the days above and below, as written, and how its entries were told apart there. */
  readonly days: readonly [above: string, below: string] | null
  readonly form: EntryForm
}

/** A place for each so many bytes, and the last one of all. */
export class KeptPlaces {
  readonly #bytes: number
  readonly #kept: Place[] = []
  #last: Place | null = null

  constructor(bytes: number) {
    this.#bytes = bytes
  }

  /** In their order. */
  get all(): readonly Place[] {
    return [...this.#kept, ...(this.#last === null ? [] : [this.#last])]
  }

  add(place: Place): void {
    if (place.start - (this.#kept.at(-1)?.start ?? 0) >= this.#bytes) {
      this.#kept.push(place)
      this.#last = null
    } else this.#last = place
  }

  leaveAll(): void {
    this.#kept.splice(0)
    this.#last = null
  }

  /** Leaves those behind the beginning of the section. */
  leaveBehind(section: number): void {
    while ((this.#kept.at(-1)?.sections ?? 0) > section) this.#kept.pop()
    if ((this.#last?.sections ?? 0) > section) this.#last = null
  }

  /** The stretches between the places; the last one goes on to the end of the report. Empty where the report cannot be divided. */
  stretches(form: EntryForm, isLaterDay: (above: string, below: string) => boolean): readonly Stretch[] {
    const places = this.all.filter(
      (place) => place.form === form && (place.days === null || isLaterDay(...place.days)),
    )
    if (places.length === 0) return []
    const starts = [{ start: 0, rows: 0, sections: 0, open: [], balance: '' }, ...places]
    return starts.map(({ start, rows, sections, open, balance }, i) => ({
      range: { start, end: starts[i + 1]?.start ?? Number.POSITIVE_INFINITY },
      rows,
      sections,
      open,
      balance,
      last: starts[i + 1]?.rows ?? null,
    }))
  }
}
