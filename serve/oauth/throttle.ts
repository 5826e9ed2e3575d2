/**
 * Slows down guessing of passwords: per address, and per account from one address. Never per account alone: a
 * stranger could keep its owner out. Kept in memory, so a restart forgets it.
 */
export interface Throttle {
  /** Seconds to wait before the next try; 0 is now. */
  wait(address: string, account: string): number
  failed(address: string, account: string): void
  succeeded(address: string, account: string): void
}

interface Failures {
  readonly count: number
  readonly last: number
}

const FREE = { account: 5, address: 20 }
const DELAY_MAX_SECONDS = 60
const FORGET_MS = 15 * 60 * 1000
const KEPT_MAX = 10_000

export function createThrottle(now: () => number): Throttle {
  const failures = new Map<string, Failures>()
  const keys = (address: string, account: string) =>
    [
      [`${address}\n${account.trim().toLowerCase()}`, FREE.account],
      [address, FREE.address],
    ] as const

  const recent = (key: string): Failures | undefined => {
    const found = failures.get(key)
    if (found === undefined || now() - found.last < FORGET_MS) return found
    failures.delete(key)
    return undefined
  }

  return {
    wait: (address, account) =>
      Math.max(
        0,
        ...keys(address, account).map(([key, free]) => {
          const { count, last } = recent(key) ?? { count: 0, last: 0 }
          if (count < free) return 0
          const delay = Math.min(2 ** (count - free), DELAY_MAX_SECONDS)
          return Math.ceil(delay - (now() - last) / 1000)
        }),
      ),
    failed: (address, account) => {
      for (const [key] of keys(address, account)) {
        const count = (recent(key)?.count ?? 0) + 1
        failures.delete(key) // to the end of the insertion order, where it is dropped last
        if (failures.size >= KEPT_MAX) failures.delete(failures.keys().next().value!)
        failures.set(key, { count, last: now() })
      }
    },
    succeeded: (address, account) => {
      failures.delete(keys(address, account)[0][0])
    },
  }
}
