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

/** Header, what it says of the rows of one entry, and of those of the other; or of each row. */
const ASKED: readonly (readonly [header: string, ...values: string[]])[] = [
  ['Status', 'Approved', 'Voided'],
  ['Document status', 'P', 'U'],
  ['Statut', 'Comptabilisé', 'Brouillon'],
  ['Buchungsstatus', 'Gebucht', 'Storniert'],
  ['Bokföringsstatus', 'Bokförd', 'Makulerad'],
  ['Status', 'Geboekt', 'Concept'],
  ['Estado del asiento', 'Contabilizado', 'Borrador'],
  ['Situação', 'Lançado', 'Estornado'],
  ['Stato', 'Registrato', 'Bozza'],
  ['Zustand', 'Gebucht', 'Storniert'],
  ['Anmerkning', 'Bogført', 'Kladde'],
  ['Remarks', 'ok', 'void'],
  ['Posting', 'Yes', 'No'],
  ['Posted', 'TRUE', 'FALSE'],
  ['Posted', '2025-01-05', ''],
  ['Gebucht', 'Ja', 'Nein'],
  ['Bokförd', 'Ja', 'Nej'],
  ['Comptabilisé', 'Oui', 'Non'],
  ['Voided', '', 'x'],
  ['Annullerad', '', 'X'],
  ['Storniert', 'Nein', 'Ja'],
  ['Deleted', 'false', 'true'],
  ['Scenario', 'Actual', 'Budget'],
  ['Szenario', 'Ist', 'Prognose'],
  ['Escenario', 'Real', 'Presupuesto'],
  ['Scénario', 'Réalisé', 'Prévision'],
  ['Version', 'Utfall', 'Budget'],
  ['ACTUAL_FLAG', 'A', 'B'],
  ['Kind', 'x', 'Forecast'],
  ['Company', 'Acme Ltd', 'Beta Ltd'],
  ['Buchungskreis', '1000', '2000'],
  ['Bolag', 'Acme AB', 'Beta AB'],
  ['Société', 'Acme SA', 'Beta SA'],
  ['Legal entity', 'A', 'B'],
  ['Unit', 'kUSD', 'kUSD'],
  ['Enhet', 'TSEK', 'TSEK'],
  ['Skala', '1', 'thousands'],
  ['Period type', 'Month', 'YTD'],
  ['Periodentyp', 'Monat', 'kumuliert'],
  ['Währung', 'USD', 'EUR'],
  ['Exchange rate', '1', '1.1'],
  ['Amount (LCY)', '700', '-700', '990', '-990'],
  ['Debit (Base)', '700.00', '', '990.00', ''],
  ['Document type', 'Invoice', 'Sales Order'],
  ['Art', 'Rechnung', 'Angebot'],
  // Columns that are read say it too.
  ['Type', 'Invoice', 'Quote'],
  ['Type', 'Rechnung', 'Entwurf'],
  ['Journal', 'Sales', 'Budget'],
  ['Journal', 'Ventes', 'Simulation'],
  ['Ledger', '0L', '2L'],
  ['État', 'Validé', 'Brouillard'],
  ['Journal type', 'General', 'Simulation'],
  ['Document status', '', 'V'],
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
  for (const [header, ...given] of ASKED) {
    const [usual, other] = given as [string, string]
    const values = given.length === 2 ? [usual, usual, other, other] : given
    const { errors } = await reading(header, values)
    assert.equal(errors.length, 1, `${header}: ${errors.join(' | ')}`)
    assert.ok(errors[0]!.startsWith(`meaning-of-column: "${header}" `), errors[0])
    assert.equal((await reading(header, values, { ignore: header })).errors, [], header)
    // Of all rows it says that they count.
    if (given.length === 2 && usual !== other)
      assert.equal((await reading(header, [usual, usual, usual, usual])).errors, [], header)
  }
})

columns('a column that is read is not told as one that nobody reads', async () => {
  for (const header of ['Type', 'Journal']) {
    const { errors, warnings } = await reading(header, ['Invoice', 'Invoice', 'Payment', 'Payment'])
    assert.equal([errors, warnings], [[], []], header)
  }
})

columns('a title that says that no row is one of the books as they are is asked', async () => {
  const meanings = ['Draft', 'Utkast', 'Entwurf', 'Brouillon', 'Cumulative', 'Kumuliert', 'Year to date']
  const plans = ['Budget 2025', 'Forecast', 'Presupuesto', 'Previsión', 'Prognos']
  for (const title of [...meanings, ...plans, 'Amounts in thousands of USD', 'TSEK', 'kUSD'])
    await ingestWith({}, { 'ledger.csv': `${title},,,,\n${withColumn('Text', [])}` }, (intake) => {
      const [told, ...others] = found(intake, 'error')
      assert.equal(others, [], title)
      assert.match(told!, title)
    })
})

columns('a title that says another currency than the company has is asked', async () => {
  const titled = (title: string, settings: object = {}) =>
    ingestWith(settings, { 'ledger.csv': `${title},,,,\n${withColumn('Text', [])}` }, (intake) =>
      found(intake, 'error').filter((told) => told.startsWith('meaning-of-title')),
    )
  for (const title of [
    'Currency: EUR',
    'All amounts in EUR',
    'Ledger 2025 (€)',
    'Beträge in vollen EUR',
    'EUR',
  ])
    assert.equal((await titled(title)).length, 1, title)
  for (const title of [
    'Currency: USD',
    'Amounts in $',
    'Acme EUR Holding',
    'EUR and USD (in USD)',
    'Paid in full',
  ])
    assert.equal(await titled(title), [], title)
})

columns('what cannot change them is not asked', async () => {
  for (const [header, values] of HARMLESS) {
    const { errors, warnings } = await reading(header, values)
    assert.equal([errors, warnings], [[], [`columns-not-read: not read: "${header}"`]], header)
  }
})
