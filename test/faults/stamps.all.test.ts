/**
 * A stamping that dies or meets a disk that fails, at one in ten of its operations, which the seed draws: nothing that was published is damaged, verification says
 * what is left behind, the next stamping gives each manifest its stamp, and nothing unfinished stays.
 */
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { LOCK, STAMPS } from '../../builder/snapshot/files/layout.ts'
import { type Stamped, stampCompany } from '../../builder/snapshot/keys/fetch-stamps.ts'
import { openSigner } from '../../builder/snapshot/keys/key-file.ts'
import { takeLock } from '../../builder/snapshot/log/lock.ts'
import type { Effects } from '../../builder/system/effects.ts'
import { drawn } from '../seed.ts'
import { suite } from '../suite.ts'
import { answering, makeAuthority, StampServer } from '../support/authority.ts'
import { missing } from '../support/openssl.ts'
import { ACME, makeRoot, verified } from '../support/snapshots.ts'
import {
  buryHolder,
  Died,
  deathsAmong,
  dyingAt,
  failingAt,
  failuresAmong,
  type Operation,
  operationsOf,
  quick,
} from './effects.ts'
import { type Context as Prepared, publishText } from './scenarios.ts'

interface Context extends Prepared {
  top: string
  server: StampServer
  url: string
}
const test = suite<Context>('interrupted stampings')
test.before(async (context) => {
  context.top = mkdtempSync(join(tmpdir(), 'tieout-stampings-'))
  context.server = new StampServer(answering(makeAuthority(context.top, 'Authority')))
  context.url = await context.server.open()
})
test.after(({ server }) => server.close())
test.before.each(async (context) => {
  Object.assign(context, makeRoot())
  context.signer = await openSigner(context.state)
})

const stamping = ({ url }: Context, root: string, effects: Effects = quick): Promise<Stamped> =>
  stampCompany(root, ACME, { url, seconds: 5, authority: null, policy: null }, effects)

/** Two snapshots without a stamp, and the operations that stamping them takes. */
async function unstamped(context: Context): Promise<{ fresh(): string; operations: readonly Operation[] }> {
  const { scratch, signer } = context
  const origin = join(scratch, 'origin')
  for (const text of ['one', 'two']) await publishText(origin, text, { signer, effects: quick })
  const fresh = (): string => {
    const root = join(scratch, 'interrupted')
    rmSync(root, { recursive: true, force: true })
    cpSync(origin, root, { recursive: true })
    return root
  }
  const root = fresh()
  const operations = await operationsOf((effects) => stamping(context, root, effects))
  await assertStamped(context, root, 'undisturbed')
  return { fresh, operations }
}

const namesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : [])
const unfinished = (root: string): string[] =>
  namesIn(join(root, ACME, STAMPS)).filter((name) => !name.endsWith('.tsr'))

/** Nothing is damage; a note tells of each file that is left over, and what removes it. */
async function assertSound({ signer }: Context, root: string, where: string): Promise<void> {
  const { all, notes } = await verified(root, signer)
  assert.equal(all, [], where)
  for (const name of unfinished(root)) {
    const told = notes.find((note) => note.startsWith(`${STAMPS}/${name} `))
    assert.match(told ?? '', /was interrupted; the next one, or the next build, removes it$/, where)
  }
}

async function assertStamped(context: Context, root: string, where: string): Promise<void> {
  const { all, notes } = await verified(root, context.signer)
  assert.equal(all, [], where)
  assert.match(notes.join('\n'), /2 of 2 manifests are stamped/, where)
  assert.not.match(notes.join('\n'), /interrupted|no time stamp|no snapshot/, where)
  assert.equal(unfinished(root), [], where)
  assert.not(existsSync(join(root, ACME, LOCK)), where)
}

const problemOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => null,
    (problem: unknown) => problem,
  )

test('killed before each operation, and in the middle of each that writes', async (context) => {
  const { fresh, operations } = await unstamped(context)
  assert.ok(operations.length >= 16, `${operations.length} operations`)
  for (const { at, how } of drawn(deathsAmong(operations))) {
    const where = `${operations[at - 1]}, ${at} of ${operations.length}, ${how}`
    const root = fresh()
    const died = await problemOf(stamping(context, root, dyingAt(at, how)))
    assert.instance(died, Died, where)
    buryHolder(root, ACME)
    await assertSound(context, root, where)
    await stamping(context, root)
    await assertStamped(context, root, where)
  }
})

test('a disk that answers with an error, once and for good', async (context) => {
  const { fresh, operations } = await unstamped(context)
  for (const { at, lasting } of drawn(failuresAmong(operations))) {
    const where = `${operations[at - 1]}, ${at} of ${operations.length}, ${lasting ? 'for good' : 'once'}`
    const root = fresh()
    const problem = await problemOf(stamping(context, root, failingAt(at, lasting, 'ENOSPC')))
    if (problem !== null) assert.match((problem as Error).message, /ENOSPC/, where)
    buryHolder(root, ACME)
    await assertSound(context, root, where)
    await stamping(context, root)
    await assertStamped(context, root, where)
  }
})

test('on a disk without hard links: a stamp is whole or not there', async (context) => {
  const { fresh } = await unstamped(context)
  const linkless = (effects: Effects): Effects => ({
    ...effects,
    link: () => {
      throw Object.assign(new Error('EPERM: no links here'), { code: 'EPERM' })
    },
  })
  const trial = fresh()
  const operations = await operationsOf((effects) => stamping(context, trial, linkless(effects)))
  await assertStamped(context, trial, 'undisturbed')
  for (const [i, operation] of operations.entries()) {
    if (operation !== 'create') continue
    const where = `create, ${i + 1} of ${operations.length}, torn`
    const root = fresh()
    assert.instance(await problemOf(stamping(context, root, linkless(dyingAt(i + 1, 'torn')))), Died, where)
    buryHolder(root, ACME)
    await assertSound(context, root, where)
    await stamping(context, root)
    await assertStamped(context, root, where)
  }
})

test('what a killed stamping left goes with the next publication, and where every stamp is there', async (context) => {
  const { fresh } = await unstamped(context)
  const litter = (root: string) =>
    writeFileSync(join(root, ACME, STAMPS, `${'a'.repeat(64)}.tsr.0123.next`), 'half')
  const root = fresh()
  await stamping(context, root)
  litter(root)
  await assertSound(context, root, 'left')
  const asked = context.server.asked.length
  await stamping(context, root)
  await assertStamped(context, root, 'stamped again')
  assert.is(context.server.asked.length, asked, 'nobody was asked')
  litter(root)
  await publishText(root, 'three', { signer: context.signer, effects: quick })
  assert.equal(unfinished(root), [])
})

test('while a build of the company runs, nothing of it is touched: what is unstamped is told, with why', async (context) => {
  const { fresh } = await unstamped(context)
  const root = fresh()
  const lock = takeLock(join(root, ACME, LOCK))
  const found = await stamping(context, root)
  assert.equal([found.stamped.length, found.unstamped.length], [0, 2])
  assert.match(
    found.problem!,
    /could not be put into its place: process \d+ on .* is building this company right now/,
  )
  assert.equal(namesIn(join(root, ACME, STAMPS)), [])
  lock.release()
  assert.is((await stamping(context, root)).stamped.length, 2)
})

test.needs(missing)
