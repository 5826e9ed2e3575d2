/** Files of a snapshot over HTTP: those of the manifest and no other, byte for byte (H1, H3, H4, H5). */
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import * as assert from 'uvu/assert'
import { MANIFEST, pointerPath, SIGNATURE, snapshotFolder } from '../../../builder/snapshot/files/layout.ts'
import { encodeManifest, type Manifest } from '../../../builder/snapshot/files/manifest.ts'
import { openSigner } from '../../../builder/snapshot/keys/key-file.ts'
import { checkSignature } from '../../../builder/snapshot/keys/sign.ts'
import { entryName, ZipReader } from '../../../builder/system/zip-reader.ts'
import { suite } from '../../suite.ts'
import { BUDGET, publish } from '../companies/fixture.ts'
import { rawStatus } from './client.ts'
import { type Stand, stand } from './stand.ts'

interface Context {
  it: Stand
  id: string
  folder: string
  get(path: string, init?: RequestInit): Promise<Response>
}
const files = suite<Context>('snapshot files')

files.before(async (context) => {
  context.it = await stand()
  context.id = (await context.it.ask('/companies/acme/snapshots')).json.Data[0].SnapshotId
  context.folder = snapshotFolder(context.it.root, 'acme', context.id)
  context.get = (path, init = {}) =>
    fetch(`${context.it.base}/companies/acme/snapshots/${context.id}/files/${path}`, {
      ...init,
      headers: { Authorization: 'Bearer owner', ...init.headers },
    })
})
files.after(async ({ it }) => it.close())

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
const chunksOf = async (chunks: AsyncIterable<Buffer>): Promise<Buffer[]> => {
  const all: Buffer[] = []
  for await (const chunk of chunks) all.push(chunk)
  return all
}
const encoded = (path: string): string => path.split('/').map(encodeURIComponent).join('/')

files(
  'H4: every file of the manifest, and the manifest, with the hash it states',
  async ({ get, folder }) => {
    const manifest = JSON.parse(readFileSync(join(folder, MANIFEST), 'utf8')) as Manifest
    const listed = manifest.Files.map(({ Path, Sha256 }) => [Path, Sha256] as const)
    // A budget's id with a blank and a letter beyond ASCII stands as `%20` and `%c3%b6` in the name of its folder.
    assert.ok(listed.some(([path]) => path.includes('%c3%b6')) && BUDGET.Id.includes('ö'))
    for (const [path, hash] of [
      ...listed,
      [MANIFEST, sha256(readFileSync(join(folder, MANIFEST)))],
    ] as const) {
      const response = await get(encoded(path))
      const body = new Uint8Array(await response.arrayBuffer())
      assert.is(response.status, 200, path)
      assert.is(sha256(body), hash, path)
      assert.is(response.headers.get('etag'), `"${hash}"`)
      assert.is(
        response.headers.get('repr-digest'),
        `sha-256=:${Buffer.from(hash, 'hex').toString('base64')}:`,
      )
      assert.is(response.headers.get('content-type'), 'application/json; charset=utf-8')
      assert.is(Number(response.headers.get('content-length')), body.length)
      assert.is(response.headers.get('cache-control'), 'private, no-cache')
      assert.is(response.headers.get('vary'), 'Authorization')
      assert.is(response.headers.get('x-content-type-options'), 'nosniff')
      assert.is(response.headers.get('content-encoding'), null)
      const again = await get(encoded(path), { headers: { 'If-None-Match': `"x", W/"${hash}"` } })
      assert.is(again.status, 304)
      assert.is(await again.text(), '')
    }
  },
)

