/**
 * Brings the snapshots of a server. Those in a folder lie there already. With a bucket, the folder is a working copy: a
 * follower keeps the current snapshots there, and others are brought when somebody asks for them.
 */

import { setTimeout as pause } from 'node:timers/promises'
import type { BucketLocation } from '../../builder/snapshot/places/bucket-location.ts'
import type { FollowEvent, Follower, FollowState } from '../../builder/snapshot/places/follower.ts'
import type { Requests } from '../../builder/snapshot/places/location.ts'
import type { Workspace } from '../../builder/workspace/workspace.ts'
export interface Source {
  /** Brings a snapshot that does not lie in the folder. False where there is none. Throws {@link BucketError} where that is unknown. */
  bring(company: string, snapshotId: string): Promise<boolean>
  /** Brings files of a snapshot again that are damaged in the folder. */
  mend(company: string, snapshotId: string): Promise<Mending>
  used(company: string, snapshotId: string): void
  /** By snapshot id, the SHA-256 of its manifest, also of snapshots that only the bucket has; null where there is no bucket. */
  manifests(company: string): ReadonlyMap<string, string> | null
  /** The id of the current snapshot, as the bucket said it last; null where there is no bucket. */
  current(company: string): string | null
  /** How often each kind of request was sent to bring snapshots for readers. */
  requests(): Requests
  /** Why this server is not ready: the bucket has never answered and the folder is empty. Null where it is ready. */
  unready(): string | null
  /** When the bucket answered last, where it does not answer now, so that older snapshots are served; null while it answers. */
  away(): Date | null
  /** How many seconds the last answer of the bucket took, where that is long; else null. */
  slow(): number | null
}

/** `whole`: no file is damaged, perhaps because another process mended it; `unknown`: nobody knows where to bring the files from. */
export type Mending = 'mended' | 'whole' | 'unknown'

export const FOLDER: Source = {
  bring: async () => false,
  mend: async () => 'unknown',
  used: () => {},
  manifests: () => null,
  current: () => null,
  requests: () => ({}),
  unready: () => null,
  away: () => null,
  slow: () => null,
}

/** A list of the bucket usually takes a tenth of a second. */
const SLOW_MS = 1000
/** The bucket is asked about a company's unknown snapshots at most this often, since each time costs a request. */
const ASK_MS = 1000
/** The use of a snapshot is noted at most this often. */
const NOTE_MS = 60_000

/** The source of a workspace. The client of buckets is loaded where there is a bucket. */
export async function openSnapshotSource({ snapshots, bucket }: Workspace): Promise<Source> {
  if (bucket === null) return FOLDER
  const { BucketLocation, SERVER_PATIENCE } = await import('../../builder/snapshot/places/bucket-location.ts')
  const { followed } = await import('../../builder/snapshot/places/follower.ts')
  const location = await BucketLocation.open(snapshots, bucket, SERVER_PATIENCE)
  return new BucketSource(location, () => followed(snapshots))
}

/** Begins to follow the bucket of a workspace. Null where snapshots lie in a folder. */
export async function startFollowing(
  { snapshots, bucket }: Workspace,
  log: (event: FollowEvent) => void,
): Promise<Follower | null> {
  if (bucket === null) return null
  const { followBucket } = await import('../../builder/snapshot/places/follower.ts')
  return followBucket(snapshots, bucket, log)
}

/** What a process did with the bucket of snapshots so far. */
export interface BucketCounts {
  readonly requests: Requests
  /** How often the bucket was asked what changed. */
  readonly looks: number
}

/** Null where there is no bucket. */
export function bucketCountsOf(
  { bucket }: Pick<Workspace, 'bucket'>,
  follower: () => Follower | null,
  source: () => Source = () => FOLDER,
): (() => BucketCounts) | null {
  if (bucket === null) return null
  return () => {
    const requests: Record<string, number> = { ...follower()?.requests }
    for (const [kind, times] of Object.entries(source().requests()))
      requests[kind] = (requests[kind] ?? 0) + times
    return { requests, looks: follower()?.looks() ?? 0 }
  }
}

class BucketSource implements Source {
  readonly #location: BucketLocation
  readonly #followed: () => FollowState | null
  /** By company: the next request to the bucket, shared by all who wait for it. */
  readonly #asking = new Map<string, Promise<void>>()
  readonly #askedAt = new Map<string, number>()
  readonly #bringing = new Map<string, Promise<boolean>>()
  readonly #notedAt = new Map<string, number>()

  constructor(location: BucketLocation, followed: () => FollowState | null) {
    this.#location = location
    this.#followed = followed
  }

  bring(company: string, snapshotId: string): Promise<boolean> {
    const place = `${company} ${snapshotId}`
    const bringing =
      this.#bringing.get(place) ??
      this.#bring(company, snapshotId).finally(() => this.#bringing.delete(place))
    this.#bringing.set(place, bringing)
    return bringing
  }

  async #bring(company: string, snapshotId: string): Promise<boolean> {
    if (!this.#isListed(company, snapshotId)) await this.#ask(company)
    if (!this.#isListed(company, snapshotId)) return false
    const tag = this.#location.copy.held(company)?.tag
    await this.#location.copy.follow(company, {
      extent: [snapshotId],
      ...(tag === undefined ? {} : { tag }),
    })
    return true
  }

  mend(company: string, snapshotId: string): Promise<Mending> {
    return this.#location.copy.mend(company, snapshotId)
  }

  used(company: string, snapshotId: string): void {
    const place = `${company} ${snapshotId}`
    const now = Date.now()
    if (Math.abs(now - (this.#notedAt.get(place) ?? 0)) < NOTE_MS) return
    if (this.#notedAt.size > 10_000) this.#notedAt.clear()
    this.#notedAt.set(place, now)
    // A pruned snapshot is not noted: it has to disappear in the end, however often clients ask for it.
    if (this.#isListed(company, snapshotId)) this.#location.copy.used(company, snapshotId)
  }

  manifests(company: string): ReadonlyMap<string, string> {
    return this.#location.copy.manifests(company)
  }

  current(company: string): string | null {
    return this.#location.copy.current(company)
  }

  requests(): Requests {
    return this.#location.requests
  }

  unready(): string | null {
    const state = this.#followed()
    return state?.At === null && this.#location.copy.companies().length === 0
      ? 'the bucket of snapshots has not answered yet'
      : null
  }

  away(): Date | null {
    const state = this.#followed()
    return state === null || state.Problem === null || state.At === null ? null : new Date(state.At)
  }

  slow(): number | null {
    const { AnswerMs = 0 } = this.#followed() ?? {}
    return AnswerMs < SLOW_MS ? null : Math.round(AnswerMs / 1000)
  }

  #isListed(company: string, snapshotId: string): boolean {
    return this.manifests(company).has(snapshotId)
  }

  #ask(company: string): Promise<void> {
    const asking = this.#asking.get(company) ?? this.#askInTurn(company)
    this.#asking.set(company, asking)
    return asking
  }

  async #askInTurn(company: string): Promise<void> {
    const wait = ASK_MS - Math.abs(Date.now() - (this.#askedAt.get(company) ?? 0))
    if (wait > 0) await pause(wait)
    this.#askedAt.set(company, Date.now())
    // A later caller may ask for a snapshot published after this request, and needs another one.
    this.#asking.delete(company)
    await this.#location.copy.follow(company, { extent: 'served' })
  }
}
