/** What stood before the first entry: stated, said to be nothing, or asked for; and openings that must be missing. */

import * as assert from 'uvu/assert'
import { addCompany } from '../../builder/ingest/add/add.ts'
import { suite } from '../suite.ts'
import { cases } from '../support/case-file.ts'
import { CHART, COMPANY, type Files, inWorkspace, ledgerCsv, writeFiles } from '../support/workspace.ts'

const test = suite('questions about openings')

const SALES = '1 2025-01-02 bank 10; 1 2025-01-02 sales -10'
const SIE = (balances: string): Files => ({
  'company.yaml':
    'id: acme\nname: Acme\nfiscalMonthEnd: 12\ncurrency: SEK\nledger: [{ files: a.se }]\nopening: none\n',
  'a.se': `#FLAGGA 0\n#FORMAT PC8\n#SIETYP 4\n#FNAMN "Acme"\n#RAR 0 20250101 20251231\n#KONTO 1930 "Bank"\n#KONTO 2081 "Kapital"\n#KONTO 3010 "Sales"\n${balances}#VER A 1 20250301 "sale"\n{\n#TRANS 1930 {} 10.00\n#TRANS 3010 {} -10.00\n}\n`,
})

const adding = (tables: Files) =>
  inWorkspace({}, async (workspace) => {
    writeFiles(workspace.root, tables)
    const paths = Object.keys(tables).map((name) => `${workspace.root}/${name}`)
    const { questions, mayWait } = await addCompany(workspace, COMPANY, paths)
    assert.not(questions.some(({ column }) => column === 'opening'))
    return mayWait.map(({ text }) => text.split(' #')[0])
  })

test('add asks once, where neither ledger nor trial balance says it', async () => {
  const ledger = { 'ledger.csv': ledgerCsv(SALES), 'chart.csv': CHART }
  assert.equal(await adding(ledger), ['opening: FILL IN'])
  assert.equal(
    await adding({
      ...ledger,
      'trial balance 2025-01-31.csv': 'account,debit,credit\nbank,10.00,\nsales,,10.00\n',
    }),
    [],
  )
  const sie = SIE('#IB 0 1930 0.00\n')['a.se']!
  assert.equal(await adding({ 'a.se': sie }), [])
})

cases(test, new URL('cases/opening-questions.yaml', import.meta.url))
