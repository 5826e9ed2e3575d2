/** Ctrl-C, SIGTERM and the end of the terminal at any moment: nothing half-published, no lock, nothing left behind, and the next build succeeds. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { seed } from '../seed.ts'
import { suite } from '../suite.ts'
import { CHART, companyYaml, inWorkspace, ledgerCsv, writeFiles } from '../support/workspace.ts'
import { begin, tieout } from './command.ts'

const stopped = suite('a command that is stopped')

/** Enough for every step to take a while. */
const LEDGER = ledgerCsv(
  Array.from({ length: 2000 }, (_, i) => {
    const day = `2025-${String((i % 12) + 1).padStart(2, '0')}-${String((i % 28) + 1).padStart(2, '0')}`
    return `${i} ${day} bank ${i}.25 c${i % 20} d${i % 7}; ${i} ${day} sales -${i}.25 c${i % 20} d${i % 7}`
  }).join('; '),
)
const members = (letter: string, count: number): string =>
  `id,name\n${Array.from({ length: count }, (_, i) => `${letter}${i},${letter} ${i}`).join('\n')}\n`
const FILES = {
  'company.yaml': companyYaml('classes: classes.csv\ndepartments: departments.csv'),
  'chart.csv': CHART,
  'classes.csv': members('c', 20),
  'departments.csv': members('d', 7),
  'ledger.csv': LEDGER,
}

/** What a build that was stopped may not leave, in the company's snapshots and in the folder for temporary files. */
function leftIn(folder: string, scratch: string): string[] {
  const names = existsSync(folder) ? readdirSync(folder) : []
  return [
    ...names.filter((name) => name.startsWith('.')),
    ...readdirSync(scratch).filter((name) => name.startsWith('tieout-')),
  ]
}

async function inScratch(run: (scratch: string) => Promise<void>): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'stopped-'))
  await run(scratch)
}

const STEPS = ['reading the exports', 'checking the books', 'statements', 'publishing']
const SIGNALS = [
  ['SIGHUP', 129],
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const
stopped('a build that a signal ends, at each of its steps', () =>
  inScratch((scratch) =>
    inWorkspace(FILES, async ({ root, snapshots }) => {
      const company = join(snapshots, 'acme')
      for (const [i, step] of STEPS.entries()) {
        // All end a build by the same steps, so that each step meets one of them, another one tomorrow.
        const [signal, code] = SIGNALS[(i + seed) % SIGNALS.length]!
        const running = begin(['build', 'acme'], { cwd: root, env: { TMPDIR: scratch } })
        let said = ''
        running.stderr.on('data', (text: Buffer) => {
          // Once: a second signal ends the program without a word.
          const isSent = said.includes(step)
          said += text
          if (!isSent && said.includes(step)) running.kill(signal)
        })
        const { exitCode, stderr } = await running
        assert.equal(leftIn(company, scratch), [], step)
        if (existsSync(join(company, 'current.json'))) {
          assert.is(exitCode, 0, `${step}: what was published was finished: ${stderr}`)
          rmSync(company, { recursive: true })
        } else {
          assert.is(exitCode, code, `${step}, ${signal}: ${stderr}`)
          assert.match(stderr, /stopped; nothing was published\n$/, step)
        }
      }
      const { code: after } = await tieout(['build', 'acme'], { cwd: root })
      assert.is(after, 0)
    }),
  ),
)

stopped('a build that is stopped after any time, and one after the other', () =>
  inScratch((scratch) =>
    inWorkspace(FILES, async ({ root, snapshots }) => {
      const company = join(snapshots, 'acme')
      for (const ms of [60, 310, 560, 890]) {
        const running = begin(['build', 'acme'], { cwd: root, env: { TMPDIR: scratch } })
        await wait(ms)
        running.kill('SIGINT')
        const { exitCode, signal } = await running
        // Before the program is loaded nothing handles the signal, and nothing was begun.
        assert.ok([0, 130].includes(exitCode ?? -1) || signal === 'SIGINT', `${ms}: ${exitCode} ${signal}`)
        assert.equal(leftIn(company, scratch), [], `${ms}`)
      }
      assert.is((await tieout(['build', 'acme'], { cwd: root })).code, 0)
      assert.is((await tieout(['verify', 'acme', '--files-only'], { cwd: root })).code, 0)
    }),
  ),
)

stopped('several companies at once: each is published whole, or not at all', () =>
  inScratch((scratch) =>
    inWorkspace(FILES, async ({ root, datasets, snapshots }) => {
      const others = ['beta', 'gamma']
      for (const id of others)
        writeFiles(join(datasets, id), {
          ...FILES,
          'company.yaml': FILES['company.yaml'].replace('id: acme', `id: ${id}`),
        })
      const running = begin(['build', '--jobs', '2'], { cwd: root, env: { TMPDIR: scratch } })
      let said = ''
      running.stderr.on('data', (text: Buffer) => {
        const isSent = said.includes('statements')
        said += text
        if (!isSent && said.includes('statements')) running.kill('SIGINT')
      })
      const { exitCode, stdout } = await running
      assert.is(exitCode, 130, stdout)
      for (const id of ['acme', ...others]) assert.equal(leftIn(join(snapshots, id), scratch), [], id)
      assert.match(stdout, /stopped/)
      assert.is((await tieout(['build'], { cwd: root })).code, 0)
      assert.is((await tieout(['verify', '--files-only'], { cwd: root })).code, 0)
    }),
  ),
)

const onLinux = process.platform === 'linux' ? stopped : stopped.skip
onLinux('several companies at once, and their parent is killed: each undoes what it has begun', () =>
  inScratch((scratch) =>
    inWorkspace(FILES, async ({ root, datasets, snapshots }) => {
      const ids = ['acme', 'beta']
      writeFiles(join(datasets, 'beta'), {
        ...FILES,
        'company.yaml': FILES['company.yaml'].replace('id: acme', 'id: beta'),
      })
      const running = begin(['build', '--jobs', '2', '--memory', '3GB'], {
        cwd: root,
        env: { TMPDIR: scratch },
      })
      let said = ''
      running.stderr.on('data', (text: Buffer) => {
        said += text
        if (/statements/.test(said)) running.kill('SIGKILL')
      })
      // The pipe is closed once the others have ended, too.
      await running
      assert.not.match(said, /EPIPE|Error/)
      for (const id of ids) assert.equal(leftIn(join(snapshots, id), scratch), [], id)
      assert.is((await tieout(['build'], { cwd: root })).code, 0)
    }),
  ),
)

stopped('an export and an archive: no file, and none that is half written', () =>
  inScratch((scratch) =>
    inWorkspace(FILES, async ({ root }) => {
      assert.is((await tieout(['build', 'acme'], { cwd: root })).code, 0)
      for (const args of [
        ['export', 'acme', '--what', 'all', '--to', join(root, 'made.xlsx')],
        ['archive', 'acme', '--to', join(root, 'made.zip')],
      ])
        for (const ms of [250, 500, 800]) {
          const running = begin(args, { cwd: root, env: { TMPDIR: scratch } })
          await wait(ms)
          running.kill('SIGINT')
          const { exitCode } = await running
          const out = readdirSync(root).filter((name) => name.includes('made.'))
          assert.equal(out, exitCode === 0 ? [args.at(-1)!.split('/').at(-1)] : [], `${args[0]} ${ms}`)
          for (const name of out) rmSync(join(root, name))
          assert.equal(readdirSync(scratch), [])
        }
    }),
  ),
)
