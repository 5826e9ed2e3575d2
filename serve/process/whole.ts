/** Metrics and readiness of several processes as if they were one. */
import type { Readiness } from '../http/health.ts'
import { countersOf, type Metrics, type MetricValues, sumOf } from '../http/metrics.ts'
import type { ServingProcess } from './serving-process.ts'

type Asked = Pick<ServingProcess, 'metrics' | 'readiness' | 'ended'>

/** A process that does not answer for so long is stuck. */
const PATIENCE_MS = 2000

/**
 * Ready where every process that is there is ready. Who asks while all are being asked shares the answer, so that a flood of
 * probes is no flood of questions.
 */
export function createWholeReadiness(members: () => readonly Asked[]): Readiness {
  let asking: Promise<string | null> | null = null
  const askAll = async (): Promise<string | null> => {
    const all = members()
    if (all.length === 0) return 'no process is serving'
    const reasons = await Promise.all(
      all.map((member) =>
        Promise.race([
          // One that has ended is being replaced.
          member.ended.then(() => null),
          inTime(member.readiness(), 'a process does not answer'),
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

/** `otherwise` also where it fails. */
async function inTime<T>(answer: Promise<T>, otherwise: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<T>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS, otherwise)
  })
  return Promise.race([answer.catch(() => otherwise), late]).finally(() => clearTimeout(timer))
}

/**
 * `own`: of the primary, which counts what it does for all. What a process that ended had counted when it was last asked goes on
 * being counted, since a counter that falls looks to Prometheus like one that began again.
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
    const values = await inTime(member.metrics(), known ?? [])
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
