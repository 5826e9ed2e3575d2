/** Trial balances beside the books: what agrees is counted, what differs is refused account by account. */

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { addCompany } from '../../builder/ingest/add/add.ts'
import { trialBalance } from '../../builder/inspect/trial-balance.ts'
import { workbook } from '../ingest/folder.ts'
import { suite } from '../suite.ts'
import { trialBalanceOf } from '../support/asked.ts'
import { cases } from '../support/case-file.ts'
import {
  buildIn,
  CHART,
  checkWith,
  companyYaml,
  type Files,
  inWorkspace,
  ledgerCsv,
} from '../support/workspace.ts'

const test = suite('trial balances')

/** Two years without closing entries: 2024 earns 40, 2025 earns 25 up to June. */
const LEDGER = ledgerCsv(`
  1 2024-01-01 bank 1000.00; 1 2024-01-01 capital -1000.00
  2 2024-03-05 bank 100.00; 2 2024-03-05 sales -100.00
  3 2024-11-05 rent 60.00; 3 2024-11-05 bank -60.00
  4 2025-01-10 debtors 55.50; 4 2025-01-10 sales -55.50
  5 2025-06-20 rent 30.50; 5 2025-06-20 bank -30.50`)

const AT_2024 = 'account,balance\n1000,1040.00\n3000,-1000.00\n4000,-100.00\n6000,60.00\n'
const AT_2025 =
  'account,balance\n1000,1009.50\n1100,55.50\n3000,-1000.00\n3900,-40.00\n4000,-55.50\n6000,30.50\n'

const files = (
  balance: string | Buffer,
  { date = '2024-12-31', more = '', name = 'tb.csv', ledger = LEDGER } = {},
): Files => ({
  'company.yaml': companyYaml(
    `opening: { transactions: ["1"] }\ntrialBalance: [{ files: "${name}"${date === '' ? '' : `, date: ${date}`}${more} }]`,
  ),
  'ledger.csv': ledger,
  [name]: balance,
})
const agrees = (of: Files, count: number) =>
  checkWith(of, ({ result }) => {
    assert.equal(
      result.findings.filter(({ severity }) => severity === 'error'),
      [],
    )
    assert.is(result.controlsAgreed, count)
  })

test('a workbook; a column map for other headers; the day in the name of the file', async () => {
  const rows = AT_2024.trim()
    .split('\n')
    .slice(1)
    .map((row) => row.split(',').map((cell, i) => (i === 0 ? cell : Number(cell))))
  await agrees(
    files(await workbook({ TB: [['Account', 'Balance'], ...rows] }), {
      date: '',
      name: 'tb-2024-12-31.xlsx',
    }),
    4,
  )
  await agrees(
    files(AT_2024.replace('account,balance', 'Ledger key,Stand'), {
      more: ', columns: { account: "Ledger key", balance: Stand }',
    }),
    4,
  )
})

test('what tieout trial-balance prints is one that agrees', () =>
  inWorkspace(
    {
      'company.yaml': companyYaml('opening: { transactions: ["1"] }'),
      'chart.csv': CHART,
      'ledger.csv': LEDGER,
    },
    async (workspace) => {
      assert.is((await buildIn(workspace, 'acme')).result.outcome, 'published')
      const request = trialBalanceOf({ month: '2025-06' })
      const { rows } = (await trialBalance(workspace.snapshots, request)).value!
      const folder = join(workspace.datasets, 'acme')
      assert.ok(rows.some(({ isComputed }) => isComputed))
      const balance = ['account,closing', ...rows.map(({ id, closing }) => `${id},${closing}`)].join('\n')
      writeFileSync(join(folder, 'tb.csv'), balance)
      const again = companyYaml(
        'opening: { transactions: ["1"] }\ntrialBalance: [{ files: tb.csv, date: 2025-06-30 }]',
      )
      writeFileSync(join(folder, 'company.yaml'), again)
      assert.is(
        (await buildIn(workspace, 'acme')).result.controlsAgreed,
        rows.filter(({ isComputed }) => !isComputed).length,
      )
    },
  ))

test('add recognises one by its columns, and asks for the day where nothing says it', () =>
  inWorkspace(
    {
      'company.yaml': companyYaml('opening: { transactions: ["1"] }'),
      'chart.csv': CHART,
      'ledger.csv': LEDGER,
    },
    async (workspace) => {
      const paths = [
        ['Trial_Balance_20241231.csv', AT_2024],
        ['saldenliste.csv', AT_2025],
      ].map(([name, text]) => {
        const path = join(workspace.datasets, name!)
        writeFileSync(path, text!)
        return path
      })
      const result = await addCompany(workspace, 'acme', paths)
      assert.equal(result.findings, [])
      assert.equal(
        result.files.map(({ kind }) => kind),
        ['trialBalance', 'trialBalance'],
      )
      const path = join(workspace.datasets, 'acme', 'company.yaml')
      const text = readFileSync(path, 'utf8')
      assert.equal((parse(text) as { trialBalance: unknown }).trialBalance, [
        { files: 'trial-balances/Trial_Balance_20241231.csv' },
        { files: 'trial-balances/saldenliste.csv', date: 'FILL IN' },
      ])
      writeFileSync(path, text.replace('date: FILL IN', 'date: 2025-06-30'))
      assert.is((await buildIn(workspace, 'acme')).result.controlsAgreed, 10)
    },
  ))

cases(test, new URL('cases/trial-balances.yaml', import.meta.url))
