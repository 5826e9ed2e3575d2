/** What is done to a company's snapshots where somebody else has to approve it, for each way in which it can go wrong. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { approve, reject } from '../../builder/evidence/approval/approve.ts'
import type { Approver } from '../../builder/snapshot/approval/approval.ts'
import { makeApproverKey, openApproverKey } from '../../builder/snapshot/approval/approver-key.ts'
import { proposeApprovers } from '../../builder/snapshot/approval/approvers.ts'
import type { Signer } from '../../builder/snapshot/keys/key-file.ts'
import { candidatesIn } from '../../builder/snapshot/log/candidates.ts'
import { readHistory } from '../../builder/snapshot/log/history.ts'
import { prune } from '../../builder/snapshot/log/prune.ts'
import { useSnapshot } from '../../builder/snapshot/log/use.ts'
import type { Effects } from '../../builder/system/effects.ts'
import { ACME } from '../support/snapshots.ts'
import { publishText, type Scenario } from './scenarios.ts'

/** The key lies beside the snapshots, so that a process that is killed has the same. */
const keyFile = (root: string): string => join(dirname(root), 'ann.pem')

async function approvers(root: string): Promise<readonly Approver[]> {
  const path = keyFile(root)
  if (!existsSync(path)) makeApproverKey(path, null)
  const { createPublicKey } = await import('node:crypto')
  const { x } = createPublicKey(readFileSync(path, 'utf8')).export({ format: 'jwk' })
  return [{ Name: 'Ann', Key: x! }]
}

const propose = async (root: string, text: string, signer: Signer, effects: Effects): Promise<void> =>
  publishText(root, text, { signer, effects, approvers: await approvers(root) })

async function approveIt(root: string, signer: Signer, effects: Effects): Promise<void> {
  const pen = await openApproverKey(keyFile(root), null)
  const inUse = async () => new Set<string>()
  await approve(root, { company: ACME, candidate: null, pen, inUse, figures: false }, { signer, effects })
}

const prepared =
  (...rest: readonly ((root: string, signer: Signer, effects: Effects) => Promise<unknown>)[]) =>
  async (root: string, signer: Signer, effects: Effects): Promise<void> => {
    for (const text of ['one', 'two']) {
      await propose(root, text, signer, effects)
      await approveIt(root, signer, effects)
    }
    for (const each of rest) await each(root, signer, effects)
  }

const proposed = (text: string) => (root: string, signer: Signer, effects: Effects) =>
  propose(root, text, signer, effects)

const isWaiting = async (root: string): Promise<boolean> =>
  (await candidatesIn(join(root, ACME))).some(({ isStale }) => !isStale)

/** Done already: what is left behind goes with the next change. */
const orBuild =
  (act: Scenario['act'], text: string): Scenario['act'] =>
  async (root, signer, effects) =>
    (await isWaiting(root)) ? act(root, signer, effects) : propose(root, text, signer, effects)

const policy = { company: ACME, policy: { keepLast: 1 }, inUse: async () => new Set<string>() }
const pruneIt: Scenario['act'] = (root, signer, effects) => prune(root, policy, null, { signer, effects })

export const APPROVAL_SCENARIOS: readonly Scenario[] = [
  {
    name: 'a build that has to be approved',
    prepare: prepared(),
    act: proposed('three'),
    before: 'two',
    after: 'two',
    left: 2,
    waiting: 1,
    syncsAll: true,
  },
  {
    name: 'a build that takes the place of one that waits',
    prepare: prepared(proposed('three')),
    act: proposed('four'),
    before: 'two',
    after: 'two',
    left: 2,
    waiting: 1,
    syncsAll: true,
  },
  {
    name: 'the approval of the first build',
    prepare: proposed('one'),
    act: orBuild(approveIt, 'one'),
    before: null,
    after: 'one',
    left: 1,
  },
  {
    name: 'the approval of a build',
    prepare: prepared(proposed('three')),
    act: orBuild(approveIt, 'three'),
    before: 'two',
    after: 'three',
    left: 3,
  },
  {
    name: 'the rejection of a build',
    prepare: prepared(proposed('three')),
    act: orBuild(
      (root, signer, effects) => reject(root, ACME, null, 'the rent is wrong', { signer, effects }),
      'two',
    ),
    before: 'two',
    after: 'two',
    left: 2,
  },
  {
    name: 'the approval of a rollback',
    prepare: prepared(async (root, signer, effects) => {
      const [first] = (await readHistory(root, ACME)).published.keys()
      await useSnapshot(root, ACME, first!, 'the second is wrong', { signer, effects })
    }),
    act: orBuild(approveIt, 'one'),
    before: 'two',
    after: 'one',
    left: 2,
  },
  {
    name: 'the approval of a pruning',
    prepare: prepared(pruneIt),
    act: async (root, signer, effects) =>
      (await isWaiting(root)) ? approveIt(root, signer, effects) : pruneIt(root, signer, effects),
    before: 'two',
    after: 'two',
    left: 1,
  },
  {
    name: 'the approval of other approvers',
    prepare: prepared(async (root, signer, effects) => {
      await proposeApprovers(root, ACME, [], 'four eyes are not needed any more', { signer, effects })
    }),
    act: orBuild(approveIt, 'two'),
    before: 'two',
    after: 'two',
    left: 2,
  },
]
