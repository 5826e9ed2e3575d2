/** The reason that a person gives for what an auditor will ask about: it stands in the signed log for good. */
import { UsageError } from './exit.ts'

const SHORTEST = 10
const LONGEST = 1000

/** Trimmed; refused where it says too little to be a reason, or has no end. */
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
