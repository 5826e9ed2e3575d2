/** One of several processes at work on the same company: `race-child.ts <publish|prune> <root> <state> <times> <name>`. */
import { setTimeout as pause } from 'node:timers/promises'
import { openSigner } from '../../builder/snapshot/key-file.ts'
import { LockedError } from '../../builder/snapshot/lock.ts'
import { prune } from '../../builder/snapshot/prune.ts'
import { ACME, publish } from '../support/snapshots.ts'

const [what, root, state, times, name] = process.argv.slice(2) as [string, string, string, string, string]
const signer = await openSigner(state)

/** Files that all say which publication they are of: a mixture would show. */
const filesOf = (text: string) =>
  Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`statements/${i}.json`, `${text} ${i}`]))

const once = (i: number): Promise<unknown> =>
  what === 'publish'
    ? publish(root, filesOf(`${name}-${i}`), { signer })
    : prune(root, { company: ACME, policy: { keepLast: 2 }, inUse: async () => new Set() }, null, { signer })

for (let i = 0; i < Number(times); ) {
  try {
    await once(i)
    i++
  } catch (problem) {
    if (!(problem instanceof LockedError)) throw problem
  }
  await pause(2)
}
