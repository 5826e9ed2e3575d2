/**
 * Owns the file with the signing keys of a workspace. It lies in the workspace's private state and not among the snapshots,
 * because whoever has it can sign. A change of keys replaces the file in one step; the log of each company enters the change
 * when something is changed there next.
 */
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { present } from '../../contract/present.ts'
import { createOnce, replaceFile } from '../../system/durable.ts'
import { disk, type Effects, isThere } from '../../system/effects.ts'
import { readFileSync } from '../../system/plain-file.ts'
import { error, FindingsError } from '../../workspace/findings/finding.ts'
import { closeBeyond, makeStateFolder, modesIn } from '../../workspace/state-folder.ts'
import { type KeyChange, keyChange } from './key-ring.ts'
import {
  described,
  type IdentifiedKey,
  idOf,
  isEd25519,
  type JWK,
  type KnownKeys,
  newPrivateKey,
  type Pen,
  penOf,
  privateKeyOf,
  publicPart,
  type SigningKey,
} from './sign.ts'

/** A JWK Set (RFC 7517 §5) with the changes of its keys. */
const schema = z.object({
  keys: z.array(z.custom<JWK>((key) => isEd25519(key as JWK))).min(1),
  changes: z.array(keyChange).default([]),
})
type KeyFile = z.output<typeof schema>

export interface Signer extends Pen {
  /** Ids of all keys that the workspace knows: its own, past ones included, and those it trusts. */
  readonly known: ReadonlySet<string>
  /** The changes of the workspace's keys, oldest first. A log enters all of them before this key signs a line there. */
  readonly changes: readonly KeyChange[]
}

export const signingKeyPath = (state: string): string => join(state, 'manifest-keys.json')
/** The file of trusted public keys: of other publishers whose snapshots were restored here with their key named. */
const trustedKeyPath = (state: string): string => join(state, 'trusted-keys.json')

/**
 * Opens the signing key, which is created on first use. The last key in the file signs; all of them are known. `external` is
 * a key that a command holds; the file then has only its public part. Throws {@link FindingsError} if the file cannot be used.
 */
export async function openSigner(state: string, external: SigningKey | null = null): Promise<Signer> {
  const path = signingKeyPath(state)
  if (!isThere(path)) await makeKeyFile(path, external)
  // A restored backup or a copy may have left the file readable by others.
  closeBeyond(path, modesIn(state).file)
  const { keys, changes } = readKeyFile(path)
  const own = present(keys.at(-1), `key in ${path}`)
  const keyId = await idOf(own)
  if (external && (await idOf(external.publicKey)) !== keyId) throw otherKey(keyId, external)
  if (!external && own.d === undefined) throw noPrivateKey(path, keyId)
  const key = external ?? privateKey(own, path)
  return { ...(await penOf(key)), known: await keyIdsIn(state), changes }
}

function privateKey(own: JWK, path: string): SigningKey {
  try {
    return privateKeyOf(own)
  } catch {
    throw unreadable(path)
  }
}

/** Ids of the keys that a workspace knows: its own, and those it was told to trust. Null where there are none yet. */
export async function knownKeys(state: string): Promise<KnownKeys> {
  const ids = await keyIdsIn(state)
  return ids.size > 0 ? ids : null
}

async function keyIdsIn(state: string): Promise<ReadonlySet<string>> {
  const keys = [...(await publicKeys(signingKeyPath(state))), ...(await publicKeys(trustedKeyPath(state)))]
  return new Set(keys.map(({ kid }) => kid))
}

/** Adds a key to the trusted ones: from now on its signatures count in this workspace. */
export async function trustKey(state: string, key: JWK): Promise<void> {
  const trusted = await publicKeys(trustedKeyPath(state))
  if (trusted.some(({ kid }) => kid === key.kid)) return
  makeStateFolder(state)
  const keys = [...trusted, await described(key)]
  replaceFile(trustedKeyPath(state), `${JSON.stringify({ keys }, null, 2)}\n`, modesIn(state).file)
}

