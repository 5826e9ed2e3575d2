/**
 * Slows down guessing of passwords, per address, per account from one address, and per account from addresses that it
 * never signed in from. Nobody can keep an account's owner out: where they signed in before, only their own failures
 * count. Pauses grow and end by themselves.
 *
 * Kept in memory: each server process counts for itself, and a restart forgets. Both need the operator, and neither
 * gives more than another handful of tries.
 */
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { digest } from './secret.ts'

export interface Throttle {
  /** Counts one try before its password is looked at. Seconds to wait where there were too many; 0: go on. */
  attempt(address: string, account: string): Promise<number>
  succeeded(address: string, account: string): Promise<void>
  /** Counts one consent of a person who is signed in. Seconds to wait where there were too many; 0: go on. */
  consent(userId: string): Promise<number>
  /** That try was not made: nobody had time to look at its password. */
  notTried(address: string, account: string): Promise<void>
}

const DAY_SECONDS = 24 * 3600
const FIRST_PAUSE_SECONDS = 10
const LONGEST_PAUSE_SECONDS = 15 * 60
/** The library's timers hold 2^31 milliseconds at most, which is not quite 25 days. */
const KNOWN_SECONDS = 20 * DAY_SECONDS

interface Gate {
  attempt(key: string): Promise<number>
  /** That try was no guess. */
  reward(key: string): Promise<void>
  forget(key: string): Promise<void>
}

/** `tries` within `seconds`, then a pause that doubles with each time it is needed on one day. */
function createGate(tries: number, seconds: number): Gate {
  const counter = new RateLimiterMemory({ points: tries, duration: seconds })
  const pauses = new RateLimiterMemory({ points: 0, duration: DAY_SECONDS })
  const pause = async (key: string): Promise<number> => {
    const { consumedPoints } = await pauses.penalty(key)
    const wait = Math.min(FIRST_PAUSE_SECONDS * 2 ** (consumedPoints - 1), LONGEST_PAUSE_SECONDS)
    await counter.block(key, wait)
    return wait
  }
  return {
    attempt: async (key) => {
      try {
        await counter.consume(key)
        return 0
      } catch (refused) {
        if (!(refused instanceof RateLimiterRes)) throw refused
        if (refused.consumedPoints === tries + 1) return pause(key)
        return Math.max(1, Math.ceil(refused.msBeforeNext / 1000))
      }
    },
    reward: async (key) => void (await counter.reward(key)),
    forget: async (key) => void (await Promise.all([counter.delete(key), pauses.delete(key)])),
  }
}

export function createThrottle(): Throttle {
  const addresses = createGate(30, 15 * 60)
  const pairs = createGate(5, 15 * 60)
  const accounts = createGate(100, 3600)
  // Each leaves a request and a code that are remembered for days.
  const consents = createGate(60, 15 * 60)
  const known = new RateLimiterMemory({ points: 1, duration: KNOWN_SECONDS })
  // Whatever is typed as an e-mail address takes as much memory as any other.
  const keyOf = (account: string): string => digest(account.trim().toLowerCase())
  const pairOf = (address: string, account: string): string => `${address}\n${keyOf(account)}`

  async function takeBack(address: string, pair: string, account: string): Promise<void> {
    if ((await known.get(pair)) === null) await accounts.reward(keyOf(account))
    await addresses.reward(address)
  }

  return {
    attempt: async (address, account) => {
      const pair = pairOf(address, account)
      // An address that has to wait leaves no further trace, whatever accounts it names.
      return (
        (await addresses.attempt(address)) ||
        (await pairs.attempt(pair)) ||
        ((await known.get(pair)) === null ? accounts.attempt(keyOf(account)) : 0)
      )
    },
    succeeded: async (address, account) => {
      const pair = pairOf(address, account)
      await takeBack(address, pair, account)
      await pairs.forget(pair)
      await known.set(pair, 1, KNOWN_SECONDS)
    },
    consent: (userId) => consents.attempt(userId),
    notTried: async (address, account) => {
      const pair = pairOf(address, account)
      await takeBack(address, pair, account)
      await pairs.reward(pair)
    },
  }
}
