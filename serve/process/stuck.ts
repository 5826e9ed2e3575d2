/**
 * Finds a process that is stuck: it does not end, and does not answer either. It is asked with the beats of a timer, and the beats
 * without an answer are counted. These are not seconds: while the machine is suspended, or the primary itself is held up, its
 * timer does not beat, so that no process is found stuck for it.
 */

export interface Watched {
  /** Resolves when the process has answered. */
  alive(): Promise<unknown>
  /** How many beats may pass without an answer. */
  patience(): number
}

/** Calls `stuck` once the process has let more beats pass than it may, and then watches no more. Returns how to end the watch. */
export function watch({ alive, patience }: Watched, stuck: () => void, beatMs = BEAT_MS): () => void {
  let unanswered = 0
  const timer = setInterval(() => {
    if (unanswered >= patience()) {
      clearInterval(timer)
      stuck()
      return
    }
    if (unanswered++ === 0)
      alive().then(
        () => {
          unanswered = 0
        },
        // It has ended, or is about to.
        () => {},
      )
  }, beatMs)
  timer.unref()
  return () => clearInterval(timer)
}

const BEAT_MS = 1000
