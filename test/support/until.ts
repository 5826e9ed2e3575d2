/** Waiting for what another process does in its own time. */

/** The result of `attempt` once it no longer throws; after thirty seconds, what it throws then. */
export async function until<T>(attempt: () => T | Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++)
    try {
      return await attempt()
    } catch (problem) {
      if (tries === 300) throw problem
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
}
