/**
 * The sections of a ledger by account, one inside the other for sub-accounts. Three ways to show what is inside what have
 * been seen: labels in columns of their own (QuickBooks Desktop), a section that is not closed yet, and `Total for Travel
 * with sub-accounts` at the end of those that followed a section that was closed already (QuickBooks Online).
 */

interface Section {
  readonly label: string
  readonly depth: number
  parent: number | null
}

export interface Closed {
  readonly index: number
  /** The total says that it is of the sub-accounts too. */
  readonly withSubs: boolean
}

const SUBS = /\s+with (?:sub-?accounts|subs)$/i
const OTHER = ' - Other'

export class Sections {
  readonly all: Section[] = []
  readonly #open: number[] = []
  /** What a total of another section, or another section of its depth, closed. */
  readonly #untotalled: number[] = []

  start(label: string, depth: number): void {
    while (this.#open.length > 0 && depth > 0 && this.all[this.#open.at(-1)!]!.depth >= depth)
      this.#untotalled.push(this.#open.pop()!)
    this.all.push({ label, depth, parent: this.#open.at(-1) ?? null })
    this.#open.push(this.all.length - 1)
  }

  /** Of a label such as `Total for Travel`; null where no such section is there. */
  end(label: string): Closed | null {
    const named = label.replace(/^total(?: for)?\s+/i, '')
    for (const name of [named, named.replace(SUBS, '')]) {
      const at = this.#open.findLastIndex((index) => this.all[index]!.label === name)
      if (at === -1) continue
      const index = this.#open[at]!
      this.#untotalled.push(...this.#open.splice(at).slice(1))
      return { index, withSubs: name !== named }
    }
    if (!SUBS.test(named)) return null
    const index = this.all.findLastIndex((section) => section.label === named.replace(SUBS, ''))
    if (index === -1) return null
    const { parent } = this.all[index]!
    for (let i = index + 1; i < this.all.length; i++)
      if (this.all[i]!.parent === parent) this.all[i]!.parent = index
    return { index, withSubs: true }
  }

  /** The section that a row stands in; null where none is open. */
  get current(): number | null {
    return this.#open.at(-1) ?? null
  }

  /** Labels from the top; a parent's own lines may stand in a section `Travel - Other` inside it. */
  pathOf(index: number): string[] {
    const path: string[] = []
    for (let at: number | null = index; at !== null; at = this.all[at]!.parent)
      path.unshift(this.all[at]!.label)
    const last = path.at(-1)!
    return path.length > 1 && last === path.at(-2)! + OTHER ? path.slice(0, -1) : path
  }

  /**
   * After the last row of a report with totals: the sections that have none. One that is still open is no parent, since the
   * total of a parent stands below its sub-accounts.
   */
  settle(): number[] {
    for (const index of this.#open.toReversed())
      for (const section of this.all) if (section.parent === index) section.parent = this.all[index]!.parent
    return [...this.#untotalled.splice(0), ...this.#open.splice(0)].sort((a, b) => a - b)
  }

  /** The section itself first, then those of its sub-accounts. */
  inside = (above: number): number[] =>
    this.all.flatMap((_, index) => (index >= above && this.isIn(index, above) ? [index] : []))

  /** Whether `index` is `above`, or inside it. */
  isIn(index: number, above: number): boolean {
    for (let at: number | null = index; at !== null; at = this.all[at]!.parent) if (at === above) return true
    return false
  }
}
