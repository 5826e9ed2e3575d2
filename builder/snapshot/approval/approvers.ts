/** Proposes to enter the approvers of tieout.yaml in the log of a company. */

import { ChangeRefusedError } from '../../system/refusals.ts'
import { addCandidate } from '../log/candidates.ts'
import { type ChangeOptions, changing } from '../log/change.ts'
import { pointerOf } from '../log/history.ts'
import { settled } from '../log/settle.ts'
import { type Approver, areSame } from './approval.ts'

/**
 * Proposes that the approvers `wanted` count from now on; an empty list ends the requirement of approval. Returns the candidate's
 * hash. Throws {@link ChangeRefusedError} if nothing is published yet, or if the log names the same approvers.
 */
export async function proposeApprovers(
  root: string,
  company: string,
  wanted: readonly Approver[],
  reason: string,
  options: ChangeOptions,
): Promise<string> {
  return changing(root, company, { ...options, approvers: wanted }, async (change) => {
    await settled(change)
    const { current, approvers } = change.history
    if (current === null)
      throw new ChangeRefusedError(
        `nothing is published of ${company} yet: the approvers of tieout.yaml count from the first build that one of them approves`,
      )
    if (areSame(approvers, wanted))
      throw new ChangeRefusedError(
        wanted.length === 0
          ? `nobody has to approve what is published of ${company}, and tieout.yaml names no approvers`
          : `the log of ${company} names the same approvers as tieout.yaml`,
      )
    const line = await change.propose('approval', pointerOf(current), reason, { Approvers: wanted })
    return addCandidate(change, line)
  })
}
