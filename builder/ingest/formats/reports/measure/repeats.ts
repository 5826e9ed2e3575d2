/**
 * Entries of a journal without numbers that stand in it twice on one day, line by line: a warning, unless a total of the journal shows that
 * they are two. Those with numbers are compared by the books.
 */
import { type Finding, ofLedger, warning } from '../../../../workspace/finding.ts'
import { nameOf } from '../../../format/entry-names.ts'
import type { Line } from '../lines.ts'

export class Repeats {
  /** The entries of the day, as dates come in order. */
  #ofDay = new Set<string>()
  #day = ''
  #open: { readonly entry: number; readonly name: string; readonly row: number; text: string } | null = null
  #found: { count: number; readonly name: string; readonly row: number } | null = null

  line({ entry, date, row, id, figures, cells }: Line, words: readonly string[]): void {
    if (entry !== this.#open?.entry) this.end()
    this.#open ??= { entry, row, name: nameOf(date, ...words), text: '' }
    if (date !== this.#day) this.#ofDay = new Set()
    this.#day = date
    this.#open.text += `${date} ${id} ${figures.net} ${cells.join('\u0001')}\n`
  }

  /** After the last line of an entry. */
  end(): void {
    if (this.#open === null) return
    const { name, row, text } = this.#open
    this.#open = null
    if (this.#ofDay.has(text)) {
      this.#found ??= { count: 0, name, row }
      this.#found.count++
    }
    this.#ofDay.add(text)
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
