/**
 * Owns the file with an approver's private key, which lies outside the workspace: PKCS#8 in PEM (RFC 5958), encrypted if there
 * is a passphrase. It also reads what "openssl genpkey -algorithm ed25519" writes.
 */
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { existsSync } from 'node:fs'
import { present } from '../../contract/present.ts'
import { createOnce } from '../../system/durable.ts'
import { readFileSync } from '../../system/plain-file.ts'
import { PlaceError } from '../../system/refusals.ts'
import { error, FindingsError } from '../../workspace/findings/finding.ts'
import { type Pen, penOf, privateKeyOf } from '../keys/sign.ts'

/** Writes a new key and returns the public part, `x` of its JWK. Throws {@link PlaceError} if the file exists already. */
export function makeApproverKey(path: string, passphrase: string | null): string {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const pkcs8 = { type: 'pkcs8', format: 'pem' } as const
  const pem = privateKey.export(passphrase === null ? pkcs8 : { ...pkcs8, cipher: 'aes-256-cbc', passphrase })
  if (!createOnce(path, String(pem), 0o600))
    throw new PlaceError(`${path} is there already; a key is never written over: choose another name`)
  return publicPart(publicKey)
}

const publicPart = (key: KeyObject): string =>
  present(key.export({ format: 'jwk' }).x, 'member x in the JWK of a public key')

/** Whether the file holds an encrypted key, so that a passphrase is needed. */
export const isEncrypted = (path: string): boolean =>
  existsSync(path) && readFileSync(path, 'utf8').includes('BEGIN ENCRYPTED PRIVATE KEY')

/** Opens an approver's key for signing. Throws {@link FindingsError} if the file is not such a key, or the passphrase is wrong. */
export async function openApproverKey(path: string, passphrase: string | null): Promise<Pen> {
  if (!existsSync(path)) throw unusable(path, 'does not exist', 'name the file of your key: --key FILE')
  const key = privateKeyIn(path, passphrase)
  if (key.asymmetricKeyType !== 'ed25519')
    throw unusable(path, `holds a key of kind ${key.asymmetricKeyType}, not Ed25519`, MAKE)
  return penOf(privateKeyOf(key.export({ format: 'jwk' })))
}

const MAKE = 'make one: tieout approvers key --to FILE'

function privateKeyIn(path: string, passphrase: string | null): KeyObject {
  const key = readFileSync(path, 'utf8')
  try {
    return createPrivateKey(passphrase === null ? { key } : { key, passphrase })
  } catch {
    throw isEncrypted(path)
      ? unusable(path, 'is not opened by this passphrase', 'type the passphrase that the key was made with')
      : unusable(path, 'holds no private key', MAKE)
  }
}

const unusable = (file: string, message: string, remedy: string): FindingsError =>
  new FindingsError([error('approver-key', message, { file, remedy })])
