/**
 * A cash basis that does not follow from the accrual postings, published by a builder that was changed, with the real key: found without
 * the sources, as far as the books tell what settles what (format.md, "The derived cash basis").
 */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { type Database, openDatabase } from '../../builder/database/database.ts'
import { verifyFolder } from '../../builder/evidence/verify/verify.ts'
import { openSigner, type Signer } from '../../builder/snapshot/keys/key-file.ts'
import { sha256 } from '../../builder/system/hash.ts'
import { suite } from '../suite.ts'
import { damagesIn } from '../support/damages.ts'
import { buildIn, COMPANY, companyYaml, type Files, inWorkspace } from '../support/workspace.ts'
import { copyOf, rewriteHistory, snapshotsIn } from './attacker.ts'

interface Context {
  top: string
  signer: Signer
  /** Published with links by `settles`, by open items, and by open items where receivables have openings. */
  settled: string
  itemised: string
  opened: string
}
const test = suite<Context>('forged cash basis')

const CHART = `id,number,name,classification,type
bank,1000,Bank,Asset,Bank
debtors,1100,Debtors,Asset,AccountsReceivable
plant,1500,Plant,Asset,FixedAsset
capital,3000,Capital,Equity,Capital
sales,4000,Sales,Income,Sales
rent,6000,Rent,Expense,Expense
`
/** An invoice that is paid in two parts, a deposit without an invoice, and rent paid at once. `link` names what is settled. */
const entries = (link: string) => `transaction_id,date,account,amount,memo,${link}
inv,2025-01-10,debtors,1000.00,,inv
inv,2025-01-10,sales,-1000.00,repairs,
pay,2025-02-20,bank,600.00,,
pay,2025-02-20,debtors,-600.00,,inv
rest,2025-03-20,bank,400.00,,
rest,2025-03-20,debtors,-400.00,,inv
early,2025-03-21,bank,50.00,,
early,2025-03-21,debtors,-50.00,,
let,2025-02-11,rent,40.00,,
let,2025-02-11,bank,-40.00,,
`
const OPENING = `ob,2025-01-01,bank,500.00,,
ob,2025-01-01,capital,-500.00,,
`
const OPEN_DEBTORS = `ob,2025-01-01,debtors,30.00,,old
ob,2025-01-01,capital,-30.00,,
old,2025-01-20,bank,30.00,,
old,2025-01-20,debtors,-30.00,,old
`
const files = (link: string, more: string): Files => ({
  'company.yaml': companyYaml(
    `cashBasis: { maxUnlinked: 100000 }\n${more === '' ? '' : 'opening: { transactions: [ob] }'}`,
  ),
  'chart.csv': CHART,
  'ledger.csv': `${entries(link)}${more}`,
})

test.before(async (context) => {
  context.top = mkdtempSync(join(tmpdir(), 'tieout-cash-'))
  context.signer = await openSigner(join(context.top, 'keys'))
  for (const [name, given] of Object.entries({
    settled: files('settles', OPENING),
    itemised: files('open_item', ''),
    opened: files('open_item', `${OPENING}${OPEN_DEBTORS}`),
  }))
    await inWorkspace(given, async (workspace) => {
      const { result } = await buildIn(workspace, COMPANY)
      assert.ok(
        result.tieOuts.some(({ Basis }) => Basis === 'CASH'),
        name,
      )
      context[name as 'settled'] = copyOf(join(workspace.snapshots, COMPANY), join(context.top, name))
    })
})

interface Forgery {
  /** Whether the file gets Bloom filters. */
  readonly filters?: boolean
  /** Changes its bytes; `db` has the table `chunk`, which is its footer. */
  forge?(bytes: Buffer, db: Database): void | Promise<void>
}

/** What verification says of a copy of `from` in which a file of the books is what the query makes of it, the table `t`. */
async function told(
  { top, signer }: Context,
  from: string,
  query: string | null,
  file = 'postings.parquet',
  { filters = false, forge = () => {} }: Forgery = {},
): Promise<string[]> {
  const folder = copyOf(from, join(mkdtempSync(join(top, 'case-')), COMPANY))
  const [id] = snapshotsIn(folder)
  const path = `books/${file}`
  const place = join(folder, id!, path)
  const db = await openDatabase({ folders: null })
  if (query !== null)
    await db.run(
      `CREATE TABLE t AS FROM '${place}'; COPY (${query}) TO '${place}' (FORMAT parquet, WRITE_BLOOM_FILTER ${filters})`,
    )
  const bytes = readFileSync(place)
  await db.run(`CREATE TABLE chunk AS FROM parquet_metadata('${place}')`)
  await forge(bytes, db)
  writeFileSync(place, bytes)
  db.close()
  await rewriteHistory(folder, signer, (manifest) => ({
    ...manifest,
    Files: manifest.Files.map((each) =>
      each.Path === path ? { ...each, Bytes: bytes.length, Sha256: sha256(bytes) } : each,
    ),
  }))
  const known = new Set([signer.keyId])
  const found = await verifyFolder(folder, 'company', { figures: true, known })
  return damagesIn(found).map(({ message }) => message)
}

