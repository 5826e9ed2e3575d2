/** The store in a real PostgreSQL: its schema, a database that is away or lost in the middle, and several servers. */

import * as assert from 'uvu/assert'
import { openPostgresStore, type PostgresStore } from '../../../serve/store/postgres/postgres-store.ts'
import { migrate, NEWEST } from '../../../serve/store/postgres/schema.ts'
import { type RecordKind, StoreUnavailableError } from '../../../serve/store/store.ts'
import { suite } from '../../suite.ts'
import { missing, type Postgres, startPostgres } from '../../support/postgres.ts'
import { declareStoreTests, NOTES } from './shared.ts'

const test = suite('store in PostgreSQL')
let postgres: Postgres
let url: string
let opened: PostgresStore[]
let databases = 0
test.before(async () => {
  postgres = await startPostgres()
  Object.assign(process.env, postgres.env)
})
test.after(() => postgres.remove())
test.before.each(async () => {
  url = await postgres.database(`state${++databases}`)
  opened = []
})
test.after.each(async () => {
  for (const store of opened) await store.close()
})

const opening = async (...kinds: RecordKind<unknown>[]): Promise<PostgresStore> => {
  const store = await openPostgresStore(url, kinds)
  opened.push(store)
  return store
}
const write = (store: PostgresStore, text: string): Promise<void> =>
  store.write(async (change) => change.put(NOTES, 'a', { owner: 'ann', text }))

declareStoreTests(test, opening)

test('servers that start at once make the schema once; a newer one is refused in words', async () => {
  const all = await Promise.all(Array.from({ length: 6 }, () => migrate(url)))
  assert.is(all.filter(({ from }) => from === 0).length, 1)
  assert.equal(await migrate(url), { from: NEWEST, to: NEWEST })
  await postgres.queryIn(url, 'UPDATE tieout_state.schema_version SET version = 99')
  const refused = await openPostgresStore(url, [NOTES]).catch((problem: Error) => problem.message)
  assert.match(
    String(refused),
    /has version 99 of the schema, and this program knows \d+: upgrade the program/,
  )
})

test('a user who may not make the schema is told who may; one who may only use it can serve', async () => {
  await postgres.queryIn(url, "CREATE ROLE serving LOGIN PASSWORD 'of-tests'").catch(() => {})
  const asServing = url.replace('tieout@', 'serving@')
  const refused = await openPostgresStore(asServing, [NOTES]).catch((problem: Error) => problem.message)
  assert.match(String(refused), /run "tieout state migrate" as the owner/)
  await migrate(url)
  await postgres.queryIn(url, 'GRANT USAGE ON SCHEMA tieout_state TO serving')
  await postgres.queryIn(
    url,
    'GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA tieout_state TO serving',
  )
  const store = await openPostgresStore(asServing, [NOTES])
  opened.push(store)
  await write(store, '1')
  assert.is((await store.get(NOTES, 'a'))?.text, '1')
})

test('while the database is away all fails in words, and what was read stays known; then it goes on', async () => {
  const store = await opening(NOTES)
  await write(store, '1')
  await store.get(NOTES, 'a')
  await postgres.kill()
  try {
    for (const ask of [() => store.all(NOTES), () => write(store, '2'), () => store.requireInPlace()]) {
      const problem = await (ask() as Promise<unknown>).catch((failed: unknown) => failed)
      assert.instance(problem, StoreUnavailableError)
      assert.match(String(problem), /nothing listens there|closed the connection|being stopped/)
    }
    assert.is(store.known(NOTES, 'a')?.text, '1')
  } finally {
    await postgres.start()
  }
  assert.is((await store.get(NOTES, 'a'))?.text, '1', 'what was written is there')
  await write(store, '3')
  assert.is((await store.get(NOTES, 'a'))?.text, '3')
})

test.needs(missing)
