/**
 * Tables, workbooks and plain-text exports, changed in every simple way: what moves a figure is refused or told of. A ledger
 * that states nothing but that its entries add up to zero cannot tell which entries are missing: the pages of datasets/formats
 * say so.
 */

import * as assert from 'uvu/assert'
import { alike } from '../../seed.ts'
import { suite } from '../../suite.ts'
import { CHART, companyYaml } from '../../support/workspace.ts'
import { type Parts, parsers, seedOf } from './corpus.ts'
import { cellOf, type FileRule, hold, holdCorpus, isJudging, isMissingEntry } from './held.ts'
import { AUDIT_FILES, REPORTS, TABLES } from './mutation-rules.ts'

const test = suite('mutations of tables')

for (const [corpus, rules] of alike(Object.entries(TABLES)))
  test(`${corpus}: what moves a figure is told of`, () => holdCorpus(corpus, rules, 3))

const MAPPED = [
  'Posting Date,Doc,G/L,Side,Value,Text',
  ...[1, 2, 3, 4].flatMap((n) => [
    `2025-0${n}-10,JE-${n},1000,D,${n}25.50,Sale ${n}`,
    `2025-0${n}-10,JE-${n},4000,C,${n}25.50,Sale ${n}`,
  ]),
  '',
].join('\n')
const MAP =
  '{ transaction_id: Doc, date: Posting Date, account: G/L, direction: Side, amount: Value, memo: Text }'

const PROVEN = companyYaml('trialBalance: [{ files: balances.csv, date: 2025-02-28 }]')
const ENTRIES = [
  'transaction_id,date,account,amount',
  '1,2025-01-15,bank,100.00',
  '1,2025-01-15,sales,-100.00',
  '2,2025-02-15,rent,40.00',
  '2,2025-02-15,bank,-40.00',
  '',
].join('\n')
const BALANCES = [
  'Trial balance of Acme',
  'Account,Debit,Credit',
  'Bank,60.00,',
  'Sales,,100.00',
  'Rent,40.00,',
  'Total,100.00,100.00',
  '',
].join('\n')

const company = (settings: string, files: Readonly<Record<string, string>>): Parts =>
  Object.fromEntries(
    Object.entries({ 'company.yaml': settings, 'chart.csv': CHART, ...files }).map(([path, text]) => [
      path,
      Buffer.from(text),
    ]),
  )

function balanceless(): Parts {
  const { 'Trial_Balance_20251231.txt': _, ...parts } = seedOf('ads')
  return { ...parts, 'company.yaml': Buffer.concat([parts['company.yaml']!, Buffer.from('opening: none\n')]) }
}

const CASES: Readonly<Record<string, readonly [Parts, string, FileRule]>> = {
  'a mapped ledger': [
    company(companyYaml(`ledger: [{ files: ledger.csv, basis: accrual, columns: ${MAP} }]`), {
      'ledger.csv': MAPPED,
    }),
    'ledger.csv',
    { entryOf: cellOf(1), isUnstated: isMissingEntry },
  ],
  'the Audit Data Standard without a trial balance': [
    balanceless(),
    'GL_Detail_20250101_20251231.txt',
    { entryOf: cellOf(0, '|'), isUnstated: isMissingEntry },
  ],
  // Beside a trial balance no entry can be missing.
  'a ledger with a trial balance': [
    company(PROVEN, { 'ledger.csv': ENTRIES, 'balances.csv': BALANCES }),
    'ledger.csv',
    { entryOf: cellOf(0) },
  ],
}
for (const [name, [parts, path, rule]] of alike(Object.entries(CASES)))
  test(`${name}: what moves a figure is told of`, async () => isJudging(await hold(parts, path, rule, 8)))

test('every corpus is in one of the tests', () => {
  assert.equal(Object.keys({ ...AUDIT_FILES, ...REPORTS, ...TABLES }).sort(), parsers())
})
