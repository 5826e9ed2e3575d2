/** Defines the messages between the server and the child process for ad-hoc ranges, as plain data. */
import type { DateRange, MetricScope, StatementScope } from './document.ts'

export type AdhocQuery =
  | ({ readonly kind: 'statement' } & StatementScope & DateRange)
  | ({ readonly kind: 'metrics'; readonly metricIds: readonly string[] } & MetricScope & DateRange)
  /** Receivables and payables by party; of one account where it is named. */
  | { readonly kind: 'ageing'; readonly account: string | null; readonly asOf: string | null }
  /**
   * A file of the report; the answer is empty where there is no such file. `entries` says whether lines of
   * accounts may be shown, and `search` what is searched for on the page that finds.
   */
  | { readonly kind: 'page'; readonly path: string; readonly entries: boolean; readonly search: string }

/**
 * A request for one snapshot. Its hash makes sure that the child reads the very snapshot that the server
 * verified.
 */
export interface AdhocRequest {
  readonly snapshotsRoot: string
  readonly company: string
  readonly snapshotId: string
  readonly manifestSha256: string
  readonly query: AdhocQuery
}

export type AdhocMessage =
  | ({ readonly id: number } & AdhocRequest)
  /** Nobody waits for the answer any more. */
  | { readonly id: number; readonly cancel: true }

export type AdhocReply =
  /** The books are loaded and the query runs; only from now on can it be interrupted. */
  | { readonly id: number; readonly begun: true }
  | ({
      readonly id: number
      /** Memory of the child process, in bytes. */
      readonly memory: number
    } & (
      | { readonly ok: true; readonly body: Uint8Array }
      | {
          readonly ok: false
          readonly reason: 'cancelled' | 'memory' | 'unreadable' | 'failed'
          readonly message: string
        }
    ))
