/** A child process of build-pool.ts: builds one company after another. */
import { build } from '../../builder/build/build.ts'
import type { BuildOptions, BuildResult, Progress } from '../../builder/build/result.ts'
import { openWorkspace } from '../../builder/workspace/workspace.ts'
import { serveParent } from './pool-child.ts'

export interface BuildOrder {
  readonly root: string
  readonly company: string
  readonly options: Omit<BuildOptions, 'progress'>
}

export type BuildProgress = Parameters<Progress>

// Where the parent ends before the build does, the next build removes what was staged.
serveParent<BuildOrder, BuildProgress, BuildResult>(({ root, company, options }, report) =>
  build(openWorkspace(root), company, { ...options, progress: (...at) => report(at, at[0]) }),
)
