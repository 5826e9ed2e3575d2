/** One company composed by several threads: the same bytes for any number of them, and all or nothing where one of them ends. */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { build } from '../../builder/build/build.ts'
import type { Manifest } from '../../builder/snapshot/files/manifest.ts'
import { openWorkspace } from '../../builder/workspace/workspace.ts'
import { writeCompany } from '../bench/ledger.ts'
import { suite } from '../suite.ts'
import { until } from '../support/until.ts'
import { begin, inFolder, says, tieout } from './command.ts'
import { correct, faultAtStart, inCompany, LARGER, PLANNED, threadsOf, withFault } from './workers-harness.ts'

const workers = suite('threads of a build')

const snapshots = (cwd: string): string => join(cwd, 'snapshots', 'bench')

function published(
  cwd: string,
): Pick<Manifest, 'SnapshotId' | 'ContentHash' | 'TieOuts'> & { files: string } {
  const { SnapshotId: id } = JSON.parse(readFileSync(join(snapshots(cwd), 'current.json'), 'utf8'))
  const manifest = JSON.parse(readFileSync(join(snapshots(cwd), id, 'manifest.json'), 'utf8')) as Manifest
  const { SnapshotId, ContentHash, TieOuts, Files } = manifest
  return { SnapshotId, ContentHash, TieOuts, files: JSON.stringify(Files) }
}

workers(
  'where this thread fails while others compose, the build ends with the reason, and nothing of it is left',
  () =>
    inCompany(async (cwd) => {
      const options = {
        publish: true,
        workers: 2,
        progress: (step: string, done: number) => {
          if (step === 'statements' && done === 5) throw new Error('no terminal')
        },
      }
      await build(openWorkspace(cwd), 'bench', options).then(
        () => assert.unreachable(),
        ({ message }) => assert.is(message, 'no terminal'),
      )
      assert.equal(left(cwd), [])
    }, PLANNED),
)

/** Paths of the documents of the current snapshot that are links to those of the one before. */
function linked(cwd: string): string[] {
  const folder = join(snapshots(cwd), published(cwd).SnapshotId, 'statements')
  return (readdirSync(folder, { recursive: true }) as string[])
    .filter((path) => path.endsWith('.json') && statSync(join(folder, path)).nlink > 1)
    .sort()
}

workers(
  'any number of threads, each held up at random: the same bytes, and after a correction of closed months the same restated, written and linked',
  async () => {
    const first: ReturnType<typeof published>[] = []
    const all: { links: string[]; restated: string; said: string; files: string }[] = []
    for (const count of ['1', '3'])
      await inCompany(async (cwd) => {
        const run = (...args: string[]) =>
          tieout([...args, '--workers', count], { cwd, env: count === '1' ? {} : withFault('delay') })
        const settings = join(cwd, 'datasets', 'bench', 'company.yaml')
        writeFileSync(settings, `${readFileSync(settings, 'utf8')}lockDate: 2025-12-31\n`)
        assert.is((await run('build')).code, 0)
        first.push(published(cwd))
        correct(cwd)
        const check = await run('check')
        assert.match(check.out, /restat|closed/)
        const { code, out, err } = await run('build', 'bench', '--restate', 'a wrong account')
        assert.is(code, 0, `${out}${err}`)
        const now = published(cwd)
        const restated = readFileSync(join(snapshots(cwd), now.SnapshotId, 'restatement.json'), 'utf8')
        all.push({ links: linked(cwd), restated, ...now, said: check.out.replace(/ +[\d.]+$/gm, '') })
      }, PLANNED)
    for (const kind of ['budget', 'metrics/']) assert.match(first[0]!.files, kind)
    assert.equal(first[1], first[0])
    const [alone, several] = all
    assert.equal(several, alone)
    const documents = JSON.parse(alone!.files).length
    assert.ok(alone!.links.length > 100 && alone!.links.length < documents - 50, String(alone!.links.length))
    // Some documents differ, and most do not.
    const { Documents } = JSON.parse(alone!.restated)
    assert.ok(Documents > 10 && Documents < 300, String(Documents))
  },
)

/** What lies beside the snapshots, and these, but for the log. */
const left = (cwd: string): string[] => readdirSync(snapshots(cwd)).filter((name) => name !== 'log.jsonl')

/** Fault → what the command says of it. */
const ENDS: Readonly<Record<string, RegExp>> = {
  exit: /a thread of this build ended with 7\. Nothing was published; build with --workers 1/,
  memory: /a thread of this build had not enough memory\. Nothing was published/,
  full: /statements\/.*: the disk is full/,
  files: /too many files are open; let this user open at least 256 at once/,
  thrown: /a thread of this build failed: thrown in a thread/,
  'second thread':
    /a thread of this build could not be started \([\w :]+EAGAIN\): .*ulimit -u.* Nothing was published; build with --workers 1/,
  changed: /reads back differently from what was written; nothing was published/,
}

workers('whatever ends a thread, the build ends with the reason, and nothing of it is left', () =>
  inCompany(async (cwd) => {
    for (const [fault, words] of Object.entries(ENDS)) {
      const { code, out, err } = await tieout(['build', '--workers', '2', '--memory', '1GB'], {
        cwd,
        env: withFault(fault),
      })
      const said = `${fault}: ${out}\n${err}`
      assert.is(code, 1, said)
      assert.match(said.replace(/\s+/g, ' '), words)
      assert.equal(left(cwd), [], fault)
    }
    assert.is((await tieout(['build', '--workers', '2'], { cwd })).code, 0)
  }),
)

workers('unless a number is given, a small company has no threads, and a larger one has', async () => {
  await inCompany(async (cwd) => assert.is(await threadsOf(cwd, ['build']), 0))
  await inCompany(async (cwd) => {
    const threads = await threadsOf(cwd, ['build'])
    assert.is(threads > 1, availableParallelism() > 1, String(threads))
    assert.ok(threads <= availableParallelism(), String(threads))
  }, LARGER)
})

workers('companies built at once share the cores, and so do snapshots verified at once', () =>
  inCompany(async (cwd) => {
    await writeCompany(cwd, 'other', LARGER)
    for (const args of [
      ['build', '--jobs', '2'],
      ['verify', '--jobs', '2'],
    ]) {
      const threads = await threadsOf(cwd, args, faultAtStart(''))
      assert.ok(threads <= availableParallelism(), `${args.join(' ')}: ${threads} threads`)
    }
    // One at a time has all cores.
    const threads = await threadsOf(cwd, ['verify', 'other', '--jobs', '2'])
    assert.is(threads > 1, availableParallelism() > 1, String(threads))
  }, LARGER),
)

workers('Ctrl-C ends the threads with the command, and nothing of what they wrote is left', () =>
  inCompany(async (cwd) => {
    const running = begin(['build', '--workers', '2'], { cwd, env: faultAtStart('delay') })
    const isStaging = () =>
      existsSync(snapshots(cwd)) &&
      readdirSync(snapshots(cwd)).some((name) => existsSync(join(snapshots(cwd), name, 'statements')))
    await until(() => assert.ok(isStaging(), 'the build stages its documents'))
    running.kill('SIGINT')
    const { exitCode } = await running
    assert.is(exitCode, 130)
    assert.equal(left(cwd), [])
  }),
)

workers('a number of threads that is none is refused', () =>
  inFolder(async (cwd) => {
    assert.match(await says(2, 'build --workers 0', { cwd }), /It must be a number from 1 to 64/)
  }),
)