const change = (column: string, value: string, where: string): string =>
  `SELECT * REPLACE (CASE WHEN basis = 'cash' AND ${where} THEN ${value} ELSE ${column} END AS ${column}) FROM t ORDER BY seq`
/** Postings that the first part of the payment recognises. */
const OF_PAYMENT = "transaction_id = 'pay' AND account <> 'bank' AND memo IS NOT DISTINCT FROM"
const DIFFER =
  'of the postings of the derived cash basis do not follow from the accrual postings, or are missing'

const FORGED: readonly (readonly [what: string, query: string, says: string])[] = [
  [
    'the postings stand in another order',
    "SELECT * REPLACE ((CASE WHEN basis = 'cash' THEN 1000 - seq ELSE seq END)::INTEGER AS seq) FROM t ORDER BY 1",
    'the postings of the derived cash basis stand in another order than they are made in',
  ],
  [
    'rent is moved to plant',
    change('account', "'plant'", "account = 'rent'"),
    `2 ${DIFFER}; the first: 40.00 of entry "let", 2025-02-11, on account "plant" (does not follow)`,
  ],
  [
    'a sale is recognised a month earlier',
    `SELECT * REPLACE (CASE WHEN basis = 'cash' AND transaction_id = 'rest' AND memo = 'repairs' THEN DATE '2025-02-20' ELSE date END AS date)
     FROM t ORDER BY seq`,
    `2 ${DIFFER}; the first: -400.00 of entry "rest", 2025-02-20, on account "sales" (does not follow)`,
  ],
  [
    'another day of the same month, which no statement shows',
    change('date', "DATE '2025-02-01'", "transaction_id = 'pay'"),
    `8 ${DIFFER}; the first: `,
  ],
  [
    'a deposit is no longer unapplied',
    `FROM t WHERE NOT (basis = 'cash' AND transaction_id = 'early' AND (account = 'unapplied-receipts' OR amount > 0 AND account = 'debtors'))
     ORDER BY seq`,
    `2 ${DIFFER}; the first: 50.00 of entry "early", 2025-03-21, on account "debtors" (missing)`,
  ],
  [
    'the text of a copy is another one',
    change('memo', "'gift'", "transaction_id = 'let' AND account = 'bank'"),
    `2 ${DIFFER}; the first: -40.00 of entry "let", 2025-02-11, on account "bank" (does not follow)`,
  ],
  [
    'more of a sale than was paid',
    `SELECT * REPLACE (CASE WHEN basis = 'cash' AND memo = 'repairs' AND transaction_id = 'pay' THEN -700
       WHEN basis = 'cash' AND memo = 'repairs' AND transaction_id = 'rest' THEN -300 ELSE amount END AS amount) FROM t ORDER BY seq`,
    `4 ${DIFFER}; the first: -700.00 of entry "pay", 2025-02-20, on account "sales" (does not follow)`,
  ],
]

// Links by settles and by open items give the same, and are taken by turns.
for (const [i, [what, query, says]] of FORGED.entries())
  test(what, async (context) => {
    const found = await told(context, i % 2 === 0 ? context.settled : context.itemised, query)
    assert.ok(
      found.some((message) => message.startsWith(says)),
      found.join('\n'),
    )
  })

test('an opening of the cash basis is not that of the accrual basis', async (context) => {
  const found = await told(
    context,
    context.settled,
    "SELECT * REPLACE (CASE WHEN basis = 'cash' AND account = 'bank' THEN 'plant' ELSE account END AS account) FROM t",
    'openings.parquet',
  )
  assert.match(
    found.join('\n'),
    /2 of the openings of the derived cash basis do not follow .*the first: 500\.00 on account "bank" \(missing\)/,
  )
})

