/** One of the processes that build companies beside each other: takes one company after another from build-pool.ts. */
import { build } from '../builder/build.ts'
import type { BuildOptions, BuildResult, Step } from '../builder/build-result.ts'
import { openWorkspace } from '../builder/workspace/workspace.ts'
import { type Failure, failureOf } from './exit.ts'

export interface BuildOrder {
  /** The workspace's folder. */
  readonly root: string
  readonly company: string
  readonly options: Pick<BuildOptions, 'publish' | 'restate' | 'share'>
}

export type BuildReply =
  | { readonly step: Step; readonly done: number; readonly total: number | null }
  | { readonly result: BuildResult }
  /** `trace` is the stack, for --debug. */
  | { readonly failure: Failure; readonly trace: string }

/** A step of ten thousand documents is not told ten thousand times. */
const TELL_EVERY_MS = 80

const send = (reply: BuildReply): void => void process.send?.(reply)

async function take({ root, company, options }: BuildOrder): Promise<void> {
  let last: Step | null = null
  let toldAt = 0
  const progress = (step: Step, done: number, total: number | null): void => {
    if (step === last && Date.now() - toldAt < TELL_EVERY_MS) return
    last = step
    toldAt = Date.now()
    send({ step, done, total })
  }
  try {
    send({ result: await build(openWorkspace(root), company, { ...options, progress }) })
  } catch (problem) {
    const trace = problem instanceof Error ? (problem.stack ?? problem.message) : String(problem)
    send({ failure: failureOf(problem), trace })
  }
}

process.on('message', (order: BuildOrder) => void take(order))
// Who asked is gone: nobody reads the outcome, and what is half staged is cleared by the next build.
process.on('disconnect', () => process.exit(1))
