/** `grants` and `keys`: what an operator sees and ends, on the state that servers run on. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { suite } from '../suite.ts'
import { inFolder, type Ran, tieout } from './command.ts'

const operator = suite('cli operator')

/** A workspace with one user and one client, and how to run a command in it. */
const inBooks = (work: (run: (...args: string[]) => Promise<Ran>, client: string) => Promise<void>) =>
  inFolder(async (cwd) => {
    writeFileSync(join(cwd, 'tieout.yaml'), '')
    const run = (...args: string[]) => tieout(args, { cwd })
    const user = ['user', 'add', 'ann@example.com', '--first-name', 'Ann', '--last-name', 'B']
    assert.is((await run(...user, '--company', 'acme', 'beta', '--json')).code, 0)
    const added = await run('client', 'add', 'Reports', '--redirect-uri', 'https://c.example/cb', '--json')
    await work(run, JSON.parse(added.out).id)
  })

operator('grants are listed, told apart, and revoked by the beginning of their id', () =>
  inBooks(async (run, client) => {
    assert.match((await run('grants')).out, /No application has access/)
    const token = ['token', '--user', 'ann@example.com', '--client', client]
    assert.is((await run(...token)).code, 0)
    assert.is((await run(...token, '--company', 'beta')).code, 0)

    const { grants } = JSON.parse((await run('grants', 'list', '--json')).out)
    assert.equal(
      grants.map(({ companies }: { companies: string[] }) => companies),
      [['acme', 'beta'], ['beta']],
    )
    assert.equal([grants[0].user.name, grants[0].client.name], ['ann@example.com', 'Reports'])
    const table = (await run('grants', 'list', '--user', 'ann@example.com', '--client', client)).out
    assert.match(table, /active +ann@example\.com +Reports +acme, beta/)
    assert.match((await run('grants', 'list', '--client', 'nobody')).out, /No application/)
    const stranger = await run('grants', 'list', '--user', 'who@example.com')
    assert.equal([stranger.code, /no user who@example\.com/.test(stranger.err)], [2, true])

    const revoked = await run('grants', 'revoke', grants[0].id.slice(0, 12))
    assert.match(revoked.out, /Reports has no access in the name of ann@example\.com any more/)
    assert.is(JSON.parse((await run('grants', 'list', '--json')).out).grants.length, 1)
    const all = JSON.parse((await run('grants', 'list', '--all', '--json')).out).grants
    assert.equal(
      all.map(({ status }: { status: string }) => status),
      ['revoked', 'active'],
    )
    const unknown = await run('grants', 'revoke', 'zzzz')
    assert.equal([unknown.code, /there is no grant "zzzz"/.test(unknown.err)], [2, true])
  }),
)

operator('keys are listed and rotated; a second rotation waits, unless the keys are compromised', () =>
  inBooks(async (run, client) => {
    const none = await run('keys')
    assert.equal([none.code, /a server makes them when it first starts/.test(none.err)], [1, true])
    await run('token', '--user', 'ann@example.com', '--client', client)
    const statuses = async () =>
      JSON.parse((await run('keys', 'list', '--json')).out).keys.map(
        ({ status }: { status: string }) => status,
      )
    assert.equal(await statuses(), ['signing'])
    assert.match(
      (await run('keys', 'rotate')).out,
      /is announced; it signs from \d{4}-\d\d-\d\d \d\d:\d\d UTC/,
    )
    assert.equal(await statuses(), ['signing', 'announced'])
    const again = await run('keys', 'rotate')
    assert.equal([again.code, /a new key is announced already/.test(again.err)], [1, true])
    assert.match((await run('keys', 'rotate', '--compromised')).out, /signs from now on/)
    assert.equal(await statuses(), ['signing'])
    const text = (await run('keys', 'list', '--json')).out
    assert.not.match(text, /"d"|"p"|"q"/)
  }),
)

operator('what is there already, or lies where no command looks, is told in its own words', () =>
  inBooks(async (run) => {
    const again = ['user', 'add', 'ann@example.com', '--first-name', 'Ann', '--last-name', 'B']
    const twice = await run(...again, '--company', 'acme')
    assert.is(twice.code, 2)
    assert.match(twice.err, /a user ann@example\.com already: "tieout user set-companies" .*set-password/s)
  }),
)

operator(
  'a company folder without company.yaml, and an unpacked archive, lead to the command that helps',
  () =>
    inFolder(async (cwd) => {
      const run = (folder: string, ...args: string[]) => tieout(args, { cwd: join(cwd, folder) })
      for (const folder of ['books/datasets/bare', 'books/datasets/acme', 'bag/data'])
        mkdirSync(join(cwd, folder), { recursive: true })
      writeFileSync(join(cwd, 'books/tieout.yaml'), '')
      writeFileSync(join(cwd, 'books/datasets/acme/company.yaml'), '')
      writeFileSync(join(cwd, 'bag/bagit.txt'), '')
      assert.match((await run('books', 'build', 'bare')).err, /bare has no company\.yaml: "tieout add bare/)
      assert.match(
        (await run('bag/data', 'show', 'acme')).err,
        /bag is an unpacked archive: .*"tieout restore/s,
      )
    }),
)
