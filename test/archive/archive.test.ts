/** Archives: what is in them, that any computer can check them, and that what was done to one is found and named. */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { type ArchiveRequest, archiveSnapshot } from '../../builder/evidence/archive/archive.ts'
import { isArchive, verifyArchive } from '../../builder/evidence/verify/archive.ts'
import { keptInputs } from '../../builder/snapshot/files/manifest.ts'
import { openCurrent, openSnapshot, type Snapshot } from '../../builder/snapshot/files/open.ts'
import { sha256 } from '../../builder/system/hash.ts'
import { thisProgram } from '../../builder/system/version.ts'
import { openWorkspace } from '../../builder/workspace/workspace.ts'
import { suite } from '../suite.ts'
import { buildIn, CHART, COMPANY, companyYaml, inWorkspace, ledgerCsv } from '../support/workspace.ts'

const LEDGER = `1 2025-01-01 bank 1000.00; 1 2025-01-01 capital -1000.00
  2 2025-02-10 bank 250.00 EAST; 2 2025-02-10 sales -250.00 EAST`

interface Built {
  top: string
  /** `snapshots/` of a workspace, which outlives it. */
  root: string
  snapshot: Snapshot
  /** A place for the archives of one test. */
  place: string
}
const test = suite<Built>('archive')

test.before(async (context) => {
  context.top = mkdtempSync(join(tmpdir(), 'tieout-archive-test-'))
  context.root = join(context.top, 'snapshots')
  const files = {
    'company.yaml': companyYaml('name: "Acme\\nLtd"'),
    'chart.csv': CHART,
    'ledger.csv': ledgerCsv(LEDGER),
    // Capital letters are written as %xx: a name that BagIt encodes once more.
    'classes.csv': 'id,name,parent\nEAST,East,\n',
  }
  const yaml = `${files['company.yaml']}classes: classes.csv\nanswered:\n  currency: anna, 2026-01-31\n`
  await inWorkspace({ ...files, 'company.yaml': yaml }, async (workspace) => {
    const { result } = await buildIn(workspace, COMPANY)
    assert.is(result.outcome, 'published')
    cpSync(workspace.snapshots, context.root, { recursive: true })
  })
  context.snapshot = (await openCurrent(context.root, COMPANY))!
})
test.before.each((context) => {
  context.place = mkdtempSync(join(context.top, 'place-'))
})
test.after(({ top }) => rmSync(top, { recursive: true, force: true }))

const archive = (
  { snapshot }: Built,
  to: string,
  request: Partial<ArchiveRequest> = {},
): ReturnType<typeof archiveSnapshot> =>
  archiveSnapshot(snapshot, {
    to,
    version: '1.0',
    software: 'Tieout test',
    baggedAt: new Date('2026-02-03T22:00:00Z'),
    known: null,
    ...request,
  })

/** A bag of the snapshot for one test, which may change it; it is written once for each program. */
async function bagOf(context: Built, software = 'Tieout test'): Promise<string> {
  const written = join(context.top, `bag of ${software}`)
  if (!existsSync(written)) await archive(context, written, { software })
  const bag = join(mkdtempSync(join(context.place, 'of-')), 'bag')
  cpSync(written, bag, { recursive: true })
  return bag
}

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort()

const verified = (path: string, figures = false) => verifyArchive(path, { figures, known: null })

/** `kind path` of every damage, of the bag and of the snapshot in it. */
async function damagesOf(path: string): Promise<string[]> {
  const { outcome, archive: bag, companies } = await verified(path)
  const all = [
    ...bag!.damages,
    ...companies.flatMap(({ damages, snapshots }) => [
      ...damages,
      ...snapshots.flatMap((snapshot) => snapshot.damages),
    ]),
  ]
  assert.is(outcome === 'damaged', all.length > 0)
  return all.map(({ kind, path }) => `${kind} ${path}`)
}

const has = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0

