/** What must hold of every store, whatever keeps its records; each kind of store runs all of it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { z } from 'zod'
import { PINS } from '../../../serve/companies/pin.ts'
import { forgetOver } from '../../../serve/store/forgetting.ts'
import { readCopy } from '../../../serve/store/lmdb-store.ts'
import type { RecordKind, Store } from '../../../serve/store/store.ts'
import type { Test } from '../../suite.ts'

const note = z.object({ owner: z.string(), text: z.string(), until: z.number().optional() })
type Note = z.output<typeof note>
export const NOTES: RecordKind<Note> = {
  name: 'notes',
  schema: note,
  keeps: 'durable',
  ownerOf: ({ owner }) => owner,
  forgottenAt: ({ until }) => until ?? null,
}

/** Opens the same records once more, as another process would; they are closed after the test. */
export type Opening = (...kinds: RecordKind<unknown>[]) => Promise<Store>

export const keysOf = async (store: Store, owner: string): Promise<string[]> =>
  (await store.ofOwner(NOTES, owner)).map(({ key }) => key).sort()

const DAY_MS = 24 * 3600 * 1000

/** `opening` opens what is empty at the beginning of each test. */
export function declareStoreTests(test: Test, opening: Opening): void {
  const notes = () => opening(NOTES)

  test('what is written is found by key and by owner, also after a record changes hands', async () => {
    const store = await notes()
    await store.write(async (change) => {
      change.put(NOTES, 'a', { owner: 'ann', text: '1' })
      change.put(NOTES, 'b', { owner: 'ann', text: '2' })
      change.put(NOTES, 'c', { owner: 'anna', text: '3' })
    })
    assert.equal(await keysOf(store, 'ann'), ['a', 'b'])
    await store.write(async (change) => {
      change.put(NOTES, 'a', { owner: 'bob', text: '1' })
      change.remove(NOTES, 'b')
    })
    assert.equal([await keysOf(store, 'ann'), await keysOf(store, 'bob')], [[], ['a']])
    assert.equal(await store.get(NOTES, 'a'), { owner: 'bob', text: '1' })
    assert.equal(await store.get(NOTES, 'c'), { owner: 'anna', text: '3' })
    assert.equal(store.known(NOTES, 'c'), { owner: 'anna', text: '3' })
    assert.is(await store.get(NOTES, 'b'), undefined)
  })

  test('a write sees what stood before it, and does all or nothing', async () => {
    const store = await notes()
    const failed = await store
      .write(async (change) => {
        change.put(NOTES, 'a', { owner: 'ann', text: '1' })
        assert.is(await change.get(NOTES, 'a'), undefined)
        throw new RangeError('thought better of it')
      })
      .catch((problem: unknown) => problem)
    assert.instance(failed, RangeError)
    assert.equal(await store.all(NOTES), [])
    await store.write(async (change) => change.put(NOTES, 'a', { owner: 'ann', text: '1' }))
    assert.is((await store.all(NOTES)).length, 1, 'the next write goes on')
  })

  test('a write whose records another process changes meanwhile is decided again', async () => {
    const [here, there] = [await notes(), await notes()]
    let decided = 0
    const result = await here.write(async (change) => {
      const before = await change.get(NOTES, 'a')
      if (decided++ === 0)
        await there.write(async (other) => other.put(NOTES, 'a', { owner: 'bob', text: 'there' }))
      change.put(NOTES, 'a', { owner: 'ann', text: `${before?.text ?? 'nothing'} and here` })
      return before?.text ?? null
    })
    assert.equal([result, decided], ['there', 2])
    assert.is((await there.get(NOTES, 'a'))?.text, 'there and here')
    assert.equal([await keysOf(there, 'bob'), await keysOf(there, 'ann')], [[], ['a']])
  })

  test('a write that counts an owner’s records is decided again where there is one more', async () => {
    const [here, there] = [await notes(), await notes()]
    let decided = 0
    await here.write(async (change) => {
      const count = (await change.ofOwner(NOTES, 'ann')).length
      // The other one depends on the count, so that neither order of the two explains both.
      if (decided++ === 0)
        await there.write(async (other) => {
          if ((await other.get(NOTES, 'count')) === undefined)
            other.put(NOTES, 'a', { owner: 'ann', text: 'there' })
        })
      change.put(NOTES, 'count', { owner: 'bob', text: String(count) })
    })
    assert.equal([decided, (await here.get(NOTES, 'count'))?.text], [2, '1'])
  })

  test('many who add one to the same record lose none', async () => {
    const stores = [await notes(), await notes()]
    const add = (store: Store): Promise<void> =>
      store.write(async (change) => {
        const count = Number((await change.get(NOTES, 'n'))?.text ?? 0)
        change.put(NOTES, 'n', { owner: 'ann', text: String(count + 1) })
      })
    await Promise.all(Array.from({ length: 60 }, (_, i) => add(stores[i % 2]!)))
    for (const store of stores) assert.is((await store.get(NOTES, 'n'))?.text, '60')
  })

  test('one write cannot change what is durable and what is passing: nothing is done', async () => {
    const store = await opening(NOTES, PINS)
    const mixed = await store
      .write(async (change) => {
        change.put(NOTES, 'a', { owner: 'ann', text: '1' })
        change.put(PINS, 'g acme', { snapshotId: 's', since: 1, last: 1 })
      })
      .catch((problem: Error) => problem.message)
    assert.match(String(mixed), /durable and passing/)
    assert.equal([await store.all(NOTES), await store.all(PINS)], [[], []])
  })

  test('what was read before is not older than what this process wrote', async () => {
    const store = await notes()
    for (const text of ['1', '2']) {
      await store.write(async (change) => change.put(NOTES, 'a', { owner: 'ann', text }))
      assert.is((store.known(NOTES, 'a') ?? (await store.get(NOTES, 'a')))?.text, text)
    }
    await store.write(async (change) => change.remove(NOTES, 'a'))
    assert.is(store.known(NOTES, 'a') ?? (await store.get(NOTES, 'a')), undefined)
  })

  test('of an owner no more than three, however many are added at once', async () => {
    const stores = [await notes(), await notes()]
    await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        stores[i % 2]!.write(async (change) => {
          if ((await change.ofOwner(NOTES, 'ann')).length < 3)
            change.put(NOTES, `n${i}`, { owner: 'ann', text: '' })
        }),
      ),
    )
    assert.is((await keysOf(stores[0]!, 'ann')).length, 3)
  })

  test('what has ended is forgotten where two looks, a week apart, have found so', async () => {
    const store = await notes()
    const now = Date.now()
    await store.write(async (change) => {
      change.put(NOTES, 'over', { owner: 'ann', text: '', until: now - 1 })
      change.put(NOTES, 'lives', { owner: 'ann', text: '' })
    })
    const forget = (at: number): Promise<void> => forgetOver(store, [NOTES], at)
    for (const day of [0, 6]) await forget(now + day * DAY_MS)
    assert.equal(await keysOf(store, 'ann'), ['lives', 'over'])
    await forget(now + 7 * DAY_MS)
    assert.equal(await keysOf(store, 'ann'), ['lives'])
  })

  test('passing records are forgotten at the first look', async () => {
    const store = await opening(PINS)
    await store.write(async (change) => change.put(PINS, 'g acme', { snapshotId: 's', since: 1, last: 1 }))
    await store.forget(Date.now())
    assert.equal(await store.all(PINS), [])
  })

  test('a backup holds the durable records of one moment, and any store can be made of it', async () => {
    const store = await opening(NOTES, PINS)
    const folder = mkdtempSync(join(tmpdir(), 'tieout-backup-'))
    try {
      await store.write(async (change) => change.put(NOTES, 'a', { owner: 'ann', text: 'é – kept' }))
      await store.write(async (change) => change.put(PINS, 'g acme', { snapshotId: 's', since: 1, last: 1 }))
      await store.backup(folder)
      await store.write(async (change) => change.put(NOTES, 'a', { owner: 'ann', text: 'later' }))
      const copy = await readCopy(folder, [NOTES, PINS])
      assert.equal(copy.get(NOTES), [{ key: 'a', record: { owner: 'ann', text: 'é – kept' } }])
      assert.is(copy.has(PINS), false)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
}
