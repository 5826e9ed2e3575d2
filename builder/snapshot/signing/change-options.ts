/** Collects what every change to the snapshots of a workspace needs: the signing key and the approvers. */

import type { Workspace } from '../../workspace/workspace.ts'
import type { Signer } from '../keys/key-file.ts'
import type { ChangeOptions } from '../log/change.ts'
import { type SigningWorkspace, workspaceSigner } from './signing.ts'

export type ChangingWorkspace = SigningWorkspace & Pick<Workspace, 'approvers'>

/** Opens the signing key, which is made on first use. Throws FindingsError where it was lost. */
export const changeOptions = async (
  workspace: ChangingWorkspace,
): Promise<ChangeOptions & { readonly signer: Signer }> => ({
  signer: await workspaceSigner(workspace),
  approvers: workspace.approvers,
})
