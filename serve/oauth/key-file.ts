/**
 * Reads and writes keys.json (mode 0600): replaced as a whole, and made once where several processes start
 * together.
 */
import { join } from 'node:path'
import { calculateJwkThumbprint } from 'jose/jwk/thumbprint'
import { exportJWK } from 'jose/key/export'
import { generateKeyPair } from 'jose/key/generate/keypair'
import { z } from 'zod'
import { createOnce, replaceFile } from '../../builder/workspace/durable.ts'
import { isThere } from '../../builder/workspace/effects.ts'
import { readFileSync } from '../../builder/workspace/plain-file.ts'
import { randomToken } from './secret.ts'

const schema = z.object({
  /** The newest whose time has come signs; all that have not ended verify tokens and are published. */
  signing: z
    .array(
      z.object({
        kid: z.string(),
        useFrom: z.number(),
        /** When the last token signed with it expires; null while it has no successor. */
        endsAt: z.number().nullable().default(null),
        jwk: z.record(z.string(), z.unknown()),
      }),
    )
    .min(1),
  refresh: z.string(),
  pages: z.string(),
})
export type KeyFile = z.output<typeof schema>
export type StoredKey = KeyFile['signing'][number]

export const ALG = 'RS256'

export const keyPath = (folder: string): string => join(folder, 'keys.json')

export function readKeyFile(path: string): KeyFile {
  try {
    return schema.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch (cause) {
    const remedy = 'restore it from a backup, or remove it: every client then has to connect again'
    throw new Error(`${path} cannot be read or is damaged; ${remedy}`, { cause })
  }
}

/** Where several processes start at once, one makes the file and all use it. */
export async function ensureKeyFile(path: string, now: number): Promise<void> {
  if (isThere(path)) return
  const keys = { signing: [await newSigningKey(now)], ...newSecrets() }
  createOnce(path, encode(keys), 0o600)
}

/** False, with nothing changed, where the file is no longer `before`. */
export function replaceKeyFile(path: string, before: KeyFile, after: KeyFile): boolean {
  if (JSON.stringify(readKeyFile(path)) !== JSON.stringify(before)) return false
  replaceFile(path, encode(after), 0o600)
  return true
}

export const newSecrets = (): Pick<KeyFile, 'refresh' | 'pages'> => ({
  refresh: randomToken(),
  pages: randomToken(),
})

export async function newSigningKey(useFrom: number): Promise<StoredKey> {
  const { privateKey } = await generateKeyPair(ALG, { modulusLength: 2048, extractable: true })
  const jwk = await exportJWK(privateKey)
  return { kid: await calculateJwkThumbprint(jwk), useFrom, endsAt: null, jwk: { ...jwk } }
}

const encode = (keys: KeyFile): string => JSON.stringify(keys, null, 2)
