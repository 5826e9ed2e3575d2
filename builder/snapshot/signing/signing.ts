/**
 * Owns which key signs in a workspace: one in its private state, or one behind a command. Must not make a new
 * key in place of one that was lost.
 */
import { join } from 'node:path'
import { namesIn } from '../../system/durable.ts'
import { isThere } from '../../system/effects.ts'
import { readFile } from '../../system/plain-file.ts'
import { error, FindingsError } from '../../workspace/findings/finding.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { LOG, PRUNED, parseSnapshotId, SIGNATURE } from '../files/layout.ts'
import { openSigner, type Signer, signingKeyPath } from '../keys/key-file.ts'
import { type JWK, keyCarriedBy, type SigningKey } from '../keys/sign.ts'
import { keysInLog } from '../log/log.ts'
import type { SnapshotLocation } from '../places/location.ts'

export type SigningWorkspace = Pick<Workspace, 'root' | 'state' | 'snapshots' | 'signer'> &
  Partial<Pick<Workspace, 'bucket'>>

/**
 * Opens the key that signs, and makes one on first use.
 * Throws {@link FindingsError} (`signing-key-lost`) where the snapshots are signed and the key file is
 * missing.
 */
export async function workspaceSigner(workspace: SigningWorkspace): Promise<Signer> {
  const { state, snapshots } = workspace
  const path = signingKeyPath(state)
  // Checked twice, since another process may make the first key and sign with it meanwhile.
  if (!isThere(path) && (await signingKeys(snapshots)).length > 0 && !isThere(path)) throw lostKey(path)
  return openSigner(state, await externalKey(workspace))
}

/**
 * As {@link workspaceSigner}, before the first change of a workspace whose snapshots are in a bucket: throws where
 * snapshots of any company there are signed and their key is not here.
 */
export async function requireKey(workspace: SigningWorkspace, location: SnapshotLocation): Promise<void> {
  if (!workspace.bucket || isThere(signingKeyPath(workspace.state))) return
  await workspaceSigner({ ...workspace, snapshots: await location.read(null, 'latest') })
}

/** The key of the signing command that tieout.yaml names; null where the key lies in the workspace. */
export async function externalKey({ root, signer }: SigningWorkspace): Promise<SigningKey | null> {
  if (signer === null) return null
  const { commandKey } = await import('../../workspace/signer-command.ts')
  const { publicKey, sign } = commandKey(root, signer)
  return { publicKey: publicKey as JWK, sign }
}

/**
 * Collects every key that signed a manifest or a log line below `root`, each once. The signatures themselves
 * are not verified.
 */
export async function signingKeys(root: string): Promise<JWK[]> {
  const keys = new Map<string, JWK>()
  for (const company of companiesIn(root)) {
    const folder = join(root, company)
    const log = await readFile(join(folder, LOG), 'utf8').catch(() => '')
    const places = [folder, join(folder, PRUNED)].flatMap((place) =>
      namesIn(place)
        .filter((name) => parseSnapshotId(name))
        .map((name) => join(place, name, SIGNATURE)),
    )
    const signatures = await Promise.all(places.map((place) => readFile(place, 'utf8').catch(() => '')))
    const found = [...(await keysInLog(log)), ...(await Promise.all(signatures.map(keyCarriedBy)))]
    for (const key of found) if (key) keys.set(key.kid, key)
  }
  return [...keys.values()]
}

/**
 * Lists the folders that hold a log or a snapshot, in alphabetical order, even where the pointer to the
 * current snapshot is missing.
 */
export const companiesIn = (root: string): string[] =>
  namesIn(root)
    .filter((name) => {
      const names = foldersIn(join(root, name))
      return names.includes(LOG) || names.some((each) => parseSnapshotId(each))
    })
    .sort()

function foldersIn(path: string): string[] {
  try {
    return namesIn(path)
  } catch {
    // A plain file beside the companies' folders holds no company.
    return []
  }
}

const lostKey = (path: string): FindingsError =>
  new FindingsError([
    error(
      'signing-key-lost',
      `${path} is missing, although snapshots here are signed: the signing key is lost`,
      {
        remedy:
          'restore the file from a backup; without a backup, begin a new key: tieout keys signing rotate --lost --reason "…"',
      },
    ),
  ])
