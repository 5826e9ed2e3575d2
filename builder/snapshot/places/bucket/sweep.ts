/**
 * Deletes the objects of a bucket that nothing names any more: those of pruned snapshots, and of publications that
 * ended in the middle. If anything in the bucket cannot be read, nothing is deleted at all.
 */

import { inParallel } from '../../../system/parallel.ts'
import { BucketError } from '../../../system/refusals.ts'
import { isHash, MANIFEST, parseSnapshotId } from '../../files/layout.ts'
import { readManifest } from '../../files/manifest.ts'
import { type Bucket, type Deadline, deadlineIn } from './bucket.ts'
import {
  COMPANIES,
  companyIn,
  getObject,
  type HeldCompany,
  OBJECTS,
  objectKey,
  readHeld,
} from './company-object.ts'
import { listedIn } from './folder.ts'
import {
  DECIDING_MS,
  DELETING_MS,
  type HeldMarks,
  HOUR,
  isGoing,
  MARKED_MS,
  type Marks,
  nonce,
  readMarks,
  writeMarks,
} from './marks.ts'
import { AT_ONCE } from './send.ts'

/** A younger object may belong to a publication that is under way. */
const YOUNG_MS = 7 * 24 * HOUR
/** The most marks, since each publication reads all of them. */
const MOST_MARKED = 50_000
/** How many objects are decided upon and deleted in one step; publications that need one of them wait for the step. */
const DECIDED_AT_ONCE = 1000

/** The part of the bucket that is known on this machine. */
export interface Nearby {
  /** The companies that the bucket held when it was asked last. */
  companies(): readonly string[]
  held(company: string): HeldCompany | null
  /** A manifest with this hash; null if it is not here. */
  manifest(company: string, id: string, hash: string): Buffer | null
}

export interface Amount {
  readonly objects: number
  readonly bytes: number
}

/** The objects that nothing names, each counted once. */
export interface Swept {
  /** The objects that were deleted, or in a plan those that would be. */
  readonly removed: Amount
  /** The objects that are marked now, and deleted a day later at the earliest, if nothing names them then. */
  readonly marked: Amount
  /** The objects that stay, because they are younger than seven days, or too many to be marked at once. */
  readonly left: Amount
}

/** What {@link sweep} would do now. It changes nothing. */
export async function planSweep(bucket: Bucket, near: Nearby): Promise<Swept> {
  const { doomed, marked, left } = await look(bucket, near, await readMarks(bucket), bucket.clock())
  return { removed: amountOf(doomed), marked: amountOf(marked), left: amountOf(left) }
}

/**
 * Marks the objects that nothing names, and deletes those that were marked long enough ago. Throws {@link BucketError}, and deletes nothing more, where
 * anything is in doubt. The clock of this computer must be right.
 */
export async function sweep(bucket: Bucket, near: Nearby): Promise<Swept> {
  // These three come before the companies are read: a publication that begins later has removed its marks, or its names are found.
  let held = await readMarks(bucket)
  const now = bucket.clock()
  const by = deadlineIn(DECIDING_MS, bucket.clock)
  requireAlone(bucket, held)
  const found = await look(bucket, near, held, now)
  const removed: Listed[] = []
  for (let done = 0; done === 0 || done < found.doomed.length; done += DECIDED_AT_ONCE) {
    const chunk = found.doomed.slice(done, done + DECIDED_AT_ONCE)
    const [at, id, gone] = [bucket.clock(), nonce(), deadlineIn(DELETING_MS, bucket.clock)]
    let going: readonly Listed[] = []
    held = await change(bucket, held, by, (marks) => {
      requireAlone(bucket, marks)
      // A mark that was removed and set again since has another time.
      going = chunk.filter(({ hash, markedAt }) => marks.marked.get(hash) === markedAt)
      const marked = marksAfter(marks.marked, found, going)
      if (going.length > 0) return { marked, going: { at, id, hashes: going.map(({ hash }) => hash) } }
      return marks.going === null && areEqual(marked, marks.marked) ? null : { marked, going: null }
    })
    if (going.length === 0) continue
    const unsure: string[] = []
    await inParallel(going, AT_ONCE, async (each) => {
      if (!(await bucket.remove(objectKey(each.hash), gone))) unsure.push(each.hash)
      removed.push(each)
    })
    const left = unsure.length === 0 ? null : { at, id, hashes: unsure }
    held = await change(bucket, held, deadlineIn(DECIDING_MS, bucket.clock), ({ marked, going }) =>
      going?.id === id ? { marked, going: left } : null,
    )
    if (left !== null) break
  }
  return { removed: amountOf(removed), marked: amountOf(found.marked), left: amountOf(found.left) }
}

