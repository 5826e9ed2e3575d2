/** A suite tells why a hook threw, and counts the tests that it was for as failed. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { suite } from './suite.ts'

const test = suite('suite')

/** What is said of a suite of two tests with these hooks. */
const suiteOf = (hooks: string): string => `{
  const test = suite('of a fixture')
  ${hooks}
  test('one', () => {})
  test('two', () => {})
  const { passed, failed, skipped } = await runDeclared()
  console.log(passed + ' passed, ' + failed + ' failed, ' + skipped + ' skipped\\n---')
}
`
const HOOKS = ['before', 'after', 'before.each', 'after.each']

test('what hooks throw, how values differ, and what cannot run, is told and counted', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-suite-'))
  const file = join(folder, 'one.test.mjs')
  writeFileSync(
    file,
    `import * as assert from '${import.meta.resolve('uvu/assert')}'
import { runDeclared, suite } from '${new URL('suite.ts', import.meta.url).href}'
${[
  ...HOOKS.map((hook) => `test.${hook}(() => { throw new RangeError('no disk') })`),
  `test('differs', () => assert.equal({ figure: 7001 }, { figure: 7002 }))`,
  'test.before(() => {})',
  `test.needs(null)
  test.needs('no disk')
  test.before(() => { throw new RangeError('no hook runs') })`,
]
  .map(suiteOf)
  .join('')}`,
  )
  const args = ['--import', import.meta.resolve('tsx'), file]
  const said = execFileSync(process.execPath, args, { encoding: 'utf8' }).split('---\n')
  for (const [i, hook] of HOOKS.entries()) {
    assert.match(said[i]!, '0 passed, 2 failed', hook)
    assert.match(said[i]!, 'no disk', hook)
    assert.match(said[i]!, /one\.test\.mjs:\d+/, hook)
  }
  const [differs, holds, skipped] = said.slice(HOOKS.length)
  assert.match(differs!, /"figure":.7001[\s\S]*"figure":.7002/)
  assert.match(differs!, '2 passed, 1 failed')
  assert.match(holds!, '2 passed, 0 failed')
  assert.match(skipped!, /^no disk\n0 passed, 0 failed, 2 skipped$/m)
})
