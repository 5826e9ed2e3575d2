/**
 * The keys of a workspace, below its private state and not in the snapshots: who has them can sign. A change of keys is one
 * replacement of this file; each company's log enters it at the next change there.
 */
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { createOnce, replaceFile } from '../workspace/durable.ts'
import { disk, type Effects, isThere } from '../workspace/effects.ts'
import { error, FindingsError } from '../workspace/finding.ts'
import { readFileSync } from '../workspace/plain-file.ts'
import { closeBeyond, makeStateFolder, modesIn } from '../workspace/state-folder.ts'
import { type KeyChange, keyChange } from './key-ring.ts'
import {
  described,
  type IdentifiedKey,
  isEd25519,
  type JWK,
  type KnownKeys,
  keyIdOf,
  newPrivateKey,
  type Pen,
  penOf,
  privateKeyOf,
  publicPart,
  type SigningKey,
} from './sign.ts'

/** A JWK Set (RFC 7517 §5), with what was decided about its keys beside them. */
const schema = z.object({
  keys: z.array(z.custom<JWK>((key) => isEd25519(key as JWK))).min(1),
  changes: z.array(keyChange).default([]),
})
export type KeyFile = z.output<typeof schema>

export interface Signer extends Pen {
  /** Ids of all keys that the workspace knows: the ones before this one, and those it trusts. */
  readonly known: ReadonlySet<string>
  /** What was decided about the workspace's keys, oldest first: a log says all of it before this key signs a line there. */
  readonly changes: readonly KeyChange[]
}

export const signingKeyPath = (state: string): string => join(state, 'manifest-keys.json')
/** Public keys of others, whose snapshots were restored here by somebody who named their key. */
const trustedKeyPath = (state: string): string => join(state, 'trusted-keys.json')

/**
 * The key that signs; made on first use. Of several in the file the last one signs, all are known. `external` is a key that
 * a command has: the file then says of it what is public.
 */
export async function openSigner(state: string, external: SigningKey | null = null): Promise<Signer> {
  const path = signingKeyPath(state)
  if (!isThere(path)) await makeKeyFile(path, external)
  // What a restored backup or a copy left open is closed again.
  closeBeyond(path, modesIn(state).file)
  const { keys, changes } = readKeyFile(path)
  const own = keys.at(-1)!
  const keyId = await keyIdOf(own.x!)
  if (external && (await keyIdOf(external.publicKey.x!)) !== keyId) throw otherKey(keyId, external)
  if (!external && own.d === undefined) throw noPrivateKey(path, keyId)
  const key = external ?? privateKey(own, path)
  return { ...(await penOf(key)), known: (await knownKeys(state))!, changes }
}

function privateKey(own: JWK, path: string): SigningKey {
  try {
    return privateKeyOf(own)
  } catch {
    throw unreadable(path)
  }
}

/** Ids of the keys that a workspace knows: its own, and those it was told to trust; null where there is none yet. */
export async function knownKeys(state: string): Promise<KnownKeys> {
  const keys = [...(await publicKeys(signingKeyPath(state))), ...(await publicKeys(trustedKeyPath(state)))]
  return keys.length > 0 ? new Set(keys.map(({ kid }) => kid!)) : null
}

/** From now on what `key` signed counts in this workspace. */
export async function trustKey(state: string, key: JWK): Promise<void> {
  const trusted = await publicKeys(trustedKeyPath(state))
  if (trusted.some(({ kid }) => kid === key.kid)) return
  makeStateFolder(state)
  const keys = [...trusted, await described(key)]
  replaceFile(trustedKeyPath(state), `${JSON.stringify({ keys }, null, 2)}\n`, modesIn(state).file)
}

/** A key as a JWK Set lists it; where it was revoked, with the time of that (ISO 8601). */
export type PublicKey = IdentifiedKey & { readonly revoked?: string }

/** The public keys in a file of keys, with their thumbprints; a missing file has none. */
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

/** When each revoked key was, by its id: where no log says what was signed before, none of its signatures counts. */
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

export function readKeyFile(path: string): KeyFile {
  const text = readFileSync(path, 'utf8')
  try {
    return schema.parse(JSON.parse(text))
  } catch {
    throw unreadable(path)
  }
}

/**
 * Changes the file in one step. Where there is a `next` key, the public part stays of those before it: what they had to say is
 * among the changes.
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

/** The file anew, where it was lost; false where it is there again. */
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

/** Of two processes that begin at once, one key remains. */
async function makeKeyFile(path: string, external: SigningKey | null): Promise<void> {
  beginKeys(dirname(path), [external?.publicKey ?? (await newPrivateKey())], [])
}