test('holds the files as published, and says in its metadata whose they are', async (context) => {
  const { place, snapshot } = context
  const bag = join(place, 'bag')
  const made = await archive(context, bag)
  const published = filesBelow(snapshot.folder)
  const below = (path: string) => join(bag, 'data', snapshot.id, path)
  assert.equal(filesBelow(join(bag, 'data', snapshot.id)), published)
  assert.equal(
    published.filter((path) => !readFileSync(below(path)).equals(readFileSync(join(snapshot.folder, path)))),
    [],
  )
  const bytes = published.reduce((sum, path) => sum + statSync(below(path)).size, 0)
  assert.equal(made.payload, { files: published.length, bytes })
  assert.is(
    readFileSync(join(bag, 'bagit.txt'), 'utf8'),
    'BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n',
  )
  assert.is(
    readFileSync(join(bag, 'bag-info.txt'), 'utf8'),
    `Source-Organization: Acme Ltd
External-Identifier: acme/${snapshot.id}
External-Description: Financial statements of Acme Ltd, 2025-01-01 to 2025-02-28
Bagging-Date: 2026-02-03
Bag-Software-Agent: Tieout test
Payload-Oxum: ${bytes}.${published.length}
Snapshot-Manifest-Sha256: ${snapshot.manifestHash}
Snapshot-Key-Id: ${made.keyId}
`,
  )
  const manifest = readFileSync(join(bag, 'manifest-sha256.txt'), 'utf8')
  assert.match(
    manifest,
    `data/${snapshot.id}/statements/profit-loss/accrual/actuals/%2545%2541%2553%2554/all.json\n`,
  )
  assert.is(manifest.trim().split('\n').length, published.length)
})

test('it holds the description of the format, which the first page names and the sums cover', async (context) => {
  const bag = await bagOf(context)
  const page = readFileSync(join(bag, 'format.md'), 'utf8')
  assert.is(page, readFileSync(new URL('../../docs/format.md', import.meta.url), 'utf8'))
  assert.match(readFileSync(join(bag, 'README.txt'), 'utf8'), /\nformat\.md {2,}what every file and figure/)
  for (const sums of ['sha256sums.txt', 'tagmanifest-sha256.txt'])
    assert.match(readFileSync(join(bag, sums), 'utf8'), `${sha256(page)}  format.md\n`)
})

test('an archive from before there was a description of the format is valid', async (context) => {
  const bag = await bagOf(context)
  rmSync(join(bag, 'format.md'))
  const [checksums, tags] = ['sha256sums.txt', 'tagmanifest-sha256.txt'].map((name) => join(bag, name))
  const without = (path: string) => readFileSync(path, 'utf8').replace(/.* format\.md\n/, '')
  const before = sha256(readFileSync(checksums!, 'utf8'))
  writeFileSync(checksums!, without(checksums!))
  writeFileSync(tags!, without(tags!).replace(before, sha256(readFileSync(checksums!, 'utf8'))))
  assert.equal(await damagesOf(bag), [])
})

test('its first page says coverage, totals, identities and sources', async (context) => {
  const bag = await bagOf(context)
  const readme = readFileSync(join(bag, 'README.txt'), 'utf8')
  for (const pattern of [
    /^Financial statements of Acme Ltd\n=/,
    /\nCoverage +2025-01-01 to 2025-02-28, USD\n/,
    /\nProfit and loss, accrual +2025-01 +2025-02\n {2}Total Income +0\.00 +250\.00\n/,
    /\n {2}Total Assets +1000\.00 +1250\.00\n/,
    /\n {2}Ending Cash +1000\.00 +1250\.00\n/,
    /\ntrial balance sums to zero +TrialBalance, accrual +2 +0\.00 +0\.00 +0\.00\n/,
    /\nSources +not kept with the snapshot: their hashes alone\./,
    /\nledger\.csv \(ledger\)\n {2}Read as +ledger, csv, utf-8\n {2}Rows +4 read, 0 rejected\n {2}Debits +1,250\.00\n {2}Credits +1,250\.00\n/,
    /\n {2}First and last date +2025-01-01 to 2025-02-10\n(.*\n)? {2}State +SHA-256 [0-9a-f]{64}\n {2}Kept +no\n/,
    /\ncompany\.yaml \(configuration\)\n.*\n {2}Questions answered by +currency: anna, 2026-01-31\n/,
  ])
    assert.match(readme, pattern)
})

