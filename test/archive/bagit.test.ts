/**
 * Bags as the public BagIt conformance suite has them (LibraryOfCongress/bagit-conformance-suite), by its names, made
 * here. Where it only asks for a warning, this says which: a note, or a refusal, since a snapshot is to be restored.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import * as assert from 'uvu/assert'
import { checkBag } from '../../builder/evidence/archive/check.ts'
import { openFolder } from '../../builder/evidence/archive/container.ts'
import { suite } from '../suite.ts'

type Lines = (list: (path: string) => string) => string

interface Made {
  /** Declared version; the whole of bagit.txt where it is longer. */
  readonly declared?: string
  readonly algorithm?: string
  /** Payload and tag files, by path. */
  readonly files?: Readonly<Record<string, string | Buffer>>
  /** Lines of the payload's manifest; those of its files unless given. */
  readonly lines?: Lines
  /** Lines of the tag manifest; none, and no tag manifest, unless given. */
  readonly tags?: Lines
  /** What was done to the files afterwards; null removes one. */
  readonly afterwards?: Readonly<Record<string, string | null>>
}

const FILES = { 'data/hello.txt': 'Hello\n' }
const declaration = (version: string) => `BagIt-Version: ${version}\nTag-File-Character-Encoding: UTF-8\n`

function make(folder: string, { declared = '0.97', algorithm = 'sha256', ...bag }: Made): void {
  const files: Record<string, string | Buffer> = {
    'bagit.txt': declared.length > 4 ? declared : declaration(declared),
    ...(bag.files ?? FILES),
  }
  const list = (path: string) =>
    `${createHash(algorithm)
      .update(files[path] ?? '')
      .digest('hex')}  ${path}\n`
  const payload = Object.keys(files).filter((path) => path.startsWith('data/'))
  files[`manifest-${algorithm}.txt`] ??= bag.lines?.(list) ?? payload.map(list).join('')
  if (bag.tags) files[`tagmanifest-${algorithm}.txt`] = bag.tags(list)
  for (const [path, content] of Object.entries({ ...files, ...bag.afterwards })) {
    if (content === null) continue
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
}

interface Outcome {
  /** `kind path` of each damage. */
  readonly damages: readonly string[]
  readonly notes: readonly string[]
  readonly said: string
}

async function checked(bag: Made): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-bag-'))
  make(folder, bag)
  const container = await openFolder(folder)
  const { damages, notes } = await checkBag(container)
  return {
    damages: [
      ...container.problems.map(({ path }) => `name ${path}`),
      ...damages.map(({ kind, path }) => `${kind} ${path}`),
    ],
    notes,
    said: damages.map(({ message }) => message).join('\n'),
  }
}

/** The suite's case, what is made, and its outcome: valid, the notes about what is valid, or the damages. */
type Case = readonly [name: string, bag: Made, expected: 'valid' | RegExp | readonly string[]]

const NO_TAGS = 'no tag manifest vouches for the files beside the payload'
const INFO = 'Source-Organization: Example\nPayload-Oxum: 6.1\n'
const tagged: { tags: Lines } = { tags: (list) => list('bagit.txt') + list('bag-info.txt') }
const withInfo = (info: string | Buffer = INFO) => ({ ...FILES, 'bag-info.txt': info })
const twice =
  (first: string, second: string, hash?: string): Lines =>
  (list) =>
    list(first) + (hash === undefined ? list(second) : `${hash}  ${second}\n`)
const outside = (path: string): Made => ({ lines: (list) => list('data/hello.txt') + list(path) })
const fetched = (path: string): Made => ({
  files: { ...FILES, 'fetch.txt': `https://example.test/hello 6 ${path}\n` },
})
const OTHER = '0'.repeat(64)
const utf16 = (text: string) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')])
const hello = (algorithm: string) => createHash(algorithm).update('Hello\n').digest('hex')

