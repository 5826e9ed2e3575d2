/**
 * Keeps a sync consistent: a client that reads fourteen endpoints while a new snapshot is published must not get a
 * mixture. A sync begins with the first request of a grant for a company after a pause. Until the next pause, or for
 * `server.pinSeconds` at most, all tokens of the grant read the snapshot that was current then. Pins are kept in the
 * store, so that all processes of a workspace share them and a restart during a sync keeps them.
 */
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import type { StatePlace } from '../../builder/workspace/workspace.ts'
import { lookAtPassing } from '../store/passing.ts'
import { type RecordKind, type Store, type StoreChange, StoreUnavailableError } from '../store/store.ts'

export interface Pins {
  /**
   * The snapshot that the sync of this grant reads, or null where this request begins a sync. One that `follows` is a
   * later page of a list: it belongs to the sync before it even after a pause.
   */
  get(grantId: string, company: string, follows?: boolean): Promise<string | null>
  /**
   * Pins the grant to `snapshotId`, unless another request did so first; returns the pinned snapshot. `gone` names
   * a pinned snapshot that was pruned or withdrawn and is replaced.
   */
  hold(grantId: string, company: string, snapshotId: string, gone: string | null): Promise<string>
}

export interface PinEvent {
  readonly event: 'pins-not-written'
  readonly reason: string
}

interface PinOptions {
  /**
   * Whether servers on other machines share the pins. No server may then rely on its own memory, or a client would get
   * a mixture.
   */
  readonly isShared?: boolean
  readonly now?: () => number
  readonly log?: (event: PinEvent) => void
}

/** A client that asks again after so long begins a new sync; one that polls every twelve seconds is never behind. */
const PAUSE_MS = 10_000
/** Each read of a sync is noted at most this often, since a note is a write. */
const NOTE_MS = 2000
const FORGOTTEN_MS = 2 * 60 * 60 * 1000
/** How many pins are kept in memory while they cannot be written, as on a full disk. */
const MOST_UNWRITTEN = 10_000

/** When the sync began and when it was last seen to read, in milliseconds since the epoch. */
const pin = z.object({ snapshotId: z.string(), since: z.number(), last: z.number() })
type Pin = Readonly<z.output<typeof pin>>

/** Keyed by grant and company. How long a sync may take is a setting, so that pins are kept for longer than any. */
export const PINS: RecordKind<Pin> = {
  name: 'pins',
  schema: pin,
  keeps: 'passing',
  forgottenAt: ({ since, last }) => Math.max(since, last) + FORGOTTEN_MS,
}

/** Neither id contains a blank: grant ids are base64url, and company ids have no blanks. */
const placeOf = (grantId: string, company: string): string => `${grantId} ${company}`
const companyIn = (place: string): string => place.slice(place.indexOf(' ') + 1)

/**
 * The snapshots that clients are reading, by company, so that they are not pruned.
 */
export async function pinnedSnapshots(
  state: StatePlace,
  longestSeconds: number,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const pinned = new Map<string, Set<string>>()
  for (const { key, record } of await lookAtPassing(state, PINS)) {
    if (!isWithin(longestSeconds * 1000, record.since, Date.now())) continue
    const company = companyIn(key)
    pinned.set(company, (pinned.get(company) ?? new Set()).add(record.snapshotId))
  }
  return pinned
}

// The distance is absolute, so that a clock that was set back ends a pin instead of prolonging it.
const isWithin = (ms: number, then: number, now: number): boolean => Math.abs(now - then) <= ms

/** `store` was opened with {@link PINS}; a sync reads one snapshot for `longestSeconds` at most. */
export function openPins(store: Store, longestSeconds: number, options: PinOptions = {}): Pins {
  const { isShared = false, now = Date.now, log = () => {} } = options
  const longestMs = longestSeconds * 1000
  const written = reportingWrites(store, log)
  /** Pins whose write is under way or failed; this process obeys them all the same. */
  const own = new LRUCache<string, Pin>({ max: MOST_UNWRITTEN })
  const live = (held: Pin | null | undefined, follows = false): Pin | null =>
    held != null &&
    isWithin(longestMs, held.since, now()) &&
    isWithin(follows ? longestMs : PAUSE_MS, held.last, now())
      ? held
      : null

  function note(place: string, held: Pin): void {
    if (isWithin(NOTE_MS, held.last, now())) return
    const moved = { ...held, last: now() }
    own.set(place, moved)
    void written(async (change) => {
      // Another process may have begun a new sync meanwhile.
      if ((await change.get(PINS, place))?.since === held.since) change.put(PINS, place, moved)
      return moved
    }).then((done) => {
      if (done !== null && own.get(place) === moved) own.delete(place)
    })
  }
  const read = (place: string, held: Pin | null): string | null => {
    if (held !== null) note(place, held)
    return held?.snapshotId ?? null
  }

  return {
    get: async (grantId, company, follows) => {
      const place = placeOf(grantId, company)
      const held = live(own.get(place) ?? store.known(PINS, place), follows)
      return read(place, held ?? live(await store.get(PINS, place), follows))
    },
    hold: async (grantId, company, snapshotId, gone) => {
      const place = placeOf(grantId, company)
      const begun: Pin = { snapshotId, since: now(), last: now() }
      const stays = (held: Pin | undefined): Pin | null => {
        const kept = live(held)
        return kept?.snapshotId === gone ? null : kept
      }
      const held = await written(async (change) => {
        const first = stays(await change.get(PINS, place))
        if (first === null) change.put(PINS, place, begun)
        return first ?? begun
      })
      if (held !== null) {
        own.delete(place)
        return held.snapshotId
      }
      if (isShared) throw new StoreUnavailableError('what clients are reading cannot be written')
      const mine = stays(own.get(place)) ?? begun
      own.set(place, mine)
      return mine.snapshotId
    },
  }
}

type Written = <T>(action: (change: StoreChange) => Promise<T>) => Promise<T | null>

/** Null where the write failed, most likely because the disk is full; that is logged once, and reading continues. */
function reportingWrites(store: Store, log: (event: PinEvent) => void): Written {
  let writable = true
  return async (action) => {
    try {
      const result = await store.write(action)
      writable = true
      return result
    } catch (problem) {
      if (writable)
        log({ event: 'pins-not-written', reason: problem instanceof Error ? problem.message : '' })
      writable = false
      return null
    }
  }
}
