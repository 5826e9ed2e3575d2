/** The sample companies of datasets/, as a newcomer builds them first. */
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import * as assert from 'uvu/assert'
import { build } from '../../builder/build/build.ts'
import { openWorkspace } from '../../builder/workspace/workspace.ts'
import { suite } from '../suite.ts'

const workspace = openWorkspace(fileURLToPath(new URL('../..', import.meta.url)))
const test = suite('samples')

for (const company of readdirSync(workspace.datasets).filter((name) => name !== 'formats'))
  test(`${company} ties out`, async () => {
    const { outcome, findings, tieOuts } = await build(workspace, company, { publish: false })
    assert.equal(
      findings.filter(({ severity }) => severity === 'error'),
      [],
    )
    assert.is(outcome, 'checked')
    assert.ok(tieOuts.length > 0)
    assert.equal(
      tieOuts.filter(({ Result }) => Result !== 'pass'),
      [],
    )
  })
