/** The figures of one snapshot computed by several threads, by `verify` and `check`: the same answers for any number of them, and no answer where one of them ends. */
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { contentHashOf } from '../../builder/snapshot/files/files.ts'
import { sha256 } from '../../builder/system/hash.ts'
import { writeCompany, writeWorkspace } from '../bench/ledger.ts'
import { copyOf, manifestOf, snapshotsIn, writeManifest } from '../evidence/attacker.ts'
import { suite } from '../suite.ts'
import { until } from '../support/until.ts'
import { begin, inFolder, type Ran, tieout } from './command.ts'
import { correct, faultAtStart, SIZE, withFault } from './workers-harness.ts'

const workers = suite<{ folder: string }>('threads of a verification and of a check')

/** A company that is published once, with its sources; each test has a copy of it. */
workers.before(async (at) => {
  at.folder = mkdtempSync(join(tmpdir(), 'tieout-verify-workers-'))
  writeWorkspace(at.folder)
  appendFileSync(join(at.folder, 'tieout.yaml'), 'keepInputs: true\n')
  await writeCompany(at.folder, 'bench', SIZE)
  assert.is((await tieout(['build'], { cwd: at.folder })).code, 0)
})

const published = (name: string, run: (cwd: string) => Promise<void>): void =>
  workers(name, ({ folder }) =>
    inFolder((cwd) => {
      cpSync(folder, cwd, { recursive: true })
      return run(cwd)
    }),
  )

const COUNTS = ['1', '3']

/** What the command answers for each number of threads, each of them held up at random; all must be the same. */
async function answerOf(cwd: string, ...args: string[]): Promise<Ran> {
  const all: Ran[] = []
  for (const count of COUNTS) {
    const { code, out, err } = await tieout([...args, '--workers', count], {
      cwd,
      env: count === '1' ? {} : withFault('delay'),
    })
    all.push({ code, out: out.replace(/"seconds": [\d.]+/g, '"seconds": 0'), err })
  }
  for (const each of all) assert.equal(each, all[0])
  return all[0]!
}

/** Some documents of each part of a manifest, every `step`th. */
const every = (step: number, from: number, paths: readonly string[]): string[] =>
  paths.filter((_, i) => i % step === from)

published('what is sound is verified, and damage stands in the same lines and order', async (cwd) => {
  const sound = await answerOf(cwd, 'verify', '--json')
  assert.is(sound.code, 0, sound.out)

  const copy = copyOf(join(cwd, 'snapshots/bench'), join(cwd, 'copy'))
  const id = snapshotsIn(copy)[0]!
  const paths = [...manifestOf(copy, id).Files]
    .map(({ Path }) => Path)
    .filter((path) => path.startsWith('statements/'))
  assert.ok(paths.length > 200)
  // Figures that are forged together with the manifest, files that are changed behind it, and files that are gone.
  const forged = every(20, 3, paths)
  for (const path of forged) {
    const file = join(copy, id, path)
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace(/"Values":\[-?\d/, (text) => `${text}7`),
    )
  }
  await writeManifest(copy, id, null, (manifest) => {
    const Files = [...manifest.Files].map((file) => {
      const bytes = readFileSync(join(copy, id, file.Path))
      return { ...file, Bytes: bytes.length, Sha256: sha256(bytes) }
    })
    return { ...manifest, Files: Files as never, ContentHash: contentHashOf(Files) }
  })
  const changed = every(50, 7, paths)
  for (const path of changed) writeFileSync(join(copy, id, path), '{}')
  const gone = every(50, 9, paths)
  for (const path of gone) rmSync(join(copy, id, path))

  const damaged = await answerOf(cwd, 'verify', join('copy', id), '--json')
  assert.is(damaged.code, 1, damaged.out)
  const { damages } = JSON.parse(damaged.out).companies[0].snapshots[0] as {
    damages: { kind: string; path: string }[]
  }
  const of = (kind: string) => damages.filter((each) => each.kind === kind).map(({ path }) => path)
  assert.equal(of('figures').sort(), forged.sort())
  assert.equal(of('truncated'), changed)
  assert.equal(of('missing'), gone)
})

const ENDS: Readonly<Record<string, RegExp>> = {
  exit: /a thread of this (verification|check) ended with 7\. [\w ;]+ --workers 1/,
  memory: /a thread of this (verification|check) had not enough memory\. [\w ;]+ --workers 1/,
  'second thread':
    /a thread of this (verification|check) could not be started \([\w :]+EAGAIN\): .* --workers 1/,
}

published('where a thread ends, no figure is called as published, nor damaged', async (cwd) => {
  const ends = async (fault: string, args: readonly string[], env = withFault(fault)): Promise<void> => {
    const { code, out, err } = await tieout([...args, '--workers', '2', '--memory', '2GB'], { cwd, env })
    const said = `${out}\n${err}`.replace(/\s+/g, ' ')
    assert.is(code, 1, said)
    assert.match(said, ENDS[fault]!)
    assert.not.match(said, /as published|damage|checked/i)
  }
  for (const fault of Object.keys(ENDS)) await ends(fault, ['verify'])
  await ends('exit', ['check'])
  // Two snapshots, of which several processes verify one each.
  correct(cwd)
  await tieout(['build'], { cwd })
  await ends('exit', ['verify', '--jobs', '2'], faultAtStart('exit'))
})

published('Ctrl-C ends a command with its threads, which leave nothing', async (cwd) => {
  for (const [i, args] of [['verify', '--sources'], ['check']].entries()) {
    const [scratch, list] = [join(cwd, `scratch-${i}`), join(cwd, `threads-${i}`)]
    mkdirSync(scratch)
    const running = begin([...args, '--workers', '2'], {
      cwd,
      env: { ...faultAtStart('delay'), TIEOUT_THREADS: list, TMPDIR: scratch },
    })
    await until(() => assert.ok(existsSync(list), 'no thread began'))
    running.kill('SIGINT')
    const { exitCode, stdout } = await running
    assert.is(exitCode, 130, args.join(' '))
    assert.not.match(stdout, /as published|checked/)
    assert.equal(
      readdirSync(scratch).filter((name) => name.startsWith('tieout-')),
      [],
      args.join(' '),
    )
  }
})
