/** Verifies several snapshots at once, each in a process of its own. */
import type { ProofRequest, Proven } from '../../builder/evidence/verify/prove.ts'
import type { Prove } from '../../builder/evidence/verify/verify.ts'
import { RefusedError } from '../terminal/exit.ts'
import { atOnce, Pool } from './pool.ts'
import type { ProvenShare } from './verify-child.ts'

/** Null where snapshots are verified one at a time, which this process does itself. */
export function proveInParallel(given: {
  readonly jobs?: number | undefined
  readonly memory?: number | undefined
}): { readonly run: Prove; readonly atOnce: number; readonly close: () => void } | null {
  const processes = atOnce(Number.POSITIVE_INFINITY, given)
  if (processes === 1) return null
  const pool = new Pool<ProofRequest, ProvenShare, Proven>('verify-child', import.meta.url, processes)
  return {
    atOnce: processes,
    run: async (request, progress) => {
      const end = await pool.run(request, { progress: (share) => progress(...share) })
      if ('result' in end) return end.result
      throw new RefusedError(
        `${request.snapshot.id} could not be proven: ${'ended' in end ? `its process was ended ${end.ended}; verify with --jobs 1` : end.failure.message}`,
      )
    },
    close: () => pool.close(),
  }
}
