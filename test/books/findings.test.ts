/** One test per thing that can be wrong with a ledger and its books: what is said, where, and what would mend it. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { build } from '../../builder/build/build.ts'
import { openDatabase, quoted } from '../../builder/database/database.ts'
import { bookPath } from '../../builder/snapshot/files/layout.ts'
import { suite } from '../suite.ts'
import { cases } from '../support/case-file.ts'
import {
  buildIn,
  buildWith,
  CHART,
  COMPANY,
  companyYaml,
  type Files,
  findingsOf,
  inWorkspace,
  ledgerCsv,
  only,
  writeFiles,
} from '../support/workspace.ts'

const test = suite('findings of the books')

const unbalanced = ledgerCsv('1 2025-01-15 bank 1; 1 2025-01-15 sales -2')
const sound = ledgerCsv('1 2025-01-15 bank 1; 1 2025-01-15 sales -1')

test('rows are right in a file of CR LF, with a last line that does not end', async () => {
  const findings = await findingsOf({
    'ledger.csv':
      'transaction_id,date,account,amount\r\n\r\n\r\n1,2025-01-15,bank,1\r\n\r\n1,2025-01-15,nope,-1',
  })
  assert.is(only(findings, 'unknown-account').row, 6)
})

test('hundreds of mistakes of one kind are counted, not listed', async () => {
  const rows = Array.from({ length: 1000 }, (_, i) => `${i},2025-01-15,nope,1,2,3,4,5,6`)
  const unknown = Array.from({ length: 1000 }, (_, i) => `${i},2025-01-15,nope,1,,`)
  const findings = await findingsOf({ 'ledger.csv': [sound.trimEnd(), ...rows, ...unknown].join('\n') })
  assert.ok(findings.length < 500)
  assert.ok(findings.some(({ code, message }) => code === 'malformed-row' && /800 more/.test(message)))
  const account = only(findings, 'unknown-account')
  assert.is(account.row, 1004)
  assert.match(account.message, 'so it is on 1000 rows')
})

test('nothing is published, and what was published stays', async () => {
  const files = { 'company.yaml': companyYaml(), 'chart.csv': CHART, 'ledger.csv': sound }
  await inWorkspace(files, async (workspace) => {
    const first = await buildIn(workspace, COMPANY)
    const pointer = first.result.snapshotId
    writeFiles(join(workspace.datasets, COMPANY), { 'ledger.csv': unbalanced })
    const refused = await build(workspace, COMPANY, { publish: true })
    assert.is(refused.outcome, 'refused')
    assert.is(refused.snapshotId, null)
    writeFiles(join(workspace.datasets, COMPANY), { 'ledger.csv': sound })
    const again = await build(workspace, COMPANY, { publish: true })
    assert.is(again.outcome, 'unchanged')
    assert.is(again.snapshotId, pointer)
  })
  await inWorkspace({ ...files, 'ledger.csv': unbalanced }, async (workspace) => {
    await build(workspace, COMPANY, { publish: true })
    assert.not(existsSync(join(workspace.snapshots, COMPANY, 'current.json')))
  })
})

test('small files of one form are read together: each keeps its rows, and each mistake its file', async () => {
  const head = 'transaction_id,date,account,amount\n'
  const entry = (id: string, blank = '') =>
    `${id},2025-01-15,bank,1.00\n${blank}${id},2025-01-15,sales,-1.00\n`
  const files: Files = {
    'company.yaml': companyYaml('ledger: [{ files: "*-*.csv" }]'),
    'chart.csv': CHART,
    'a-1.csv': head + entry('1', '\n'),
    'a-2.csv': `${head}\n${entry('2')}`,
    'a-3.csv': head,
    'b-1.csv': 'date,transaction_id,account,amount\n2025-01-15,3,bank,1.00\n2025-01-15,3,sales,-1.00\n',
    'c-1.csv': head + entry('4'),
  }
  await buildWith(files, async (built) => {
    const db = await openDatabase({ folders: null })
    const rows = await db.rows<{ file: string; row: string }>(
      `SELECT file, row FROM ${quoted(built.path(bookPath('postings.parquet')))} ORDER BY seq`,
    )
    db.close()
    assert.equal(
      rows.map(({ file, row }) => `${file}:${row}`),
      [
        'a-1.csv:2',
        'a-1.csv:4',
        'a-2.csv:3',
        'a-2.csv:4',
        'b-1.csv:2',
        'b-1.csv:3',
        'c-1.csv:2',
        'c-1.csv:3',
      ],
    )
  })
  const torn = await findingsOf({
    ...files,
    'a-2.csv': `${head}\n${entry('2')}2,2025-01-15,bank,0.00,too many\n`,
    'a-3.csv': `${head}${entry('5')}5,2025-01-15,bank,"0.00\n`,
    'c-1.csv': `${head}\n${entry('4')}4,2025-01-15,bank,none\n`,
  })
  assert.equal(
    torn.map(({ code, file, row }) => `${code} ${file}:${row}`),
    ['malformed-row a-2.csv:5', 'malformed-row a-3.csv:4', 'unreadable-amount c-1.csv:5'],
  )
})

cases(test, new URL('cases/findings.yaml', import.meta.url))
