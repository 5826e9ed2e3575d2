/** The file of the state is moved away under a running server. */
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { startServer } from '../../../serve/server.ts'
import { suite } from '../../suite.ts'
import { rememberPasswords } from '../../support/passwords.ts'
import { builtWorkspace } from '../http/workspace.ts'
import { assertUnavailable, Browser, connect, refreshWith, userInfo } from './harness.ts'

const test = suite('state moved away')
rememberPasswords(test)

test('it is not ready and promises nothing that would be lost, but goes on answering; put back all is well', async () => {
  const books = await builtWorkspace()
  const server = await startServer(books.workspace, { port: 0 })
  try {
    const issuer = server.address
    const ready = async () => {
      const answer = await fetch(`${issuer}/readyz`)
      return [answer.status, (await answer.json()) as unknown]
    }
    const { access, refresh } = await connect({ issuer }, new Browser(issuer))
    assert.equal(await ready(), [200, { status: 'ready' }])
    const file = join(books.workspace.state, 'oauth', 'state', 'data.mdb')
    renameSync(file, `${file}.aside`)
    assert.equal(await ready(), [503, { status: 'the state cannot be written at the moment' }])
    assertUnavailable(await refreshWith(issuer, refresh), 'refresh')
    assert.is((await userInfo(issuer, access)).status, 200)
    assert.is((await fetch(`${issuer}/healthz`)).status, 200)
    renameSync(`${file}.aside`, file)
    assert.equal(await ready(), [200, { status: 'ready' }])
    assert.is((await refreshWith(issuer, refresh)).status, 200)
  } finally {
    await server.close()
    books.remove()
  }
})
