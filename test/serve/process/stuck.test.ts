/** Processes that neither end nor answer: blocked, stopped, or suspended with the whole machine. */

import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { watch } from '../../../serve/process/stuck.ts'
import { fresh, hasEnded, type Served, served } from './served.ts'

const test = suite('processes that are stuck')

const BEAT_MS = 2
const PATIENCE = 5
const watched = (alive: () => Promise<unknown>) => {
  let isStuck = false
  const end = watch(
    { alive, patience: () => PATIENCE },
    () => {
      isStuck = true
    },
    BEAT_MS,
  )
  return { isStuck: () => isStuck, end }
}

test('whoever never answers is found', async () => {
  let asked = 0
  const { isStuck } = watched(() => {
    asked++
    return new Promise(() => {})
  })
  while (!isStuck()) await wait(BEAT_MS)
  assert.is(asked, 1, 'it is not asked again while it owes an answer')
})

test('whoever answers, though late, is not', async () => {
  let asked = 0
  const open: (() => void)[] = []
  const { isStuck, end } = watched(() => {
    asked++
    return new Promise<void>((resolve) => open.push(resolve))
  })
  while (asked < 20) {
    await wait(BEAT_MS)
    open.pop()?.()
  }
  end()
  assert.not(isStuck())
})

test('nobody is found stuck because whoever asks was held up', async () => {
  const cell = new Int32Array(new SharedArrayBuffer(4))
  let asked = 0
  const { isStuck, end } = watched(async () => {
    asked++
  })
  while (asked < 20) {
    await wait(BEAT_MS)
    Atomics.wait(cell, 0, 0, 4 * PATIENCE * BEAT_MS)
  }
  end()
  assert.not(isStuck())
})

/** On connections of their own; none may fail, and none may wait for the process that is stuck. */
async function answersOf({ address }: Served, until: () => boolean): Promise<number> {
  let answers = 0
  for (; !until(); answers++) assert.is((await fresh(`${address}/healthz`)).status, 200)
  return answers
}

const BLOCK = fileURLToPath(new URL('block.cjs', import.meta.url))

/** A process that is told to stop may still take a connection before it does. */
async function isStill({ seen }: Served, pid: number, signal: NodeJS.Signals): Promise<void> {
  if (signal === 'SIGUSR2') await seen((line) => line.event === 'blocked' && line.process === pid)
  else while (!/^State:\s+T/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))) await wait(5)
}

for (const [what, signal] of [
  ['stopped', 'SIGSTOP'],
  ['blocked', 'SIGUSR2'],
] as const)
  test(`a process that is ${what} is killed and replaced, and the others answer all the time`, async () => {
    const server = await served(3, '', undefined, { NODE_OPTIONS: `--require ${BLOCK}` })
    try {
      const [victim] = server.pids()
      let isReplaced = false
      const replaced = server
        .seen(({ event }) => event === 'process-started', 4)
        .then((lines) => {
          isReplaced = true
          return lines
        })
      // Waited for at the end; what fails before that is told instead of it.
      replaced.catch(() => {})
      process.kill(victim!, signal)
      await isStill(server, victim!, signal)
      // None of several at once is given to it, either.
      const given = await Promise.all(Array.from({ length: 3 }, () => fresh(`${server.address}/healthz`)))
      assert.equal(
        given.map(({ status }) => status),
        [200, 200, 200],
      )
      assert.ok((await answersOf(server, () => isReplaced)) > 0)
      const [stuck] = await server.seen(({ event }) => event === 'process-stuck')
      assert.is(stuck!.pid, victim)
      const [ended] = await server.seen(({ event }) => event === 'process-ended')
      assert.equal([ended!.pid, ended!.how], [victim, 'SIGKILL'])
      await hasEnded(victim!)
      await replaced
      assert.is(server.lines.filter(({ event }) => event === 'process-ended').length, 1)
    } finally {
      assert.is(await server.end(), 0)
      server.built.remove()
    }
  })

test.run()
