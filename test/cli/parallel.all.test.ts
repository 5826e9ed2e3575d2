/** Several companies at once: one table in the order asked for, and no failure of one takes another with it. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { suite } from '../suite.ts'
import { badCompany, begin, goodCompany, inWorkspaceOf, says, tieout } from './command.ts'
import { faultAtStart } from './workers-harness.ts'

const parallel = suite('companies beside each other')

const NAMES = ['alpha', 'bravo', 'charlie', 'delta']
const companies = (bad: readonly string[]) =>
  Object.fromEntries(NAMES.map((id) => [id, bad.includes(id) ? badCompany(id) : goodCompany(id)]))
const isPublished = (cwd: string, id: string): boolean =>
  existsSync(join(cwd, 'snapshots', id, 'current.json'))

parallel(
  'a refused company leaves the others alone; side by side and in turn, the same in the same order',
  async () => {
    const built = (jobs: string) =>
      inWorkspaceOf(companies(['bravo', 'delta']), async (cwd) => {
        const said = await says(3, `build --jobs ${jobs} --json`, { cwd })
        const all = JSON.parse(said).companies as { company: string; outcome: string; snapshotId: string }[]
        for (const { company, outcome } of all) assert.is(isPublished(cwd, company), outcome === 'published')
        return all.map(({ company, outcome, snapshotId }) => [company, outcome, snapshotId])
      })
    const several = await built('3')
    assert.equal(
      several.map(([company, outcome]) => [company, outcome]),
      NAMES.map((id) => [id, id === 'bravo' || id === 'delta' ? 'refused' : 'published']),
    )
    assert.equal(await built('1'), several)
  },
)

parallel('a process that is killed is one failed company; the rest is published', () =>
  inWorkspaceOf(companies([]), async (cwd) => {
    const running = begin(['build', '--jobs', '2', '--json'], { cwd })
    const victim = await firstChild(running.pid!)
    process.kill(victim, 'SIGKILL')
    const { exitCode, stdout } = await running
    assert.is(exitCode, 1)
    const built = JSON.parse(stdout as string).companies as Built[]
    const failed = built.filter(({ outcome }) => outcome === 'failed')
    assert.is(failed.length, 1)
    assert.match(failed[0]!.error!.message, /its process was ended by SIGKILL; most likely/)
    assert.is(failed[0]!.error!.code, 'process-ended')
    for (const { company, outcome } of built)
      if (outcome !== 'failed') assert.ok(isPublished(cwd, company), company)
    assert.is(built.length, NAMES.length)
    // Nothing stands in the way of building it again.
    await says(0, `build ${failed[0]!.company}`, { cwd })
  }),
)

parallel('where no process can be started, nothing is done, and that is no success', () =>
  inWorkspaceOf(companies([]), async (cwd) => {
    const program = process.execPath
    const withoutIt = <T>(run: Promise<T>): Promise<T> => {
      process.execPath = '/no/such/program'
      return run.finally(() => {
        process.execPath = program
      })
    }
    for (const args of [['build'], ['check']]) {
      const { code, out } = await withoutIt(tieout([...args, '--jobs', '2', '--json'], { cwd }))
      assert.is(code, 1, args[0])
      for (const { outcome, error } of JSON.parse(out).companies as Built[]) {
        assert.is(outcome, 'failed')
        assert.match(error!.message, /its process was ended before it began \(spawn .*ENOENT\)/)
      }
    }
    assert.is((await tieout(['build'], { cwd })).code, 0)
    assert.match(
      await withoutIt(says(1, 'verify --jobs 2', { cwd })),
      /could not be proven: its process was ended before it began/,
    )
  }),
)

parallel('a command that ends although nobody has answered it has failed', () =>
  inWorkspaceOf(companies([]), async (cwd) => {
    assert.match(
      await says(1, 'build --jobs 2', { cwd, env: faultAtStart('silent process') }),
      /the command ended before its work was done/,
    )
  }),
)

interface Built {
  readonly company: string
  readonly outcome: string
  readonly error: { readonly code: string; readonly message: string } | null
}

async function firstChild(pid: number): Promise<number> {
  for (;;) {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
    if (children[0]) return Number(children[0])
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

parallel('how many at once is a number', () =>
  inWorkspaceOf(companies([]), async (cwd) => {
    for (const jobs of ['0', '-1', 'all', '65']) {
      assert.match(await says(2, `build --jobs ${jobs}`, { cwd }), /It must be a number from 1 to 64/)
    }
  }),
)
