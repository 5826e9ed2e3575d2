/** The questions that the processes of a server ask each other over `channel.ts`. */
import type { AdhocRequest } from '../../builder/contract/adhoc.ts'
import type { Workspace } from '../../builder/workspace/workspace.ts'
import type { MetricValues } from '../http/metrics.ts'
import type { Changes } from './connections.ts'
import type { GiveBack, Lease } from './leases.ts'

/**
 * What a process asks the primary. Each question is something that a single process does by itself, see
 * `shared.ts`.
 */
export type PrimaryMethods = {
  /** The process is ready for questions. */
  begin(nothing: null): void
  adhoc(
    asked: { readonly request: AdhocRequest; readonly grantId: string },
    signal: AbortSignal,
  ): Promise<Buffer>
  lend(grantId: string): Promise<Lease>
  signInAttempt(attempt: SignIn): Promise<number>
  signInSucceeded(attempt: SignIn): Promise<void>
  signInNotTried(attempt: SignIn): Promise<void>
  consent(userId: string): Promise<number>
  passwordsBusy(nothing: null): boolean | Promise<boolean>
  verifyPassword(asked: { readonly password: string; readonly hash: string | undefined }): Promise<boolean>
  hashPassword(password: string): Promise<string>
  connections(changes: Changes): readonly number[]
  readiness(nothing: null): Promise<string | null>
}

interface SignIn {
  readonly address: string
  readonly account: string
}

/** What the primary passes to a process; all get the settings with which the server was started. */
export interface StartOrder {
  readonly workspace: Workspace
  readonly quiet: boolean
  /** Whether it makes the files of the state that are missing; see `shared.ts`. */
  readonly makesState: boolean
}

/** What the primary asks a process. */
export type WorkerMethods = {
  /** Resolves as soon as it serves. */
  start(order: StartOrder): Promise<void>
  /** Whether it answers at all. */
  alive(nothing: null): null
  giveBack(asked: Parameters<GiveBack>[0]): Promise<number>
  metrics(nothing: null): Promise<MetricValues>
  /** The readiness of this process; see `http/health.ts`. */
  readiness(nothing: null): Promise<string | null>
  /** Finishes running answers and ends the process. */
  stop(nothing: null): void
}
