/** Limits findings of which a file may have millions: the first of each kind are listed, the rest is counted. */
import { error, type Finding } from './finding.ts'
import type { FindingCode } from './finding-codes.ts'

export const LISTED = 200

const more = (code: FindingCode, count: number, file: string | null): Finding =>
  error(code, `and ${count} more of the same kind`, { file })

/** Adds a finding that says how many more there are, if `found` exceeds the findings that are listed. */
export function capFindings(findings: Finding[], found: number): Finding[] {
  const last = findings.at(-1)
  if (last && found > findings.length) findings.push(more(last.code, found - findings.length, last.file))
  return findings
}

/** Findings of which the first of each code are listed. */
export interface Capped {
  readonly listed: readonly Finding[]
  /** How many there are of each code, and where the last one is. */
  readonly counts: ReadonlyMap<FindingCode, { readonly count: number; readonly file: string | null }>
}

/** Collects findings one by one, and keeps the first {@link LISTED} of each code. */
export class CappedFindings {
  readonly #listed: Finding[] = []
  readonly #counts = new Map<FindingCode, { count: number; file: string | null }>()

  add(found: Finding): void {
    if (this.#count(found.code, 1, found.file) <= LISTED) this.#listed.push(found)
  }

  capped(): Capped {
    return { listed: this.#listed, counts: this.#counts }
  }

  /** Adds what was collected elsewhere, as if it had been added here one by one. */
  addAll({ listed, counts }: Capped): void {
    for (const found of listed) this.add(found)
    for (const [code, { count, file }] of counts) this.#count(code, Math.max(0, count - LISTED), file)
  }

  list(): Finding[] {
    const beyond = [...this.#counts].filter(([, { count }]) => count > LISTED)
    return [...this.#listed, ...beyond.map(([code, { count, file }]) => more(code, count - LISTED, file))]
  }

  #count(code: FindingCode, more: number, file: string | null): number {
    const count = (this.#counts.get(code)?.count ?? 0) + more
    this.#counts.set(code, { count, file })
    return count
  }
}
