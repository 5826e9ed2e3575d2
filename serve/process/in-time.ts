/** Waits for another process, which may be stuck, no longer than it may take. */

/** Returns what `answer` gives within `ms`, else `otherwise`; also where it fails. */
export async function inTime<T>(answer: Promise<T>, ms: number, otherwise: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<T>((resolve) => {
    timer = setTimeout(resolve, ms, otherwise)
  })
  return Promise.race([answer.catch(() => otherwise), late]).finally(() => clearTimeout(timer))
}
