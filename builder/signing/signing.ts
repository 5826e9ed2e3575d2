/**
 * The key that signs in a workspace: in its private state, or behind a command. Owns which key that is, and its
 * change. Must not make a key anew where one was lost.
 */
import { join } from 'node:path'
import { openSigner, type Signer, signingKeyPath } from '../snapshot/key-file.ts'
import { LOG, PRUNED, parseSnapshotId, SIGNATURE } from '../snapshot/layout.ts'
import { keysInLog } from '../snapshot/log.ts'
import { type JWK, keyOf, type SigningKey } from '../snapshot/sign.ts'
import { namesIn } from '../workspace/durable.ts'
import { isThere } from '../workspace/effects.ts'
import { error, FindingsError } from '../workspace/finding.ts'
import { readFile } from '../workspace/plain-file.ts'
import type { Workspace } from '../workspace/workspace.ts'

export type SigningWorkspace = Pick<Workspace, 'root' | 'state' | 'snapshots' | 'signer'>

/** Makes a key on first use. Throws {@link FindingsError} where one signed what lies there and is gone. */
export async function workspaceSigner(workspace: SigningWorkspace): Promise<Signer> {
  const { state, snapshots } = workspace
  const path = signingKeyPath(state)
  // Looked for again, since another process may make the first key and sign with it meanwhile.
  if (!isThere(path) && (await signingKeys(snapshots)).length > 0 && !isThere(path)) throw lostKey(path)
  return openSigner(state, await externalKey(workspace))
}

/** The key that the settings name with a command; null where the key lies in the workspace. */
export async function externalKey({ root, signer }: SigningWorkspace): Promise<SigningKey | null> {
  if (signer === null) return null
  const { commandKey } = await import('../workspace/signer-command.ts')
  const { publicKey, sign } = commandKey(root, signer)
  return { publicKey: publicKey as JWK, sign }
}

/** Every key that signed a manifest or a line of a log below `root`, each once: by the signatures alone, which are not checked. */
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
    const found = [...(await keysInLog(log)), ...(await Promise.all(signatures.map(keyOf)))]
    for (const key of found) if (key) keys.set(key.kid, key)
  }
  return [...keys.values()]
}

/** Folders that have a log or a snapshot, also where the pointer is gone. */
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
    // A file beside the companies' folders.
    return []
  }
}

const lostKey = (path: string): FindingsError =>
  new FindingsError([
    error(
      'signing-key-lost',
      `${path} is missing, although snapshots here are signed: the key that signs is lost`,
      {
        remedy:
          'restore the file from a backup; where there is none, say so, and a new key begins: tieout keys signing rotate --lost --reason "…"',
      },
    ),
  ])
