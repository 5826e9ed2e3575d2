/**
 * Entries of a journal that stand in it twice, line by line. A total of the journal proves that they are two entries;
 * without one, a number that belongs to one entry alone proves that they are one, and anything else is a warning.
 */
import { error, type Finding, ofLedger, warning } from '../../../../workspace/finding.ts'
import { nameOf } from '../../../format/entry-names.ts'
import type { Line } from '../lines.ts'

interface Repeated {
  count: number
  readonly name: string
  readonly row: number
}

export class Repeats {
  /** Number → lines of the entry; of entries without one those of the day, as dates come in order. */
  readonly #numbered = new Map<string, number>()
  #ofDay = new Set<string>()
  #day = ''
  #key = ''
  #name = ''
  #row = 0
  #lines: string[] = []
  #certain: Repeated | null = null
  #doubtful: Repeated | null = null

  line({ number, entry, date, row, id, figures, cells }: Line, words: readonly string[]): void {
    const key = number ?? `\u0001${entry}`
    if (key !== this.#key) this.end()
    if (this.#lines.length === 0) {
      this.#key = key
      this.#row = row
      this.#name = number ?? nameOf(date, ...words)
      if (date !== this.#day) this.#ofDay = new Set()
      this.#day = date
    }
    this.#lines.push(`${date} ${id} ${figures.net} ${cells.join('\u0001')}`)
  }

  /** After the last line of an entry. */
  end(): void {
    const lines = this.#lines
    if (lines.length === 0) return
    this.#lines = []
    const text = lines.join('\n')
    if (this.#key.startsWith('\u0001')) {
      if (this.#ofDay.has(text)) this.#doubtful = this.#one(this.#doubtful)
      this.#ofDay.add(text)
    } else {
      const hash = hashOf(text)
      if (this.#numbered.get(this.#key) === hash) this.#certain = this.#one(this.#certain)
      else if (isTwice(lines)) this.#doubtful = this.#one(this.#doubtful)
      this.#numbered.set(this.#key, hash)
    }
    this.#key = ''
  }

  #one = (before: Repeated | null): Repeated =>
    before === null ? { count: 1, name: this.#name, row: this.#row } : { ...before, count: before.count + 1 }

  findings(file: string): Finding[] {
    this.end()
    return [
      ...(this.#certain === null ? [] : [told(error, this.#certain, file, ONE)]),
      ...(this.#doubtful === null ? [] : [told(warning, this.#doubtful, file, TWO)]),
    ]
  }
}

const ONE = 'the number belongs to one entry: take the second one out, or export the journal again'
const TWO =
  'if it is one entry, take the second one out, or export the journal again; if there are two, nothing need be done'

const told = (tell: typeof error, { count, name, row }: Repeated, file: string, remedy: string): Finding =>
  tell(
    'entry-repeated',
    count === 1
      ? `entry ${ofLedger(name)} stands twice with the same lines, and counts twice`
      : `${count} entries stand twice with the same lines, ${ofLedger(name)} first, and count twice`,
    { file, row, text: name, remedy },
  )

const isTwice = (lines: readonly string[]): boolean => {
  const half = lines.length / 2
  return Number.isInteger(half) && lines.slice(0, half).every((line, i) => line === lines[half + i])
}

/** FNV-1a: it is only compared with that of the same number. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}