files('H4: the signature of the manifest, where it signs it', async ({ get }) => {
  assert.is((await get(SIGNATURE)).status, 404, 'published without one')
  const it = await stand()
  const id = publish(it.root, { id: 'acme', revision: 7 })
  const folder = snapshotFolder(it.root, 'acme', id)
  const signer = await openSigner(join(it.root, '.tieout'))
  const manifest = JSON.parse(readFileSync(join(folder, MANIFEST), 'utf8')) as Manifest
  const text = encodeManifest({ ...manifest, Build: { ...manifest.Build, KeyId: signer.keyId } })
  const signature = await signer.sign(Buffer.from(text))
  writeFileSync(join(folder, MANIFEST), text)
  writeFileSync(join(folder, SIGNATURE), signature)
  const pointer = { SnapshotId: id, ManifestSha256: sha256(Buffer.from(text)) }
  writeFileSync(pointerPath(it.root, 'acme'), JSON.stringify(pointer))
  const ask = (path: string) =>
    fetch(`${it.base}/companies/acme/snapshots/${id}/files/${path}`, {
      headers: { Authorization: 'Bearer owner' },
    })
  // Wrong ones first: what was once found to be right is held against its hash from then on.
  for (const wrong of ['', 'no signature', await signer.sign(Buffer.from(`${text} `))]) {
    writeFileSync(join(folder, SIGNATURE), wrong)
    assert.is((await ask(SIGNATURE)).status, 503)
    assert.match(it.entries.at(-1)?.reason ?? '', 'does not sign its manifest')
  }
  writeFileSync(join(folder, SIGNATURE), signature)
  const found = await ask(SIGNATURE)
  assert.is(found.status, 200)
  assert.is(found.headers.get('content-type'), 'application/jose')
  assert.is(found.headers.get('etag'), `"${sha256(Buffer.from(signature))}"`)
  const bytes = new Uint8Array(await (await ask(MANIFEST)).arrayBuffer())
  assert.is((await checkSignature(bytes, await found.text())).keyId, signer.keyId)
  writeFileSync(join(folder, SIGNATURE), signature.replace(/^./, 'X'))
  assert.is((await ask(SIGNATURE)).status, 503)
  await it.close()
})

files('S8: figures need one scope; postings, and manifests that name a computer, another one', async () => {
  const it = await stand()
  const folderOf = (id: string) => snapshotFolder(it.root, 'acme', id)
  /** Adds files to a published snapshot, and says in its manifest what made it. */
  function publishWith(revision: number, Build: Manifest['Build']): string {
    const id = publish(it.root, { id: 'acme', revision })
    const manifest = JSON.parse(readFileSync(join(folderOf(id), MANIFEST), 'utf8')) as Manifest
    const more = MORE.map((Path) => {
      mkdirSync(dirname(join(folderOf(id), Path)), { recursive: true })
      writeFileSync(join(folderOf(id), Path), Path)
      return { Path, Bytes: Path.length, Sha256: sha256(Buffer.from(Path)) }
    })
    const text = encodeManifest({ ...manifest, Files: [...manifest.Files, ...more], Build })
    writeFileSync(join(folderOf(id), MANIFEST), text)
    const pointer = { SnapshotId: id, ManifestSha256: sha256(text) }
    writeFileSync(pointerPath(it.root, 'acme'), JSON.stringify(pointer))
    return id
  }
  const MORE = [
    'books/postings.parquet',
    'books/frame.json',
    'restatement.json',
    'statements.json',
    'notes/x',
  ]
  const build = { At: '2025-07-01T00:00:00Z', Node: 'v20', Seconds: 1 }
  const named = publishWith(8, { ...build, Host: 'accounting-pc' })
  const unnamed = publishWith(9, build)
  const ask = (token: string, id: string, path: string) =>
    fetch(`${it.base}/companies/acme/snapshots/${id}/files/${encoded(path)}`, {
      headers: { Authorization: `Bearer ${token}` },
    })
  for (const path of MORE) {
    const refused = await ask('second', unnamed, path)
    assert.is(refused.status, 403, path)
    assert.match(refused.headers.get('www-authenticate')!, 'error="insufficient_scope", scope="read:ledger"')
    assert.is(((await refused.json()) as { code: string }).code, 'insufficient-scope')
    assert.is((await ask('owner', unnamed, path)).status, 200, path)
  }
  // Whether a file is there is not told either.
  assert.is((await ask('second', unnamed, 'books/none.parquet')).status, 403)
  assert.is((await ask('owner', unnamed, 'books/none.parquet')).status, 404)
  assert.is((await ask('stranger', unnamed, MORE[0]!)).status, 404)
  assert.is((await ask('second', named, MANIFEST)).status, 403)
  assert.is((await ask('owner', named, MANIFEST)).status, 200)
  const manifest = await ask('second', unnamed, MANIFEST)
  assert.is(manifest.status, 200)
  const figures = ((await manifest.json()) as Manifest).Files.map(({ Path }) => Path)
  for (const Path of figures)
    if (!MORE.includes(Path)) assert.is((await ask('second', unnamed, Path)).status, 200, Path)
  // One zip has what the token may read one by one, byte for byte.
  for (const [token, more] of [
    ['owner', MORE],
    ['second', []],
  ] as const) {
    const address = `${it.base}/companies/acme/snapshots/${unnamed}/zip`
    const headers = { Authorization: `Bearer ${token}` }
    const answer = await fetch(address, { headers })
    assert.equal([answer.status, answer.headers.get('content-type')], [200, 'application/zip'])
    const bytes = Buffer.from(await answer.arrayBuffer())
    const zip = await ZipReader.ofBytes(bytes)
    const entries = await zip.entries()
    assert.is(await zip.wrongWith(entries, true), null)
    const own = [MANIFEST, ...figures.filter((path) => !MORE.includes(path)), ...more]
    assert.equal(entries.map(entryName).sort(), own.map((path) => `${unnamed}/${path}`).sort())
    for (const entry of entries) {
      const path = entryName(entry).slice(unnamed.length + 1)
      const content = Buffer.concat(await chunksOf(zip.content(entry)))
      assert.is(
        sha256(content),
        sha256(Buffer.from(await (await ask(token, unnamed, path)).arrayBuffer())),
        path,
      )
    }
    const same = { ...headers, 'If-None-Match': answer.headers.get('etag')! }
    assert.is((await fetch(address, { headers: same })).status, 304)
    assert.ok(bytes.equals(Buffer.from(await (await fetch(address, { headers })).arrayBuffer())))
  }
  writeFileSync(join(folderOf(unnamed), MORE[0]!), 'changed')
  assert.is(
    (
      await fetch(`${it.base}/companies/acme/snapshots/${unnamed}/zip`, {
        headers: { Authorization: 'Bearer owner' },
      })
    ).status,
    503,
  )
  await it.close()
})

