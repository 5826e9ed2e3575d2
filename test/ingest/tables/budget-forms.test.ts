/** What a budget's sheet counts its figures in, and with which signs it writes costs. */

import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { recognise } from '../../../builder/ingest/add/recognise.ts'
import { scaleIn, withoutScale } from '../../../builder/ingest/text/scale.ts'
import { suite } from '../../suite.ts'
import { cases } from '../../support/case-file.ts'
import { figures, inFolder, ingestBudget, ingestWith, workbook } from '../folder.ts'

const forms = suite('forms of budgets')

forms('texts that say what figures are counted in', () => {
  for (const text of [
    '(in thousands of USD)',
    "USD '000",
    '$000s',
    "($000's)",
    'TSEK',
    'in k€',
    'EUR k',
    'Belopp i tkr',
    'Beträge in Tausend EUR',
    'Montants en milliers',
    'Amounts in USD thousands',
    'Budget 2026 (kSEK)',
  ])
    assert.is(scaleIn(text), 1000, text)
  for (const text of ['in millions', 'MSEK', 'Mio. EUR', '€m', 'USD mn', 'mkr', 'Budget i miljoner kronor'])
    assert.is(scaleIn(text), 1_000_000, text)
  for (const text of [
    'Thousand Oaks Ltd',
    'MALL',
    'TALL',
    '10,000',
    'Account 5000',
    'Kr 1000',
    'FR 000',
    'R&M 2025',
    'Marketing',
    'USD',
    '',
  ])
    assert.is(scaleIn(text), null, text)
  assert.is(withoutScale('Jan 2025 ($000)'), 'Jan 2025')
  assert.is(withoutScale('TSEK 2025-01'), '2025-01')
})

forms('header, note below the rows, sheet and file name say it too', async () => {
  assert.equal(figures(await ingestBudget('account,2025-01 (k$)\n4000,18\n')), ['i1 2025-01 18000.00'])
  assert.equal(
    figures(await ingestBudget('account,2025-01\n4000,1.2345678\nAmounts in millions of USD,\n')),
    ['i1 2025-01 1234567.80'],
  )
  const sheet = await ingestBudget(
    await workbook({
      TUSD: [
        ['account', '2025-01'],
        ['4000', 18],
      ],
      Notes: [],
    }),
  )
  assert.equal(figures(sheet), ['i1 2025-01 18.00'], 'a single sheet is named by its file')
  const file = await ingestWith(
    { budgets: [{ id: 'b', name: 'B', files: 'b (TUSD).csv' }] },
    { 'b (TUSD).csv': 'account,2025-01\n4000,18\n' },
  )
  assert.equal(figures(file), ['i1 2025-01 18000.00'])
})

forms('tieout add reads both, for their owner to check', () =>
  inFolder(
    {
      'b.csv':
        'Budget,,\n(in thousands of EUR),,\naccount,2025-01,2025-02\n4000,18,19\n5000,(6),(6)\n6000,(10),(10)\nNet,2,3\nShare capital,9,9\n',
    },
    async (folder) => {
      const known = await recognise(join(folder, 'b.csv'))
      assert.is(known.kind, 'budget')
      if (known.kind !== 'budget') return
      assert.equal(known.figures.scale, { scale: 1000, text: '(in thousands of EUR)' })
      assert.is(known.figures.sign?.sign, 'costs-negative')
      assert.is(known.figures.hasEquity, true)
    },
  ),
)

cases(forms, new URL('cases/budget-forms.yaml', import.meta.url))
