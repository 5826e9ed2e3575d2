/** What `tieout doctor` asks a bucket: whether it answers, keeps the conditions of writes, and has the right time. */

import type { Checks } from '../../../workspace/check.ts'
import type { Bucket } from './bucket.ts'
import { companiesHeld } from './company-object.ts'
import { clockDifference, requireConditions } from './probe.ts'

const CLOCK_WARNING_MS = 60_000
/** S3 refuses requests whose time differs more. */
const CLOCK_FAILURE_MS = 15 * 60_000

/** Enters the outcomes into `checks`. What is written there to find out is removed again. */
export async function checkBucket(bucket: Bucket, checks: Checks): Promise<void> {
  const held = await asked(
    checks,
    'answers',
    'correct its address in tieout.yaml, or what the message says',
    () => companiesHeld(bucket),
  )
  if (held === null) return
  checks.holds(
    'answers',
    `${bucket.name}, with snapshots of ${held.size} ${held.size === 1 ? 'company' : 'companies'}`,
  )
  const remedy = 'allow these credentials to write there, or name a store that keeps the conditions'
  const kept = await asked(checks, 'conditional writes', remedy, async () => {
    await requireConditions(bucket)
    return true
  })
  if (kept === null) return
  checks.holds('conditional writes', 'If-None-Match and If-Match are kept')
  const difference = await asked(checks, 'clock', 'try again', () => clockDifference(bucket))
  if (difference !== null) enterClock(difference, checks)
}

/** What `ask` gives; null if it fails, which is entered. */
async function asked<T>(
  checks: Checks,
  what: string,
  remedy: string,
  ask: () => Promise<T>,
): Promise<T | null> {
  try {
    return await ask()
  } catch (problem) {
    checks.fail(what, (problem as Error).message, remedy)
    return null
  }
}

function enterClock(difference: number, checks: Checks): void {
  const found = `${Math.round(difference / 1000)} s between its clock and that of this machine`
  const remedy = 'let this machine synchronise its clock (chrony, systemd-timesyncd)'
  if (!(difference <= CLOCK_FAILURE_MS)) checks.fail('clock', found, remedy)
  else if (difference > CLOCK_WARNING_MS) checks.warn('clock', found, remedy)
  else checks.holds('clock', found)
}