files('H3: HEAD tells length and hash; other methods are 405', async ({ get }) => {
  const head = await get('info.json', { method: 'HEAD' })
  assert.is(head.status, 200)
  assert.is(await head.text(), '')
  assert.ok(Number(head.headers.get('content-length')) > 0)
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH'])
    assert.is((await get('info.json', { method })).status, 405)
})

files('H5: no ranges; a range asked for gets the whole file', async ({ get }) => {
  const whole = await (await get('info.json')).text()
  for (const Range of ['bytes=0-0', 'bytes=-5', 'bytes=999999-', 'bytes=0-1,4-5', 'lines=1-2', 'bytes=a-b']) {
    const response = await get('info.json', { headers: { Range } })
    assert.is(response.status, 200, Range)
    assert.is(response.headers.get('accept-ranges'), 'none')
    assert.is(response.headers.get('content-range'), null)
    assert.is(await response.text(), whole)
  }
})

/** Decoded once by the server; what is left of an escape afterwards is a letter like any other. */
const TRAVERSAL = [
  '../manifest.json',
  '..%2f..%2fother%2fcurrent.json',
  '%2e%2e/manifest.json',
  '%2e%2e%2f%2e%2e%2fcurrent.json',
  '%252e%252e%252fcurrent.json',
  '..%5c..%5ccurrent.json',
  '..%255ccurrent.json',
  '..;/current.json',
  '/etc/passwd',
  '%2fetc%2fpasswd',
  '//etc/passwd',
  'info.json/',
  'info.json%2f',
  './info.json',
  'x/../info.json',
  'statements/../info.json',
  'info.json.',
  'info.json%20',
  'info.json::$DATA',
  'INFO.JSON',
  'C:/info.json',
  'C:%5cinfo.json',
  '%c0%ae%c0%ae/current.json',
  '%00',
  'info.json%00.parquet',
  'info.json%0d%0aX:y',
  'statements',
  'statements/',
  'pages',
  'unlisted.json',
  'secret/inside.json',
  '.hidden',
  '__proto__',
  'constructor',
  'index',
  'info',
  'x'.repeat(10_000),
]

