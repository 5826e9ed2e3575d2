/**
 * The same snapshot on every supported version of Node, byte for byte, and a server that answers from it: a third of them a day.
 * `TIEOUT_NODES` has the paths of the programs, with ":" between them, as `.ci/run` fetches them; skipped where it is not set.
 */
import { createHash } from 'node:crypto'
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { execa } from 'execa'
import * as assert from 'uvu/assert'
import { LOG, MANIFEST, POINTER, SIGNATURE } from '../../builder/snapshot/files/layout.ts'
import type { Manifest } from '../../builder/snapshot/files/manifest.ts'
import { inFolder, MAIN, printed, repository } from '../cli/command.ts'
import { alike } from '../seed.ts'
import { suite } from '../suite.ts'

const nodes = (process.env.TIEOUT_NODES ?? '').split(delimiter).filter((path) => path !== '')
if (nodes.length === 0) process.stdout.write('TIEOUT_NODES is not set: other versions of Node are skipped\n')
const test = suite('versions of Node')
const check = nodes.length > 0 ? test : test.skip

/** Harbor has classes, departments, budgets, metrics and a workbook; the ledger of Nordvik is a SIE file. */
const COMPANIES = ['harbor', 'nordvik']

/** Every published file with its hash; of a manifest all but the part that tells when and where it was built. */
function publishedIn(folder: string): Map<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  const hashed = new Map<string, string>()
  for (const { parentPath, name } of files) {
    const path = join(parentPath, name)
    if ([SIGNATURE, LOG, POINTER].includes(name)) continue
    const bytes = readFileSync(path)
    const { Build: _, ...rest } = name === MANIFEST ? (JSON.parse(bytes.toString('utf8')) as Manifest) : {}
    const content = name === MANIFEST ? JSON.stringify(rest) : bytes
    hashed.set(path.slice(folder.length), createHash('sha256').update(content).digest('hex'))
  }
  return hashed
}

/** Builds with one version of Node, verifies, and asks a server; gives what was published. */
async function publishedBy(node: string, folder: string): Promise<Map<string, string>> {
  const run = (...args: string[]) => execa(node, [MAIN, '-C', folder, ...args])
  for (const company of COMPANIES)
    cpSync(join(repository, 'datasets', company), join(folder, 'datasets', company), { recursive: true })
  writeFileSync(join(folder, 'tieout.yaml'), 'server: { port: 0 }\n')
  await run('build')
  const { stdout } = await run('verify')
  assert.match(stdout, 'every figure follows from the books')
  const server = execa(node, [MAIN, '-C', folder, 'serve'], { reject: false })
  try {
    const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(await printed(server, /http:\/\/127\.0\.0\.1:\d+/))!
    assert.is((await fetch(`${address}/readyz`)).status, 200)
    assert.is((await fetch(`${address}/openapi.json`)).status, 200)
    assert.is((await fetch(`${address}/oauth2/user-info`)).status, 401)
  } finally {
    server.kill('SIGTERM')
  }
  assert.is((await server).exitCode, 0)
  return publishedIn(join(folder, 'snapshots'))
}

check('each publishes the same bytes, verifies them, and serves', async () => {
  const ours = await inFolder((folder) => publishedBy(process.execPath, folder))
  assert.ok(ours.size > 1000)
  for (const node of alike(nodes)) {
    const { stdout: version } = await execa(node, ['--version'])
    const theirs = await inFolder((folder) => publishedBy(node, folder))
    const differing = [...new Set([...ours.keys(), ...theirs.keys()])].filter(
      (path) => ours.get(path) !== theirs.get(path),
    )
    assert.equal(differing, [], `Node ${version} against ${process.version}`)
  }
})
