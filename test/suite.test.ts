/** A suite tells why a hook threw, and counts the tests that it was for as failed. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { suite } from './suite.ts'

const test = suite('suite')

/** What is said of two tests with these hooks. */
function saidOf(hooks: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-suite-'))
  const file = join(folder, 'one.test.mjs')
  writeFileSync(
    file,
    `import { runDeclared, suite } from '${new URL('suite.ts', import.meta.url).href}'
const test = suite('of a fixture')
${hooks}
test('one', () => {})
test('two', () => {})
const { passed, failed, skipped } = await runDeclared()
console.log(passed + ' passed, ' + failed + ' failed, ' + skipped + ' skipped')
`,
  )
  try {
    return execFileSync(process.execPath, ['--import', import.meta.resolve('tsx'), file], {
      encoding: 'utf8',
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

for (const hook of ['before', 'after', 'before.each', 'after.each'])
  test(`what ${hook} throws is told with its reason and its place`, () => {
    const said = saidOf(`test.${hook}(() => { throw new RangeError('no disk') })`)
    assert.match(said, '0 passed, 2 failed')
    assert.match(said, 'no disk')
    assert.match(said, /one\.test\.mjs:\d+/)
  })

test('two values that differ are both told', () => {
  const said = saidOf(`import * as assert from '${import.meta.resolve('uvu/assert')}'
test('differs', () => assert.equal({ figure: 7001 }, { figure: 7002 }))`)
  assert.match(said, /"figure":.7001[\s\S]*"figure":.7002/)
  assert.match(said, '2 passed, 1 failed')
})

test('hooks that hold change nothing', () => {
  assert.match(saidOf('test.before(() => {})'), '2 passed, 0 failed')
})

test('what cannot run is counted as skipped, with why', () => {
  const said = saidOf(`test.needs(null)
test.needs('no disk')
test.before(() => { throw new RangeError('no hook runs') })`)
  assert.match(said, /^no disk\n0 passed, 0 failed, 2 skipped$/m)
})
