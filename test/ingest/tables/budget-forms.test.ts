/** What a budget's sheet counts its figures in, and with which signs it writes costs. */

import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { recognise } from '../../../builder/ingest/add/recognise.ts'
import { scaleIn, withoutScale } from '../../../builder/ingest/text/scale.ts'
import { suite } from '../../suite.ts'
import { buildWith, companyYaml, ledgerCsv } from '../../support/workspace.ts'
import { codes, figures, inFolder, ingestBudget, ingestWith, only, workbook } from '../folder.ts'

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

forms('a title that says thousands is followed, and said to be', async () => {
  const text = 'Plan 2025,\n(in thousands of USD),\naccount,2025-01\n4000,18\n6000,16.5\n'
  const read = await ingestBudget(text)
  assert.equal(figures(read), ['i1 2025-01 18000.00', 'e1 2025-01 16500.00'])
  const found = only(read.findings, 'scale-read')
  assert.equal([found.severity, found.row, found.text], ['warning', 2, '(in thousands of USD)'])
  assert.equal(codes((await ingestBudget(text, { scale: 1000 })).findings), [])
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

forms('sheet and company.yaml must agree, and so must the texts of one sheet', async () => {
  const found = only(
    (await ingestBudget("USD '000,\naccount,2025-01\n4000,18\n", { scale: 1 })).findings,
    'scale-differs',
  )
  assert.equal([found.severity, found.row], ['error', 1])
  assert.match(found.remedy!, 'scale: 1000')
  const two = await ingestBudget('in thousands,\naccount,2025-01\n4000,18\nin millions,\n')
  assert.is(only(two.findings, 'scale-unclear').severity, 'error')
})

forms('what a sheet in thousands cannot say in full units is refused, not rounded', async () => {
  const read = await ingestBudget('account,2025-01\n4000,18.123456\n', { scale: 1000 })
  assert.match(only(read.findings, 'too-many-decimals').message, '1,000 USD')
})

forms('signs: costs in brackets, as a ledger, as a result', async () => {
  const rows = (sales: string, rent: string) =>
    `account,2025-01\n4000,${sales}\n6000,${rent}\n1000,5\n2000,${sales.startsWith('-') ? '-3' : '3'}\n`
  const natural = ['i1 2025-01 18.00', 'e1 2025-01 16.00', 'a1 2025-01 5.00', 'l1 2025-01 3.00']
  assert.equal(figures(await ingestBudget(rows('18', '16'))), natural)
  assert.equal(figures(await ingestBudget(rows('18', '(16)'), { sign: 'costs-negative' })), natural)
  assert.equal(figures(await ingestBudget(rows('-18', '16'), { sign: 'debit-positive' })), natural)
  const credit = await ingestBudget('account,2025-01\n4000,18\n6000,-16\n1000,-5\n2000,3\n', {
    sign: 'credit-positive',
  })
  assert.equal(figures(credit), natural)
})

forms('a result that only holds with costs written negative says so', async () => {
  const text = 'account,2025-01\n4000,18\n6000,(16)\nNet income,2\n'
  const found = only((await ingestBudget(text)).findings, 'sign-differs')
  assert.match(
    found.message,
    '"Net income" is 2.00; with costs counted against income the rows above it give 34.00',
  )
  assert.match(found.remedy!, '"sign: costs-negative"')
  const stated = await ingestBudget(text, { sign: 'costs-negative' })
  assert.equal(codes(stated.findings), ['total-left-out'])
  assert.equal(figures(stated), ['i1 2025-01 18.00', 'e1 2025-01 16.00'])
  assert.is(
    only(
      (await ingestBudget('account,2025-01\n4000,-18\n6000,16\nNet income,2\n')).findings,
      'sign-differs',
    ).remedy?.includes('debit-positive'),
    true,
  )
})

const LEDGER = ledgerCsv(
  '1 2025-01-15 bank 18000.00; 1 2025-01-15 sales -18000.00; 2 2025-01-16 rent 16000.00; 2 2025-01-16 bank -16000.00',
)
const built = (plan: string, settings: string) =>
  buildWith(
    {
      'company.yaml': companyYaml(
        `budgets: [{ id: plan, name: Plan, files: plan.csv${settings} }]\nopening: none`,
      ),
      'ledger.csv': LEDGER,
      'plan.csv': plan,
    },
    ({ result, statement }) => ({
      codes: codes(result.findings).filter((code) => code.startsWith('budget')),
      netIncome:
        result.outcome === 'published'
          ? statement('ProfitAndLoss', { budgetId: 'plan' }).totals.NetIncome
          : null,
    }),
  )

forms('against the books: an opposite sign, and income that is a thousandth, are warnings', async () => {
  const plan = 'account,2025-01\nsales,18\nrent,(16)\n'
  assert.equal(await built(plan, ''), { codes: ['budget-scale', 'budget-sign'], netIncome: ['34.00'] })
  assert.equal(await built(plan, ', scale: 1000, sign: costs-negative'), {
    codes: [],
    netIncome: ['2000.00'],
  })
  assert.equal((await built('account,2025-01\nsales,18\nrent,16\n', ', scale: 1')).codes, [])
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
