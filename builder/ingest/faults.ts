/** Findings of a file that may have millions of them: so many of one kind are kept, the rest is counted. */
import { error, type Finding } from '../workspace/finding.ts'

export const LISTED = 200

export class Faults {
  readonly #listed: Finding[] = []
  readonly #counts = new Map<string, { count: number; file: string | null }>()

  add(found: Finding): void {
    const count = (this.#counts.get(found.code)?.count ?? 0) + 1
    this.#counts.set(found.code, { count, file: found.file })
    if (count <= LISTED) this.#listed.push(found)
  }

  list(): Finding[] {
    const more = [...this.#counts].filter(([, { count }]) => count > LISTED)
    return [
      ...this.#listed,
      ...more.map(([code, { count, file }]) =>
        error(code, `and ${count - LISTED} more of the same kind`, { file }),
      ),
    ]
  }
}
