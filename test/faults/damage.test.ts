/**
 * Every file of a company's folder, damaged in every way: verify names the file. Snapshots, kept sources, manifests of pruned
 * snapshots, pointer and log alike; what it cannot know is listed here.
 */
import { chmodSync, copyFileSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as assert from 'uvu/assert'
import { INPUTS, LOG, parseSnapshotId } from '../../builder/snapshot/files/layout.ts'
import { openSigner } from '../../builder/snapshot/keys/key-file.ts'
import { prune } from '../../builder/snapshot/log/prune.ts'
import { suite } from '../suite.ts'
import { ACME, makeRoot, verified } from '../support/snapshots.ts'
import { quick } from './effects.ts'
import { type Context, prepared, SCENARIOS } from './scenarios.ts'

const test = suite<Context>('damage')
test.before.each(async (context) => {
  Object.assign(context, makeRoot())
  context.signer = await openSigner(context.state)
})

/** Each changes one file, whose folder has others. */
const WAYS: Readonly<Record<string, (path: string) => void>> = {
  'a flipped bit': (path) => {
    const bytes = readFileSync(path)
    const at = Math.floor(bytes.length / 2)
    bytes[at] = bytes[at]! ^ 1
    writeFileSync(path, bytes)
  },
  'a half': (path) => writeFileSync(path, readFileSync(path).subarray(0, statSync(path).size / 2)),
  nothing: (path) => writeFileSync(path, ''),
  'one byte more': (path) => writeFileSync(path, 'x', { flag: 'a' }),
  'no file': (path) => rmSync(path),
  'another file': (path) => writeFileSync(path, 'somebody else was here'),
}

/**
 * What one file cannot tell of itself: a log that lost its end, where no later manifest names it, may be one that was
 * interrupted; verify says so in a note.
 */
const isNoted = (path: string, way: string): boolean =>
  path === LOG && ['one byte more', 'a half'].includes(way)

test('any file, in any way, is named', async (context) => {
  const { root: _, signer } = context
  // Three publications, of which the first is pruned.
  const { fresh } = await prepared(SCENARIOS[1]!, context)
  const root = fresh('damaged')
  await SCENARIOS[1]!.act(root, signer, quick)
  await prune(root, { company: ACME, policy: { keepLast: 2 }, inUse: async () => new Set() }, null, {
    signer,
  })
  const folder = join(root, ACME)
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile())
    .sort()
  assert.ok(files.length > 10, files.join('\n'))
  for (const kind of [
    /^current\.json$/,
    /^log\.jsonl$/,
    /^inputs\//,
    /^pruned\/.*manifest\.json\.sig$/,
    /\/b\.json$/,
  ])
    assert.ok(
      files.some((name) => kind.test(name)),
      String(kind),
    )
  assert.equal((await verified(root, signer)).all, [])

  const backup = join(context.scratch, 'backup')
  /** A file of its own: equal files of several snapshots are one. */
  const putBack = (path: string): void => {
    rmSync(path, { force: true })
    copyFileSync(backup, path)
  }
  for (const name of files) {
    copyFileSync(join(folder, name), backup)
    putBack(join(folder, name))
  }
  for (const name of files)
    for (const [way, how] of Object.entries(WAYS)) {
      const path = join(folder, name)
      copyFileSync(path, backup)
      chmodSync(path, 0o644)
      how(path)
      const where = `${way} in the place of ${name}`
      const { all, notes } = await verified(root, signer)
      if (isNoted(name, way))
        assert.ok(
          notes.some((note) => note.includes(LOG)),
          where,
        )
      else
        assert.ok(
          all.some((damage) => isNamed(damage, name)),
          `${where}: ${all.join('; ')}`,
        )
      putBack(path)
    }
  assert.equal((await verified(root, signer)).all, [], 'all of it is as it was')

  for (const name of new Set(files.filter((each) => parseSnapshotId(each.split('/')[0]!)).map(dirname))) {
    writeFileSync(join(folder, name, 'extra.json'), '{}')
    const { all } = await verified(root, signer)
    assert.is(all.length, 1, name)
    assert.ok(isNamed(all[0]!, join(name, 'extra.json')), all[0])
    rmSync(join(folder, name, 'extra.json'))
  }
})

/** `kind snapshot path`, where the path of a file of a snapshot is that inside of it. */
function isNamed(damage: string, name: string): boolean {
  const [, snapshot, path] = damage.split(' ')
  const [top, ...rest] = name.split('/')
  if (top === INPUTS) return path === name
  // A signature is named with the manifest that it belongs to.
  if (top === 'pruned') return path === join(dirname(name), 'manifest.json')
  return parseSnapshotId(top!) ? snapshot === top && path === rest.join('/') : path === name
}
