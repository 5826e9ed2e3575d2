/** company.yaml: what is read, and every mistake with its line. */

import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { matching } from '../../builder/books/read/marks.ts'
import { type Company, companySchema } from '../../builder/workspace/company.ts'
import type { Finding } from '../../builder/workspace/findings/finding.ts'
import { findFiles } from '../../builder/workspace/source-files.ts'
import { readCompany } from '../../builder/workspace/workspace.ts'
import { parseYaml } from '../../builder/workspace/yaml-file.ts'
import { suite } from '../suite.ts'
import { COMPANY, companyYaml, type Files, inWorkspace } from '../support/workspace.ts'

const test = suite('company.yaml')

const read = (text: string): Company => {
  const { value, findings } = parseYaml(text, 'company.yaml', companySchema)
  if (value === null) throw new Error(JSON.stringify(findings))
  return value
}
const mistakes = (text: string): readonly Finding[] => parseYaml(text, 'company.yaml', companySchema).findings
const places = (text: string): string[] =>
  mistakes(text).map(({ code, row, column }) => `${row} ${column}: ${code}`)

test('ids that look like numbers are the text that stands there', () => {
  const { opening, closing, cashFlow } = read(
    companyYaml(`opening: { transactions: [0001, 1, 12345678901234567890], references: [1.10, 1e3] }
closing: { accounts: [0899] }
cashFlow: { 0800: Investing }`),
  )
  assert.equal(opening?.transactions, ['0001', '1', '12345678901234567890'])
  assert.equal(opening?.references, ['1.10', '1e3'])
  assert.equal(closing?.accounts, ['0899'])
  assert.equal(cashFlow, { '0800': 'Investing' })
})

test('a file of settings takes time that grows with its size: repeated keys, aliases and unknown keys by the ten thousand', () => {
  const many = (line: (i: number) => string) => Array.from({ length: 40_000 }, (_, i) => line(i)).join('\n')
  assert.is(mistakes(companyYaml(many((i) => `k${i}: 1`))).length, 200, 'the first mistakes are named')
  assert.equal(
    mistakes(companyYaml(`x: &a [1]\n${many((i) => `k${i}: *a`)}`)).map(
      ({ code, message }) => `${code} ${message}`,
    ),
    ['yaml-alias aliases repeat values more than 1000 times'],
  )
  assert.equal(places(companyYaml('x: 1\nx: 2')).length, 1)
  assert.equal(places(`${companyYaml('currency: EUR')}a: {b: 1, c: 2, b: 3}\n`), ['8 null: yaml-syntax'])
})

test('a pattern that could be held against a name in millions of ways is refused, also of a table; others find their files', () =>
  inWorkspace({ [`${'a'.repeat(200)}.csv`]: '', 'x/y/2025-01 + (1)!(2).csv': '' }, async ({ datasets }) => {
    const found = async (pattern: string) => {
      const { files, findings } = await findFiles(join(datasets, COMPANY), pattern, 'ledger')
      return findings[0]?.code ?? files.length
    }
    for (const pattern of [
      '*a*a*a*a*a*a*a*b',
      '*a*a*a*b/*a*a*a*b',
      '**/a/**/a/**/a/**/b',
      '+(a*)b',
      '(a+)+b',
      '@(a|aa*)b',
      '{a,aa}{a,aa}{a,aa}{a,aa}b',
      '[a-z]'.repeat(20_000),
    ])
      assert.is(await found(pattern), 'pattern-too-wide', pattern)
    // Marks of files that hold openings are held against names of files, in one pass over each.
    assert.equal(matching([`${'a'.repeat(200)}c`], '*a*a*a*a*a*a*a*a*a*a*a*b'), [])
    const names = ['ledger/a-1.csv', 'ledger/b.xlsx#Sheet #1', 'a.csv', 'x/y/a-1.csv']
    assert.equal(matching(names, '*/*-*.csv'), ['ledger/a-1.csv'])
    assert.equal(matching(names, 'ledger/b*.xlsx'), ['ledger/b.xlsx#Sheet #1'])
    assert.equal(matching(names, 'ledger/b.xlsx#Sheet'), [])
    assert.equal(matching(['aba', 'a'], 'ab*ba'), [])
    for (const pattern of ['*a*a*a*.csv', '**/*.csv', 'x/y/2025-01 + (1)!(2).csv', 'x/*/2025-{01,02}*.csv'])
      assert.type(await found(pattern), 'number', pattern)
  }))

test('amounts keep their decimals', () => {
  const stated = (amount: string) =>
    read(companyYaml(`opening: { priorYearsNotClosed: ${amount} }`)).opening?.priorYearsNotClosed
  assert.is(stated('1151678.15'), '1151678.15')
  assert.is(stated('10.50'), '10.50')
  assert.is(stated('"-3.00"'), '-3.00')
  assert.equal(places(companyYaml('opening: { priorYearsNotClosed: 1e3 }')), [
    '7 opening.priorYearsNotClosed: invalid-setting',
  ])
})

test('books without opening balances say so, in one word', () => {
  assert.equal(read(companyYaml('opening: none')).opening, { none: true })
  assert.is(read(companyYaml('opening: { references: [OB] }')).opening?.none, undefined)
  for (const wrong of ['nothing', '[none]', '{ none: true }'])
    assert.is(mistakes(companyYaml(`opening: ${wrong}`)).length, 1, wrong)
  assert.is(
    mistakes(companyYaml('opening: nothing'))[0]?.message,
    'must be none, or a map of what marks the opening balances',
  )
})

