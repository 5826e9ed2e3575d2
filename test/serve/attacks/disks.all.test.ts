/**
 * Full disks under all that a server writes, and a log that nobody takes: data goes on, what must be kept is refused with
 * 503, and with room again all is as before. The process lives through all of it.
 */
import { closeSync, mkdtempSync, openSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { suite } from '../../suite.ts'
import { until } from '../../support/until.ts'
import { authorizeUrl, Browser, redeem, refreshWith } from '../oauth/harness.ts'
import { type Attacked, assertServed, attacked, otherClient, pause } from './attacked.ts'
import { canMount, smallDisk } from './small-disk.ts'

const disks = suite('full disks')
const full = canMount ? disks : disks.skip

/** The other client, for a while; what it was answered. */
async function statusesOf(server: Attacked, ms = 2500): Promise<readonly (number | string)[]> {
  const other = otherClient(server)
  await pause(ms)
  return [...(await other.stop()).statuses.keys()]
}

async function adminPage(server: Attacked): Promise<string> {
  return (await fetch(`http://127.0.0.1:${server.adminPort}/metrics`)).text()
}
const droppedOf = (page: string): number => Number(/^tieout_log_lines_dropped_total (\d+)$/m.exec(page)?.[1])

/** Asks until more than a few lines of the log were dropped, however long that takes; each answer is 200. */
async function linesAreDropped(server: Attacked): Promise<void> {
  const other = otherClient(server)
  const dropped = until(async () => {
    const lines = droppedOf(await adminPage(server))
    assert.ok(lines > 20, String(lines))
  })
  // The client is stopped whatever comes of it.
  await dropped.catch(() => {})
  assertServed((await other.stop()).statuses)
  assert.ok(server.alive())
  await dropped
}

full(
  'S4: a full disk under .tieout: data goes on, sign-ins and refreshes are 503; then all goes on',
  async () => {
    const server = await attacked({ stateDisk: 24 })
    const small = server.stateDisk!
    try {
      const issuer = `http://127.0.0.1:${server.port}`
      const person = new Browser(issuer)
      const code = (await person.allow(authorizeUrl(issuer), ['acme', 'solo'])).searchParams.get('code')!
      const { body } = await redeem(issuer, code)
      assert.equal(await statusesOf(server, 500), [200])
      small.fill()
      // The reads of a sync are noted every other second, and this grant has none yet.
      const [before, first] = await Promise.all([
        statusesOf(server),
        statusesOf({ ...server, token: body.access_token }),
      ])
      assert.equal([before, first], [[200], [200]])
      for (let i = 0; i < 5; i++) {
        const refused = await refreshWith(issuer, body.refresh_token)
        assert.is(refused.status, 503)
        assert.is(refused.headers.get('retry-after'), '10')
      }
      assert.is((await person.request('/account')).status, 200)
      assert.ok(server.alive(), server.log())
      assert.match(server.log(), /"pins-not-written"/)
      small.empty()
      assert.equal(await statusesOf(server, 500), [200])
      const again = await refreshWith(issuer, body.refresh_token)
      assert.is(again.status, 200)
    } finally {
      await server.close()
    }
  },
)

full(
  'S5: a full disk under the log: lines are dropped and counted, and the first that goes through says so',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tieout-log-'))
    const disk = smallDisk(folder, 1)!
    const path = join(folder, 'access.log')
    const descriptor = openSync(path, 'a')
    const server = await attacked({ stderr: descriptor })
    try {
      assert.equal(await statusesOf(server, 300), [200])
      disk.fill()
      await linesAreDropped(server)
      disk.empty()
      assert.equal(await statusesOf(server, 300), [200])
      await pause(100)
      const told = readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => line.includes('"log-lines-dropped"'))
        .map((line) => JSON.parse(line).lines)
      assert.is(
        told.reduce((sum, lines) => sum + lines, 0),
        droppedOf(await adminPage(server)),
      )
      assert.is(told.length, 1)
      // Whole lines but for one that the end of the disk cut.
      const torn = readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => line !== '' && !/^\{.*\}$/.test(line))
      assert.ok(torn.length <= 1, torn.join('\n'))
    } finally {
      closeSync(descriptor)
      await server.close()
      disk.unmount()
    }
  },
)

disks(
  'S5: the log’s reader stops reading, and goes away: nobody waits for it, and memory stays bounded',
  async () => {
    const server = await attacked()
    try {
      assert.equal(await statusesOf(server, 300), [200])
      const before = server.rss()
      server.process.stderr!.pause()
      const many = Array.from({ length: 4 }, () => statusesOf(server))
      assert.equal(
        await Promise.all(many),
        many.map(() => [200]),
      )
      assert.ok(server.rss() - before < 150 * 1024 * 1024)
      server.process.stderr!.resume()
      assert.equal(await statusesOf(server, 300), [200])
      server.process.stderr!.destroy()
      server.process.stdout!.destroy()
      await linesAreDropped(server)
    } finally {
      await server.close()
    }
  },
)
