/** The state's file damaged, and its disk full: said at the start, or answered with 503 (checklist R7, H20). */
import { fork, spawnSync } from 'node:child_process'
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
import * as assert from 'uvu/assert'
import { alike } from '../../../seed.ts'
import { suite } from '../../../suite.ts'
import { CHILD_OPTIONS } from '../../../support/child.ts'
import { rememberPasswords } from '../../../support/passwords.ts'
import {
  ANN,
  assertUnavailable,
  authorizeUrl,
  Browser,
  connect,
  PASSWORD,
  type Running,
  readPage,
  redeem,
  refreshWith,
  start,
  userInfo,
} from '../harness.ts'

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

const damage = suite('damaged state')
rememberPasswords(damage)
let whole: Running
damage.before(async () => {
  whole = await start()
  await connect(whole, new Browser(whole.issuer))
})
damage.after(() => whole.close())

/** What a server on a damaged copy of the state does: 'starts', or what it says as it ends. */
async function startOn(change: (file: string) => void): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-damaged-'))
  cpSync(whole.folder, folder, { recursive: true })
  rmSync(join(folder, '.tieout/oauth/state/lock.mdb'), { force: true })
  change(join(folder, '.tieout/oauth/state/data.mdb'))
  const child = fork(here('../second-process.ts'), [folder, 'http://127.0.0.1:1'], {
    execArgv: [...CHILD_OPTIONS],
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
  for (const kept of new Set([0, 1, ...alike([2, Math.floor(pages / 2), pages - 1])])) {
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

const full = suite('full disk')
rememberPasswords(full)
const mount = mkdtempSync(join(tmpdir(), 'tieout-small-'))
const mounted =
  process.platform === 'linux' &&
  spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', mount]).status === 0
if (!mounted) process.stdout.write('faults: no small disk can be mounted, so the full one is skipped\n')
full.after(() => {
  if (mounted) spawnSync('umount', [mount])
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
      // The page is shown, since nothing is stored for it; who signs in is told to come back.
      const person = new Browser(small.issuer)
      const page = await readPage(await person.follow(await person.request(authorizeUrl(small.issuer))))
      const signedIn = await person.post(page.action!, {
        ...page.hidden,
        email: ANN.email,
        password: PASSWORD,
      })
      assert.is(signedIn.status, 503)
      assert.is(signedIn.headers.get('retry-after'), '10')
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
