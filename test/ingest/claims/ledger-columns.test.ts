/** Columns that nobody reads are asked where they may change what rows mean, and are harmless else. */

import * as assert from 'uvu/assert'
import type { Ingested } from '../../../builder/ingest/ingest.ts'
import { suite } from '../../suite.ts'
import { ingestWith } from '../folder.ts'

const columns = suite('columns that nobody reads')

const LINES = [
  ['1', '2025-01-05', '1000', '700.00', ''],
  ['1', '2025-01-05', '4000', '', '700.00'],
  ['2', '2025-01-20', '1000', '900.00', ''],
  ['2', '2025-01-20', '4000', '', '900.00'],
]
const HEADER = ['transaction_id', 'date', 'account', 'debit', 'credit']

/** The ledger with one more column. */
const withColumn = (header: string, values: readonly string[]): string =>
  [[...HEADER, header], ...LINES.map((line, i) => [...line, values[i] ?? ''])]
    .map((row) => `${row.join(',')}\n`)
    .join('')

const found = ({ findings }: Ingested, severity: 'error' | 'warning') =>
  findings.filter((each) => each.severity === severity).map(({ code, message }) => `${code}: ${message}`)

const reading = (
  header: string,
  values: readonly string[],
  answer: object = {},
): Promise<{ errors: string[]; warnings: string[]; remedy: string | null }> =>
  ingestWith(
    { ledger: [{ files: 'ledger.csv', ...answer }] },
    { 'ledger.csv': withColumn(header, values) },
    (intake) => ({
      errors: found(intake, 'error'),
      warnings: found(intake, 'warning'),
      remedy: intake.findings.find(({ code }) => code === 'meaning-of-column')?.remedy ?? null,
    }),
  )

const DRAFT = ['Posted', 'Posted', 'Draft', 'Draft']

columns('a status that tells drafts is asked, with its values and the lines that answer', async () => {
  const { errors, warnings, remedy } = await reading('Status', DRAFT)
  assert.equal(errors, [
    'meaning-of-column: "Status" holds Posted (2), Draft (2): do all of these rows count?',
  ])
  assert.equal(warnings, [])
  assert.match(remedy!, /"count: \{ Status: \[Posted\] \}" and "skip: \{ Status: \[Draft\] \}"/)
  assert.match(remedy!, /"ignore: Status"|"ignore: \[Status\]"/)
})

columns('each answer is taken: skip, count and skip, ignore', async () => {
  for (const answer of [
    { skip: { Status: 'Draft' } },
    { skip: { status: ['draft'] }, count: { Status: ['Posted'] } },
    { ignore: ['Status'] },
    { ignore: 'status' },
  ])
    assert.equal((await reading('Status', DRAFT, answer)).errors, [], JSON.stringify(answer))
})

columns('a value that the answers do not name is asked again', async () => {
  const answer = { skip: { Status: ['Draft'] }, count: { Status: ['Posted'] } }
  const { errors } = await reading('Status', ['Posted', 'Posted', 'Draft', 'Parked'], answer)
  assert.equal(errors, ['meaning-of-column: "Status" holds Parked (1): do all of these rows count?'])
  const only = await reading('Status', ['Posted', 'Posted', 'Void', 'Draft'], { skip: { Status: 'Draft' } })
  assert.equal(only.errors, ['meaning-of-column: "Status" holds Void (1): do all of these rows count?'])
})

const ASKED: readonly (readonly [header: string, values: readonly string[]])[] = [
  ['Posting', ['Yes', 'Yes', 'No', 'No']],
  ['Posted', ['2025-01-05', '2025-01-05', '', '']],
  ['Voided', ['', '', 'x', 'x']],
  ['Bokförd', ['Ja', 'Ja', 'Nej', 'Nej']],
  ['Statut', ['Comptabilisé', 'Comptabilisé', 'Brouillon', 'Brouillon']],
  ['Stato', ['Registrato', 'Registrato', 'Bozza', 'Bozza']],
  ['Zustand', ['Gebucht', 'Gebucht', 'Storniert', 'Storniert']],
  ['Anmerkning', ['Bogført', 'Bogført', 'Kladde', 'Kladde']],
  ['Scenario', ['Actual', 'Actual', 'Budget', 'Budget']],
  ['ACTUAL_FLAG', ['A', 'A', 'B', 'B']],
  ['Company', ['Acme Ltd', 'Acme Ltd', 'Beta Ltd', 'Beta Ltd']],
  ['Unit', ['kUSD', 'kUSD', 'kUSD', 'kUSD']],
  ['Währung', ['USD', 'USD', 'EUR', 'EUR']],
  ['Exchange rate', ['1', '1', '1.1', '1.1']],
  ['Amount (LCY)', ['700', '-700', '990', '-990']],
  ['Debit (Base)', ['700.00', '', '990.00', '']],
  ['Sort', ['x', 'x', 'YTD', 'YTD']],
  ['Document type', ['Invoice', 'Invoice', 'Sales Order', 'Sales Order']],
  ['Art', ['Rechnung', 'Rechnung', 'Angebot', 'Angebot']],
]
const HARMLESS: readonly (readonly [header: string, values: readonly string[]])[] = [
  ['Status', ['Posted', 'Posted', 'Posted', 'Posted']],
  ['Posted', ['Yes', 'Yes', 'Yes', 'Yes']],
  ['Voided', ['No', 'No', '', '']],
  ['Payment status', ['Paid', 'Paid', 'Unpaid', 'Unpaid']],
  ['Reconciliation status', ['open', 'open', 'R', 'R']],
  ['Scenario', ['Actual', 'Actual', 'Actual', 'Actual']],
  ['Company', ['Acme Ltd', 'Acme Ltd', 'Acme Ltd', 'Acme Ltd']],
  ['Currency Code', ['USD', 'USD', '', '']],
  ['Exchange rate', ['1', '1.000', '1', '1']],
  ['Amount (LCY)', ['700', '-700', '900', '-900']],
  ['Amount in foreign currency', ['700', '-700', '820', '-820']],
  ['Unit', ['pcs', 'pcs', 'hours', 'hours']],
  ['Posting group', ['Draft beer', 'DOMESTIC', 'EXPORT', 'EU']],
  ['Posted by', ['ann', 'ann', 'bob', 'bob']],
  ['Tax base amount', ['560', '560', '720', '720']],
  ['Customer', ['Ann', 'Ann', 'Bob', 'Bob']],
]

columns('what may change the meaning of rows is asked, in any of the languages read', async () => {
  for (const [header, values] of ASKED) {
    const { errors } = await reading(header, values)
    assert.equal(errors.length, 1, `${header}: ${errors.join(' | ')}`)
    assert.match(errors[0]!, /^meaning-of-column: /)
    assert.equal((await reading(header, values, { ignore: header })).errors, [], header)
  }
})

columns('what cannot change them is not asked', async () => {
  for (const [header, values] of HARMLESS) {
    const { errors, warnings } = await reading(header, values)
    assert.equal([errors, warnings], [[], [`columns-not-read: not read: "${header}"`]], header)
  }
})
