/** The columns of a ledger that no statement needs: where they stand in the books, and that other books are the same without them. */
import { chmodSync, copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { openDatabase } from '../../builder/database/database.ts'
import { verifyCompanies } from '../../builder/evidence/verify/verify.ts'
import { ageing } from '../../builder/inspect/audit/ageing.ts'
import { openSigner } from '../../builder/snapshot/keys/key-file.ts'
import { sha256 } from '../../builder/system/hash.ts'
import { openWorkspace } from '../../builder/workspace/workspace.ts'
import { ofAnotherProgram, rewriteHistory } from '../evidence/attacker.ts'
import { suite } from '../suite.ts'
import { ledgersToParquet } from '../support/parquet.ts'
import {
  type Built,
  buildIn,
  buildWith,
  CHART,
  COMPANY,
  companyYaml,
  findingsText,
  inWorkspace,
} from '../support/workspace.ts'

const test = suite('extra columns')

const HEAD =
  'transaction_id,date,account,amount,reference,settles,party,party_id,due_date,entered_on,entered_by'
const LEDGER = `${HEAD}
OB,2025-01-01,bank,200.00,OPENING,,,,,,
OB,2025-01-01,debtors,300.00,OPENING,,Jones,C2,2024-12-10,,
OB,2025-01-01,capital,-500.00,OPENING,,,,,,
I1,2025-01-20,debtors,1000.00,,,Smith,C1,2025-02-19,2025-01-21 16:30,ann
I1,2025-01-20,sales,-1000.00,,,Smith,C1,,2025-01-21 16:30,ann
P1,2025-02-01,bank,400.00,,,Smith,C1,,2025-02-02,bob
P1,2025-02-01,debtors,-400.00,,I1,Smith,C1,,2025-02-02,bob
`
const YAML = companyYaml('opening: { references: [OPENING] }')
const EXTRAS = 'party, party_id, due_date::VARCHAR, entered_on::VARCHAR, entered_by'

async function rows(built: Built, query: string): Promise<string[]> {
  const db = await openDatabase({ folders: null })
  try {
    const from = query.replace(/books\/\w+/, (path) => `'${built.path(`${path}.parquet`)}'`)
    return (await db.rows(from)).map((row) => Object.values(row).join(' '))
  } finally {
    db.close()
  }
}
const columns = (built: Built, file: string) =>
  rows(built, `SELECT column_name FROM (DESCRIBE FROM books/${file})`)

test('postings and openings have them as the ledger states them, and so has the cash basis that follows', () =>
  inWorkspace({ 'company.yaml': YAML, 'chart.csv': CHART, 'ledger.csv': LEDGER }, async ({ root }) => {
    writeFileSync(join(root, 'tieout.yaml'), 'keepInputs: true\n')
    const workspace = openWorkspace(root)
    const built = await buildIn(workspace, COMPANY)
    const accrual = `SELECT transaction_id, account, ${EXTRAS} FROM books/postings WHERE basis = 'accrual' ORDER BY seq`
    const lines = [
      'I1 debtors Smith C1 2025-02-19 2025-01-21 ann',
      'I1 sales Smith C1  2025-01-21 ann',
      'P1 bank Smith C1  2025-02-02 bob',
      'P1 debtors Smith C1  2025-02-02 bob',
    ]
    assert.equal(await rows(built, accrual), lines, findingsText(built.result.findings))
    // A line that is recognised keeps its party; who entered it is who entered the payment.
    assert.equal(
      await rows(
        built,
        `SELECT DISTINCT account, ${EXTRAS} FROM books/postings WHERE basis = 'cash' AND account IN ('sales', 'bank') ORDER BY ALL`,
      ),
      ['bank Smith C1  2025-02-02 bob', 'sales Smith C1  2025-02-02 bob'],
    )
    assert.equal(
      await rows(
        built,
        `SELECT account, party, party_id, due_date::VARCHAR, transaction_id, source_date::VARCHAR FROM books/openings
         WHERE basis = 'accrual' AND party IS NOT NULL`,
      ),
      ['debtors Jones C2 2024-12-10 OB 2025-01-01'],
    )
    const checked = await verifyCompanies(workspace.snapshots, [COMPANY], {
      ...{ figures: true, sources: true, known: null },
    })
    assert.is(checked.outcome, 'verified', JSON.stringify(checked))
    assert.ok((await ledgersToParquet(workspace, COMPANY)) === 1)
    const parquet = await buildIn(workspace, COMPANY)
    assert.equal(await rows(parquet, accrual), lines, findingsText(parquet.result.findings))
  }))

test('a column without a value is not there; what is no day is told and left out', () =>
  buildWith(
    {
      'ledger.csv': `transaction_id,date,account,amount,party,due_date,entered_on
1,20.01.2025,debtors,10.00,,soon,21.01.2025
1,20.01.2025,sales,-10.00,,,2025-01-22
2,20.01.2025,debtors,10.00,,32.01.2025,
2,20.01.2025,sales,-10.00,,,
`,
      'company.yaml': companyYaml('ledger: [{ files: ledger.csv, dateFormat: DD.MM.YYYY }]'),
    },
    async (built) => {
      const all = await columns(built, 'postings')
      assert.equal(all.slice(all.indexOf('row') + 1), ['due_date', 'entered_on'])
      assert.equal(
        await rows(built, 'SELECT coalesce(due_date, entered_on)::VARCHAR FROM books/postings ORDER BY seq'),
        ['2025-01-21', '2025-01-22', '', ''],
      )
      assert.equal(
        built.result.findings
          .filter(({ code }) => code === 'unreadable-day')
          .map(({ file, row, column, message }) => `${file}:${row} ${column}: ${message}`),
        ['ledger.csv:2 due_date: 2 values of due_date are no days, and left out: they change no figure'],
      )
    },
  ))

test('books of a ledger without them have the columns of before', () =>
  buildWith(
    { 'ledger.csv': 'transaction_id,date,account,amount\n1,2025-01-20,bank,1\n1,2025-01-20,sales,-1\n' },
    async (built) => {
      assert.is((await columns(built, 'postings')).at(-1), 'row')
      assert.is((await columns(built, 'openings')).at(-1), 'row')
    },
  ))

test('books of an earlier program, which left these columns out, are what their sources give, and are read as they are', () =>
  inWorkspace(
    { 'company.yaml': YAML, 'chart.csv': CHART, 'ledger.csv': LEDGER },
    async ({ root, snapshots }) => {
      writeFileSync(join(root, 'tieout.yaml'), 'keepInputs: true\n')
      const built = await buildIn(openWorkspace(root), COMPANY)
      const folder = join(snapshots, COMPANY)
      await inWorkspace(
        {
          ...{ 'company.yaml': YAML, 'chart.csv': CHART },
          'ledger.csv': LEDGER.replace(/^((?:[^,]*,){5}[^,]*).*$/gm, '$1'),
        },
        async (workspace) => {
          const before = await buildIn(workspace, COMPANY)
          for (const name of ['postings', 'openings']) {
            chmodSync(built.path(`books/${name}.parquet`), 0o644)
            copyFileSync(before.path(`books/${name}.parquet`), built.path(`books/${name}.parquet`))
          }
        },
      )
      await rewriteHistory(folder, await openSigner(join(root, '.tieout')), (manifest) => ({
        ...manifest,
        ...ofAnotherProgram(manifest),
        Files: manifest.Files.map((file) => {
          const bytes = readFileSync(built.path(file.Path))
          return { Path: file.Path, Bytes: bytes.length, Sha256: sha256(bytes) }
        }),
      }))
      const { companies, outcome } = await verifyCompanies(snapshots, [COMPANY], {
        ...{ figures: true, sources: true, known: null },
      })
      assert.is.not(outcome, 'damaged')
      assert.not.match(JSON.stringify(companies), /books\/\w+\.parquet is not what/)
      assert.is((await columns(built, 'postings')).at(-1), 'row')
      const { value } = await ageing(snapshots, {
        ...{ company: COMPANY, snapshotId: null, account: null, asOf: null },
      })
      assert.equal([value!.addsUp, value!.sections[0]!.withoutParty], [true, '900.00'])
    },
  ))
