/** Tests whose works run at once, each judged under its own name. */

type Suite = (name: string, run: () => Promise<void>) => void

export interface AtOnce {
  /** A test whose work begins with {@link start}. */
  check(name: string, run: () => Promise<void>): void
  /** Begins the works in their order, as many at once as were allowed. */
  start(): void
  /** Waits for all works, however they end. */
  ended(): Promise<unknown>
}

/** Runs `count` works at once. They may begin before their tests, which say what became of them. */
export function atOnce(suite: Suite, count: number): AtOnce {
  const inTurn = atMost(count)
  const works: (() => Promise<void>)[] = []
  const running: Promise<unknown>[] = []
  return {
    check: (name, run) => {
      const at = works.push(run) - 1
      suite(name, async () => {
        const problem = await running[at]
        if (problem !== null) throw problem
      })
    },
    start: () => {
      for (const run of works)
        running.push(
          inTurn(run).then(
            () => null,
            (problem: unknown) => problem,
          ),
        )
    },
    ended: () => Promise.all(running),
  }
}

/** Runs at most `count` works at once. */
function atMost(count: number): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0
  const waiting: (() => void)[] = []
  return async (work) => {
    if (running >= count) await new Promise<void>((go) => waiting.push(go))
    running++
    try {
      return await work()
    } finally {
      running--
      waiting.shift()?.()
    }
  }
}
