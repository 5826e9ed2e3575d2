/** Deadlines, after which a request must not be sent any more. */
import { BucketError } from '../../../system/refusals.ts'

/** The time by the clock of this computer, in milliseconds since 1970. */
export type Clock = () => number

export interface Deadline {
  isPast(): boolean
}

/**
 * A deadline by two clocks: the system clock goes on while the computer sleeps, and the monotonic clock goes on while
 * the system clock is set back. Either one ends it.
 */
export function deadlineIn(ms: number, clock: Clock): Deadline {
  const [begun, steady] = [clock(), performance.now()]
  return {
    isPast: () => {
      const passed = clock() - begun
      return passed < 0 || passed > ms || performance.now() - steady > ms
    },
  }
}

/** Thrown in place of sending a request whose deadline has passed. */
export class TooLateError extends BucketError {
  constructor(bucket: string) {
    super(
      `${bucket} was not changed: this computer or its connection stood still for too long in the middle; run it again`,
    )
  }
}
