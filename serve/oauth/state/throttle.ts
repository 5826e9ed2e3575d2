/**
 * Limits guesses of passwords per address, per account from one address, and per account from addresses where it
 * never signed in. Nobody can lock out the owner of an account: where they have signed in before, only their own
 * failures count. Pauses grow, and end by themselves.
 *
 * Counts are kept in memory, and a restart forgets them. An attacker
 * cannot cause one, and it gives only a few more attempts. Servers that share a database keep them there.
 */
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { digest } from '../keys/secret.ts'

export interface Throttle {
  /**
   * Counts an attempt before its password is checked. Returns the seconds to wait where there were too many, else
   * 0.
   */
  attempt(address: string, account: string): Promise<number>
  succeeded(address: string, account: string): Promise<void>
  /** Counts a consent of a signed-in user. Returns the seconds to wait where there were too many, else 0. */
  consent(userId: string): Promise<number>
  /** Takes an attempt back whose password was not checked, because the server was busy. */
  notTried(address: string, account: string): Promise<void>
}

const DAY_SECONDS = 24 * 3600
const FIRST_PAUSE_SECONDS = 10
const LONGEST_PAUSE_SECONDS = 15 * 60
/** The library's timers hold at most 2^31 milliseconds, not quite 25 days. */
const KNOWN_SECONDS = 20 * DAY_SECONDS

interface Gate {
  attempt(key: string): Promise<number>
  /** Takes one attempt back that was not a guess. */
  reward(key: string): Promise<void>
  forget(key: string): Promise<void>
}

/** Makes a counter of that name, which allows `points` within `seconds`. */
export type MakeLimiter = (name: string, points: number, seconds: number) => RateLimiterAbstract

const inMemory: MakeLimiter = (_name, points, duration) => new RateLimiterMemory({ points, duration })

/** Allows `tries` within `seconds`, then pauses; each further pause on the same day is twice as long. */
function createGate(make: MakeLimiter, name: string, tries: number, seconds: number): Gate {
  const counter = make(name, tries, seconds)
  const pauses = make(`${name}-pauses`, 0, DAY_SECONDS)
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

export function createThrottle(make: MakeLimiter = inMemory): Throttle {
  const addresses = createGate(make, 'addresses', 30, 15 * 60)
  const pairs = createGate(make, 'pairs', 5, 15 * 60)
  const accounts = createGate(make, 'accounts', 100, 3600)
  // Each consent leaves a request and a code that are kept for days.
  const consents = createGate(make, 'consents', 60, 15 * 60)
  const known = make('known', 1, KNOWN_SECONDS)
  // Digests take the same memory for any text that is entered as an e-mail address.
  const keyOf = (account: string): string => digest(account.trim().toLowerCase())
  const pairOf = (address: string, account: string): string => `${address}\n${keyOf(account)}`

  async function uncount(address: string, pair: string, account: string): Promise<void> {
    if ((await known.get(pair)) === null) await accounts.reward(keyOf(account))
    await addresses.reward(address)
  }

  return {
    attempt: async (address, account) => {
      const pair = pairOf(address, account)
      // While an address has to wait, its attempts are not counted for any account.
      return (
        (await addresses.attempt(address)) ||
        (await pairs.attempt(pair)) ||
        ((await known.get(pair)) === null ? accounts.attempt(keyOf(account)) : 0)
      )
    },
    succeeded: async (address, account) => {
      const pair = pairOf(address, account)
      await uncount(address, pair, account)
      await pairs.forget(pair)
      await known.set(pair, 1, KNOWN_SECONDS)
    },
    consent: (userId) => consents.attempt(userId),
    notTried: async (address, account) => {
      const pair = pairOf(address, account)
      await uncount(address, pair, account)
      await pairs.reward(pair)
    },
  }
}
