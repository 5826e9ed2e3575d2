/**
 * Keeps a sync consistent: a client that reads fourteen endpoints while a new snapshot is published must not get a
 * mixture. After a grant's first read of a company, all its tokens read the same snapshot for a window that every
 * read extends, for two hours at most. Pins are kept in the store, so that all processes of a workspace share them
 * and a restart during a sync keeps them.
 */
import { z } from 'zod'
import type { StatePlace } from '../../builder/workspace/workspace.ts'
import { lookAtPassing } from '../store/passing.ts'
import { type Change, type Kind, type Store, StoreUnavailableError } from '../store/store.ts'

export interface Pins {
  /**
   * The snapshot that this grant is pinned to, or null where it may read the current one. A read extends the
   * window.
   */
  get(grantId: string, company: string): Promise<string | null>
  /** The same where this process knows it at once; null also where the store would have to be asked. */
  known(grantId: string, company: string): string | null
  /**
   * Pins the grant to `snapshotId`, unless another request did so first; returns the pinned snapshot. `gone` names
   * a pinned snapshot that no longer exists and is replaced.
   */
  hold(grantId: string, company: string, snapshotId: string, gone: string | null): Promise<string>
  close(): void
}

export interface PinEvent {
  readonly event: 'pins-not-written'
  readonly reason: string
}

interface PinOptions {
  /** Servers on other machines have the same pins. Then none may follow its own memory, or a client would get a mixture. */
  readonly isShared?: boolean
  readonly now?: () => number
  readonly log?: (event: PinEvent) => void
}

const LONGEST_MS = 2 * 60 * 60 * 1000
/** A window is extended at most this often, since each extension is a write; less often where it is one of a database. */
const SLIDE_MS = 1000
const SWEEP_EVERY_MS = 10 * 60 * 1000

/** Times in milliseconds since the epoch. */
const pin = z.object({ snapshotId: z.string(), since: z.number(), last: z.number() })
type Pin = Readonly<z.output<typeof pin>>

/** Keyed by grant and company. The window is a setting, so that pins are kept for the longest possible time. */
export const PINS: Kind<Pin> = {
  name: 'pins',
  schema: pin,
  keeps: 'passing',
  forgottenAt: ({ since, last }) => Math.max(since, last) + LONGEST_MS,
}

/** Neither id contains a blank: grant ids are base64url, and company ids have no blanks. */
const placeOf = (grantId: string, company: string): string => `${grantId} ${company}`
const companyIn = (place: string): string => place.slice(place.indexOf(' ') + 1)

/**
 * The snapshots that clients are reading, by company, so that they are not pruned.
 */
export async function pinnedSnapshots(
  state: StatePlace,
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

// The distance is absolute, so that a clock that was set back ends a pin instead of prolonging it.
const isOver = (held: Pin, now: number, windowMs: number): boolean =>
  Math.abs(now - held.last) > windowMs || now - held.since > LONGEST_MS

/** `store` was opened with {@link PINS}; `windowSeconds` is the length of a window after the last read. */
export function openPins(store: Store, windowSeconds: number, options: PinOptions = {}): Pins {
  const { isShared = false, now = Date.now, log = () => {} } = options
  const windowMs = windowSeconds * 1000
  const slideMs = isShared ? windowMs / 10 : Math.min(SLIDE_MS, windowMs / 10)
  const written = reportingWrites(store, log)
  /** Pins that are not written yet or cannot be; this process follows them all the same. */
  const own = new Map<string, Pin>()
  const live = (held: Pin | null | undefined): Pin | null =>
    held === undefined || held === null || isOver(held, now(), windowMs) ? null : held

  function slide(place: string, held: Pin): void {
    if (now() - held.last < slideMs) return
    const moved = { ...held, last: now() }
    own.set(place, moved)
    void written(async (change) => {
      // Another process may have begun a new window meanwhile.
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
      const held = live(own.get(place) ?? store.known(PINS, place))
      return read(place, held ?? live(await store.get(PINS, place)))
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
      if (isShared) throw new StoreUnavailableError('what clients are reading cannot be written')
      const mine = stays(own.get(place)) ?? begun
      own.set(place, mine)
      return mine.snapshotId
    },
    close: () => clearInterval(sweeper),
  }
}

type Written = <T>(action: (change: Change) => Promise<T>) => Promise<T | null>

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
