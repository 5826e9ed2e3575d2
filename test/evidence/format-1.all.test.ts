/**
 * What the last program of snapshot format 1 published, committed as it lay there: a workspace with three snapshots, a pruned
 * and a held one, a restatement and two rollbacks, and two archives of the newest. See format-1/make.sh.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as assert from 'uvu/assert'
import { unpack } from '../../builder/evidence/archive/container.ts'
import { openZip } from '../../builder/evidence/archive/zip.ts'
import { MANIFEST, POINTER } from '../../builder/snapshot/files/layout.ts'
import { tieout } from '../cli/command.ts'
import { suite } from '../suite.ts'
import { copyOf, linesOf, manifestOf, snapshotsIn, writeLines } from './attacker.ts'

const BOOKS = fileURLToPath(new URL('format-1/books.zip', import.meta.url))

interface Context {
  top: string
  /** `books/`, `acme.zip` and `acme-bag/`, unpacked and never changed. */
  origin: string
  /** A copy of the workspace. */
  books: string
  /** Its company's folder. */
  company: string
}

const test = suite<Context>('format 1')

test.before(async (context) => {
  context.top = mkdtempSync(join(tmpdir(), 'tieout-format-1-'))
  context.origin = join(context.top, 'origin')
  await mkdir(context.origin)
  const zip = await openZip(BOOKS)
  assert.equal(await unpack(zip, context.origin), [])
  zip.close()
})
test.before.each((context) => {
  context.books = copyOf(
    join(context.origin, 'books'),
    join(mkdtempSync(join(context.top, 'case-')), 'books'),
  )
  context.company = join(context.books, 'snapshots/acme')
})

async function run(cwd: string, args: readonly string[], code = 0): Promise<string> {
  const ran = await tieout(args, { cwd })
  assert.is(ran.code, code, `${args.join(' ')}: ${ran.out}${ran.err}`)
  return ran.out.replace(/\s+/g, ' ')
}

const events = (company: string): string[] =>
  linesOf(company).map((line) => (JSON.parse(line) as { Event: string }).Event)

test('it holds by its own rules, in the workspace and as archives', async ({ books, company, origin }) => {
  for (const id of snapshotsIn(company)) assert.is(manifestOf(company, id).Format, 1)
  const told = await run(books, ['verify'])
  assert.match(told, /Verified: 3 snapshots are as published, and every figure follows from the books/)
  assert.match(told, /2025-02-r1-a0b76e was pruned on .* its manifest is kept/)
  for (const archive of ['acme.zip', 'acme-bag']) {
    const bag = await run(origin, ['verify', archive])
    assert.match(bag, /Verified: 1 snapshot is as published/)
    // Another program worded what lies beside the payload.
    assert.match(
      bag,
      /README\.txt.* could not be compared .*: Tieout 0\.2\.0 wrote the bag, .*believe the files in data\/ alone/,
    )
  }
})

test('from its sources: only what is laid out otherwise today is told, as a reading', async ({ books }) => {
  const told = await run(books, ['verify', '--sources'], 4)
  assert.match(told, /books\/metrics\.parquet is not what the sources give/)
  assert.not.match(told, /damage acme|statements\//)
})

test('the first change after the upgrade adopts all of it by one line', async ({ books, company }) => {
  const before = events(company)
  const [first] = snapshotsIn(company)
  await run(books, ['snapshots', 'release', 'acme', first!, '--reason', 'the tax audit is over'])
  assert.equal(events(company), [...before, 'adopt', 'release'])
  const adopted = JSON.parse(linesOf(company).at(-2)!) as { Adopted: { SnapshotId: string }[] }
  assert.equal(adopted.Adopted.map(({ SnapshotId }) => SnapshotId).sort(), [
    '2025-02-r1-a0b76e',
    ...snapshotsIn(company),
  ])
  await run(books, ['build'])
  assert.match(await run(books, ['verify']), /Verified: \d snapshots are as published/)
})

const MANIPULATIONS: Readonly<Record<string, readonly [(company: string) => void, RegExp]>> = {
  'a reason in a line of then': [
    (company) =>
      writeLines(
        company,
        linesOf(company).map((line) => line.replace('the auditor is done', 'nobody is done')),
      ),
    /line 7 of log\.jsonl was changed/,
  ],
  'a snapshot of then taken away': [
    (company) => rmSync(join(company, snapshotsIn(company)[0]!), { recursive: true }),
    /log\.jsonl says that it was published, and nothing that it was pruned/,
  ],
  'a manifest of then': [
    (company) => {
      const path = join(company, snapshotsIn(company)[0]!, MANIFEST)
      writeFileSync(path, readFileSync(path, 'utf8').replace('"Currency":"USD"', '"Currency":"EUR"'))
    },
    /does not sign this manifest\.json/,
  ],
  'a manifest of then, unsigned': [
    (company) => {
      const path = join(company, snapshotsIn(company)[0]!, MANIFEST)
      writeFileSync(path, readFileSync(path, 'utf8').replace(/,"KeyId":"[^"]+"/, ''))
      rmSync(`${path}.sig`)
    },
    /is not the one that was published.*is not signed, although the keys that may have signed it are known/,
  ],
  'an unknown format': [
    (company) => {
      const path = join(company, snapshotsIn(company)[1]!, MANIFEST)
      writeFileSync(path, readFileSync(path, 'utf8').replace('"Format":1', '"Format":5'))
    },
    /manifest\.json is of format 5, which this version of Tieout does not know \(it knows 1, 2, 3, 4\)/,
  ],
}
for (const [name, [manipulate, says]] of Object.entries(MANIPULATIONS))
  test(`found after adoption: ${name}`, async ({ books, company }) => {
    const [first] = snapshotsIn(company)
    await run(books, ['snapshots', 'release', 'acme', first!, '--reason', 'the tax audit is over'])
    manipulate(company)
    assert.match(await run(books, ['verify', '--files-only'], 1), says)
  })

test('an old archive is restored', async ({ top, origin }) => {
  for (const archive of ['acme.zip', 'acme-bag']) {
    const books = mkdtempSync(join(top, 'restored-'))
    writeFileSync(join(books, 'tieout.yaml'), 'snapshots: snapshots\n')
    const keys = join(origin, 'acme-bag/public-key.jwks.json')
    assert.match(await run(books, ['restore', join(origin, archive), '--key', keys]), /Restored acme/)
    assert.ok(existsSync(join(books, 'snapshots/acme', POINTER)))
    await run(books, ['verify'])
  }
})

test('it is explained, compared, exported and listed', async ({ books, company }) => {
  assert.match(
    await run(books, ['explain', 'acme', '4000', '2025-02', '--source']),
    /2,2025-02-10,sales,-250\.00/,
  )
  const metric = await run(books, ['explain', 'acme', 'heads', '2025-02'])
  assert.match(metric, /Published 4 people Follows from these values: yes/)
  assert.match(metric, /they do not say where a value stands/)
  assert.match(await run(books, ['diff', 'acme']), /Reason: the rent of February was forgotten/)
  await run(books, ['export', 'acme', '--format', 'csv', '--what', 'all', '--to', join(books, 'out')])
  assert.match(await run(books, ['snapshots', 'log', 'acme']), /the auditor looks at it/)
  const [first, second] = snapshotsIn(company)
  assert.match(await run(books, ['explain', 'acme', '6000', '2025-03', '--snapshot', first!]), /Adds up/)
  await run(books, ['use', 'acme', second!, '--reason', 'the auditor wants to see it again'])
})
