/** Builds as whole processes: the same bytes wherever they run, and a sound current snapshot whenever they are killed. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import * as assert from 'uvu/assert'
import { MANIFEST, SIGNATURE } from '../../builder/snapshot/files/layout.ts'
import { openSnapshot, readPointer } from '../../builder/snapshot/files/open.ts'
import { sha256 } from '../../builder/system/hash.ts'
import { suite } from '../suite.ts'
import { begin, inFolder, repository, says, tieout } from './command.ts'

const publication = suite('cli publication')

function workspaceWith(root: string, companies: readonly string[]): string {
  mkdirSync(root, { recursive: true })
  writeFileSync(join(root, 'tieout.yaml'), 'datasets: datasets\nsnapshots: snapshots\n')
  for (const company of companies)
    cpSync(join(repository, 'datasets', company), join(root, 'datasets', company), { recursive: true })
  return root
}

/** Every file below a folder with its hash; a manifest without the part that names time and host. */
function contents(folder: string): Map<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    // Each workspace signs with a key of its own.
    (entry) => entry.isFile() && entry.name !== SIGNATURE,
  )
  return new Map(
    files
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((path) => {
        const bytes = readFileSync(path)
        if (!path.endsWith(`/${MANIFEST}`)) return [relative(folder, path), sha256(bytes)]
        const { Build, ...rest } = JSON.parse(bytes.toString('utf8'))
        assert.equal(Object.keys(Build), ['At', 'Node', 'Program', 'Seconds', 'LogSha256', 'KeyId'])
        return [relative(folder, path), JSON.stringify(rest)]
      }),
  )
}

publication('two builds are the same bytes in other folders, time zones and locales', () =>
  inFolder(async (folder) => {
    const companies = ['lakeside', 'nordvik']
    const places = [
      { root: 'a', env: { LANG: 'C', LC_ALL: 'C' } },
      {
        root: 'an other/place',
        env: { TZ: 'Pacific/Kiritimati', LANG: 'sv_SE.UTF-8', LC_ALL: 'tr_TR.UTF-8' },
      },
    ]
    const built: Map<string, string>[] = []
    for (const { root, env } of places) {
      const cwd = workspaceWith(join(folder, root), companies)
      await says(0, 'build', { cwd, env })
      const ids = await Promise.all(companies.map((id) => readPointer(join(cwd, 'snapshots'), id)))
      built.push(
        new Map(
          companies.flatMap((id, i) => [
            [`${id} current`, ids[i]!.SnapshotId] as const,
            ...contents(join(cwd, 'snapshots', id, ids[i]!.SnapshotId)),
          ]),
        ),
      )
    }
    const [first, second] = built as [Map<string, string>, Map<string, string>]
    assert.ok(first.size > 100)
    assert.equal([...first.keys()], [...second.keys()])
    const differing = [...first].filter(([path, hash]) => second.get(path) !== hash).map(([path]) => path)
    assert.equal(differing, [])
  }),
)

/** Reads the current snapshot whole, against its hashes; its id, or null where nothing is published. */
async function soundSnapshot(snapshots: string, company: string): Promise<string | null> {
  const pointer = await readPointer(snapshots, company)
  if (pointer === null) return null
  const snapshot = await openSnapshot(snapshots, company, pointer.SnapshotId, pointer.ManifestSha256)
  for (const { Path } of snapshot.manifest.Files) await snapshot.read(Path)
  return snapshot.id
}

const KILLS = 8

publication('kill -9 at any moment leaves a sound current snapshot, and the next build succeeds', () =>
  inFolder(async (cwd) => {
    workspaceWith(cwd, ['lakeside'])
    const snapshots = join(cwd, 'snapshots')
    const yaml = join(cwd, 'datasets/lakeside/company.yaml')
    const original = readFileSync(yaml, 'utf8')
    const rename = (name: string) => writeFileSync(yaml, original.replace(/^name: .*$/m, `name: ${name}`))

    const begun = Date.now()
    assert.is((await tieout(['build'], { cwd })).code, 0)
    const whole = Date.now() - begun
    const first = await soundSnapshot(snapshots, 'lakeside')

    for (let i = 0; i < KILLS; i++) {
      // Each try would publish something new; the moments are spread over the length of a build, with some chance.
      rename(`Try ${i}`)
      const before = await soundSnapshot(snapshots, 'lakeside')
      const running = begin(['build'], { cwd })
      const moment = (whole * (i + 1 + Math.random())) / (KILLS + 1)
      const timer = setTimeout(() => running.kill('SIGKILL'), moment)
      const { exitCode } = await running
      clearTimeout(timer)
      const after = await soundSnapshot(snapshots, 'lakeside')
      if (exitCode === 0) assert.is.not(after, before, 'a build that ended well has published')
    }

    rename('At last')
    assert.match(await says(0, 'build', { cwd }), /published/)
    const last = await soundSnapshot(snapshots, 'lakeside')
    assert.is.not(last, first)
    const litter = readdirSync(join(snapshots, 'lakeside')).filter((name) => name.startsWith('.'))
    assert.equal(litter, [], 'what killed builds left behind is gone')
    assert.ok(existsSync(join(snapshots, 'lakeside', first!)), 'and nothing else is')
  }),
)
