/** The sample companies of datasets/, as a newcomer builds them first. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as assert from 'uvu/assert'
import { build } from '../../builder/build/build.ts'
import { buildStages, membersOf } from '../../builder/workspace/group-order.ts'
import { openWorkspace } from '../../builder/workspace/workspace.ts'
import { suite } from '../suite.ts'

const repository = openWorkspace(fileURLToPath(new URL('../..', import.meta.url)))
const snapshots = mkdtempSync(join(tmpdir(), 'tieout-samples-'))
const workspace = { ...repository, snapshots }
const companies = readdirSync(workspace.datasets).filter((name) => name !== 'formats')
const members = new Set(companies.flatMap((company) => membersOf(workspace, company)))
const test = suite('samples')

test.after(() => rmSync(snapshots, { recursive: true, force: true }))

for (const company of buildStages(workspace, companies).flat())
  test(`${company} ties out`, async () => {
    // What a group is made of is what its members have published.
    const publish = members.has(company)
    const { outcome, findings, tieOuts } = await build(workspace, company, { publish })
    assert.equal(
      findings.filter(({ severity }) => severity === 'error'),
      [],
    )
    assert.is(outcome, publish ? 'published' : 'checked')
    assert.ok(tieOuts.length > 0)
    assert.equal(
      tieOuts.filter(({ Result }) => Result !== 'pass'),
      [],
    )
  })

test('one of them is a group of others', () => assert.equal([...members], ['harbor', 'nordvik']))
