/** A clock that jumps while the server runs: nothing breaks, and with the right time all is as before. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as assert from 'uvu/assert'
import { suite } from '../../suite.ts'
import { authorizeUrl, Browser, redeem, refreshWith } from '../oauth/harness.ts'
import { attacked, otherClient, pause } from './attacked.ts'

const clocks = suite('wrong clocks')
const DAY = 24 * 3600

clocks('H20 S7: a clock that is off by hours or half a year, either way, and right again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-clock-'))
  const file = join(folder, 'offset')
  writeFileSync(file, '0')
  process.env.CLOCK_OFFSET = file
  const preload = fileURLToPath(new URL('wrong-clock.mjs', import.meta.url))
  const server = await attacked({ nodeArguments: ['--import', preload] })
  const issuer = `http://127.0.0.1:${server.port}`
  const statuses = async (): Promise<readonly (number | string)[]> => {
    await pause(100)
    const other = otherClient(server)
    await pause(300)
    return [...(await other.stop()).statuses.keys()]
  }
  try {
    const person = new Browser(issuer)
    const code = (await person.allow(authorizeUrl(issuer), ['acme', 'solo'])).searchParams.get('code')!
    let { refresh_token: refresh } = (await redeem(issuer, code)).body
    assert.equal(await statuses(), [200])
    for (const seconds of [7200, -7200, 200 * DAY, -200 * DAY]) {
      writeFileSync(file, String(seconds))
      // A token may be over by that clock; nothing else may come of it.
      for (const status of await statuses())
        assert.ok(status === 200 || status === 401, `${seconds}: ${status}`)
      for (const path of ['/account', authorizeUrl(issuer)])
        assert.ok((await person.request(path)).status < 400, `${seconds}: ${path}`)
      assert.is((await fetch(`${issuer}/readyz`)).status, 200)
      writeFileSync(file, '0')
      assert.equal(await statuses(), [200], String(seconds))
      const again = await refreshWith(issuer, refresh)
      assert.is(again.status, 200, String(seconds))
      refresh = again.body.refresh_token
    }
    assert.ok(server.alive())
  } finally {
    await server.close()
  }
})
