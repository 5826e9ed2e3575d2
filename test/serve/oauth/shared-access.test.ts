/** Users and clients that several servers share: which text is in force, and for how long without the database. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { AccessUnreadableError } from '../../../builder/workspace/access/access.ts'
import {
  accessInStore,
  openSharedAccess,
  type SharedAccess,
} from '../../../serve/oauth/state/shared-access.ts'
import { OLDEST_MS, type Store, StoreUnavailableError } from '../../../serve/store/store.ts'
import { suite } from '../../suite.ts'
import { until } from '../../support/until.ts'
import { ACCESS_YAML } from './harness.ts'

const ANN_ONLY = ACCESS_YAML.replace(/ {2}- id: bob.*?(?=clients:)/s, '')

/** A store of this one record, which may be away. */
function oneRecord(first: string | null = null) {
  let yaml = first
  const it = { isAway: false, reads: 0 }
  const get = async () => {
    it.reads++
    if (it.isAway) throw new StoreUnavailableError('away')
    return yaml === null ? undefined : { yaml }
  }
  const put = (_kind: unknown, _key: string, record: { readonly yaml: string }) => {
    yaml = record.yaml
  }
  const store = {
    get,
    write: (action: (change: unknown) => Promise<unknown>) => action({ get, put }),
  } as unknown as Pick<Store, 'get' | 'write'>
  return Object.assign(it, { store, put: (text: string) => accessInStore(store).replace(yaml, text) })
}

const test = suite<{ folder: string; file: string; reports: string[]; opened: SharedAccess[] }>(
  'shared access',
)
test.before.each((it) => {
  it.folder = mkdtempSync(join(tmpdir(), 'tieout-access-'))
  it.file = join(it.folder, 'access.yaml')
  it.reports = []
  it.opened = []
})
test.after.each(({ opened }) => {
  for (const access of opened) access.close()
})

test('until there is a text in the database the file holds; from then on that text alone', async (it) => {
  const { store, put } = oneRecord()
  writeFileSync(it.file, ACCESS_YAML, { mode: 0o600 })
  const report = (findings: readonly { readonly code: string }[]) =>
    void it.reports.push(...findings.map(({ code }) => code))
  const access = await openSharedAccess(store, it.file, report, { readEveryMs: 5 })
  it.opened.push(access)
  assert.ok(access.user('bob'))
  assert.equal(it.reports, [])
  assert.is(await put(ANN_ONLY), true)
  await until(() => assert.is(access.user('bob'), undefined))
  assert.ok(access.userByEmail('ANN@example.com'))
  assert.ok(access.client('reports'))
  assert.equal(access.companiesOf('ann'), ['acme', 'beta', 'gone'])
  assert.equal(it.reports, ['access-not-read'], 'told once')
  writeFileSync(it.file, 'users: []')
  assert.ok(access.user('ann'))
})

test('a text that is not valid changes nothing, and is told', async (it) => {
  const record = oneRecord(ANN_ONLY)
  const { store, put } = record
  const report = (findings: readonly { readonly file: string | null }[]) =>
    void it.reports.push(...findings.map(({ file }) => String(file)))
  const access = await openSharedAccess(store, it.file, report, { readEveryMs: 5 })
  it.opened.push(access)
  await put('users: [{ id: bob, shoeSize: 43 }]')
  await until(() => assert.ok(access.findings().length > 0))
  assert.ok(access.user('ann'))
  assert.ok(it.reports.every((file) => file === 'access.yaml in the database'))
  const told = it.reports.length
  const { reads } = record
  await until(() => assert.ok(record.reads > reads + 3))
  assert.is(it.reports.length, told, 'once')
  await put(ACCESS_YAML)
  await until(() => assert.ok(access.user('bob')))
  assert.equal(access.findings(), [])
})

test('without the database what was read holds for five seconds, then nobody is let in', async (it) => {
  const record = oneRecord(ANN_ONLY)
  let at = 0
  const access = await openSharedAccess(record.store, it.file, () => {}, { now: () => at, readEveryMs: 5 })
  it.opened.push(access)
  record.isAway = true
  at += OLDEST_MS - 1
  assert.ok(access.user('ann'))
  at += 1
  for (const ask of [() => access.user('ann'), () => access.companiesOf('ann'), () => access.findings()])
    assert.throws(ask, (problem: unknown) => problem instanceof AccessUnreadableError)
  record.isAway = false
  await until(() => assert.ok(access.user('ann')))
})

test('two who change it at once: one is told to try again', async () => {
  const { store } = oneRecord(ANN_ONLY)
  const place = accessInStore(store)
  const text = await place.read()
  assert.equal(
    [await place.replace(text, ACCESS_YAML), await place.replace(text, ''), await place.read()],
    [true, false, ACCESS_YAML],
  )
})
