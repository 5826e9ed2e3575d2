/** Until when a request may be sent. Owns nothing that is sent. */
import { BucketError } from '../workspace/refusals.ts'

/** The time by the clock of this computer, in milliseconds since 1970. */
export type Clock = () => number

export interface Deadline {
  isPast(): boolean
}

/** A computer that was asleep counts by its clock alone, and one whose clock was set back by its steady time alone: either one ends it. */
export function deadlineIn(ms: number, clock: Clock): Deadline {
  const [begun, steady] = [clock(), performance.now()]
  return {
    isPast: () => {
      const passed = clock() - begun
      return passed < 0 || passed > ms || performance.now() - steady > ms
    },
  }
}

/** What was to be sent was not, because it came too late. */
export class TooLateError extends BucketError {
  constructor(bucket: string) {
    super(
      `${bucket} was not changed: this computer or its connection stood still for too long in the middle; run it again`,
    )
  }
}
