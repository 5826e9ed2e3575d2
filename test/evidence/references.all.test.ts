/** Rows that name what the frame has not, entries that do not balance, and frames that count rows twice, published with the real key. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import type { Frame } from '../../builder/books/reference/frame.ts'
import { openDatabase } from '../../builder/database/database.ts'
import { verifyFolder } from '../../builder/evidence/verify/verify.ts'
import { openSigner, type Signer } from '../../builder/snapshot/keys/key-file.ts'
import { sha256 } from '../../builder/system/hash.ts'
import { suite } from '../suite.ts'
import { messagesIn } from '../support/damages.ts'
import { buildIn, CHART, COMPANY, companyYaml, inWorkspace, ledgerCsv } from '../support/workspace.ts'
import { copyOf, rewriteHistory, snapshotsIn } from './attacker.ts'

const test = suite<{ top: string; honest: string; signer: Signer }>('references')

const FILES = {
  'company.yaml': companyYaml(`classes: classes.csv
budgets: [{ id: plan, name: Plan, files: plan.csv }]
nonFinancial: [{ id: heads, name: Headcount, aggregation: last }]
metrics: [{ files: heads.csv }]`),
  'chart.csv': CHART,
  'classes.csv': 'id,name,parent\nland,Land,\neast,East,land\nwest,West,land\n',
  'ledger.csv': ledgerCsv(`1 2025-01-10 bank 100.00 east; 1 2025-01-10 sales -100.00 east
    2 2025-02-10 rent 40.00 west; 2 2025-02-10 bank -40.00 west`),
  'plan.csv': 'account,2025-01,2025-02\nsales,90,90\n',
  'heads.csv': 'metric,2025-01,2025-02\nHeadcount,3,4\n',
}

test.before(async (context) => {
  context.top = mkdtempSync(join(tmpdir(), 'tieout-references-'))
  context.signer = await openSigner(join(context.top, 'keys'))
  await inWorkspace(FILES, async (workspace) => {
    await buildIn(workspace, COMPANY)
    context.honest = copyOf(join(workspace.snapshots, COMPANY), join(context.top, 'honest'))
  })
})

type Change = (place: string) => void | Promise<void>

async function told(
  { top, honest, signer }: { top: string; honest: string; signer: Signer },
  file: string,
  change: Change,
): Promise<string> {
  const folder = copyOf(honest, join(mkdtempSync(join(top, 'case-')), COMPANY))
  const [id] = snapshotsIn(folder)
  const path = `books/${file}`
  const place = join(folder, id!, path)
  await change(place)
  const bytes = readFileSync(place)
  await rewriteHistory(folder, signer, (manifest) => ({
    ...manifest,
    Files: manifest.Files.map((each) =>
      each.Path === path ? { ...each, Bytes: bytes.length, Sha256: sha256(bytes) } : each,
    ),
  }))
  const found = await verifyFolder(folder, 'company', { figures: true, known: signer.known })
  return `${found.outcome}: ${messagesIn(found)}`
}

const table =
  (query: string): Change =>
  async (place) => {
    const db = await openDatabase({ folders: null })
    await db.run(
      `CREATE TABLE t AS FROM '${place}'; COPY (${query}) TO '${place}' (FORMAT parquet, WRITE_BLOOM_FILTER false)`,
    )
    db.close()
  }
/** Gives one column another value where a condition holds. */
const changed = (column: string, value: string, where = 'true'): Change =>
  table(`SELECT * REPLACE (CASE WHEN ${where} THEN ${value} ELSE ${column} END AS ${column}) FROM t`)
const frame =
  (change: (frame: Frame) => Partial<Frame>): Change =>
  (place) => {
    const read = JSON.parse(readFileSync(place, 'utf8')) as Frame
    writeFileSync(place, `${JSON.stringify({ ...read, ...change(read) }, null, 1)}\n`)
  }
const twice = <Each>([first, ...others]: readonly Each[]): Each[] => [first!, first!, ...others]

