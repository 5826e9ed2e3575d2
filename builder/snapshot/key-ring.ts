/**
 * Which keys count at which line of a log. A workspace changes its signing key by a statement that the old key signs, and
 * takes a key back by a revocation; every log enters both as lines, so that who knows the first key can follow to the
 * present one, and what a key signed after its end is seen.
 */
import { z } from 'zod'
import { checkSignature, type JWK, type KnownKeys, keyIdOf, type MetKeys } from './sign.ts'

const decided = { At: z.string(), By: z.string(), Reason: z.string().nullable() }

/** The members stand in this order: `Signature` is over the JSON text of the others. */
const rotation = z.object({
  Event: z.literal('rotate'),
  ...decided,
  /** Id of the key that signed until then; null where that is not known any more. */
  Replaces: z.string().nullable(),
  /** The key that signs from then on: `x` of an Ed25519 JWK (RFC 8037). */
  PublicKey: z.string().regex(/^[\w-]{43}$/),
  /** A detached JWS by the key that is replaced; null where that was lost. */
  Signature: z.string().nullable(),
})
const revocation = z.object({ Event: z.literal('revoke'), ...decided, KeyId: z.string() })

export const keyChange = z.discriminatedUnion('Event', [rotation, revocation])
/** What was decided about the keys of a workspace: the same in every log, whenever it was entered there. */
export type KeyChange = z.output<typeof keyChange>
export type Rotation = z.output<typeof rotation>
export const KEY_EVENTS: readonly string[] = ['rotate', 'revoke'] satisfies KeyChange['Event'][]

/** What the key that is replaced signs. */
export const rotationText = ({ Signature: _, ...said }: Rotation): Uint8Array =>
  Buffer.from(JSON.stringify(said), 'utf8')

/** Of two equal names one change was entered already. */
export const nameOfChange = async (change: KeyChange): Promise<string> =>
  `${change.Event} ${change.Event === 'rotate' ? await keyIdOf(change.PublicKey) : change.KeyId}`

/** What the line that enters a change of keys says beside it. */
interface Line {
  readonly Seq: number
  readonly At: string
}

interface Ended extends Line {
  readonly event: KeyChange['Event']
}

/** The keys of one log, line by line. */
export class KeyRing {
  readonly #known: Set<string> | null
  readonly #ended = new Map<string, Ended>()
  /** Numbers of the lines that changed keys. */
  readonly #lines = new Set<number>()
  readonly #entered = new Set<string>()
  readonly #met = new Map<string, JWK>()

  constructor(known: KnownKeys) {
    this.#known = known && new Set(known)
  }

  /** For what is only tried. */
  copy(): KeyRing {
    const copy = new KeyRing(this.#known)
    for (const [keyId, ended] of this.#ended) copy.#ended.set(keyId, ended)
    for (const line of this.#lines) copy.#lines.add(line)
    for (const name of this.#entered) copy.#entered.add(name)
    for (const [keyId, key] of this.#met) copy.#met.set(keyId, key)
    return copy
  }

  /** Every key that counts or counted once; null where nobody told any. */
  get known(): KnownKeys {
    return this.#known
  }

  /** The public keys that lines carry so far: later lines of the same key only name it. */
  get met(): MetKeys {
    return this.#met
  }

  meet(keyId: string, key: JWK): void {
    this.#met.set(keyId, key)
  }

  has(name: string): boolean {
    return this.#entered.has(name)
  }

  /** Takes in what a line says of keys; a sentence on what is wrong with that, or null. */
  async enter(change: KeyChange, line: Line): Promise<string | null> {
    const wrong =
      change.Event === 'rotate' ? await this.#rotate(change, line) : this.#revoke(change.KeyId, line)
    if (wrong !== null) return wrong
    this.#lines.add(line.Seq)
    this.#entered.add(await nameOfChange(change))
    return null
  }

  /** Why a signature of this key does not count at the end of the log, or null. */
  problemWith(keyId: string): string | null {
    if (this.#known && !this.#known.has(keyId))
      return `which is none of the known ones: ${[...this.#known].join(', ') || 'there are none'}`
    return this.endOf(keyId)
  }

  /**
   * How a key ended before the end of the log, or before a manifest was published by line `seq`; null where it did not. The
   * publication that a change of keys found unfinished stands right behind that change.
   */
  endOf(keyId: string, seq = Number.POSITIVE_INFINITY): string | null {
    let end = seq
    while (this.#lines.has(end - 1)) end--
    const ended = this.#ended.get(keyId)
    return ended && ended.Seq < end ? `which was ${endText(ended)}` : null
  }

  /** Why what this key signed does not count whenever it was signed, or null. */
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
      if (!this.#known.has(Replaces!))
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

  /** A key that was replaced may be revoked afterwards: then it ends for what was published elsewhere, too. */
  #end(keyId: string, event: KeyChange['Event'], { Seq, At }: Line): void {
    this.#ended.set(keyId, { event, Seq: this.#ended.get(keyId)?.Seq ?? Seq, At })
  }
}

const endText = ({ event, Seq, At }: Ended): string =>
  `${event === 'rotate' ? 'replaced' : 'revoked'} by line ${Seq} (${At.slice(0, 10)})`
