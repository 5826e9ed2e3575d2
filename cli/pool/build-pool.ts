/** Builds several companies at once, each in a process of its own. */
import type { BuildOptions, BuildResult, Progress } from '../../builder/build/result.ts'
import { EXIT, type ExitCode, type Failure } from '../exit.ts'
import { stoppable } from '../stopping.ts'
import type { BuildOrder, BuildProgress } from './build-child.ts'
import { type End, Pool } from './pool.ts'

export type Outcome = { readonly result: BuildResult } | { readonly failure: Failure; readonly trace: string }

export interface Watcher {
  begin(company: string): void
  progress(company: string, ...at: Parameters<Progress>): void
  end(company: string, outcome: Outcome): void
}

/** Memory in bytes that a build of a million postings takes. */
export const MEMORY_PER_BUILD = 1024 ** 3

/** Builds `companies`, at most `processes` of them at once. A company that fails does not stop the others. */
export async function buildBesideEachOther(
  root: string,
  companies: readonly string[],
  options: Pick<BuildOptions, 'publish' | 'restate' | 'review' | 'workers'>,
  processes: number,
  watcher: Watcher,
): Promise<ExitCode | null> {
  const pool = new Pool<BuildOrder, BuildProgress, BuildResult>('build-child', import.meta.url, processes)
  let isStopped = false
  const one = async (company: string): Promise<void> => {
    const end = await pool.run(
      { root, company, options: { ...options, share: processes } },
      { begin: () => watcher.begin(company), progress: (at) => watcher.progress(company, ...at) },
    )
    watcher.end(company, outcomeOf(company, end, isStopped))
  }
  try {
    const stop = () => {
      isStopped = true
      pool.stop()
    }
    return (await stoppable(stop, () => Promise.all(companies.map(one)))).exitCode
  } finally {
    pool.close()
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
