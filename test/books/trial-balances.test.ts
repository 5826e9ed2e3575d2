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
import {
  type Built,
  buildIn,
  buildWith,
  CHART,
  codes,
  companyYaml,
  type Files,
  findingsOf,
  inWorkspace,
  ledgerCsv,
  only,
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
  buildWith(of, ({ result }: Built) => {
    assert.equal(
      result.findings.filter(({ severity }) => severity === 'error'),
      [],
    )
    assert.is(result.controlsAgreed, count)
  })

test('what agrees is counted: P&L accounts as they stand in the year', () => agrees(files(AT_2024), 4))

test('an account that differs by an entry names it', async () => {
  const found = await findingsOf(
    files(AT_2025.replace('6000,30.50', '6000,0').replace('1009.50', '1040.00'), { date: '2025-06-30' }),
  )
  const entry = 'a difference of -30.50; exactly the amount of entry 5 of 2025-06-20, 30.50 (ledger.csv:10)'
  assert.match(
    only(
      found.filter(({ text }) => text === 'rent'),
      'trial-balance-differs',
    ).message,
    entry,
  )
})

const LATE = ledgerCsv('1 2025-07-15 bank 100; 1 2025-07-15 sales -100')
const beginning = (opening: string, date = '2025-06-30'): Files => ({
  'company.yaml': companyYaml(`trialBalance: [{ files: tb.csv, date: ${date} }]\n${opening}`).replace(
    opening === '' ? 'opening: none\n' : /$/,
    '',
  ),
  'ledger.csv': LATE,
  'tb.csv': 'account,balance\n1000,900.00\n3000,-500.00\n4000,-600.00\n6000,200.00\n',
})

test('a trial balance of before the first entry is what the books begin with, where nothing else says it', async () => {
  await buildWith(beginning(''), ({ result, statement }) => {
    assert.equal(codes(result.findings), ['trial-balance-opens'])
    const { months, rows } = statement('BalanceSheet')
    const at = (row: string) => rows[row]![months.indexOf('2025-07')]
    assert.equal([at('bank'), at('capital'), at('current-year-earnings')], ['1000.00', '500.00', '500.00'])
    assert.is(statement('ProfitAndLoss').totals.NetIncome![months.indexOf('2025-07')], '100.00')
  })
  // At the beginning of a fiscal year what it says of income and costs is of earlier years.
  const june = beginning('fiscalMonthEnd: 6')
  const yaml = String(june['company.yaml']).replace('opening: none\n', '')
  await buildWith({ ...june, 'company.yaml': yaml }, ({ statement }) =>
    assert.is(statement('BalanceSheet').rows['prior-years-not-closed']![0], '400.00'),
  )
})

test('a trial balance that may lack entries after it, or beside other openings, is only compared', async () => {
  const found = async (of: Files) => codes(await findingsOf(of))
  assert.ok(!(await found(beginning('', '2025-03-31'))).includes('trial-balance-opens'))
  assert.equal(new Set(await found(beginning('opening: none'))), new Set(['trial-balance-differs']))
})

test('a balance that differs is refused with account, both figures and the difference', async () => {
  const findings = await findingsOf(
    files(AT_2024.replace('1040.00', '1041.00').replace('-1000.00', '-1001.00')),
  )
  const bank = findings.filter(({ code }) => code === 'trial-balance-differs')[0]!
  assert.equal([bank.file, bank.row, bank.text], ['tb.csv', 2, 'bank'])
  assert.match(bank.message, 'account 1000 Bank')
  assert.match(bank.message, 'states 1,041.00, the books hold 1,040.00, a difference of 1.00')
  assert.is(codes(findings).filter((code) => code === 'trial-balance-differs').length, 2)
})

test('an account that only one side has is a difference; without a balance it is none', async () => {
  await agrees(files(`${AT_2024}1500,0.00\n9999,0.00\n`), 5)
  const missing = await findingsOf(files(AT_2024.replace('6000,60.00\n', '').replace('1040.00', '1100.00')))
  assert.match(
    missing.map(({ message }) => message).join('\n'),
    'account 6000 Rent is not in the trial balance of 2024-12-31; the books hold 60.00',
  )
  const unknown = only(
    await findingsOf(files(`${AT_2024}7777,5.00\n8888,-5.00\n`)).then((all) =>
      all.filter(({ text }) => text === '7777'),
    ),
    'unknown-account',
  )
  assert.is(unknown.row, 6)
})

test('a trial balance that does not sum to zero is refused for itself', async () => {
  const found = only(await findingsOf(files(AT_2024.replace('60.00', '61.00'))), 'trial-balance-unbalanced')
  assert.is(found.text, '1.00')
})

test('results of years before, which no entry has moved, may stand on one equity account', async () => {
  await agrees(files(AT_2025, { date: '2025-06-30' }), 6)
  const elsewhere = AT_2025.replace('3900,-40.00', '3900,-30.00').replace('3000,-1000.00', '3000,-1010.00')
  assert.is(
    codes(await findingsOf(files(elsewhere, { date: '2025-06-30' }))).filter(
      (code) => code === 'trial-balance-differs',
    ).length,
    2,
  )
})

test('a day inside a month is compared by the day', async () => {
  const balance = 'account,balance\n1000,1040.00\n1100,55.50\n3000,-1000.00\n3900,-40.00\n4000,-55.50\n'
  await agrees(files(balance, { date: '2025-06-19' }), 5)
  assert.ok(codes(await findingsOf(files(balance, { date: '2025-06-20' }))).includes('trial-balance-differs'))
})

test('before closing entries, after them, and after a closing that the ledger does not have', async () => {
  const closed = `${LEDGER}9,2024-12-31,sales,100.00,,\n9,2024-12-31,rent,-60.00,,\n9,2024-12-31,retained,-40.00,,\n`
  const after = 'account,balance\n1000,1040.00\n3000,-1000.00\n3900,-40.00\n4000,0\n6000,0\n'
  const marked = (balance: string) => {
    const all = files(balance, {
      ledger: closed.replace('transaction_id', 'transaction_id').replace('memo', 'memo'),
    })
    return {
      ...all,
      'ledger.csv': closed
        .trim()
        .split('\n')
        .map((line, i) => `${line},${i === 0 ? 'type' : line.startsWith('9,') ? 'close' : ''}`)
        .join('\n'),
      'company.yaml': `${all['company.yaml']}closing: { types: [close] }\n`,
    }
  }
  await agrees(marked(AT_2024), 4)
  await agrees(marked(after), 5)
  await agrees(files(after), 5)
})

test('debit and credit columns, signs around amounts, a title with the day, totals and a blank header', async () => {
  const quickbooks = [
    'Acme,,',
    'Trial Balance,,',
    '"As of December 31, 2024",,',
    ',,',
    ',Debit,Credit',
    '1000 Bank,"1,040.00",',
    '3000 · Capital,,"$1,000.00"',
    'Sales,,100.00',
    '6000 Rent,60.00,',
    'TOTAL,"1,100.00","1,100.00"',
    ',,',
  ].join('\n')
  await agrees(files(quickbooks, { date: '' }), 4)
  const xero =
    'Trial Balance;;;;\nAs at 31 December 2024;;;;\nAccount Code;Account;Account Type;Debit - Year to date;Credit - Year to date\n1000;Bank;Bank;1.040,00;\n3000;Capital;Equity;;1.000,00\n4000;Sales;Revenue;;100,00\n6000;Rent;Expense;60,00;\nTotal;;;1.100,00;1.100,00\n'
  await agrees(files(xero, { date: '' }), 4)
})

test('several days in one file, by its column', () =>
  agrees(
    files(
      [
        'account,date,balance',
        ...AT_2024.trim()
          .split('\n')
          .slice(1)
          .map((row) => row.replace(',', ',2024-12-31,')),
        ...AT_2025.trim()
          .split('\n')
          .slice(1)
          .map((row) => row.replace(',', ',2025-06-30,')),
      ].join('\n'),
      { date: '' },
    ),
    10,
  ))

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

test('a basis or class that a title or the foot states is named as such', async () => {
  only(await findingsOf(files(`${AT_2024}"Cash Basis Thursday, January 2, 2025"\n`)), 'trial-balance-basis')
  await agrees(files(`${AT_2024}Accrual basis\n`), 4)
  await agrees(files(`${AT_2024}Cash basis\n`, { more: ', basis: accrual' }), 4)
  const class1 = ledgerCsv(`
    1 2024-01-01 bank 1000.00; 1 2024-01-01 capital -1000.00
    2 2024-03-05 bank 100.00; 2 2024-03-05 sales -100.00 west
    3 2024-04-05 debtors 7.00 west; 3 2024-04-05 sales -7.00 east`)
  const of = (rows: string): Files => {
    const all = files(`Trial Balance,\nClass: West,\n${rows}`, { ledger: class1 })
    return {
      ...all,
      'company.yaml': `${all['company.yaml']}\nclasses: classes.csv\n`,
      'classes.csv': 'id,name\nwest,West\neast,East\n',
    }
  }
  await buildWith(of('account,balance\n1100,7.00\n4000,-100.00\n'), ({ result }) => {
    assert.is(result.controlsAgreed, 2)
    assert.match(
      only(result.findings, 'report-filtered').message,
      'the trial balance is of class West alone: all 2 figures agree with that',
    )
  })
  assert.match(
    only(await findingsOf(of('account,balance\n1100,7.01\n4000,-100.00\n')), 'trial-balance-differs').message,
    'the trial balance of 2024-12-31, class West states 7.01, the books hold 7.00',
  )
  only(await findingsOf(files(`Class: Nowhere,\n${AT_2024}`)), 'report-filtered')
})

test('what cannot be compared says why', async () => {
  only(await findingsOf(files(AT_2024, { date: '' })), 'missing-date')
  only(await findingsOf(files(AT_2024, { date: '2019-12-31' })), 'trial-balance-outside')
  only(await findingsOf(files(AT_2024, { more: ', basis: cash' })), 'trial-balance-basis')
  only(await findingsOf(files('a,b\n1,2\n')), 'missing-column')
  only(await findingsOf(files(AT_2024.replace('1040.00', '10x'))), 'unreadable-amount')
  only(await findingsOf(files(AT_2024.replace('1040.00', '19007199254740.99'))), 'unreadable-amount')
  only(await findingsOf(files('account,balance\n1000,"1,040"\n3000,"-1,040"\n')), 'unclear-decimal')
  only(await findingsOf(files('', { name: 'none.csv' })), 'missing-column')
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
