/** docs/running.md, taken at its word: the unit is one, the proxy proxies, the backup restores, the metrics are those of the code. */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { execa } from 'execa'
import { globSync } from 'tinyglobby'
import * as assert from 'uvu/assert'
import { workspaceSchema } from '../builder/workspace/workspace.ts'
import { parseYaml } from '../builder/workspace/yaml-file.ts'
import type { Companies } from '../serve/companies/companies.ts'
import { createMetrics, type Metrics } from '../serve/http/metrics.ts'
import { goodCompany, inFolder, inWorkspaceOf, MAIN, printed, repository, tieout } from './cli/command.ts'
import { builtWorkspace } from './serve/http/workspace.ts'
import { authorizeUrl, Browser, redeem, refreshWith, userInfo } from './serve/oauth/harness.ts'
import { suite } from './suite.ts'
import { blocksOf, pageText } from './support/pages.ts'
import { freePort } from './support/ports.ts'
import { until } from './support/until.ts'

const page = pageText('running.md')
const blocks = (language: string): string[] => blocksOf(page, language)
const hasProgram = (name: string): boolean => spawnSync('which', [name]).status === 0

const running = suite('running a server')

running('the unit starts what is installed, and restarts it', () =>
  inFolder(async (folder) => {
    const [unit] = blocks('ini')
    for (const line of [
      'ExecStart=/opt/tieout/node_modules/.bin/tieout serve',
      'Restart=always',
      'User=tieout',
      'StateDirectory=tieout',
      'LogsDirectory=tieout',
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

running('the settings of the page are settings, and agree with its unit and its log rotation', () => {
  const [settings] = blocks('yaml').map((text) => {
    const { value, findings } = parseYaml(text, 'tieout.yaml', workspaceSchema)
    assert.equal(findings, [])
    return value!.server
  })
  assert.is(settings!.state, '/var/lib/tieout')
  assert.match(blocks('logrotate')[0]!, `${settings!.log} {`)
  assert.match(settings!.log!, /^\/var\/log\/tieout\//)
  assert.match(blocks('nginx')[0]!, `server_name ${settings!.hosts![0]};`)
})

const metricsOf = (): Metrics =>
  createMetrics({
    load: { underWay: () => 0, waiting: () => 0 },
    adhoc: { load: () => ({ waiting: 0, running: 0 }) },
    companies: {
      list: () => [
        { id: 'acme', name: 'Acme', builtAt: '2026-01-01T00:00:00Z', snapshotId: '2025-12-r1-000000' },
      ],
      health: () => [{ id: 'acme', available: true }],
    } as unknown as Companies,
    droppedLines: () => 0,
    bucket: () => ({ requests: { get: 0 }, looks: 0 }),
    queue: async () => ({
      companies: { waiting: 0, running: 0, failed: 0, refused: 0 },
      workers: 0,
      oldestSeconds: 0,
    }),
  })

running(
  'every event that the server logs is on the page, and its counter is there before it first happens',
  async () => {
    const logged = globSync('{serve,builder/location}/**/*.ts', { cwd: repository })
      .filter((file) => file !== 'serve/http/log-writer.ts')
      .flatMap((file) => [
        ...readFileSync(join(repository, file), 'utf8').matchAll(/\bevent:\s+'([a-z-]+)'/g),
      ])
      .map(([, event]) => event!)
      .filter((event) => event !== 'request')
    const text = await metricsOf().page()
    const counted = [...text.matchAll(/^tieout_events_total\{event="([^"]+)"\} 0$/gm)].map(
      ([, event]) => event!,
    )
    assert.ok(new Set(logged).size > 40)
    assert.equal(
      logged.filter((event) => !counted.includes(event)),
      [],
    )
    assert.equal(
      counted.filter((event) => !page.includes(`\`${event}\``)),
      [],
    )
  },
)

running('every metric of ours is on the page, and none that there is not', async () => {
  const named = [...page.matchAll(/`((?:http|tieout|nodejs|process)_\w+)`/g)].map((match) => match[1]!)
  const metrics = metricsOf()
  const made = [...(await metrics.page()).matchAll(/^# TYPE (\w+)/gm)].map((match) => match[1]!)
  assert.equal(
    named.filter((name) => !made.includes(name)),
    [],
  )
  assert.equal(
    made.filter((name) => /^(?:http|tieout)_/.test(name) && !named.includes(name)),
    [],
  )
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

/** Runs a block of the page in its place; what only root on a real machine can do is left out. */
function runBlock(block: string, places: Readonly<Record<string, string>>): string {
  const text = Object.entries(places).reduce((all, [from, to]) => all.replaceAll(from, to), block)
  const stubs = `systemctl() { echo "systemctl $@"; }\nchown() { :; }\ntieout() { "${process.execPath}" "${MAIN}" "$@"; }`
  return execFileSync('sh', ['-ec', `${stubs}\n${text}`], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

running(
  'a backup made while the server runs and clients refresh is restored elsewhere: tokens work, verification holds',
  async () => {
    const built = await builtWorkspace()
    try {
      await inFolder(async (elsewhere) => {
        const [port, state] = [await freePort(), join(elsewhere, 'state')]
        const issuer = `http://127.0.0.1:${port}`
        built.write('tieout.yaml', `server: { port: ${port}, state: ${state} }\n`)
        const tokens = async () => {
          const code = (
            await new Browser(issuer).allow(authorizeUrl(issuer), ['acme', 'solo'])
          ).searchParams.get('code')!
          return (await redeem(issuer, code)).body as { access_token: string; refresh_token: string }
        }
        const [, , save, restore] = blocks('sh')
        mkdirSync(join(elsewhere, 'backup'))
        const day = execFileSync('date', ['+%F'], { encoding: 'utf8' }).trim()
        const backup = join(elsewhere, 'backup', day)
        const held = await serving(built.workspace.root, port, async () => {
          const [first, busy] = [await tokens(), await tokens()]
          let refreshing = true
          const work = (async () => {
            let [{ refresh_token }, count] = [busy, 0]
            while (refreshing) {
              const { status, body } = await refreshWith(issuer, refresh_token)
              assert.is(status, 200)
              refresh_token = body.refresh_token
              count++
            }
            return count
          })()
          const script = save!
            .replaceAll('/srv/books', built.workspace.root)
            .replaceAll('/backup', join(elsewhere, 'backup'))
          const { exitCode, stderr } = await execa(
            'sh',
            ['-ec', `tieout() { "${process.execPath}" "${MAIN}" "$@"; }\n${script}`],
            { reject: false },
          )
          refreshing = false
          assert.ok((await work) > 5)
          assert.is(exitCode, 0, stderr)
          const later = await tokens()
          return { first, later }
        })
        for (const [path, mode] of [
          ['', 0o700],
          ['oauth', 0o700],
          ['oauth/keys.json', 0o600],
          ['oauth/state/data.mdb', 0o600],
        ] as const)
          assert.is(statSync(join(backup, path)).mode & 0o777, mode, path)
        // The state is lost, and a server has begun anew in its place.
        renameSync(state, join(elsewhere, 'lost'))
        await serving(built.workspace.root, port, async () => {})
        const there = join(elsewhere, 'there')
        const places = { '/backup/2026-11-23': backup, '/srv/books': there, '/var/lib/tieout': state }
        const keys = (folder: string) => readFileSync(join(folder, 'keys.json'), 'utf8')
        assert.throws(() => runBlock(restore!, places), /the state is not empty/)
        assert.is.not(keys(join(state, 'oauth')), keys(join(backup, 'oauth')), 'nothing was restored')
        const said = runBlock(restore!.replace('state restore', 'state restore --replace'), places)
        assert.match(said, 'oauth.replaced-')
        assert.is(keys(join(state, 'oauth')), keys(join(backup, 'oauth')))
        assert.is(statSync(join(state, 'oauth/keys.json')).mode & 0o777, 0o600)
        assert.match(said, /every figure follows from the books/)
        assert.match(said, 'systemctl start tieout')
        // The settings came with it; here the folder is another.
        writeFileSync(join(there, 'tieout.yaml'), `server: { port: ${port}, state: ${state} }\n`)
        await serving(there, port, async () => {
          assert.is((await userInfo(issuer, held.first.access_token)).status, 200)
          assert.is((await refreshWith(issuer, held.first.refresh_token)).status, 200)
          assert.is((await userInfo(issuer, held.later.access_token)).status, 401, 'granted after the backup')
        })
        const bare = join(elsewhere, 'bare')
        const run = (...args: string[]) => tieout(['-C', there, 'state', ...args], { cwd: there })
        assert.is((await run('backup', '--without-keys', '--to', bare)).code, 0)
        assert.not(existsSync(join(bare, 'keys.json')))
        assert.is((await run('restore', '--replace', '--from', bare)).code, 0)
        assert.is(keys(join(state, 'oauth')), keys(join(backup, 'oauth')), 'the keys stay')
        // What was there is not written over.
        const again = await tieout(['-C', there, 'grants', 'backup', '--to', join(backup, 'oauth')], {
          cwd: there,
        })
        assert.is(again.code, 1)
        assert.match(again.err, 'is there already')
      })
    } finally {
      built.remove()
    }
  },
)

const checked = hasProgram('promtool') ? running : running.skip
if (checked !== running) process.stdout.write('no promtool: the alerts of docs/running.md are not checked\n')

checked('the alerts are rules of Prometheus, about metrics that there are', () =>
  inFolder(async (folder) => {
    const [rules] = blocks('prometheus') as [string]
    writeFileSync(join(folder, 'tieout.yml'), rules)
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'rules', join(folder, 'tieout.yml')], {
      encoding: 'utf8',
    })
    assert.is(status, 0, stderr)
    const [, count] = /(\d+) rules found/.exec(stdout)!
    assert.is(rules.split('- alert:').length - 1, Number(count))
    const named = [...rules.matchAll(/\b(?:http|tieout|nodejs|process)_\w+/g)].map(([name]) => name)
    assert.ok(named.length > 5)
    // Every metric in the table above is one of the server.
    for (const name of named) assert.match(page, `\`${name}\``)
  }),
)

checked('names and types of all metrics are as Prometheus wants them', async () => {
  const metrics = metricsOf()
  metrics.observe({ event: 'request', route: '/x', status: 200, ms: 3, aborted: true } as never)
  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], {
    input: await metrics.page(),
    encoding: 'utf8',
  })
  assert.equal([status, stdout + stderr], [0, ''])
})

checked('an alert on an event fires on its first', () =>
  inFolder(async (folder) => {
    const [rules] = blocks('prometheus') as [string]
    writeFileSync(join(folder, 'tieout.yml'), rules)
    const text = await metricsOf().page()
    const alerts = [...rules.matchAll(/alert: (\w+)\n +expr: increase\((\w+(?:\{[^}]+\})?)\[1h\]\) > 0/g)]
    assert.is(alerts.length, 2)
    const tests = alerts.map(([, alertname, series]) => {
      // What the server shows before the event, and then one.
      const first = text
        .split('\n')
        .find((line) => line.startsWith(`${series} `))
        ?.split(' ')[1]
      return {
        interval: '1m',
        input_series: [{ series, values: first === undefined ? '_x10 1x50' : `${first}x10 1x50` }],
        promql_expr_test: [
          {
            expr: `count(ALERTS{alertname="${alertname}", alertstate="firing"})`,
            eval_time: '20m',
            exp_samples: [{ labels: '{}', value: 1 }],
          },
        ],
      }
    })
    writeFileSync(
      join(folder, 'test.yml'),
      JSON.stringify({ rule_files: ['tieout.yml'], evaluation_interval: '1m', tests }),
    )
    const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', 'test.yml'], {
      cwd: folder,
      encoding: 'utf8',
    })
    assert.is(status, 0, stdout + stderr)
  }),
)

const rotated = hasProgram('logrotate') ? running : running.skip
if (rotated !== running) process.stdout.write('no logrotate: the log of docs/running.md is not rotated\n')

rotated('logrotate, as the page has it, moves the log away, and the server goes on in a new one', () =>
  inFolder(async (folder) => {
    const port = await freePort()
    writeFileSync(join(folder, 'tieout.yaml'), `server: { port: ${port}, log: server.log }\n`)
    const log = join(folder, 'server.log')
    const server = execa(process.execPath, [MAIN, '-C', folder, 'serve'], { reject: false })
    try {
      await printed(server, /Ctrl-C/)
      const ask = () => fetch(`http://127.0.0.1:${port}/openapi.json`)
      await ask()
      const settings = join(folder, 'logrotate.conf')
      writeFileSync(
        settings,
        blocks('logrotate')[0]!
          .replace('/var/log/tieout/server.log', log)
          .replace('systemctl reload tieout', `kill -HUP ${server.pid}`),
        { mode: 0o644 },
      )
      execFileSync('logrotate', ['--force', '--state', join(folder, 'rotated'), settings], { stdio: 'pipe' })
      await until(async () => assert.match(readFileSync(log, 'utf8'), 'log-reopened'))
      await ask()
      // A line is written after its answer was sent.
      for (const file of [`${log}.1`, log])
        await until(async () => assert.match(readFileSync(file, 'utf8'), /"event":"request"/))
    } finally {
      server.kill('SIGTERM')
      assert.is((await server).exitCode, 0)
    }
  }),
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
