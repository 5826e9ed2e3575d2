/** Evidence bags: what they hold, that they are verified as a whole, and that nobody can leave something out. */
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { build } from '../../builder/build/build.ts'
import { evidenceContents, writeEvidence } from '../../builder/evidence/archive/evidence.ts'
import { writeBag } from '../../builder/evidence/archive/write.ts'
import { verifyArchive } from '../../builder/evidence/verify/archive.ts'
import { restoreArchive } from '../../builder/evidence/verify/restore.ts'
import { openSigner } from '../../builder/snapshot/keys/key-file.ts'
import { prune } from '../../builder/snapshot/log/prune.ts'
import { sha256 } from '../../builder/system/hash.ts'
import { thisProgram } from '../../builder/system/version.ts'
import { openWorkspace, type Workspace } from '../../builder/workspace/workspace.ts'
import { copyOf } from '../evidence/attacker.ts'
import { suite } from '../suite.ts'
import { damagesIn } from '../support/damages.ts'
import { CHART, COMPANY, companyYaml, inWorkspace, ledgerCsv } from '../support/workspace.ts'

const YEAR = `1 2024-01-01 bank 1000.00; 1 2024-01-01 capital -1000.00
2 2024-11-10 bank 250.00; 2 2024-11-10 sales -250.00
3 2024-12-10 bank 40.00; 3 2024-12-10 sales -40.00`
const NEXT = '\n4 2025-02-10 bank 70.00; 4 2025-02-10 sales -70.00'

interface Built {
  top: string
  workspace: Workspace
  folder: string
  /** By month and revision: `2024-12-r1`. */
  ids: string[]
  /** Of the year 2024. */
  bag: string
}
const test = suite<Built>('evidence')

/** November, December, February, and February again, which restates December. */
const MONTHS: readonly { ledger: string; lockDate: string; reason: string | null; name: string }[] = [
  { ledger: YEAR.split('\n3 ')[0]!, lockDate: '2024-10-31', reason: null, name: 'Acme' },
  { ledger: YEAR, lockDate: '2024-11-30', reason: null, name: 'Acme' },
  { ledger: YEAR + NEXT, lockDate: '2024-12-31', reason: null, name: 'Acme' },
  {
    ledger: YEAR.replaceAll('40.00', '45.00') + NEXT,
    lockDate: '2024-12-31',
    reason: 'the December invoice <b>was</b> wrong',
    name: 'Acme & <i>Sons</i>',
  },
]

test.before(async (context) => {
  context.top = mkdtempSync(join(tmpdir(), 'tieout-evidence-test-'))
  await inWorkspace({ 'company.yaml': companyYaml(), 'chart.csv': CHART, 'ledger.csv': '' }, async (made) => {
    writeFileSync(join(made.root, 'tieout.yaml'), 'keepInputs: true\n')
    const workspace = openWorkspace(made.root)
    const company = join(workspace.datasets, COMPANY)
    for (const { ledger, lockDate, reason, name } of MONTHS) {
      writeFileSync(join(company, 'ledger.csv'), ledgerCsv(ledger))
      writeFileSync(join(company, 'company.yaml'), companyYaml(`lockDate: ${lockDate}\nname: "${name}"\n`))
      const result = await build(workspace, COMPANY, {
        publish: true,
        ...(reason === null ? {} : { restate: reason }),
      })
      assert.is(result.outcome, 'published', JSON.stringify(result))
    }
    cpSync(made.root, join(context.top, 'workspace'), { recursive: true })
  })
  context.workspace = openWorkspace(join(context.top, 'workspace'))
  context.folder = join(context.workspace.snapshots, COMPANY)
  context.ids = readdirSync(context.folder)
    .filter((name) => /^\d{4}-\d{2}-r/.test(name))
    .sort()
  assert.is(context.ids.length, 4)
  context.bag = placeIn(context)
  await writeEvidence(context.folder, COMPANY, context.bag, { ...REQUEST, period: YEAR_2024 }, null)
})

const REQUEST = {
  version: '1.0',
  software: thisProgram(),
  baggedAt: new Date('2026-02-03T22:00:00Z'),
} as const
const YEAR_2024 = { from: '2024-01', through: '2024-12' }
let count = 0
const placeIn = ({ top }: Built, end = ''): string => join(top, `bag-${++count}${end}`)

const keysOf = async ({ workspace }: Built) => (await openSigner(workspace.state)).known

/** Kinds and paths of all that is damaged; figures are those of the snapshots, which are proved above. */
async function damagesOf(path: string, built: Built): Promise<string[]> {
  const found = await verifyArchive(path, { figures: false, known: await keysOf(built) })
  return damagesIn(found).map(({ kind, path: at }) => `${kind} ${at}`)
}

