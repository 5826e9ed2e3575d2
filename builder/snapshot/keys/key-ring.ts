/**
 * Decides which keys count at which line of a log. A workspace replaces its signing key with a statement signed by the old key,
 * and ends a key with a revocation. Every log enters both as lines, so that whoever knows the first key can follow the
 * replacements to the present one, and signatures made after the end of a key are detected.
 */
import { z } from 'zod'
import { isPublicKey } from '../../workspace/public-key.ts'
import { checkSignature, type JWK, type KnownKeys, keyIdOf, type MetKeys } from './sign.ts'

const decided = { At: z.string(), By: z.string(), Reason: z.string().nullable() }

/** The order of the members matters: `Signature` covers the JSON text of the others. */
const rotation = z.strictObject({
  Event: z.literal('rotate'),
  ...decided,
  /** Id of the key that signed until then; null if it is no longer known. */
  Replaces: z.string().nullable(),
  /** The key that signs from then on: `x` of an Ed25519 JWK (RFC 8037). */
  PublicKey: z.string().refine(isPublicKey),
  /** A detached JWS by the replaced key; null if that key was lost. */
  Signature: z.string().nullable(),
})
const revocation = z.strictObject({ Event: z.literal('revoke'), ...decided, KeyId: z.string() })

export const keyChange = z.discriminatedUnion('Event', [rotation, revocation])
/** A change of a workspace's keys. It is the same in every log, whenever the log enters it. */
export type KeyChange = z.output<typeof keyChange>
export type Rotation = z.output<typeof rotation>
export const KEY_EVENTS: readonly string[] = ['rotate', 'revoke'] satisfies KeyChange['Event'][]

/** The bytes that the replaced key signs. */
export const rotationText = ({ Signature: _, ...said }: Rotation): Uint8Array =>
  Buffer.from(JSON.stringify(said), 'utf8')

/** The name of a change. Two changes with the same name are the same change. */
export const nameOfChange = async (change: KeyChange): Promise<string> =>
  `${change.Event} ${change.Event === 'rotate' ? await keyIdOf(change.PublicKey) : change.KeyId}`

/** The number and time of the line that enters a change of keys. */
interface Line {
  readonly Seq: number
  readonly At: string
}

interface Ended extends Line {
  readonly event: KeyChange['Event']
}

/** Tracks the keys of one log while its lines are read. */
export class KeyRing {
  readonly #known: Set<string> | null
  readonly #ended = new Map<string, Ended>()
  /** Numbers of the lines that change keys. */
  readonly #lines = new Set<number>()
  readonly #entered = new Set<string>()
  readonly #met = new Map<string, JWK>()

  constructor(known: KnownKeys) {
    this.#known = known && new Set(known)
  }

  /** A copy on which a line can be tried. */
  copy(): KeyRing {
    const copy = new KeyRing(this.#known)
    for (const [keyId, ended] of this.#ended) copy.#ended.set(keyId, ended)
    for (const line of this.#lines) copy.#lines.add(line)
    for (const name of this.#entered) copy.#entered.add(name)
    for (const [keyId, key] of this.#met) copy.#met.set(keyId, key)
    return copy
  }

  /** Ids of all keys that count or once counted; null if no known keys were given. */
  get known(): KnownKeys {
    return this.#known
  }

  /** The public keys that lines have carried so far. Later lines of the same key only name its id. */
  get met(): MetKeys {
    return this.#met
  }

  meet(keyId: string, key: JWK): void {
    this.#met.set(keyId, key)
  }

  /** Whether the change with this name ({@link nameOfChange}) was entered. */
  has(name: string): boolean {
    return this.#entered.has(name)
  }

  /** Enters a change of keys. Returns what is wrong with it, in words that follow "line 3 of the log", or null. */
  async enter(change: KeyChange, line: Line): Promise<string | null> {
    const wrong =
      change.Event === 'rotate' ? await this.#rotate(change, line) : this.#revoke(change.KeyId, line)
    if (wrong !== null) return wrong
    this.#lines.add(line.Seq)
    this.#entered.add(await nameOfChange(change))
    return null
  }

  /** Why a signature of this key does not count at the end of the log; null if it counts. */
  problemWith(keyId: string): string | null {
    if (this.#known && !this.#known.has(keyId))
      return `which is none of the known ones: ${[...this.#known].join(', ') || 'there are none'}`
    return this.endOf(keyId)
  }

  /**
   * How a key ended before line `seq`, which published a manifest, or before the end of the log; null if it did not. Changes of
   * keys right before line `seq` do not count, because an interrupted publication is entered right after them.
   */
  endOf(keyId: string, seq = Number.POSITIVE_INFINITY): string | null {
    let end = seq
    while (this.#lines.has(end - 1)) end--
    const ended = this.#ended.get(keyId)
    return ended && ended.Seq < end ? `which was ${endText(ended)}` : null
  }

  /** How a key was revoked before line `seq`, so that no signature of it counts, whenever it was made; null if it was not. */
  revocationOf(keyId: string, seq: number): string | null {
    const ended = this.#ended.get(keyId)
    return ended?.event === 'revoke' && ended.Seq < seq ? `which was ${endText(ended)}` : null
  }

  async #rotate(change: Rotation, line: Line): Promise<string | null> {
    const { Replaces, PublicKey, Signature } = change
    const keyId = await keyIdOf(PublicKey)
    const ended = this.#ended.get(keyId)
    if (ended) return `brings back key ${keyId}, which was ${endText(ended)}`
    if (Signature !== null) {
      const by = await checkSignature(rotationText(change), `${Signature}\n`)
      if (by.keyId === undefined || by.keyId !== Replaces)
        return `names key ${keyId} in the place of ${Replaces ?? 'none'}, which did not sign that`
    }
    const before = Replaces === null ? undefined : this.#ended.get(Replaces)
    if (before) return `replaces key ${Replaces}, which was ${endText(before)}`
    if (this.#known && !this.#known.has(keyId)) {
      if (Signature === null)
        return `begins with key ${keyId} since the one before it was lost, so that nothing but the publisher's word leads to it: name that key too, once the publisher has said that it is theirs`
      if (Replaces === null || !this.#known.has(Replaces))
        return `replaces key ${Replaces}, which is none of the known ones: ${[...this.#known].join(', ') || 'there are none'}`
      this.#known.add(keyId)
    }
    if (Replaces !== null) this.#end(Replaces, 'rotate', line)
    return null
  }

  #revoke(keyId: string, line: Line): null {
    this.#end(keyId, 'revoke', line)
    return null
  }

  /** A replaced key may be revoked later. It then also ends for snapshots that were published in other workspaces. */
  #end(keyId: string, event: KeyChange['Event'], { Seq, At }: Line): void {
    this.#ended.set(keyId, { event, Seq: this.#ended.get(keyId)?.Seq ?? Seq, At })
  }
}

const endText = ({ event, Seq, At }: Ended): string =>
  `${event === 'rotate' ? 'replaced' : 'revoked'} by line ${Seq} (${At.slice(0, 10)})`
