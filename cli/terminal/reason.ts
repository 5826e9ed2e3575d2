/** Checks the reason that a person states for an action, because it stays in the signed log and auditors read it. */
import { UsageError } from './exit.ts'

const SHORTEST = 10
const LONGEST = 1000

/** The trimmed text; throws {@link UsageError} where it is too short to be a reason, or too long. */
export function reasonFrom(text: string): string {
  const reason = text.trim()
  const letters = [...reason.matchAll(/\p{L}/gu)].length
  if (letters < SHORTEST)
    throw new UsageError(
      `the reason "${reason}" is too short: an auditor reads it years later, so say in at least ${SHORTEST} letters what happened`,
    )
  if (reason.length > LONGEST)
    throw new UsageError(`the reason has ${reason.length} characters; it may have ${LONGEST}`)
  return reason
}
