/** The server's keys: made once, kept in one file (0600), shared by every process on the same state. */
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { type CryptoKey, calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'
import { z } from 'zod'
import { randomToken } from './secret.ts'

const file = z.object({
  /** The newest whose time has come signs; all of them verify and are published, so that a key can be announced. */
  signing: z
    .array(z.object({ kid: z.string(), useFrom: z.number(), jwk: z.record(z.string(), z.unknown()) }))
    .min(1),
  refresh: z.string(),
  pages: z.string(),
})
type KeyFile = z.output<typeof file>

const ALG = 'RS256'

export interface SigningKey {
  readonly kid: string
  readonly useFrom: number
  readonly privateKey: CryptoKey
  readonly publicKey: CryptoKey
}

export interface Keys {
  /** The key that signs at `now` (milliseconds). */
  signing(now: number): SigningKey
  verifying(kid: string | undefined): SigningKey | undefined
  readonly jwks: { readonly keys: readonly JWK[] }
  /** HMAC keys, base64url: of refresh tokens, and of the pages' anti-forgery tokens. */
  readonly refresh: string
  readonly pages: string
}

/** Opens `folder`/keys.json, or makes it: of several processes that start at once, one makes it and all use it. */
export async function openKeys(folder: string, now: number): Promise<Keys> {
  const path = join(folder, 'keys.json')
  if (!existsSync(path)) createOnce(path, JSON.stringify(await newKeys(now), null, 2))
  const parsed = readKeys(path)
  const signing = await Promise.all(parsed.signing.map(importSigning))
  signing.sort((a, b) => a.useFrom - b.useFrom)
  const byId = new Map(signing.map((key) => [key.kid, key]))
  return {
    signing: (at) => signing.findLast((key) => key.useFrom <= at) ?? signing[0]!,
    verifying: (kid) => (kid === undefined ? undefined : byId.get(kid)),
    jwks: { keys: await Promise.all(signing.map(publicJwk)) },
    refresh: parsed.refresh,
    pages: parsed.pages,
  }
}

function readKeys(path: string): KeyFile {
  try {
    return file.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch (cause) {
    const remedy = 'restore it from a backup, or remove it: every client then has to connect again'
    throw new Error(`${path} cannot be read or is damaged; ${remedy}`, { cause })
  }
}

async function newKeys(now: number): Promise<KeyFile> {
  const { privateKey } = await generateKeyPair(ALG, { modulusLength: 2048, extractable: true })
  const jwk = await exportJWK(privateKey)
  const kid = await calculateJwkThumbprint(jwk)
  return { signing: [{ kid, useFrom: now, jwk: { ...jwk } }], refresh: randomToken(), pages: randomToken() }
}

async function importSigning({ kid, useFrom, jwk }: KeyFile['signing'][number]): Promise<SigningKey> {
  const { kty, n, e } = jwk as JWK
  const [privateKey, publicKey] = await Promise.all([
    importJWK(jwk as JWK, ALG),
    importJWK({ kty, n, e } as JWK, ALG, { extractable: true }),
  ])
  return { kid, useFrom, privateKey: privateKey as CryptoKey, publicKey: publicKey as CryptoKey }
}

/** Built from the public key alone: a private member cannot slip in. */
const publicJwk = async ({ kid, publicKey }: SigningKey): Promise<JWK> => ({
  ...(await exportJWK(publicKey)),
  kid,
  use: 'sig',
  alg: ALG,
})

/** link(2) is atomic and refuses an existing name, where rename(2) would replace another process's keys. */
function createOnce(path: string, text: string): void {
  const temporary = `${path}.${randomToken()}.tmp`
  const descriptor = openSync(temporary, 'wx', 0o600)
  try {
    writeSync(descriptor, text)
    fsyncSync(descriptor)
    linkSync(temporary, path)
  } catch (failure) {
    if ((failure as NodeJS.ErrnoException).code !== 'EEXIST') throw failure
  } finally {
    closeSync(descriptor)
    rmSync(temporary, { force: true })
  }
  const folder = openSync(join(path, '..'), 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}
