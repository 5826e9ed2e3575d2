/** Checklist L1, L4 and T7: how passwords and secrets are kept in access.yaml; what it may hold stands in workspace/access.test.ts. */
import { chmodSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { hashPassword, verifyPassword } from '../../../builder/system/password.ts'
import { createAccess } from '../../../builder/workspace/access/access.ts'
import {
  addClient,
  addUser,
  secretHash,
  setPassword,
  setSecret,
} from '../../../builder/workspace/access/access-edit.ts'
import { accessFile } from '../../../builder/workspace/access/access-place.ts'
import { FindingsError } from '../../../builder/workspace/findings/finding.ts'
import { suite } from '../../suite.ts'
import { ACCESS_YAML } from './harness.ts'

const test = suite('access')

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
})

test('L1 a password that is too short is refused; one that is made up is long', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-access-'))
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
})

test('R7 an access.yaml that others can read is a warning, and works', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-access-'))
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
})
