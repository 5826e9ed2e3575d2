/**
 * The state on a disk that fails on order: failed and torn writes, failed fsync, kill -9 at every step. Nothing that was
 * answered is lost, nothing is accepted twice, and data goes on being served (checklist T18, R7).
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as assert from 'uvu/assert'
import { alike } from '../../../seed.ts'
import { suite } from '../../../suite.ts'
import { rememberPasswords } from '../../../support/passwords.ts'
import {
  assertUnavailable,
  authorizeUrl,
  Browser,
  connect,
  type Running,
  redeem,
  refreshWith,
  start,
  userInfo,
} from '../harness.ts'
import { beginSecond, type Second } from '../second.ts'

const scratch = mkdtempSync(join(tmpdir(), 'tieout-faults-'))
const SHIM = join(scratch, 'disk.so')
const ORDER = join(scratch, 'order')
const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

const compiled = spawnSync('cc', ['-shared', '-fPIC', '-O1', '-o', SHIM, here('disk.c'), '-ldl'])
const canFault = process.platform === 'linux' && compiled.status === 0
if (!canFault) process.stdout.write('faults: no C compiler on Linux, so the failing disk is skipped\n')

const disk = (order: string): void => writeFileSync(ORDER, order)

/** A second server process on the state, with the disk that fails on order. */
const second = (server: Running): Promise<Second> => {
  disk('')
  return beginSecond(server, { LD_PRELOAD: SHIM, DISK_FAULT: ORDER })
}

/** Undefined where the process ended in the middle of it. */
const survived = <T>(answer: Promise<T>): Promise<T | undefined> => answer.catch(() => undefined)

const faults = suite('faults')
rememberPasswords(faults)
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

/** Good for a minute, also to the second process, whose clock goes on while that of the first stands still. */
async function newCode(): Promise<string> {
  server.clock.now = Date.now()
  return (await browser.allow(authorizeUrl(server.issuer))).searchParams.get('code')!
}

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
        await other.kill()
        assert.is((await refreshWith(server.issuer, body.refresh_token)).status, 200)
      } finally {
        await other.kill()
      }
    },
  )

for (const order of alike(['write 1 EIO', 'write 2 EIO', 'write 1 ENOSPC']))
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
        await other.kill()
      }
    },
  )

/** Steps of one transaction: some pages, a sync, the record that makes it count. */
const STEPS = ['write 1', 'write 2', 'sync 1', 'meta 1']
for (const how of ['kill', 'torn', 'after'])
  for (const step of alike(STEPS))
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
          await other.kill()
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
      await other.kill()
    }
  },
)
