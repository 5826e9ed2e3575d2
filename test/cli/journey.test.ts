/** What a new user types, in this order: init, add, check, build, snapshots list, user add, client add. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { suite } from '../suite.ts'
import { inFolder, type Ran, SIE, says, tieout, wordsOf } from './command.ts'

const journey = suite('cli journey')

const succeeds = ({ code, out, err }: Ran): string => {
  assert.is(code, 0, `${out}\n${err}`)
  return out
}

journey('from one SIE file to a snapshot, a user and a client', () =>
  inFolder(async (root) => {
    const cwd = join(root, 'books')
    const file = join(root, 'liten.se')
    writeFileSync(file, SIE)
    succeeds(await tieout(['init', 'books'], { cwd: root }))
    assert.match(await says(3, 'init books', { cwd: root }), /workspace already/)

    succeeds(await tieout(['add', 'liten', '../liten.se'], { cwd }))
    succeeds(await tieout(['build'], { cwd: join(cwd, 'datasets/liten') }))
    const list = succeeds(await tieout(['snapshots', 'list'], { cwd }))
    assert.match(list, /liten +2024-02-r1-[0-9a-f]{6} +current +2024-01 to 2024-02/)
    assert.is(succeeds(await tieout(['snapshots'], { cwd })), list)
    const unchanged = succeeds(await tieout(['-C', cwd, 'build', 'liten'], { cwd: root }))
    assert.match(unchanged, /unchanged/)

    for (const path of readdirSync(join(cwd, 'snapshots'), { recursive: true, encoding: 'utf8' }))
      assert.is(statSync(join(cwd, 'snapshots', path)).mode & 0o007, 0, `others may do nothing with ${path}`)

    const user = succeeds(
      await tieout(wordsOf('user add ann@example.com --first-name Ann --last-name Berg --company liten'), {
        cwd,
      }),
    )
    const password = /^Password: (\S+)$/m.exec(user)![1]!
    const client = succeeds(
      await tieout(['client', 'add', 'Reporting', '--redirect-uri', 'http://127.0.0.1:9/cb'], { cwd }),
    )
    const id = /^Client id: +(\S+)$/m.exec(client)![1]!
    const secret = /^Client secret: +(\S+)$/m.exec(client)![1]!
    const access = readFileSync(join(cwd, 'access.yaml'), 'utf8')
    assert.ok(access.includes(id))
    assert.not(access.includes(password) || access.includes(secret), 'only hashes are stored')
    assert.is(statSync(join(cwd, 'access.yaml')).mode & 0o077, 0)

    assert.match(
      await says(0, `token --user ann@example.com --client ${id}`, { cwd }),
      /^[\w-]+\.[\w-]+\.[\w-]+\n$/,
    )
  }),
)

journey('a password comes from stdin, or is made up; it is never an argument', () =>
  inFolder(async (cwd) => {
    succeeds(await tieout(['init'], { cwd }))
    const add = wordsOf('user add bo@example.com --first-name Bo --last-name Ek --company liten')
    const weak = await tieout([...add, '--password-stdin'], { cwd, input: 'short\n' })
    assert.is(weak.code, 3)
    assert.match(weak.err, /fewer than 12/)
    const none = await tieout([...add, '--password-stdin'], { cwd, input: '' })
    assert.is(none.code, 2)
    const given = await tieout([...add, '--password-stdin'], { cwd, input: 'correct horse battery\n' })
    assert.is(given.code, 0, given.err)
    assert.not.match(given.out, /Password/)
    assert.match(given.err, /no company "liten" yet/)
    const renewed = JSON.parse(
      succeeds(await tieout(['user', 'set-password', 'BO@example.com', '--json'], { cwd })),
    )
    assert.ok(renewed.password.length >= 12)
    const companies = await tieout(['user', 'set-companies', 'bo@example.com'], { cwd })
    assert.match(succeeds(companies), /no company/)
    assert.is((await tieout(['user', 'set-password', 'nobody@example.com'], { cwd })).code, 2)
  }),
)
