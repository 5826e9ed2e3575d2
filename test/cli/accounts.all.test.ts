/**
 * A workspace that several accounts of one computer share, as docs/running.md sets it up: two people who build, in one
 * group, and a server of another account that may read what is published and nothing else. Needs root and setpriv.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import * as assert from 'uvu/assert'
import { suite } from '../suite.ts'
import { blocksOf, pageText } from '../support/pages.ts'
import { writeFiles } from '../support/workspace.ts'
import { goodCompany, MAIN, printed, type Ran, tieout } from './command.ts'

/** Numbers that no account has. */
const BOOKS = 64_210
const SERVICE = 64_211
interface Account {
  readonly uid: number
  readonly gid: number
  /** All groups, with that one. */
  readonly groups: readonly number[]
}
const ANN: Account = { uid: 64_201, gid: BOOKS, groups: [BOOKS, SERVICE] }
const BEN: Account = { uid: 64_202, gid: BOOKS, groups: [BOOKS, SERVICE] }
const SERVER: Account = { uid: 64_203, gid: SERVICE, groups: [SERVICE] }

const as = ({ uid, gid, groups }: Account): string[] => [
  ...['setpriv', `--reuid=${uid}`, `--regid=${gid}`, `--groups=${groups.join(',')}`],
  ...['sh', '-c', 'umask 007; exec "$@"', 'sh'],
]
const begin = (account: Account, root: string, ...args: string[]) => {
  const [program, ...rest] = [...as(account), process.execPath, MAIN, '-C', root, ...args]
  return execa(program!, rest, { reject: false, cwd: '/', env: { HOME: '/nonexistent' } })
}
/** In this process, which is of the account meanwhile. */
async function run({ uid, gid, groups }: Account, root: string, ...args: string[]): Promise<Ran> {
  const getuid = process.getuid!
  const before = { groups: process.getgroups!(), umask: process.umask(0o007) }
  process.setgroups!([...groups])
  process.setegid!(gid)
  process.seteuid!(uid)
  process.getuid = () => uid
  try {
    return await tieout(['-C', root, ...args], { cwd: '/', env: { HOME: '/nonexistent' } })
  } finally {
    process.getuid = getuid
    process.seteuid!(0)
    process.setegid!(0)
    process.setgroups!(before.groups)
    process.umask(before.umask)
  }
}
async function done(account: Account, root: string, ...args: string[]): Promise<string> {
  const { code, out, err } = await run(account, root, ...args)
  assert.is(code, 0, `${args.join(' ')}: ${out}${err}`)
  return out
}

const canSwitch = (() => {
  if (process.getuid?.() !== 0) return false
  const [program, ...rest] = [...as(SERVER), process.execPath, MAIN, '--version']
  return spawnSync(program!, rest, { cwd: '/' }).status === 0
})()
if (!canSwitch)
  process.stdout.write('accounts: needs root, setpriv and a program that others may read, so it is skipped\n')

const accounts = suite('accounts')
const test = canSwitch ? accounts : accounts.skip

/** The folders as docs/running.md has them made, by its own commands. */
function sharedWorkspace(): string {
  const root = mkdtempSync(join(tmpdir(), 'tieout-accounts-'))
  chmodSync(root, 0o755)
  const commands = blocksOf(pageText('running.md'), 'sh')[1]!
    .split('\n')
    .filter((line) => line.startsWith('install '))
    .map((line) =>
      line
        .replaceAll('/srv/books', root)
        .replaceAll('/var/lib/tieout', join(root, 'server'))
        .replace('-g books', `-g ${BOOKS}`)
        .replace('-g tieout', `-g ${SERVICE}`)
        .replace('-o tieout', `-o ${SERVER.uid}`),
    )
  assert.is(commands.length, 4)
  execFileSync('sh', ['-ec', commands.join('\n')])
  writeFileSync(
    join(root, 'tieout.yaml'),
    'retention: { keepLast: 1 }\nserver: { port: 0, state: server, log: server/access.log }\n',
    { mode: 0o644 },
  )
  return root
}

