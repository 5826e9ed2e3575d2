/**
 * Tells whether another version of the program made the previous snapshot, and what that explains of
 * differences in closed months.
 */

import { fingerprint } from '../../system/program.ts'
import { thisProgram } from '../../system/version.ts'
import { stateText } from '../files/input-state.ts'
import { fileOf, type Manifest } from '../files/manifest.ts'
import { type RuleChange, rulesAfter } from './rules.ts'
export interface ProgramChange {
  /** The program that made the snapshot, for example `Tieout 0.1.0`. */
  readonly before: string
  /** Rules that are newer than the snapshot and may concern its sources. */
  readonly rules: readonly RuleChange[]
  /** Whether sources and settings are unchanged, so that the program alone explains every difference. */
  readonly isAll: boolean
}

type Reading = Pick<Manifest, 'Inputs' | 'Configuration'>

/** Compares the program of a snapshot with this one; null where this one made it. */
export function programChange(before: Manifest, now: Reading): ProgramChange | null {
  if (before.Build.Program === fingerprint()) return null
  const formats = new Set(now.Inputs.flatMap(({ Format }) => Format ?? []))
  return {
    before: `Tieout ${before.Tool.Version}`,
    rules: rulesAfter(before.Tool.Rules ?? 0, formats),
    isAll: before.Configuration?.Sha256 === now.Configuration?.Sha256 && sourcesIn(before) === sourcesIn(now),
  }
}

/**
 * The source files with their states. company.yaml is left out: its settings are compared by what they mean
 * (`Configuration`).
 */
const sourcesIn = ({ Inputs }: Reading): string =>
  [
    ...new Set(
      Inputs.filter(({ Role }) => Role !== 'configuration').map(
        (input) => `${fileOf(input)} ${stateText(input)}`,
      ),
    ),
  ]
    .sort()
    .join('\n')

const sentences = (rules: readonly RuleChange[]): string => rules.map(({ says }) => says).join('; ')

/**
 * The part of the finding's message that names the program's share in the differences; empty where it has
 * none.
 */
export const programText = ({ before, rules, isAll }: ProgramChange): string => {
  const changed = rules.length === 0 ? '' : `. Rules that changed since: ${sentences(rules)}`
  return isAll
    ? `. Sources and settings are as they were then; the snapshot was made by ${before}, this is ${thisProgram()}${changed}`
    : rules.length === 0
      ? ''
      : `. The program changed too: the snapshot was made by ${before}${changed}`
}

/** The most characters of a reason in the log. */
const LONGEST = 1000

/**
 * Offers a reason that is true as it stands; null where sources changed as well, or no new rule explains the
 * differences.
 */
export function programReason({ rules, isAll }: ProgramChange): string | null {
  if (!isAll || rules.length === 0) return null
  const begin = `Same sources and settings, read by ${thisProgram()}`
  const full = `${begin}: ${sentences(rules)}`
  return full.length <= LONGEST ? full : `${begin}: ${rules.length} rules changed, see its list of changes`
}
