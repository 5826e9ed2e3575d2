/** The keys that sign, as a person changes them: at the command line, with a key in the workspace or behind a command. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { suite } from '../suite.ts'
import { makeEd25519, missing } from '../support/openssl.ts'
import { writeFiles } from '../support/workspace.ts'
import { flat, goodCompany, says, tieout } from './command.ts'

interface Context {
  top: string
  cwd: string
}
const test = suite<Context>('signing, at the command line')
test.before.each((context) => {
  context.top = mkdtempSync(join(tmpdir(), 'tieout-signing-cli-'))
  context.cwd = join(context.top, 'workspace')
  mkdirSync(context.cwd)
  settings(context, '')
  books(context, '10.00')
})

const settings = ({ cwd }: Context, text: string) => writeFileSync(join(cwd, 'tieout.yaml'), `${text}\n`)
const books = ({ cwd }: Context, rent: string) =>
  writeFiles(
    join(cwd, 'datasets/acme'),
    goodCompany('acme', `3 2025-03-01 rent ${rent}; 3 2025-03-01 bank -${rent}`),
  )
/** A command that ends with this code; lines are wrapped to the width of the terminal. */
const ends = async (code: number, cwd: string, command: string) => flat(await says(code, command, { cwd }))
const run = (cwd: string, command: string) => ends(0, cwd, command)

const published = ({ cwd }: Context): string[] =>
  readdirSync(join(cwd, 'snapshots/acme')).filter((name) => /-r\d+-/.test(name))

const OPENSSL =
  'signer: { command: [openssl, pkeyutl, -sign, -inkey, ../key.pem, -rawin, -in, /dev/stdin], publicKey: ../key.pub }'
const withOpenssl = missing === null ? test : test.skip
withOpenssl(
  'a command signs: from the first snapshot, after a key of the workspace, and before one',
  async (context) => {
    const { cwd, top } = context
    makeEd25519(top, 'key')
    settings(context, OPENSSL)
    await run(cwd, 'build')
    await run(cwd, 'verify --files-only')
    const first = (await tieout(['snapshots', 'key'], { cwd })).out
    writeFileSync(join(top, 'first.json'), first)
    assert.not.match(first, /"d"/)

    // The command cannot be had: nothing is published.
    books(context, '20.00')
    settings(context, OPENSSL.replace('../key.pem', '../gone.pem'))
    const failed = await ends(3, cwd, 'build')
    assert.match(failed, /the command that signs, "openssl", ended with exit code 1; nothing was signed/)
    assert.is(published(context).length, 1)
    settings(context, '')
    assert.match(await ends(3, cwd, 'build'), /has only the public part of it: a command signs/)

    settings(context, OPENSSL)
    await run(cwd, 'verify --files-only')
    assert.match(
      await run(cwd, 'keys signing rotate --reason "the token is given back"'),
      /Now take "signer" out of tieout\.yaml/,
    )
    assert.match(await ends(3, cwd, 'build'), /the "signer" of tieout\.yaml has another public key/)
    settings(context, '')
    await run(cwd, 'build')

    makeEd25519(top, 'key')
    assert.match(
      await run(cwd, 'keys signing rotate --to ../key.pub --reason "another token from now on"'),
      /Now name the command/,
    )
    settings(context, OPENSSL)
    assert.match(await run(cwd, 'keys signing rotate'), /An earlier change of keys was entered/)
    books(context, '30.00')
    await run(cwd, 'build')
    cpSync(join(cwd, 'snapshots/acme'), join(top, 'copy'), { recursive: true })
    assert.match(await run(top, 'verify copy --files-only --key first.json'), /Verified: 3 snapshots/)

    // The key of a command is not lost with the file that knew of it.
    rmSync(join(cwd, '.tieout'), { recursive: true })
    await run(cwd, 'keys signing rotate --lost --reason "the disk of the office computer broke"')
    await run(cwd, 'verify --files-only')
    assert.not.match(await run(cwd, 'snapshots log acme'), /office computer/)
  },
)

test('where somebody else approves: a rotation makes what waits stale, and the chain of keys holds', async (context) => {
  const { cwd, top } = context
  const { key } = JSON.parse(await ends(0, cwd, `approvers key --to ${join(top, 'ann.pem')} --json`))
  settings(context, `approval: required\napprovers: [{ name: Ann, key: ${key} }]`)
  const approve = (code: number) => ends(code, cwd, `approve acme --key ${join(top, 'ann.pem')}`)
  await ends(5, cwd, 'build')
  await approve(0)
  writeFileSync(join(top, 'first.json'), (await tieout(['snapshots', 'key'], { cwd })).out)
  writeFileSync(join(top, 'approvers.json'), (await tieout(['approvers', 'keys', 'acme'], { cwd })).out)
  books(context, '20.00')
  await ends(5, cwd, 'build')
  await run(cwd, 'keys signing rotate --reason "every year in January"')
  assert.match(await approve(1), /is stale/)
  await ends(5, cwd, 'build')
  await approve(0)
  // The log of a company that comes later begins with the rotation.
  writeFiles(join(cwd, 'datasets/bolt'), goodCompany('bolt'))
  await ends(5, cwd, 'build bolt')
  await ends(0, cwd, `approve bolt --key ${join(top, 'ann.pem')}`)
  await run(cwd, 'verify --files-only')
  cpSync(join(cwd, 'snapshots'), join(top, 'copy'), { recursive: true })
  await run(top, 'verify copy --files-only --key first.json --approvers approvers.json')
  // The key of the approver does not become the one that signs.
  const pem = join(top, 'ann.pub')
  writeFileSync(pem, JSON.stringify({ kty: 'OKP', crv: 'Ed25519', x: key }))
  await run(cwd, `keys signing rotate --to ${pem} --reason "one key for everything"`)
  settings(
    context,
    `approval: required\napprovers: [{ name: Ann, key: ${key} }]\nsigner: { command: ["true"], publicKey: "${pem}" }`,
  )
  books(context, '30.00')
  const refused = await ends(3, cwd, 'build acme')
  assert.match(refused, /signs snapshots in this workspace, too/)
})
