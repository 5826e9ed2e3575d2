/** How the memory of a machine is divided: nobody gets more than there is, and too little of it means fewer at once. */
import { availableParallelism } from 'node:os'
import * as assert from 'uvu/assert'
import { atOnceWithin, LEAST_MEMORY, portionOf, usualMemory } from '../../builder/system/machine.ts'
import { suite } from '../suite.ts'

const machine = suite('machine')
const MB = 1024 ** 2
const GB = 1024 * MB

/** What one of those who share it takes, as docs/limits.md states it. */
const taken = ({ threads, database }: ReturnType<typeof portionOf>): number =>
  300 * MB + (threads.count > 1 ? threads.count * threads.bytes : 0) + database.bytes

machine('processes, threads and databases together stay within the memory, whatever was asked for', () => {
  for (const memory of [LEAST_MEMORY, 600 * MB, GB, 4 * GB, 64 * GB])
    for (const jobs of [1, 3, 64])
      for (const workers of [1, 2, 8, 64]) {
        const share = atOnceWithin(memory, jobs)
        const portion = portionOf({ share, memory, workers })
        const where = `${memory / MB} MB, ${jobs} jobs, ${workers} workers`
        assert.ok(share >= 1 && share <= jobs, where)
        assert.ok(portion.threads.count >= 1 && portion.threads.count <= workers, where)
        assert.ok(portion.threads.bytes >= 80 * MB, where)
        assert.ok(portion.database.threads * 100 * MB <= portion.database.bytes, where)
        assert.ok(share * taken(portion) <= memory, where)
      }
})

machine('little memory means fewer companies at once, then fewer threads, then a smaller database', () => {
  assert.is(atOnceWithin(900 * MB, 8), 2)
  assert.is(atOnceWithin(LEAST_MEMORY, 8), 1)
  assert.is(portionOf({ memory: LEAST_MEMORY, workers: 8 }).threads.count, 1)
  assert.is(portionOf({ memory: LEAST_MEMORY + 240 * MB, workers: 8 }).threads.count, 3)
  assert.equal(portionOf({ memory: LEAST_MEMORY, workers: 8 }).database, { threads: 1, bytes: 100 * MB })
  assert.is(portionOf({ memory: 8 * GB, workers: 1 }).database.bytes, 8 * GB - 300 * MB)
  const { threads, database } = portionOf({ memory: 300 * MB + 8 * GB, workers: 4 })
  assert.equal([threads, database.bytes], [{ count: 4, bytes: GB / 2 }, 6 * GB])
})

machine(
  'unless it is stated, half of the memory is used, and a database gets 1500 MB at most, or 150 for each core',
  () => {
    assert.ok(usualMemory() > 0 && Number.isFinite(usualMemory()))
    assert.ok(portionOf({}).database.bytes <= Math.max(1500, 150 * availableParallelism()) * MB)
    assert.ok(portionOf({}).threads.count <= availableParallelism())
    assert.is(portionOf({ share: 1_000_000 }).threads.count, 1)
  },
)

machine('a container with less memory than the machine counts', () => {
  const { constrainedMemory } = process
  try {
    process.constrainedMemory = () => 900 * MB
    assert.is(usualMemory(), 450 * MB)
    assert.is(atOnceWithin(undefined, 8), 1)
    // Without a limit some systems say 0, others a number larger than any machine.
    for (const unlimited of [0, 2 ** 64]) {
      process.constrainedMemory = () => unlimited
      assert.ok(usualMemory() > 0 && usualMemory() < 2 ** 50, String(unlimited))
    }
  } finally {
    process.constrainedMemory = constrainedMemory
  }
})
