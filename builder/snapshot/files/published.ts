/** Checks every file of a snapshot's folder: is it the snapshot that was published there? */

import { andMore } from '../../contract/listed.ts'
import { endedKey } from '../keys/ended-key.ts'
import type { Change } from '../log/change.ts'
import { checkSnapshot, withoutAdopted } from './files.ts'
import { MANIFEST, snapshotFolder } from './layout.ts'
import type { Manifest, Pointer } from './manifest.ts'

/** The manifest and pointer of an intact snapshot, or a sentence on what is wrong with it. */
type Lying =
  | { readonly manifest: Manifest; readonly pointer: Pointer; readonly problem: null }
  | { readonly manifest: null; readonly pointer: null; readonly problem: string }

/** Checks a snapshot. With `ManifestSha256`, its manifest must have that hash. A signature by an unknown key is a problem too. */
export async function checkPublished(
  { root, company, signer, history, keys }: Change,
  SnapshotId: string,
  ManifestSha256?: string,
): Promise<Lying> {
  const folder = snapshotFolder(root, company, SnapshotId)
  const lies = await checkSnapshot(folder, signer ? keys.known : null)
  const { id, manifest, manifestHash, damages } = withoutAdopted(lies, history.adopted)
  const [first, ...more] = [...damages, ...endedKey(keys, history, lies)]
  const problem = (text: string): Lying => ({ manifest: null, pointer: null, problem: text })
  if (first || !manifest || manifestHash === null)
    return problem(
      `${SnapshotId} of ${company} is damaged: ${first?.message ?? `it has no ${MANIFEST}`}${andMore(more.length)}; "tieout verify ${company}" names all`,
    )
  if (history.approvers.length > 0 && !history.published.has(id) && !manifest.Build.Approvers)
    return problem(`${SnapshotId} of ${company} lies there, but nobody approved it`)
  const isIt = id === SnapshotId && manifest.CompanyId === company
  if (!isIt || (ManifestSha256 !== undefined && manifestHash !== ManifestSha256))
    return problem(`the manifest in ${folder} is not the one of ${SnapshotId} that was published`)
  return { manifest, pointer: { SnapshotId, ManifestSha256: manifestHash }, problem: null }
}
