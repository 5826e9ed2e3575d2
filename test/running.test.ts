/** docs/running.md, taken at its word: the unit is one, the proxy proxies, the backup restores, the metrics are those of the code. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { execa } from 'execa'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { goodCompany, inFolder, inWorkspaceOf, MAIN, printed, repository, tieout } from './cli/command.ts'

const page = readFileSync(join(repository, 'docs/running.md'), 'utf8')
/** The blocks of one language, in their order. */
const blocks = (language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map((match) => match[1]!)
const hasProgram = (name: string): boolean => spawnSync('which', [name]).status === 0

const running = suite('running a server')

running('the unit starts what is installed, and restarts it', () =>
  inFolder(async (folder) => {
    const [unit] = blocks('ini')
    for (const line of [
      'ExecStart=/opt/tieout/node_modules/.bin/tieout serve',
      'Restart=always',
      'User=tieout',
    ])
      assert.match(unit!, new RegExp(`^${line}$`, 'm'))
    const path = join(folder, 'tieout.service')
    // It looks for the program and the user.
    writeFileSync(
      path,
      unit!
        .replace('/opt/tieout/node_modules/.bin/tieout', process.execPath)
        .replace(/^(User|Group)=.*\n/gm, ''),
    )
    if (!hasProgram('systemd-analyze')) {
      process.stdout.write('no systemd-analyze: the unit is not verified\n')
      return
    }
    const { stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', path], { encoding: 'utf8' })
    assert.not.match(stderr, /tieout\.service/)
  }),
)

running('every metric is on the page, and none that there is not', () => {
  const named = [...page.matchAll(/`((?:http|tieout|nodejs|process)_\w+)`/g)].map((match) => match[1]!)
  const code = ['metrics', 'gauges'].map((name) =>
    readFileSync(join(repository, `serve/http/${name}.ts`), 'utf8'),
  )
  const made = [...code.join('').matchAll(/'((?:http|tieout|nodejs|process)_\w+)'/g)].map(
    (match) => match[1]!,
  )
  assert.equal([...new Set(named)].sort(), [...new Set(made)].sort())
})

/** A port that was free a moment ago. */
const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer()
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })

/** A server of the workspace in `cwd`, while `run` runs. */
async function serving<T>(cwd: string, port: number, run: (base: string) => Promise<T>): Promise<T> {
  const server = execa(process.execPath, [MAIN, '-C', cwd, 'serve'], { reject: false })
  try {
    await printed(server, /http:\/\/127\.0\.0\.1:\d+/)
    return await run(`http://127.0.0.1:${port}`)
  } finally {
    server.kill('SIGTERM')
    await server
  }
}

async function withUser(cwd: string): Promise<string> {
  const user = [
    'user',
    'add',
    'ann@acme.test',
    '--first-name',
    'Ann',
    '--last-name',
    'Berg',
    '--company',
    'acme',
  ]
  assert.is((await tieout(user, { cwd })).code, 0)
  const client = ['client', 'add', 'Reports', '--redirect-uri', 'https://reports.example/callback', '--json']
  const added = await tieout(client, { cwd })
  assert.is(added.code, 0, added.err)
  const { id } = JSON.parse(added.out).client ?? JSON.parse(added.out)
  return id as string
}

