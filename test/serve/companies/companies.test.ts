/** Which snapshot is read: new ones are noticed, damaged ones refused, a sync keeps the one it began with. */
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { INFO, snapshotFolder } from '../../../builder/snapshot/files/layout.ts'
import { useSnapshot } from '../../../builder/snapshot/log/use.ts'
import { changeOptions } from '../../../builder/snapshot/signing/change-options.ts'
import { CompanyAnswers } from '../../../serve/companies/answers.ts'
import { Companies } from '../../../serve/companies/companies.ts'
import type { CompanyEvent } from '../../../serve/companies/company.ts'
import { openPins, PINS } from '../../../serve/companies/pin.ts'
import { FOLDER } from '../../../serve/companies/source.ts'
import { openStore } from '../../../serve/store/lmdb-store.ts'
import { suite } from '../../suite.ts'
import { buildIn, CHART, COMPANY, companyYaml, inWorkspace, ledgerCsv } from '../../support/workspace.ts'
import { client } from '../http/client.ts'
import { stand } from '../http/stand.ts'
import { point, publish, temporaryFolder } from './fixture.ts'

const companies = suite('companies')
const ROWS = '1 2025-01-15 bank 1.00; 1 2025-01-15 sales -1.00'

function open() {
  const folder = temporaryFolder()
  const events: CompanyEvent[] = []
  let time = 0
  const it = new Companies({
    snapshots: folder.path,
    now: () => time,
    log: (event) => events.push(event),
  })
  return {
    ...folder,
    it,
    events,
    pass: (ms: number) => {
      time += ms
    },
  }
}

companies('a new snapshot and a new company are noticed without a restart', async () => {
  const { path, remove, it, pass } = open()
  assert.is(await it.current('acme'), null)
  const first = publish(path, { id: 'acme' })
  // Looked a moment ago.
  assert.is(await it.current('acme'), null)
  pass(250)
  assert.is((await it.current('acme'))?.snapshot.id, first)
  const second = publish(path, { id: 'acme', revision: 2, shift: 1 })
  assert.is((await it.current('acme'))?.snapshot.id, first)
  pass(250)
  assert.is((await it.current('acme'))?.snapshot.id, second)
  assert.is((await it.named('acme', first))?.snapshot.id, first)
  publish(path, { id: 'bare', bare: true })
  pass(250)
  await it.refresh()
  assert.equal(
    it.list().map(({ id, name }) => [id, name]),
    [
      ['acme', 'Company acme'],
      ['bare', 'Company bare'],
    ],
  )
  remove()
})

companies('a damaged new snapshot keeps the old one serving and is reported once', async () => {
  const { path, remove, it, pass, events } = open()
  const first = publish(path, { id: 'acme' })
  await it.refresh()
  const second = publish(path, { id: 'acme', revision: 2, shift: 1 })
  const info = join(snapshotFolder(path, 'acme', second), INFO)
  chmodSync(info, 0o644)
  writeFileSync(info, '{"Id":"acme","Name":"Forged"}')
  for (let i = 0; i < 3; i++) {
    pass(250)
    assert.is((await it.current('acme'))?.snapshot.id, first)
  }
  assert.equal(it.health(), [{ id: 'acme', available: false }])
  const refused = events.filter(({ event }) => event === 'snapshot-refused')
  assert.is(refused.length, 1)
  assert.match(refused[0]?.reason ?? '', 'info.json')
  const third = publish(path, { id: 'acme', revision: 3, shift: 2 })
  pass(250)
  assert.is((await it.current('acme'))?.snapshot.id, third)
  assert.equal(it.health(), [{ id: 'acme', available: true }])
  remove()
})

companies(
  'a manifest that is not the pointer’s, a pointer to nothing, a broken pointer: refused',
  async () => {
    const { path, remove, it, pass, events } = open()
    const first = publish(path, { id: 'acme' })
    await it.refresh()
    point(path, 'acme', first, '0'.repeat(64))
    pass(250)
    assert.is((await it.current('acme'))?.snapshot.id, first)
    point(path, 'acme', '2025-06-r7-abcdef', '0'.repeat(64))
    pass(250)
    assert.is((await it.current('acme'))?.snapshot.id, first)
    writeFileSync(join(path, 'acme', 'current.json'), '{"SnapshotId":')
    pass(250)
    assert.is((await it.current('acme'))?.snapshot.id, first)
    assert.is(events.filter(({ event }) => event === 'snapshot-refused').length, 3)
    remove()
  },
)

