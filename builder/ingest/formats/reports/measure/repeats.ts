/**
 * Entries of a journal without numbers that stand in it twice on one day, line by line: a warning, unless a total of the journal shows that
 * they are two. Those with numbers are compared by the books.
 */
import { type Finding, ofLedger, warning } from '../../../../workspace/findings/finding.ts'
import type { Line } from '../lines.ts'

export class Repeats {
  /** Lines → name of the entries of the day, as dates come in order. */
  #ofDay = new Map<string, string>()
  #day = ''
  #open: { readonly entry: number; readonly name: string; readonly row: number; text: string } | null = null
  #found: { count: number; readonly name: string; readonly row: number } | null = null

  line({ entry, name, date, row, id, figures, cells }: Line): void {
    if (entry !== this.#open?.entry) this.end()
    this.#open ??= { entry, row, name: name ?? date, text: '' }
    if (date !== this.#day) this.#ofDay = new Map()
    this.#day = date
    this.#open.text += `${date} ${id} ${figures.net} ${cells.join('\u0001')}\n`
  }

  /** After the last line of an entry. */
  end(): void {
    if (this.#open === null) return
    const { name, row, text } = this.#open
    this.#open = null
    const before = this.#ofDay.get(text)
    if (before === undefined) {
      this.#ofDay.set(text, name)
      return
    }
    this.#found ??= { count: 0, name: before, row }
    this.#found.count++
  }

  findings(file: string): Finding[] {
    this.end()
    if (this.#found === null) return []
    const { count, name, row } = this.#found
    return [
      warning(
        'entry-repeated',
        count === 1
          ? `entry ${ofLedger(name)} stands twice with the same lines, and counts twice`
          : `${count} entries stand twice with the same lines, ${ofLedger(name)} first, and count twice`,
        {
          ...{ file, row, text: name },
          remedy:
            'if it is one entry, take the second one out, or export the journal again; if there are two, nothing need be done',
        },
      ),
    ]
  }
}
