/**
 * Consistent sync: a client that reads fourteen endpoints while a new snapshot is published must not see a mixture.
 * After a grant's first read of a company, every token of that grant keeps reading the same snapshot, for a window
 * that slides with each read, at most two hours in all. Pins lie in the store: all processes of a workspace hold the same
 * ones, and a restart of the server in mid-sync keeps them.
 */
import { z } from 'zod'
import { lookAtPassing } from '../store/lmdb-store.ts'
import type { Change, Kind, Store } from '../store/store.ts'

export interface Pins {
  /** The snapshot that this grant reads of this company, or null where it may read the current one. A read slides the window. */
  get(grantId: string, company: string): Promise<string | null>
  /** The same where this process can say so at once; null also where the store must be asked. */
  known(grantId: string, company: string): string | null
  /**
   * Begins a window with `snapshotId`, unless another request was faster: gives the snapshot that is pinned. `gone`
   * names a pinned snapshot that is no more, and gives way.
   */
  hold(grantId: string, company: string, snapshotId: string, gone: string | null): Promise<string>
  close(): void
}

export interface PinEvent {
  readonly event: 'pins-not-written'
  readonly reason: string
}

interface PinOptions {
  readonly now?: () => number
  readonly log?: (event: PinEvent) => void
}

const LONGEST_MS = 2 * 60 * 60 * 1000
/** A window is moved on at most so often: each move is a write. */
const SLIDE_MS = 1000
const SWEEP_EVERY_MS = 10 * 60 * 1000

/** Times are milliseconds since the epoch. */
const pin = z.object({ snapshotId: z.string(), since: z.number(), last: z.number() })
type Pin = Readonly<z.output<typeof pin>>

/** By grant and company; how long a window is, is a setting, so that they are kept as long as any may be. */
export const PINS: Kind<Pin> = {
  name: 'pins',
  schema: pin,
  keeps: 'passing',
  forgottenAt: ({ since, last }) => Math.max(since, last) + LONGEST_MS,
}

/** Neither id holds a blank: grant ids are base64url, company ids as the workspace allows. */
const placeOf = (grantId: string, company: string): string => `${grantId} ${company}`
const companyIn = (place: string): string => place.slice(place.indexOf(' ') + 1)

/** Which snapshots clients are in the middle of reading, by company: for who would remove them. `state` is the server's folder. */
export async function pinnedSnapshots(
  state: string,
  windowSeconds: number,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const pinned = new Map<string, Set<string>>()
  for (const { key, record } of await lookAtPassing(state, PINS)) {
    if (isOver(record, Date.now(), windowSeconds * 1000)) continue
    const company = companyIn(key)
    pinned.set(company, (pinned.get(company) ?? new Set()).add(record.snapshotId))
  }
  return pinned
}

// A clock that is set back ends a pin rather than making it last.
const isOver = (held: Pin, now: number, windowMs: number): boolean =>
  Math.abs(now - held.last) > windowMs || now - held.since > LONGEST_MS

/** `store` is opened with {@link PINS}; `windowSeconds`: how long a window is after the last read. */
export function openPins(store: Store, windowSeconds: number, options: PinOptions = {}): Pins {
  const { now = Date.now, log = () => {} } = options
  const windowMs = windowSeconds * 1000
  const written = tellingWrites(store, log)
  /** Pins that are not written yet, or cannot be: this process at least keeps to them. */
  const own = new Map<string, Pin>()
  const live = (held: Pin | null | undefined): Pin | null =>
    held === undefined || held === null || isOver(held, now(), windowMs) ? null : held

  function slide(place: string, held: Pin): void {
    if (now() - held.last < Math.min(SLIDE_MS, windowMs / 10)) return
    const moved = { ...held, last: now() }
    own.set(place, moved)
    void written(async (change) => {
      // Meanwhile another process may have begun a new window.
      if ((await change.get(PINS, place))?.since === held.since) change.put(PINS, place, moved)
      return moved
    }).then((done) => {
      if (done !== null && own.get(place) === moved) own.delete(place)
    })
  }
  const read = (place: string, held: Pin | null): string | null => {
    if (held !== null) slide(place, held)
    return held?.snapshotId ?? null
  }
  const sweep = (): void => {
    for (const [place, held] of own) if (isOver(held, now(), windowMs)) own.delete(place)
  }
  const sweeper = setInterval(sweep, SWEEP_EVERY_MS)
  sweeper.unref()

  return {
    get: async (grantId, company) => {
      const place = placeOf(grantId, company)
      return read(place, live(own.get(place) ?? (await store.get(PINS, place))))
    },
    known: (grantId, company) => {
      const place = placeOf(grantId, company)
      return read(place, live(own.get(place) ?? store.known(PINS, place)))
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
      const mine = stays(own.get(place)) ?? begun
      own.set(place, mine)
      return mine.snapshotId
    },
    close: () => clearInterval(sweeper),
  }
}

type Written = <T>(action: (change: Change) => Promise<T>) => Promise<T | null>

/** Null where it could not be done, most likely since the disk is full, which is said once. Reading goes on. */
function tellingWrites(store: Store, log: (event: PinEvent) => void): Written {
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
