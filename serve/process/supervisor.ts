/**
 * Keeps a number of processes running by replacing those that end, or are stuck. Where one ends soon after its start, again and
 * again, it is replaced ever more slowly, and finally the whole server is given up, so that its supervisor or
 * operator can act. A replacement that cannot be started is tried again for as long as another process serves: what
 * hinders it, such as a mistake in a file that is read at the start, hinders none of those that run.
 */
import { reasonOf } from '../../builder/workspace/finding.ts'
import { watch } from './stuck.ts'

export interface Member {
  readonly pid: number
  /** Resolves when it can be used. Rejects where it cannot, or ends before. */
  readonly begun: Promise<void>
  /** Resolves with a signal or an exit code, in words. */
  readonly ended: Promise<string>
  /** Resolves when it has answered; a process that is stuck never does. */
  alive(): Promise<unknown>
  kill(): void
  /** Asks it to finish its work and end. */
  stop(): void
}

export type ProcessEvent =
  | { readonly event: 'process-started'; readonly pid: number }
  | { readonly event: 'process-ended'; readonly pid: number; readonly how: string }
  | { readonly event: 'process-stuck'; readonly pid: number }
  | { readonly event: 'process-not-started'; readonly pid: number; readonly reason: string }

export interface SupervisorOptions<M extends Member> {
  readonly count: number
  readonly start: () => M
  readonly log: (event: ProcessEvent) => void
  /** How long members may take to stop before they are killed. */
  readonly stopMs: number
  /**
   * Pauses before each further replacement of a member that has lived for less than `livesMs`, or could not be started; after
   * the last one the server is given up.
   */
  readonly pausesMs?: readonly number[]
  readonly livesMs?: number
  /** The pause after these before a member that could not be started is tried again, while others serve. */
  readonly laterMs?: number
}

export interface Supervisor<M extends Member> {
  /** The members that can be used now. */
  members(): readonly M[]
  /** Resolves when the server was given up; the message says why. */
  readonly givenUp: Promise<string>
  /** Resolves when all have ended; false where one had to be killed or failed. */
  stop(): Promise<boolean>
}

const PAUSES_MS = [0, 250, 500, 1000, 2000]
const LIVES_MS = 10_000
const LATER_MS = 10_000
/** Seconds for which a process may not answer, while it starts and while it serves; see `stuck.ts`. */
const PATIENCE = { starting: 60, serving: 10 }
export const FINISHED = 'exit 0'

/** Resolves when all members can be used; rejects with the failure of the first that cannot. */
export async function supervise<M extends Member>(options: SupervisorOptions<M>): Promise<Supervisor<M>> {
  const { count, start, log, stopMs } = options
  const { pausesMs = PAUSES_MS, livesMs = LIVES_MS, laterMs = LATER_MS } = options
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
    const unwatch = watch(
      {
        alive: () => member.alive(),
        patience: () => (useful.has(member) ? PATIENCE.serving : PATIENCE.starting),
      },
      () => {
        log({ event: 'process-stuck', pid: member.pid })
        member.kill()
      },
    )
    member.ended.then(() => {
      unwatch()
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

  /** Replaces a member whenever it ends, until the server stops. */
  async function replace(first: M): Promise<void> {
    let member = first
    let startedAt = performance.now()
    let quickEnds = 0
    let failedStarts = 0
    for (;;) {
      const how = await member.ended
      if (!isStopping || how !== FINISHED) log({ event: 'process-ended', pid: member.pid, how })
      if (isStopping) return
      if (performance.now() - startedAt >= livesMs) quickEnds = 0
      // A start that fails while others serve counts for nothing but its own pauses.
      const pause =
        failedStarts === 0 || useful.size === 0 ? pausesMs[quickEnds++] : (pausesMs[failedStarts] ?? laterMs)
      if (pause === undefined)
        return giveUp(
          `a process of the server ended ${quickEnds} times, each time within ${livesMs / 1000} seconds of its start; the last time: ${how}`,
        )
      await pauseFor(pause)
      if (isStopping) return
      startedAt = performance.now()
      member = begin()
      const { pid } = member
      try {
        await use(member)
        failedStarts = 0
      } catch (problem) {
        failedStarts++
        if (!isStopping) log({ event: 'process-not-started', pid, reason: reasonOf(problem as Error) })
      }
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
    // The first member makes what is missing, such as keys, and reports what is wrong for all.
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
