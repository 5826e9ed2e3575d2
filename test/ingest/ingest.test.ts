/** All sources of a company together: what wins where two speak, what is hashed, where findings point. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { sha256 } from '../../builder/system/hash.ts'
import { suite } from '../suite.ts'
import { column, fields } from '../support/fields.ts'
import { CHART, codes, ingestWith, only } from './folder.ts'

const all = suite('ingest')

const SIE = `#FLAGGA 0
#FORMAT PC8
#SIETYP 4
#PROGRAM "p" 1
#GEN 20250101
#FNAMN "Harbor"
#VALUTA USD
#RAR 0 20250101 20251231
#KONTO 1930 "Bank"
#KONTO 3000 "Sales"
#DIM 1 "Cost centre"
#OBJEKT 1 "10" "Shop"
#PBUDGET 0 202501 3000 {} -50.00
#IB 0 1930 0.00
#UB 0 1930 100.00
#RES 0 3000 -100.00
#VER A 1 20250115 "Sale"
{
#TRANS 1930 {} 100.00
#TRANS 3000 {"1" "10"} -100.00
}
`

all('a canonical company, whole', async () => {
  const intake = await ingestWith(
    {
      classes: 'classes.csv',
      budgets: [{ id: 'op', name: 'Operating', files: 'budget.csv' }],
      nonFinancial: [{ id: 'heads', name: 'Headcount', aggregation: 'average' }],
      metrics: [{ files: 'metrics.csv' }],
      fiscalYears: [{ start: '2025-01-01', end: '2025-12-31' }],
    },
    {
      'classes.csv': 'id,name\nN,North\n',
      'budget.csv': 'account,2025-01\n4000,1\n',
      'metrics.csv': 'metric,2025-01,budget\nheads,1,op\n',
    },
    (found, folder) => {
      for (const source of found.sources)
        assert.equal(
          [source.sha256, source.bytes],
          [sha256(readFileSync(join(folder, source.file))), readFileSync(join(folder, source.file)).length],
        )
      return found
    },
  )
  assert.equal(codes(intake.findings), [])
  assert.equal(fields(intake.sources, 'file', 'role', 'rows'), [
    ['company.yaml', 'configuration', null],
    ['chart.csv', 'chart', 5],
    ['classes.csv', 'classes', 1],
    ['ledger.csv', 'ledger', null],
    ['budget.csv', 'budget', 1],
    ['metrics.csv', 'metrics', 1],
  ])
  assert.equal(
    [intake.accounts, intake.classes, intake.departments, intake.ledger, intake.budgets, intake.metrics].map(
      (rows) => rows.length,
    ),
    [5, 1, 0, 1, 1, 1],
  )
  assert.equal(intake.fiscalYears, [{ start: '2025-01-01', end: '2025-12-31' }])
})

all('SIE needs no chart; its accounts, members, years and budget are the company’s', async () => {
  const intake = await ingestWith(
    { chartOfAccounts: undefined, ledger: [{ files: 'y.se' }] },
    { 'y.se': SIE },
  )
  assert.equal(
    intake.findings.filter(({ severity }) => severity === 'error'),
    [],
  )
  assert.equal(column(intake.accounts, 'id'), ['1930', '3000'])
  assert.equal(column(intake.departments, 'id'), ['10'])
  assert.equal(intake.fiscalYears, [{ start: '2025-01-01', end: '2025-12-31' }])
  assert.equal(
    intake.budgets.map(({ rows }) => [...rows].map(({ account, month, amount }) => [account, month, amount])),
    [[['3000', '2025-01', '50.00']]],
  )
  assert.equal(fields(intake.sources, 'file', 'role', 'rows'), [
    ['company.yaml', 'configuration', null],
    ['y.se', 'ledger', 2],
  ])
})

all('a chart and lists beside SIE win over what it declares', async () => {
  const intake = await ingestWith(
    {
      ledger: [{ files: 'y.se' }],
      departments: 'departments.csv',
      fiscalYears: [{ start: '2025-01-01', end: '2026-03-31' }],
    },
    {
      'y.se': SIE,
      'chart.csv': 'id,name,classification,type\n3000,Fees,OtherIncome,\n3,Heading,OtherIncome,\n',
      'departments.csv': 'id,name,parent\nT,Trade,\n10,Store,T\n',
    },
  )
  assert.equal(fields(intake.accounts, 'id', 'name', 'classification', 'file'), [
    ['3000', 'Fees', 'OtherIncome', 'chart.csv'],
    ['3', 'Heading', 'OtherIncome', 'chart.csv'],
    ['1930', 'Bank', 'Asset', 'y.se'],
  ])
  assert.equal(fields(intake.departments, 'id', 'name', 'parentId'), [
    ['T', 'Trade', null],
    ['10', 'Store', 'T'],
  ])
  assert.is(intake.fiscalYears[0]!.end, '2026-03-31')
})

all('a canonical ledger beside SIE: both are read', async () => {
  const intake = await ingestWith(
    { ledger: [{ files: 'y.se' }, { files: 'ledger.csv', basis: 'cash' }] },
    { 'y.se': SIE },
  )
  assert.equal(fields(intake.ledger, 'file', 'kind', 'basis'), [
    ['y.se', 'csv', 'ACCRUAL'],
    ['ledger.csv', 'csv', 'CASH'],
  ])
})

all('a budget id that the SIE file has already', async () => {
  const intake = await ingestWith(
    { ledger: [{ files: 'y.se' }], budgets: [{ id: 'budget', name: 'B', files: 'b.csv' }] },
    { 'y.se': SIE, 'b.csv': 'account,2025-01\n3000,1\n' },
  )
  assert.is(only(intake.findings, 'duplicate-id').column, 'budgets.0.id')
})

all('findings about company.yaml carry the line of their key', async () => {
  const lines = await ingestWith(
    {
      ledger: [{ files: 'ledger.csv' }, { files: 'none-*.csv' }],
      cashFlow: { 1500: 'Investing', 77: 'Cash' },
    },
    {},
    (intake, folder) => {
      const text = readFileSync(join(folder, 'company.yaml'), 'utf8').split('\n')
      return intake.findings.map(({ code, row }) => [code, text[row! - 1]!.trim()])
    },
  )
  assert.equal(lines, [
    ['no-such-file', '- files: none-*.csv'],
    ['unknown-account', '"77": Cash'],
  ])
})

all('everything wrong is said at once, over all files', async () => {
  const intake = await ingestWith(
    {
      classes: 'classes.csv',
      departments: 'missing.csv',
      ledger: [{ files: 'ledger.csv' }, { files: 'l2.csv' }],
      budgets: [{ id: 'b', name: 'B', files: 'b.xlsx' }],
      metrics: [{ files: 'm.csv' }],
    },
    {
      'chart.csv': `${CHART}x,,,Nope,\n`,
      'classes.csv': 'id,name\nall,All\n',
      'l2.csv': 'date\n',
      'b.xlsx': Buffer.from('PK\x03\x04 cut off'),
      'm.csv': 'metric,2025-01\nheads,1\n',
    },
  )
  assert.equal(codes(intake.findings).sort(), [
    'empty-name',
    'missing-column',
    'missing-column',
    'missing-column',
    'no-such-file',
    'reserved-id',
    'unknown-classification',
    'unknown-metric',
    'unreadable-xlsx',
  ])
  for (const { message, remedy, file } of intake.findings) assert.ok(message && remedy && file)
})
