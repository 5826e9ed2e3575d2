/** The child process: answers, crashes, time limits, a full queue, and no orphan. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { constants, getPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import * as assert from 'uvu/assert'
import type { AdhocRequest } from '../../../builder/contract/adhoc.ts'
import { Problem } from '../../../builder/contract/problem.ts'
import { type AdhocEvent, AdhocPool } from '../../../serve/companies/adhoc-pool.ts'
import { suite } from '../../suite.ts'
import { CHILD_OPTIONS } from '../../support/child.ts'

const pool = suite('ad-hoc pool')
const child = fileURLToPath(new URL('adhoc-child.mjs', import.meta.url))

function open(options: ConstructorParameters<typeof AdhocPool>[0] = {}) {
  const events: AdhocEvent[] = []
  const it = new AdhocPool({ child, log: (event) => events.push(event), ...options })
  return { it, events, of: (name: AdhocEvent['event']) => events.filter(({ event }) => event === name) }
}

const ask = async (it: AdhocPool, what: string, signal?: AbortSignal): Promise<string> =>
  (await it.answer(request(what), signal)).toString()
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

async function untilDead(pid: number): Promise<void> {
  for (let i = 0; i < 1000 && isAlive(pid); i++) await new Promise((resolve) => setTimeout(resolve, 10))
  assert.is(isAlive(pid), false)
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
  // It gives way to this process, as far as one can still be nicer than that.
  assert.is(getPriority(pid), Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL))
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

pool('a query that ends every child is found and given up; those beside it are answered', async () => {
  const { it, of } = open({ atOnce: 3 })
  const results = await Promise.all(
    ['a', 'hold', 'die', 'hold', 'b', 'c'].map((what) => outcome(ask(it, what))),
  )
  assert.match(String(results[2]), 'ended each time')
  assert.equal(
    results.filter((_, i) => i !== 2),
    ['acme a', 'held', 'held', 'acme b', 'acme c'],
  )
  // Twice beside others, once alone.
  assert.is(of('adhoc-ended').length, 3)
  assert.is(of('adhoc-poisonous').length, 1)
  // It never gets a child again.
  assert.match(String(await outcome(ask(it, 'die'))), 'ended each time')
  assert.is(of('adhoc-ended').length, 3)
  await it.close()
})

pool('alone from the beginning it is found too; what waits long beside it is 503, never 500', async () => {
  const { it } = open({ atOnce: 1 })
  const results = await Promise.all(['die', 'a', 'b'].map((what) => outcome(ask(it, what))))
  assert.match(String(results[0]), 'ended each time')
  assert.equal(results.slice(1), ['acme a', 'acme b'])
  await it.close()
  const hasty = open({ atOnce: 4, longestWaitMs: 1 })
  const beside = await Promise.all(
    ['die', 'hold', 'hold', 'hold'].map((what) => outcome(ask(hasty.it, what))),
  )
  for (const result of beside.slice(1))
    assert.ok(['held', 'overloaded'].includes(String(result)), String(result))
  await hasty.it.close()
})

pool('a query beyond the time limit is 503, the child replaced, the others answered', async () => {
  const { it, of } = open({ atOnce: 2, timeLimitMs: 3000, graceMs: 1 })
  const pid = Number(await ask(it, 'pid'))
  const results = await Promise.all(['hang', 'a', 'b'].map((what) => outcome(ask(it, what))))
  assert.equal(results, ['overloaded', 'acme a', 'acme b'])
  await untilDead(pid)
  assert.is.not(Number(await ask(it, 'pid')), pid)
  assert.is(of('adhoc-time-limit').length, 1)
  await it.close()
})

pool('a query beyond the time limit is interrupted first: the child stays', async () => {
  const { it, of } = open({ atOnce: 1, timeLimitMs: 2500, graceMs: 60_000 })
  const pid = await ask(it, 'pid')
  assert.equal(await Promise.all(['sleep', 'a'].map((what) => outcome(ask(it, what)))), [
    'overloaded',
    'acme a',
  ])
  assert.is(await ask(it, 'pid'), pid)
  assert.is(of('adhoc-time-limit').length, 1)
  await it.close()
})

pool('books that load beyond the time limit go on loading; who asked is told to come back', async () => {
  const { it, of } = open({ atOnce: 2, timeLimitMs: 2500, graceMs: 1, loadLimitMs: 60_000 })
  const pid = await ask(it, 'pid')
  assert.is(await outcome(ask(it, 'load')), 'overloaded')
  assert.is(await ask(it, 'pid'), pid)
  assert.equal(it.load(), { waiting: 0, running: 1 })
  assert.is(of('adhoc-ended').length, 0)
  await it.close()
})

pool('books that never finish loading end the child', async () => {
  const { it } = open({ atOnce: 2, timeLimitMs: 2500, graceMs: 1, loadLimitMs: 2600 })
  const pid = Number(await ask(it, 'pid'))
  assert.is(await outcome(ask(it, 'load')), 'overloaded')
  await untilDead(pid)
  assert.is(await ask(it, 'x'), 'acme x')
  await it.close()
})

pool('who leaves takes the query along: out of the queue, or interrupted in the child', async () => {
  const { it, of } = open({ atOnce: 1, graceMs: 60_000 })
  const pid = await ask(it, 'pid')
  const [running, queued, gone] = [new AbortController(), new AbortController(), new AbortController()]
  const asked = [ask(it, 'sleep', running.signal), ask(it, 'sleep', queued.signal)].map(outcome)
  assert.equal(it.load(), { waiting: 1, running: 1 })
  queued.abort()
  assert.equal(it.load(), { waiting: 0, running: 1 })
  running.abort()
  for (const result of await Promise.all(asked)) assert.match(String(result), 'client has left')
  gone.abort()
  assert.match(String(await outcome(ask(it, 'x', gone.signal))), 'client has left')
  assert.is(await ask(it, 'pid'), pid)
  assert.is(of('adhoc-cancelled').length, 3)
  await it.close()
})

pool('a query beyond its memory is 503, the child stays', async () => {
  const { it, of } = open()
  const pid = await ask(it, 'pid')
  assert.is(await outcome(ask(it, 'memory')), 'overloaded')
  assert.is(await ask(it, 'pid'), pid)
  assert.is(of('adhoc-memory-limit').length, 1)
  await it.close()
})

pool('a child is replaced after so many answers, or when it is too large; no answer is lost', async () => {
  const { it, of } = open({ greatestQueueOfGrant: 200, atOnce: 3, recycleAfter: 10 })
  const pids = await Promise.all(Array.from({ length: 45 }, () => ask(it, 'pid')))
  assert.ok(new Set(pids).size >= 3)
  assert.ok(of('adhoc-recycled').length >= 3)
  await it.close()
  const large = open({ atOnce: 2, recycleBytes: 10 ** 9, greatestQueue: 200, greatestQueueOfGrant: 200 })
  const first = await Promise.all(Array.from({ length: 100 }, () => ask(large.it, 'large')))
  assert.is(new Set(first).size, 1)
  assert.is.not(await ask(large.it, 'pid'), first[0])
  await large.it.close()
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

pool('grants take turns: a hundred queries of one delay another by one', async () => {
  const { it } = open({ atOnce: 1 })
  const order: string[] = []
  const asked = (what: string, grantId: string): Promise<void> =>
    it.answer(request(what), undefined, grantId).then((body) => void order.push(body.toString()))
  const many = Array.from({ length: 20 }, (_, i) => asked(`many${i}`, 'g1'))
  const few = [asked('few0', 'g2'), asked('few1', 'g2')]
  await Promise.all([...many, ...few])
  assert.equal(order.map((text) => text.slice('acme '.length)).slice(0, 6), [
    'many0',
    'many1',
    'few0',
    'many2',
    'few1',
    'many3',
  ])
  await it.close()
})

pool('one grant has half of the queue, others the rest', async () => {
  const { it } = open({ atOnce: 1, greatestQueue: 4, greatestQueueOfGrant: 2 })
  const ask = (what: string, grantId: string): Promise<unknown> =>
    outcome(it.answer(request(what), undefined, grantId).then(String))
  const first = ['late', 'a', 'b', 'c'].map((what) => ask(what, 'g1'))
  const others = ['d', 'e', 'f'].map((what) => ask(what, 'g2'))
  assert.equal(await Promise.all(first), ['late', 'acme a', 'acme b', 'overloaded'])
  assert.equal(await Promise.all(others), ['acme d', 'acme e', 'overloaded'])
  await it.close()
})

pool('a query that waits too long is told so, and its place is free', async () => {
  const { it } = open({ atOnce: 1, longestWaitMs: 100 })
  const running = outcome(ask(it, 'hang'))
  assert.is(await outcome(ask(it, 'a')), 'overloaded')
  assert.equal(it.load(), { waiting: 0, running: 1 })
  await it.close()
  assert.match(String(await running), 'ended')
})

pool('closing answers what waits with an error, and may happen before the first question', async () => {
  const { it } = open({ atOnce: 1 })
  const results = ['hang', 'a'].map((what) => outcome(ask(it, what)))
  await it.close()
  for (const result of await Promise.all(results)) assert.match(String(result), /stopped|ended/)
  await open().it.close()
})

pool('a parent that is killed, or that exits, leaves no child behind', async () => {
  const ends = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<void> => {
    const parent = fork(fileURLToPath(new URL('adhoc-parent.ts', import.meta.url)), [child], {
      execArgv: [...CHILD_OPTIONS],
    })
    const ended = once(parent, 'exit')
    const [pid] = (await once(parent, 'message')) as [number]
    assert.is(isAlive(pid), true)
    parent.kill(signal)
    await ended
    await untilDead(pid)
  }
  await Promise.all([ends('SIGKILL'), ends('SIGTERM')])
})
