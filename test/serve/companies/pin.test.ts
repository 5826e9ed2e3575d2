/** Pins: windows, what they give way to, several processes, a disk that is full; and syncs under constant publishing. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as assert from 'uvu/assert'
import { openPins, PINS, type PinEvent, type Pins } from '../../../serve/companies/pin.ts'
import { openServerState } from '../../../serve/oauth/state/server-state.ts'
import { suite } from '../../suite.ts'
import { CHILD_OPTIONS } from '../../support/child.ts'
import { isShared, onFiles, stateOf } from '../../support/state.ts'
import { until } from '../../support/until.ts'
import { GRANTS, stand } from '../http/stand.ts'
import { publish, salesOf, temporaryFolder } from './fixture.ts'

const pin = suite('pins')

/** With a state of its own, that of `folder`, which it closes too. */
async function pinsIn(folder: string, windowSeconds: number, options: Parameters<typeof openPins>[2] = {}) {
  const state = await openServerState(await stateOf(folder), [PINS])
  const pins = openPins(state.store, windowSeconds, { isShared, ...options })
  return { ...pins, close: () => state.close() }
}

interface Opened {
  readonly pins: Pins & { close(): Promise<void> }
  readonly path: string
  time: number
  readonly events: PinEvent[]
  close(): Promise<void>
}

async function opened(windowSeconds = 600): Promise<Opened> {
  const folder = temporaryFolder()
  const path = join(folder.path, '.tieout/pins')
  const events: PinEvent[] = []
  const it = { time: 1_000_000, path, events }
  const pins = await pinsIn(folder.path, windowSeconds, {
    now: () => it.time * 1000,
    log: (event) => events.push(event),
  })
  return Object.assign(it, {
    pins,
    close: async () => {
      await pins.close()
      folder.remove()
    },
  })
}

pin('H20: a clock that is set back, or far ahead, ends a pin and nothing else', async () => {
  const it = await opened()
  for (const jump of [-86_400, 86_400]) {
    await it.pins.hold('g', 'acme', 's1', 's2')
    it.time += jump
    assert.is(await it.pins.get('g', 'acme'), null)
    assert.is(await it.pins.hold('g', 'acme', 's2', null), 's2')
    assert.is(await it.pins.get('g', 'acme'), 's2')
  }
  await it.close()
})

onFiles(pin)('pins outlive the process; the folder and its files are nobody else’s', async () => {
  const folder = temporaryFolder()
  const path = join(folder.path, '.tieout/pins')
  const first = await pinsIn(folder.path, 600)
  await first.hold('g', 'acme', 's1', null)
  await first.close()
  const second = await pinsIn(folder.path, 600)
  assert.is(await second.get('g', 'acme'), 's1')
  await second.close()
  // One folder for this start of the computer.
  const names = readdirSync(path)
  assert.is(names.length, 1)
  const own = join(path, names[0]!)
  for (const file of [path, own, join(own, 'data.mdb')]) assert.is(statSync(file).mode & 0o077, 0, file)
  // What lies there of an earlier one, or of an earlier version, is nobody's any more.
  mkdirSync(join(path, 'earlier'))
  writeFileSync(join(path, 'earlier', 'data.mdb'), 'left by a crash')
  writeFileSync(join(path, 'data.mdb'), 'of an earlier version')
  const third = await pinsIn(folder.path, 600)
  assert.equal(readdirSync(path), names)
  assert.is(await third.get('g', 'acme'), 's1')
  await third.close()
  folder.remove()
})

pin('several processes hold the same pins, whoever comes first', async () => {
  const folder = temporaryFolder()
  const here = await pinsIn(folder.path, 600)
  const there = fork(fileURLToPath(new URL('pin-process.ts', import.meta.url)), [folder.path], {
    execArgv: [...CHILD_OPTIONS],
  })
  await once(there, 'message')
  const tell = async (...message: string[]): Promise<unknown> => {
    const answer = once(there, 'message')
    there.send(message)
    return (await answer)[0]
  }
  let ours = 0
  for (let i = 0; i < 100; i++) {
    const [a, b] = await Promise.all([
      here.hold(`g${i}`, 'acme', 'here', null),
      tell('hold', `g${i}`, 'acme', 'there'),
    ])
    assert.is(a, b)
    if (a === 'here') ours++
  }
  assert.ok(ours > 0)
  await here.hold('h', 'acme', 'here', null)
  assert.is(await tell('get', 'h', 'acme'), 'here')
  const ended = once(there, 'exit')
  there.disconnect()
  await ended
  await here.close()
  folder.remove()
})

