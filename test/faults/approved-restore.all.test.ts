/**
 * The approval of an archive that is taken back, killed at one in ten of its operations: the snapshot is whole or not there, and approving it
 * again ends it.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { approve } from '../../builder/evidence/approval/approve.ts'
import { openApproverKey } from '../../builder/snapshot/approval/approver-key.ts'
import { candidatesIn } from '../../builder/snapshot/log/candidates.ts'
import { changeOptions } from '../../builder/snapshot/signing/change-options.ts'
import type { Effects } from '../../builder/system/effects.ts'
import { openWorkspace } from '../../builder/workspace/workspace.ts'
import { goodCompany, says } from '../cli/command.ts'
import { drawn } from '../seed.ts'
import { suite } from '../suite.ts'
import { ACME, verified } from '../support/snapshots.ts'
import { writeFiles } from '../support/workspace.ts'
import { buryHolder, deathsAmong, dyingAt, operationsOf, quick } from './effects.ts'

const test = suite('approved restoration')

test('killed before each operation, and in the middle of each that writes', async () => {
  const top = mkdtempSync(join(tmpdir(), 'tieout-approved-restore-'))
  const cwd = join(top, 'workspace')
  mkdirSync(cwd)
  const run = (code: number, command: string) => says(code, command, { cwd })
  const key = join(top, 'ann.pem')
  const { key: x } = JSON.parse(await run(0, `approvers key --to ${key} --json`))
  writeFileSync(
    join(cwd, 'tieout.yaml'),
    `keepInputs: true\nretention: { keepLast: 1 }\napproval: required\napprovers: [{ name: Ann, key: ${x} }]\n`,
  )
  for (const rent of ['10.00', '20.00']) {
    writeFiles(
      join(cwd, 'datasets/acme'),
      goodCompany(ACME, `3 2025-03-01 rent ${rent}; 3 2025-03-01 bank -${rent}`),
    )
    await run(5, 'build')
    await run(0, `approve ${ACME} --key ${key}`)
    if (rent === '10.00') await run(0, `archive ${ACME} --to ${join(top, 'first.zip')}`)
  }
  await run(5, 'prune --yes')
  await run(0, `approve ${ACME} --key ${key}`)
  await run(5, `restore ${join(top, 'first.zip')}`)

  const workspace = openWorkspace(cwd)
  const options = await changeOptions(workspace)
  const pen = await openApproverKey(key, null)
  const inUse = async () => new Set<string>()
  const request = { company: ACME, candidate: null, pen, inUse, figures: false }
  const act = (root: string, effects: Effects) => approve(root, request, { ...options, effects })
  const fresh = (name: string): string => {
    const root = join(top, name)
    rmSync(root, { recursive: true, force: true })
    cpSync(workspace.snapshots, root, { recursive: true })
    return root
  }
  const trial = fresh('trial')
  const current = readFileSync(join(trial, ACME, 'current.json'), 'utf8')
  const operations = await operationsOf((effects) => act(trial, effects))
  assert.ok(operations.length > 15, `${operations.length} operations`)
  for (const { at, how } of drawn(deathsAmong(operations))) {
    const where = `${operations[at - 1]}, ${at} of ${operations.length}, ${how}`
    const root = fresh('killed')
    await act(root, dyingAt(at, how)).catch(() => {})
    buryHolder(root, ACME)
    assert.is(readFileSync(join(root, ACME, 'current.json'), 'utf8'), current, where)
    const between = await verified(root, options.signer)
    assert.equal(
      between.damages.map(({ message }) => message),
      [],
      where,
    )
    const waits = (await candidatesIn(join(root, ACME))).some(({ isStale }) => !isStale)
    if (waits) await act(root, quick)
    const { all, snapshots } = await verified(root, options.signer)
    assert.equal([all, snapshots.length], [[], 2], where)
    assert.is(
      readFileSync(join(root, ACME, 'log.jsonl'), 'utf8').match(/"Event":"restore"/g)!.length,
      1,
      where,
    )
    assert.ok(existsSync(join(root, ACME, 'inputs')), where)
  }
})
