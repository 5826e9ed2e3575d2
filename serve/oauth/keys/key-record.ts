/**
 * Keeps the keys in the database of the state, sealed with a key that only the environment of servers and operators
 * holds: whoever reads the database, or a copy of it, can forge no token.
 */
import { compactDecrypt } from 'jose/jwe/compact/decrypt'
import { CompactEncrypt } from 'jose/jwe/compact/encrypt'
import { z } from 'zod'
import { SecretError } from '../../../builder/system/refusals.ts'
import type { RecordKind, Store } from '../../store/store.ts'
import { encodeKeys, type KeyFile, parseKeys } from './key-file.ts'
import type { KeyPlace } from './key-place.ts'

const sealedKeys = z.object({ sealed: z.string() })
/** One record, under the key {@link PRESENT}. */
export const KEYS: RecordKind<z.output<typeof sealedKeys>> = {
  name: 'keys',
  schema: sealedKeys,
  keeps: 'durable',
  forgottenAt: () => null,
}
const PRESENT = 'present'

export const STATE_KEY = 'TIEOUT_STATE_KEY'
const KEY_BYTES = 32
const MAKE_ONE = 'one is made by "openssl rand -base64 32"; all servers of this state need the same'
/** RFC 7516: the key encrypts directly. */
const ALGORITHMS = { alg: 'dir', enc: 'A256GCM' }

export function keysInStore(store: Store): KeyPlace {
  const read: KeyPlace['read'] = async () => {
    const record = await store.get(KEYS, PRESENT)
    return record === undefined ? null : { mark: record.sealed, keys: await unseal(record.sealed) }
  }
  return {
    mark: () => store.known(KEYS, PRESENT)?.sealed ?? null,
    read,
    create: async (keys) => {
      const record = { sealed: await seal(keys) }
      await store.write(async (change) => {
        if ((await change.get(KEYS, PRESENT)) === undefined) change.put(KEYS, PRESENT, record)
      })
    },
    replace: async (mark, keys) => {
      const record = { sealed: await seal(keys) }
      return store.write(async (change) => {
        if (mark !== null && (await change.get(KEYS, PRESENT))?.sealed !== mark) return false
        change.put(KEYS, PRESENT, record)
        return true
      })
    },
  }
}

/** Throws {@link SecretError} where the environment has no key, or none of the right length. */
function stateKey(): Uint8Array {
  const text = process.env[STATE_KEY]?.trim() ?? ''
  if (text === '')
    throw new SecretError(
      `the environment variable ${STATE_KEY} is missing: it seals the keys of servers that keep their state in a database; ${MAKE_ONE}`,
    )
  const key = Buffer.from(text, 'base64')
  if (!/^[\w+/-]+=?$/.test(text) || key.length !== KEY_BYTES)
    throw new SecretError(`${STATE_KEY} must be ${KEY_BYTES} bytes in base64; ${MAKE_ONE}`)
  return key
}

const seal = async (keys: KeyFile): Promise<string> =>
  new CompactEncrypt(Buffer.from(encodeKeys(keys))).setProtectedHeader(ALGORITHMS).encrypt(stateKey())

async function unseal(sealed: string): Promise<KeyFile> {
  const key = stateKey()
  try {
    const { plaintext } = await compactDecrypt(sealed, key, {
      keyManagementAlgorithms: [ALGORITHMS.alg],
      contentEncryptionAlgorithms: [ALGORITHMS.enc],
    })
    return parseKeys(Buffer.from(plaintext).toString('utf8'))
  } catch (cause) {
    throw new SecretError(
      `${STATE_KEY} is not the key that sealed the keys in the database: give this server the one that the others have, or make new keys with "tieout keys rotate --compromised", which ends all access`,
      { cause },
    )
  }
}