for (const end of ['', '.zip'])
  test(`snapshots of the time and those that restate it, as a ${end ? 'zip' : 'folder'}, verify as a whole`, async (built) => {
    const [november, december, february, again] = built.ids
    const to = placeIn(built, end)
    const known = await keysOf(built)
    const evidence = await writeEvidence(built.folder, COMPANY, to, { ...REQUEST, period: YEAR_2024 }, known)
    assert.equal(evidence.snapshots, [november, december, again])
    assert.equal(evidence.leftOut, [february])
    assert.is(evidence.logLines, 4)
    const found = await verifyArchive(to, { figures: true, known, expect: evidence.head })
    assert.ok(found.verified, JSON.stringify(found))
    assert.equal(
      found.companies[0]!.snapshots.map(({ snapshotId, recomputed }) => [snapshotId, recomputed !== null]),
      [november, december, again].map((id) => [id, true]),
    )
  })

test('the page for people says what was published, restated and changed, and no name becomes markup', async ({
  bag,
}) => {
  const page = readFileSync(join(bag, 'index.html'), 'utf8')
  assert.match(page, 'Acme &amp; &lt;i&gt;Sons&lt;/i&gt;')
  assert.match(page, 'the December invoice &lt;b&gt;was&lt;/b&gt; wrong')
  assert.not.match(page, /<i>|<b>|<script/)
  // The figure before and after, the setting before and after, and the name of a kept source.
  for (const text of ['40.00', '45.00', 'lockDate', '2024-11-30', '2024-12-31', 'download="ledger.csv"'])
    assert.match(page, text)
  const links = [...page.matchAll(/href="([^"#]+)"/g)].map((match) => match[1]!)
  assert.ok(links.length > 10)
  for (const link of links) assert.ok(existsSync(join(bag, link)), link)
})

test('of a pruned snapshot the manifest comes along', async (built) => {
  const root = copyOf(built.workspace.snapshots, placeIn(built, '-workspace'))
  const signer = await openSigner(built.workspace.state)
  const policy = { keepLast: 3 }
  await prune(root, { company: COMPANY, policy, inUse: async () => new Set() }, null, { signer })
  const to = placeIn(built)
  const evidence = await writeEvidence(
    join(root, COMPANY),
    COMPANY,
    to,
    { ...REQUEST, period: YEAR_2024 },
    null,
  )
  assert.equal(evidence.snapshots, [built.ids[1], built.ids[3]])
  assert.ok(existsSync(join(to, 'data/pruned', built.ids[0]!, 'manifest.json')))
  assert.equal(await damagesOf(to, built), [])
})

test('nothing of the time, nothing published, or something damaged: refused, and nothing is written', async (built) => {
  const to = placeIn(built)
  const write = (folder: string, from: string, through: string) =>
    writeEvidence(folder, COMPANY, to, { ...REQUEST, period: { from, through } }, null)
  const message = async (attempt: Promise<unknown>) =>
    attempt.then(
      () => 'nothing',
      (problem: Error) => problem.message,
    )
  assert.match(
    await message(write(built.folder, '2023-01', '2023-12')),
    'has no snapshot of 2023-01 to 2023-12; its snapshots are of 2024-11 to 2025-02',
  )
  assert.match(
    await message(write(built.folder, '2024-05', '2024-08')),
    `2024-11 to 2025-02. ${built.ids[0]} covers these months: name its last one, --through 2024-11`,
  )
  const damaged = copyOf(built.folder, placeIn(built, '-damaged'))
  writeFileSync(join(damaged, built.ids[2]!, 'info.json'), '{}')
  assert.match(await message(write(damaged, '2024-01', '2024-12')), 'info.json')
  assert.not(existsSync(to))
})

test('it is no archive of one snapshot: restoring says what it is', async (built) => {
  const attempt = restoreArchive(built.workspace, { archive: built.bag, keyFile: null, figures: true })
  await attempt.then(
    () => assert.unreachable(),
    (problem: Error) => assert.match(problem.message, 'this is evidence'),
  )
})

/** What somebody does to the payload; the bag around it is made again, as whoever knows the program would. */
const ATTACKS: Readonly<
  Record<
    string,
    [
      change: (payload: string, ids: readonly string[]) => void,
      expected: (ids: readonly string[]) => string[],
    ]
  >
> = {
  'a snapshot is taken out': [
    (payload, [, december]) => rmSync(join(payload, december!), { recursive: true }),
    ([, december]) => [`snapshot-missing ${december}`],
  ],
  'a snapshot of the time is called one of another': [
    (payload, [november]) => {
      const place = join(payload, 'left-out', november!)
      renameSync(join(payload, november!), place)
      for (const name of readdirSync(place))
        if (!name.startsWith('manifest.json')) rmSync(join(place, name), { recursive: true })
    },
    ([november]) => [`snapshot-missing left-out/${november}`],
  ],
  'a manifest that was left out is taken away': [
    (payload, [, , february]) => rmSync(join(payload, 'left-out', february!), { recursive: true }),
    ([, , february]) => [`snapshot-missing ${february}`],
  ],
  'a manifest that was left out is exchanged': [
    (payload, [, , february]) => {
      const path = join(payload, 'left-out', february!, 'manifest.json')
      writeFileSync(path, readFileSync(path, 'utf8').replace('"Currency":"USD"', '"Currency":"EUR"'))
    },
    ([, , february]) => [
      `manifest-exchanged left-out/${february}/manifest.json`,
      `signature left-out/${february}/manifest.json`,
    ],
  ],
  'a kept source is taken out': [
    (payload) => rmSync(join(payload, 'inputs', readdirSync(join(payload, 'inputs'))[0]!)),
    () => [],
  ],
}

for (const [name, [change, expected]] of Object.entries(ATTACKS))
  test(`${name}: found, although the bag around it was made again`, async (built) => {
    const payload = join(copyOf(built.bag, placeIn(built)), 'data')
    change(payload, built.ids)
    const again = placeIn(built)
    const made = await evidenceContents(payload, COMPANY, { ...REQUEST, period: YEAR_2024 })
    await writeBag(made.bag, again, () => {})
    const found = await damagesOf(again, built)
    assert.ok(found.length > 0)
    for (const each of expected(built.ids)) assert.ok(found.includes(each), `${each}: ${found}`)
  })

const cutLog = (folder: string): string => {
  const log = join(folder, 'log.jsonl')
  const lines = readFileSync(log, 'utf8').split('\n')
  writeFileSync(log, `${lines.slice(0, -2).join('\n')}\n`)
  return sha256(lines.at(-2)!)
}

test('the end of the log cut off: found where what it published is here, else by what was noted elsewhere', async (built) => {
  const payload = join(copyOf(built.bag, placeIn(built)), 'data')
  const [, , february, again] = built.ids
  const noted = cutLog(payload)
  const bagged = async () => {
    const bag = placeIn(built)
    const made = await evidenceContents(payload, COMPANY, { ...REQUEST, period: YEAR_2024 })
    await writeBag(made.bag, bag, () => {})
    return bag
  }
  assert.equal(await damagesOf(await bagged(), built), ['log-cut log.jsonl'])
  // Not current any more either, as if its publication had not come so far.
  const february1 = join(payload, 'left-out', february!, 'manifest.json')
  const pointer = { SnapshotId: february, ManifestSha256: sha256(readFileSync(february1)) }
  writeFileSync(join(payload, 'current.json'), `${JSON.stringify(pointer)}\n`)
  assert.equal(await damagesOf(await bagged(), built), ['log-cut log.jsonl'])
  rmSync(join(payload, again!), { recursive: true })
  const gone = await bagged()
  assert.equal(await damagesOf(gone, built), [])
  const found = await verifyArchive(gone, { figures: false, known: await keysOf(built), expect: noted })
  assert.equal(
    found.companies[0]!.damages.map(({ kind }) => kind),
    ['unexpected'],
  )
})

test('no evidence is written of a publication that is not in the log', async (built) => {
  const folder = join(openWorkspace(copyOf(built.workspace.root, placeIn(built))).snapshots, COMPANY)
  cutLog(folder)
  await writeEvidence(folder, COMPANY, placeIn(built), { ...REQUEST, period: YEAR_2024 }, null).then(
    () => assert.unreachable(),
    (problem: Error) => assert.match(problem.message, /log\.jsonl has no line that publishes 2025-02-r2-/),
  )
})

test('evidence beside a pruning: what is written is what is there then, and verifies', async (built) => {
  const root = copyOf(built.workspace.root, placeIn(built))
  const { snapshots, state } = openWorkspace(root)
  const signer = await openSigner(state)
  const to = placeIn(built, '.zip')
  let going: Promise<unknown> | null = null
  const pruned = async () => {
    const asked = { company: COMPANY, policy: { keepLast: 1 }, inUse: async () => new Set<string>() }
    await prune(snapshots, asked, 'room on the disk', { signer })
  }
  const folder = join(snapshots, COMPANY)
  const evidence = await writeEvidence(folder, COMPANY, to, { ...REQUEST, period: YEAR_2024 }, null, () => {
    going ??= pruned()
  })
  await going
  assert.equal(evidence.snapshots, [built.ids[3]])
  assert.equal(await damagesOf(to, built), [])
})

test('what stands beside the payload follows from it, also the time that it claims to be of', async (built) => {
  const changes: [string, (bag: string) => void][] = [
    ['index.html', (bag) => edit(join(bag, 'index.html'), '45.00', '54.00')],
    ['public-keys.jwks.json', (bag) => writeFileSync(join(bag, 'public-keys.jwks.json'), '{"keys":[]}\n')],
    ['bag-info.txt', (bag) => edit(join(bag, 'bag-info.txt'), '2024-01 to 2024-12', '2024-01 to 2025-12')],
    ['bag-info.txt', (bag) => edit(join(bag, 'bag-info.txt'), 'Evidence-Period', 'Evidence-Something')],
  ]
  for (const [path, change] of changes) {
    const bag = copyOf(built.bag, placeIn(built))
    change(bag)
    const found = await damagesOf(bag, built)
    assert.ok(
      found.some((each) => each.endsWith(path)),
      `${path}: ${found}`,
    )
  }
})

const edit = (path: string, from: string, to: string): void =>
  writeFileSync(path, readFileSync(path, 'utf8').replace(from, to))
