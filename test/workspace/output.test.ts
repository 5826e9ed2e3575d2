/** Output that people ask for: what a killed process left of it, beside its place. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { writeOutput } from '../../builder/system/output.ts'
import { suite } from '../suite.ts'

const output = suite('output')

output('what a killed process left is removed by the next one; what a running one writes stays', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-output-'))
  const to = (name: string) => join(folder, name)
  const killed = `import { writeOutput } from ${JSON.stringify(import.meta.resolve('../../dist/builder/system/output.js'))}
      await writeOutput(${JSON.stringify(to('a.zip'))}, 'file', async () => process.kill(process.pid, 'SIGKILL'))`
  const begun = killed.replace(
    'async () =>',
    `async (staged) => (await import('node:fs')).writeFileSync(staged, '1') ??`,
  )
  assert.is(spawnSync(process.execPath, ['--input-type=module', '-e', begun]).signal, 'SIGKILL')
  assert.match(readdirSync(folder).join(), /^\.a\.zip\.[0-9a-f]{12}\.partial$/)
  await writeOutput(to('b.zip'), 'file', async (staged) => {
    writeFileSync(staged, 'b')
    await writeOutput(to('c.zip'), 'file', async (other) => writeFileSync(other, 'c'))
  })
  assert.equal(readdirSync(folder), ['b.zip', 'c.zip'])
  assert.is(readFileSync(to('b.zip'), 'utf8'), 'b')
})
