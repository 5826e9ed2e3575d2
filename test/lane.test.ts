/** The process that runs test files tells why a hook threw, which uvu does not. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { LaneOutput } from './verdict.ts'

const test = suite('lane')
const LANE = fileURLToPath(new URL('lane.ts', import.meta.url))

async function outputOf(hooks: string) {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-lane-'))
  const file = join(folder, 'one.test.mjs')
  writeFileSync(
    file,
    `import { suite } from '${import.meta.resolve('uvu')}'
const test = suite('of a fixture')
${hooks}
test('one', () => {})
test('two', () => {})
test.run()
`,
  )
  const lane = spawn(process.execPath, ['--import', 'tsx', LANE], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: { ...process.env, NO_COLOR: '1' },
  })
  try {
    const output = new LaneOutput(lane.stdout!)
    lane.send(file)
    return { verdict: await output.verdict(), said: output.take() }
  } finally {
    lane.kill()
    rmSync(folder, { recursive: true, force: true })
  }
}

for (const [hook, where, failed] of [
  ['before', '"before"', 2],
  ['before.each', '"one"', 2],
  ['after.each', '"one"', 2],
] as const)
  test(`what ${hook} throws is told with its reason`, async () => {
    const { verdict, said } = await outputOf(`test.${hook}(() => { throw new RangeError('no disk') })`)
    assert.is(verdict.failed, failed, said)
    assert.match(said, where)
    assert.match(said, 'no disk')
    assert.match(said, /one\.test\.mjs:\d+/)
  })

test('hooks that hold change nothing', async () => {
  const { verdict, said } = await outputOf('test.before(() => {})')
  assert.equal(verdict, { passed: 2, failed: 0, skipped: 0 }, said)
})

test.run()
