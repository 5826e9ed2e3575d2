/** `serve` and `start` as processes: what they print works, they keep a log, and signals end them in order. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  begin,
  goodCompany,
  inFolder,
  inWorkspaceOf,
  MAIN,
  printed,
  type Running,
  tieout,
} from './command.ts'

const server = suite('cli server')

/** Ends it as the operating system does, whatever the test found. */
async function during<T>(running: Running, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } finally {
    running.kill('SIGKILL')
    await running
  }
}

interface Started {
  readonly user: { readonly email: string; readonly password: string }
  readonly client: { readonly id: string; readonly secret: string }
}

const addressIn = (text: string): string => /http:\/\/127\.0\.0\.1:\d+/.exec(text)![0]

server('start prints a curl line that works when pasted, and ends on SIGTERM', () =>
  inWorkspaceOf({ acme: goodCompany('acme') }, async (cwd) => {
    const running = begin(['start', '--port', '0'], { cwd })
    await during(running, async () => {
      const text = await printed(running, /Ctrl-C/)
      const curl = text.split('\n').filter((line) => line.startsWith('curl '))
      assert.is(curl.length, 1)
      const { stdout } = await execa(curl[0]!, { shell: true })
      assert.is(JSON.parse(stdout).Id, 'acme')
      running.kill('SIGTERM')
      assert.is((await running).exitCode, 0)
    })
  }),
)

server('start ends with the shell that npm runs it in', () =>
  inWorkspaceOf({ acme: goodCompany('acme') }, async (cwd) => {
    const shell = execa(`"${process.execPath}" "${MAIN}" start --port 0; true`, {
      cwd,
      shell: true,
      reject: false,
      env: { npm_lifecycle_event: 'start' },
    })
    const address = addressIn(await printed(shell, /Ctrl-C/))
    shell.kill('SIGTERM')
    // Its stdout is closed once the server, which still holds it, is gone too.
    await shell
    const refused = await fetch(address).then(
      () => false,
      () => true,
    )
    assert.ok(refused)
  }),
)

server('start renews the secrets and keeps what else is in access.yaml', () =>
  inWorkspaceOf({ acme: goodCompany('acme') }, async (cwd) => {
    await tieout(['client', 'add', 'Reporting', '--redirect-uri', 'http://127.0.0.1:9/cb'], { cwd })
    const documents: Started[] = []
    for (let i = 0; i < 2; i++) {
      const running = begin(['start', '--port', '0', '--json'], { cwd })
      await during(running, async () => {
        documents.push(JSON.parse(await printed(running, /\n}\n/)))
        running.kill('SIGINT')
        assert.is((await running).exitCode, 0)
      })
    }
    const [first, second] = documents as [Started, Started]
    assert.equal(Object.keys(first), ['address', 'user', 'client', 'curl', 'companies'])
    assert.is(first.user.email, second.user.email)
    assert.is(first.client.id, second.client.id)
    assert.is.not(first.user.password, second.user.password)
    assert.is.not(first.client.secret, second.client.secret)
    assert.match(readFileSync(join(cwd, 'access.yaml'), 'utf8'), /Reporting/)
  }),
)

server('start refuses where other machines could reach it', () =>
  inWorkspaceOf({ acme: goodCompany('acme') }, async (cwd) => {
    writeFileSync(join(cwd, 'tieout.yaml'), 'server: { host: 0.0.0.0, port: 8080 }\n')
    const { code, err } = await tieout(['start'], { cwd })
    assert.is(code, 1)
    assert.match(err, /demo/)
  }),
)

server('serve answers, logs one line of JSON per request, and ends on SIGTERM', () =>
  inWorkspaceOf({ acme: goodCompany('acme') }, async (cwd) => {
    await tieout(['build'], { cwd })
    const running = begin(['serve', '--port', '0'], { cwd })
    await during(running, async () => {
      const address = addressIn(await printed(running, /Ctrl-C/))
      assert.is((await fetch(`${address}/openapi.json`)).status, 200)
      assert.is((await fetch(`${address}/companies/acme/info?secret=1`)).status, 401)
      running.kill('SIGTERM')
      const { exitCode, stderr } = await running
      assert.is(exitCode, 0)
      const log = stderr
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
      const requests = log.filter((entry) => entry.event === 'request')
      assert.equal(
        requests.map((entry) => entry.status),
        [200, 401],
      )
      assert.ok(log.every((entry) => typeof entry.time === 'string'))
      assert.not.match(stderr, /secret/)
    })
  }),
)

server('serve serves what is published after it began', () =>
  inWorkspaceOf({ acme: goodCompany('acme') }, async (cwd) => {
    const running = begin(['serve', '--port', '0', '--quiet'], { cwd })
    await during(running, async () => {
      const text = await printed(running, /Ctrl-C/)
      assert.match(text, /Nothing is published yet/)
      const address = addressIn(text)
      assert.is((await tieout(['build'], { cwd })).code, 0)
      await tieout(
        ['user', 'add', 'a@example.com', '--first-name', 'A', '--last-name', 'B', '--company', 'acme'],
        { cwd },
      )
      const { id } = JSON.parse(
        (await tieout(['client', 'add', 'C', '--redirect-uri', 'http://127.0.0.1:9/', '--json'], { cwd }))
          .out,
      )
      const port = new URL(address).port
      const made = await tieout(['token', '--user', 'a@example.com', '--client', id, '--port', port], { cwd })
      assert.is(made.code, 0, made.err)
      const authorization = `Bearer ${made.out.trim()}`
      const asked = () => fetch(`${address}/companies/acme/info`, { headers: { authorization } })
      // The server looks for new companies and at access.yaml a few times a second.
      let status = 0
      for (let i = 0; i < 100 && status !== 200; i++) {
        status = (await asked()).status
        if (status !== 200) await new Promise((resolve) => setTimeout(resolve, 50))
      }
      assert.is(status, 200)
    })
  }),
)

server('an address that is taken is said in a sentence', () =>
  inFolder(async (cwd) => {
    await tieout(['init'], { cwd })
    const running = begin(['serve', '--port', '0', '--quiet'], { cwd })
    await during(running, async () => {
      const port = new URL(addressIn(await printed(running, /Ctrl-C/))).port
      const { code, err } = await tieout(['serve', '--port', port], { cwd })
      assert.is(code, 1)
      assert.match(err, /another program uses this address/)
    })
  }),
)

server('a token for a server that other machines reach needs --force', () =>
  inFolder(async (cwd) => {
    writeFileSync(join(cwd, 'tieout.yaml'), 'server: { issuer: "https://reports.example.com" }\n')
    const { code, err } = await tieout(['token', '--user', 'a@b.c', '--client', 'x'], { cwd })
    assert.is(code, 1)
    assert.match(err, /--force/)
  }),
)
server.run()
