/** Two publishers, one who prunes, readers and an auditor, all at once: nobody sees a mixture, and nothing is lost. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as assert from 'uvu/assert'
import { SnapshotDamagedError } from '../../builder/snapshot/files/damage.ts'
import { openSnapshot, readPointer } from '../../builder/snapshot/files/open.ts'
import { openSigner, type Signer } from '../../builder/snapshot/keys/key-file.ts'
import { readHistory } from '../../builder/snapshot/log/history.ts'
import { readLog } from '../../builder/snapshot/log/log.ts'
import { holdSnapshots } from '../../builder/snapshot/log/use.ts'
import { Companies } from '../../serve/companies/companies.ts'
import { suite } from '../suite.ts'
import { CHILD_OPTIONS } from '../support/child.ts'
import { ACME, makeRoot, publish, verified } from '../support/snapshots.ts'

interface Context {
  scratch: string
  root: string
  state: string
  signer: Signer
}
const test = suite<Context>('at once')
test.before.each(async (context) => {
  Object.assign(context, makeRoot())
  context.signer = await openSigner(context.state)
})

const CHILD = fileURLToPath(new URL('race-child.ts', import.meta.url))
const start = (...args: string[]): ChildProcess =>
  spawn(process.execPath, [...CHILD_OPTIONS, CHILD, ...args], { stdio: ['ignore', 'ignore', 'inherit'] })

/** What the files of a snapshot say that they are of, all of them read; one word, if they belong together. */
async function wordsOf(root: string, id: string, hash?: string): Promise<Set<string>> {
  const snapshot = await openSnapshot(root, ACME, id, hash)
  const words = new Set<string>()
  for (const { Path } of snapshot.manifest.Files)
    words.add((await snapshot.read(Path)).toString().split(' ')[0]!)
  return words
}

const ROUNDS = 6

test('publishers, a pruner, readers, a server and an auditor', async ({ root, state, signer }) => {
  const first = await publish(
    root,
    { 'statements/0.json': 'first 0', 'statements/1.json': 'first 1' },
    { signer },
  )
  await holdSnapshots(root, ACME, first.snapshotId, 'an auditor reads it', { signer })
  const children = [
    start('publish', root, state, String(ROUNDS), 'left'),
    start('publish', root, state, String(ROUNDS), 'right'),
    start('prune', root, state, String(ROUNDS), 'pruner'),
  ]
  const ends = Promise.all(children.map((child) => once(child, 'exit')))
  let done = false
  void ends.then(() => {
    done = true
  })
  const companies = new Companies({ snapshots: root, recheckMs: 0 })
  const seen = new Set<string>()
  const read = { current: 0, held: 0, served: 0, verified: 0, gone: 0 }

  const readCurrent = async (): Promise<void> => {
    const pointer = (await readPointer(root, ACME))!
    try {
      const words = await wordsOf(root, pointer.SnapshotId, pointer.ManifestSha256)
      assert.is(words.size, 1, `${pointer.SnapshotId} is a mixture: ${[...words]}`)
      seen.add([...words][0]!)
      read.current++
    } catch (problem) {
      // Pruned while it was read: only what is not current any more may go.
      if (!(problem instanceof SnapshotDamagedError) || !/missing|has no/.test(problem.message)) throw problem
      assert.is.not((await readPointer(root, ACME))!.SnapshotId, pointer.SnapshotId, problem.message)
      read.gone++
    }
  }
  const readHeld = async (): Promise<void> => {
    assert.equal([...(await wordsOf(root, first.snapshotId, first.manifestHash))], ['first'])
    read.held++
  }
  const serve = async (): Promise<void> => {
    await companies.refresh()
    read.served++
  }
  const audit = async (): Promise<void> => {
    // A snapshot that goes while it is being looked at is no damage either.
    assert.equal((await verified(root, signer)).all, [])
    read.verified++
  }
  const rounds = async (look: () => Promise<void>): Promise<void> => {
    while (!done) await look()
  }
  await Promise.all([rounds(readCurrent), rounds(readHeld), rounds(serve), rounds(audit)])
  assert.equal(
    (await ends).map(([code]) => code),
    [0, 0, 0],
  )
  for (const [what, times] of Object.entries(read))
    if (what !== 'gone') assert.ok(times > 3, `${what}: ${times}`)
  assert.ok(seen.size > 3, `${seen.size} publications were seen`)

  const { records, damage } = await readLog(join(root, ACME), signer.known)
  assert.is(damage, null)
  assert.is(records.filter(({ Event }) => Event === 'publish').length, 1 + 2 * ROUNDS)
  const { published, pruned } = await readHistory(root, ACME)
  const { all, snapshots } = await verified(root, signer)
  assert.equal(all, [])
  assert.is(snapshots.length, published.size - pruned.size)
  assert.ok(pruned.size >= ROUNDS, `${pruned.size} were pruned`)
})
