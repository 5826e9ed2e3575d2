/** Processes that are killed, replaced, told to end, and told to open their log anew. */
import cluster from 'node:cluster'
import { readFileSync, renameSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { connect as connectTo } from 'node:net'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { startServingProcess } from '../../../serve/process/serving-process.ts'
import { begin, printed } from '../../cli/command.ts'
import { onFiles } from '../../support/state.ts'
import { builtWorkspace } from '../http/workspace.ts'
import { authorizeUrl, Browser, redeem } from '../oauth/harness.ts'
import { fresh, hasEnded, IN_TURN, type Line, type Served, served } from './served.ts'

const test = suite('ends of processes')
/** Of processes alone, which end the same whatever keeps the state. */
const onProcesses = onFiles(test)

/** Asks again and again on one connection; the id of each request says which process has it. */
function connection({ port }: Served, token: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  let asked = 0
  const sockets = new Set<object>()
  return {
    /** Gives the status. */
    ask: (id = `kept-${++asked}`): Promise<number> =>
      new Promise((resolve, reject) => {
        const headers = { authorization: `Bearer ${token}`, 'request-id': id }
        const path = '/companies/acme/info'
        const req = request({ port, host: '127.0.0.1', path, agent, headers }, (res) => {
          res.resume()
          res.once('end', () => resolve(res.statusCode!))
        })
        req.on('socket', (socket) => sockets.add(socket))
        req.on('error', reject)
        req.end()
      }),
    connects: () => sockets.size,
    close: () => agent.destroy(),
  }
}

/** Whether a connection to the port is accepted. */
const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connectTo(port, '127.0.0.1', () => resolve(true))
    socket.on('error', () => resolve(false)).once('connect', () => socket.destroy())
  })

async function tokenOf({ address }: Served): Promise<string> {
  const back = await new Browser(address).allow(authorizeUrl(address), ['acme'])
  return (await redeem(address, back.searchParams.get('code')!)).body.access_token
}

test('a process that is killed is replaced, and nobody on another one notices', async () => {
  const server = await served(2, 'rateLimit: { requests: 100000 }')
  try {
    const token = await tokenOf(server)
    const kept = connection(server, token)
    assert.is(await kept.ask('first'), 200)
    const [{ process: used }] = (await server.seen(({ requestId }) => requestId === 'first')) as [Line]
    const other = server.pids().find((pid) => pid !== used)!
    const counted = (): Promise<number> => server.metric('http_requests_total')
    const info = `${server.address}/companies/acme/info`
    const asked = async () => (await fresh(info, { headers: { authorization: `Bearer ${token}` } })).status
    for (let i = 0; i < 10; i++) assert.is(await asked(), 200)
    const before = await counted()

    process.kill(other, 'SIGKILL')
    const replaced = server.seen(({ event }) => event === 'process-started', 3)
    while (!(await Promise.race([replaced.then(() => true), kept.ask().then(() => false)]))) {}
    assert.is(kept.connects(), 1, 'its connection has held')
    const [ended] = await server.seen(({ event }) => event === 'process-ended')
    assert.equal([ended!.pid, ended!.how], [other, 'SIGKILL'])
    assert.ok((await counted()) >= before, 'no counter falls')

    // Its place is taken: new connections come to the new one too.
    const [, , { pid: fresh1 }] = (await replaced) as [Line, Line, Line]
    const answeredByNew = server.seen(({ event, process: by }) => event === 'request' && by === fresh1)
    for (let i = 0; i < 4; i++) assert.is(await asked(), 200)
    await answeredByNew
    assert.equal(await (await fresh(`http://127.0.0.1:${server.adminPort}/readyz`)).json(), {
      status: 'ready',
    })
    kept.close()
  } finally {
    assert.is(await server.end(), 0)
    server.built.remove()
  }
})

