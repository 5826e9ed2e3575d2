/** What the vouchers of a SIE file use, noted while it is read, because to read the lines of vouchers again takes as long. */

export interface SieObject {
  readonly dimension: string
  readonly id: string
}

export interface VoucherUses {
  /** Account → the first line with it. */
  readonly accounts: ReadonlyMap<string, number>
  /** Objects as they stand on lines, by {@link textOf}. */
  readonly objects: ReadonlyMap<string, ObjectsUse>
  readonly dimensions: ReadonlyMap<string, DimensionUse>
  /** Date of lines → how many have it. */
  readonly dates: ReadonlyMap<string, Lines>
}

/** Lines that are alike: how many, and the first of them. */
export interface Lines {
  lines: number
  readonly firstLine: number
}

/** The lines that carry an object of a dimension; sums in minor units. */
export interface DimensionUse extends Lines {
  readonly objects: Set<string>
  debit: number
  credit: number
}

/** The lines that carry these objects together. */
export interface ObjectsUse extends Lines {
  /** What stands in the place of class and department in their rows; empty where there are no objects. */
  readonly tag: string
  readonly objects: readonly SieObject[]
  debit: number
  credit: number
}

/** Fields of a line hold no line ends. */
function textOf(objects: readonly SieObject[]): string {
  let text = ''
  for (const { dimension, id } of objects) text += `${dimension}\n${id}\n`
  return text
}

export class UsesOfVouchers implements VoucherUses {
  readonly accounts = new Map<string, number>()
  readonly objects = new Map<string, ObjectsUse>()
  readonly dates = new Map<string, Lines>()
  readonly #file: string
  /** Most lines have the date of the line above. */
  #last: { readonly date: string; readonly use: Lines } | null = null

  constructor(file: string) {
    this.#file = file
  }

  /** Notes a line, and returns the tag of its objects. */
  note(account: string, objects: readonly SieObject[], minor: number, date: string, line: number): string {
    if (!this.accounts.has(account)) this.accounts.set(account, line)
    this.#noteDate(date, line)
    if (objects.length === 0) return ''
    const text = textOf(objects)
    let use = this.objects.get(text)
    if (use === undefined) {
      const tag = `#${this.objects.size + 1} ${this.#file}`
      use = { tag, objects, lines: 0, debit: 0, credit: 0, firstLine: line }
      this.objects.set(text, use)
    }
    use.lines++
    if (minor > 0) use.debit += minor
    else use.credit -= minor
    return use.tag
  }

  #noteDate(date: string, line: number): void {
    if (this.#last?.date !== date) {
      const use = this.dates.get(date) ?? { lines: 0, firstLine: line }
      this.dates.set(date, use)
      this.#last = { date, use }
    }
    this.#last.use.lines++
  }

  get dimensions(): ReadonlyMap<string, DimensionUse> {
    const uses = new Map<string, DimensionUse>()
    for (const { objects, lines, debit, credit, firstLine } of this.objects.values())
      for (const dimension of new Set(objects.map((object) => object.dimension))) {
        const use = uses.get(dimension) ?? { objects: new Set(), lines: 0, debit: 0, credit: 0, firstLine }
        uses.set(dimension, use)
        for (const object of objects) if (object.dimension === dimension) use.objects.add(object.id)
        use.lines += lines
        use.debit += debit
        use.credit += credit
      }
    return uses
  }
}