function requireAlone({ name, clock }: Bucket, { going }: Marks): void {
  if (going !== null && isGoing(going, clock()))
    throw new BucketError(
      `another "tieout prune" is deleting in ${name}, or was ended in the middle of that; run it again in an hour`,
    )
}

/** Writes the marks that `next` returns; where another writer was first, it begins again with that one's marks. Null leaves them as they are. */
async function change(
  bucket: Bucket,
  before: HeldMarks,
  by: Deadline,
  next: (marks: Marks) => Marks | null,
): Promise<HeldMarks> {
  for (let held = before; ; held = await readMarks(bucket)) {
    const wanted = next(held)
    const written = wanted && (await writeMarks(bucket, wanted, held.tag, by))
    if (wanted === null || written !== null) return written ?? held
  }
}

/** The new marks: without objects that are named again, are gone, or are deleted now, and with those that nothing names since now. */
function marksAfter(
  before: ReadonlyMap<string, number>,
  { doomed, marked }: Found,
  going: readonly Listed[],
): ReadonlyMap<string, number> {
  const unnamed = new Set([...doomed, ...marked].map(({ hash }) => hash))
  const after = new Map([...before].filter(([hash]) => unnamed.has(hash)))
  for (const { hash, markedAt, isNew } of marked) if (isNew) after.set(hash, after.get(hash) ?? markedAt)
  for (const { hash } of going) after.delete(hash)
  return after
}

const areEqual = (one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): boolean =>
  one.size === other.size && [...one].every(([hash, at]) => other.get(hash) === at)

/** An object that nothing names, and when it was marked, which may be now. */
interface Listed {
  readonly hash: string
  readonly bytes: number
  readonly markedAt: number
  readonly isNew: boolean
}

interface Found {
  /** To be deleted now. */
  readonly doomed: readonly Listed[]
  readonly marked: readonly Listed[]
  /** Objects that stay without a mark. */
  readonly left: readonly Listed[]
}

const amountOf = (listed: readonly Listed[]): Amount => ({
  objects: listed.length,
  bytes: listed.reduce((sum, { bytes }) => sum + bytes, 0),
})

async function look(bucket: Bucket, near: Nearby, { marked: before }: Marks, now: number): Promise<Found> {
  const named = await namedIn(bucket, near)
  const [doomed, marked, left]: [Listed[], Listed[], Listed[]] = [[], [], []]
  for await (const { key, bytes, at } of bucket.list(OBJECTS)) {
    const hash = key.slice(OBJECTS.length)
    if (!isHash(hash) || named.has(hash)) continue
    const markedAt = before.get(hash)
    const listed = { hash, bytes, markedAt: markedAt ?? now, isNew: markedAt === undefined }
    const isYoung = now - at.getTime() < YOUNG_MS
    if (isYoung || (listed.isNew && marked.length >= MOST_MARKED)) left.push(listed)
    else if (now - listed.markedAt < MARKED_MS) marked.push(listed)
    else doomed.push(listed)
  }
  return { doomed, marked, left }
}

/** The hashes of all files that a company names, in its object or in the manifest of a snapshot. Throws where anything cannot be read. */
async function namedIn(bucket: Bucket, near: Nearby): Promise<ReadonlySet<string>> {
  const companies = new Set<string>()
  for await (const { key } of bucket.list(COMPANIES)) {
    const company = companyIn(key)
    if (company === null) throw inDoubt(bucket, `it holds ${key}, which is no company`)
    companies.add(company)
  }
  for (const company of near.companies())
    if (!companies.has(company))
      throw inDoubt(bucket, `it has nothing of ${company} any more, although it had`)
  const named = new Set<string>()
  for (const company of companies) {
    const held = await readHeld(bucket, company, near.held(company))
    if (held === null) throw inDoubt(bucket, `the object of ${company} is gone`)
    for (const { Path, Sha256 } of held.object.Files) {
      named.add(Sha256)
      const [id = '', name, ...deeper] = Path.split('/')
      if (name !== MANIFEST || parseSnapshotId(id) === null || deeper.length > 0) continue
      const bytes = near.manifest(company, id, Sha256) ?? (await getObject(bucket, Sha256))
      const { manifest } = readManifest(bytes.toString('utf8'))
      if (manifest === null) throw inDoubt(bucket, `the manifest of ${company}/${id} cannot be read`)
      for (const file of listedIn(id, manifest)) named.add(file.Sha256)
    }
  }
  return named
}

const inDoubt = ({ name }: Bucket, why: string): BucketError =>
  new BucketError(`no object was deleted in ${name}, since nobody can say which are still needed: ${why}`)