running(
  'what was backed up as the page says is restored as it says: a token still works, and verification holds',
  () =>
    inWorkspaceOf({ acme: goodCompany('acme') }, (books) =>
      inFolder(async (elsewhere) => {
        const port = await freePort()
        writeFileSync(join(books, 'tieout.yaml'), `server: { port: ${port} }\n`)
        assert.is((await tieout(['build'], { cwd: books })).code, 0)
        const client = await withUser(books)
        const ask = (base: string, token: string) =>
          fetch(`${base}/oauth2/user-info`, { headers: { Authorization: `Bearer ${token}` } })
        const token = await serving(books, port, async (base) => {
          const made = await tieout(['token', '--user', 'ann@acme.test', '--client', client, '--json'], {
            cwd: books,
          })
          assert.is(made.code, 0, made.err)
          const { token: access } = JSON.parse(made.out) as { token: string }
          assert.is((await ask(base, access)).status, 200)
          return access
        })
        const restored = join(elsewhere, 'books')
        mkdirSync(join(elsewhere, 'backup'))
        mkdirSync(restored)
        const command = `"${process.execPath}" "${MAIN}"`
        const run = (block: string, folder: string): string =>
          execFileSync(
            'sh',
            [
              '-ec',
              `systemctl() { echo "$@"; }\ntieout() { ${command} "$@"; }\n${block.replaceAll('/srv/books', folder).replaceAll('/backup', join(elsewhere, 'backup'))}`,
            ],
            { encoding: 'utf8' },
          )
        const [, save, restore] = blocks('sh')
        assert.match(run(save!, books), /stop tieout\nstart tieout/)
        assert.match(run(restore!, restored), /every figure follows from the books/)
        await serving(restored, port, async (base) => assert.is((await ask(base, token)).status, 200))
      }),
    ),
)

const proxied = hasProgram('nginx') && hasProgram('openssl') ? running : running.skip
if (proxied !== running)
  process.stdout.write('no nginx or openssl: the proxy of docs/running.md is not started\n')

proxied('behind nginx as the page has it, a client comes in over TLS, and its own address is logged', () =>
  inWorkspaceOf({ acme: goodCompany('acme') }, async (books) => {
    const [port, tls] = [await freePort(), await freePort()]
    const log = join(books, 'server.log')
    writeFileSync(
      join(books, 'tieout.yaml'),
      `server: { port: ${port}, issuer: "https://reports.example.com", trustedProxies: 1, log: server.log }\n`,
    )
    assert.is((await tieout(['build'], { cwd: books })).code, 0)
    const [key, certificate] = [join(books, 'reports.key'), join(books, 'reports.pem')]
    execFileSync(
      'openssl',
      [
        'req',
        '-x509',
        '-newkey',
        'rsa:2048',
        '-nodes',
        '-keyout',
        key,
        '-out',
        certificate,
        '-days',
        '1',
        '-subj',
        '/CN=reports.example.com',
      ],
      { stdio: 'ignore' },
    )
    const server = blocks('nginx')[0]!
      .replace('listen 443 ssl', `listen 127.0.0.1:${tls} ssl`)
      .replace('127.0.0.1:8080', `127.0.0.1:${port}`)
      .replace('/etc/ssl/reports.pem', certificate)
      .replace('/etc/ssl/reports.key', key)
    const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${books}/${name};`,
    )
    writeFileSync(
      join(books, 'nginx.conf'),
      `daemon off; pid ${books}/nginx.pid; error_log stderr;\nevents {}\nhttp { access_log off; ${places.join(' ')}\n${server}}\n`,
    )
    const nginx = execa('nginx', ['-p', books, '-c', join(books, 'nginx.conf')], { reject: false })
    try {
      await serving(books, port, async () => {
        const answer = await until(() => overTls(tls, '/auth/oauth-discovery'))
        assert.is(answer.status, 200)
        assert.is(JSON.parse(answer.text).issuer, 'https://reports.example.com')
      })
      const line = readFileSync(log, 'utf8')
        .split('\n')
        .find((each) => each.includes('oauth-discovery'))
      assert.match(line!, '"address":"127.0.0.1"')
    } finally {
      nginx.kill('SIGTERM')
      await nginx
    }
  }),
)

const overTls = (port: number, path: string): Promise<{ status: number; text: string }> =>
  new Promise((resolve, reject) => {
    const options = {
      port,
      path,
      host: '127.0.0.1',
      rejectUnauthorized: false,
      headers: { Host: 'reports.example.com' },
    }
    const asked = request(options, async (res) => {
      let text = ''
      for await (const chunk of res) text += chunk
      resolve({ status: res.statusCode!, text })
    })
    asked.on('error', reject)
    asked.end()
  })

/** nginx takes a moment to listen. */
async function until<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++)
    try {
      return await attempt()
    } catch (problem) {
      if (tries === 50) throw problem
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
}

running.run()
