/** Books that were forged with their manifest, and that no program writes: whoever looks at them before "tieout verify" is told so. */
import { mkdtempSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { openDatabase } from '../../builder/database/database.ts'
import { openSigner } from '../../builder/snapshot/keys/key-file.ts'
import { sha256 } from '../../builder/system/hash.ts'
import { flat, goodCompany, says } from '../cli/command.ts'
import { copyOf, rewriteHistory, snapshotsIn } from '../evidence/attacker.ts'
import { suite } from '../suite.ts'
import { writeFiles } from '../support/workspace.ts'

interface Context {
  top: string
  honest: string
}
const test = suite<Context>('forged books')

test.before(async (context) => {
  context.top = mkdtempSync(join(tmpdir(), 'tieout-forged-'))
  context.honest = join(context.top, 'honest')
  writeFiles(context.honest, { 'tieout.yaml': '' })
  writeFiles(join(context.honest, 'datasets/acme'), goodCompany('acme'))
  await says(0, 'build', { cwd: context.honest })
  writeFiles(join(context.honest, 'datasets/acme'), goodCompany('acme', MORE))
  await says(0, 'build', { cwd: context.honest })
})
const MORE = '3 2025-02-11 bank 1.00; 3 2025-02-11 sales -1.00'

/** A workspace in which `act` changed a file of the current snapshot, and all that names it was signed once more. */
async function forged({ top, honest }: Context, file: string, act: (place: string) => void): Promise<string> {
  const cwd = copyOf(honest, join(mkdtempSync(join(top, 'case-')), 'workspace'))
  const folder = join(cwd, 'snapshots/acme')
  const [, current] = snapshotsIn(folder)
  const place = join(folder, current!, file)
  await act(place)
  const bytes = readFileSync(place)
  const signer = await openSigner(join(cwd, '.tieout'))
  await rewriteHistory(folder, signer, (manifest) => ({
    ...manifest,
    Files: manifest.Files.map((each) =>
      manifest.SnapshotId === current && each.Path === file
        ? { ...each, Bytes: bytes.length, Sha256: sha256(bytes) }
        : each,
    ),
  }))
  return cwd
}

const table = (query: string) => async (place: string) => {
  const db = await openDatabase({ folders: null })
  await db.run(`CREATE TABLE t AS FROM '${place}'; COPY (${query}) TO '${place}' (FORMAT parquet)`)
  db.close()
}
type Stored = Record<'accounts', { id: string; parentId: string | null }[]>
const frame = (change: (frame: Stored) => object) => (place: string) =>
  writeFileSync(place, JSON.stringify(change(JSON.parse(readFileSync(place, 'utf8')) as Stored), null, 1))
const replaced = (column: string, value: string) => table(`SELECT * REPLACE (${value} AS ${column}) FROM t`)

const FORGED: readonly (readonly [file: string, act: (place: string) => unknown, says: RegExp])[] = [
  ['postings.parquet', table('SELECT * EXCLUDE memo FROM t'), /has no column memo/],
  ['postings.parquet', replaced('amount', "'NaN'::DOUBLE"), /holds DOUBLE as amount/],
  ['postings.parquet', replaced('amount', 'amount::DECIMAL(38, 6)'), /holds DECIMAL\(38,6\) as amount/],
  [
    'postings.parquet',
    replaced('amount', 'NULL::DECIMAL(18, 2)'),
    /has rows with no amount that can be read/,
  ],
  ['postings.parquet', replaced('transaction_id', 'NULL::VARCHAR'), /has rows with no transaction_id/],
  ['postings.parquet', replaced('date', "'infinity'::DATE"), /has rows with no date/],
  ['openings.parquet', (place) => writeFileSync(place, 'no table'), /openings\.parquet/],
  ['frame.json', frame((all) => ({ ...all, bases: [] })), /bases: has none/],
  ['frame.json', frame((all) => ({ ...all, basisSources: {} })), /basisSources: lacks ACCRUAL/],
  ['frame.json', frame((all) => ({ ...all, fiscalYears: [] })), /fiscalYears: has none/],
  ['frame.json', frame((all) => ({ ...all, currency: 'JPY' })), /holds DECIMAL\(18,2\) as amount/],
  ['frame.json', frame((all) => ({ ...all, currency: '\u001b' })), /currency: is not a currency/],
  [
    'frame.json',
    frame((all) => ({ ...all, coverage: { startDate: '2025-02-31', endDate: '2025-12-31' } })),
    /coverage\.startDate: is not a day/,
  ],
]
for (const [file, act, told] of FORGED)
  test(`${file} with ${told.source}`, async (context) => {
    const cwd = await forged(context, `books/${file}`, act as () => void)
    for (const command of ['trial-balance acme', 'ageing acme', 'explain acme sales 2025-02']) {
      const found = flat(await says(1, command, { cwd }))
      assert.match(found, told)
      assert.match(found, /^error books of 2025-02-r2-\w+: .*; "tieout verify acme" says what else is wrong/)
    }
  })

test('accounts below each other: no command goes round for ever, and verification calls it damage', async (context) => {
  const cwd = await forged(
    context,
    'books/frame.json',
    frame((all) => ({ ...all, accounts: all.accounts.map((each) => ({ ...each, parentId: each.id })) })),
  )
  for (const command of ['show acme', 'verify acme'])
    assert.match(
      flat(await says(1, command, { cwd })),
      /accounts: has an account twice, or one that stands below itself/,
    )
})

const STATEMENT = 'statements/profit-loss/accrual/actuals/all/all.json'

test('a statement that is none, or states what no figure can be: a comparison says so, and a build compares nothing with it', async (context) => {
  for (const [change, told] of [
    [() => 'no statement', /json is no document of figures in both/],
    [(text: string) => text.replace('251.00', '1e400'), /json states Infinity, which no figure can be/],
  ] as const) {
    const cwd = await forged(context, STATEMENT, (place) =>
      writeFileSync(place, change(readFileSync(place, 'utf8'))),
    )
    assert.match(flat(await says(1, 'diff acme', { cwd })), told)
    writeFiles(join(cwd, 'datasets/acme'), goodCompany('acme'))
    await says(0, 'build', { cwd })
  }
})

test('a file that grew beyond all memory is not read', async ({ top, honest }) => {
  const cwd = copyOf(honest, join(mkdtempSync(join(top, 'case-')), 'workspace'))
  const folder = join(cwd, 'snapshots/acme')
  truncateSync(join(folder, snapshotsIn(folder)[1]!, STATEMENT), 5e9)
  assert.match(flat(await says(1, 'show acme', { cwd })), /all\.json of snapshot \S+ of acme was changed/)
})