onFiles(pin)(
  'H20: where pins cannot be written, this process keeps to its own, and says so once',
  async () => {
    const it = await opened()
    await it.pins.hold('g', 'acme', 's1', null)
    // As with a disk that is full or gone: nothing is written any more.
    rmSync(it.path, { recursive: true })
    assert.is(await it.pins.hold('h', 'acme', 's1', null), 's1')
    assert.is(await it.pins.hold('h', 'acme', 's2', null), 's1')
    assert.is(await it.pins.hold('h', 'acme', 's3', 's1'), 's3')
    it.time += 601
    assert.is(await it.pins.hold('h', 'acme', 's4', null), 's4')
    assert.is(it.events.length, 1)
    await it.close()
  },
)

const RANGE = 'StartDate=2024-01-01&EndDate=2025-06-30&AccountingBasis=ACCRUAL'
const COMPANY_ROUTES = [
  'info',
  'chart-of-accounts',
  'budgets',
  'classes',
  'departments',
  'non-financial-list',
  'non-financial',
  `profit-loss?${RANGE}`,
  `cash-flow-statement?${RANGE}`,
  `balance-sheet?${RANGE}`,
]
const METRICS = { NonFinancialIds: ['units'], StartDate: '2024-01-01', EndDate: '2024-03-31' }

pin('ten clients’ syncs read one snapshot each, while twenty are published', async () => {
  const it = await stand([{ id: 'acme', accounts: 2 }])
  /** The shift of the figures of each snapshot, by its id. */
  const shifts = new Map([[(await it.ask('/companies/acme/info')).headers.get('snapshot-id')!, 0]])
  const newest = (): string => [...shifts.keys()].at(-1)!
  let begun = 0
  /** A client of its own, with two tokens as after a refresh in mid-sync. */
  async function sync(named: string | null): Promise<void> {
    const number = begun++
    for (const token of ['first', 'then'])
      it.grants[`${token} ${number}`] = { ...GRANTS.second!, grantId: `client-${number}` }
    const ids = new Set<string>()
    for (const [i, route] of COMPANY_ROUTES.entries()) {
      const more = named === null ? '' : `${route.includes('?') ? '&' : '?'}SnapshotId=${named}`
      const { status, headers, json } = await it.ask(`/companies/acme/${route}${more}`, {
        token: `${i > 5 ? 'then' : 'first'} ${number}`,
        ...(route === 'non-financial' && {
          method: 'POST',
          body: JSON.stringify(METRICS),
          headers: { 'Content-Type': 'application/json' },
        }),
      })
      assert.is(status, 200)
      const id = headers.get('snapshot-id')!
      ids.add(id)
      assert.ok(shifts.has(id) && shifts.has(headers.get('snapshot-current')!))
      if (json.Data?.[0]?.AccountId === '4000')
        assert.is(Math.round(json.Data[0].Values[3] * 100), salesOf(3, shifts.get(id)!, null))
      // One that is named is read by a grant whose sync is under way, and moves nothing.
      if (named === null && i === 4)
        await it.ask(`/companies/acme/info?SnapshotId=${newest()}`, { token: `first ${number}` })
    }
    assert.is(ids.size, 1, [...ids].join(' '))
    if (named !== null) assert.equal([...ids], [named])
  }
  let publishing = true
  const clients = Array.from({ length: 10 }, async (_, i) => {
    while (publishing) await sync(i === 0 ? newest() : null)
  })
  for (let revision = 2; revision <= 21; revision++) {
    shifts.set(publish(it.root, { id: 'acme', revision, shift: revision, accounts: 2 }), revision)
    // As clients that last asked long ago; requests are answered from the one before while it is verified.
    await until(async () => {
      it.grants.poll = { ...GRANTS.second!, grantId: `poll-${begun++}` }
      const { headers } = await it.ask('/companies/acme/info', { token: 'poll' })
      const seen = [headers.get('snapshot-id'), headers.get('snapshot-current')]
      assert.equal(seen, [newest(), newest()])
    })
    const before = begun
    while (begun < before + 2) await new Promise((resolve) => setTimeout(resolve, 5))
  }
  publishing = false
  await Promise.all(clients)
  await it.close()
})
