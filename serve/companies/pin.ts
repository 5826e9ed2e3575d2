/**
 * Consistent sync: a client that reads fourteen endpoints while a new snapshot is published must not see a mixture.
 * After a grant's first read of a company, every token of that grant keeps reading the same snapshot, for a window
 * that slides with each read, at most two hours in all.
 */

export interface Pins {
  /** The snapshot that this grant reads of this company, or null where it is free to read the current one. */
  get(grantId: string, company: string): string | null
  /** A read happened: begins a window, or slides it where the snapshot is the one already pinned. */
  set(grantId: string, company: string, snapshotId: string): void
}

interface Pin {
  readonly snapshotId: string
  readonly since: number
  last: number
}

const LONGEST_MS = 2 * 60 * 60 * 1000
/** Expired pins are swept when the map has grown by so many. */
const SWEEP_EVERY = 1000

export function createPins(windowSeconds: number, now: () => number = Date.now): Pins {
  const pins = new Map<string, Pin>()
  let sweepAt = SWEEP_EVERY
  /** Neither id holds a blank: grant ids are base64url, company ids as the workspace allows. */
  const key = (grantId: string, company: string): string => `${grantId} ${company}`
  const isOver = (pin: Pin): boolean =>
    now() - pin.last > windowSeconds * 1000 || now() - pin.since > LONGEST_MS

  return {
    get: (grantId, company) => {
      const pin = pins.get(key(grantId, company))
      return pin === undefined || isOver(pin) ? null : pin.snapshotId
    },
    set: (grantId, company, snapshotId) => {
      const place = key(grantId, company)
      const pin = pins.get(place)
      if (pin?.snapshotId === snapshotId && !isOver(pin)) {
        pin.last = now()
        return
      }
      pins.set(place, { snapshotId, since: now(), last: now() })
      if (pins.size < sweepAt) return
      for (const [old, other] of pins) if (isOver(other)) pins.delete(old)
      sweepAt = pins.size + SWEEP_EVERY
    },
  }
}
