/**
 * Finds out which lines form an entry where the file does not state it reliably: lines are grouped by names from
 * fine to coarse, and the finest grouping that balances is used, so that no line is lost or counted twice.
 */

/** A group of lines that does not balance by itself. */
export interface Unbalanced {
  readonly name: string
  /** The first of its lines. */
  readonly row: number
  readonly minor: number
}

export interface JoinedGroups {
  /** What balances in no grouping, by the names of the coarsest groups. */
  readonly left: readonly Unbalanced[]
  /** Finest name → the coarser group in which its lines count. */
  readonly merged: ReadonlyMap<string, string>
}

/** A group that does not balance yet, with the coarser groups that contain it, the next one first. */
interface OpenGroup extends Unbalanced {
  readonly coarser: readonly string[]
  readonly coarsest: string
}

/**
 * Joins groups that do not balance, level by level. `coarserOf` returns the names of the coarser groups that contain a finest
 * one, the next one first.
 */
export function joinUnbalanced(
  finest: Iterable<Unbalanced>,
  coarserOf: (finest: string) => readonly string[],
): JoinedGroups {
  let open = Array.from(finest, (group): OpenGroup => {
    const coarser = coarserOf(group.name)
    return { ...group, coarser, coarsest: coarser.at(-1) ?? group.name }
  })
  const levels = open.reduce((most, { coarser }) => Math.max(most, coarser.length), 0)
  const merged = new Map<string, string>()
  for (let level = 0; level < levels; level++) {
    const joined = new Map<string, number>()
    for (const { name, coarser, minor } of open) {
      const group = coarser[level]
      if (group === undefined) continue
      joined.set(group, (joined.get(group) ?? 0) + minor)
      merged.set(name, group)
    }
    open = open.filter(({ coarser, coarsest }) => joined.get(coarser[level] ?? coarsest) !== 0)
  }
  const left = new Map<string, Unbalanced>()
  for (const { coarsest: name, minor, row } of open) {
    const known = left.get(name)
    left.set(name, { name, row: known?.row ?? row, minor: (known?.minor ?? 0) + minor })
  }
  return { left: [...left.values()], merged }
}
