/** Whether a snapshot was made by another program, and what that explains where closed months differ. */

import { fileOf, type Manifest } from '../snapshot/manifest.ts'
import { fingerprint } from '../workspace/program.ts'
import { VERSION } from '../workspace/version.ts'
import { type Rule, rulesAfter } from './rules.ts'

export interface ProgramChange {
  /** `Tieout 0.1.0`, which made the snapshot. */
  readonly before: string
  /** Rules that the snapshot was not made under and that may concern its sources. */
  readonly rules: readonly Rule[]
  /** Sources and settings are those of then: whatever differs, the program does. */
  readonly isAll: boolean
}

type Reading = Pick<Manifest, 'Inputs' | 'Configuration'>

/** Null where this very program made the snapshot. */
export function programChange(before: Manifest, now: Reading): ProgramChange | null {
  if (before.Build.Program === fingerprint()) return null
  const formats = new Set(now.Inputs.flatMap(({ Format }) => Format ?? []))
  return {
    before:
      before.Tool.Version === VERSION
        ? `an earlier build of Tieout ${VERSION}`
        : `Tieout ${before.Tool.Version}`,
    rules: rulesAfter(before.Tool.Rules ?? 0, formats),
    isAll: before.Configuration?.Sha256 === now.Configuration?.Sha256 && sourcesIn(before) === sourcesIn(now),
  }
}

/** Names and hashes of the sources. What company.yaml says is compared as it was understood. */
const sourcesIn = ({ Inputs }: Reading): string =>
  [
    ...new Set(
      Inputs.filter(({ Role }) => Role !== 'configuration').map(
        (input) => `${fileOf(input)} ${input.Sha256}`,
      ),
    ),
  ]
    .sort()
    .join('\n')

const sentences = (rules: readonly Rule[]): string => rules.map(({ says }) => says).join('; ')

/** What follows "These figures differ": the program's part in it. */
export const programText = ({ before, rules, isAll }: ProgramChange): string => {
  const changed = rules.length === 0 ? '' : `. Rules that changed since: ${sentences(rules)}`
  return isAll
    ? `. Sources and settings are as they were then; the snapshot was made by ${before}, this is Tieout ${VERSION}${changed}`
    : rules.length === 0
      ? ''
      : `. The program changed too: the snapshot was made by ${before}${changed}`
}

/** As long as a reason may be. */
const LONGEST = 1000

/** A reason that is true as it stands; null where the program alone explains nothing, or no rule says how. */
export function programReason({ rules, isAll }: ProgramChange): string | null {
  if (!isAll || rules.length === 0) return null
  const begin = `Same sources and settings, read by Tieout ${VERSION}`
  const full = `${begin}: ${sentences(rules)}`
  return full.length <= LONGEST ? full : `${begin}: ${rules.length} rules changed, see its list of changes`
}