test('a month is a month, with or without a leading zero', () => {
  assert.is(read(companyYaml('fiscalMonthEnd: 06')).fiscalMonthEnd, 6)
  for (const wrong of ['0', '13', '6.5', 'june', '"06 "', '-1'])
    assert.equal(
      mistakes(companyYaml(`fiscalMonthEnd: ${wrong}`)).map(({ column }) => column),
      ['fiscalMonthEnd'],
      wrong,
    )
})

test('all mistakes at once, each with its line', () => {
  const text = `id: Acme
name: Acme
fiscalMonthEnd: 13
currency: DOLLAR
ledger:
  - { files: a.csv, basis: accruals }
  - files: b.csv
    dellimiter: ";"
fiscalYears:
  - { start: 2024-02-30, end: 2024-12-31 }
  - { start: 2025-12-31, end: 2025-01-01 }
cashFlow: { "1000": Money }
nonFinancial: [{ id: x, name: X, aggregation: mean }]
lockDat: 2025-01-01
`
  assert.equal(places(text).sort(), [
    '1 id: invalid-setting',
    '10 fiscalYears.0.start: invalid-setting',
    '11 fiscalYears.1: invalid-setting',
    '12 cashFlow.1000: invalid-setting',
    '13 nonFinancial.0.aggregation: invalid-setting',
    '14 lockDat: unknown-key',
    '3 fiscalMonthEnd: invalid-setting',
    '4 currency: invalid-setting',
    '6 ledger.0.basis: invalid-setting',
    '8 ledger.1.dellimiter: unknown-key',
  ])
  for (const found of mistakes(text)) {
    assert.is(found.file, 'company.yaml')
    assert.is(found.severity, 'error')
  }
})

test('a missing key is told where it should stand', () => {
  assert.equal(places('id: acme\nname: Acme\nfiscalMonthEnd: 12\ncurrency: USD\n'), [
    '1 ledger: missing-setting',
  ])
  assert.equal(places(''), [
    '1 id: missing-setting',
    '1 name: missing-setting',
    '1 fiscalMonthEnd: missing-setting',
    '1 currency: missing-setting',
    '1 ledger: missing-setting',
  ])
})

test('what is no YAML is told with its line', () => {
  const [found] = mistakes('id: acme\nname: "Acme\n')
  assert.is(found?.code, 'yaml-syntax')
  assert.ok(found?.row === 2 || found?.row === 3)
  assert.equal(places('id: acme\nid: other\n').slice(0, 1), ['2 null: yaml-syntax'])
})

/** Message and remedy of the one mistake in these lines. */
const said = (more: string): string => {
  const found = mistakes(companyYaml(more))
  assert.is(found.length, 1, JSON.stringify(found))
  return [found[0]!.column, found[0]!.message, found[0]!.remedy].filter(Boolean).join(' | ')
}
for (const [what, more, expected] of [
  ['a choice', 'ledger: [{ files: a.csv, decimal: ";" }]', 'ledger.0.decimal | must be one of ".", ","'],
  ['a list that is none', 'budgets: b.csv', 'budgets | must be a list'],
  ['a map that is none', 'cashFlow: [x]', 'cashFlow | must be a map of keys'],
  ['a number of an account in a list', 'closing: { accounts: [true] }', 'closing.accounts.0 | must be text'],
  [
    'a table without its files',
    'chartOfAccounts: { sheet: A }',
    'chartOfAccounts.files | "files" is missing | add the key "files" here',
  ],
  [
    'a table with a misspelt key',
    'classes: { files: a.csv, sheets: A }',
    'classes.sheets | unknown key "sheets" | is "sheet" meant? correct its spelling, or remove it',
  ],
  [
    'a place that is no time zone',
    'timeZone: Stockholm',
    'timeZone | must be the name of a time zone such as Europe/Stockholm',
  ],
  [
    'an offset, which knows no summer',
    'timeZone: "+02:00"',
    'timeZone | must be the name of a time zone such as Europe/Stockholm',
  ],
  ['a far date', 'lockDate: 2999-12-31', 'lockDate | must lie between 1900 and 2199'],
  [
    'a key that is like no other',
    'opening: { balances: x }',
    'opening.balances | unknown key "balances" | remove it, or write one of files, references, journals, types, transactions, priorYearsNotClosed',
  ],
] as const)
  test(`${what} is said in words`, () => assert.is(said(more), expected))

test('a company.yaml in another encoding, or with a mark, or that is a folder', async () => {
  const readWith = (files: Files) => inWorkspace(files, async (workspace) => readCompany(workspace, 'acme'))
  const named = companyYaml('name: Müller')
  assert.is((await readWith({ 'company.yaml': `\ufeff${named}` })).value?.name, 'Müller')
  const latin = await readWith({ 'company.yaml': Buffer.from(named, 'latin1') })
  assert.is(latin.findings[0]?.code, 'undecodable-text')
  const folder = await readWith({ 'company.yaml/x': '' })
  assert.is(folder.findings[0]?.code, 'unreadable-file')
})

test('blanks that "add" left must be filled in', () => {
  const found = mistakes(companyYaml('name: FILL IN'))
  assert.equal(
    found.map(({ code, column }) => `${code} ${column}`),
    ['blank name'],
  )
})

test('the id is the name of the folder', async () => {
  const { value, findings } = await inWorkspace(
    { 'company.yaml': companyYaml('id: other') },
    async (workspace) => readCompany(workspace, 'acme'),
  )
  assert.is(value, null)
  assert.is(findings[0]?.code, 'company-id')
})

test('an unknown company is a finding', async () => {
  const { findings } = await inWorkspace({}, async (workspace) => readCompany(workspace, 'nobody'))
  assert.is(findings[0]?.code, 'unknown-company')
})
