/**
 * A disk that is full in the middle of a whole build, DuckDB's own files included: with less and more room the old
 * snapshot stays, the message says what it is, and the build succeeds once there is room. Needs leave to mount a tmpfs.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { build } from '../../builder/build/build.ts'
import { verifyCompanies } from '../../builder/evidence/verify/verify.ts'
import { parseSnapshotId } from '../../builder/snapshot/files/layout.ts'
import { openWorkspace } from '../../builder/workspace/workspace.ts'
import { failureOf } from '../../cli/terminal/exit.ts'
import { goodCompany, tieout } from '../cli/command.ts'
import { suite } from '../suite.ts'
import { CHART, COMPANY, companyYaml, writeFiles } from '../support/workspace.ts'

const scratch = mkdtempSync(join(tmpdir(), 'tieout-full-'))
const disk = join(scratch, 'snapshots')
mkdirSync(disk)
const mount = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', disk], { stdio: 'ignore' })
const canMount = mount.status === 0
if (!canMount) process.stdout.write('full-disk: no leave to mount a tmpfs, so the full disk is skipped\n')

const test = suite('full disk')
test.after(() => {
  if (canMount) spawnSync('umount', [disk], { stdio: 'ignore' })
})

/** Enough postings for books of some hundred kilobytes. */
function ledger(day: number): string {
  const lines = ['transaction_id,date,account,amount,memo']
  for (let tx = 1; tx <= 8000; tx++) {
    const date = `2025-${String(1 + (tx % 12)).padStart(2, '0')}-${String(day).padStart(2, '0')}`
    const memo = `memo ${(tx * 2654435761) % 4294967296} of ${(tx * 40503) % 65536}`
    lines.push(`${tx},${date},bank,${tx}.01,${memo}`, `${tx},${date},sales,-${tx}.01,${memo}`)
  }
  return `${lines.join('\n')}\n`
}

const BLOCK = 4096
const free = (): number => statfsSync(disk).bavail * statfsSync(disk).bsize

function leave(bytes: number): void {
  const filler = join(disk, 'filler')
  rmSync(filler, { force: true })
  const size = free() - bytes
  if (size > 0) writeFileSync(filler, Buffer.alloc(size, 1))
}

const when = canMount ? test : test.skip
when('the old snapshot stays at every size, and the next build succeeds', async () => {
  const write = (day: number): void =>
    writeFiles(join(scratch, 'datasets', COMPANY), {
      'company.yaml': companyYaml(),
      'chart.csv': CHART,
      'ledger.csv': ledger(day),
    })
  writeFileSync(join(scratch, 'tieout.yaml'), 'datasets: datasets\nsnapshots: snapshots\n')
  const workspace = openWorkspace(scratch)
  write(10)
  const before = free()
  const first = await build(workspace, COMPANY, { publish: true })
  assert.is(first.outcome, 'published', JSON.stringify(first.findings))
  const needed = before - free()
  assert.ok(needed > 30 * BLOCK, `${needed} bytes`)
  const names = readdirSync(join(disk, COMPANY)).sort()

  write(11)
  const verdict = async () => {
    const { companies } = await verifyCompanies(disk, [COMPANY], { figures: false, known: null })
    return [...companies[0]!.damages, ...companies[0]!.snapshots.flatMap(({ damages }) => damages)]
  }
  const said = new Set<string>()
  const steps = 12
  for (let step = 0; step < steps; step++) {
    // The second snapshot needs less than the first: pages that did not change are links.
    const room = Math.floor((needed * step) / steps / 3 / BLOCK) * BLOCK
    leave(room)
    const problem = await build(workspace, COMPANY, { publish: true }).then(
      ({ outcome }) => assert.unreachable(`${outcome} in ${room} bytes`),
      (found: unknown) => found,
    )
    const { code, message } = failureOf(problem)
    assert.is.not(code, 'unexpected', `${room} bytes: ${message}`)
    said.add(message.replaceAll(/\S*snapshots\S*/g, '…'))
    rmSync(join(disk, 'filler'), { force: true })
    assert.equal(
      readdirSync(join(disk, COMPANY))
        .sort()
        .filter((name) => parseSnapshotId(name) || !name.startsWith('.')),
      names,
      `${room} bytes`,
    )
    assert.equal(await verdict(), [], `${room} bytes`)
  }
  for (const message of said) assert.match(message, /disk is full|space/i)
  const next = await build(workspace, COMPANY, { publish: true })
  assert.is(next.outcome, 'published')
  assert.equal(await verdict(), [])
})

when(
  'a change of the keys that lacks room for the keys or for a log says so by its exit code, and is finished later',
  async () => {
    const root = join(disk, 'books')
    for (const company of ['acme', 'bolt']) writeFiles(join(root, 'datasets', company), goodCompany(company))
    writeFileSync(join(root, 'tieout.yaml'), '')
    const run = (command: string) => tieout(command.split(' '), { cwd: root })
    const keys = async () => JSON.parse((await run('keys signing --json')).out)
    assert.is((await run('build')).code, 0)
    const codes = new Set<number | undefined>()
    for (let blocks = 0; blocks < 6; blocks++) {
      const before = await keys()
      leave(blocks * BLOCK)
      const { code, out, err } = await run('keys signing rotate --reason every-january')
      rmSync(join(disk, 'filler'))
      codes.add(code)
      const after = await keys()
      if (code === 0) assert.equal(after.pending, [], `${blocks} blocks`)
      else assert.match(out + err, /disk is full|no space/i, `${blocks} blocks`)
      if (code === 0) assert.is.not(after.keys[0].kid, before.keys[0].kid)
      assert.is((await run('verify --files-only')).code, 0, `${blocks} blocks`)
      assert.is((await run('keys signing rotate --reason every-january')).code, 0)
      assert.equal((await keys()).pending, [])
      assert.is((await run('verify --files-only')).code, 0, `${blocks} blocks, and once more`)
    }
    assert.equal([...codes].sort(), [0, 1])
  },
)
