/** Looks at a company's folder beside commands that change it. */
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { ChangingError } from '../snapshot/chain.ts'
import { INPUTS, PRUNED, STAMPS } from '../snapshot/layout.ts'
import { namesIn } from '../workspace/durable.ts'

/** How often is looked, and how long is waited in between. */
const PATIENCE = { tries: 20, ms: 500 }

/**
 * What is wrong while snapshots are pruned or published may be wrong because of that: it counts only where nothing changed
 * meanwhile, else `look` looks again. Throws {@link ChangingError} where that never comes.
 */
export async function steadily<Found>(
  folder: string,
  look: () => Promise<Found>,
  isSound: (found: Found) => boolean,
): Promise<Found> {
  for (let tries = 0; tries < PATIENCE.tries; tries++) {
    const before = stateOf(folder)
    const found = await look().then(
      (value) => ({ value, isSound: isSound(value) }),
      (problem: unknown) => ({ problem, isSound: false }),
    )
    if (found.isSound || stateOf(folder) === before) {
      if ('problem' in found) throw found.problem
      return found.value
    }
    await pause(PATIENCE.ms)
  }
  throw new ChangingError(`${folder} is being changed all the time; try again`)
}

/** The names that a pruning or a publication changes. */
const stateOf = (folder: string): string =>
  ['', PRUNED, INPUTS, STAMPS].map((below) => namesIn(join(folder, below)).join(' ')).join('\n')
