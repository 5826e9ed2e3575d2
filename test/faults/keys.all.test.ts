/** A process that dies while it changes the keys of two companies: before an operation, or half way through one that writes; one in ten of them. */
import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { signingKeyPath } from '../../builder/snapshot/keys/key-file.ts'
import {
  keysLockPath,
  listSigningKeys,
  replaceLostKey,
  revokeSigningKey,
  rotateSigningKey,
} from '../../builder/snapshot/signing/keys.ts'
import type { SigningWorkspace } from '../../builder/snapshot/signing/signing.ts'
import type { Effects } from '../../builder/system/effects.ts'
import { drawn } from '../seed.ts'
import { suite } from '../suite.ts'
import {
  assertVerified,
  idsOf,
  newSigningWorkspace,
  ownKeys,
  publishOf,
  recordsOf,
} from '../support/signing.ts'
import { buryHolder, buryLock, deathsAmong, dyingAt, operationsOf, quick } from './effects.ts'

interface Context {
  workspace: SigningWorkspace
  first: ReadonlySet<string>
}
const test = suite<Context>('killed while keys change')
const COMPANIES = ['acme', 'bolt']
test.before.each(async (context) => {
  context.workspace = newSigningWorkspace()
  for (const company of COMPANIES) await publishOf(context.workspace, company, 'one', quick)
  context.first = idsOf(await ownKeys(context.workspace))
})

interface Scenario {
  readonly name: string
  prepare(workspace: SigningWorkspace): unknown
  act(workspace: SigningWorkspace, first: string, effects: Effects): Promise<unknown>
  /** Events of each log in the end. */
  readonly events: readonly string[]
  /** Whether the first key alone leads to the present one. */
  readonly followed: boolean
}

const SCENARIOS: readonly Scenario[] = [
  {
    name: 'a rotation',
    prepare: () => {},
    act: (workspace, _first, effects) =>
      rotateSigningKey(workspace, 'every year in January', null, { effects }),
    events: ['publish', 'rotate', 'publish'],
    followed: true,
  },
  {
    name: 'a revocation',
    prepare: (workspace) => rotateSigningKey(workspace, 'every year in January'),
    act: (workspace, first, effects) =>
      revokeSigningKey(workspace, first, 'a laptop was stolen', { effects }),
    events: ['publish', 'rotate', 'revoke', 'publish'],
    followed: true,
  },
  {
    name: 'a lost key',
    prepare: ({ state }) => rmSync(state, { recursive: true }),
    act: (workspace, _first, effects) =>
      replaceLostKey(workspace, 'the disk of the office broke', { effects }),
    events: ['publish', 'rotate', 'publish'],
    followed: false,
  },
]

for (const scenario of SCENARIOS)
  test(`${scenario.name}: verified after each operation, and finished by what comes next`, async (context) => {
    const { workspace, first } = context
    const [firstId] = first
    await scenario.prepare(workspace)
    const fresh = (name: string): SigningWorkspace => {
      const root = join(workspace.root, name)
      rmSync(root, { recursive: true, force: true })
      mkdirSync(root)
      cpSync(workspace.snapshots, join(root, 'snapshots'), { recursive: true })
      if (existsSync(workspace.state)) cpSync(workspace.state, join(root, '.tieout'), { recursive: true })
      return { root, snapshots: join(root, 'snapshots'), state: join(root, '.tieout'), signer: null }
    }
    const operations = await operationsOf((effects) => scenario.act(fresh('trial'), firstId!, effects))
    assert.ok(operations.length >= 12, `${operations.length} operations`)
    for (const { at, how } of drawn(deathsAmong(operations))) {
      const where = `${operations[at - 1]}, ${at} of ${operations.length}, ${how}`
      const killed = fresh('killed')
      await scenario.act(killed, firstId!, dyingAt(at, how)).catch(() => {})
      for (const company of COMPANIES) buryHolder(killed.snapshots, company)
      buryLock(keysLockPath(killed.state))
      const known = idsOf(await ownKeys(killed))
      await assertVerified(killed, known.size > 0 ? known : first, where)
      if (scenario.followed) await assertVerified(killed, first, `${where}: with the first key`)
      // Where the file with the keys never came, or the change was never decided, it is done now.
      const isDecided = existsSync(signingKeyPath(killed.state)) && (await lists(killed, scenario))
      if (!isDecided) await scenario.act(killed, firstId!, quick)
      for (const company of COMPANIES) await publishOf(killed, company, 'two', quick)
      for (const company of COMPANIES)
        assert.equal(
          recordsOf(killed, company).map(({ Event }) => Event),
          scenario.events,
          `${where}: ${company}`,
        )
      await assertVerified(killed, idsOf(await ownKeys(killed)), `${where}: in the end`)
      if (scenario.followed) await assertVerified(killed, first, `${where}: in the end, with the first key`)
      assert.equal((await listSigningKeys(killed))!.pending, [], where)
    }
  })

/** Whether the change stands in the file of keys: all else follows from that. */
async function lists(workspace: SigningWorkspace, { events }: Scenario): Promise<boolean> {
  const found = await listSigningKeys(workspace)
  const wanted = events.filter((event) => event === 'rotate' || event === 'revoke').at(-1)
  return found!.keys.some(({ status }) => status === (wanted === 'revoke' ? 'revoked' : 'replaced'))
}
