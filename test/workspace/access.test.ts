/** access.yaml: what is refused, how it is edited, and how changes take effect. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { isPasswordHash, verifyPassword } from '../../builder/system/password.ts'
import {
  AccessUnreadableError,
  createAccess,
  parseAccess,
  redirectUriMistake,
} from '../../builder/workspace/access/access.ts'
import {
  addClient,
  addUser,
  secretHash,
  setCompanies,
  setPassword,
  setSecret,
} from '../../builder/workspace/access/access-edit.ts'
import { accessFile } from '../../builder/workspace/access/access-place.ts'
import { type Finding, FindingsError } from '../../builder/workspace/findings/finding.ts'
import { suite } from '../suite.ts'

const test = suite('access')
let folder: string
let path: string
test.before.each(() => {
  folder = mkdtempSync(join(tmpdir(), 'tieout-access-'))
  path = join(folder, 'access.yaml')
})

const HASH = `$scrypt$ln=17,r=8,p=1$${'A'.repeat(22)}$${'B'.repeat(43)}`
const ONE = `users:
  # the controller
  - id: ann
    email: ann@example.com
    firstName: Ann # as she writes it
    lastName: Berg
    companies: [acme, beta]
    password: ${HASH}
clients:
  - id: reports
    name: Reports
    secretHashes: [${secretHash('x')}]
    redirectUris: [https://client.example/cb]
`
/** A clock that is past the interval between two looks at every call. */
const impatient = () => {
  let now = 0
  return () => (now += 1000)
}
const messages = (yaml: string) =>
  parseAccess(yaml, 'access.yaml').findings.map(({ row, column, message }) => `${row} ${column} ${message}`)
const findingsOf = async (action: () => Promise<unknown>): Promise<readonly Finding[]> => {
  const failure = await action().then(
    () => assert.unreachable(),
    (error) => error,
  )
  assert.instance(failure, FindingsError)
  return (failure as FindingsError).findings
}

test('A5 redirect URIs that may not be registered', () => {
  for (const uri of [
    'https://client.example/cb',
    'https://client.example/cb?tenant=1',
    'https://client.example:8443/',
    'http://127.0.0.1/cb',
    'http://[::1]:8080/cb',
    'http://localhost:3000/cb',
  ])
    assert.is(redirectUriMistake(uri), null, uri)
  for (const [uri, mistake] of [
    ['http://client.example/cb', /https/],
    ['http://127.0.0.1.evil.example/cb', /https/],
    ['https://client.example/cb#x', /fragment/],
    ['https://client.example/cb#', /fragment/],
    ['http://127.0.0.2/', /https/],
    ['//client.example/cb', /absolute/],
    ['data:text/html,x', /absolute/],
    ['app.example:/cb', /absolute/],
    ['https://client.example/*', /wildcard/],
    ['https://client.example\\\\@evil.example/', /ASCII/],
    ['', /ASCII/],
    ['https://*.client.example/cb', /wildcard/],
    ['https://user@client.example/cb', /user name/],
    ['https://:@client.example/cb', /user name/],
    ['https://@client.example/cb', /user name/],
    ['/cb', /absolute/],
    ['client.example/cb', /absolute/],
    ['javascript:alert(1)', /absolute/],
    ['myapp://cb', /absolute/],
    ['https:client.example', /absolute/],
    ['https://client.example/a b', /ASCII/],
    ['https://cliént.example/', /ASCII/],
    ['https:\\\\client.example', /ASCII/],
    ['https://', /absolute/],
    ['https://a.example;x/cb', /host of letters/],
    ["https://a.example'/cb", /host of letters/],
    ['https://a.example,b.example/cb', /host of letters/],
    ['https:///a.example/cb', /host of letters/],
  ] as const)
    assert.match(redirectUriMistake(uri) ?? 'accepted', mistake, uri)
})

test('L1 weak and plain passwords are refused, and never repeated', () => {
  for (const bad of [
    'hunter2',
    '$2b$12$KIXKIXKIXKIXKIXKIXKIXO',
    HASH.replace('ln=17', 'ln=14'),
    HASH.replace('ln=17', 'ln=31'),
    HASH.replace('r=8', 'r=1'),
    HASH.replace('p=1', 'p=0'),
    HASH.replace('ln=17', 'ln=16'),
    HASH.replace('$scrypt$', '$argon2id$'),
    HASH.slice(0, -10),
  ]) {
    assert.not.ok(isPasswordHash(bad), bad)
    const { findings } = parseAccess(ONE.replace(HASH, bad), 'access.yaml')
    assert.is(findings.length, 1, bad)
    assert.is(findings[0]!.row, 8)
    assert.not.ok(JSON.stringify(findings).includes(bad), bad)
  }
  const { findings } = parseAccess(ONE.replace(/sha256:\w+/, 'plain-secret'), 'access.yaml')
  assert.is(findings.length, 1)
  assert.not.match(JSON.stringify(findings), /plain-secret/)
})