function place(root: string, account: Account, entries = ''): void {
  writeFiles(join(root, 'datasets/acme'), goodCompany('acme', entries))
  for (const name of ['', ...readdirSync(join(root, 'datasets/acme'))]) {
    const path = join(root, 'datasets/acme', name)
    chownSync(path, account.uid, BOOKS)
    chmodSync(path, name === '' ? 0o2770 : 0o660)
  }
}

const ENTRIES = [
  '',
  '3 2025-03-10 bank 7.00; 3 2025-03-10 sales -7.00',
  '3 2025-03-10 bank 8.00; 3 2025-03-10 sales -8.00',
]

test('two people of one group build, close, go back and prune by turns, with one key', async () => {
  const root = sharedWorkspace()
  place(root, ANN, ENTRIES[0])
  await done(ANN, root, 'build')
  const key = join(root, '.tieout/manifest-keys.json')
  assert.equal([statSync(key).uid, statSync(key).gid, statSync(key).mode & 0o777], [ANN.uid, BOOKS, 0o660])
  place(root, BEN, ENTRIES[1])
  await done(BEN, root, 'build')
  place(root, ANN, ENTRIES[2])
  await done(ANN, root, 'build')
  assert.match(await done(BEN, root, 'build'), /unchanged|nothing/i)
  await done(BEN, root, 'close', 'acme', '2025-01')
  const [first] = JSON.parse(await done(ANN, root, 'snapshots', 'list', 'acme', '--json')).companies[0]
    .snapshots
  assert.ok(first)
  await done(ANN, root, 'keys', 'signing', 'rotate', '--reason', 'as we do once a year')
  await done(BEN, root, 'prune', '--yes', '--reason', 'too many of them')
  await done(BEN, root, 'verify')
  const log = readFileSync(join(root, 'snapshots/acme/log.jsonl'), 'utf8').trimEnd().split('\n')
  const by = new Set(log.map((line) => JSON.parse(line).By.split('@')[0]))
  assert.equal([...by].sort(), [String(ANN.uid), String(BEN.uid)])
  // A lock that Ann's process left when it was killed is nobody's.
  const lock = join(root, 'snapshots/acme/.lock')
  writeFileSync(
    lock,
    JSON.stringify({ ...JSON.parse('{"pid":999999}'), host: (await import('node:os')).hostname() }),
  )
  chownSync(lock, ANN.uid, SERVICE)
  await done(BEN, root, 'build')
  // The cache of one is of use to the other: all that lies there is the group's.
  for (const entry of readdirSync(join(root, '.tieout'), { recursive: true, withFileTypes: true })) {
    const { gid, mode } = statSync(join(entry.parentPath, entry.name))
    assert.equal([gid, mode & 0o007], [BOOKS, 0], entry.name)
    assert.is(mode & 0o060, 0o060, entry.name)
  }
})

