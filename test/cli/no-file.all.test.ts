/** A folder or a pipe in the place of a file: named at once, also where nobody will ever write into the pipe. */
import { execFileSync } from 'node:child_process'
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { listSnapshotIds } from '../../builder/snapshot/files/open.ts'
import { suite } from '../suite.ts'
import { goodCompany, inWorkspaceOf, type Ran, tieout } from './command.ts'

const test = suite<{ top: string; built: string; id: string }>('no file')

test.before(async (context) => {
  context.top = mkdtempSync(join(tmpdir(), 'tieout-no-file-'))
  context.built = join(context.top, 'built')
  await inWorkspaceOf({ acme: goodCompany('acme'), bolt: goodCompany('bolt') }, async (cwd) => {
    assert.is((await tieout(['build'], { cwd })).code, 0)
    cpSync(cwd, context.built, { recursive: true })
  })
  const [id] = await listSnapshotIds(join(context.built, 'snapshots'), 'acme')
  context.id = id!
})

const KINDS: Readonly<Record<string, (path: string) => void>> = {
  folder: (path) => mkdirSync(path),
  pipe: (path) => void execFileSync('mkfifo', [path]),
}

const RUNS: Readonly<Record<string, readonly string[]>> = {
  verify: ['verify'],
  build: ['build', 'acme'],
  list: ['snapshots', 'list', 'acme'],
}

/** Below the workspace; `ID` is the snapshot's id. What must name the file: the others may do without it. */
const PLACES: readonly [path: string, ...runs: string[]][] = [
  ['snapshots/acme/log.jsonl', 'verify', 'build'],
  ['snapshots/acme/current.json', 'verify', 'list'],
  ['snapshots/acme/.lock', 'build'],
  ['snapshots/acme/ID/manifest.json', 'verify'],
  ['snapshots/acme/ID/manifest.json.sig', 'verify'],
  ['snapshots/acme/ID/books/postings.parquet', 'verify'],
  ['snapshots/acme/ID/books/frame.json', 'verify'],
  ['snapshots/acme/ID/info.json', 'verify'],
  ['.tieout/manifest-keys.json', 'build'],
  ['tieout.yaml', 'build'],
  ['datasets/acme/company.yaml', 'build'],
  ['datasets/acme/chart.csv', 'build'],
  ['datasets/acme/ledger.csv', 'build'],
]

for (const [path, ...runs] of PLACES)
  for (const [kind, put] of Object.entries(KINDS)) {
    // Of a folder the system says itself that it is one.
    if (kind === 'folder' && !path.endsWith('.jsonl') && !path.endsWith('current.json')) continue
    test(`a ${kind} in the place of ${path}`, async ({ top, built, id }) => {
      const cwd = mkdtempSync(join(top, 'copy-'))
      cpSync(built, cwd, { recursive: true })
      // Else there is nothing to build.
      appendFileSync(join(cwd, 'datasets/acme/company.yaml'), 'lockDate: 2024-12-31\n')
      const place = join(cwd, path.replace('ID', id))
      rmSync(place, { force: true })
      put(place)
      for (const run of runs) {
        const { code, out, err }: Ran = await tieout(RUNS[run]!, { cwd })
        const said = `${run}: ${out}${err}`
        assert.ok(code === 1 || code === 3, said)
        assert.match(said, path.split('/').at(-1)!, said)
        assert.not.match(said, /a file cannot|should not have happened|undefined/, said)
        // The other company is verified all the same.
        if (run === 'verify' && path.startsWith('snapshots/'))
          assert.match(said, /bolt .* as published/, said)
      }
    })
  }

test('a pipe in the place of access.yaml', async ({ top, built }) => {
  const cwd = mkdtempSync(join(top, 'copy-'))
  cpSync(built, cwd, { recursive: true })
  KINDS.pipe!(join(cwd, 'access.yaml'))
  const { code, err } = await tieout(['user', 'remove', 'ann@example.com'], { cwd })
  assert.is(code, 1, err)
  assert.match(err, /access\.yaml cannot be used: it is a pipe or a device, not a file/)
})
