/** Departments × months: a sheet for each department, a block for each within a sheet, or a column beside the accounts. */

import * as assert from 'uvu/assert'
import { suite } from '../../suite.ts'
import { codes, errors, type Files, ingestWith, only, workbook } from '../folder.ts'

const departments = suite('budgets by department')

const DEPARTMENTS = 'id,name\nshop,Shop\nyard,Yard & garden\n'
const read = (files: Files, settings: object = {}) =>
  ingestWith(
    {
      departments: 'departments.csv',
      budgets: [{ id: 'b', name: 'B', files: Object.keys(files)[0]!, ...settings }],
    },
    { ...files, 'departments.csv': DEPARTMENTS },
  )
type Intake = Awaited<ReturnType<typeof read>>
const figures = ({ budgets }: Intake) =>
  [...budgets[0]!.rows].map(
    ({ account, department, month, amount }) => `${account} ${department} ${month.slice(5)} ${amount}`,
  )

const EACH = [
  'i1 shop 01 10.00',
  'i1 shop 02 11.00',
  'e1 shop 01 4.00',
  'e1 shop 02 4.00',
  'i1 yard 01 20.00',
  'i1 yard 02 21.00',
  'e1 yard 01 5.00',
  'e1 yard 02 5.00',
]

const BLOCKS = `Budget,,
Shop,,
account,2025-01,2025-02
4000,10,11
6000,4,4
Total Shop,6,7
,,
Department: Yard & garden,,
account,2025-01,2025-02
4000,20,21
6000,5,5
Net income,15,16
Total,21,23
`

departments('a block for each, with a title above it and the header again', async () => {
  const intake = await read({ 'b.csv': BLOCKS })
  assert.equal(errors(intake), [])
  assert.equal(figures(intake), EACH)
  const changed = await read({ 'b.csv': BLOCKS.replace('4000,20,21', '4000,20,22') })
  assert.ok(errors(changed).includes('total-differs'))
})

departments('accounts outside of the blocks may sum them up: refused', async () => {
  const text = BLOCKS.replace('Total,21,23\n', 'Total Yard & garden,15,16\nCompany,,\n4000,30,32\n6000,9,9\n')
  const found = only((await read({ 'b.csv': text })).findings, 'outside-departments')
  assert.is(found.text, '4000')
})

departments('a block of a department that is not listed is refused', async () => {
  const text = BLOCKS.replace('Department: Yard & garden', 'Marketing')
  assert.ok((await read({ 'b.csv': text })).findings.some(({ severity }) => severity === 'error'))
})

const sheet = (sales: readonly number[], rent: readonly number[]) => [
  ['account', '2025-01', '2025-02'],
  ['4000', ...sales],
  ['6000', ...rent],
]
const SHEETS = { Shop: sheet([10, 11], [4, 4]), 'Yard & garden': sheet([20, 21], [5, 5]) }

departments('a sheet for each; one that is called otherwise may sum them up', async () => {
  const intake = await read({ 'b.xlsx': await workbook(SHEETS) })
  assert.equal(errors(intake), [])
  assert.equal(figures(intake), EACH)
  const all = { ...SHEETS, Company: sheet([30, 32], [9, 9]) }
  const beside = await read({ 'b.xlsx': await workbook(all) })
  assert.is(only(beside.findings, 'sheet-of-no-department').text, 'Company')
  const named = await read({ 'b.xlsx': await workbook(all) }, { sheet: ['Shop', 'Yard & garden'] })
  assert.equal([errors(named), figures(named)], [[], EACH])
})

departments('a column says it, whatever the titles and sheets are called', async () => {
  const text = 'Shop,,,\naccount,department,2025-01,2025-02\n4000,yard,1,2\n'
  assert.equal(figures(await read({ 'b.csv': text })), ['i1 yard 01 1.00', 'i1 yard 02 2.00'])
  const title = 'Shop,,\naccount,2025-01,2025-02\n4000,1,2\n'
  assert.equal(figures(await read({ 'b.csv': title })), ['i1 null 01 1.00', 'i1 null 02 2.00'])
})

departments('a location, region or cost centre is the department or class that its cells name', async () => {
  const classes = 'id,name\nw,West\n'
  const named = (header: string, cells: readonly [string, string]) =>
    ingestWith(
      {
        departments: 'departments.csv',
        classes: 'classes.csv',
        budgets: [{ id: 'b', name: 'B', files: 'b.csv' }],
        nonFinancial: [{ id: 'heads', name: 'Headcount', aggregation: 'last' }],
        metrics: [{ files: 'm.csv' }],
      },
      {
        'departments.csv': DEPARTMENTS,
        'classes.csv': classes,
        'b.csv': `Account,${header},Jan 2025\n6000,${cells[0]},500\n6000,${cells[1]},485\n`,
        'm.csv': `Metric,${header},Jan 2025\nHeadcount,${cells[0]},14\nHeadcount,${cells[1]},7\n`,
      },
    )
  const tagsOf = ({ budgets, metrics }: Awaited<ReturnType<typeof named>>) =>
    [...budgets[0]!.rows, ...metrics].map((row) => row.department ?? (row.class && `class ${row.class}`))
  for (const header of [
    'Location',
    'Store',
    'Region full name',
    'Cost Center',
    'Kostnadsställe',
    'Kostenstelle',
    'Centre de coûts',
    'Avdeling',
  ]) {
    const intake = await named(header, ['Shop', 'yard'])
    assert.equal(codes(intake.findings), [], header)
    assert.equal(tagsOf(intake), ['shop', 'yard', 'shop', 'yard'], header)
  }
  assert.equal(tagsOf(await named('Region', ['West', 'w'])), ['class w', 'class w', 'class w', 'class w'])
  // One cell that names no department: one finding for each sheet, whatever the number of rows.
  const wrong = await named('Location', ['Shop', 'Shp'])
  assert.equal(codes(wrong.findings).sort(), ['unknown-department', 'unknown-department'])
  // Nothing in it is a member: the rows are details of the account.
  const other = await named('Location', ['Portland', 'Bend'])
  assert.ok(codes(other.findings).includes('columns-not-read'))
})

departments('a column of departments that are not listed is one finding', async () => {
  const rows = Array.from(
    { length: 14 },
    (_, i) => `4000,Portland,2025-${String((i % 12) + 1).padStart(2, '0')},${i}\n6000,Bend,2025-01,1${i}\n`,
  )
  const intake = await read({ 'b.csv': `account,department,month,amount\n${rows.join('')}` })
  const found = only(intake.findings, 'unknown-department')
  assert.is(found.message, 'there is no department "Portland" (14 rows), "Bend" (14 rows)')
})
