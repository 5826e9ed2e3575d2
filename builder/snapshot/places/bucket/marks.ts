/**
 * The objects that `tieout prune` is about to delete in a bucket, as `sweep.json` beside them names them. An object that no snapshot has is marked
 * first, and deleted a day later at the earliest; whoever publishes with a marked one takes the mark away before. docs/decisions/045-unnamed-objects.md
 * proves that no publication ever names an object that is deleted meanwhile; the times here are part of that.
 */

import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { parseJson } from '../../../contract/json.ts'
import { BucketError } from '../../../system/refusals.ts'
import { isHash } from '../../files/layout.ts'
import { type Bucket, type Deadline, deadlineIn, type ObjectTag } from './bucket.ts'
import { requireClock } from './probe.ts'

const KEY = 'sweep.json'
const MINUTE = 60 * 1000
export const HOUR = 60 * MINUTE

/** A marked object is deleted after this time at the earliest. */
export const MARKED_MS = 24 * HOUR
/** A publication must end within this time after it read the marks. */
const PUBLISHING_MS = 12 * HOUR
/** A prune that read what the companies name must mark, or decide to delete, within this time. */
export const DECIDING_MS = HOUR
/** Once a deletion is decided, its requests are sent within this time. */
export const DELETING_MS = 10 * MINUTE
/** After this time no delete request can still arrive: S3 refuses a request that was signed more than 15 minutes ago. */
const GONE_MS = HOUR
/** How long a publication waits for a deletion of an object that it needs; deleting takes seconds. */
const LONGEST_WAIT_MS = 2 * MINUTE
const LOOK_MS = 500
const ATTEMPTS = 20

export const nonce = (): string => randomBytes(12).toString('hex')

const objects = z.array(z.string().refine(isHash, 'must be a SHA-256'))
const time = z.iso.datetime()
const file = z.strictObject({
  Format: z.literal(1),
  /** A new value for each write, so that no two writers write the same bytes. */
  Nonce: z.string(),
  Marked: z.array(z.strictObject({ At: time, Objects: objects })),
  /** What one prune is deleting at this moment. */
  Going: z.strictObject({ At: time, Id: z.string(), Objects: objects }).nullable(),
})

interface Going {
  readonly at: number
  /** Identifies the prune that deletes them. */
  readonly id: string
  readonly hashes: readonly string[]
}

export interface Marks {
  /** When each object was marked. */
  readonly marked: ReadonlyMap<string, number>
  readonly going: Going | null
}

export interface HeldMarks extends Marks {
  /** Null where there is no such file yet. */
  readonly tag: ObjectTag | null
}

/** Throws {@link BucketError} if the file cannot be read. */
export async function readMarks(bucket: Bucket): Promise<HeldMarks> {
  const stored = await bucket.get(KEY)
  if (stored === null) return { marked: new Map(), going: null, tag: null }
  const read = file.safeParse(parsed(stored.bytes))
  if (!read.success)
    throw new BucketError(
      `${KEY} in ${bucket.name} is damaged, or was written by a later version of Tieout; nothing was changed there`,
    )
  const { Marked, Going } = read.data
  return {
    marked: new Map(
      Marked.flatMap(({ At, Objects }) => Objects.map((hash) => [hash, Date.parse(At)] as const)),
    ),
    going: Going && { at: Date.parse(Going.At), id: Going.Id, hashes: Going.Objects },
    tag: stored.tag,
  }
}

function parsed(bytes: Buffer): unknown {
  try {
    return parseJson(bytes.toString('utf8'))
  } catch {
    return null
  }
}

/** Replaces the marks that were read with this tag. Returns the new ones; null if another writer was first. */
export async function writeMarks(
  bucket: Bucket,
  { marked, going }: Marks,
  tag: ObjectTag | null,
  by: Deadline,
): Promise<HeldMarks | null> {
  const text = (at: number): string => new Date(at).toISOString()
  const byTime = new Map<number, string[]>()
  for (const [hash, at] of marked) {
    const those = byTime.get(at)
    if (those === undefined) byTime.set(at, [hash])
    else those.push(hash)
  }
  const content: z.input<typeof file> = {
    Format: 1,
    Nonce: nonce(),
    Marked: [...byTime].map(([at, Objects]) => ({ At: text(at), Objects })),
    Going: going && { At: text(going.at), Id: going.id, Objects: [...going.hashes] },
  }
  const written = await bucket.swap(KEY, Buffer.from(`${JSON.stringify(content)}\n`), tag, by)
  return written === null ? null : { marked, going, tag: written }
}

/** Whether a request that deletes one of these may still arrive. */
export const isGoing = ({ at }: Going, now: number): boolean => now - at <= GONE_MS

/**
 * Makes sure that no object with one of these hashes is deleted during a publication that will name them. Call it
 * before they are sent; what names them must be written before the deadline that it returns.
 */
export async function claim(bucket: Bucket, hashes: Iterable<string>): Promise<Deadline> {
  const wanted = new Set(hashes)
  const until = bucket.clock() + LONGEST_WAIT_MS
  for (let attempt = 0; attempt < ATTEMPTS; ) {
    const by = deadlineIn(PUBLISHING_MS, bucket.clock)
    const { tag, ...marks } = await readMarks(bucket)
    if (await areGoing(bucket, marks, wanted)) {
      if (bucket.clock() > until) throw beingDeleted(bucket)
      await pause(LOOK_MS)
      continue
    }
    const left = without(marks, wanted)
    if (left === null || (await writeMarks(bucket, left, tag, by)) !== null) return by
    attempt++
  }
  throw new BucketError(`others changed ${KEY} in ${bucket.name} ${ATTEMPTS} times meanwhile; run it again`)
}

async function areGoing(bucket: Bucket, { going }: Marks, wanted: ReadonlySet<string>): Promise<boolean> {
  if (!going?.hashes.some((hash) => wanted.has(hash))) return false
  if (isGoing(going, bucket.clock())) return true
  // With a wrong clock, the prune might still be at work.
  await requireClock(bucket)
  return false
}

const beingDeleted = ({ name }: Bucket): BucketError =>
  new BucketError(
    `"tieout prune" is deleting objects in ${name} that this publication has too, or was ended in the middle of that; run it again, an hour later at the latest`,
  )

/** The marks without those of the wanted objects; null if they have none. */
function without({ marked, going }: Marks, wanted: ReadonlySet<string>): Marks | null {
  const rest = new Map([...marked].filter(([hash]) => !wanted.has(hash)))
  const hashes = going?.hashes.filter((hash) => !wanted.has(hash)) ?? []
  if (rest.size === marked.size && hashes.length === (going?.hashes.length ?? 0)) return null
  return { marked: rest, going: going && { ...going, hashes } }
}