const OF = 'which the frame has not'
const FORGED: Readonly<Record<string, [file: string, change: Change, told: RegExp]>> = {
  'postings on an account that the chart lacks, which no statement shows': [
    'postings.parquet',
    table(`FROM t UNION ALL SELECT * REPLACE ((seq + 4)::INTEGER AS seq, 'ghost' AS account) FROM t`),
    RegExp(`postings.parquet has 4 rows of the account "ghost", ${OF}`),
  ],
  'a class that there is not, shown as unassigned': [
    'postings.parquet',
    changed('class', "'north'", "transaction_id = '2'"),
    RegExp(`postings.parquet has 2 rows of the class "north", ${OF}`),
  ],
  'a basis that there is not, shown as accrual': [
    'postings.parquet',
    changed('basis', "'audited'", "transaction_id = '2'"),
    RegExp(`postings.parquet has 2 rows of the basis "audited", ${OF}`),
  ],
  'entries of which each has one side': [
    'postings.parquet',
    changed('transaction_id', "'3'", "transaction_id = '2' AND amount < 0"),
    /2 of the entries do not add up to zero in each month/,
  ],
  'postings that have one number': [
    'postings.parquet',
    changed('seq', '1::INTEGER'),
    /postings\.parquet has 3 rows that are not numbered from 1 by seq/,
  ],
  'figures of a budget that there is not': [
    'budgets.parquet',
    table("FROM t UNION ALL SELECT * REPLACE ('better' AS budget) FROM t"),
    RegExp(`budgets.parquet has 2 rows of the budget "better", ${OF}`),
  ],
  'figures of a budget beyond its months': [
    'budgets.parquet',
    table("FROM t UNION ALL SELECT * REPLACE ('2025-07' AS month) FROM t LIMIT 3"),
    /budgets\.parquet has 1 rows outside the months of their budget/,
  ],
  'values of a metric that there is not': [
    'metrics.parquet',
    table("FROM t UNION ALL SELECT * REPLACE ('content' AS metric) FROM t"),
    RegExp(`metrics.parquet has 2 rows of the metric "content", ${OF}`),
  ],
  'a value that is there twice': [
    'metrics.parquet',
    table('FROM t UNION ALL FROM t'),
    /metrics\.parquet has 2 rows of a value that is there twice/,
  ],
  'a class that is there twice, whose lines count twice': [
    'frame.json',
    frame(({ classes: { members, last } }) => ({
      classes: { members: twice(members), last: [4, ...last.map((each) => each + 1)] },
    })),
    /frame\.json: classes: is no tree/,
  ],
  'a class that takes in the one beside it': [
    'frame.json',
    frame(({ classes }) => ({ classes: { ...classes, last: [3, 3, 3] } })),
    /frame\.json: classes: is no tree/,
  ],
  'an account with postings that is called a header': [
    'frame.json',
    frame(({ accounts }) => ({
      accounts: accounts.map((each) => (each.id === 'rent' ? { ...each, isHeader: true } : each)),
    })),
    RegExp(`postings.parquet has 1 rows of the account "rent", ${OF}, or as a header`),
  ],
  'an expense in a category of the cash flow': [
    'frame.json',
    frame(({ accounts }) => ({
      accounts: accounts.map((each) => (each.id === 'rent' ? { ...each, cashFlow: 'Investing' } : each)),
    })),
    /frame\.json: accounts\.\d+: is income or an expense, and in a category of the cash flow/,
  ],
  'a budget that is there twice': [
    'frame.json',
    frame(({ budgets }) => ({ budgets: twice(budgets) })),
    /frame\.json: budgets: has one twice/,
  ],
  'fiscal years that overlap': [
    'frame.json',
    frame(({ fiscalYears }) => ({ fiscalYears: twice(fiscalYears) })),
    /frame\.json: fiscalYears: has years that do not follow one another/,
  ],
}

test('what nobody changed is verified', async (context) => {
  assert.match(await told(context, 'frame.json', () => {}), /^verified: /)
})

for (const [name, [file, change, says]] of Object.entries(FORGED))
  test(name, async (context) => {
    const found = await told(context, file, change)
    assert.match(found, /^damaged: /)
    assert.match(found, says)
  })
