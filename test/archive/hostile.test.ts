/** Zips that are traps: refused by what they list, before anything of them is unpacked, or found when they are. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import * as assert from 'uvu/assert'
import { openZip } from '../../builder/evidence/archive/zip.ts'
import { isArchive, verifyArchive } from '../../builder/evidence/verify/archive.ts'
import { suite } from '../suite.ts'
import { type CraftedEntry, craftedZip, descriptorOf, field } from '../support/stored-zip.ts'

const OUTER = tmpdir()
const test = suite<{ folder: string }>('hostile archives')
test.before.each((context) => {
  context.folder = mkdtempSync(join(OUTER, 'tieout-hostile-'))
  process.env.TMPDIR = join(context.folder, 'scratch')
  mkdirSync(process.env.TMPDIR)
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
  [`bag/${'data/'.repeat(400)}x`, /^.{0,400} is too long/],
  [`bag/data/${'x'.repeat(60_000)}`, /^.{0,400} is too long/],
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
  ['setuid', [{ name: 'bag/data/x', data: 'x', mode: 0o104755 }], /a mode with setuid/],
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
  const zip = bag({ name: 'bag/data/x', data: Buffer.alloc(200_000), deflated: true, stated: { size: 10 } })
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

const X = { name: 'bag/data/x', data: 'x'.repeat(99) }
const TIMES = field(0x5455, '\x01abcd')
const inBoth = (id: number, data: string): Partial<CraftedEntry> => ({ stated: { fields: field(id, data) } })
const zip64 = (size: number, packedSize: number): Buffer => {
  const sizes = Buffer.alloc(16)
  sizes.writeUInt32LE(size, 0)
  sizes.writeUInt32LE(packedSize, 8)
  return field(1, sizes)
}
const ALL_ONES = 0xffffffff
/** Headers whose sizes stand behind the content only. */
const LATER = { flags: 8, local: { crc: 0, packedSize: 0, size: 0 } }
const { data } = X
/** What a program that reads the entries one by one would take for the end of this one: five bytes are before it. */
const ENDING = Buffer.concat([Buffer.from('12345'), descriptorOf('12345'), Buffer.from('the rest')])

/** What a zip can say twice, hide, or say to some programs only. */
const AMBIGUOUS: readonly [what: string, entry: Partial<CraftedEntry>, why: RegExp][] = [
  ['stored in one header, packed in the other', { deflated: true, local: { method: 0 } }, /another method/],
  ['other flags', { local: { flags: 2 } }, /other flags/],
  ['flags that other programs understand', { flags: 0x20 }, /flags 0x20/],
  ['another checksum', { local: { crc: 1 } }, /another checksum/],
  ['another size', { local: { size: 98 } }, /another size/],
  ['another packed size', { local: { packedSize: 98 } }, /another packed size/],
  ['another size of 64 bits', { local: { size: ALL_ONES, fields: zip64(98, 99) } }, /another size/],
  [
    'another size of 64 bits beside its size',
    { local: { packedSize: ALL_ONES, fields: zip64(98, 99) } },
    /another size/,
  ],
  [
    'another packed size of 64 bits beside its packed size',
    { local: { size: ALL_ONES, fields: zip64(99, 98) } },
    /another packed size/,
  ],
  ['other sizes of 64 bits that nothing asks for', { local: { fields: zip64(98, 98) } }, /another size/],
  [
    'one of its sizes alone in 64 bits',
    { local: { packedSize: ALL_ONES, fields: zip64(99, 99) } },
    /another size/,
  ],
  ['another time', { local: { time: 1 } }, /another time/],
  ['a name for some programs', inBoth(0x7075, '\x01abcd../x'), /field 0x7075/],
  ['a field that programs do not know', inBoth(0xcaff, ''), /field 0xcaff/],
  ['something in the empty field of jar', inBoth(0xcafe, 'x'), /field 0xcafe/],
  [
    'other times in a field',
    { stated: { fields: TIMES }, local: { fields: field(0x5455, '\x01abce') } },
    /field 0x5455/,
  ],
  ['a field in one header alone', { local: { fields: TIMES } }, /field 0x5455/],
  ['a field that is too long', inBoth(0x5455, `\x01${'PK34'.repeat(9)}`), /field 0x5455/],
  [
    'one field twice',
    { stated: { fields: Buffer.concat([TIMES, TIMES]) } },
    /has fields that cannot be read/,
  ],
  ['what is no field', { stated: { fields: Buffer.from('PK') } }, /fields/],
  ['a version that some programs do not have', { version: 63 }, /version 63/],
  ['a comment', { comment: 'audited' }, /a comment/],
  ['something behind what was packed', { deflated: true, behind: 'PK\x03\x04' }, /behind its content/],
  [
    'another checksum than that of its content',
    { stated: { crc: 1 } },
    /cannot be unpacked: it has another checksum/,
  ],
  [
    'something else than its sizes behind it',
    { ...LATER, descriptor: descriptorOf('y'.repeat(99)) },
    /are not what/,
  ],
  ['nothing behind it, where its sizes should be', LATER, /are not what/],
  ['its end in the middle', { ...LATER, data: ENDING, descriptor: descriptorOf(ENDING) }, /ends twice/],
  ['a name in an old code page', { name: 'bag/data/\u00e9', stated: { flags: 0 } }, /is not marked as UTF-8/],
  ['a system where names end with a version', { host: 2 }, /system 2/],
  ['the mark of a disk label', { attributes: 8 }, /is a link or a device/],
  ['the mark of a folder', { attributes: 0x10 }, /is a link or a device/],
]
for (const [what, entry, why] of AMBIGUOUS)
  test(`refused: an entry with ${what}`, async ({ folder }) => {
    assert.match((await refused(folder, bag({ ...X, ...entry }))).join('\n'), why)
  })

