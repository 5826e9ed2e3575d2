/** `serve` and `start` as processes: what they print works, they keep a log, and signals end them in order. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import * as assert from 'uvu/assert'
import { addClient, addUser } from '../../builder/workspace/access/access-edit.ts'
import { accessFile } from '../../builder/workspace/access/access-place.ts'
import { suite } from '../suite.ts'
import {
  begin,
  goodCompany,
  inFolder,
  inWorkspaceOf,
  MAIN,
  printed,
  type Running,
  says,
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

server('start prints a curl line that works when pasted, and ends with the shell that npm runs it in', () =>
  inWorkspaceOf({ acme: goodCompany('acme') }, async (cwd) => {
    const shell = execa(`"${process.execPath}" "${MAIN}" start --port 0; true`, {
      cwd,
      shell: true,
      reject: false,
      env: { npm_lifecycle_event: 'start' },
    })
    const text = await printed(shell, /Ctrl-C/)
    const curl = text.split('\n').filter((line) => line.startsWith('curl '))
    assert.is(curl.length, 1)
    assert.is(JSON.parse((await execa(curl[0]!, { shell: true })).stdout).Id, 'acme')
    shell.kill('SIGTERM')
    // Its stdout is closed once the server, which still holds it, is gone too.
    await shell
    const refused = await fetch(addressIn(text)).then(
      () => false,
      () => true,
    )
    assert.ok(refused)
  }),
)

server('S15: start has new secrets each time, and leaves nothing in the workspace', () =>
  inWorkspaceOf({ acme: goodCompany('acme') }, async (cwd) => {
    await tieout(['client', 'add', 'Reporting', '--redirect-uri', 'http://127.0.0.1:9/cb'], { cwd })
    const access = readFileSync(join(cwd, 'access.yaml'), 'utf8')
    const demos = () => readdirSync(join(cwd, '.tieout/demo'))
    const documents: Started[] = []
    for (let i = 0; i < 2; i++) {
      const running = begin(['start', '--port', '0', '--json'], { cwd })
      await during(running, async () => {
        documents.push(JSON.parse(await printed(running, /\n}\n/)))
        assert.equal(demos(), [String(running.pid)])
        const { curl } = documents.at(-1) as unknown as { curl: string }
        assert.is(JSON.parse((await execa(curl, { shell: true })).stdout).Id, 'acme')
        // Another one beside it, which is killed: what it leaves goes with the next.
        if (i === 0) {
          const beside = begin(['start', '--port', '0', '--json'], { cwd })
          await during(beside, async () => {
            await printed(beside, /\n}\n/)
            assert.is(demos().length, 2)
            assert.is((await execa(curl, { shell: true })).exitCode, 0)
          })
        }
        // As the terminal does that is closed.
        running.kill(i === 0 ? 'SIGINT' : 'SIGHUP')
        assert.is((await running).exitCode, 0)
      })
      assert.is(demos().length, i === 0 ? 1 : 0, 'only what was killed is left')
    }
    const [first, second] = documents as [Started, Started]
    assert.equal(Object.keys(first), ['address', 'user', 'client', 'curl', 'companies'])
    assert.is(first.user.email, second.user.email)
    assert.is(first.client.id, second.client.id)
    assert.is.not(first.user.password, second.user.password)
    assert.is.not(first.client.secret, second.client.secret)
    assert.is(readFileSync(join(cwd, 'access.yaml'), 'utf8'), access)
    assert.equal(
      readdirSync(join(cwd, '.tieout')).filter((name) => name === 'oauth' || name === 'pins'),
      [],
    )
  }),
)

server('a user and a client are removed, and are unknown after', () =>
  inWorkspaceOf({ acme: goodCompany('acme') }, async (cwd) => {
    const path = join(cwd, 'access.yaml')
    await addUser(accessFile(path), {
      id: 'ann',
      email: 'ann@example.com',
      firstName: 'A',
      lastName: 'B',
      companies: [],
    })
    const redirectUris = ['http://127.0.0.1/callback']
    await addClient(accessFile(path), { id: 'gone', name: 'Gone', redirectUris })
    await addClient(accessFile(path), { id: 'reports', name: 'Reports', redirectUris })
    assert.is((await tieout(['user', 'remove', 'ann@example.com'], { cwd })).code, 0)
    assert.is((await tieout(['client', 'remove', 'gone'], { cwd })).code, 0)
    assert.match(readFileSync(path, 'utf8'), /id: reports/)
    const again = await tieout(['user', 'remove', 'ann@example.com'], { cwd })
    assert.equal([again.code, /there is no user ann@example\.com/.test(again.err)], [2, true])
    const unknown = await tieout(['client', 'remove', 'gone'], { cwd })
    assert.equal([unknown.code, /there is no client with the id "gone"/.test(unknown.err)], [3, true])
  }),
)

server('start refuses where other machines could reach it', () =>
  inWorkspaceOf({ acme: goodCompany('acme') }, async (cwd) => {
    writeFileSync(join(cwd, 'tieout.yaml'), 'server: { host: 0.0.0.0, port: 8080 }\n')
    assert.match(await says(1, 'start', { cwd }), /demo/)
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

server('S9: an issuer over http is this computer only, unless a test says so; 0.0.0.0 is none', () =>
  inFolder(async (cwd) => {
    const serve = async (settings: string) => {
      writeFileSync(join(cwd, 'tieout.yaml'), `server: { ${settings} }\n`)
      // In this process each of them would go on listening.
      return tieout(['serve', '--json'], { cwd }).finally(() => process.removeAllListeners('SIGHUP'))
    }
    for (const [settings, said] of [
      ['issuer: "http://reports.example.com"', /another machine over http/],
      ['issuer: "http://127.0.0.1.example.com"', /another machine over http/],
      ['host: 192.168.0.7', /another machine over http/],
      ['host: 0.0.0.0', /0\.0\.0\.0 means every address/],
      ['host: "::"', /\[::\] means every address/],
      ['issuer: "http://0.0.0.0:8080", insecureIssuer: true', /means every address/],
    ] as const) {
      const { code, out, err } = await serve(settings)
      assert.is(code, 3, settings)
      assert.match(`${out}${err}`, said, settings)
      assert.match(`${out}${err}`, 'server.issuer')
    }
    for (const settings of [
      'issuer: "http://reports.example.com", insecureIssuer: true',
      'issuer: "http://localhost:9"',
      'host: "::1"',
      'host: 0.0.0.0, issuer: "https://reports.example.com"',
    ]) {
      writeFileSync(join(cwd, 'tieout.yaml'), `server: { ${settings} }\n`)
      const running = begin(['serve', '--port', '0'], { cwd })
      await during(running, async () => {
        const text = await printed(running, /Ctrl-C/)
        const address = /at (http:\/\/\S+:\d+)/.exec(text)![1]!
        const { issuer } = (await (await fetch(`${address}/auth/oauth-discovery`)).json()) as {
          issuer: string
        }
        assert.is(issuer, /issuer: "([^"]*)"/.exec(settings)?.[1] ?? address, settings)
      })
    }
  }),
)

server('a token for a server that other machines reach needs --force', () =>
  inFolder(async (cwd) => {
    writeFileSync(join(cwd, 'tieout.yaml'), 'server: { issuer: "https://reports.example.com" }\n')
    assert.match(await says(1, 'token --user a@b.c --client x', { cwd }), /--force/)
  }),
)
