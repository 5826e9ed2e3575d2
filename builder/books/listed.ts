/** Findings of one kind: so many are listed, the rest is counted. */
import { error, type Finding } from '../workspace/finding.ts'

export const LISTED = 200

/** The findings, and where there were more of them (`found` in all), one that says how many. */
export function withRest(findings: Finding[], found: number): Finding[] {
  const last = findings.at(-1)
  if (last && found > findings.length)
    findings.push(
      error(last.code, `and ${found - findings.length} more of the same kind`, { file: last.file }),
    )
  return findings
}
