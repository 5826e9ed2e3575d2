/** A child process of build-pool.ts: builds one company after another. */
import { build } from '../../builder/build/build.ts'
import type { BuildOptions, BuildResult, Progress } from '../../builder/build/result.ts'
import { openWorkspace } from '../../builder/workspace/workspace.ts'
import { serveOrders } from './pool-child.ts'

export interface BuildOrder {
  /** Folder of the workspace. */
  readonly root: string
  readonly company: string
  readonly options: Omit<BuildOptions, 'progress'>
}

export type BuildProgress = Parameters<Progress>

// Where the parent ends before the build does, the next build removes what was staged.
serveOrders<BuildOrder, BuildProgress, BuildResult>(({ root, company, options }, report) =>
  build(openWorkspace(root), company, { ...options, progress: (...at) => report(at, at[0]) }),
)
