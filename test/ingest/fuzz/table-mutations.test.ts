/**
 * Ledgers as tables, plain-text exports and the Audit Data Standard, changed in every simple way: what moves a figure is
 * refused or told of. A ledger that states nothing but that its entries add up to zero cannot tell which entries are missing:
 * the pages of datasets/formats say so.
 */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { judge, type Mutation, mutationsOf, sampled, shownMutation } from '../../support/mutations.ts'
import { CHART, companyYaml, type Files } from '../../support/workspace.ts'
import { seedOf } from './corpus.ts'

const test = suite('mutations of tables')

const MOST = 28

interface Case {
  readonly name: string
  readonly files: Files
  readonly path: string
  readonly entryOf: (line: string) => string | null
  /** Nothing in such a file contradicts that an entry, or its end, is missing. */
  readonly isUnstated?: (mutation: Mutation) => boolean
}

const cell = (separator: string, index: number) => (line: string) => {
  const text = line.split(separator)[index]?.trim() ?? ''
  return /\d/.test(text) ? text : null
}

const isMissingEntry = ({ kind, what }: Mutation): boolean =>
  kind === 'cut' || (kind === 'deleted' && what.startsWith('entry '))

const MAPPED = [
  'Posting Date,Doc,G/L,Side,Value,Text',
  ...[1, 2, 3, 4].flatMap((n) => [
    `2025-0${n}-10,JE-${n},1000,D,${n}25.50,Sale ${n}`,
    `2025-0${n}-10,JE-${n},4000,C,${n}25.50,Sale ${n}`,
  ]),
  '',
].join('\n')

const CASES: readonly Case[] = [
  {
    name: 'canonical CSV',
    files: seedOf('tables'),
    path: 'ledger.csv',
    entryOf: cell(',', 0),
    isUnstated: isMissingEntry,
  },
  {
    name: 'a mapped ledger',
    files: {
      'company.yaml': companyYaml(
        'ledger: [{ files: ledger.csv, basis: accrual, columns: { transaction_id: Doc, date: Posting Date, account: G/L, direction: Side, amount: Value, memo: Text } }]',
      ),
      'chart.csv': CHART,
      'ledger.csv': MAPPED,
    },
    path: 'ledger.csv',
    entryOf: cell(',', 1),
    isUnstated: isMissingEntry,
  },
  {
    name: 'hledger',
    files: seedOf('plain-text'),
    path: 'main.journal.csv',
    entryOf: cell(',', 0),
    isUnstated: isMissingEntry,
  },
  // Its trial balance states what every account begins and ends at.
  {
    name: 'the Audit Data Standard',
    files: seedOf('ads'),
    path: 'GL_Detail_20250101_20251231.txt',
    entryOf: cell('|', 0),
  },
]

for (const { name, files, path, entryOf, isUnstated = () => false } of CASES)
  test(`${name}: what moves a figure is told of`, async () => {
    const all = mutationsOf(Buffer.from(files[path]!), { entryOf })
    const judged = await judge(files, path, sampled(all, MOST))
    const silent = judged.filter(({ verdict }) => verdict === 'silent').map(({ mutation }) => mutation)
    assert.equal(silent.filter((mutation) => !isUnstated(mutation)).map(shownMutation), [])
    for (const verdict of ['same', 'told']) assert.ok(judged.some((each) => each.verdict === verdict))
  })

test.run()
