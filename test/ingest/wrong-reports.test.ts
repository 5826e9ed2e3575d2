/** Reports and files that are not read are known by name, with what to export instead: added, and put into the folder by hand. */
import * as assert from 'uvu/assert'
import type { SheetData } from 'write-excel-file/node'
import type { Finding } from '../../builder/workspace/findings/finding.ts'
import { suite } from '../suite.ts'
import { proposed } from '../support/added.ts'
import { cases } from '../support/case-file.ts'
import { fields } from '../support/fields.ts'
import { companyYaml, findingsOf, ledgerCsv } from '../support/workspace.ts'
import { workbook } from './folder.ts'

const wrong = suite('wrong reports')

/** What adding the file says. */
const added = (name: string, content: string | Buffer): Promise<readonly Finding[]> =>
  proposed({ [name]: content }, ({ result }) => result.findings)

wrong('Budget vs. Actuals is no budget, added and by hand, in a workbook', async () => {
  const sheet: SheetData = [
    ['Acme LLC'],
    ['Budget vs. Actuals: Plan 2025 - FY25 P&L'],
    ['January - February, 2025'],
    [null],
    ['Account', 'Jan 2025', 'Feb 2025'],
    ['4000', 100, 200],
  ]
  const bytes = await workbook({ Sheet1: sheet })
  const byHand = {
    'company.yaml': companyYaml('budgets: [{ id: b, name: B, files: b.xlsx }]'),
    'ledger.csv': ledgerCsv('1 2025-01-15 bank 1.00; 1 2025-01-15 sales -1.00'),
    'b.xlsx': bytes,
  }
  for (const findings of [await added('b.xlsx', bytes), await findingsOf(byHand)]) {
    assert.equal(fields(findings, 'code', 'row'), [['wrong-report', 2]])
    assert.match(findings[0]!.remedy!, 'Budget Overview')
  }
})

cases(wrong, new URL('cases/wrong-reports.yaml', import.meta.url))
