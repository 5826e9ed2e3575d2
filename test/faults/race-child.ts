/**
 * One of several processes at work on the same company: `race-child.ts <publish|prune> <root> <state> <snapshots> <name>`. It goes on
 * until it has published or removed that number of snapshots, however slow the others are.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { openSigner } from '../../builder/snapshot/keys/key-file.ts'
import { LockedError } from '../../builder/snapshot/log/lock.ts'
import { prune } from '../../builder/snapshot/log/prune.ts'
import { ACME, publish } from '../support/snapshots.ts'

const [what, root, state, snapshots, name] = process.argv.slice(2) as [string, string, string, string, string]
const signer = await openSigner(state)

/** Files that all say which publication they are of: a mixture would show. */
const filesOf = (text: string) =>
  Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`statements/${i}.json`, `${text} ${i}`]))

/** Publishes a snapshot, or removes those that are superfluous now; tells how many. */
async function once(done: number): Promise<number> {
  if (what === 'publish') {
    await publish(root, filesOf(`${name}-${done}`), { signer })
    return 1
  }
  const request = { company: ACME, policy: { keepLast: 2 }, inUse: async () => new Set<string>() }
  const plan = await prune(root, request, null, { signer })
  return plan.snapshots.filter(({ keep }) => keep.length === 0).length
}

for (let done = 0; done < Number(snapshots); ) {
  try {
    done += await once(done)
  } catch (problem) {
    if (!(problem instanceof LockedError)) throw problem
  }
  await pause(2)
}
