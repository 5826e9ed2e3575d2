/** Metrics and readiness of several processes, combined as if they were one. */
import type { Readiness } from '../http/health.ts'
import { countersOf, type Metrics, type MetricValues, sumOf } from '../http/metrics.ts'
import { inTime } from './in-time.ts'
import type { ServingProcess } from './serving-process.ts'

type Asked = Pick<ServingProcess, 'metrics' | 'readiness' | 'ended'>

/** A process that does not answer within this time is stuck. */
const PATIENCE_MS = 2000

/**
 * Ready where every process is ready. Questions that arrive while the processes are being asked share the answer,
 * so that a flood of probes does not multiply.
 */
export function createWholeReadiness(members: () => readonly Asked[]): Readiness {
  let asking: Promise<string | null> | null = null
  const askAll = async (): Promise<string | null> => {
    const all = members()
    if (all.length === 0) return 'no process is serving'
    const reasons = await Promise.all(
      all.map((member) =>
        Promise.race([
          // A process that has ended is being replaced.
          member.ended.then(() => null),
          inTime<string | null>(member.readiness(), PATIENCE_MS, 'a process does not answer'),
        ]),
      ),
    )
    return reasons.find((reason) => reason !== null) ?? null
  }
  return () => {
    asking ??= askAll().finally(() => {
      asking = null
    })
    return asking
  }
}

/**
 * `own` are the metrics of the primary, which counts what it does for all. The counts of an ended process, as of
 * the last time it was asked, are kept, since a falling counter looks to Prometheus like one that started again.
 */
export function createWholeMetrics(
  own: Metrics,
  members: () => readonly Asked[],
): Pick<Metrics, 'page' | 'contentType'> {
  const latest = new Map<Asked, MetricValues>()
  let gone: MetricValues = []
  let burying: Promise<void> = Promise.resolve()

  async function bury(member: Asked): Promise<void> {
    gone = countersOf(await sumOf([gone, latest.get(member) ?? []]).getMetricsAsJSON())
    latest.delete(member)
  }

  async function ask(member: Asked): Promise<void> {
    const known = latest.get(member)
    if (known === undefined) {
      latest.set(member, [])
      void member.ended.then(() => {
        burying = burying.then(() => bury(member))
      })
    }
    const values = await inTime(member.metrics(), PATIENCE_MS, known ?? [])
    if (latest.has(member)) latest.set(member, values)
  }

  return {
    contentType: own.contentType,
    page: async () => {
      await Promise.all(members().map(ask))
      await burying
      return sumOf([await own.values(), ...latest.values(), gone]).metrics()
    },
  }
}
