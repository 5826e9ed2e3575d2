/** Looks at a company's folder while other commands may be changing it. */
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { namesIn } from '../../system/durable.ts'
import { ChangeRefusedError } from '../../system/refusals.ts'
import { INPUTS, LOG, POINTER, PRUNED, STAMPS } from '../files/layout.ts'
import { readIfThere } from './check-stamps.ts'

/** How often the folder is looked at, and the pause in between. */
const PATIENCE = { tries: 20, ms: 500 }

/**
 * Returns what `look` finds. Something that is not sound may only be the trace of a pruning or publication under way:
 * `look` looks again until it is sound, or nothing changed meanwhile. Throws {@link ChangeRefusedError} where the
 * folder never stays as it is.
 */
export async function steadily<Found>(
  folder: string,
  look: () => Promise<Found>,
  isSound: (found: Found) => boolean,
  { tries, ms } = PATIENCE,
): Promise<Found> {
  for (let done = 0; done < tries; done++) {
    const before = await stateOf(folder)
    const found = await look().then(
      (value) => ({ value, isSound: isSound(value) }),
      (problem: unknown) => ({ problem, isSound: false }),
    )
    if (found.isSound || (await stateOf(folder)) === before) {
      if ('problem' in found) throw found.problem
      return found.value
    }
    await pause(ms)
  }
  throw new ChangeRefusedError(`${folder} is being changed all the time; try again`)
}

/** Everything that a pruning or a publication changes: names in the folders, the pointer and the log. */
async function stateOf(folder: string): Promise<string> {
  const names = ['', PRUNED, INPUTS, STAMPS].map((below) => namesIn(join(folder, below)).join(' '))
  const texts = await Promise.all([POINTER, LOG].map((name) => readIfThere(join(folder, name))))
  return [...names, ...texts].join('\n')
}