test('the server reads what is published and its own state: no sources, no key that signs, no other state', async () => {
  const root = sharedWorkspace()
  place(root, ANN)
  await done(ANN, root, 'build')
  const add = ['user', 'add', 'ann@example.com', '--first-name', 'A', '--last-name', 'B', '--company', 'acme']
  await execa(process.execPath, [MAIN, '-C', root, ...add])
  const { stdout } = await execa(process.execPath, [
    ...[MAIN, '-C', root, 'client', 'add', 'C', '--redirect-uri', 'http://127.0.0.1:9/', '--json'],
  ])
  const access = statSync(join(root, 'access.yaml'))
  assert.equal([access.uid, access.gid, access.mode & 0o777], [0, SERVICE, 0o640], 'as it was before')
  for (const path of ['datasets/acme/ledger.csv', '.tieout/manifest-keys.json'])
    assert.is.not(spawnSync('setpriv', [...as(SERVER).slice(1), 'cat', join(root, path)]).status, 0, path)
  const running = begin(SERVER, root, 'serve')
  try {
    const address = /http:\/\/127\.0\.0\.1:(\d+)/.exec(await printed(running, /Ctrl-C/))!
    const made = await done(
      SERVER,
      root,
      'token',
      '--user',
      'ann@example.com',
      '--client',
      JSON.parse(stdout).id,
      '--port',
      address[1]!,
    )
    const headers = { authorization: `Bearer ${made.trim()}` }
    const ask = async (path: string) =>
      (await fetch(`${address[0]}/companies/acme${path}`, { headers })).status
    assert.is(await ask('/info'), 200)
    // Ready, and by the engine.
    for (const range of [
      'StartDate=2025-01-01&EndDate=2025-02-28',
      'StartDate=2025-01-05&EndDate=2025-02-20',
    ])
      assert.is(await ask(`/profit-loss?${range}&AccountingBasis=ACCRUAL`), 200, range)
    assert.is((await fetch(`${address[0]}/readyz`)).status, 200)
    // What Ann publishes is served; what a client is reading stays, although Ann is not the server.
    place(root, ANN, ENTRIES[1])
    await done(ANN, root, 'build')
    const plan = JSON.parse(await done(ANN, root, 'prune', '--json'))
    const kept = plan.companies[0].snapshots.map(({ keep }: { keep: string[] }) => keep.join())
    assert.is(kept.length, 2)
    assert.ok(
      kept.some((why: string) => /read/.test(why)),
      kept.join(' | '),
    )
    assert.equal(
      readdirSync(join(root, '.tieout')).filter((name) => name === 'oauth' || name === 'pins'),
      [],
      'the server has nothing in the folder of those who build',
    )
    running.kill('SIGTERM')
    assert.is((await running).exitCode, 0)
  } finally {
    running.kill('SIGKILL')
    await running
  }
  assert.match(readFileSync(join(root, 'server/access.log'), 'utf8'), /"event":"request"/)
  // A group that may look at pins has no part in keys and sign-ins.
  const mode = (path: string) => (statSync(join(root, 'server', path)).mode & 0o777).toString(8)
  for (const path of ['oauth', 'oauth/state']) assert.is(mode(path), '700', path)
  for (const path of ['oauth/keys.json', 'oauth/state/data.mdb']) assert.is(mode(path), '600', path)
  const refused = await run(ANN, root, 'grants', 'list')
  assert.is(refused.code, 1)
  assert.match(refused.err, /oauth.* no permission/)
  // Pins that cannot be looked at are not taken for none.
  chmodSync(join(root, 'server'), 0o700)
  const blind = await run(ANN, root, 'prune', '--yes', '--reason', 'too many of them')
  assert.is(blind.code, 1)
  assert.match(blind.err, /pins.* no permission/)
  assert.is(readdirSync(join(root, 'snapshots/acme')).filter((name) => name.startsWith('2025-')).length, 2)
})

test('whoever may not see the key that signs is told so, and not that it is lost', async () => {
  const root = sharedWorkspace()
  place(root, ANN)
  await done(ANN, root, 'build')
  chmodSync(join(root, '.tieout'), 0o700)
  chownSync(join(root, '.tieout'), ANN.uid, BOOKS)
  place(root, BEN, ENTRIES[1])
  for (const args of [['build'], ['verify'], ['snapshots', 'key']]) {
    const { code, err, out } = await run(BEN, root, ...args)
    assert.is(code, 1, `${args.join(' ')}: ${out}${err}`)
    assert.match(`${out}${err}`, /\.tieout\/\S+ cannot be used: this user has no permission/, args.join(' '))
  }
  assert.is(readdirSync(join(root, 'snapshots/acme')).filter((name) => name.startsWith('2025-')).length, 1)
  assert.not(existsSync(join(root, 'server/oauth')))
})
