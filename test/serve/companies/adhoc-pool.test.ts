/** The child process: answers, crashes, time limits, a full queue, and no orphan. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { AdhocRequest } from '../../../builder/contract/adhoc.ts'
import { Problem } from '../../../builder/contract/problem.ts'
import { type AdhocEvent, type AdhocPool, createAdhocPool } from '../../../serve/adhoc-pool.ts'

const pool = suite('ad-hoc pool')
const child = fileURLToPath(new URL('adhoc-child.ts', import.meta.url))

function open(options: { atOnce?: number; greatestQueue?: number; timeLimitMs?: number } = {}) {
  const events: AdhocEvent[] = []
  const it = createAdhocPool({ child, log: (event) => events.push(event), ...options })
  return { it, events, of: (name: AdhocEvent['event']) => events.filter(({ event }) => event === name) }
}

const ask = async (it: AdhocPool, what: string): Promise<string> =>
  (await it.answer(request(what))).toString()
const request = (classId: string): AdhocRequest => ({
  snapshotsRoot: '/nowhere',
  company: 'acme',
  snapshotId: '2025-06-r1-abcdef',
  manifestSha256: '0'.repeat(64),
  query: {
    kind: 'metrics',
    metricIds: [],
    budgetId: null,
    classId,
    departmentId: null,
    startDate: '2024-01-02',
    endDate: '2024-01-31',
  },
})

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

const outcome = (answer: Promise<string>): Promise<unknown> =>
  answer.then(
    (text) => text,
    (problem) => (problem instanceof Problem ? problem.code : problem.message),
  )

pool('starts on the first question, answers many with one child, and leaves none behind', async () => {
  const { it, events, of } = open({ atOnce: 2 })
  assert.is(events.length, 0)
  const texts = await Promise.all(Array.from({ length: 20 }, (_, i) => ask(it, `q${i}`)))
  assert.equal(
    texts,
    Array.from({ length: 20 }, (_, i) => `acme q${i}`),
  )
  const pid = Number(await ask(it, 'pid'))
  assert.is(of('adhoc-started').length, 1)
  await it.close()
  assert.is(isAlive(pid), false)
  assert.match(String(await outcome(ask(it, 'x'))), 'overloaded')
})

pool('a failure is that query’s own', async () => {
  const { it, of } = open()
  assert.match(String(await outcome(ask(it, 'fail'))), 'no such table')
  assert.is(await ask(it, 'x'), 'acme x')
  assert.is(of('adhoc-started').length, 1)
  await it.close()
})

pool('a query that ends the child twice is given up; the others are answered', async () => {
  const { it, of } = open({ atOnce: 1 })
  const results = await Promise.all(['die', 'a', 'b'].map((what) => outcome(ask(it, what))))
  assert.match(String(results[0]), 'ended while it had this query')
  assert.equal(results.slice(1), ['acme a', 'acme b'])
  assert.is(of('adhoc-ended').length, 2)
  await it.close()
})

pool('a query beyond the time limit is 503, the child replaced, the others answered', async () => {
  const { it, of } = open({ atOnce: 2, timeLimitMs: 3000 })
  const pid = Number(await ask(it, 'pid'))
  const results = await Promise.all(['hang', 'a', 'b'].map((what) => outcome(ask(it, what))))
  assert.equal(results, ['overloaded', 'acme a', 'acme b'])
  assert.is.not(Number(await ask(it, 'pid')), pid)
  assert.is(isAlive(pid), false)
  assert.is(of('adhoc-time-limit').length, 1)
  await it.close()
})

pool('a full queue refuses at once, with Retry-After', async () => {
  const { it } = open({ atOnce: 1, greatestQueue: 2 })
  const [, , , refused] = await Promise.allSettled(['late', 'a', 'b', 'c'].map((what) => ask(it, what)))
  assert.is(refused?.status, 'rejected')
  const problem = (refused as PromiseRejectedResult).reason as Problem
  assert.is(problem.status, 503)
  assert.match(problem.headers['Retry-After'] ?? '', /^\d+$/)
  assert.is(await ask(it, 'd'), 'acme d')
  await it.close()
})

pool('closing answers what waits with an error, and may happen before the first question', async () => {
  const { it } = open({ atOnce: 1 })
  const results = ['hang', 'a'].map((what) => outcome(ask(it, what)))
  await it.close()
  for (const result of await Promise.all(results)) assert.match(String(result), /stopped|ended/)
  await open().it.close()
})

pool('a parent that is killed, or that exits, leaves no child behind', async () => {
  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    const parent = fork(fileURLToPath(new URL('adhoc-parent.ts', import.meta.url)), [child])
    const ended = once(parent, 'exit')
    const [pid] = (await once(parent, 'message')) as [number]
    assert.is(isAlive(pid), true)
    parent.kill(signal)
    await ended
    for (let i = 0; i < 500 && isAlive(pid); i++) await new Promise((resolve) => setTimeout(resolve, 10))
    assert.is(isAlive(pid), false, signal)
  }
})

pool.run()
