/**
 * What the server counts, in Prometheus' text format: everything that is logged, and gauges read when they are asked
 * for. Labels are templates of routes, names of events and ids of published companies: never anything a caller sent.
 * Written here rather than by prom-client: counters, one histogram and gauges are this page, and need no package.
 */
import type { AccessEntry } from './visit.ts'

export interface Gauge {
  readonly name: string
  readonly help: string
  readonly samples: readonly { readonly labels?: Labels; readonly value: number }[]
}
type Labels = Readonly<Record<string, string>>

export interface Metrics {
  /** Of every line of the log. */
  observe(entry: AccessEntry | { readonly event: string }): void
  /** The page at /metrics. */
  text(): string
}

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

interface Histogram {
  /** Per bucket, not yet added up. */
  readonly counts: number[]
  count: number
  sum: number
}

export function createMetrics(gauges: () => readonly Gauge[]): Metrics {
  const requests = new Map<string, number>()
  const aborted = new Map<string, number>()
  const events = new Map<string, number>()
  const durations = new Map<string, Histogram>()
  const add = (counter: Map<string, number>, labels: Labels): void => {
    const key = labelText(labels)
    counter.set(key, (counter.get(key) ?? 0) + 1)
  }

  function observeRequest({ route, status, ms, aborted: left }: AccessEntry): void {
    const at = { route: route ?? 'none' }
    add(requests, { ...at, status: String(status) })
    if (left) add(aborted, at)
    const key = labelText(at)
    const histogram = durations.get(key) ?? { counts: BUCKETS.map(() => 0), count: 0, sum: 0 }
    durations.set(key, histogram)
    const bucket = BUCKETS.findIndex((bound) => ms / 1000 <= bound)
    if (bucket >= 0) histogram.counts[bucket]!++
    histogram.count++
    histogram.sum += ms / 1000
  }

  return {
    observe: (entry) => {
      if (entry.event === 'request') observeRequest(entry as AccessEntry)
      else add(events, { event: entry.event })
    },
    text: () =>
      [
        ...counterLines('http_requests_total', 'Requests answered.', requests),
        ...counterLines('http_requests_aborted_total', 'Requests whose client left early.', aborted),
        ...histogramLines('http_request_duration_seconds', 'Time from request to end of answer.', durations),
        ...counterLines('tieout_events_total', 'Lines of the log other than requests.', events),
        ...gauges().flatMap(gaugeLines),
        '',
      ].join('\n'),
  }
}

/** `{a="x",b="y"}`, or nothing. */
function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}
const escaped = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')

const head = (name: string, help: string, type: string): string[] => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} ${type}`,
]

const counterLines = (name: string, help: string, counter: ReadonlyMap<string, number>): string[] => [
  ...head(name, help, 'counter'),
  ...[...counter].map(([labels, value]) => `${name}${labels} ${value}`),
]

const gaugeLines = ({ name, help, samples }: Gauge): string[] => [
  ...head(name, help, 'gauge'),
  ...samples.map(({ labels = {}, value }) => `${name}${labelText(labels)} ${value}`),
]

function histogramLines(name: string, help: string, all: ReadonlyMap<string, Histogram>): string[] {
  const lines = head(name, help, 'histogram')
  for (const [labels, { counts, count, sum }] of all) {
    const inside = labels.slice(1, -1)
    let below = 0
    BUCKETS.forEach((bound, i) => {
      below += counts[i]!
      lines.push(`${name}_bucket{${inside},le="${bound}"} ${below}`)
    })
    lines.push(
      `${name}_bucket{${inside},le="+Inf"} ${count}`,
      `${name}_sum${labels} ${sum}`,
      `${name}_count${labels} ${count}`,
    )
  }
  return lines
}
