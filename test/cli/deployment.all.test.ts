/** `tieout serve` as an operating system treats it: hangups, log files that are moved away, taken ports, full disks, few files. */
import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { execa } from 'execa'
import * as assert from 'uvu/assert'
import { disk, fileStream } from '../../builder/system/effects.ts'
import { writeZipFile } from '../../builder/system/zip-file.ts'
import { failureOf } from '../../cli/terminal/exit.ts'
import { smallDisk } from '../serve/attacks/small-disk.ts'
import { suite } from '../suite.ts'
import { begin, goodCompany, inFolder, inWorkspaceOf, MAIN, printed, says, tieout } from './command.ts'

const deployment = suite('deployment')

const addressIn = (text: string): string => /http:\/\/127\.0\.0\.1:\d+/.exec(text)![0]
const settings = (cwd: string, server: string): void =>
  writeFileSync(join(cwd, 'tieout.yaml'), `server: { ${server} }\n`)
/** Events of a log, without the requests. */
const eventsIn = (log: string): string[] =>
  log
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line).event as string)

/** Until `holds`; a signal has no answer that could be waited for. */
async function until(holds: () => boolean, what: string): Promise<void> {
  for (let i = 0; i < 200; i++) {
    if (holds()) return
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  assert.unreachable(what)
}

/** A server in `cwd`, ended afterwards whatever the test found. */
async function serving(
  cwd: string,
  args: readonly string[],
  work: (address: string, running: ReturnType<typeof begin>) => Promise<void>,
): Promise<void> {
  const running = begin(['serve', ...args], { cwd })
  try {
    await work(addressIn(await printed(running, /Ctrl-C/)), running)
  } finally {
    running.kill('SIGKILL')
    await running
  }
}

deployment(
  'SIGHUP does not end a server that logs to stderr, and says so; with --quiet it says nothing',
  () =>
    inWorkspaceOf({}, async (cwd) => {
      for (const quiet of [false, true])
        await serving(cwd, ['--port', '0', ...(quiet ? ['--quiet'] : [])], async (address, running) => {
          running.kill('SIGHUP')
          running.kill('SIGHUP')
          assert.is((await fetch(`${address}/openapi.json`)).status, 200)
          running.kill('SIGTERM')
          const { exitCode, stderr } = await running
          assert.is(exitCode, 0)
          if (quiet) assert.is(stderr, '')
          else assert.ok(eventsIn(stderr).includes('hangup'), stderr)
        })
    }),
)

deployment(
  'server.log: lines go to the file; SIGHUP opens it anew where it was moved away; no line is lost',
  () =>
    inWorkspaceOf({}, async (cwd) => {
      settings(cwd, 'log: server.log')
      const log = join(cwd, 'server.log')
      await serving(cwd, ['--port', '0'], async (address, running) => {
        const ask = async () => assert.is((await fetch(`${address}/openapi.json`)).status, 200)
        await ask()
        renameSync(log, `${log}.1`)
        await ask()
        assert.not(existsSync(log))
        running.kill('SIGHUP')
        await until(
          () => existsSync(log) && readFileSync(log, 'utf8').includes('log-reopened'),
          'no new file',
        )
        await ask()
        running.kill('SIGTERM')
        const { exitCode, stderr } = await running
        assert.equal([exitCode, stderr], [0, ''])
        const [before, after] = [`${log}.1`, log].map((path) => eventsIn(readFileSync(path, 'utf8')))
        assert.is(before!.filter((event) => event === 'request').length, 2)
        assert.equal(after, ['log-reopened', 'request'])
      })
      // Another start goes on in the same file.
      await serving(cwd, ['--port', '0'], async () => {})
      assert.ok(eventsIn(readFileSync(log, 'utf8')).length >= 2)
    }),
)

deployment(
  'server.log: where it cannot be opened anew the old file goes on and says so; at the start it is an error',
  () =>
    inFolder(async (cwd) => {
      settings(cwd, 'log: logs/server.log')
      const refused = await says(1, 'serve --port 0', { cwd })
      assert.match(refused, /logs\/server\.log cannot be used: it does not exist/)
      assert.match(refused, 'server.log')
      disk.makeFolder(join(cwd, 'logs'))
      await serving(cwd, ['--port', '0'], async (_address, running) => {
        renameSync(join(cwd, 'logs'), join(cwd, 'moved'))
        running.kill('SIGHUP')
        const moved = join(cwd, 'moved/server.log')
        await until(() => readFileSync(moved, 'utf8').includes('log-not-reopened'), 'nothing said')
      })
    }),
)

deployment(
  'a taken port is said with the setting that changes it; so is an address that this computer has not',
  () =>
    inFolder(async (cwd) => {
      const taken = createServer()
      await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
      const { port } = taken.address() as { port: number }
      try {
        for (const [server, named, not] of [
          [`port: ${port}`, /127\.0\.0\.1:\d+ .*another program .*server\.port .*--port/s, /admin/],
          [`port: 0, admin: { port: ${port} }`, /another program .*server\.admin\.port/s, /--port/],
          [
            'port: 0, host: 203.0.113.7, issuer: "https://a.test"',
            /has no such address.*server\.host/s,
            /admin/,
          ],
          [
            'port: 0, admin: { host: 203.0.113.7, port: 0 }',
            /has no such address.*server\.admin\.host/s,
            /--port/,
          ],
          [
            'port: 0, host: no-such-name.invalid, issuer: "https://a.test"',
            /server\.host/,
            /should not have/,
          ],
        ] as const) {
          settings(cwd, server)
          const { code, err } = await tieout(['serve', '--quiet'], { cwd })
          const text = err.replaceAll(/\s+/g, ' ')
          assert.is(code, 1, server)
          assert.match(text, named, server)
          assert.not.match(text, not, server)
        }
        settings(cwd, 'host: 203.0.113.7, issuer: "https://a.test"')
        const { err } = await tieout(['serve', '--port', '0'], { cwd })
        assert.match(err, /server\.host/)
      } finally {
        taken.close()
      }
    }),
)

const full = (() => {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-full-'))
  const small = smallDisk(folder, 1)
  if (small === null)
    process.stdout.write('deployment: no small disk can be mounted, so full ones are skipped\n')
  deployment.after(() => {
    small?.unmount()
  })
  return { folder, small }
})()
const onFullDisk = full.small ? deployment : deployment.skip

onFullDisk('a full disk is told with the path of the file, whichever way it is written', async () => {
  const { folder, small } = full
  small!.fill()
  const megabyte = randomBytes(1 << 20)
  const path = (name: string): string => join(folder, name)
  const ways: Record<string, (file: string) => unknown> = {
    create: (file) => disk.create(file, megabyte, 0o600),
    append: (file) => disk.append(file, megabyte, 0o600),
    copy: (file) => disk.copy(MAIN, file),
    zip: (file) => writeZipFile(file, [{ name: 'a', open: () => Readable.from([megabyte]) }]),
    stream: (file) => pipeline(Readable.from([megabyte]), fileStream(file)),
  }
  for (const [name, write] of Object.entries(ways)) {
    const problem = await Promise.resolve()
      .then(() => write(path(name)))
      .then(
        () => assert.unreachable(`${name} was written`),
        (found: unknown) => found,
      )
    assert.is(failureOf(problem).message, `${path(name)} cannot be used: the disk is full`, name)
  }
})

const devFull = existsSync('/dev/full') ? deployment : deployment.skip
devFull('output that no disk takes is said in a sentence', () =>
  inWorkspaceOf({ acme: goodCompany('acme') }, async (cwd) => {
    const { exitCode, stderr } = await execa(`"${process.execPath}" "${MAIN}" --help > /dev/full`, {
      cwd,
      shell: true,
      reject: false,
    })
    assert.is(exitCode, 1)
    assert.match(stderr, /^error +the output cannot be used: the disk is full/)
  }),
)

const limited = process.platform === 'win32' ? deployment.skip : deployment
limited(
  'too few files that may be open: said with how many are needed; with so many it builds and serves',
  () =>
    inWorkspaceOf({ acme: goodCompany('acme') }, async (cwd) => {
      const limitedTo = (files: number, ...args: string[]) =>
        execa(`ulimit -n ${files} && exec "${process.execPath}" "${MAIN}" ${args.join(' ')}`, {
          cwd,
          shell: true,
          reject: false,
        })
      for (const command of ['serve', 'build']) {
        const { exitCode, stderr } = await limitedTo(64, command)
        assert.is(exitCode, 1)
        assert.match(stderr, /ulimit -n 256/, command)
      }
      assert.is((await limitedTo(256, 'build')).exitCode, 0)
      const running = limitedTo(256, 'serve', '--port', '0')
      try {
        const address = addressIn(await printed(running, /Ctrl-C/))
        assert.is((await fetch(`${address}/openapi.json`)).status, 200)
      } finally {
        running.kill('SIGKILL')
        await running
      }
    }),
)