for (const [name, mode, why] of [
  ['bag/data/../../../escaped/', 0, /leads out of the bag/],
  ['bag/data/x/', 0, /is a file and a folder at once/],
  ['bag/data/', 0o120777, /is a link or a device/],
  ['bag/data/x/y/', 0, /is a file and a folder at once/],
  ['bag/data/X/', 0, /is a file and a folder at once/],
  ['bag//tmp/escaped/', 0, /is absolute/],
] as const)
  test(`refused: a folder ${name} of mode ${mode.toString(8)}`, async ({ folder }) => {
    assert.match((await refused(folder, bag(X, { name, mode, data: '' }))).join('\n'), why)
  })

/** A program that reads a zip from its beginning goes on where the packed content of a folder ends, whatever its length is said to be. */
test('refused: a folder that hides an entry', async ({ folder }) => {
  const hidden = craftedZip([{ name: 'bag/data/x', data: 'other' }]).subarray(
    0,
    30 + 'bag/data/xother'.length,
  )
  const behind = Buffer.concat([descriptorOf('', 2), hidden]).toString('latin1')
  for (const deflated of [true, false]) {
    const hiding = { name: 'bag/data/', data: '', deflated, behind }
    assert.match(
      (await refused(folder, bag(X, hiding))).join('\n'),
      /bag\/data\/" cannot be unpacked|cannot be read/,
    )
  }
})

test('refused: a bag whose folder leads away', async ({ folder }) => {
  const damages = await refused(folder, craftedZip([{ name: '../bagit.txt', data: DECLARATION }]))
  assert.match(damages.join('\n'), /leads out of/)
})

const zipping = {
  'times and owner, as zip writes them': {
    stated: { fields: Buffer.concat([TIMES, field(0x7875, '\x01\x04abcd\x04abcd')]) },
    local: { fields: Buffer.concat([field(0x5455, '\x03abcdefgh'), field(0x7875, '\x01\x04abcd\x04abcd')]) },
  },
  'times, as 7z writes them': {
    stated: { fields: field(0x000a, '\0\0\0\0\x01\0\x18\0'.padEnd(32, 'x')) },
    local: { fields: Buffer.alloc(0) },
  },
  'sizes of 64 bits, as Python writes them': {
    local: { packedSize: ALL_ONES, size: ALL_ONES, fields: zip64(99, 99) },
  },
  'sizes of 64 bits beside the same ones, as Java libraries write them': { local: { fields: zip64(99, 99) } },
  'sizes behind the content, as this program writes them': { ...LATER, descriptor: descriptorOf(data) },
  'a name that is not ASCII': { name: 'bag/data/\u00e9' },
}
for (const [what, entry] of Object.entries(zipping))
  test(`read: ${what}`, async ({ folder }) => {
    writeFileSync(join(folder, 'a.zip'), bag({ ...X, ...entry }))
    const zip = await openZip(join(folder, 'a.zip'))
    assert.equal(zip.problems, [])
    const [path] = [...zip.files.keys()].filter((each) => each !== 'bagit.txt')
    assert.is(String(await buffer(await zip.read(path!))), data)
    zip.close()
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
    /behind "bag\/data\/x" are bytes that are not what its headers say/,
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
  ...[8, 10, 12, 16].map((at): (typeof HIDDEN)[number] => [
    `an end that states another directory, at ${at}`,
    (zip) => {
      zip.writeUInt16LE(zip.readUInt16LE(zip.length - 22 + at) - 1, zip.length - 22 + at)
      return zip
    },
    /states another directory|the zip cannot be read|is hidden/,
  ]),
  [
    'something behind its end',
    (zip) => Buffer.concat([zip, Buffer.alloc(100, 'x')]),
    /the zip does not end where it says: bytes stand behind it, .* unpack it with another program and verify the folder/,
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
