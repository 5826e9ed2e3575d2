/** What the server asks of the ad-hoc child, and what it answers: plain data over the process boundary. */
import type { DateRange, MetricScope, StatementScope } from './document.ts'

export type AdhocQuery =
  | ({ readonly kind: 'statement' } & StatementScope & DateRange)
  | ({ readonly kind: 'metrics'; readonly metricIds: readonly string[] } & MetricScope & DateRange)
  /** A file of the report; an empty answer: it has none by that name. `entries`: lines of accounts may be shown. */
  | { readonly kind: 'page'; readonly path: string; readonly entries: boolean }

/** The hash makes sure that the child reads the very snapshot that the server verified. */
export interface AdhocRequest {
  readonly snapshotsRoot: string
  readonly company: string
  readonly snapshotId: string
  readonly manifestSha256: string
  readonly query: AdhocQuery
}

export type AdhocMessage =
  | ({ readonly id: number } & AdhocRequest)
  /** Nobody waits for this answer any more. */
  | { readonly id: number; readonly cancel: true }

export type AdhocReply =
  /** The books are loaded, the query runs: from now on it can be interrupted. */
  | { readonly id: number; readonly begun: true }
  | ({
      readonly id: number
      /** Of the child, in bytes. */
      readonly memory: number
    } & (
      | { readonly ok: true; readonly body: Uint8Array }
      | {
          readonly ok: false
          readonly reason: 'cancelled' | 'memory' | 'unreadable' | 'failed'
          readonly message: string
        }
    ))
