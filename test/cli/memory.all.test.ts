/** `--memory`: the same bytes with little of it as with much, temporary files that go away, and a clear answer to too little. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { openDatabase } from '../../builder/database/database.ts'
import { isOfMachine } from '../../builder/system/refusals.ts'
import { failureOf } from '../../cli/terminal/exit.ts'
import { writeCompany, writeWorkspace } from '../bench/ledger.ts'
import { suite } from '../suite.ts'
import { begin, inFolder, says, tieout } from './command.ts'

const memory = suite('memory of a command')

const SIZE = { postings: 300_000, classes: 2, departments: 2, months: 12, seed: 5 }

const hashIn = (cwd: string): string => {
  const folder = join(cwd, 'snapshots', 'bench')
  const { SnapshotId } = JSON.parse(readFileSync(join(folder, 'current.json'), 'utf8'))
  const { ContentHash, Files } = JSON.parse(readFileSync(join(folder, SnapshotId, 'manifest.json'), 'utf8'))
  return JSON.stringify([ContentHash, Files])
}

const large = mkdtempSync(join(tmpdir(), 'tieout-memory-'))
const spilled = join(large, 'temporary')
memory.before(async () => {
  writeWorkspace(large)
  await writeCompany(large, 'bench', SIZE)
  mkdirSync(spilled)
})

memory('a check that is stopped while its database writes temporary files leaves none', async () => {
  const running = begin(['check', '--memory', '400MB'], { cwd: large, env: { TMPDIR: spilled } })
  const isSpilling = () => readdirSync(spilled).some((name) => name.startsWith('tieout-'))
  while (running.exitCode === null && !isSpilling()) await wait(1)
  assert.ok(isSpilling(), 'it has more than fits')
  running.kill('SIGTERM')
  const { exitCode, stderr } = await running
  assert.is(exitCode, 143, stderr)
  assert.match(stderr, /stopped\n$/)
  assert.equal(readdirSync(spilled), [])
})

memory(
  'a build within the least memory publishes the same bytes, and leaves no temporary files',
  async () => {
    const run = (...args: readonly string[]) => says(0, args, { cwd: large, env: { TMPDIR: spilled } })
    const all: string[] = []
    for (const size of ['2 GB', '400MB']) {
      rmSync(join(large, 'snapshots'), { recursive: true, force: true })
      await run('build', '--memory', size, '--workers', '4')
      all.push(hashIn(large))
      assert.equal(readdirSync(spilled), [])
    }
    assert.is(all[0], all[1])
    await run('verify', '--memory', '400MB')
    assert.equal(readdirSync(spilled), [])
  },
)

memory('several companies share it: fewer are built at once, and all are', () =>
  inFolder(async (cwd) => {
    writeWorkspace(cwd)
    for (const id of ['a', 'b', 'c']) await writeCompany(cwd, id, { ...SIZE, postings: 200, months: 3 })
    for (const size of ['400MB', '1.5gb']) {
      const { code, out, err } = await tieout(['build', '--jobs', '3', '--memory', size], { cwd })
      assert.is(code, 0, `${out}\n${err}`)
    }
  }),
)

memory('too little, and what is no size, is refused with what is needed', () =>
  inFolder(async (cwd) => {
    writeWorkspace(cwd)
    const refused = async (command: string, size: string, said: RegExp) =>
      assert.match(await says(2, `${command} --memory=${size}`, { cwd }), said)
    for (const command of ['build', 'check', 'verify', 'worker'])
      await refused(command, '399MB', /A company takes at least 400MB/)
    for (const size of ['4', 'much', '-1GB', '1e9MB', '4TB'])
      await refused('build', size, /It must be a size such as 800MB or 4GB/)
  }),
)

memory('a database that has not enough says how to give it more', () => {
  const { code, message } = failureOf(
    new Error('Out of Memory Error: could not allocate block of size 32.0 MiB'),
  )
  assert.is(code, 'no-room')
  assert.match(message, /allow more, such as --memory 4GB/)
})

memory('a disk without room for temporary files is told apart from too little memory', () =>
  inFolder(async (cwd) => {
    const db = await openDatabase({
      memoryLimit: '64MB',
      threads: 2,
      spillTo: join(cwd, 'spill'),
      keepsSettings: false,
    })
    try {
      await db.run("SET max_temp_directory_size = '4MB'")
      const problem = await db
        .run('CREATE TABLE t AS SELECT hash(range)::VARCHAR AS a, range AS b FROM range(5000000) ORDER BY a')
        .then(
          () => assert.unreachable(),
          (problem: unknown) => problem,
        )
      const { code, message } = failureOf(problem)
      assert.is(code, 'no-room')
      assert.match(message, /temporary files of DuckDB do not fit on the disk of \S+: .*TMPDIR/)
      assert.ok(isOfMachine(problem), 'a verification calls nothing damaged for it')
    } finally {
      db.close()
    }
  }),
)
