/** The state of the follower of a bucket, in a file beside the working copy, for all processes of this machine. */
import { dirname, join } from 'node:path'
import { isAbsent } from '../../system/effects.ts'
import { readFileSync } from '../../system/plain-file.ts'

export interface FollowState {
  /** When the bucket answered last, in milliseconds since 1970; null if it never did. */
  readonly At: number | null
  /** Why it does not answer now; null if it does. */
  readonly Problem: string | null
  /** How many milliseconds its last answer took. */
  readonly AnswerMs?: number
}

export const stateFile = (copy: string): string => join(dirname(copy), 'followed.json')

/** The state of the follower on this machine; null if there never was one. */
export function followed(copy: string): FollowState | null {
  try {
    return JSON.parse(readFileSync(stateFile(copy), 'utf8')) as FollowState
  } catch (problem) {
    if (isAbsent(problem) || problem instanceof SyntaxError) return null
    throw problem
  }
}
