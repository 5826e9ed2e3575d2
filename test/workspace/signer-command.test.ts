/** A command that signs: what it gets, what it may give, and what is said of each way in which it fails. */
import { once } from 'node:events'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { FindingsError } from '../../builder/workspace/findings/finding.ts'
import { commandKey } from '../../builder/workspace/signer-command.ts'
import { suite } from '../suite.ts'
import { makeEd25519, missing, openssl } from '../support/openssl.ts'

interface Context {
  root: string
}
const test = suite<Context>('signer command')
test.before((context) => {
  context.root = mkdtempSync(join(tmpdir(), 'tieout-signer-'))
  for (const name of ['key', 'other']) makeEd25519(context.root, name)
  openssl(context.root, 'genpkey', '-algorithm', 'rsa', '-out', 'rsa.pem')
  openssl(context.root, 'pkey', '-in', 'rsa.pem', '-pubout', '-out', 'rsa.pub')
})

const OPENSSL = ['openssl', 'pkeyutl', '-sign', '-inkey', 'key.pem', '-rawin', '-in', '/dev/stdin']
const script = (text: string) => [process.execPath, '-e', text]
const keyOf = ({ root }: Context, command: readonly string[], publicKey = 'key.pub', seconds = 20) =>
  commandKey(root, { command: [...command], publicKey, seconds })

async function told(promise: Promise<unknown>): Promise<string> {
  const problem = await promise.then(
    () => null,
    (caught: unknown) => caught,
  )
  assert.instance(problem, FindingsError)
  const [finding] = (problem as FindingsError).findings
  return `${finding!.code}: ${finding!.message} → ${finding!.remedy}`
}

test('openssl signs, with bytes or as base64url, a text or a megabyte', async (context) => {
  for (const bytes of [Buffer.from('header.text'), Buffer.alloc(1 << 20, 7)])
    assert.is((await keyOf(context, OPENSSL).sign(bytes)).length, 64)
  const { root } = context
  const path = join(root, 'sign.sh')
  writeFileSync(path, `#!/bin/sh\n${OPENSSL.join(' ')} | basenc --base64url -w0 | tr -d =\n`, { mode: 0o755 })
  assert.is((await keyOf(context, [path]).sign(Buffer.from('text'))).length, 64)
  const { crv, x } = keyOf(context, OPENSSL).publicKey
  assert.equal([crv, typeof x], ['Ed25519', 'string'])
})

test('the public key may be a JWK', async (context) => {
  const jwk = keyOf(context, OPENSSL).publicKey
  writeFileSync(join(context.root, 'key.jwk.json'), JSON.stringify(jwk))
  assert.is((await keyOf(context, OPENSSL, 'key.jwk.json').sign(Buffer.from('text'))).length, 64)
})

const FAILURES: readonly [name: string, command: readonly string[], says: RegExp][] = [
  [
    'a program that is not there',
    ['no-such-program'],
    /"no-such-program", cannot be started: there is no such program/,
  ],
  ['an exit code', script('process.exit(3)'), /ended with exit code 3; nothing was signed/],
  ['a signal', script('process.kill(process.pid, "SIGTERM")'), /was ended by SIGTERM/],
  ['nothing', script(''), /gave 0 bytes, which are not an Ed25519 signature/],
  ['too little', script('process.stdout.write("abc")'), /gave 3 bytes/],
  ['too much', script('process.stdout.write("x".repeat(5000))'), /gave more than 1024 bytes/],
  ['without an end', script('for(;;) process.stdout.write("x".repeat(5000))'), /gave more than 1024 bytes/],
  [
    '64 bytes of its own',
    script('process.stdout.write(Buffer.alloc(64))'),
    /gave a signature that is not of the key in key\.pub/,
  ],
  ['another key', OPENSSL.with(4, 'other.pem'), /gave a signature that is not of the key in key\.pub/],
]
for (const [name, command, says] of FAILURES)
  test(`what fails: ${name}`, async (context) => {
    assert.match(await told(keyOf(context, command).sign(Buffer.from('text'))), says)
  })

test('a command that hangs is ended, with what it started', async (context) => {
  const connections: Socket[] = []
  const server = createServer((socket) => void connections.push(socket.resume())).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const connected = `require('net').connect(${port}, '127.0.0.1')`
  const sleeper = `require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(connected)}], { stdio: 'inherit' }); setTimeout(() => {}, 60000)`
  const said = await told(keyOf(context, script(sleeper), 'key.pub', 1).sign(Buffer.from('text')))
  assert.match(said, /did not end within 1 seconds/)
  // What it started would keep its connection.
  await Promise.all(connections.map((socket) => socket.closed || once(socket, 'close')))
  server.close()
})

test('arguments are told nowhere: they may name a PIN', async (context) => {
  const said = await told(
    keyOf(context, [...script('process.exit(1)'), '--', '--pin', '4711']).sign(Buffer.from('text')),
  )
  assert.not.match(said, /4711/)
})

test('a public key that is none', async (context) => {
  writeFileSync(join(context.root, 'text.pub'), 'no key')
  for (const [path, says] of [
    ['missing.pub', /missing\.pub does not exist/],
    ['text.pub', /text\.pub is not an Ed25519 key/],
    ['rsa.pub', /rsa\.pub is not an Ed25519 key/],
  ] as const)
    assert.match(await told((async () => keyOf(context, OPENSSL, path))()), says)
  assert.ok(readFileSync(join(context.root, 'key.pub'), 'utf8').includes('PUBLIC KEY'))
})

test.needs(missing)