test('the commands on its first page check it without Tieout, and notice what changed', async (context) => {
  if (!has('sha256sum', '--version') || !has('openssl', 'version')) return
  const bag = await bagOf(context)
  const readme = readFileSync(join(bag, 'README.txt'), 'utf8')
  const commands = readme.split('\n').filter((line) => /^ {2}(sha256sum|grep|S=|\{ cut|openssl)/.test(line))
  assert.is(commands.length, 6)
  // In the reader's own folder for scratch files.
  const script = commands.join('\n').replaceAll('/tmp/', `${context.place}/`)
  const run = () => spawnSync('sh', ['-ec', script], { cwd: bag, encoding: 'utf8' })
  const good = run()
  assert.is(good.status, 0, good.stderr)
  assert.is(good.stdout, 'Signature Verified Successfully\n')
  assert.is(spawnSync('sha256sum', ['--check', '--quiet', 'manifest-sha256.txt'], { cwd: bag }).status, 1)
  assert.match(readme, /BagIt has "%" in the names/)

  appendFileSync(join(bag, 'data', context.snapshot.id, 'manifest.json'), '\n')
  const changed = run()
  assert.match(changed.stdout, /manifest\.json: FAILED/)
  const signature = script.split('\n').filter((line) => !/sha256sum/.test(line))
  const forged = spawnSync('sh', ['-c', signature.join('\n')], { cwd: bag, encoding: 'utf8' })
  assert.is(forged.status, 1)
  assert.match(forged.stdout, /Signature Verification Failure/)
})

test('version 0.97 has the names as they are, for tools that decode nothing', async (context) => {
  const bag = join(context.place, 'bag')
  await archive(context, bag, { version: '0.97' })
  assert.match(readFileSync(join(bag, 'manifest-sha256.txt'), 'utf8'), '/%45%41%53%54/all.json\n')
  assert.equal(await damagesOf(bag), [])
  if (has('sha256sum', '--version'))
    execFileSync('sha256sum', ['--check', '--quiet', 'manifest-sha256.txt'], { cwd: bag })
  if (has('python3', '-c', 'import bagit')) execFileSync('python3', ['-m', 'bagit', '--validate', bag])
})

test('a zip unpacks to the same bag, and equal archives are equal bytes', async (context) => {
  const { place, snapshot } = context
  await archive(context, join(place, 'a.zip'))
  await archive(context, join(place, 'b.zip'))
  assert.ok(readFileSync(join(place, 'a.zip')).equals(readFileSync(join(place, 'b.zip'))))
  await archive(context, join(place, 'bag'))
  if (!has('unzip', '-v')) return
  execFileSync('unzip', ['-q', 'a.zip'], { cwd: place })
  const unzipped = join(place, `acme-${snapshot.id}`)
  assert.equal(filesBelow(unzipped), filesBelow(join(place, 'bag')))
  for (const path of filesBelow(unzipped))
    assert.ok(readFileSync(join(unzipped, path)).equals(readFileSync(join(place, 'bag', path))), path)
  // Another day changes the day, and what lists it.
  await archive(context, join(place, 'later'), { baggedAt: new Date('2026-03-01T00:00:00Z') })
  const differing = filesBelow(unzipped).filter(
    (path) => !readFileSync(join(unzipped, path)).equals(readFileSync(join(place, 'later', path))),
  )
  assert.equal(differing, ['bag-info.txt', 'sha256sums.txt', 'tagmanifest-sha256.txt'])
})

test('is never written over anything, and a failure leaves nothing behind', async (context) => {
  const { place, root, top } = context
  for (const name of ['there', 'there.zip']) {
    const to = join(place, name)
    mkdirSync(to)
    await rejects(archive(context, to), /is there already/)
    assert.equal(readdirSync(to), [])
  }
  symlinkSync('nowhere', join(place, 'link.zip'))
  await rejects(archive(context, join(place, 'link.zip')), /is there already/)
  await rejects(archive(context, join(place, 'no/such/folder.zip')), /there is no folder/)
  assert.equal(readdirSync(place).sort(), ['link.zip', 'there', 'there.zip'])

  // The disk changes what was checked a moment ago: told at the end of the file, and all of it is taken back.
  const copy = join(top, 'changing')
  cpSync(root, copy, { recursive: true })
  const snapshot = (await openCurrent(copy, COMPANY))!
  const info = join(snapshot.folder, 'info.json')
  chmodSync(info, 0o644)
  for (const name of ['late', 'late.zip']) {
    const original = readFileSync(info)
    let changed = false
    const written = () => {
      if (!changed) appendFileSync(info, ' ')
      changed = true
    }
    await rejects(
      archive({ ...context, root: copy, snapshot }, join(place, name), { written }),
      /info\.json is not what was published; nothing was archived/,
    )
    writeFileSync(info, original)
  }
  writeFileSync(info, '{}')
  const damaged = await openSnapshot(copy, COMPANY, snapshot.id)
  await rejects(archive({ ...context, root: copy, snapshot: damaged }, join(place, 'x')), /info\.json/)
  assert.equal(readdirSync(place).sort(), ['link.zip', 'there', 'there.zip'])
})

async function rejects(promise: Promise<unknown>, pattern: RegExp): Promise<void> {
  const problem = await promise.then(
    () => null,
    (caught: Error) => caught,
  )
  assert.ok(problem, `expected ${pattern}`)
  assert.match(problem.message, pattern)
}

test('folder and zip are verified, figures included, under any name', async (context) => {
  const { place, snapshot } = context
  await archive(context, join(place, 'bag'))
  await archive(context, join(place, 'bag.zip'))
  for (const [name, kind] of [
    ['bag', 'folder'],
    ['bag.zip', 'zip'],
  ] as const) {
    assert.ok(await isArchive(join(place, name)))
    const found = await verified(join(place, name), true)
    assert.is(found.verified, true, JSON.stringify(found))
    assert.is(found.archive!.kind, kind)
    assert.equal(found.archive!.damages, [])
    assert.is(found.companies[0]!.company, COMPANY)
    const [one] = found.companies[0]!.snapshots
    assert.is(one!.snapshotId, snapshot.id)
    assert.is(one!.recomputed!.documents, snapshot.manifest.Totals.Documents)
  }
  assert.is(await isArchive(snapshot.folder), false)
  assert.is(await isArchive(join(place, 'nothing')), false)
})

/** Changes files beside the payload, and the checksums of the bag with them. */
function rebag(bag: string, change: () => void, sums = (text: string) => text): void {
  change()
  writeFileSync(join(bag, 'sha256sums.txt'), sums(readFileSync(join(bag, 'sha256sums.txt'), 'utf8')))
  const tags = filesBelow(bag).filter((path) => !path.startsWith('data/') && !path.startsWith('tagmanifest-'))
  const lines = tags.map((path) => `${sha256(readFileSync(join(bag, path)))}  ${path}\n`)
  writeFileSync(join(bag, 'tagmanifest-sha256.txt'), lines.join(''))
}

/** The list of checksums as whoever changed the pages would make it again. */
const resummed = (bag: string) => (text: string) =>
  text.replace(/^\S+ {2}(.*)\n/gm, (_, path: string) =>
    existsSync(join(bag, path)) ? `${sha256(readFileSync(join(bag, path)))}  ${path}\n` : '',
  )

/** What the tag manifest says of a file. */
const tagLine = (bag: string, name: string): string =>
  new RegExp(`\\S+ {2}${name}\\n`).exec(readFileSync(join(bag, 'tagmanifest-sha256.txt'), 'utf8'))![0]

const edit = (path: string, from: string, to: string): void =>
  writeFileSync(path, readFileSync(path, 'utf8').replace(from, to))

const PAGES: Readonly<Record<string, [change: (bag: string) => void, expected: string[]]>> = {
  'another total on the first page': [
    (bag) => edit(join(bag, 'README.txt'), '250.00', '950.00'),
    ['bag-changed README.txt'],
  ],
  'another rule on the page of the format': [
    (bag) => appendFileSync(join(bag, 'format.md'), 'Signs are reversed.\n'),
    ['bag-changed format.md'],
  ],
  'another figure on a page of the report': [
    (bag) => edit(join(bag, 'report/accrual/all/profit-loss.html'), '>250<', '>950<'),
    ['bag-changed report/accrual/all/profit-loss.html'],
  ],
  'a page of an account that is gone': [
    (bag) => rmSync(join(bag, 'report/accrual/all/accounts/bank/2025-01.html')),
    ['bag-missing report/accrual/all/accounts/bank/2025-01.html'],
  ],
  'a page that the report does not have': [
    (bag) => writeFileSync(join(bag, 'report/opinion.html'), 'We have audited these statements.\n'),
    ['bag-extra report/opinion.html'],
  ],
  'another key': [
    (bag) => writeFileSync(join(bag, 'public-key.pem'), '-----BEGIN PUBLIC KEY-----\n'),
    ['bag-changed public-key.pem'],
  ],
  'other checksums': [
    (bag) => appendFileSync(join(bag, 'sha256sums.txt'), `${'0'.repeat(64)}  data/x\n`),
    ['bag-changed sha256sums.txt'],
  ],
  'another company in the metadata': [
    (bag) => edit(join(bag, 'bag-info.txt'), 'Source-Organization: ', 'Source-Organization: Not '),
    ['bag-changed bag-info.txt'],
  ],
  'an opinion of the auditor': [
    (bag) => writeFileSync(join(bag, 'audit-opinion.txt'), 'We have audited these statements.\n'),
    ['bag-extra audit-opinion.txt'],
  ],
}
test('beside the payload, with all checksums made again: nothing', async (context) => {
  const bag = await bagOf(context, thisProgram())
  assert.equal(await damagesOf(bag), [])
  rebag(bag, () => {}, resummed(bag))
  assert.equal(await damagesOf(bag), [])
})

for (const [name, [change, expected]] of Object.entries(PAGES))
  test(`beside the payload, with all checksums made again: ${name}`, async (context) => {
    const bag = await bagOf(context, thisProgram())
    rebag(bag, () => change(bag))
    assert.equal(await damagesOf(bag), expected)
  })

test('the report opens from the bag: its links lead to its pages, among them the certificate, and to no history', async (context) => {
  const bag = await bagOf(context)
  const pages = readdirSync(join(bag, 'report'), { recursive: true, encoding: 'utf8' })
  assert.ok(pages.includes('certificate.html') && !pages.includes('history.html'))
  let links = 0
  for (const page of pages.filter((path) => path.endsWith('.html'))) {
    const text = readFileSync(join(bag, 'report', page), 'utf8')
    for (const [, href = ''] of text.matchAll(/href="([^"#]+)[^"]*"/g)) {
      links++
      assert.ok(existsSync(join(bag, 'report', page, '..', decodeURIComponent(href))), `${page}: ${href}`)
    }
    if (page !== 'index.html') assert.ok(text.includes(`Snapshot ${context.snapshot.id}.`), page)
  }
  assert.ok(links > 100, `${links} links`)
})

test('the report of a bag that another version wrote is named as not proved, and may be missing', async (context) => {
  const bag = await bagOf(context, 'Tieout 0.0.1')
  rebag(
    bag,
    () => {
      edit(join(bag, 'report/accrual/all/profit-loss.html'), 'Profit and loss', 'P and L')
      edit(join(bag, 'report/certificate.html'), 'Certificate', 'Paper')
    },
    resummed(bag),
  )
  const found = await verified(bag)
  assert.is(found.outcome, 'unproven')
  assert.match(found.archive!.notes.join(), /^report\/ could not be compared/)
  rebag(bag, () => rmSync(join(bag, 'report'), { recursive: true }), resummed(bag))
  assert.equal(await damagesOf(bag), [])
})

test('pages that another version wrote are not compared, and the reader is told which', async (context) => {
  const bag = await bagOf(context, 'Tieout 0.0.1')
  rebag(bag, () => appendFileSync(join(bag, 'README.txt'), 'Worded otherwise.\n'), resummed(bag))
  const found = await verified(bag)
  assert.ok(found.verified)
  assert.match(
    found.archive!.notes.join(),
    /^README\.txt could not be compared with what this program would write, and is not proved: Tieout 0\.0\.1 wrote/,
  )
  assert.equal(found.archive!.uncompared, ['README.txt'])
  rebag(bag, () => appendFileSync(join(bag, 'bag-info.txt'), 'Audit-Opinion: unqualified\n'), resummed(bag))
  assert.equal((await verified(bag)).archive!.uncompared, ['README.txt', 'bag-info.txt'])
  const speaks = 'nobody: the auditor compared these pages, and they are proved. Tieout 0.0.1'
  rebag(bag, () => edit(join(bag, 'bag-info.txt'), 'Tieout 0.0.1', speaks), resummed(bag))
  assert.match((await verified(bag)).archive!.notes.join(), 'not proved: an unknown program wrote')
  rebag(bag, () => writeFileSync(join(bag, 'public-key.pem'), 'another'), resummed(bag))
  assert.equal(await damagesOf(bag), ['bag-changed public-key.pem'])
})

test('what says the same in every version is compared, whoever is said to have written the bag', async (context) => {
  for (const [software, expected] of [
    ['Tieout 0.0.1', []],
    [thisProgram(), ['bag-changed README.txt', 'bag-changed sha256sums.txt']],
  ] as const) {
    const bag = await bagOf(context, software)
    const change = (name: string, from: RegExp, to: string) =>
      writeFileSync(join(bag, name), readFileSync(join(bag, name), 'utf8').replace(from, to))
    rebag(bag, () => change('README.txt', /Acme/g, 'ACME GROUP'), resummed(bag))
    assert.equal(await damagesOf(bag), expected, 'README.txt')
    rebag(
      bag,
      () => {},
      () => '',
    )
    assert.ok((await damagesOf(bag)).includes('bag-changed sha256sums.txt'))
    rebag(bag, () => change('bag-info.txt', /(Source-Organization: ).*/, '$1ACME GROUP'))
    assert.ok((await damagesOf(bag)).includes('bag-changed bag-info.txt'))
  }
})

for (const name of ['README.txt', 'format.md', 'sha256sums.txt'])
  test(`a bag without its ${name}, and nothing that says it had one, is damaged`, async (context) => {
    const bag = await bagOf(context, thisProgram())
    rebag(bag, () => name === 'sha256sums.txt' || rmSync(join(bag, name)), resummed(bag))
    if (name === 'sha256sums.txt') {
      rmSync(join(bag, name))
      edit(join(bag, 'tagmanifest-sha256.txt'), tagLine(bag, name), '')
    }
    assert.ok((await damagesOf(bag)).includes(`bag-missing ${name}`))
  })

const ID = '2025-02-r9-aaaaaa'
const DAMAGES: readonly [
  name: string,
  damage: (bag: string, id: string) => void,
  expected: readonly string[] | ((id: string) => string[]),
][] = [
  [
    'a figure changed',
    (bag, id) => appendFileSync(join(bag, 'data', id, 'info.json'), ' '),
    ['changed info.json'],
  ],
  [
    'a file cut',
    (bag, id) => writeFileSync(join(bag, 'data', id, 'info.json'), '{'),
    ['truncated info.json'],
  ],
  ['a file taken out', (bag, id) => rmSync(join(bag, 'data', id, 'info.json')), ['missing info.json']],
  ['a file put in', (bag, id) => writeFileSync(join(bag, 'data', id, 'x'), ''), ['extra x']],
  [
    'the first page changed',
    (bag) => appendFileSync(join(bag, 'README.txt'), ' '),
    ['bag-changed README.txt'],
  ],
  [
    'the description of the format changed',
    (bag) => appendFileSync(join(bag, 'format.md'), ' '),
    ['bag-changed format.md'],
  ],
  [
    'the key exchanged',
    (bag) => writeFileSync(join(bag, 'public-key.pem'), ''),
    ['bag-changed public-key.pem'],
  ],
  ['the declaration lost', (bag) => rmSync(join(bag, 'bagit.txt')), ['bag-declaration bagit.txt']],
  [
    'the manifest lost',
    (bag) => rmSync(join(bag, 'manifest-sha256.txt')),
    ['bag-manifest null', 'bag-missing manifest-sha256.txt'],
  ],
  [
    'the signature taken out',
    (bag, id) => rmSync(join(bag, 'data', id, 'manifest.json.sig')),
    ['signature-missing manifest.json.sig'],
  ],
  [
    'the snapshot under another id',
    (bag, id) => {
      cpSync(join(bag, 'data', id), join(bag, `data/${ID}`), { recursive: true })
      rmSync(join(bag, 'data', id), { recursive: true })
    },
    (id) => [`bag-extra data/${ID}`, `bag-missing data/${id}`, 'manifest-misplaced manifest.json'],
  ],
  [
    'a link in the place of a file',
    (bag, id) => {
      rmSync(join(bag, 'data', id, 'info.json'))
      symlinkSync('chart-of-accounts.json', join(bag, 'data', id, 'info.json'))
    },
    ['no-file info.json'],
  ],
  [
    'a second snapshot',
    (bag, id) => cpSync(join(bag, 'data', id), join(bag, `data/${ID}`), { recursive: true }),
    [`bag-extra data/${ID}`, 'bag-payload data'],
  ],
  [
    'something that is not a snapshot',
    (bag) => writeFileSync(join(bag, 'data/letter.txt'), 'Dear auditor'),
    ['bag-payload data/letter.txt'],
  ],
  [
    'nothing in it',
    (bag) => rmSync(join(bag, 'data'), { recursive: true }),
    (id) => [`bag-missing data/${id}`, 'bag-payload data'],
  ],
]
for (const [name, damage, expected] of DAMAGES)
  test(`found and named: ${name}`, async (context) => {
    const bag = await bagOf(context)
    damage(bag, context.snapshot.id)
    assert.ok(await isArchive(bag))
    const { id } = context.snapshot
    assert.equal(await damagesOf(bag), typeof expected === 'function' ? expected(id) : expected)
  })

test('kept sources go with it, and one that was changed is named by its file', async ({ place }) => {
  const files = { 'company.yaml': companyYaml(), 'chart.csv': CHART, 'ledger.csv': ledgerCsv(LEDGER) }
  await inWorkspace({ ...files, 'ledger.csv': ledgerCsv(LEDGER.replaceAll(' EAST', '')) }, async (opened) => {
    appendFileSync(join(opened.root, 'tieout.yaml'), 'keepInputs: true\n')
    const workspace = openWorkspace(opened.root)
    await buildIn(workspace, COMPANY)
    const snapshot = (await openCurrent(workspace.snapshots, COMPANY))!
    const bag = join(place, 'bag')
    const source = { root: workspace.snapshots, snapshot, top: '', place }
    const made = await archive(source, bag)
    assert.is(made.keptInputs, 3)
    const ledger = keptInputs(snapshot.manifest).find(({ File }) => File === 'ledger.csv')!
    const kept = join(bag, 'data/inputs', ledger.Sha256)
    assert.ok(readFileSync(kept).equals(readFileSync(join(opened.datasets, COMPANY, 'ledger.csv'))))
    assert.match(readFileSync(join(bag, 'README.txt'), 'utf8'), `data/inputs/${ledger.Sha256}\n`)
    assert.equal(await damagesOf(bag), [])
    appendFileSync(kept, ' ')
    assert.equal(await damagesOf(bag), [`changed inputs/${ledger.Sha256}`])
    rmSync(kept)
    assert.equal(await damagesOf(bag), [`missing inputs/${ledger.Sha256}`])
    const original = join(workspace.snapshots, COMPANY, 'inputs', ledger.Sha256)
    chmodSync(original, 0o644)
    appendFileSync(original, ' ')
    await rejects(archive(source, join(place, 'late')), /the kept ledger\.csv, was changed/)
  })
})
