/** Departments × months: a sheet for each department, a block for each within a sheet, or a column beside the accounts. */

import * as assert from 'uvu/assert'
import { suite } from '../../suite.ts'
import { cases } from '../../support/case-file.ts'
import { errors, type Files, ingestWith, only, workbook } from '../folder.ts'

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

cases(departments, new URL('cases/budget-departments.yaml', import.meta.url))