const CASES: readonly Case[] = [
  ...['0.93', '0.94', '0.95', '0.96'].map(
    (declared): Case => [
      `v${declared}: refused`,
      { declared, files: withInfo(), ...tagged },
      ['bag-declaration bagit.txt'],
    ],
  ),
  ...['md5', 'sha1'].map(
    (algorithm): Case => [`v0.97 with ${algorithm} alone: refused`, { algorithm }, ['bag-manifest null']],
  ),
  ['v0.97/valid/basic-bag', { files: withInfo(), ...tagged }, 'valid'],
  ...['sha256', 'sha512'].map(
    (algorithm): Case => [
      `v0.97/valid/basic-bag-${algorithm}`,
      { algorithm, files: withInfo(), ...tagged },
      'valid',
    ],
  ),
  ['v0.97/valid/minimal-bag', {}, /no tag manifest/],
  [
    'v0.97/valid/duplicate-metadata-entries',
    { files: withInfo('Contact-Name: A\nContact-Name: B\n'), ...tagged },
    'valid',
  ],
  [
    'v0.97/valid/uncommon-metadata-separators',
    {
      files: withInfo('Source-Organization :Example\nPayload-Oxum:6.1\nBag-Count  :   1\n  of 1\n'),
      ...tagged,
    },
    'valid',
  ],
  [
    'v0.97/valid/UTF-16-encoded-tag-files: refused',
    {
      declared: 'BagIt-Version: 0.97\nTag-File-Character-Encoding: UTF-16\n',
      files: {
        ...withInfo(utf16(INFO)),
        'manifest-sha256.txt': utf16(`${hello('sha256')}  data/hello.txt\n`),
      },
    },
    ['bag-declaration bagit.txt'],
  ],
  [
    'v0.97/valid/ISO-8859-1-encoded-tag-files: refused',
    {
      declared: 'BagIt-Version: 0.97\nTag-File-Character-Encoding: ISO-8859-1\n',
      files: {
        'data/hellö.txt': 'Hello\n',
        'bag-info.txt': Buffer.from('Contact-Name: Bj\xf6rn\n', 'latin1'),
        'manifest-sha256.txt': Buffer.from(`${hello('sha256')}  data/hell\xf6.txt\n`, 'latin1'),
      },
    },
    ['bag-declaration bagit.txt'],
  ],
  [
    'v0.97/valid/bag-in-a-bag',
    {
      files: {
        'data/inner/bagit.txt': declaration('0.97'),
        'data/inner/manifest-sha256.txt': `${hello('sha256')}  data/hello.txt\n`,
        'data/inner/data/hello.txt': 'Hello\n',
        'bag-info.txt': 'Contact-Name: A\n',
      },
      ...tagged,
    },
    'valid',
  ],
  [
    'v0.97/valid/bag-with-leading-dot-slash-in-manifest',
    {
      lines: (list) => list('data/hello.txt').replace('data/', './data/'),
      files: withInfo(),
      ...tagged,
    },
    /"\.\/"/,
  ],
  [
    'v0.97/valid/bag-with-space',
    { files: { 'data/hello  world .txt': 'Hello\n', 'bag-info.txt': INFO }, ...tagged },
    'valid',
  ],
  [
    'v0.97/valid/bag-with-escapable-characters',
    { files: { 'data/100%.txt': 'Hello\n', 'data/%45.txt': '', 'bag-info.txt': 'A: b\n' }, ...tagged },
    'valid',
  ],
  [
    'v0.97/valid/bag-with-encoded-names, where the name is a line break: refused, as no snapshot has one',
    {
      lines: () => `${hello('sha256')}  data/hello%0Aworld.txt\n`,
      files: { 'data/hello\nworld.txt': 'Hello\n' },
    },
    ['name data/hello\nworld.txt', 'bag-path manifest-sha256.txt'],
  ],
  [
    'v0.97/valid/holey-bag: refused, its files there or not',
    { ...fetched('data/hello.txt') },
    ['bag-extra fetch.txt'],
  ],
  [
    'v0.97/invalid/baginfo-missing-encoding',
    { declared: 'BagIt-Version: 0.97\n' },
    ['bag-declaration bagit.txt'],
  ],
  [
    'v0.97/invalid/bom-in-bagit.txt',
    { declared: `\ufeff${declaration('0.97')}` },
    ['bag-declaration bagit.txt'],
  ],
  [
    'v0.97/invalid/bagit-with-invalid-whitespace',
    { declared: 'BagIt-Version : 0.97\nTag-File-Character-Encoding: UTF-8\n' },
    ['bag-declaration bagit.txt'],
  ],
  [
    'v0.97/invalid/invalid-version-number',
    { declared: 'BagIt-Version: .97\nTag-File-Character-Encoding: UTF-8\n' },
    ['bag-declaration bagit.txt'],
  ],
  ['a version that there is not', { declared: declaration('2.0') }, ['bag-declaration bagit.txt']],
  ['v0.97/invalid/missing-bagit.txt', { afterwards: { 'bagit.txt': null } }, ['bag-declaration bagit.txt']],
  [
    'v0.97/invalid/missing-baginfo',
    { files: withInfo(), ...tagged, afterwards: { 'bag-info.txt': null } },
    ['bag-missing bag-info.txt'],
  ],
  [
    'v0.97/invalid/corrupt-data-file',
    { afterwards: { 'data/hello.txt': 'Jello\n' } },
    ['bag-changed data/hello.txt'],
  ],
  [
    'v0.97/invalid/corrupt-tag-file',
    { files: withInfo(), ...tagged, afterwards: { 'bag-info.txt': 'Payload-Oxum: 6.1\n' } },
    ['bag-changed bag-info.txt'],
  ],
  ['v0.97/invalid/extra-file-in-bag', { afterwards: { 'data/bar': '' } }, ['bag-extra data/bar']],
  [
    'v0.97/invalid/same-filename-listed-twice-with-different-hashes',
    { lines: twice('data/hello.txt', 'data/hello.txt', OTHER) },
    ['bag-manifest manifest-sha256.txt'],
  ],
  ...[
    ['v0.97/invalid/out-of-scope-file-paths-using-dot-notation', 'data/../../README.md'],
    ['v0.97/invalid/out-of-scope-file-paths-using-dot-notation, to a tag file', 'data/../bagit.txt'],
    ['v0.97/linux-only/out-of-scope-file-paths-using-absolute-path', '/tmp/foo'],
    ['v0.97/linux-only/out-of-scope-file-paths-using-shortcut', '~/foo'],
    ['v0.97/linux-only/out-of-scope-file-paths-using-shortcut-username', '~nobody/foo'],
    ['v0.97/windows-only/out-of-scope-file-paths-using-absolute-path', 'C:\\Windows\\System32\\setx.exe'],
    ['v0.97/windows-only/out-of-scope-file-paths-using-absolute-path, with slashes', 'C:/Windows/setx.exe'],
    ['v0.97/windows-only/out-of-scope-file-paths-using-shortcut', '%HomeDrive%\\Windows\\setx.exe'],
    ['v0.97/windows-only/out-of-scope-file-paths-using-unc', '\\\\?\\UNC\\server\\Windows\\setx.exe'],
    ['a path beside the payload', 'bagit.txt'],
    ['a line break that is written as such', 'data/hello%0d.txt'],
  ].map(([name, path]): Case => [name!, outside(path!), ['bag-path manifest-sha256.txt']]),
  [
    'v0.97/warning/duplicate-file-with-different-case: refused',
    { files: { 'data/hello.txt': 'Hello\n', 'data/HELLO.txt': 'Hello\n' } },
    ['name data/hello.txt', 'bag-missing data/hello.txt'],
  ],
  [
    'v0.97/warning/same-filename-listed-twice-with-different-normalization: refused',
    { files: { 'data/h\u00e9.txt': 'Hello\n' }, lines: twice('data/h\u00e9.txt', 'data/he\u0301.txt') },
    ['bag-missing data/he\u0301.txt'],
  ],
  [
    'v0.97/warning/filename-normalization: refused, with the name that there is',
    { files: { 'data/h\u00e9.txt': 'Hello\n' }, lines: (list) => list('data/he\u0301.txt') },
    ['bag-extra data/h\u00e9.txt', 'bag-missing data/he\u0301.txt'],
  ],
  [
    'v0.97/darwin-only/precomposed-character-in-filename',
    { files: { 'data/h\u00e9.txt': 'Hello\n' } },
    /no tag manifest/,
  ],
  [
    'v0.97/warning/same-filename-listed-twice-with-the-same-hash',
    { lines: twice('data/hello.txt', 'data/hello.txt') },
    /twice/,
  ],
  [
    'v0.97/warning/relative-path',
    { lines: (list) => list('data/hello.txt').replace('data/', './data/') },
    /"\.\/"/,
  ],
  [
    'v0.97/warning/made-with-md5sum-tools',
    { lines: (list) => list('data/hello.txt').replace('  ', ' *') },
    /"\*"/,
  ],
  [
    'v0.97/warning/special-system-files: valid where they are listed',
    { files: { ...FILES, 'data/.DS_Store': '', 'data/Thumbs.db': '' } },
    /no tag manifest/,
  ],
  ['v1.0/valid/basicBag', { declared: '1.0', algorithm: 'sha512', files: withInfo(), ...tagged }, 'valid'],
  [
    'v1.0/invalid/same-filename-listed-twice-with-different-hashes',
    { declared: '1.0', lines: twice('data/hello.txt', 'data/hello.txt', OTHER) },
    ['bag-manifest manifest-sha256.txt'],
  ],
  [
    'v1.0/invalid/missing-from-manifest',
    { declared: '1.0', afterwards: { 'data/missingFromManifest.txt': 'x' } },
    ['bag-extra data/missingFromManifest.txt'],
  ],
  [
    'v1.0/invalid/bagit-with-invalid-whitespace',
    { declared: 'BagIt-Version : 1.0\nTag-File-Character-Encoding: UTF-8\n' },
    ['bag-declaration bagit.txt'],
  ],
  [
    'RFC 8493 §2.1.3: 1.0 writes "%" as "%25", and what is not written so is as it stands',
    {
      declared: '1.0',
      files: { 'data/%45.txt': 'Hello\n', 'data/%41.txt': 'Hello\n', 'data/%2545.txt': '' },
      lines: () =>
        ['%2545', '%41', '%252545']
          .map(
            (name) =>
              `${name === '%252545' ? createHash('sha256').digest('hex') : hello('sha256')}  data/${name}.txt\n`,
          )
          .join(''),
    },
    /no tag manifest/,
  ],
  [
    '"%25" as it stands, in a manifest of a tool that does not encode it',
    {
      declared: '1.0',
      files: { 'data/100%25.txt': 'Hello\n' },
      lines: () => `${hello('sha256')}  data/100%25.txt\n`,
    },
    /does not write "%" as "%25"/,
  ],
  [
    'RFC 8493 §2.1.3: every payload file is listed in every manifest',
    {
      files: { ...FILES, 'manifest-sha512.txt': `${hello('sha512')}  data/hello.txt\n`, 'data/b': '' },
    },
    ['bag-extra data/b'],
  ],
  [
    'RFC 8493 §2.2.2: another number of files or bytes than Payload-Oxum states',
    { files: withInfo('Payload-Oxum: 6.2\nPayload-Oxum: 7.1\n'), ...tagged },
    ['bag-info bag-info.txt', 'bag-info bag-info.txt'],
  ],
  [
    'RFC 8493 §2.2.1: a tag manifest lists neither the payload nor tag manifests',
    {
      files: withInfo(),
      tags: (list) => list('bagit.txt') + list('data/hello.txt') + list('tagmanifest-sha256.txt'),
    },
    ['bag-path tagmanifest-sha256.txt', 'bag-path tagmanifest-sha256.txt'],
  ],
  [
    'an algorithm that nobody knows: noted, where another manifest is known',
    { files: { ...FILES, 'manifest-crc9.txt': 'x' } },
    /manifest-crc9.txt was not looked at/,
  ],
  ['no manifest at all', { afterwards: { 'manifest-sha256.txt': null } }, ['bag-manifest null']],
  [
    'a manifest of something else',
    { lines: () => 'hello\n' },
    ['bag-manifest manifest-sha256.txt', 'bag-extra data/hello.txt'],
  ],
  [
    'a manifest of no algorithm',
    { files: { ...FILES, 'manifest-constructor.txt': '0 data/hello.txt\n' } },
    /constructor/,
  ],
  ['metadata that is none', { files: withInfo('Hello\n'), ...tagged }, ['bag-info bag-info.txt']],
  [
    'tag files in another encoding than the one that is declared',
    { files: withInfo(Buffer.from([0x41, 0xff])), ...tagged },
    ['bag-manifest bag-info.txt'],
  ],
]

const bagit = suite('BagIt')
for (const [name, bag, expected] of CASES)
  bagit(name, async () => {
    const { damages, notes } = await checked(bag)
    if (Array.isArray(expected)) {
      assert.equal(damages, expected)
      return
    }
    assert.equal(damages, [])
    if (expected instanceof RegExp) assert.match(notes.join('\n'), expected)
    else
      assert.equal(
        notes.filter((note) => note !== NO_TAGS || !bag.tags),
        [],
      )
  })

bagit(
  'a file that is missing is named with one whose name is written differently, if there is one',
  async () => {
    const withTwin = (name: string) =>
      checked({
        files: { 'data/Hello.txt': 'Hello\n' },
        afterwards: { 'data/Hello.txt': null, [`data/${name}`]: 'Hello\n' },
      })
    assert.match(
      (await withTwin('hello.txt')).said,
      'data/Hello.txt is missing; there is "data/hello.txt", which is written differently',
    )
    assert.match((await withTwin('other.txt')).said, /data\/Hello\.txt is missing$/m)
  },
)
