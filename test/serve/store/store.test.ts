/** The store in files of lmdb: what an earlier version left, damage, and a file that was moved away. */
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { open } from 'lmdb'
import * as assert from 'uvu/assert'
import { bootId } from '../../../builder/snapshot/log/lock.ts'
import { openPins, PINS } from '../../../serve/companies/pin.ts'
import { GRANTS, OAUTH_RECORDS, SESSIONS } from '../../../serve/oauth/state/records.ts'
import { openStore } from '../../../serve/store/lmdb-store.ts'
import { type RecordKind, type Store, StoreUnavailableError } from '../../../serve/store/store.ts'
import { suite } from '../../suite.ts'
import { declareStoreTests, NOTES } from './shared.ts'

const test = suite('store')

let state: string
let opened: Store[]
test.before.each(() => {
  state = join(mkdtempSync(join(tmpdir(), 'tieout-store-')), 'state')
  mkdirSync(state)
  opened = []
})
test.after.each(async () => {
  for (const store of opened) await store.close()
  rmSync(join(state, '..'), { recursive: true })
})
function opening(...kinds: RecordKind<unknown>[]): Store {
  const store = openStore(state, kinds)
  opened.push(store)
  return store
}
const notes = (): Store => opening(NOTES)

declareStoreTests(test, async (...kinds) => opening(...kinds))

/** As earlier versions wrote it: values as JSON, and nothing by which they are found but their keys. */
async function writtenBefore(records: Record<string, Record<string, unknown>>): Promise<void> {
  const path = join(state, 'oauth', 'state')
  mkdirSync(path, { recursive: true, mode: 0o700 })
  const environment = open(path, { encoding: 'json' })
  for (const [name, entries] of Object.entries(records)) {
    const table = environment.openDB<unknown, string>(name, { encoding: 'json' })
    for (const [key, record] of Object.entries(entries)) await table.put(key, record)
  }
  await environment.close()
}
const GRANT = {
  clientId: 'reports',
  userId: 'ann',
  password: 'mark',
  scopes: ['openid'],
  companies: ['acme'],
  createdAt: 1,
  expiresAt: 2e12,
  idleExpiresAt: 2e12,
  usedAt: 1,
  revokedAt: null,
  head: 3,
}
const SESSION = { userId: 'ann', password: 'mark', signedInAt: 1, seenAt: 1 }

test('what an earlier version kept is found; nothing of it is lost', async () => {
  await writtenBefore({
    grants: { g1: GRANT, g2: { ...GRANT, userId: 'bob' } },
    sessions: { s1: SESSION },
    'seen-over': { 'grants g1': 7 },
  })
  const first = openStore(state, OAUTH_RECORDS)
  opened.push(first)
  assert.equal(await first.get(GRANTS, 'g1'), GRANT)
  assert.equal(await first.ofOwner(GRANTS, 'bob'), [{ key: 'g2', record: { ...GRANT, userId: 'bob' } }])
  assert.equal(await first.ofOwner(SESSIONS, 'ann'), [{ key: 's1', record: SESSION }])
})

test('a record that is none of its kind is damage, found when the store is opened', async () => {
  await writtenBefore({ grants: { g1: { ...GRANT, head: 'three' } } })
  assert.throws(
    () => openStore(state, OAUTH_RECORDS),
    /oauth\/state cannot be read or is damaged; restore it/,
  )
})

test('pins lie where a version before has them, written as it wrote them', async () => {
  const store = opening(PINS)
  const pins = openPins(store, 600)
  await pins.hold('g', 'acme', 's1', null)
  const text = readFileSync(join(state, 'pins', bootId() ?? 'current', 'data.mdb'), 'latin1')
  assert.match(text, '{"snapshotId":"s1","since":')
})

test('a file that was moved away or replaced takes no writes, and is not in place; put back it goes on', async () => {
  const store = notes()
  const put = (text: string): Promise<unknown> =>
    store
      .write(async (change) => change.put(NOTES, 'a', { owner: 'ann', text }))
      .catch((problem: unknown) => problem)
  const inPlace = (): Promise<unknown> => store.requireInPlace().catch((problem: unknown) => problem)
  await put('1')
  const file = join(state, 'oauth', 'state', 'data.mdb')
  for (const replace of [() => {}, () => writeFileSync(file, 'another')]) {
    renameSync(file, `${file}.aside`)
    replace()
    const refused = [await put('2'), await inPlace()]
    for (const problem of refused) {
      assert.instance(problem, StoreUnavailableError)
      assert.match(String(problem), /moved away or replaced.*put it back/)
    }
    assert.is((await store.get(NOTES, 'a'))?.text, '1', 'what is there can still be read')
    renameSync(`${file}.aside`, file)
    assert.equal([await inPlace(), await put('1')], [undefined, undefined])
  }
})
