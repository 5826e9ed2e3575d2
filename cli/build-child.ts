/** One of the processes that build companies beside each other: takes one company after another from build-pool.ts. */
import { build } from '../builder/build/build.ts'
import type { BuildOptions, BuildResult, Progress } from '../builder/build/result.ts'
import { openWorkspace } from '../builder/workspace/workspace.ts'
import { serveOrders } from './pool-child.ts'

export interface BuildOrder {
  /** The workspace's folder. */
  readonly root: string
  readonly company: string
  readonly options: Pick<BuildOptions, 'publish' | 'restate' | 'share'>
}

export type BuildProgress = Parameters<Progress>

// What is half staged when whoever asked is gone is cleared by the next build.
serveOrders<BuildOrder, BuildProgress, BuildResult>(({ root, company, options }, tell) =>
  build(openWorkspace(root), company, { ...options, progress: (...at) => tell(at, at[0]) }),
)
