/** Zips that are traps: refused by what they list, before anything of them is unpacked, or found when they are. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { isArchive, verifyArchive } from '../../builder/verify/archive.ts'
import { suite } from '../suite.ts'
import { type CraftedEntry, craftedZip } from '../support/stored-zip.ts'

const test = suite<{ folder: string; outer: string | undefined }>('hostile archives')
test.before.each((context) => {
  context.folder = mkdtempSync(join(tmpdir(), 'tieout-hostile-'))
  context.outer = process.env.TMPDIR
  process.env.TMPDIR = join(context.folder, 'scratch')
  mkdirSync(process.env.TMPDIR)
})
test.after.each(({ folder, outer }) => {
  if (outer === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = outer
  rmSync(folder, { recursive: true, force: true })
})

const DECLARATION = 'BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n'
const bag = (...more: CraftedEntry[]): Buffer =>
  craftedZip([{ name: 'bag/bagit.txt', data: DECLARATION }, ...more])

/** The damages of a zip; asserts that it is refused, and that nothing appeared where it could have. */
async function refused(folder: string, zip: Buffer): Promise<string[]> {
  const path = join(folder, 'a.zip')
  writeFileSync(path, zip)
  assert.ok(await isArchive(path))
  const found = await verifyArchive(path, { figures: true, known: null })
  assert.is(found.verified, false)
  assert.equal(found.companies, [])
  assert.equal(readdirSync(folder, { recursive: true }).sort(), ['a.zip', 'scratch'])
  return found.archive!.damages.map(({ kind, message }) => `${kind}: ${message}`)
}

const NAMES: readonly [name: string | Buffer, why: RegExp][] = [
  ['bag/../../escaped', /leads out of the bag with "\.\."/],
  ['bag/data/../../../escaped', /leads out of the bag/],
  ['bag//tmp/escaped', /is absolute/],
  ['bag/C:/escaped', /names a drive/],
  ['bag/data\\..\\..\\escaped', /holds a backslash/],
  ['bag/data/a\nb', /holds a line break/],
  ['bag/data/a\u0000.txt', /holds a line break, a control character/],
  ['bag/data/a\u2028b', /holds a line break/],
  [Buffer.from([...Buffer.from('bag/data/'), 0xff, 0xfe]), /bytes that are not text/],
  ['bag/~root/x', /begins with "~"/],
  ['bag/data/./x', /has an empty part or "\."/],
  [`bag/data/${'x'.repeat(256)}`, /is too long/],
  [`bag/${'data/'.repeat(400)}x`, /is too long/],
]
for (const [name, why] of NAMES)
  test(`a name that ${why.source.slice(0, 40)}: ${JSON.stringify(String(name).slice(0, 30))}`, async ({
    folder,
  }) => {
    const damages = await refused(folder, bag({ name, data: 'x' }))
    assert.is(damages.length, 1, damages.join('\n'))
    assert.match(damages[0]!, /^bag-path: /)
    assert.match(damages[0]!, why)
  })

const link = (name: string, data: string): CraftedEntry => ({ name, data, mode: 0o120777 })
const ENTRIES: readonly [what: string, entries: CraftedEntry[], why: RegExp][] = [
  ['a link', [link('bag/data/x', '/etc/passwd')], /"data\/x" is a link or a device/],
  [
    'a link, and a file behind it',
    [link('bag/data', '/tmp'), { name: 'bag/data/x', data: 'x' }],
    /"data" is a link or a device/,
  ],
  ['a pipe', [{ name: 'bag/data/x', data: '', mode: 0o010644 }], /is a link or a device/],
  ['one name twice', ['1', '2'].map((data) => ({ name: 'bag/data/x', data })), /is in the zip twice/],
  [
    'two names in two cases',
    ['x', 'X'].map((name) => ({ name: `bag/data/${name}`, data: '' })),
    /are one file/,
  ],
  [
    'two names in two Unicode forms',
    ['\u00e9', 'e\u0301'].map((name) => ({ name: `bag/data/${name}`, data: '' })),
    /are one file/,
  ],
  [
    'a file that is a folder too',
    ['data/x', 'data/x/y'].map((name) => ({ name: `bag/${name}`, data: '' })),
    /is a file and a folder at once/,
  ],
  ['a password', [{ name: 'bag/data/x', data: 'x', flags: 1, deflated: true }], /password/],
  ['two folders at its top', [{ name: 'other/x', data: '' }], /does not hold one folder/],
  [
    'entries that share their bytes',
    [
      { name: 'bag/data/0', data: Buffer.alloc(4000, 'x') },
      ...[1, 2, 3].map((i) => ({ name: `bag/data/${i}`, data: Buffer.alloc(4000, 'x'), sharing: 1 })),
    ],
    /lie upon each other/,
  ],
  [
    'a hundred megabytes of nothing',
    [{ name: 'bag/data/x', data: Buffer.alloc(1e8), deflated: true }],
    /it is made to fill a disk/,
  ],
]
for (const [what, entries, why] of ENTRIES)
  test(`refused: ${what}`, async ({ folder }) => {
    const damages = await refused(folder, bag(...entries))
    assert.ok(
      damages.some((damage) => why.test(damage)),
      damages.join('\n'),
    )
  })

