/**
 * Other programs that unpack: where this one reads a zip, they get the same files of it, or refuse it. Zips as those programs write
 * them, and zips of which bytes of the headers were changed, each by itself and in both headers of an entry alike.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import * as assert from 'uvu/assert'
import { unpack } from '../../builder/evidence/archive/container.ts'
import { text } from '../../builder/evidence/archive/contents.ts'
import { writeBag } from '../../builder/evidence/archive/write.ts'
import { openZip, ZipUnreadableError } from '../../builder/evidence/archive/zip.ts'
import { seed, times } from '../seed.ts'
import { suite } from '../suite.ts'
import { seeded } from '../support/random.ts'
import { type CraftedEntry, craftedZip, descriptorOf } from '../support/stored-zip.ts'

const test = suite<{ folder: string }>('zips in other programs')
test.before.each((context) => {
  context.folder = mkdtempSync(join(tmpdir(), 'tieout-zips-'))
})

const PYTHON = 'import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall(sys.argv[2])'
const JAVA = join(import.meta.dirname, 'Unzip.java')
/** Commands that unpack the zip `zip` into the folder `to`; those named twice read it from its beginning, too. */
const PROGRAMS: Readonly<Record<string, (zip: string, to: string) => readonly string[]>> = {
  unzip: (zip, to) => ['unzip', '-q', '-o', zip, '-d', to],
  '7z': (zip, to) => ['7z', 'x', '-y', '-bd', `-o${to}`, zip],
  bsdtar: (zip, to) => ['bsdtar', '-xf', zip, '-C', to],
  'bsdtar from its beginning': (zip, to) => ['sh', '-c', `bsdtar -xf - -C ${to} <${zip}`],
  python3: (zip, to) => ['python3', '-c', PYTHON, zip, to],
  java: (zip, to) => ['java', '-Xshare:auto', '-XX:TieredStopAtLevel=1', JAVA, 'file', zip, to],
  'java from its beginning': (zip, to) => ['java', '-XX:TieredStopAtLevel=1', JAVA, 'stream', zip, to],
}
const has = (program: string): boolean => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0
const found = Object.entries(PROGRAMS).filter(([name]) => has(name.split(' ')[0]!))
const missing = Object.keys(PROGRAMS).filter((name) => !found.some(([each]) => each === name))
if (missing.length > 0) process.stdout.write(`not installed, and not asked: ${missing.join(', ')}\n`)

const filesIn = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map((entry) => [join(entry.parentPath, entry.name), entry.isFile()] as const)
      .map(([path, isFile]) => [relative(folder, path), isFile ? readFileSync(path, 'latin1') : 'no file'])
      .sort(),
  )

/** The files of a zip as they are read here; null where it is refused. */
async function readHere(zip: string, to: string): Promise<Record<string, string> | null> {
  const container = await openZip(zip).catch((problem) => {
    if (problem instanceof ZipUnreadableError) return null
    throw problem
  })
  if (container === null) return null
  try {
    if (container.problems.length > 0) return null
    mkdirSync(join(to, container.name), { recursive: true })
    return (await unpack(container, join(to, container.name))).length > 0 ? null : filesIn(to)
  } finally {
    container.close()
  }
}

/** What a program unpacks; null where it says that something is wrong. `unzip` ends with 1 where it only warns. */
function unpackedBy(name: string, zip: string, to: string): Record<string, string> | null {
  mkdirSync(to)
  const [command, ...args] = PROGRAMS[name]!(zip, to)
  const { status } = spawnSync(command!, args, { encoding: 'latin1' })
  spawnSync('chmod', ['-R', 'u+rwX', to])
  return status === 0 || (name === 'unzip' && status === 1) ? filesIn(to) : null
}

const STORED = { name: 'bag/data/stored.csv', data: 'rent,40.00\n'.repeat(9) }
const PACKED = { name: 'bag/data/packed.csv', data: 'sales,100.00\n'.repeat(9), deflated: true }
const LATER = { flags: 8, local: { crc: 0, packedSize: 0, size: 0 } }
const BAGIT = { name: 'bag/bagit.txt', data: 'BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n' }
const ENTRIES: readonly CraftedEntry[] = [BAGIT, STORED, PACKED].map((entry) => ({
  mode: 0o100644,
  ...entry,
}))
const behind = (entry: CraftedEntry): CraftedEntry =>
  entry.deflated ? entry : { ...entry, ...LATER, descriptor: descriptorOf(entry.data) }
const HONEST = [craftedZip(ENTRIES), craftedZip(ENTRIES.map(behind))]

