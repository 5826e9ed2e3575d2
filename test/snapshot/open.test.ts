/** Reading what was published: no more of it than is asked for, and not for ever where it changes meanwhile. */
import { mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { publishedSnapshot } from '../../builder/inspect/inspect.ts'
import { openSnapshot, readManifestHash } from '../../builder/snapshot/files/open.ts'
import { steadily } from '../../builder/snapshot/log/steadily.ts'
import { publish, temporaryFolder } from '../serve/companies/fixture.ts'
import { suite } from '../suite.ts'

const test = suite('reading snapshots')

test('one snapshot is looked up without opening the others', async () => {
  const folder = temporaryFolder()
  const old = publish(folder.path, { id: 'acme', month: '2025-04' })
  const other = publish(folder.path, { id: 'acme', month: '2025-05' })
  publish(folder.path, { id: 'acme', month: '2025-06' })
  const damaged = join(folder.path, 'acme', other, 'manifest.json')
  rmSync(damaged)
  writeFileSync(damaged, '{ no JSON')
  const found = await publishedSnapshot(folder.path, 'acme', old)
  assert.is(found.value?.id, old)
  const unknown = await publishedSnapshot(folder.path, 'acme', '2025-01-r1-abcdef')
  assert.is(unknown.findings?.[0]?.code, 'unknown-snapshot')
  folder.remove()
})

test('the beginning of an id, or of its hash, is enough where no other begins so', async () => {
  const folder = temporaryFolder()
  const may = publish(folder.path, { id: 'acme', month: '2025-05' })
  const june = publish(folder.path, { id: 'acme', month: '2025-06' })
  const named = async (text: string) => {
    const found = await publishedSnapshot(folder.path, 'acme', text)
    return found.value?.id ?? `${found.findings?.[0]?.code}: ${found.findings?.[0]?.remedy}`
  }
  assert.is(await named('2025-05'), may)
  assert.is(await named('2025-06-r1'), june)
  assert.match(await named('2025-0'), new RegExp(`^ambiguous-snapshot: .*${may}.*${june}`))
  assert.match(await named('202'), /^unknown-snapshot/)
  const hash = may.slice(-6)
  assert.match(await named(hash), june.endsWith(hash) ? /^ambiguous-snapshot/ : may)
  assert.match(await named('2025-07'), /^unknown-snapshot/)
  folder.remove()
})

test('a file of more than 2 GB, which no buffer holds, is checked', async () => {
  const folder = temporaryFolder()
  const id = publish(folder.path, { id: 'acme', bare: true })
  const [manifest, large] = ['manifest.json', 'info.json'].map((name) => join(folder.path, 'acme', id, name))
  const { value } = await publishedSnapshot(folder.path, 'acme', id)
  const { Bytes, Sha256 } = value!.files.get('info.json')!
  const text = readFileSync(manifest!, 'utf8')
  const entry = (bytes: number, hash: string) => `"Bytes":${bytes},"Sha256":"${hash}"`
  const ofZeros = text.replace(entry(Bytes, Sha256), entry(ZEROS.bytes, ZEROS.sha256))
  rmSync(manifest!)
  writeFileSync(manifest!, ofZeros)
  rmSync(large!)
  // It takes no room.
  writeFileSync(large!, '')
  truncateSync(large!, ZEROS.bytes)
  const snapshot = await openSnapshot(folder.path, 'acme', id)
  await snapshot.check('info.json')
  truncateSync(large!, 10)
  await snapshot.check('info.json').then(
    () => assert.unreachable(),
    ({ message }) => assert.match(message, 'info.json of snapshot'),
  )
  folder.remove()
})
const ZEROS = {
  bytes: 2049 * 2 ** 20,
  sha256: 'f9c8466cdac8f598a9dbbe999b62b47c2745c7b7368cd6bfcee1b636368a9071',
}

test('a manifest’s hash is read without its files, and only where it is of that snapshot', async () => {
  const folder = temporaryFolder()
  const id = publish(folder.path, { id: 'acme' })
  const { value } = await publishedSnapshot(folder.path, 'acme', id)
  assert.is(await readManifestHash(folder.path, 'acme', id), value!.manifestHash)
  const strange = '2025-06-r9-abcdef'
  mkdirSync(join(folder.path, 'acme', strange))
  for (const text of ['', '{}', '{"CompanyId":"acme","SnapshotId":"2025-06-r8-abcdef"}']) {
    writeFileSync(join(folder.path, 'acme', strange, 'manifest.json'), text)
    await readManifestHash(folder.path, 'acme', strange).then(
      () => assert.unreachable(text),
      ({ message }) => assert.match(message, 'of another snapshot, or damaged'),
    )
  }
  folder.remove()
})

test('a folder in which something else is wrong at each look is given up after a while', async () => {
  const folder = temporaryFolder()
  let looks = 0
  const look = async () => writeFileSync(join(folder.path, 'log.jsonl'), `${looks++}`)
  await steadily(folder.path, look, () => false, { tries: 3, ms: 1 }).then(
    () => assert.unreachable('it was read'),
    (problem) => assert.match(problem.message, 'is being changed all the time'),
  )
  assert.is(looks, 3)
  folder.remove()
})
