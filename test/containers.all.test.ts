/**
 * docs/containers.md, taken at its word: what its image starts runs as its account, on a file system that cannot be written to, in a
 * namespace of its own, as a container engine makes it.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { execa } from 'execa'
import * as assert from 'uvu/assert'
import { workspaceSchema } from '../builder/workspace/workspace.ts'
import { parseYaml } from '../builder/workspace/yaml-file.ts'
import { goodCompany, inFolder, inWorkspaceOf, MAIN, printed, repository, tieout } from './cli/command.ts'
import { builtWorkspace } from './serve/http/workspace.ts'
import { authorizeUrl, Browser, redeem } from './serve/oauth/harness.ts'
import { suite } from './suite.ts'
import { blocksOf, pageText } from './support/pages.ts'
import { freePort } from './support/ports.ts'

const page = pageText('containers.md')
const [image] = blocksOf(page, 'containerfile') as [string]
const [settings] = blocksOf(page, 'yaml') as [string]
const [probes] = blocksOf(page, 'kubernetes') as [string]
const [serve, build] = blocksOf(page, 'sh') as [string, string]

/** The arguments of an instruction of the image that stands there once, such as `USER`. */
const instruction = (name: string): string => {
  const found = [...image.matchAll(new RegExp(`^${name} (.+)$`, 'gm'))]
  assert.is(found.length, 1, name)
  return found[0]![1]!
}

const containers = suite('containers')

containers(
  'the settings of the page are settings, and agree with the image and with the command that starts it',
  () => {
    const { value, findings } = parseYaml(settings, 'tieout.yaml', workspaceSchema)
    assert.equal(findings, [])
    assert.is(value!.server!.host, '0.0.0.0')
    assert.match(serve, `${value!.server!.state}:U`)
    assert.match(serve, `:${instruction('EXPOSE')} `)
    for (const command of [serve, build]) assert.match(command, '/srv/books:/srv/books')
    assert.is(instruction('WORKDIR'), '/srv/books')
    for (const path of ['/readyz', '/healthz'])
      assert.match(probes, `path: ${path}, port: ${instruction('EXPOSE')}`)
  },
)

containers('what the image copies is what "npm pack" makes, and the program that it starts is in it', () => {
  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
      cwd: repository,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  ) as [{ filename: string; files: { path: string }[] }]
  const pattern = /^COPY (\S+) /m.exec(image)![1]!
  assert.match(packed.filename, new RegExp(`^${pattern.replaceAll('.', '\\.').replace('*', '.*')}$`))
  assert.ok(packed.files.some(({ path }) => path === 'dist/cli/tieout.cjs'))
  assert.is(instruction('ENTRYPOINT'), '["tieout"]')
})

const CAN_ISOLATE =
  spawnSync('bwrap', ['--ro-bind', '/', '/', '--unshare-user', '--uid', '10001', 'true']).status === 0
const isolated = CAN_ISOLATE ? containers : containers.skip
if (!CAN_ISOLATE) process.stdout.write('no bubblewrap: nothing of docs/containers.md is started\n')

/**
 * A container as the page starts it: the file system is read-only but for /tmp and what is mounted. `signal` sends one to
 * its command, as container engines do.
 */
function contained(mounts: string, command: readonly string[]) {
  const [uid, gid] = instruction('USER').split(':')
  const isolation = [
    '--ro-bind / / --dev /dev --proc /proc --tmpfs /tmp',
    // Beside what the page mounts, nothing else of these folders is seen.
    `--tmpfs /srv --tmpfs /var/lib ${mounts} --remount-ro /srv --remount-ro /var/lib`,
    `--unshare-user --uid ${uid} --gid ${gid} --cap-drop ALL --chdir ${instruction('WORKDIR')}`,
    '--unshare-pid --as-pid-1 --die-with-parent --info-fd 3',
  ]
  // The program is there, also where it lies below the temporary folder.
  const args = [
    ...isolation.flatMap((options) => options.split(' ')),
    ...['--ro-bind', repository, repository, ...command],
  ]
  const ended = execa('bwrap', args, {
    reject: false,
    env: { HOME: '/' },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  })
  const told = text(ended.stdio[3] as Readable)
  return {
    ended,
    async signal(name: NodeJS.Signals): Promise<void> {
      process.kill((JSON.parse(await told) as { 'child-pid': number })['child-pid'], name)
    },
  }
}

const program = [process.execPath, MAIN]

isolated(
  'the server of the image runs where nothing else can be written to, is healthy, and stops when it is told',
  async () => {
    const built = await builtWorkspace()
    try {
      await inFolder(async (state) => {
        const port = await freePort()
        const issuer = `http://127.0.0.1:${port}`
        built.write(
          'tieout.yaml',
          `${settings.replace('https://reports.example.com', issuer).replace('[reports.example.com]', '[127.0.0.1]')}  port: ${port}\n`,
        )
        const mounts = `--ro-bind ${built.workspace.root} /srv/books --bind ${state} /var/lib/tieout`
        const isHealthy = async () => {
          const [, command] = /^HEALTHCHECK .*CMD (\[.*\])$/m.exec(image)!
          const [, ...args] = JSON.parse(command!.replace(':8080', `:${port}`)) as string[]
          return (await execa(process.execPath, args, { reject: false })).exitCode === 0
        }
        assert.not.ok(await isHealthy())
        const server = contained(mounts, [...program, ...(JSON.parse(instruction('CMD')) as string[])])
        try {
          await printed(server.ended, /http:\/\/.*:\d+/)
          assert.ok(await isHealthy())
          const code = (await new Browser(issuer).allow(authorizeUrl(issuer), ['acme'])).searchParams.get(
            'code',
          )!
          const { access_token } = (await redeem(issuer, code)).body
          // A range that starts and ends in the middle of a month is computed by another process.
          const range = 'StartDate=2024-01-02&EndDate=2024-02-03&AccountingBasis=ACCRUAL'
          const answer = await fetch(`${issuer}/companies/acme/profit-loss?${range}`, {
            headers: { Authorization: `Bearer ${access_token}` },
          })
          assert.is(answer.status, 200)
        } finally {
          await server.signal('SIGTERM')
          assert.is((await server.ended).exitCode, 0)
        }
      })
    } finally {
      built.remove()
    }
  },
)

isolated('a build of the image writes to the books that are mounted, and to nothing else', () =>
  inWorkspaceOf({ acme: goodCompany('acme') }, async (root) => {
    const { exitCode, stdout, stderr } = await contained(
      `--bind ${root} /srv/books --tmpfs /var/lib/tieout`,
      [...program, 'build'],
    ).ended
    assert.is(exitCode, 0, stderr)
    assert.match(stdout, 'published')
    assert.is((await tieout(['verify'], { cwd: root })).code, 0)
  }),
)
