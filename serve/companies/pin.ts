/**
 * Consistent sync: a client that reads fourteen endpoints while a new snapshot is published must not see a mixture.
 * After a grant's first read of a company, every token of that grant keeps reading the same snapshot, for a window
 * that slides with each read, at most two hours in all. Pins lie in a store: all processes of a workspace hold the same
 * ones, and a restart of the server in mid-sync keeps them.
 */
import { accessSync, constants, rmSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { open } from 'lmdb'
import { bootId } from '../../builder/snapshot/lock.ts'
import { namesIn } from '../../builder/workspace/durable.ts'
import { isThere } from '../../builder/workspace/effects.ts'
import { makeStateFolder, modesIn } from '../../builder/workspace/state-folder.ts'
import { oncePerTurn } from '../per-turn.ts'
import { openStore, type Table } from '../store.ts'

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

/**
 * Pins are written without waiting for the disk, so that a crash of the computer may leave anything: each start of the
 * computer has a folder of its own.
 */
const folderNow = (folder: string): string => join(folder, bootId() ?? 'current')

/** Which snapshots clients are in the middle of reading, by company: for who would remove them. Only looks. */
export async function pinnedSnapshots(
  folder: string,
  windowSeconds: number,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const pinned = new Map<string, Set<string>>()
  const path = folderNow(folder)
  // No server ran here since the computer started.
  if (!isThere(join(path, 'data.mdb'))) return pinned
  requireReadable(path)
  const environment = open(path, { readOnly: true })
  const pins = environment.openDB<Pin, string>('pins', { encoding: 'json' })
  try {
    for (const { key, value } of pins.getRange()) {
      if (isOver(value, Date.now(), windowSeconds * 1000)) continue
      const company = key.slice(key.indexOf(' ') + 1)
      pinned.set(company, (pinned.get(company) ?? new Set()).add(value.snapshotId))
    }
  } finally {
    await environment.close()
  }
  return pinned
}

/** lmdb enters readers in its lock file, and says less of what it lacks. */
function requireReadable(path: string): void {
  accessSync(join(path, 'data.mdb'), constants.R_OK)
  accessSync(join(path, 'lock.mdb'), constants.R_OK | constants.W_OK)
}

// A clock that is set back ends a pin rather than making it last.
const isOver = (pin: Pin, now: number, windowMs: number): boolean =>
  Math.abs(now - pin.last) > windowMs || now - pin.since > LONGEST_MS

export function openPins(folder: string, windowSeconds: number, options: PinOptions = {}): Pins {
  const { now = Date.now, log = () => {} } = options
  const windowMs = windowSeconds * 1000
  const path = folderNow(folder)
  const state = dirname(folder)
  makeStateFolder(state, relative(state, path))
  for (const name of namesIn(folder)) if (join(folder, name) !== path) removeOld(join(folder, name))
  const store = openStore(path, (table) => ({ pins: table<Pin>('pins') }), {
    durable: false,
    mode: modesIn(state).file,
  })
  /** Pins that are not written yet, or cannot be: this process at least keeps to them. */
  const own = new Map<string, Pin>()
  let writable = true

  /** Neither id holds a blank: grant ids are base64url, company ids as the workspace allows. */
  const key = (grantId: string, company: string): string => `${grantId} ${company}`
  const isOld = (pin: Pin): boolean => isOver(pin, now(), windowMs)
  const stored = oncePerTurn((place: string) => store.read(({ pins }) => pins.get(place)))
  function live(place: string): Pin | undefined {
    const pin = own.get(place) ?? stored(place)
    return pin === undefined || isOld(pin) ? undefined : pin
  }

  /** Null where it could not be done: the disk is full, most likely. Reading goes on. */
  async function write<T>(action: (tables: { readonly pins: Table<Pin> }) => T): Promise<T | null> {
    try {
      const result = await store.write(action)
      writable = true
      return result
    } catch (problem) {
      if (writable) log({ event: 'pins-not-written', reason: (problem as Error).message })
      writable = false
      return null
    }
  }

  /** It is stored, which shows from the next turn of the event loop on (`stored`). */
  const forget = (place: string, pin: Pin): void =>
    void setImmediate(() => {
      if (own.get(place) === pin) own.delete(place)
    })

  function slide(place: string, pin: Pin): void {
    const moved = { ...pin, last: now() }
    own.set(place, moved)
    void write(({ pins }) => {
      // Meanwhile another process may have begun a new window.
      if (pins.get(place)?.since === pin.since) void pins.put(place, moved)
      return true
    }).then((done) => {
      if (done) forget(place, moved)
    })
  }

  const sweep = (): void => {
    for (const [place, pin] of own) if (isOld(pin)) own.delete(place)
    void write(({ pins }) => {
      const over = [...pins.getRange()].filter(({ value }) => isOld(value))
      for (const { key: place } of over) void pins.remove(place)
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
      const held = await write(({ pins }) => {
        const pin = pins.get(place)
        if (pin !== undefined && !isOld(pin) && pin.snapshotId !== gone) return pin
        void pins.put(place, begun)
        return begun
      })
      if (held !== null) {
        own.set(place, held)
        forget(place, held)
        return held.snapshotId
      }
      const pin = own.get(place)
      if (pin !== undefined && !isOld(pin) && pin.snapshotId !== gone) return pin.snapshotId
      own.set(place, begun)
      return snapshotId
    },
    close: async () => {
      clearInterval(sweeper)
      await store.close()
    },
  }
}

/** Of an earlier start of the computer, or of an earlier version. It is in nobody's way where it cannot be removed. */
function removeOld(path: string): void {
  try {
    rmSync(path, { recursive: true })
  } catch {
    // Tried again by the next server that starts.
  }
}
