/** Who approves what is done to a company's snapshots, as a person proposes it: what tieout.yaml says is brought into the log. */
import { ChangeRefusedError } from '../workspace/refusals.ts'
import type { Approver } from './approval.ts'
import { addCandidate } from './candidates.ts'
import { type ChangeOptions, changing } from './change.ts'
import { pointerOf } from './history.ts'
import { settled } from './settle.ts'

/** Proposes that from now on `wanted` approve, or that nobody has to; gives the candidate's hash. */
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

/** In any order. */
export const areSame = (a: readonly Approver[], b: readonly Approver[]): boolean => {
  const text = (list: readonly Approver[]) => list.map(({ Name, Key }) => `${Key} ${Name}`).sort()
  return JSON.stringify(text(a)) === JSON.stringify(text(b))
}