test('all mistakes of a file at once, with their lines', () => {
  const twice = `${ONE}  - id: reports
    name: Again
    secretHashes: [${secretHash('y')}]
    redirectUris: [http://client.example/]
`.replace('[acme, beta]', '["*"]')
  const found = messages(twice)
  assert.ok(
    found.some((text) => /^7 users\.0\.companies\.0 must be 1 to 64/.test(text)),
    found.join('\n'),
  )
  assert.ok(
    found.some((text) => /^17 clients\.1\.redirectUris\.0 must be https/.test(text)),
    found.join('\n'),
  )
  const users = ONE.replace(
    'clients:',
    `  - id: ann\n    email: ANN@example.com\n    firstName: A\n    lastName: B\n    password: ${HASH}\nclients:`,
  )
  assert.equal(messages(users), [
    '9 users.1.id stands here a second time',
    '10 users.1.email stands here a second time',
  ])
  assert.match(messages(ONE.replace('companies', 'company')).join(), /unknown key "company"/)
})

test('users and clients are added with hashes only; secrets come back once', async () => {
  const user = await addUser(accessFile(path), {
    email: 'ann@example.com',
    firstName: 'Ann',
    lastName: 'Berg',
    companies: ['acme'],
  })
  const client = await addClient(accessFile(path), {
    name: 'Reports',
    redirectUris: ['https://client.example/cb'],
  })
  const text = readFileSync(path, 'utf8')
  assert.is(statSync(path).mode & 0o777, 0o600)
  assert.equal(readdirSync(folder), ['access.yaml'])
  assert.not.ok(text.includes(user.password) || text.includes(client.secret))
  assert.ok(Buffer.from(client.secret, 'base64url').length >= 16)
  const access = createAccess(path)
  assert.ok(await verifyPassword(user.password, access.userByEmail(' Ann@Example.com ')!.password))
  assert.not.ok(await verifyPassword(`${user.password} `, access.user(user.id)!.password))
  assert.equal(access.client(client.id)!.secretHashes, [secretHash(client.secret)])
})

