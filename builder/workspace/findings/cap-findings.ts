/** Limits findings of which a file may have millions: the first of each kind are listed, the rest is counted. */
import { error, type Finding } from './finding.ts'
import type { FindingCode } from './finding-codes.ts'

export const LISTED = 200

export const moreOf = ({ code, file }: Pick<Finding, 'code' | 'file'>, count: number): Finding =>
  error(code, `and ${count} more of the same kind`, { file })

/** Adds a finding that says how many more there are, if `found` exceeds the findings that are listed. */
export function capFindings(findings: Finding[], found: number): Finding[] {
  const last = findings.at(-1)
  if (last && found > findings.length) findings.push(moreOf(last, found - findings.length))
  return findings
}

/** Collects findings one by one, and keeps the first {@link LISTED} of each code. */
export class CappedFindings {
  readonly #listed: Finding[] = []
  readonly #counts = new Map<FindingCode, { count: number; file: string | null }>()

  add(found: Finding): void {
    const count = (this.#counts.get(found.code)?.count ?? 0) + 1
    this.#counts.set(found.code, { count, file: found.file })
    if (count <= LISTED) this.#listed.push(found)
  }

  list(): Finding[] {
    const beyond = [...this.#counts].filter(([, { count }]) => count > LISTED)
    return [
      ...this.#listed,
      ...beyond.map(([code, { count, file }]) => moreOf({ code, file }, count - LISTED)),
    ]
  }
}