test('an entry that unpacks to more than it states ends there', async ({ folder }) => {
  const zip = bag({ name: 'bag/data/x', data: Buffer.alloc(200_000), deflated: true, size: 10 })
  assert.match((await refused(folder, zip)).join('\n'), /^zip: data\/x cannot be unpacked: too many bytes/m)
})

test('a zip that was cut, is empty, or is none', async ({ folder }) => {
  const whole = bag({ name: 'bag/data/x', data: 'x'.repeat(5000) })
  for (const part of [whole.subarray(0, whole.length - 10), whole.subarray(0, 300)])
    assert.match((await refused(folder, part)).join('\n'), /^zip: the zip cannot be read: /)
  assert.match((await refused(folder, craftedZip([]))).join('\n'), /does not hold one folder/)
  const path = join(folder, 'b.zip')
  writeFileSync(path, 'no zip')
  assert.is(await isArchive(path), false)
  truncateSync(path)
  assert.is(await isArchive(path), false)
  assert.ok(existsSync(path))
})

const HIDDEN: readonly [what: string, change: (zip: Buffer) => Buffer, why: RegExp][] = [
  [
    'another name in an entry than in the directory',
    (zip) => Buffer.from(zip.toString('latin1').replace('bag/data/x', 'bag/data/y'), 'latin1'),
    /"bag\/data\/x" has another name in the zip itself than in its directory: "bag\/data\/y"/,
  ],
  [
    'an entry that the directory does not list',
    (zip) => {
      const { length } = craftedZip([{ name: 'bag/data/z', data: 'z' }])
      const hidden = craftedZip([{ name: 'bag/data/z', data: 'z' }]).subarray(0, length - 22 - 46 - 10)
      const at = zip.indexOf('PK\x01\x02')
      const moved = Buffer.concat([zip.subarray(0, at), hidden, zip.subarray(at)])
      moved.writeUInt32LE(at + hidden.length, moved.length - 6)
      return moved
    },
    /between the last entry of the zip and its directory something is hidden/,
  ],
  [
    'a comment with an end in it',
    (zip) => {
      const commented = Buffer.concat([zip, Buffer.from('PK\x05\x06'), Buffer.alloc(18)])
      commented.writeUInt16LE(22, zip.length - 2)
      return commented
    },
    /something is hidden beside it/,
  ],
  [
    'a comment',
    (zip) => {
      const commented = Buffer.concat([zip, Buffer.from('audited')])
      commented.writeUInt16LE(7, zip.length - 2)
      return commented
    },
    /the zip has a comment/,
  ],
  [
    'something behind its end',
    (zip) => Buffer.concat([zip, Buffer.alloc(100, 'x')]),
    /the zip cannot be read/,
  ],
]
for (const [what, change, why] of HIDDEN)
  test(`refused: ${what}`, async ({ folder }) => {
    const zip = bag({ name: 'bag/data/x', data: 'x' })
    assert.match((await refused(folder, change(zip))).join('\n'), why)
  })

test('a bag of something else is a sound bag, and no archive', async ({ folder }) => {
  const damages = await refused(folder, bag({ name: 'bag/manifest-sha256.txt', data: '' }))
  assert.equal(damages, ['bag-payload: the bag holds no snapshot'])
})

test.run()
