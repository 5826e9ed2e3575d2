/** Departments × months: a sheet for each department, a block for each within a sheet, or a column beside the accounts. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { codes, type Files, ingestWith, only, workbook } from '../folder.ts'

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
const errors = ({ findings }: Intake) => codes(findings.filter(({ severity }) => severity === 'error'))

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

departments.run()