files('H1: nothing but what the manifest lists, however it is spelled', async ({ it, id, folder }) => {
  writeFileSync(join(folder, 'unlisted.json'), '{}')
  writeFileSync(join(folder, '.hidden'), '{}')
  mkdirSync(join(folder, 'secret'))
  writeFileSync(join(folder, 'secret/inside.json'), '{}')
  for (const path of TRAVERSAL) {
    const target = `/companies/acme/snapshots/${id}/files/${path}`
    const status = await rawStatus(it.port, target, 'owner')
    assert.ok(status === 404 || status === 400, `${path} ${status}`)
  }
  // A snapshot, or a company, whose name begins like another's.
  for (const target of [
    `/companies/acme/snapshots/${id}x/files/info.json`,
    `/companies/acme/snapshots/${id.slice(0, -1)}/files/info.json`,
    `/companies/acme/snapshots/..%2fother%2f${id}/files/info.json`,
    `/companies/acme/snapshots/.stage-x/files/info.json`,
    `/companies/acme/snapshots/${id}/files/`,
    `/companies/acme/snapshots/${id}/files`,
    `/companies/acme/snapshots/${id}/manifest.json`,
  ])
    assert.is(await rawStatus(it.port, target, 'owner'), 404, target)
})

files('H1: a link in place of a file or of a folder is not followed', async ({ get, folder, it }) => {
  const moved = join(it.root, 'moved')
  for (const path of ['classes.json', 'pages']) {
    renameSync(join(folder, path), moved)
    symlinkSync(moved, join(folder, path))
    const asked = path === 'pages' ? `pages/${readdirSync(moved)[0]}/0.json` : path
    assert.is((await get(asked)).status, 503)
    const reason = it.entries.at(-1)?.reason ?? ''
    assert.match(reason, 'is a link')
    rmSync(join(folder, path))
    renameSync(moved, join(folder, path))
    assert.is((await get(asked)).status, 200)
  }
})

files('a file that was changed, cut or removed is never answered with', async ({ get, folder }) => {
  const file = join(folder, 'budgets.json')
  const good = readFileSync(file)
  assert.is((await get('budgets.json')).status, 200)
  chmodSync(file, 0o644)
  for (const spoil of [
    () => writeFileSync(file, Buffer.from(good.map((byte, i) => (i === 9 ? byte ^ 1 : byte)))),
    () => writeFileSync(file, good.subarray(1)),
    () => rmSync(file),
  ]) {
    spoil()
    const response = await get('budgets.json')
    assert.is(response.status, 503)
    assert.is(response.headers.get('etag'), null)
    assert.is(response.headers.get('repr-digest'), null)
    assert.not.match(await response.text(), 'budgets')
  }
  writeFileSync(file, good)
  assert.is((await get('budgets.json')).status, 200)
})

if (existsSync('/proc/self/fd'))
  files(
    'a client that leaves in the middle of a download leaves no file open',
    async ({ it, id, folder }) => {
      const open = (): number =>
        readdirSync('/proc/self/fd').filter((fd) => {
          try {
            return readlinkSync(`/proc/self/fd/${fd}`).startsWith(folder)
          } catch {
            return false
          }
        }).length
      for (let i = 0; i < 40; i++) {
        const what = i % 2 === 0 ? 'files/chart-of-accounts.json' : 'zip'
        const request = `GET /companies/acme/snapshots/${id}/${what} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer owner\r\n\r\n`
        await new Promise<void>((resolve) => {
          const socket = connect(it.port, '127.0.0.1')
          socket.on('close', () => resolve())
          socket.on('error', () => {})
          socket.write(request.repeat(5))
          socket.once('data', () => socket.destroy())
        })
      }
      for (let i = 0; i < 200 && open() > 0; i++) await it.ask('/healthz')
      assert.is(open(), 0)
    },
  )
