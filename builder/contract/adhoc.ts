/** What the server asks of the ad-hoc child, and what it answers: plain data over the process boundary. */
import type { DateRange, MetricScope, StatementScope } from './document.ts'

export type AdhocQuery =
  | ({ readonly kind: 'statement' } & StatementScope & DateRange)
  | ({ readonly kind: 'metrics'; readonly metricIds: readonly string[] } & MetricScope & DateRange)

/** The hash makes sure that the child reads the very snapshot that the server verified. */
export interface AdhocRequest {
  readonly snapshotsRoot: string
  readonly company: string
  readonly snapshotId: string
  readonly manifestSha256: string
  readonly query: AdhocQuery
}

export type AdhocReply =
  | { readonly id: number; readonly ok: true; readonly body: Uint8Array }
  | { readonly id: number; readonly ok: false; readonly message: string }