test('editing keeps comments and order, and refuses what would not be valid', async () => {
  writeFileSync(path, ONE, { mode: 0o600 })
  await setCompanies(accessFile(path), 'ann', ['acme'])
  const { secret } = await setSecret(accessFile(path), 'reports', { keepPrevious: true })
  await setPassword(accessFile(path), 'ann', 'a long enough password')
  const text = readFileSync(path, 'utf8')
  assert.match(text, /# the controller\n {2}- id: ann/)
  assert.match(text, /firstName: Ann # as she writes it/)
  assert.match(text, /companies: \[ ?acme ?\]/)
  const access = createAccess(path)
  assert.equal(access.client('reports')!.secretHashes, [secretHash(secret), secretHash('x')])
  assert.ok(await verifyPassword('a long enough password', access.user('ann')!.password))
  await setSecret(accessFile(path), 'reports', { keepPrevious: true })
  await setSecret(accessFile(path), 'reports')
  assert.is(createAccess(path).client('reports')!.secretHashes.length, 1)

  const before = readFileSync(path, 'utf8')
  const client = { name: 'X', redirectUris: ['https://x.example/'] }
  const user = { firstName: 'A', lastName: 'B', companies: [], password: 'a long enough password' }
  const codes = []
  for (const action of [
    () => addClient(accessFile(path), { ...client, id: 'reports' }),
    () => addClient(accessFile(path), { ...client, redirectUris: ['http://x.example/'] }),
    () => addUser(accessFile(path), { ...user, email: 'ANN@example.com' }),
    () => setPassword(accessFile(path), 'ann', 'short'),
    () => setPassword(accessFile(path), 'nobody', 'a long enough password'),
    () => setSecret(accessFile(path), 'nobody'),
  ])
    codes.push((await findingsOf(action))[0]!.code)
  assert.equal(codes, [
    'invalid-setting',
    'invalid-setting',
    'invalid-setting',
    'weak-password',
    'unknown-user',
    'unknown-client',
  ])
  assert.is(readFileSync(path, 'utf8'), before)
})

test('changes take effect, also by renaming over it; a bad version is reported and changes nothing', () => {
  const reported: string[] = []
  writeFileSync(path, ONE, { mode: 0o600 })
  const access = createAccess(path, {
    now: impatient(),
    report: (findings) => reported.push(...findings.map(({ code }) => code)),
  })
  assert.equal(access.companiesOf('ann'), ['acme', 'beta'])
  writeFileSync(path, ONE.replace('[acme, beta]', '[beta]'))
  assert.equal(access.companiesOf('ann'), ['beta'])
  const aside = join(folder, 'new.yaml')
  writeFileSync(aside, ONE.replace('[acme, beta]', '[gamma]'), { mode: 0o600 })
  renameSync(aside, path)
  assert.equal(access.companiesOf('ann'), ['gamma'])
  assert.equal(reported, [])

  writeFileSync(path, 'users: [')
  assert.equal(access.companiesOf('ann'), ['gamma'])
  assert.equal(access.companiesOf('ann'), ['gamma'])
  assert.equal(reported, ['yaml-syntax'], 'once')
  rmSync(path)
  for (let look = 0; look < 2; look++) assert.is(access.user('ann'), undefined)
  assert.equal(reported, ['yaml-syntax', 'access-missing'])
  writeFileSync(path, ONE.replace('id: ann', 'id: eve'), { mode: 0o644 })
  assert.is(access.user('ann'), undefined)
  assert.ok(access.user('eve'))
  assert.is(access.findings()[0]?.severity, 'warning')
})

/** Ten lines, each of which repeats the one before nine times: 9^9 texts where they are written out. */
const ALIAS_BOMB = `${[
  'a0: &a0 [x]',
  ...Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(9).fill(`*a${i}`).join(', ')}]`),
].join('\n')}\n`

test('aliases that repeat too much, or nothing, are a mistake with its line, and change nothing', () => {
  const reported: Finding[] = []
  writeFileSync(path, ONE, { mode: 0o600 })
  const access = createAccess(path, { now: impatient(), report: (findings) => reported.push(...findings) })
  for (const [yaml, row] of [
    [ALIAS_BOMB + ONE, 2],
    [ONE.replace('[acme, beta]', '*theirs'), ONE.split('\n').findIndex((line) => line.includes('beta')) + 1],
    ['*theirs : 1\n', 1],
  ] as const) {
    writeFileSync(path, yaml)
    for (let look = 0; look < 2; look++) assert.equal(access.companiesOf('ann'), ['acme', 'beta'])
    const [found, ...more] = reported.splice(0)
    assert.equal([found?.code, found?.file, found?.row, more.length], ['yaml-alias', 'access.yaml', row, 0])
    assert.ok(found?.remedy)
    assert.throws(
      () => createAccess(path),
      (problem: unknown) => problem instanceof FindingsError,
    )
  }
})

test('a list of companies may be written once and repeated for hundreds of users', () => {
  const users = Array.from(
    { length: 300 },
    (_, i) =>
      `  - { id: u${i}, email: u${i}@x.test, firstName: U, lastName: V, companies: ${i === 0 ? '&all [acme, beta]' : '*all'}, password: "${HASH}" }`,
  )
  writeFileSync(path, `users:\n${users.join('\n')}\n`, { mode: 0o600 })
  const access = createAccess(path)
  assert.equal(access.findings(), [])
  assert.equal(access.companiesOf('u299'), ['acme', 'beta'])
})

test('a file with nothing in it is nobody, and said; one that cannot be read is nobody’s word', () => {
  const reported: string[] = []
  writeFileSync(path, ONE, { mode: 0o600 })
  const access = createAccess(path, {
    now: impatient(),
    report: (findings) => reported.push(...findings.map(({ code }) => code)),
  })
  assert.ok(access.user('ann'))
  writeFileSync(path, '\n')
  assert.is(access.user('ann'), undefined)
  assert.is(access.client('reports'), undefined)
  assert.equal(reported, ['access-empty'])
  writeFileSync(path, ONE)
  assert.ok(access.user('ann'))
  rmSync(path)
  mkdirSync(path)
  for (let look = 0; look < 2; look++)
    assert.throws(
      () => access.user('ann'),
      (problem: unknown) => problem instanceof AccessUnreadableError,
    )
  assert.equal(reported, ['access-empty', 'access-unreadable'])
  rmdirSync(path)
  writeFileSync(path, ONE)
  assert.ok(access.user('ann'))
})

test('no file is nobody; a bad file at the start is an error', () => {
  assert.is(createAccess(path).userByEmail('ann@example.com'), undefined)
  writeFileSync(path, 'users: 7')
  assert.throws(
    () => createAccess(path),
    (error: unknown) => error instanceof FindingsError,
  )
  writeFileSync(path, '')
  assert.equal(createAccess(path).companiesOf('ann'), [])
})

test('the disabled are as if absent', () => {
  writeFileSync(path, ONE.replace('id: ann', 'id: ann\n    disabled: true'), { mode: 0o600 })
  const access = createAccess(path)
  assert.is(access.user('ann'), undefined)
  assert.is(access.userByEmail('ann@example.com'), undefined)
  assert.equal(access.companiesOf('ann'), [])
  assert.ok(access.client('reports'))
})