/** A key as a JWK Set lists it, with the time of its revocation (ISO 8601) if it was revoked. */
type PublicKey = IdentifiedKey & { readonly revoked?: string }

/** The public keys in a key file, with their ids. A missing file has none. */
export async function publicKeys(path: string): Promise<PublicKey[]> {
  if (!isThere(path)) return []
  const { keys, changes } = readKeyFile(path)
  const ends = endsIn(changes)
  return Promise.all(
    keys.map(async (key: JWK & { readonly revoked?: string }) => {
      const known = await described(key)
      const revoked = ends.get(known.kid) ?? key.revoked
      return typeof revoked === 'string' ? { ...known, revoked } : known
    }),
  )
}

/** The revocation time of each revoked key, by its id. Without a log that shows what was signed before, none of its signatures counts. */
export async function revokedKeys(path: string): Promise<ReadonlyMap<string, string>> {
  if (!isThere(path)) return new Map()
  const listed = (await publicKeys(path)).flatMap(({ kid, revoked }) =>
    revoked ? [[kid, revoked] as const] : [],
  )
  return new Map([...endsIn(readKeyFile(path).changes), ...listed])
}

const endsIn = (changes: readonly KeyChange[]): ReadonlyMap<string, string> =>
  new Map(
    changes.flatMap((change) => (change.Event === 'revoke' ? [[change.KeyId, change.At] as const] : [])),
  )

/** Reads a key file. Throws {@link FindingsError} if it is not one. */
export function readKeyFile(path: string): KeyFile {
  const text = readFileSync(path, 'utf8')
  try {
    return schema.parse(JSON.parse(text))
  } catch {
    throw unreadable(path)
  }
}

/**
 * Replaces the key file in one step. If there is a `next` key, only the public parts of the earlier keys are kept; what they had
 * to sign is in `changes`.
 */
export function replaceKeys(
  state: string,
  next: JWK | null,
  changes: readonly KeyChange[],
  effects: Effects = disk,
): void {
  const path = signingKeyPath(state)
  const { keys } = readKeyFile(path)
  const text = textOf(next ? [...keys.map(publicPart), next] : keys, changes)
  replaceFile(path, text, modesIn(state).file, effects)
}

/** Creates the key file. Returns false if it exists. */
export function beginKeys(
  state: string,
  keys: readonly JWK[],
  changes: readonly KeyChange[],
  effects: Effects = disk,
): boolean {
  makeStateFolder(state)
  return createOnce(signingKeyPath(state), textOf(keys, changes), modesIn(state).file, effects)
}

const textOf = (keys: readonly JWK[], changes: readonly KeyChange[]): string =>
  `${JSON.stringify({ keys, ...(changes.length > 0 ? { changes } : {}) })}\n`

const unreadable = (path: string): FindingsError =>
  new FindingsError([
    error('signing-key-unreadable', `${path} holds no keys that manifests are signed with`, {
      remedy:
        'restore it from a backup; or move it away and say that it is lost: tieout keys signing rotate --lost --reason "…"',
    }),
  ])

const noPrivateKey = (path: string, keyId: string): FindingsError =>
  new FindingsError([
    error(
      'signer-missing',
      `key ${keyId} signs what is published, and ${path} has only the public part of it: a command signs`,
      { remedy: 'name that command and the public key under "signer" in tieout.yaml' },
    ),
  ])

const otherKey = (keyId: string, { publicKey }: SigningKey): FindingsError =>
  new FindingsError([
    error(
      'signer-key-differs',
      `the "signer" of tieout.yaml has another public key (x: ${publicKey.x}) than the one that signs here, ${keyId}`,
      {
        remedy:
          'to change to it, take "signer" as it was before, and say so: tieout keys signing rotate --to <public key> --reason "…"',
      },
    ),
  ])

/** Creates the key file with a first key. If two processes do so at once, the key of one remains. */
async function makeKeyFile(path: string, external: SigningKey | null): Promise<void> {
  beginKeys(dirname(path), [external?.publicKey ?? (await newPrivateKey())], [])
}
