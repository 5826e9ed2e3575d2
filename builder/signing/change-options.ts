/** Collects what every change to the snapshots of a workspace needs: the signing key and the approvers. */

import type { ChangeOptions } from '../snapshot/change.ts'
import type { Signer } from '../snapshot/key-file.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { type SigningWorkspace, workspaceSigner } from './signing.ts'

export type ChangingWorkspace = SigningWorkspace & Pick<Workspace, 'approvers'>

/** Opens the signing key, which is made on first use. Throws FindingsError where it was lost. */
export const changeOptions = async (
  workspace: ChangingWorkspace,
): Promise<ChangeOptions & { readonly signer: Signer }> => ({
  signer: await workspaceSigner(workspace),
  approvers: workspace.approvers,
})