for (const [name] of found)
  test(`${name} unpacks what is read here, of a zip that nobody changed`, async ({ folder }) => {
    writeFileSync(join(folder, 'a.zip'), HONEST[0]!)
    const here = await readHere(join(folder, 'a.zip'), join(folder, 'here'))
    assert.is(here?.[STORED.name], STORED.data)
    assert.equal(unpackedBy(name, join(folder, 'a.zip'), join(folder, 'there')), here)
  })

for (const [name] of found)
  test(`${name} unpacks an archive as it is written here`, async ({ folder }) => {
    const files = [text('data/books/postings.parquet', 'PAR1'), text('index.html', '<p>')]
    const bag = { name: 'bag', files, payload: { files: 1, bytes: 4 }, keyId: null, inputs: 0 }
    await writeBag(bag, join(folder, 'a.zip'), () => {})
    const unpacked = unpackedBy(name, join(folder, 'a.zip'), join(folder, 'there'))
    assert.equal(unpacked, { 'bag/data/books/postings.parquet': 'PAR1', 'bag/index.html': '<p>' })
  })

const ZIPPING: readonly (readonly string[])[] = [
  ['zip', '-qr', '../a.zip', 'bag'],
  ['zip', '-qr', '-fz', '../a.zip', 'bag'],
  ['7z', 'a', '-bd', '../a.zip', 'bag'],
  ['bsdtar', '--format', 'zip', '-cf', '../a.zip', 'bag'],
  ['jar', 'cfM', '../a.zip', 'bag'],
  ['python3', '-c', 'import shutil; shutil.make_archive("../a", "zip", ".", "bag")'],
]
for (const [program, ...args] of ZIPPING.filter(([program]) => has(program!)))
  test(`zipped again by ${program} ${args[1]}: read, and the same`, async ({ folder }) => {
    for (const { name, data } of ENTRIES) {
      mkdirSync(join(folder, 'made', String(name), '..'), { recursive: true })
      writeFileSync(join(folder, 'made', String(name)), data)
    }
    assert.is(spawnSync(program!, args, { cwd: join(folder, 'made') }).status, 0)
    assert.equal(await readHere(join(folder, 'a.zip'), join(folder, 'here')), filesIn(join(folder, 'made')))
  })

const INTERESTING = [0, 1, 2, 8, 9, 0x10, 0x20, 0x40, 0x7f, 0x80, 0xff]
/** Offsets of a field of both headers of an entry: in its own, and in the directory. */
const FIELDS = Array.from({ length: 26 }, (_, i) => [4 + i, 6 + i] as const)

const { pick, between, chance } = seeded(`zips ${seed}`)

function changed(zip: Buffer): Buffer {
  const bytes = Buffer.from(zip)
  const value = chance(50) ? pick(INTERESTING) : between(0, 255)
  const begins = (signature: string): number[] => {
    const at: number[] = []
    for (let i = bytes.indexOf(signature); i >= 0; i = bytes.indexOf(signature, i + 1)) at.push(i)
    return at
  }
  const entry = between(0, ENTRIES.length - 1)
  const [local, listed] = [begins('PK\x03\x04')[entry]!, begins('PK\x01\x02')[entry]!]
  const [own, other] = pick(FIELDS)
  const way = between(0, 2)
  if (way === 0) bytes[local + own] = bytes[listed + other] = value
  else if (way === 1) bytes[listed + between(0, 45)] = value
  else bytes[between(0, bytes.length - 1)] = value
  return bytes
}

test('changed bytes: where the zip is read still, every program unpacks the same or refuses it', async ({
  folder,
}) => {
  let read = 0
  for (let i = 0; i < times(150); i++) {
    const at = join(folder, `${i}`)
    mkdirSync(at)
    const zip = join(at, 'a.zip')
    const bytes = changed(HONEST[i % 2]!)
    writeFileSync(zip, bytes)
    const here = await readHere(zip, join(at, 'here'))
    if (here !== null && !HONEST[i % 2]!.equals(bytes)) {
      read++
      for (const [name] of found) {
        // A Java machine for each zip takes half a second.
        if (name.startsWith('java') && read % 10 > 0) continue
        const there = unpackedBy(name, zip, join(at, name.replaceAll(' ', '-')))
        if (there !== null) assert.equal(there, here, `${name}: ${bytes.toString('base64')}`)
      }
    }
    rmSync(at, { recursive: true })
  }
  assert.ok(read > 1, `${read} of the changed zips are read`)
})
