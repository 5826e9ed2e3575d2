/** Ranges that no snapshot file holds, over HTTP: by the month and by the day, alone and at once. */
import { addDays, firstDay, lastDay } from '../../builder/contract/calendar.ts'
import { openDatabase } from '../../builder/database/database.ts'
import { type Client, connectTo } from './client.ts'
import { cpuOfFamily } from './processes.ts'
import { median, type Result } from './results.ts'
import { pathOf, type Served, serving } from './serve.ts'

type Range = readonly [from: string, to: string]

/** Months of one year each, from one to the same or a later one. */
const SPANS = Array.from({ length: 5 }, (_, year) => (2021 + year) * 12).flatMap((january) =>
  Array.from({ length: 12 }, (_, from) =>
    Array.from({ length: 12 - from }, (_, more): readonly [number, number] => [
      january + from,
      january + from + more,
    ]),
  ).flat(),
)
const WHOLE_MONTHS = SPANS.map(([from, to]): Range => [firstDay(from), lastDay(to)])
/** Each cuts its first and its last month. */
const ANY_DAYS = Array.from({ length: 26 }, (_, i) => i + 1).flatMap((day) =>
  SPANS.map(([from, to]): Range => [addDays(firstDay(from), day), addDays(firstDay(to), day)]),
)

/** Each once, in an order that has nothing to do with the calendar: the step shares no factor with the lengths. */
function* scattered(ranges: readonly Range[]): Generator<Range> {
  const STEP = 7919
  for (let i = 0; i < ranges.length; i++) yield ranges[(i * STEP) % ranges.length]!
}

function* mapped<A, B>(items: Iterable<A>, to: (item: A) => B): Generator<B> {
  for (const item of items) yield to(item)
}

function* repeated<T>(item: T): Generator<T> {
  for (;;) yield item
}

interface Latencies {
  readonly ms: number[]
  readonly seconds: number
}

/** An iterator of paths goes on where the last call has left it. */
async function latencies(
  paths: Iterator<string>,
  { origin, token }: Served,
  count: number,
  atOnce: number,
): Promise<Latencies> {
  const ms: number[] = []
  let asked = 0
  const clients = await Promise.all(Array.from({ length: atOnce }, () => connectTo(origin, token)))
  const begun = performance.now()
  const ask = async (client: Client): Promise<void> => {
    while (asked < count) {
      asked++
      const { value, done } = paths.next()
      if (done) return
      const from = performance.now()
      const status = await client.get(value)
      if (status !== 200) throw new Error(`${value} was answered with ${status}`)
      ms.push(performance.now() - from)
    }
  }
  await Promise.all(clients.map(ask))
  const seconds = (performance.now() - begun) / 1000
  for (const client of clients) client.close()
  return { ms, seconds }
}

/** The least that any question to DuckDB takes, without a process or a connection between. */
async function selectOne(): Promise<number> {
  const db = await openDatabase({ threads: 1 })
  const ms: number[] = []
  for (let i = 0; i < 300; i++) {
    const from = performance.now()
    await db.columns('SELECT 1::INTEGER', 1)
    ms.push(performance.now() - from)
  }
  db.close()
  return median(ms.slice(100))
}

export async function adhoc({
  postings,
  p50,
}: {
  readonly postings: number
  readonly p50: number
}): Promise<Result[]> {
  const part = `ad-hoc ${postings / 1_000_000}M`
  const floor = { name: 'select 1', value: await selectOne(), unit: 'ms' }
  return serving(postings, 1, async (served) => {
    const { pid } = served.server
    const paths = (ranges: readonly Range[], filter = '') =>
      mapped(scattered(ranges), ([from, to]) => `${pathOf('bench1', from, to)}${filter}`)
    /** With the processor time of the server and its engine per answer. */
    const measured = async (asked: Iterator<string>, count: number, atOnce: number) => {
      const before = cpuOfFamily(pid!)
      const { ms, seconds } = await latencies(asked, served, count, atOnce)
      const value = ((cpuOfFamily(pid!) - before) / ms.length) * 1000
      return { ms, seconds, processor: { name: 'processor time', value, unit: 'ms' } }
    }
    /** The first ones find code that is not yet compiled; of other ranges, the very first loads the books. */
    const alone = async (asked: Iterator<string>) => {
      await latencies(asked, served, 150, 1)
      return measured(asked, 200, 1)
    }
    const hot = pathOf('bench1', '2025-01-01', '2025-12-31')
    const ready = await alone(repeated(hot))
    const months = await alone(paths(WHOLE_MONTHS))
    const others = paths(ANY_DAYS)
    const days = await alone(others)
    const ofClass = await alone(paths(ANY_DAYS, '&ClassId=C1'))
    const ofDepartment = await alone(paths(ANY_DAYS, '&DepartmentId=D2'))
    const many = await measured(others, 600, 32)
    const result = (
      name: string,
      value: number,
      unit: string,
      target: string | null,
      reference?: { readonly name: string; readonly value: number; readonly unit: string },
    ): Result => ({ part, name, value, unit, target, ...(reference ? { reference } : {}) })
    const readyP50 = { name: 'ready answer, p50', value: median(ready.ms), unit: 'ms' }
    return [
      result('whole months, first time, p50', median(months.ms), 'ms', '≤ 2', readyP50),
      result('any days, p50', median(days.ms), 'ms', `≤ ${p50}`, floor),
      result('any days, processor time', days.processor.value, 'ms', null, floor),
      result('any days, a class and those below, p50', median(ofClass.ms), 'ms', null, floor),
      result('any days, one department, p50', median(ofDepartment.ms), 'ms', null, floor),
      result(
        '32 clients',
        many.ms.length / many.seconds,
        '/s',
        postings === 1_000_000 ? '≥ 250' : null,
        many.processor,
      ),
    ]
  })
}
