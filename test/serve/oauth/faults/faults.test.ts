/**
 * The state on a disk that fails: no space, failed fsync, failed and torn writes, kill -9 at every step, a damaged
 * file. Nothing that was answered is lost, nothing is accepted twice, and data goes on being served (checklist T18,
 * R7, H20).
 */
import { type ChildProcess, fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  authorizeUrl,
  Browser,
  connect,
  type Running,
  redeem,
  refreshWith,
  start,
  type TokenAnswer,
  userInfo,
} from '../harness.ts'

const scratch = mkdtempSync(join(tmpdir(), 'tieout-faults-'))
const SHIM = join(scratch, 'disk.so')
const ORDER = join(scratch, 'order')
const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

const compiled = spawnSync('cc', ['-shared', '-fPIC', '-O1', '-o', SHIM, here('disk.c'), '-ldl'])
const canFault = process.platform === 'linux' && compiled.status === 0
if (!canFault) process.stdout.write('faults: no C compiler on Linux, so the failing disk is skipped\n')

const disk = (order: string): void => writeFileSync(ORDER, order)

interface Second {
  readonly child: ChildProcess
  readonly url: string
  readonly ended: Promise<unknown[]>
}

/** A second server process on the state, with the disk that fails on order. */
async function second({ folder, issuer }: Pick<Running, 'folder' | 'issuer'>): Promise<Second> {
  disk('')
  const env = { ...process.env, LD_PRELOAD: SHIM, DISK_FAULT: ORDER }
  const child = fork(here('../second-process.ts'), [folder, issuer], {
    execArgv: ['--import', 'tsx'],
    env,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const ended = once(child, 'exit')
  const [port] = (await Promise.race([once(child, 'message'), ended])) as [unknown]
  return { child, url: `http://127.0.0.1:${port}`, ended }
}
async function kill({ child, ended }: Second): Promise<void> {
  child.kill('SIGKILL')
  await ended
}

/** Undefined where the process ended in the middle of it. */
const survived = <T>(answer: Promise<T>): Promise<T | undefined> => answer.catch(() => undefined)

const assertUnavailable = ({ status, headers, body }: TokenAnswer, what: string): void => {
  assert.equal([status, body.error], [503, 'temporarily_unavailable'], what)
  assert.match(headers.get('content-type')!, /^application\/json/)
  assert.is(headers.get('retry-after'), '10')
}

const faults = suite('faults')
let server: Running
let browser: Browser
/** Skips with the others where there is no failing disk. */
const faulty = canFault ? faults : faults.skip
if (canFault) {
  faults.before(async () => {
    server = await start()
    browser = new Browser(server.issuer)
  })
  faults.after(async () => {
    await server.close()
  })
}
faults.after(() => rmSync(scratch, { recursive: true, force: true }))

const newCode = async (): Promise<string> =>
  (await browser.allow(authorizeUrl(server.issuer))).searchParams.get('code')!

for (const order of ['sync 1 EIO', 'meta 1 EIO'])
  faulty(
    `T18 R7 a failed ${order.split(' ')[0]}: 503, nothing done, data served; then all goes on`,
    async () => {
      const other = await second(server)
      try {
        const { access, refresh } = await connect(server, browser)
        const code = await newCode()
        disk(order)
        for (let i = 0; i < 2; i++) {
          assertUnavailable(await refreshWith(other.url, refresh), 'refresh')
          assertUnavailable(await redeem(other.url, code), 'code')
          assert.is((await userInfo(other.url, access)).status, 200)
        }
        disk('')
        const { status, body } = await refreshWith(other.url, refresh)
        assert.is(status, 200)
        assert.is((await refreshWith(server.issuer, refresh)).body.refresh_token, body.refresh_token)
        assert.is((await redeem(other.url, code)).status, 200)
        assert.is((await redeem(server.issuer, code)).body.error, 'invalid_grant')
        await kill(other)
        assert.is((await refreshWith(server.issuer, body.refresh_token)).status, 200)
      } finally {
        await kill(other)
      }
    },
  )

for (const order of ['write 1 EIO', 'write 2 EIO', 'write 1 ENOSPC'])
  faulty(
    `T18 R7 a failed ${order}: 503, and the process ends itself, since its heap cannot be trusted`,
    async () => {
      const { access, refresh } = await connect(server, browser)
      const code = await newCode()
      const other = await second(server)
      try {
        disk(order)
        const answer = await survived(redeem(other.url, code))
        if (answer) assertUnavailable(answer, order)
        await other.ended
        assert.is((await userInfo(server.issuer, access)).status, 200)
        assert.is((await redeem(server.issuer, code)).status, 200)
        assert.is((await refreshWith(server.issuer, refresh)).status, 200)
      } finally {
        await kill(other)
      }
    },
  )

/** Steps of one transaction: some pages, a sync, the record that makes it count. */
const STEPS = ['write 1', 'write 2', 'sync 1', 'meta 1']
for (const step of STEPS)
  for (const how of ['kill', 'torn', 'after'])
    if (!(step.startsWith('sync') && how === 'torn'))
      faulty(`T18 R7 kill -9 at ${step} (${how}): the code is good or used, never both`, async () => {
        const { refresh } = await connect(server, browser)
        const code = await newCode()
        const other = await second(server)
        try {
          disk(`${step} ${how}`)
          assert.is(await survived(redeem(other.url, code)), undefined)
          await other.ended
          const counts = step === 'meta 1' && how === 'after'
          const first = await redeem(server.issuer, code)
          assert.is(first.status, counts ? 400 : 200)
          assert.is((await redeem(server.issuer, code)).status, 400)
          // The writer that died held the lock.
          assert.is((await refreshWith(server.issuer, refresh)).status, 200)
        } finally {
          await kill(other)
        }
      })

faulty(
  'R7 R8 kill -9 after a refresh is durable and before it is answered: the retry gets the same successor',
  async () => {
    const { refresh } = await connect(server, browser)
    const other = await second(server)
    try {
      disk('meta 1 after')
      assert.is(await survived(refreshWith(other.url, refresh)), undefined)
      await other.ended
      const retry = await refreshWith(server.issuer, refresh)
      assert.is(retry.status, 200)
      assert.match(retry.body.refresh_token, /\.1\./)
      assert.is((await refreshWith(server.issuer, retry.body.refresh_token)).status, 200)
      assert.is((await refreshWith(server.issuer, refresh)).body.error, 'invalid_grant')
    } finally {
      await kill(other)
    }
  },
)

faults.run()

const damage = suite('damaged state')
let whole: Running
damage.before(async () => {
  whole = await start()
  await connect(whole, new Browser(whole.issuer))
})
damage.after(() => whole.close())

/** What a server on a damaged copy of the state does: 'starts', or what it says as it ends. */
async function startOn(change: (file: string) => void): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-damaged-'))
  try {
    cpSync(whole.folder, folder, { recursive: true })
    rmSync(join(folder, '.tieout/oauth/state/lock.mdb'), { force: true })
    change(join(folder, '.tieout/oauth/state/data.mdb'))
    const child = fork(here('../second-process.ts'), [folder, 'http://127.0.0.1:1'], {
      execArgv: ['--import', 'tsx'],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    let said = ''
    child.stderr!.on('data', (chunk) => {
      said += chunk
    })
    const exited = once(child, 'exit').then(([code, signal]) => `${signal ?? `code ${code}`} ${said}`)
    const started = once(child, 'message').then(() => 'starts')
    const outcome = await Promise.race([exited, started])
    child.kill('SIGKILL')
    await exited
    return outcome
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
const overwrite = (file: string, at: number, bytes: Buffer): void => {
  const descriptor = openSync(file, 'r+')
  writeSync(descriptor, bytes, 0, bytes.length, at)
}
const PAGE = 4096

damage('R7 a whole copy starts', async () => {
  assert.is(await startOn(() => {}), 'starts')
})

damage('R7 a file that was cut off is refused with what to do, not read beyond its end', async () => {
  const pages = Math.ceil(statSync(join(whole.folder, '.tieout/oauth/state/data.mdb')).size / PAGE)
  for (let kept = 0; kept < pages; kept++) {
    const outcome = await startOn((file) => truncateSync(file, kept * PAGE + 100))
    // A file that ends before its last pages may have lost only free ones.
    if (outcome !== 'starts')
      assert.match(outcome, /^code 1 [\s\S]*restore it from a backup/, `${kept} pages`)
    if (kept < 2) assert.is.not(outcome, 'starts')
  }
})

damage('R7 a file of something else, and an entry that is not ours, are refused', async () => {
  const other = await startOn((file) => writeFileSync(file, 'x'.repeat(20_000)))
  assert.match(other, /^code 1 [\s\S]*restore it from a backup/)
  const torn = await startOn((file) => {
    const at = readFileSync(file).lastIndexOf('{"clientId"')
    overwrite(file, at, Buffer.alloc(40, '#'))
  })
  // The bytes may be those of an older version of the entry, which nobody reads.
  if (torn !== 'starts') assert.match(torn, /^code 1 [\s\S]*restore it from a backup/)
})

damage.run()

const full = suite('full disk')
const mount = mkdtempSync(join(tmpdir(), 'tieout-small-'))
const mounted =
  process.platform === 'linux' &&
  spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', mount]).status === 0
if (!mounted) process.stdout.write('faults: no small disk can be mounted, so the full one is skipped\n')
full.after(() => {
  if (mounted) spawnSync('umount', [mount])
  rmSync(mount, { recursive: true, force: true })
})
const fullTest = mounted ? full : full.skip

fullTest(
  'H20 R7 a full disk: 503 for whatever must be kept, data served; with space again all goes on',
  async () => {
    const small = await start(undefined, mount)
    const visitor = new Browser(small.issuer)
    try {
      const { access, refresh, code } = await connect(small, visitor)
      const ballast = join(mount, 'ballast')
      writeFileSync(ballast, Buffer.alloc(18 * 1024 * 1024))
      assertUnavailable(await refreshWith(small.issuer, refresh), 'refresh')
      assertUnavailable(await redeem(small.issuer, code), 'code')
      assert.is((await userInfo(small.issuer, access)).status, 200)
      const asked = await fetch(authorizeUrl(small.issuer), { redirect: 'manual' })
      assert.match(asked.headers.get('location')!, /error=temporarily_unavailable/)
      assert.ok(small.events.some(({ detail }) => /is full/.test(String(detail))))
      rmSync(ballast)
      const next = await refreshWith(small.issuer, refresh)
      assert.is(next.status, 200)
      assert.is((await refreshWith(small.issuer, next.body.refresh_token)).status, 200)
    } finally {
      await small.close()
    }
  },
)

full.run()