test('open items of openings stand in the sources alone: what does not depend on them is compared', async (context) => {
  const of = (query: string | null) => told(context, context.opened, query)
  assert.equal(await of(null), [])
  const inFebruary = change('date', "DATE '2025-02-21'", `${OF_PAYMENT} 'repairs'`)
  assert.equal(await of(inFebruary), [], 'a sale a day later: only the sources tell')
  const copies = await of(change('memo', "'gift'", "transaction_id = 'let'"))
  assert.match(copies.join('\n'), /^4 of the postings of the derived cash basis .* entry "let"/m)
  const cash = await of(change('date', "DATE '2025-02-21'", "transaction_id = 'pay' AND account = 'bank'"))
  assert.match(cash.join('\n'), /^2 of the postings of the derived cash basis .*600\.00 of entry "pay"/m)
  for (const early of [
    change('date', "DATE '2025-01-09'", `${OF_PAYMENT} 'repairs'`),
    change('amount', '-700', `${OF_PAYMENT} 'repairs'`),
    change('account', "'rent'", `${OF_PAYMENT} 'repairs'`),
  ])
    assert.match(
      (await of(early)).join('\n'),
      /^1 of the lines of income.* for more than they hold, or before/m,
    )
})

test('a column that no such file has, and columns in another order', async (context) => {
  const of = (query: string) => told(context, context.settled, query)
  const added = await of("SELECT *, 'clean' AS opinion FROM t ORDER BY seq")
  assert.match(
    added.join('\n'),
    /^books\/postings\.parquet has the columns .*row, opinion; its format has seq, /m,
  )
  const moved = await of("SELECT COLUMNS(name -> name <> 'seq'), seq FROM t ORDER BY seq")
  assert.match(
    moved.join('\n'),
    /^books\/postings\.parquet has the columns basis, .*row, seq; its format has seq, /m,
  )
})

/** Writes over a day wherever the footer states it. */
const statesDay = (from: string, to: string) => (bytes: Buffer) => {
  const [was, is] = [from, to].map((day) => Buffer.from(Int32Array.of(Date.parse(day) / 86_400_000).buffer))
  const begin = bytes.length - 8 - bytes.readUInt32LE(bytes.length - 8)
  let changed = 0
  for (let at = bytes.indexOf(was!, begin); at >= 0; at = bytes.indexOf(was!, at + 1), changed++)
    is!.copy(bytes, at)
  assert.ok(changed > 0)
}

test('statistics that hide rows from a query, while every sum has them', async (context) => {
  const { settled } = context
  const says = (column: string) =>
    `has statistics of ${column} that do not follow from its rows: queries pass over some`
  const last = await told(context, settled, null, 'postings.parquet', {
    forge: statesDay('2025-03-21', '2025-01-05'),
  })
  assert.equal(last, [
    `books/postings.parquet ${says('date')}`,
    `books/postings.parquet ${says('source_date')}`,
  ])
  const noText = await told(context, settled, null, 'postings.parquet', {
    forge: async (bytes, db) => {
      const { least } = await db.row<{ least: string }>(
        "SELECT stats_min_value AS least FROM chunk WHERE path_in_schema = 'memo'",
      )
      assert.ok(bytes.lastIndexOf(least) > 0)
      bytes.write('ff', bytes.lastIndexOf(least), 'hex')
    },
  })
  assert.equal(noText, [`books/postings.parquet ${says('memo')}`])
  const many = 'FROM (SELECT t.* FROM t, range(200))'
  const filtered = await told(context, settled, many, 'postings.parquet', { filters: true })
  assert.ok(
    filtered.includes(`books/postings.parquet ${says('basis')}`),
    'no program writes this Bloom filter',
  )
  const ofOpenings = (forge: Forgery['forge'] = () => {}) =>
    told(context, settled, many, 'openings.parquet', { filters: true, forge })
  assert.not.match((await ofOpenings()).join('\n'), /has statistics/)
  const emptied = await ofOpenings(async (bytes, db) => {
    const { at, length } = await db.row<{ at: string; length: string }>(
      "SELECT bloom_filter_offset AS at, bloom_filter_length AS length FROM chunk WHERE path_in_schema = 'account'",
    )
    bytes.fill(0, Number(at) + Number(length) - 32, Number(at) + Number(length))
  })
  assert.ok(emptied.includes(`books/openings.parquet ${says('account')}`), emptied.join('\n'))
})

test('what nobody changed is verified', async (context) => {
  for (const from of [context.settled, context.itemised]) assert.equal(await told(context, from, null), [])
})
