/** Builds several companies at once, each in a process of its own. */
import type { BuildOptions, BuildResult, Progress } from '../../builder/build/result.ts'
import { type CommandFailure, EXIT, type ExitCode } from '../terminal/exit.ts'
import { stoppable } from '../terminal/stopping.ts'
import type { BuildOrder, BuildProgress } from './build-child.ts'
import { type End, Pool } from './pool.ts'

export type Outcome =
  | { readonly result: BuildResult }
  | { readonly failure: CommandFailure; readonly trace: string }

export interface Watcher {
  begin(company: string): void
  progress(company: string, ...at: Parameters<Progress>): void
  end(company: string, outcome: Outcome): void
}

/** What applies to every company; builds that run at the same time share its memory. */
export type PoolOptions = Omit<BuildOptions, 'progress' | 'share'>

interface BuildProcesses {
  /** `watcher` is told when the build begins, how far it is, and how it ended. */
  build(company: string, watcher?: Watcher): Promise<Outcome>
  /** Ends the builds under way; what one of them is publishing is finished. */
  stop(): void
  isStopped(): boolean
  close(): void
}

/** At most `processes` builds at once. Processes are started when they are needed. */
export function startBuildProcesses(root: string, options: PoolOptions, processes: number): BuildProcesses {
  const pool = new Pool<BuildOrder, BuildProgress, BuildResult>('build-child', import.meta.url, processes)
  let isStopped = false
  return {
    build: async (company, watcher) => {
      const end = await pool.run(
        { root, company, options: { ...options, share: processes } },
        { begin: () => watcher?.begin(company), progress: (at) => watcher?.progress(company, ...at) },
      )
      const outcome = outcomeOf(company, end, isStopped)
      watcher?.end(company, outcome)
      return outcome
    },
    stop: () => {
      isStopped = true
      pool.stop()
    },
    isStopped: () => isStopped,
    close: () => pool.close(),
  }
}

/** Builds `companies`, at most `processes` of them at once. A company that fails does not stop the others. */
export async function buildInParallel(
  root: string,
  companies: readonly string[],
  options: PoolOptions,
  processes: number,
  watcher: Watcher,
): Promise<ExitCode | null> {
  const builds = startBuildProcesses(root, options, processes)
  try {
    const all = () => Promise.all(companies.map((company) => builds.build(company, watcher)))
    return (await stoppable(builds.stop, all)).exitCode
  } finally {
    builds.close()
  }
}

function outcomeOf(company: string, end: End<BuildResult>, isStopped: boolean): Outcome {
  if (!('ended' in end)) return end
  const message = isStopped
    ? 'stopped; nothing of it was published'
    : `its process was ended ${end.ended}. Nothing of it was published; build it alone: tieout build ${company}`
  return {
    failure: { exitCode: EXIT.failed, code: 'process-ended', message, findings: [] },
    trace: message,
  }
}
