/** Checklist A5, L1, L4 and T7: what access.yaml may hold, and how passwords and secrets are kept in it. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { createAccess, parseAccess, redirectUriMistake } from '../../../builder/workspace/access.ts'
import {
  addClient,
  addUser,
  secretHash,
  setPassword,
  setSecret,
} from '../../../builder/workspace/access-edit.ts'
import { accessFile } from '../../../builder/workspace/access-place.ts'
import { FindingsError } from '../../../builder/workspace/finding.ts'
import { hashPassword, isPasswordHash, verifyPassword } from '../../../builder/workspace/password.ts'
import { suite } from '../../suite.ts'
import { ACCESS_YAML, PASSWORD_HASH } from './harness.ts'

const test = suite('access')

const mistakes = (yaml: string): string[] =>
  parseAccess(yaml, 'access.yaml').findings.map(({ row, column }) => `${row} ${column}`)
const withUri = (uri: string): string =>
  ACCESS_YAML.replace(`redirectUris: [https://client.example/callback,`, `redirectUris: ["${uri}",`)

test('A5 what may be registered as a redirect URI', () => {
  for (const uri of [
    'https://client.example/callback',
    'https://client.example:8443/a/b?tenant=1',
    'http://127.0.0.1/native',
    'http://127.0.0.1:8000/native',
    'http://[::1]/native',
    'http://localhost:3000/cb',
  ])
    assert.is(redirectUriMistake(uri), null, uri)
  for (const uri of [
    'http://client.example/callback',
    'http://127.0.0.1.evil.example/',
    'http://127.0.0.2/',
    'client.example/callback',
    '/callback',
    '//client.example/callback',
    'https:client.example',
    'https://client.example/callback#fragment',
    'https://*.client.example/callback',
    'https://client.example/*',
    'https://user:pass@client.example/',
    'https://user@client.example/',
    'https://client.example\\\\@evil.example/',
    'https://client.example/call back',
    'https://сlient.example/callback',
    'javascript:alert(1)',
    'data:text/html,x',
    'app.example:/callback',
    'https://',
    '',
  ]) {
    assert.is.not(redirectUriMistake(uri), null, uri)
    if (!uri.includes('\\')) assert.ok(mistakes(withUri(uri)).length > 0, uri)
  }
})

test('L1 weak hashes, plain passwords and other schemes are refused, and never repeated', () => {
  assert.equal(mistakes(ACCESS_YAML), [])
  for (const password of [
    'hunter2hunter2',
    PASSWORD_HASH.replace('ln=17', 'ln=16'),
    PASSWORD_HASH.replace('r=8', 'r=4'),
    PASSWORD_HASH.replace('p=1', 'p=0'),
    PASSWORD_HASH.replace('ln=17', 'ln=31'),
    PASSWORD_HASH.replace(/\$[^$]*$/, '$AAAA'),
    PASSWORD_HASH.replace('$scrypt$', '$argon2id$'),
    '$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy',
  ]) {
    assert.not.ok(isPasswordHash(password), password)
    const { findings } = parseAccess(ACCESS_YAML.replace(PASSWORD_HASH, `"${password}"`), 'access.yaml')
    assert.is(findings[0]?.column, 'users.0.password', password)
    assert.not.ok(JSON.stringify(findings).includes(password), 'what may be a password is not shown')
  }
  const plainSecret = ACCESS_YAML.replace(/sha256:[0-9a-f]{64}/, 'not-a-hash')
  assert.not.match(JSON.stringify(parseAccess(plainSecret, 'access.yaml').findings), /not-a-hash/)
})

test('L1 L4 hashes are scrypt at the floor, salted, over the password exactly as typed', async () => {
  const [one, two] = [await hashPassword('pässword 🔑 with blanks '), await hashPassword('x'.repeat(1000))]
  assert.match(one, /^\$scrypt\$ln=17,r=8,p=1\$/)
  assert.is.not(one.split('$')[3], two.split('$')[3])
  assert.ok(await verifyPassword('pässword 🔑 with blanks ', one))
  assert.not.ok(await verifyPassword('pässword 🔑 with blanks', one))
  assert.not.ok(await verifyPassword('x'.repeat(999), two), 'nothing is cut off')
  assert.not.ok(await verifyPassword('x', undefined))
})

test('T7 K11 secrets are made of 192 random bits, stored as hashes, two at once while one is replaced', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-access-'))
  try {
    const path = join(folder, 'access.yaml')
    const { id, secret } = await addClient(accessFile(path), {
      name: 'C',
      redirectUris: ['https://c.example/cb'],
    })
    assert.match(secret, /^[\w-]{32}$/)
    const { secret: second } = await setSecret(accessFile(path), id, { keepPrevious: true })
    const hashes = () => createAccess(path).client(id)!.secretHashes
    assert.equal(hashes(), [secretHash(second), secretHash(secret)])
    const { secret: third } = await setSecret(accessFile(path), id)
    assert.equal(hashes(), [secretHash(third)])
    const text = readFileSync(path, 'utf8')
    for (const each of [secret, second, third]) assert.not.ok(text.includes(each))
    assert.is(statSync(path).mode & 0o777, 0o600)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('L1 a password that is too short is refused; one that is made up is long', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-access-'))
  try {
    const path = join(folder, 'access.yaml')
    const user = { email: 'a@example.com', firstName: 'A', lastName: 'B', companies: [] }
    const refused = await addUser(accessFile(path), { ...user, password: 'elevenchars' }).catch(
      (problem) => problem,
    )
    assert.instance(refused, FindingsError)
    const { id, password } = await addUser(accessFile(path), user)
    assert.match(password, /^[\w-]{32}$/)
    const { password: next } = await setPassword(accessFile(path), id)
    assert.ok(await verifyPassword(next, createAccess(path).user(id)!.password))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('R7 an access.yaml that others can read is a warning, and works', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-access-'))
  try {
    const path = join(folder, 'access.yaml')
    writeFileSync(path, ACCESS_YAML, { mode: 0o600 })
    assert.equal(createAccess(path).findings(), [])
    chmodSync(path, 0o644)
    const access = createAccess(path)
    assert.equal(
      access.findings().map(({ code, severity }) => [code, severity]),
      [['access-mode', 'warning']],
    )
    assert.is(access.user('ann')!.firstName, 'Ann')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test.run()