test('no connection waits for a process that was killed, or for one that starts', async () => {
  const server = await served(3, '', undefined, {})
  const agent = new Agent()
  const answered = (): Promise<number | string> =>
    new Promise((resolve) => {
      const options = { port: server.port, host: '127.0.0.1', path: '/healthz', agent, timeout: 20_000 }
      const req = request(options, (res) => {
        res.resume()
        resolve(res.statusCode!)
      })
      // What it had taken before it was killed ends with it.
      req.on('error', ({ message }) => resolve(message))
      req.on('timeout', () => req.destroy(new Error('it waits')))
      req.end()
    })
  try {
    const all: Promise<number | string>[] = []
    for (let started = 4; started < 7; started++) {
      const replaced = server.seen(({ event }) => event === 'process-started', started)
      process.kill(server.pids().at(-1)!, 'SIGKILL')
      for (let i = 0; i < 40; i++) {
        all.push(answered())
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
      await replaced
    }
    const others = (await Promise.all(all)).filter((answer) => answer !== 200)
    assert.ok(!others.includes('it waits'), String(others))
    assert.ok(others.length <= 3, String(others))
  } finally {
    assert.is(await server.end(), 0)
    server.built.remove()
  }
})

test('where no process can be started the reason is told, and the primary goes on', async () => {
  cluster.setupPrimary({ exec: 'none' })
  const { execPath } = process
  process.execPath = join('no', 'such', 'program')
  const built = await builtWorkspace()
  try {
    const settings = { workspace: built.workspace, quiet: true, makesState: true }
    const started = startServingProcess(settings, { answers: () => ({}) as never, close: () => {} })
    assert.match(await started.ended, /ENOENT/)
    await started.begun.then(
      () => assert.unreachable(),
      (problem: Error) => assert.match(problem.message, /the other process has ended/),
    )
  } finally {
    process.execPath = execPath
    built.remove()
  }
})

test('what a killed process held is given back: its connections, its place; what it borrowed is lost', async () => {
  const server = await served(2, 'rateLimit: { requests: 40, seconds: 3600 }')
  try {
    const token = await tokenOf(server)
    const kept = connection(server, token)
    assert.is(await kept.ask('first'), 200)
    const [{ process: used }] = (await server.seen(({ requestId }) => requestId === 'first')) as [Line]
    process.kill(used, 'SIGKILL')
    await server.seen(({ event }) => event === 'process-started', 3)
    kept.close()
    const info = `${server.address}/companies/acme/info`
    const headers = { authorization: `Bearer ${token}` }
    const statuses: number[] = []
    for (let i = 0; i < 45; i++) statuses.push((await fresh(info, { headers })).status)
    const good = statuses.filter((status) => status === 200).length
    // An eighth of 40 was lent, of which one was used.
    assert.is(good, 35)
    assert.is(statuses.lastIndexOf(200), 34, 'and then every request is refused')
  } finally {
    assert.is(await server.end(), 0)
    server.built.remove()
  }
})

onProcesses('processes that end again and again end the server, with the reason', async () => {
  const server = await served(2, '')
  const [victim] = server.pids()
  let last = victim!
  for (let started = 3; ; started++) {
    process.kill(last, 'SIGKILL')
    const next = await server
      .seen(({ event }) => event === 'process-started', started)
      .then((lines) => lines.at(-1)!.pid as number)
      .catch(() => null)
    if (next === null) break
    last = next
  }
  const { exitCode, stdout } = await server.command
  assert.is(exitCode, 1)
  assert.match(
    stdout,
    /the server has ended: a process of the server ended 6 times, each time within 10 seconds/,
  )
  assert.match(stdout, /the last time: SIGKILL/)
  assert.is(server.lines.filter(({ event }) => event === 'process-ended').length, 6)
  for (const { pid } of server.lines.filter(({ event }) => event === 'process-started')) await hasEnded(pid)
  server.built.remove()
})

onProcesses(
  'SIGTERM lets each process finish what it has, and SIGINT of a terminal reaches all without harm',
  async () => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      const server = await served(3, '')
      const pids = server.pids()
      // Half a request on each process: the next connection goes to the next one.
      const halves = await Promise.all(
        pids.map(async () => {
          const socket = connectTo(server.port, '127.0.0.1')
          let text = ''
          socket.on('data', (bytes) => {
            text += bytes
          })
          const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(text)))
          await new Promise<void>((resolve) =>
            socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n', () => resolve()),
          )
          return { socket, closed }
        }),
      )
      // They are read where a later request has been answered.
      for (const _ of pids) await (await fresh(`${server.address}/healthz`)).text()
      // As a terminal does, or systemd: every process gets the signal.
      for (const pid of pids) process.kill(pid, signal)
      server.command.kill(signal)
      const ready = async (): Promise<string> =>
        fetch(`http://127.0.0.1:${server.adminPort}/readyz`).then((answer) => answer.text())
      while (!(await ready()).includes('stopping')) {}
      // The port closes when the last process has been told; until then one may answer as if nothing were.
      while (await accepts(server.port)) {}
      for (const { socket } of halves) socket.write('\r\n')
      for (const { closed } of halves) {
        const text = await closed
        assert.match(text, /^HTTP\/1.1 200 /)
        assert.match(text, /\r\nConnection: close\r\n/i)
      }
      assert.is((await server.command).exitCode, 0)
      for (const pid of pids) await hasEnded(pid)
      assert.is(server.lines.filter(({ event }) => event === 'process-ended').length, 0, 'none was replaced')
      server.built.remove()
    }
  },
)