companies(
  'a company whose only snapshot is damaged is not available, and an error, never empty',
  async () => {
    const { path, remove, it } = open()
    const only = publish(path, { id: 'acme' })
    point(path, 'acme', only, '0'.repeat(64))
    await it.refresh()
    assert.equal(it.health(), [{ id: 'acme', available: false }])
    assert.equal(it.list(), [])
    await it.current('acme').then(
      () => assert.unreachable('a damaged snapshot was served'),
      (problem) => assert.match(problem.message, 'manifest.json'),
    )
    remove()
  },
)

companies('a broken pointer of one company is no trouble of the others', async () => {
  const { path, remove, it } = open()
  publish(path, { id: 'acme' })
  publish(path, { id: 'bare', bare: true })
  writeFileSync(join(path, 'acme', 'current.json'), '{"SnapshotId":')
  mkdirSync(join(path, 'empty'))
  writeFileSync(join(path, 'README.md'), 'a file')
  await it.refresh()
  assert.equal(
    it.list().map(({ id }) => id),
    ['bare'],
  )
  assert.equal(it.health(), [
    { id: 'acme', available: false },
    { id: 'bare', available: true },
  ])
  assert.is(await it.current('empty'), null)
  remove()
})

const PL = '/companies/acme/profit-loss?StartDate=2024-01-01&EndDate=2024-01-31&AccountingBasis=ACCRUAL'

companies('a sync never sees a mixture; an explicit SnapshotId wins and moves no pin', async () => {
  const it = await stand()
  const again = client(it.base, 'again')
  const second = client(it.base, 'second')
  const idOf = async (ask: typeof again, path: string): Promise<string | null> =>
    (await ask(path)).headers.get('snapshot-id')

  const old = await idOf(it.ask, '/companies/acme/info')
  const next = publish(it.root, { id: 'acme', revision: 2, shift: 100, accounts: 250 })
  assert.is(await idOf(it.ask, PL), old)
  // Another token of the same grant, as after a refresh in mid-sync.
  assert.is(await idOf(again, '/companies/acme/chart-of-accounts?limit=1'), old)
  assert.is(await idOf(second, PL), next)
  assert.is(await idOf(it.ask, `${PL}&SnapshotId=${next}`), next)
  for (let second = 7; second < 600; second += 7) {
    it.advance(7)
    assert.is(await idOf(it.ask, PL), old)
  }
  it.advance(7)
  assert.is(await idOf(it.ask, PL), next)
  assert.is((await it.ask(PL)).json.Data[0].Values[0], 1001.5)
  const listed = (await it.ask('/companies/acme/snapshots')).json.Data
  assert.equal(
    listed.map((entry: { SnapshotId: string; IsCurrent: boolean }) => [entry.SnapshotId, entry.IsCurrent]),
    [
      [next, true],
      [old, false],
    ],
  )
  await it.close()
})

companies('a poll every twelve seconds is answered from what was published or used meanwhile', async () => {
  const it = await stand()
  const snapshotOf = async (path = '/companies/acme/info', etag = '') => {
    const { status, headers } = await it.ask(path, { headers: { 'If-None-Match': etag } })
    return [
      status,
      headers.get('snapshot-id'),
      headers.get('snapshot-current'),
      headers.get('etag')!,
    ] as const
  }
  const [, old, , etag] = await snapshotOf(PL)
  assert.equal((await snapshotOf(PL, etag)).slice(0, 3), [304, old, old])
  const next = publish(it.root, { id: 'acme', revision: 2, shift: 100, accounts: 250 })
  const page = '/companies/acme/chart-of-accounts?limit=100&offset='
  assert.equal((await snapshotOf(`${page}0`)).slice(0, 3), [200, old, next])
  it.advance(12)
  // A later page belongs to the sync before the pause.
  assert.equal((await snapshotOf(`${page}100`)).slice(0, 3), [200, old, next])
  it.advance(12)
  assert.equal((await snapshotOf(PL, etag)).slice(0, 3), [200, next, next])
  const files = `/companies/acme/snapshots/${old}/files/info.json`
  assert.equal((await snapshotOf(files)).slice(0, 3), [200, old, next])
  await it.close()
})

