/**
 * What earlier programs published, committed as it lay there: restatements, rollbacks, closings, a replaced and a revoked key, approvals
 * and a pruning, as far as each program had them. See landed/make.sh.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync } from 'node:zlib'
import * as assert from 'uvu/assert'
import { unpack } from '../../builder/evidence/archive/container.ts'
import { openZip } from '../../builder/evidence/archive/zip.ts'
import { releaseOf } from '../../builder/evidence/verify/releases.ts'
import { tieout } from '../cli/command.ts'
import { drawn } from '../seed.ts'
import { suite } from '../suite.ts'
import { missing, startStore } from '../support/s3.ts'
import { copyOf, linesOf, manifestOf, snapshotsIn } from './attacker.ts'

/** The events that the first change of this program enters. */
const LANDED: Readonly<Record<string, readonly string[]>> = {
  '0.1.0': ['adopt', 'release'],
  '1.0.0-2071217f': ['release'],
  '1.0.0-3f55b2e8': ['release'],
  '1.0.0+b8ee49f9-03532ba6': ['release'],
  '1.0.0+2c69c4da-4dc0c58b': ['release'],
  '1.0.0+2de8ff5a-ec1646f5': ['release'],
  '1.0.0+119aa858-75dd7007': ['release'],
  '2.0.0+9e4b9e69-bd2ebb3f': ['release'],
  '2.0.0+5b62e8e7-40b60858': ['release'],
  '2.0.0+2fae1258-f3a7454f': ['release'],
}

interface Context {
  top: string
}

const test = suite<Context>('landed')

test.before((context) => {
  context.top = mkdtempSync(join(tmpdir(), 'tieout-landed-'))
})
test.after(({ top }) => rmSync(top, { recursive: true, force: true }))

/** The workspace, with `ann.pem` beside it where she has to approve. */
async function unpacked({ top }: Context, name: string): Promise<string> {
  const folder = mkdtempSync(join(top, `${name}-`))
  const packed = fileURLToPath(new URL(`landed/${name}.zip.br`, import.meta.url))
  writeFileSync(join(folder, 'books.zip'), brotliDecompressSync(readFileSync(packed)))
  const zip = await openZip(join(folder, 'books.zip'))
  assert.equal(await unpack(zip, folder), [])
  zip.close()
  return copyOf(join(folder, 'books'), join(folder, 'workspace'))
}

async function run(cwd: string, args: readonly string[], codes: readonly number[] = [0]): Promise<string> {
  const ran = await tieout(args, { cwd })
  assert.ok(codes.includes(ran.code ?? -1), `${args.join(' ')}: ${ran.code} ${ran.out}${ran.err}`)
  return ran.out.replace(/\s+/g, ' ')
}

const events = (company: string): string[] =>
  linesOf(company).map((line) => (JSON.parse(line) as { Event: string }).Event)

/** Everything is as published, and every figure is computed again unless the files alone are asked about. */
async function assertHonest(cwd: string, ...args: string[]): Promise<void> {
  const told = await run(cwd, ['verify', ...args])
  assert.match(told, /Verified: \d snapshots? (is|are) as published/)
  if (!args.includes('--files-only')) assert.match(told, /, and every figure follows from the books/)
  assert.not.match(told, /damage |differs|unproven/)
}

const NEWEST = Object.keys(LANDED).at(-1)!
/** All are verified; the newest and another one a day are also upgraded, and one is copied to a bucket. */
const SOME = [drawn(Object.keys(LANDED).slice(0, -1))[0]!, NEWEST]
const [COPIED] = drawn(Object.keys(LANDED))
for (const [name, first] of Object.entries(LANDED)) {
  test(`${name}: verified in its workspace, and as a copy of which no key is known`, async (context) => {
    const workspace = await unpacked(context, name)
    const company = join(workspace, 'snapshots/acme')
    for (const id of snapshotsIn(company)) {
      const manifest = manifestOf(company, id)
      assert.is(releaseOf(manifest)?.version, name.split('-')[0], 'it is in the table of releases')
    }
    await assertHonest(workspace, 'acme', '--files-only')
    // The figures are the same, whoever verifies them.
    await assertHonest(context.top, company)
  })

  if (!SOME.includes(name)) continue
  test(`${name}: upgraded in place, built, verified and archived`, async (context) => {
    const workspace = await unpacked(context, name)
    const company = join(workspace, 'snapshots/acme')
    const before = events(company)
    const held = snapshotsIn(company).find((id) => id.startsWith('2025-03-r1'))!
    await run(workspace, ['snapshots', 'release', 'acme', held, '--reason', 'the tax audit is over'])
    assert.equal(events(company), [...before, ...first])
    // No figure is another one by it: they are proved above.
    await run(workspace, ['verify', 'acme', '--files-only'])
    // The books that the sources give by the rules of their format are the same bytes, and so are the statements.
    if (name === NEWEST) {
      const { out } = await tieout(['verify', 'acme', '--sources'], { cwd: workspace })
      assert.not.match(out, /(books|statements)\/\S+ is not what the sources give/)
      await assertHonest(workspace, 'group', '--sources')
    }
    writeFileSync(
      join(workspace, 'datasets/acme/ledger.csv'),
      `${readFileSync(join(workspace, 'datasets/acme/ledger.csv'), 'utf8')}90,2025-05-01,rent,7.00\n90,2025-05-01,bank,-7.00\n`,
    )
    const built = await tieout(['build'], { cwd: workspace })
    if (built.code === 5) await run(workspace, ['approve', 'acme', '--key', join(workspace, '../ann.pem')])
    else assert.is(built.code, 0, built.out + built.err)
    await assertHonest(workspace, 'acme', '--files-only')
    // The evidence has all of these snapshots, with the figures that are proved above.
    for (const [command, ...options] of [
      ['archive'],
      ['evidence', '--from', '2025-01', '--through', '2025-12'],
    ]) {
      const zip = join(workspace, `${command}.zip`)
      await run(workspace, [command!, 'acme', ...options, '--to', zip])
      await assertHonest(context.top, zip, '--files-only')
    }
  })
}

test(`copied to a bucket, and back: ${missing ?? COPIED}`, async (context) => {
  if (missing) return
  const store = await startStore()
  try {
    const workspace = await unpacked(context, COPIED!)
    const address = `s3://${await store.bucket()}/books`
    const copy = (cwd: string, ...args: string[]) =>
      tieout(['snapshots', 'copy', ...args], { cwd, env: store.env })
    const there = await copy(workspace, '--to', address)
    assert.is(there.code, 0, there.out + there.err)
    const other = join(workspace, '../other')
    mkdirSync(other)
    writeFileSync(join(other, 'tieout.yaml'), '{}\n')
    const back = await copy(other, '--from', address)
    assert.is(back.code, 0, back.out + back.err)
    // Every byte is one that a manifest names whose figures are proved above.
    await assertHonest(context.top, join(other, 'snapshots/acme'), '--files-only')
  } finally {
    await store.stop()
  }
})
