/**
 * Consistent sync: a client that reads fourteen endpoints while a new snapshot is published must not see a mixture.
 * After a grant's first read of a company, every token of that grant keeps reading the same snapshot, for a window
 * that slides with each read, at most two hours in all. Pins lie in lmdb: all processes of a workspace hold the same
 * ones, and a restart in mid-sync keeps them.
 */
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { open, type RootDatabaseOptions } from 'lmdb'
import { oncePerTurn } from '../per-turn.ts'

export interface Pins {
  /** A read: the snapshot that this grant reads of this company, or null where it may read the current one. */
  get(grantId: string, company: string): string | null
  /**
   * Begins a window with `snapshotId`, unless another request was faster: gives the snapshot that is pinned. `gone`
   * names a pinned snapshot that is no more, and gives way.
   */
  hold(grantId: string, company: string, snapshotId: string, gone: string | null): Promise<string>
  close(): Promise<void>
}

export interface PinEvent {
  readonly event: 'pins-not-written'
  readonly reason: string
}

interface PinOptions {
  readonly now?: () => number
  readonly log?: (event: PinEvent) => void
}

interface Pin {
  readonly snapshotId: string
  readonly since: number
  readonly last: number
}

const LONGEST_MS = 2 * 60 * 60 * 1000
/** A window is moved on at most so often: each move is a write. */
const SLIDE_MS = 1000
const SWEEP_EVERY_MS = 10 * 60 * 1000

/** Below a workspace's private state. */
export const pinsFolder = (state: string): string => join(state, 'pins')

/** Which snapshots clients are in the middle of reading, by company: for who would remove them. Only looks. */
export async function pinnedSnapshots(
  folder: string,
  windowSeconds: number,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const pinned = new Map<string, Set<string>>()
  // No server ever ran here.
  if (!existsSync(join(folder, 'data.mdb'))) return pinned
  const pins = open<Pin, string>(folder, { encoding: 'json', readOnly: true })
  try {
    for (const { key, value } of pins.getRange()) {
      if (isOver(value, Date.now(), windowSeconds * 1000)) continue
      const company = key.slice(key.indexOf(' ') + 1)
      pinned.set(company, (pinned.get(company) ?? new Set()).add(value.snapshotId))
    }
  } finally {
    await pins.close()
  }
  return pinned
}

// A clock that is set back ends a pin rather than making it last.
const isOver = (pin: Pin, now: number, windowMs: number): boolean =>
  Math.abs(now - pin.last) > windowMs || now - pin.since > LONGEST_MS

export function openPins(folder: string, windowSeconds: number, options: PinOptions = {}): Pins {
  const { now = Date.now, log = () => {} } = options
  const windowMs = windowSeconds * 1000
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  // `permissionsMode` is read by the binding but absent from its types. Durable enough without waiting for the disk.
  const settings = { encoding: 'json', permissionsMode: 0o600 } as RootDatabaseOptions
  const pins = open<Pin, string>(folder, settings)
  /** Pins that are not written yet, or cannot be: this process at least keeps to them. */
  const own = new Map<string, Pin>()
  let writable = true

  /** Neither id holds a blank: grant ids are base64url, company ids as the workspace allows. */
  const key = (grantId: string, company: string): string => `${grantId} ${company}`
  const isOld = (pin: Pin): boolean => isOver(pin, now(), windowMs)
  const stored = oncePerTurn((place: string) => pins.get(place))
  const live = (place: string): Pin | undefined =>
    [own.get(place), stored(place)].find((pin) => pin !== undefined && !isOld(pin))

  /** Null where it could not be done: the disk is full, most likely. Reading goes on. */
  async function write<T>(action: () => T): Promise<T | null> {
    try {
      const result = await pins.transaction(action)
      writable = true
      return result
    } catch (problem) {
      if (writable) log({ event: 'pins-not-written', reason: (problem as Error).message })
      writable = false
      return null
    }
  }

  function slide(place: string, pin: Pin): void {
    const moved = { ...pin, last: now() }
    own.set(place, moved)
    void write(() => {
      // Meanwhile another process may have begun a new window.
      if (pins.get(place)?.since === pin.since) pins.put(place, moved)
      return true
    }).then((done) => {
      if (done && own.get(place) === moved) own.delete(place)
    })
  }

  const sweep = (): void => {
    for (const [place, pin] of own) if (isOld(pin)) own.delete(place)
    void write(() => {
      const over = [...pins.getRange()].filter(({ value }) => isOld(value))
      for (const { key: place } of over) pins.remove(place)
    })
  }
  const sweeper = setInterval(sweep, SWEEP_EVERY_MS)
  sweeper.unref()
  sweep()

  return {
    get: (grantId, company) => {
      const place = key(grantId, company)
      const pin = live(place)
      if (pin === undefined) return null
      if (now() - pin.last >= Math.min(SLIDE_MS, windowMs / 10)) slide(place, pin)
      return pin.snapshotId
    },
    hold: async (grantId, company, snapshotId, gone) => {
      const place = key(grantId, company)
      const begun: Pin = { snapshotId, since: now(), last: now() }
      const held = await write(() => {
        const pin = pins.get(place)
        if (pin !== undefined && !isOld(pin) && pin.snapshotId !== gone) return pin.snapshotId
        pins.put(place, begun)
        return snapshotId
      })
      if (held !== null) {
        own.delete(place)
        return held
      }
      const pin = own.get(place)
      if (pin !== undefined && !isOld(pin) && pin.snapshotId !== gone) return pin.snapshotId
      own.set(place, begun)
      return snapshotId
    },
    close: async () => {
      clearInterval(sweeper)
      await pins.close()
    },
  }
}
