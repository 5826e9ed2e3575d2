/** Books that were forged with their manifest, and that no program writes: whoever looks at them before "tieout verify" is told so. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { openDatabase } from '../../builder/database/database.ts'
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
})

/** A workspace in which `act` changed a file of the books, and somebody without a key all that names it. */
async function forged({ top, honest }: Context, file: string, act: (place: string) => void): Promise<string> {
  const cwd = copyOf(honest, join(mkdtempSync(join(top, 'case-')), 'workspace'))
  const folder = join(cwd, 'snapshots/acme')
  const place = join(folder, snapshotsIn(folder)[0]!, 'books', file)
  await act(place)
  const bytes = readFileSync(place)
  await rewriteHistory(folder, null, (manifest) => ({
    ...manifest,
    Files: manifest.Files.map((each) =>
      each.Path === `books/${file}` ? { ...each, Bytes: bytes.length, Sha256: sha256(bytes) } : each,
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
  ['openings.parquet', (place) => writeFileSync(place, 'no table'), /openings\.parquet cannot be read: /],
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
    const cwd = await forged(context, file, act as () => void)
    for (const command of ['trial-balance acme', 'ageing acme', 'explain acme sales 2025-02']) {
      const found = flat(await says(1, command, { cwd }))
      assert.match(found, told)
      assert.match(found, /^error books of 2025-02-r1-\w+: .*; "tieout verify acme" says what else is wrong/)
    }
  })

test('accounts below each other: no command goes round for ever, and verification calls it damage', async (context) => {
  const cwd = await forged(
    context,
    'frame.json',
    frame((all) => ({ ...all, accounts: all.accounts.map((each) => ({ ...each, parentId: each.id })) })),
  )
  for (const command of ['show acme', 'verify acme'])
    assert.match(flat(await says(1, command, { cwd })), /accounts: has an account that stands below itself/)
})
