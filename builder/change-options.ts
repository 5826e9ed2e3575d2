/** What every change to the snapshots of a workspace takes from it: who signs, and who is to approve. */
import type { ChangeOptions } from './snapshot/change.ts'
import { openSigner, type Signer } from './snapshot/sign.ts'
import type { Workspace } from './workspace/workspace.ts'

export const changeOptions = async ({
  state,
  approvers,
}: Pick<Workspace, 'state' | 'approvers'>): Promise<ChangeOptions & { readonly signer: Signer }> => ({
  signer: await openSigner(state),
  approvers,
})