onProcesses('a process that does not end is killed, and the log says so, with the exit code', async () => {
  const server = await served(2, '')
  const [first] = server.pids()
  process.kill(first!, 'SIGSTOP')
  assert.match(String(await server.end()), /^1: /)
  const [ended] = server.lines.filter(({ event }) => event === 'process-ended')
  assert.equal([ended?.pid, ended?.how], [first, 'SIGKILL'])
  const [reason] = server.lines.filter(({ event }) => event === 'not-closed')
  assert.match(reason?.reason, 'a process of the server failed while it ended, or had to be killed')
  await hasEnded(first!)
  server.built.remove()
})

onProcesses('processes do not outlive the primary', async () => {
  const server = await served(2, '')
  const pids = server.pids()
  server.command.kill('SIGKILL')
  await server.command
  for (const pid of pids) await hasEnded(pid)
  server.built.remove()
})

onProcesses('SIGHUP makes every process open its log file anew', async () => {
  const built = await builtWorkspace()
  const { root } = built.workspace
  built.write('tieout.yaml', 'server: { port: 0, log: server.log, processes: 2 }\n')
  const command = begin(['--json', 'serve'], { cwd: root, env: IN_TURN })
  const { address, processes } = JSON.parse(await printed(command, /^\}$/m))
  assert.is(processes, 2, 'as tieout.yaml says')
  const log = join(root, 'server.log')
  const linesOf = (path: string): Line[] =>
    readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
  const until = async (path: string, holds: (lines: Line[]) => boolean): Promise<Line[]> => {
    for (;;) {
      try {
        const lines = linesOf(path)
        if (holds(lines)) return lines
      } catch {
        // It is not there yet, or its last line is half written.
      }
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  await until(log, (lines) => lines.filter(({ event }) => event === 'process-started').length === 2)
  renameSync(log, `${log}.1`)
  command.kill('SIGHUP')
  await until(log, (lines) => lines.filter(({ event }) => event === 'log-reopened').length === 3)
  for (let i = 0; i < 8; i++) await (await fresh(`${address}/healthz`)).text()
  const lines = await until(log, (all) => all.filter(({ event }) => event === 'request').length === 8)
  assert.is(new Set(lines.map((line) => line.process)).size, 3)
  assert.is(linesOf(`${log}.1`).filter(({ event }) => event === 'request').length, 0)
  command.kill('SIGTERM')
  assert.is((await command).exitCode, 0)
  built.remove()
})

onProcesses('one process is no cluster: its lines name none, and it has no children', async () => {
  const server = await served(1, '')
  await (await fresh(`${server.address}/healthz`)).text()
  const [line] = await server.seen(({ event }) => event === 'request')
  assert.not.ok('process' in line!)
  const children = readFileSync(`/proc/${server.command.pid}/task/${server.command.pid}/children`, 'utf8')
  assert.is(children.trim(), '')
  assert.is(await server.end(), 0)
  server.built.remove()
})

for (const wrong of ['0', '-1', '65', '1.5', 'auto', ''])
  onProcesses(`--processes "${wrong}" is refused, with what it may be`, async () => {
    const built = await builtWorkspace()
    const { exitCode, stderr } = await begin(['serve', `--processes=${wrong}`], { cwd: built.workspace.root })
    assert.is(exitCode, 2)
    assert.match(stderr.replace(/\s+/g, ' '), `--processes must be a number from 1 to 64, not "${wrong}"`)
    built.remove()
  })

onProcesses('a number in tieout.yaml that is none is a finding', async () => {
  for (const wrong of ['0', '65', '2.5', 'many']) {
    const built = await builtWorkspace()
    built.write('tieout.yaml', `server: { port: 0, processes: ${wrong} }\n`)
    const { exitCode, stderr } = await begin(['serve'], { cwd: built.workspace.root })
    assert.is(exitCode, 3)
    assert.match(stderr.replace(/\s+/g, ' '), /server\.processes/)
    assert.match(stderr.replace(/\s+/g, ' '), /1 to 64/)
    built.remove()
  }
})

onProcesses('a port that is taken is told as with one process', async () => {
  const server = await served(1, '')
  const other = await builtWorkspace()
  other.write('tieout.yaml', `server: { port: ${server.port}, processes: 2 }\n`)
  const { exitCode, stderr } = await begin(['serve'], { cwd: other.workspace.root })
  assert.is(exitCode, 1)
  assert.match(stderr.replace(/\s+/g, ' '), `127.0.0.1:${server.port} cannot be used: another program uses`)
  await server.end()
  server.built.remove()
  other.remove()
})

test.run()
