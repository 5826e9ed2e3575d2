/** How many requests a command sent to a bucket, as people read it. */
import type { Requests } from '../builder/location/location.ts'
import { count } from './terminal.ts'

export const requestsText = (bucket: string, requests: Requests): string =>
  `Requests to ${bucket}: ${Object.entries(requests)
    .map(([kind, times]) => `${count(times)} ${kind}`)
    .join(', ')}`

/** Null if there were none, or no bucket. */
export function sumOf(all: readonly (Requests | null | undefined)[]): Requests | null {
  const sum: Record<string, number> = {}
  for (const requests of all)
    for (const [kind, times] of Object.entries(requests ?? {})) sum[kind] = (sum[kind] ?? 0) + times
  return Object.keys(sum).length === 0 ? null : sum
}
