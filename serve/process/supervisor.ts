/**
 * Keeps a number of processes running: one that ends is replaced. A process that ends soon after it was started, again and
 * again in the same place, is replaced ever more slowly, and then the whole is given up, since whoever supervises the
 * server, or its operator, has to see to it.
 */

export interface Member {
  readonly pid: number
  /** Settled once it can be used. Throws where it cannot be, and where it ends before that. */
  readonly begun: Promise<void>
  /** A signal or an exit code, in words. */
  readonly ended: Promise<string>
  kill(): void
  /** Lets it finish what it is at. */
  stop(): void
}

export type ProcessEvent =
  | { readonly event: 'process-started'; readonly pid: number }
  | { readonly event: 'process-ended'; readonly pid: number; readonly how: string }
  | { readonly event: 'process-not-started'; readonly pid: number; readonly reason: string }

export interface SupervisorOptions<M extends Member> {
  readonly count: number
  readonly start: () => M
  readonly log: (event: ProcessEvent) => void
  /** How long members have to stop before they are killed. */
  readonly stopMs: number
  /** Waits before the first, the second … replacement of one that has lived for less than `livesMs`; then it is given up. */
  readonly pausesMs?: readonly number[]
  readonly livesMs?: number
}

export interface Supervisor<M extends Member> {
  /** Those that can be used now. */
  members(): readonly M[]
  /** Settled when it was given up; the message says why. */
  readonly givenUp: Promise<string>
  /** Settled when all have ended; false where one had to be killed, or ended otherwise than by finishing. */
  stop(): Promise<boolean>
}

const PAUSES_MS = [0, 250, 500, 1000, 2000]
const LIVES_MS = 10_000
export const FINISHED = 'exit 0'

/** Resolves when all can be used; throws what the first one that cannot be throws. */
export async function supervise<M extends Member>(options: SupervisorOptions<M>): Promise<Supervisor<M>> {
  const { count, start, log, stopMs, pausesMs = PAUSES_MS, livesMs = LIVES_MS } = options
  const all = new Set<M>()
  const useful = new Set<M>()
  const pausing = new Set<() => void>()
  let isStopping = false
  let giveUp: (reason: string) => void = () => {}
  const givenUp = new Promise<string>((resolve) => {
    giveUp = resolve
  })

  function begin(): M {
    const member = start()
    all.add(member)
    member.ended.then(() => {
      all.delete(member)
      useful.delete(member)
    })
    return member
  }

  async function use(member: M): Promise<void> {
    await member.begun.catch((problem: unknown) => {
      member.kill()
      throw problem
    })
    useful.add(member)
    log({ event: 'process-started', pid: member.pid })
  }

  /** Of the member's place: until there is to be none any more. */
  async function replace(first: M): Promise<void> {
    let member = first
    let startedAt = performance.now()
    let quickEnds = 0
    for (;;) {
      const how = await member.ended
      if (isStopping) return
      log({ event: 'process-ended', pid: member.pid, how })
      if (performance.now() - startedAt >= livesMs) quickEnds = 0
      const pause = pausesMs[quickEnds++]
      if (pause === undefined)
        return giveUp(
          `a process of the server ended ${quickEnds} times, each time within ${livesMs / 1000} seconds of its start; the last time: ${how}`,
        )
      await pauseFor(pause)
      if (isStopping) return
      startedAt = performance.now()
      member = begin()
      const { pid } = member
      await use(member).catch((problem: Error) => {
        if (!isStopping) log({ event: 'process-not-started', pid, reason: problem.message })
      })
    }
  }

  function pauseFor(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer)
        pausing.delete(end)
        resolve()
      }
      const timer = setTimeout(end, ms)
      pausing.add(end)
    })
  }

  async function stop(): Promise<boolean> {
    isStopping = true
    for (const end of pausing) end()
    const left = [...all]
    for (const member of left)
      if (useful.has(member)) member.stop()
      else member.kill()
    const deadline = setTimeout(() => {
      for (const member of all) member.kill()
    }, stopMs)
    const serving = left.filter((member) => useful.has(member))
    await Promise.all(left.map(({ ended }) => ended))
    clearTimeout(deadline)
    return (await Promise.all(serving.map(({ ended }) => ended))).every((how) => how === FINISHED)
  }

  try {
    // The first one makes what is missing, such as keys, and says what is wrong with the rest.
    const first = begin()
    await use(first)
    const others = Array.from({ length: count - 1 }, begin)
    await Promise.all(others.map(use))
    for (const member of [first, ...others]) void replace(member)
  } catch (problem) {
    isStopping = true
    for (const member of all) member.kill()
    await Promise.all([...all].map(({ ended }) => ended))
    throw problem
  }
  return { members: () => [...useful], givenUp, stop }
}
