/** What stood before the first entry: stated, said to be nothing, or asked for; and openings that must be missing. */

import * as assert from 'uvu/assert'
import { addCompany } from '../../builder/ingest/add/add.ts'
import { suite } from '../suite.ts'
import {
  buildWith,
  CHART,
  COMPANY,
  codes,
  companyYaml,
  type Files,
  findingsOf,
  inWorkspace,
  ledgerCsv,
  only,
  writeFiles,
} from '../support/workspace.ts'

const test = suite('questions about openings')

const SALES = '1 2025-01-02 bank 10; 1 2025-01-02 sales -10'
const UNASKED = companyYaml().replace('opening: none\n', '')
const files = (entries: string, yaml = UNASKED): Files => ({
  'company.yaml': yaml,
  'ledger.csv': ledgerCsv(entries),
})

test('a ledger that says nothing of what was before it is asked about', async () => {
  const findings = await findingsOf(files(SALES))
  assert.equal(codes(findings), ['openings-not-stated'])
  const { severity, file, column, message, remedy } = findings[0]!
  assert.equal([severity, file, column], ['warning', 'company.yaml', 'opening'])
  assert.match(message, /before the first entry, of 2025-01-02/)
  assert.match(remedy!, /opening: none/)
})

test('that is answered by opening: none, by an entry that is marked, or by a trial balance', async () => {
  assert.equal(codes(await findingsOf(files(SALES, companyYaml('opening: none')))), [])
  assert.equal(
    codes(
      await findingsOf(
        files(
          `o 2025-01-01 bank 5; o 2025-01-01 capital -5; ${SALES}`,
          companyYaml('opening: { transactions: [o] }'),
        ),
      ),
    ),
    [],
  )
  const proven = {
    ...files(SALES, `${UNASKED}trialBalance: [{ files: tb.csv, date: 2025-01-31 }]\n`),
    'tb.csv': 'account,debit,credit\nbank,10.00,\nsales,,10.00\n',
  }
  assert.equal(codes(await findingsOf(proven)), [])
})

test('an entry that looks like an opening is the question, and opening: none its answer', async () => {
  const entries = `o 2025-01-01 bank 5; o 2025-01-01 capital -5; ${SALES}`
  assert.equal(codes(await findingsOf(files(entries))), ['opening-or-activity'])
  assert.equal(codes(await findingsOf(files(entries, companyYaml('opening: none')))), [])
})

test('opening balances that are booked account by account are asked about at once', async () => {
  const chart = `${CHART}obe,3950,Opening Balance Equity,Equity,OtherEquity\n`
  const entries = `o1 2024-12-31 bank 900; o1 2024-12-31 obe -900; o2 2024-12-31 debtors 100; o2 2024-12-31 obe -100;
    o3 2024-12-31 creditors -300; o3 2024-12-31 obe 300; o4 2025-01-01 obe 700; o4 2025-01-01 capital -700; ${SALES}`
  const asked = only(await findingsOf({ ...files(entries), 'chart.csv': chart }), 'opening-or-activity')
  assert.match(asked.message, /^3 transactions, o1, o2, o3 on the first day \(2024-12-31\)/)
  const answer = /opening: \{.*?\}/.exec(asked.remedy!)![0]
  await buildWith({ ...files(entries, companyYaml(answer)), 'chart.csv': chart }, ({ result, statement }) => {
    assert.equal(codes(result.findings), [])
    assert.is(statement('CashFlow').totals.BeginningCash![0], '900.00')
    assert.equal(statement('BalanceSheet').rows.capital![0], '700.00')
  })
})

const SIE = (balances: string): Files => ({
  'company.yaml':
    'id: acme\nname: Acme\nfiscalMonthEnd: 12\ncurrency: SEK\nledger: [{ files: a.se }]\nopening: none\n',
  'a.se': `#FLAGGA 0\n#FORMAT PC8\n#SIETYP 4\n#FNAMN "Acme"\n#RAR 0 20250101 20251231\n#KONTO 1930 "Bank"\n#KONTO 2081 "Kapital"\n#KONTO 3010 "Sales"\n${balances}#VER A 1 20250301 "sale"\n{\n#TRANS 1930 {} 10.00\n#TRANS 3010 {} -10.00\n}\n`,
})

test('openings in a ledger that is said to have none are refused', async () => {
  assert.equal(codes(await findingsOf(SIE('#IB 0 1930 0.00\n'))), [])
  const found = only(await findingsOf(SIE('#IB 0 1930 5.00\n#IB 0 2081 -5.00\n')), 'opening-contradicted')
  assert.equal([found.severity, found.file, found.row], ['error', 'a.se', 9])
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

test('accounts that go on from balances which nobody stated', async () => {
  const loan = '1 2025-01-31 loan 100; 1 2025-01-31 bank -100; 2 2025-01-15 bank 500; 2 2025-01-15 sales -500'
  const found = only(await findingsOf(files(loan, companyYaml('opening: none'))), 'openings-missing')
  assert.equal([found.severity, found.column], ['warning', 'opening'])
  assert.match(
    found.message,
    /an account goes on from some: 2500 Loan \(100\.00 on the debit side, from 2025-01-31 on\)/,
  )

  const assets = `1 2025-01-31 depreciation 30; 1 2025-01-31 plantdep -30; 2 2025-02-10 bank 40; 2 2025-02-10 drawings -40; 3 2025-02-11 loan 5; 3 2025-02-11 bank -5`
  const { message } = only(await findingsOf(files(assets, companyYaml('opening: none'))), 'openings-missing')
  assert.match(message, /2 accounts go on from some: 2500 Loan \(5\.00 on the debit side/)
  assert.match(message, /1590 Plant depreciation \(together -30\.00/)

  const sound = `1 2025-01-05 plant 90; 1 2025-01-05 loan -90; ${assets}; ${loan}`
  assert.not.ok(
    codes(await findingsOf(files(sound, companyYaml('opening: none')))).includes('openings-missing'),
    'the loan was taken before it is repaid',
  )
})

test('an opening taken inside a year that lacks the result so far asks for the months before it', async () => {
  const entries = 'o 2025-04-01 bank 70; o 2025-04-01 capital -40; 1 2025-04-02 bank 1; 1 2025-04-02 sales -1'
  const inside = only(
    await findingsOf(files(entries, companyYaml('opening: { transactions: [o] }'))),
    'opening-unbalanced',
  )
  assert.match(inside.remedy!, /^export the ledger from 2025-01-01, the first day of the fiscal year/)
  assert.not.match(inside.remedy!, /priorYearsNotClosed/)
  const atStart = only(
    await findingsOf(
      files(entries.replaceAll('2025-04-01', '2025-01-01'), companyYaml('opening: { transactions: [o] }')),
    ),
    'opening-unbalanced',
  )
  assert.match(atStart.remedy!, /priorYearsNotClosed/)
})
