/**
 * What another client notices while a server is attacked: the p99 of its answers during each attack, against what it was
 * just before, in one run and on one machine. The attacks are those of `test/serve/attacks`, whose tests hold that all
 * of those answers are right.
 */
import { attacked, otherClient, pause } from '../serve/attacks/attacked.ts'
import {
  type Attack,
  halfBodies,
  sentAhead,
  sentAheadByMany,
  signInPages,
  slowHeads,
  unread,
} from '../serve/attacks/attacks.ts'
import type { Result } from './results.ts'

const SECONDS = 5

const ATTACKS: readonly (readonly [name: string, attack: Attack])[] = [
  ['400 requests ahead, none read', sentAhead],
  ['600 connections that read nothing', unread],
  ['500 connections that send 1500 requests ahead', sentAheadByMany],
  ['500 bodies that stop in the middle', halfBodies],
  ['500 heads that do not end', slowHeads],
  ['16 connections of sign-in pages', signInPages],
]

const p99 = (times: readonly number[]): number =>
  [...times].sort((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN

export async function attacks(): Promise<Result[]> {
  const server = await attacked()
  try {
    const nothing: Attack = async () => () => {}
    const during = async (attack: Attack): Promise<number> => {
      const other = otherClient(server)
      const end = await attack(server)
      await pause(SECONDS * 1000)
      const { milliseconds } = await other.stop()
      await end()
      return p99(milliseconds)
    }
    await during(nothing)
    const results: Result[] = []
    for (const [name, attack] of ATTACKS) {
      const usual = await during(nothing)
      const attacked = await during(attack)
      results.push({
        part: 'attacks',
        name: `p99 beside ${name}`,
        value: attacked / usual,
        unit: '× usual',
        target: '≤ 10',
        reference: { name: 'p99', value: attacked, unit: 'ms' },
      })
      await pause(500)
    }
    return results
  } finally {
    await server.close()
  }
}