companies('`tieout use` ends the syncs that read what it withdraws, at once', () =>
  inWorkspace(
    { 'company.yaml': companyYaml(), 'chart.csv': CHART, 'ledger.csv': ledgerCsv(ROWS) },
    async (workspace) => {
      const build = async (): Promise<string> => (await buildIn(workspace, COMPANY)).result.snapshotId!
      const { snapshots, datasets } = workspace
      const first = await build()
      writeFileSync(
        join(datasets, COMPANY, 'ledger.csv'),
        ledgerCsv(`${ROWS}\n2 2025-01-16 bank 2.00; 2 2025-01-16 sales -2.00`),
      )
      const second = await build()
      const store = openStore(workspace.state, [PINS])
      const answers = new CompanyAnswers({
        snapshots,
        companies: new Companies({ snapshots, recheckMs: 0 }),
        pins: openPins(store, 600),
        adhoc: { answer: () => Promise.reject(new Error('nothing is computed here')) },
      })
      const read = async (): Promise<string | null> =>
        (await answers.info({ grantId: 'g', company: COMPANY }, { snapshotId: null })).snapshotId
      const use = async (id: string) =>
        useSnapshot(snapshots, COMPANY, id, 'the second one was wrong', await changeOptions(workspace))
      assert.is(await read(), second)
      for (const id of [first, second, first]) {
        await use(id)
        assert.is(await read(), id)
      }
      await store.close()
    },
  ),
)

companies('a pinned snapshot that retention removed gives way to the current one', async () => {
  const it = await stand()
  const old = (await it.ask('/companies/acme/info')).headers.get('snapshot-id')!
  const names = Array.from({ length: 6 }, (_, i) =>
    publish(it.root, { id: 'acme', revision: 2 + i, shift: 1 + i }),
  )
  // Others are read meanwhile, so that the pinned one is no longer held open.
  const second = client(it.base, 'second')
  for (const name of names) assert.is((await second(`${PL}&SnapshotId=${name}`)).status, 200)
  rmSync(snapshotFolder(it.root, 'acme', old), { recursive: true })
  const reply = await it.ask(PL)
  assert.is(reply.status, 200)
  assert.is(reply.headers.get('snapshot-id'), names.at(-1))
  await it.close()
})

companies('the list of snapshots is newest first and leaves out what cannot be read', async () => {
  const { path, remove, it, events } = open()
  const ids = [
    publish(path, { id: 'acme', month: '2025-05', revision: 2 }),
    publish(path, { id: 'acme', month: '2025-06', revision: 9, shift: 1 }),
    publish(path, { id: 'acme', month: '2025-06', revision: 10, shift: 2 }),
  ]
  mkdirSync(join(path, 'acme', '2025-04-r1-abcdef'))
  mkdirSync(join(path, 'acme', '.stage-2025-07-r1-abcdef'))
  const versions = await it.versions('acme')
  assert.equal(
    versions.map(({ id, current }) => [id, current]),
    [
      [ids[2], true],
      [ids[1], false],
      [ids[0], false],
    ],
  )
  assert.is(events.filter(({ snapshotId }) => snapshotId === '2025-04-r1-abcdef').length, 1)
  assert.equal(await it.versions('nowhere'), [])
  remove()
})

companies('a document changed after publication is never served', async () => {
  const it = await stand()
  const id = (await it.ask('/companies/acme/info')).headers.get('snapshot-id')!
  const file = join(
    snapshotFolder(it.root, 'acme', id),
    'statements/profit-loss/accrual/actuals/all/all.json',
  )
  writeFileSync(file, '{"forged":1}')
  const reply = await it.ask(PL)
  assert.is(reply.status, 503)
  assert.is(reply.json.code, 'company-unavailable')
  assert.match(reply.headers.get('retry-after')!, /^\d+$/)
  assert.not.match(reply.text, /forged|statements/)
  assert.equal(it.events.filter(({ event }) => event === 'company-failing').length, 1)
  assert.is((await it.ask('/companies/bare/info')).status, 200)
  assert.is((await it.ask('/readyz')).status, 200)
  assert.ok(it.entries.some(({ reason }) => reason?.includes('changed after publication')))
  await it.close()
})

