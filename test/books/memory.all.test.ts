/** A build that runs out of memory says so: it is no fault of the exports, and nobody should look for one in them. */

import * as assert from 'uvu/assert'
import { makeBooks } from '../../builder/books/books.ts'
import { ingest } from '../../builder/ingest/ingest.ts'
import { datasetFolder, readCompany } from '../../builder/workspace/workspace.ts'
import { suite } from '../suite.ts'
import { CHART, COMPANY, companyYaml, inWorkspace } from '../support/workspace.ts'

const test = suite('memory')

const rows = Array.from(
  { length: 60_000 },
  (_, n) => `${n},2025-01-05,bank,1.00,memo of ${n}\n${n},2025-01-05,sales,-1.00,memo of ${n}\n`,
)
const FILES = {
  'company.yaml': companyYaml(),
  'chart.csv': CHART,
  'ledger.csv': `transaction_id,date,account,amount,memo\n${rows.join('')}`,
}

test('too little of it is an error of its own, not one of the file', () =>
  inWorkspace(FILES, async (workspace) => {
    const company = readCompany(workspace, COMPANY).value!
    const intake = await ingest(company, datasetFolder(workspace, COMPANY))
    try {
      const made = await makeBooks(company, intake, { threads: 2, memoryLimit: '8MB', spill: false }).catch(
        (problem: Error) => problem,
      )
      assert.instance(made, Error, JSON.stringify((made as { findings?: unknown }).findings))
      assert.match((made as Error).message, /Out of Memory/)
    } finally {
      await intake.dispose()
    }
  }))
