/**
 * Says what is asked of a store of objects, such as a bucket of S3: write once, read, swap, list. Owns, as the first file of its
 * room, all that speaks with such a store. Must not know accounting, nor move a pointer in a folder.
 */

import { BucketError } from '../../../system/refusals.ts'
/** A tag (ETag) names one state of an object. It is opaque: it is compared by the store, never computed here. */
export type ObjectTag = string

export interface Stored {
  readonly bytes: Buffer
  readonly tag: ObjectTag
}

export interface Listed {
  readonly key: string
  readonly bytes: number
  /** When the object was written, by the store's clock. */
  readonly at: Date
  readonly tag: ObjectTag
}

export interface Tail {
  readonly bytes: Buffer
  /** The name of the object's version where the bucket keeps versions; else null. */
  readonly version: string | null
}

/** How often each kind of request was sent, each attempt counted: `{ PutObject: 31, GetObject: 2 }`. */
export type Requests = Readonly<Record<string, number>>

/** Each method throws {@link BucketError}, with what to do, where the store does not do its part after several attempts. */
export interface Bucket {
  /** `s3://bucket/prefix`, for messages. */
  readonly name: string
  readonly requests: Requests
  /** The clock of this computer, which tests move. */
  readonly clock: Clock
  /** Creates an object. Returns false if one of this key exists, which is left as it is. */
  putOnce(key: string, bytes: Uint8Array): Promise<boolean>
  /**
   * As {@link Bucket.putOnce}, from a file of any size, which is never in memory as a whole. Throws {@link SnapshotDamagedError}, and creates
   * nothing, if the file does not have this SHA-256.
   */
  putFileOnce(key: string, path: string, sha256: string): Promise<boolean>
  /** Writes an object of any size to a new file. Returns the SHA-256 of its bytes; null if there is no such object. */
  getFile(key: string, path: string): Promise<string | null>
  /** Reads a whole object; null if there is none. */
  get(key: string): Promise<Stored | null>
  /** As {@link Bucket.get}, but gives `same` at the price of one small request where the object still has this tag. */
  getUnless(key: string, tag: ObjectTag): Promise<Stored | 'same' | null>
  /** The last bytes of an object that still has this tag, at most `length`; null if it has another, or is gone. */
  tail(key: string, tag: ObjectTag, length: number): Promise<Tail | null>
  /** What a list says of one object; null if there is none. */
  head(key: string): Promise<Listed | null>
  /**
   * Replaces an object that still has the tag `expected`, or creates it (null). Returns its new tag, or null if another writer was
   * first. `bytes` must differ from those of every other writer: they tell, where an answer was lost, who wrote. No attempt is sent after
   * the deadline; {@link TooLateError} says so.
   */
  swap(key: string, bytes: Uint8Array, expected: ObjectTag | null, by?: Deadline): Promise<ObjectTag | null>
  /** All objects whose keys begin with this, in the order of keys. */
  list(beginning: string): AsyncIterable<Listed>
  /**
   * Deletes an object, which may be gone already. No attempt is sent after the deadline. Returns false if an attempt had no answer and may
   * still arrive, although a later one has deleted it.
   */
  remove(key: string, by?: Deadline): Promise<boolean>
}

/** The time by the clock of this computer, in milliseconds since 1970. */
export type Clock = () => number

export interface Deadline {
  isPast(): boolean
}

/**
 * A deadline by two clocks: the system clock goes on while the computer sleeps, and the monotonic clock goes on while
 * the system clock is set back. Either one ends it.
 */
export function deadlineIn(ms: number, clock: Clock): Deadline {
  const [begun, steady] = [clock(), performance.now()]
  return {
    isPast: () => {
      const passed = clock() - begun
      return passed < 0 || passed > ms || performance.now() - steady > ms
    },
  }
}

/** Thrown in place of sending a request whose deadline has passed. */
export class TooLateError extends BucketError {
  constructor(bucket: string) {
    super(
      `${bucket} was not changed: this computer or its connection stood still for too long in the middle; run it again`,
    )
  }
}