companies('a document that another process of the server mended just now is read again', async () => {
  const damaged: { path: string; text: string } = { path: '', text: '' }
  let looks = 0
  const it = await stand(undefined, {
    source: {
      ...FOLDER,
      mend: async () => {
        looks++
        // The other process had the lock, so that nothing is left to mend for this one.
        writeFileSync(damaged.path, damaged.text)
        return 'whole'
      },
    },
  })
  const id = (await it.ask('/companies/acme/info')).headers.get('snapshot-id')!
  damaged.path = join(
    snapshotFolder(it.root, 'acme', id),
    'statements/profit-loss/accrual/actuals/all/all.json',
  )
  damaged.text = readFileSync(damaged.path, 'utf8')
  writeFileSync(damaged.path, '{"forged":1}')
  assert.is((await it.ask(PL)).status, 200)
  assert.equal(
    it.events.filter(({ event }) => event === 'company-failing' || event === 'snapshot-mended'),
    [],
  )
  assert.is(looks, 1)
  await it.close()
})

companies('S13: a pointer that cannot be read is 503, not 404, and pins stay', async () => {
  const it = await stand()
  const pointer = join(it.root, 'acme', 'current.json')
  const first = (await it.ask('/companies/acme/info')).headers.get('snapshot-id')!
  publish(it.root, { id: 'acme', revision: 2, shift: 5 })
  const text = readFileSync(pointer)
  // Reading it is an error other than ENOENT, also for root, whom no mode keeps out.
  rmSync(pointer)
  mkdirSync(pointer)
  for (let i = 0; i < 3; i++) {
    it.advance(1)
    for (const path of ['/companies/acme/info', '/companies/acme/snapshots']) {
      const { status, headers, json } = await it.ask(path)
      assert.equal([status, json.code], [503, 'company-unavailable'])
      assert.match(headers.get('retry-after')!, /^\d+$/)
    }
  }
  assert.is((await it.ask('/companies/bare/info')).status, 200)
  assert.is((await it.ask('/readyz')).status, 200)
  assert.is(it.events.filter(({ event }) => event === 'company-unreadable').length, 1)
  rmSync(pointer, { recursive: true })
  writeFileSync(pointer, text)
  it.advance(1)
  assert.is((await it.ask('/companies/acme/info')).headers.get('snapshot-id'), first)
  // Whoever begins now reads the new one.
  assert.is.not((await it.ask('/companies/acme/info', { token: 'second' })).headers.get('snapshot-id'), first)
  // Gone is something else.
  rmSync(pointer)
  it.advance(1)
  assert.is((await it.ask('/companies/acme/info')).status, 404)
  await it.close()
})

companies('S13: where the folder of all companies cannot be read, those that are known go on', async () => {
  const it = await stand()
  assert.is((await it.ask('/companies/acme/info')).status, 200)
  const elsewhere = `${it.root}-elsewhere`
  renameSync(it.root, elsewhere)
  // A loop of links: no error that means "not there".
  symlinkSync(it.root, it.root)
  try {
    it.advance(1)
    assert.is((await it.ask('/companies/acme/info')).status, 503)
    assert.is((await it.ask('/companies/ghost/info')).status, 503)
    assert.is((await it.ask('/healthz')).status, 200)
  } finally {
    rmSync(it.root)
    renameSync(elsewhere, it.root)
  }
  it.advance(1)
  assert.is((await it.ask('/companies/acme/info')).status, 200)
  assert.is((await it.ask('/companies/ghost/info')).status, 404)
  await it.close()
})

companies(
  'S13: a snapshot whose folder is gone is 503 and shows; the server is ready all the same',
  async () => {
    const it = await stand()
    const id = (await it.ask('/companies/acme/info')).headers.get('snapshot-id')!
    rmSync(snapshotFolder(it.root, 'acme', id), { recursive: true })
    it.advance(1)
    const reply = await it.ask(PL)
    assert.equal([reply.status, reply.json.code], [503, 'company-unavailable'])
    assert.is((await it.ask('/readyz')).status, 200)
    assert.is(it.events.filter(({ event }) => event === 'company-failing').length, 1)
    await it.close()
  },
)
