/**
 * The sections of a ledger by account, one inside the other for sub-accounts. Three ways to show what is inside what have
 * been seen: labels in columns of their own (QuickBooks Desktop), a section that is not closed yet, and `Total for Travel
 * with sub-accounts` at the end of those that followed a section that was closed already (QuickBooks Online).
 */
import { present } from '../../../../contract/present.ts'

interface Section {
  /** Its place among all sections of the report, by which other rooms know it. */
  readonly index: number
  readonly label: string
  readonly depth: number
  parent: Section | null
}

const SUBS = /(?<!\s)\s+with (?:sub-?accounts|subs)$/i
const OTHER = ' - Other'

export class Sections {
  readonly #all: Section[] = []
  readonly #open: Section[] = []
  /** Sections without a total of their own: the total of another one, or another section of their depth, closed them. */
  readonly #untotalled: Section[] = []

  /** `isNext`: what is open ends here, though no total says so. */
  start(label: string, depth: number, isNext = false): void {
    let above = this.#open.at(-1)
    while (above !== undefined && (isNext || (depth > 0 && above.depth >= depth))) {
      this.#open.pop()
      this.#untotalled.push(above)
      above = this.#open.at(-1)
    }
    const section: Section = { index: this.#all.length, label, depth, parent: above ?? null }
    this.#all.push(section)
    this.#open.push(section)
  }

  /** The section that a total such as `Total for Travel` closes; null where there is none of that name. */
  end(label: string): number | null {
    const named = label.replace(/^total(?: for)?\s+/i, '')
    const plain = named.replace(SUBS, '')
    for (const name of [named, plain]) {
      const at = this.#open.findLastIndex((section) => section.label === name)
      const [closed, ...inside] = at === -1 ? [] : this.#open.splice(at)
      if (closed === undefined) continue
      this.#untotalled.push(...inside)
      return closed.index
    }
    if (!SUBS.test(named)) return null
    const closed = this.#all.findLast((section) => section.label === plain)
    if (closed === undefined) return null
    for (const later of this.#all.slice(closed.index + 1))
      if (later.parent === closed.parent) later.parent = closed
    return closed.index
  }

  /** The section that a row stands in; null where none is open. */
  get current(): number | null {
    return this.#open.at(-1)?.index ?? null
  }

  /** The section and those that it is inside of, from the outermost on. */
  chainOf(index: number): number[] {
    const chain: number[] = []
    for (let at: Section | null = this.#at(index); at !== null; at = at.parent) chain.unshift(at.index)
    return chain
  }

  labelOf = (index: number): string => this.#at(index).label

  /** Labels from the top; a parent's own lines may stand in a section `Travel - Other` inside it. */
  pathOf(index: number): string[] {
    const path: string[] = []
    for (let at: Section | null = this.#at(index); at !== null; at = at.parent) path.unshift(at.label)
    const above = path.at(-2)
    return above !== undefined && path.at(-1) === above + OTHER ? path.slice(0, -1) : path
  }

  /**
   * After the last row of a report with totals: the sections that have none. A section that is still open is not a parent,
   * since the total of a parent stands below its sub-accounts.
   */
  settle(): number[] {
    const open = new Set(this.#open)
    // A parent stands before what is inside it, so that its own parent is settled already.
    for (const section of this.#all)
      if (section.parent !== null && open.has(section.parent)) section.parent = section.parent.parent
    const untotalled = [...this.#untotalled.splice(0), ...this.#open.splice(0)]
    return untotalled.map(({ index }) => index).sort((a, b) => a - b)
  }

  /** The sections that have others inside them. */
  parents = (): ReadonlySet<number> =>
    new Set(this.#all.flatMap(({ parent }) => (parent === null ? [] : [parent.index])))

  /** The section itself first, then those of its sub-accounts. */
  inside = (above: number): number[] =>
    this.#all.flatMap(({ index }) => (index >= above && this.isIn(index, above) ? [index] : []))

  /** Whether `index` is `above`, or inside it. */
  isIn(index: number, above: number): boolean {
    for (let at: Section | null = this.#at(index); at !== null; at = at.parent)
      if (at.index === above) return true
    return false
  }

  #at = (index: number): Section => present(this.#all[index], 'section of the report')
}
