/** A child process of verify-pool.ts: verifies one snapshot after another. */
import { type ProofRequest, type Proven, prove } from '../../builder/evidence/verify/prove.ts'
import { serveParent } from './pool-child.ts'

export type ProvenShare = readonly [done: number, total: number]

serveParent<ProofRequest, ProvenShare, Proven>((request, report) =>
  prove(request, (done, total) => report([done, total])),
)
