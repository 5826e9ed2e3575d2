/**
 * What other programs get wrong, one test each: the same kind of input, and what must come out instead. Figures are
 * compared as the text that is published.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { sliceStatement } from '../../builder/contract/slice.ts'
import { MANIFEST, snapshotFolder, statementPath } from '../../builder/snapshot/files/layout.ts'
import type { Manifest } from '../../builder/snapshot/files/manifest.ts'
import { answerStatement } from '../../builder/statements/answer.ts'
import { stand } from '../serve/http/stand.ts'
import { suite } from '../suite.ts'
import {
  type Built,
  buildIn,
  buildWith,
  CHART,
  COMPANY,
  codes,
  companyYaml,
  type Files,
  inWorkspace,
  ledgerCsv,
  type Read,
  scopeOf,
  writeFiles,
} from '../support/workspace.ts'

const test = suite("peers' failures")

const sheetOf = (built: Built): Read => built.statement('BalanceSheet')
/** Decimal text in cents; a row that is zero throughout is not published. */
const cents = (text: string | null | undefined): bigint => BigInt((text ?? '0').replace('.', ''))
/** Sums of the figures up to each month. */
const cumulated = (values: readonly (string | null)[]): bigint[] => {
  let sum = 0n
  return values.map((value) => {
    sum += cents(value)
    return sum
  })
}
const row = ({ rows, months }: Read, id: string): bigint[] => months.map((_, p) => cents(rows[id]?.[p]))

const CLASSES = 'id,name,parent\neast,East,\neast1,East one,east\nwest,West,\n'
const WITH_CLASSES = companyYaml('classes: classes.csv')

test('ERPNext: change in cash is a plug', async () => {
  // Accounts that a cash flow report forgets: no type, a direct entry on retained earnings, drawings, a write-off
  // against equity. Nothing may be left for a difference to fill: cash is what the bank says.
  const files: Files = {
    'chart.csv': `${CHART}odd,1900,Odd account,Asset,\nowed,2900,Odd debt,Liability,\n`,
    'ledger.csv': ledgerCsv(`
      1 2025-01-02 bank 1000.00; 1 2025-01-02 capital -1000.00
      2 2025-01-05 odd 300.00; 2 2025-01-05 bank -300.00
      3 2025-01-09 debtors 250.00; 3 2025-01-09 sales -250.00
      4 2025-01-20 retained 40.00; 4 2025-01-20 bank -40.00
      5 2025-02-03 odd -120.00; 5 2025-02-03 retained 120.00
      6 2025-02-11 till 75.50; 6 2025-02-11 bank -75.50
      7 2025-02-12 bank 33.33; 7 2025-02-12 owed -33.33
      8 2025-02-28 plant 500.00; 8 2025-02-28 loan -500.00`),
  }
  await buildWith(files, (built) => {
    const { rows, totals } = built.statement('CashFlow')
    assert.equal(totals.NetChangeInCash, ['660.00', '33.33'])
    assert.equal(totals.BeginningCash, ['0.00', '660.00'])
    assert.equal(totals.EndingCash, ['660.00', '693.33'])
    assert.equal(rows.odd, ['-300.00', '120.00'], 'an account that nothing maps keeps a row of its own')
    assert.equal(rows.owed, ['0.00', '33.33'])
    // What equity takes without cash is operating: entry 5.
    assert.equal(rows.retained, ['-40.00', '0.00'])
    assert.equal(rows['without-cash'], ['0.00', '-120.00'])
    assert.is(rows.balancing, undefined, 'unfiltered, nothing is balanced')
    assert.is(codes(built.result.findings).filter((code) => code === 'cash-flow-unmapped').length, 2)
  })
})

test("ERPNext, Odoo: the P&L differs from the balance sheet's earnings row", async () => {
  // A fiscal year that is not the calendar year, entries on its very first and last day, an entry that moves results
  // straight into equity, and nothing closed.
  const files: Files = {
    'company.yaml': companyYaml('fiscalMonthEnd: 6'),
    'ledger.csv': ledgerCsv(`
      1 2024-07-01 bank 100.00; 1 2024-07-01 sales -100.00
      2 2024-12-31 rent 30.00; 2 2024-12-31 bank -30.00
      3 2025-06-30 bank 7.77; 3 2025-06-30 sales -7.77
      4 2025-07-01 bank 1000.01; 4 2025-07-01 sales -1000.01
      5 2025-08-15 tax 12.34; 5 2025-08-15 retained -12.34`),
  }
  await buildWith(files, (built) => {
    const net = built.statement('ProfitAndLoss').totals.NetIncome!
    const sheet = sheetOf(built)
    assert.equal(sheet.months.length, 14)
    const years = [...cumulated(net.slice(0, 12)), ...cumulated(net.slice(12))]
    assert.equal(row(sheet, 'current-year-earnings').map(String), years.map(String))
    const prior = row(sheet, 'prior-years-not-closed').map(String)
    assert.equal(prior, [...Array.from({ length: 12 }, () => '0'), '7777', '7777'])
  })
})

test('OCA: a filter changes the earnings row', async () => {
  const files: Files = {
    'company.yaml': WITH_CLASSES,
    'classes.csv': CLASSES,
    'ledger.csv': ledgerCsv(`
      1 2024-03-01 bank 900.00; 1 2024-03-01 sales -600.00 east; 1 2024-03-01 sales -300.00 west
      2 2025-01-10 bank 50.00 east1; 2 2025-01-10 sales -50.00 east1
      3 2025-02-10 rent 20.00 west; 3 2025-02-10 bank -20.00
      4 2025-02-11 rent 5.00; 4 2025-02-11 bank -5.00`),
  }
  await buildWith(files, (built) => {
    const scopes = ['east', 'west', 'unassigned'].map((classId) => ({ classId }))
    const sheets = scopes.map((scope) => built.statement('BalanceSheet', scope))
    for (const [i, scope] of scopes.entries()) {
      const net = built.statement('ProfitAndLoss', scope).totals.NetIncome!
      const earned = [...cumulated(net.slice(0, 12)), ...cumulated(net.slice(12))]
      assert.equal(row(sheets[i]!, 'current-year-earnings').map(String), earned.map(String), scope.classId)
    }
    for (const id of ['current-year-earnings', 'prior-years-not-closed']) {
      const together = sheets.map((sheet) => row(sheet, id)).reduce((a, b) => a.map((v, p) => v + b[p]!))
      assert.equal(together.map(String), row(sheetOf(built), id).map(String), id)
    }
    assert.is(sheets[1]!.rows['prior-years-not-closed']!.at(-1), '300.00')
    assert.is(sheets[1]!.rows['current-year-earnings']!.at(-1), '-20.00')
  })
})

test("Bigcapital, Xero's MCP server: the basis parameter is ignored", async () => {
  const accrual = ledgerCsv(`
    1 2025-01-31 debtors 80.00; 1 2025-01-31 sales -80.00
    2 2025-02-15 bank 80.00; 2 2025-02-15 debtors -80.00`)
  const cash = ledgerCsv('2 2025-02-15 bank 80.00; 2 2025-02-15 sales -80.00')
  const both: Files = {
    'company.yaml': companyYaml(
      'ledger: [{ files: accrual.csv, basis: accrual }, { files: cash.csv, basis: cash }]',
    ),
    'accrual.csv': accrual,
    'cash.csv': cash,
  }
  await buildWith(both, (built) => {
    const sales = (basis: 'ACCRUAL' | 'CASH') => built.statement('ProfitAndLoss', { basis }).rows.sales
    assert.equal(sales('ACCRUAL'), ['80.00', '0.00'])
    assert.equal(sales('CASH'), ['0.00', '80.00'])
    assert.match(built.statement('ProfitAndLoss', { basis: 'CASH' }).text, '"AccountingBasis":"CASH"')
  })
  // Books whose payments are not linked have no cash basis: that is said, and accrual is not given in its place.
  await buildWith({ 'ledger.csv': accrual }, (built) => {
    assert.match(built.read('info.json'), '"AccountingBases":["ACCRUAL"]')
    assert.throws(() => built.statement('ProfitAndLoss', { basis: 'CASH' }), /ENOENT/)
  })
  const it = await stand()
  try {
    const statement = '/companies/bare/profit-loss?StartDate=2025-01-01&EndDate=2025-01-31'
    for (const [query, status] of [
      ['&AccountingBasis=CASH', 422],
      ['&AccountingBasis=cash', 400],
      ['', 400],
    ] as const)
      assert.is((await it.ask(`${statement}${query}`)).status, status, query)
  } finally {
    await it.close()
  }
})

test('dbt_quickbooks: the rebuilt ledger differs from the source', async () => {
  // What a rebuilding of entries from documents gets wrong: lines of 0.00, the same account twice in
  // one entry, an entry that cancels itself, ids that differ in case and in leading zeros only.
  const lines = [
    ['007', 'bank', '100.00', ''],
    ['007', 'sales', '', '60.00'],
    ['007', 'sales', '', '40.00'],
    ['7', 'rent', '15.50', '0.00'],
    ['7', 'bank', '', '15.50'],
    ['a', 'bank', '3.00', ''],
    ['a', 'bank', '', '3.00'],
    ['A', 'debtors', '0.00', ''],
    ['A', 'sales', '', '0.00'],
    ['A', 'tax', '0.01', ''],
    ['A', 'creditors', '', '0.01'],
    ['B', 'bank', '-15.50', ''],
    ['B', 'rent', '', '-15.50'],
  ] as const
  const csv = `transaction_id,date,account,debit,credit\n${lines
    .map(([tx, account, debit, credit]) => `${tx},2025-01-31,${account},${debit},${credit}\n`)
    .join('')}`
  await buildWith({ 'ledger.csv': csv }, async (built) => {
    const { db } = await built.books()
    const kept = await db.rows<{ amount: string }>('SELECT amount FROM posting ORDER BY ALL')
    const source = lines.map(([, , debit, credit]) => cents(debit || '0') - cents(credit || '0'))
    const sorted = (amounts: readonly bigint[]) => [...amounts].sort((a, b) => Number(a - b)).map(String)
    assert.equal(sorted(kept.map(({ amount }) => BigInt(amount))), sorted(source), 'line for line')
    const manifest = JSON.parse(built.read(MANIFEST)) as Manifest
    const input = manifest.Inputs.find(({ Role }) => Role === 'ledger')!
    assert.is(input.RowsRead, lines.length)
    assert.equal([manifest.Totals.Postings, manifest.Totals.Transactions], [lines.length, 5])
    assert.equal([input.Debit, input.Credit], ['103.01', '103.01'], 'the control totals of the source')
  })
})

test('dbt_quickbooks, hledger: current and retained earnings are merged', async () => {
  const files: Files = {
    'ledger.csv': ledgerCsv(`
      1 2023-12-31 bank 10.00; 1 2023-12-31 retained -10.00
      2 2024-05-01 bank 200.00; 2 2024-05-01 sales -200.00
      3 2025-02-01 bank 3000.00; 3 2025-02-01 sales -3000.00`),
  }
  await buildWith(files, (built) => {
    const { months, rows } = sheetOf(built)
    const equity = (month: string) =>
      ['retained', 'prior-years-not-closed', 'current-year-earnings'].map(
        (id) => rows[id]![months.indexOf(month)],
      )
    assert.equal(equity('2023-12'), ['10.00', '0.00', '0.00'])
    assert.equal(equity('2024-12'), ['10.00', '0.00', '200.00'])
    assert.equal(equity('2025-01'), ['10.00', '200.00', '0.00'])
    assert.equal(equity('2025-02'), ['10.00', '200.00', '3000.00'])
  })
})

test('QuickBooks MCP server: a P&L is cut at 100 rows', async () => {
  const accounts = Array.from({ length: 260 }, (_, i) => `x${i}`)
  const files: Files = {
    'chart.csv': `${CHART}${accounts.map((id, i) => `${id},${7000 + i},Cost ${i},Expense,Expense\n`).join('')}`,
    'ledger.csv': ledgerCsv(
      accounts.map((id) => `${id} 2025-01-15 ${id} 1.01; ${id} 2025-01-15 bank -1.01`).join(';'),
    ),
  }
  await buildWith(files, async (built) => {
    const { rows, totals, text } = built.statement('ProfitAndLoss')
    assert.equal(Object.keys(rows), accounts)
    assert.equal(totals.TotalExpense, ['262.60'])
    const scope = scopeOf('ProfitAndLoss')
    const month = { startDate: '2025-01-01', endDate: '2025-12-31' }
    const asked = await answerStatement(await built.books(), scope, month)
    assert.is((asked.match(/"AccountId"/g) ?? []).length, 260, 'nor where it is computed for a range')
    assert.is((text.match(/"AccountId"/g) ?? []).length, 260)
    // Lists have pages, and say how many entries there are.
    assert.match(built.read('pages/chart-of-accounts/0.json'), /"total":\s*28\d/)
  })
})

test('ERPNext: the P&L is zero after the closing entry', async () => {
  const activity = `
    1 2024-03-05 bank 500.00; 1 2024-03-05 sales -500.00
    2 2024-12-30 rent 120.00; 2 2024-12-30 bank -120.00
    3 2025-01-08 bank 60.00; 3 2025-01-08 sales -60.00`
  const closing = ['sales 500.00', 'rent -120.00', 'retained -380.00']
    .map((line) => `C,2024-12-31,${line.replace(' ', ',')},,,CLOSE\n`)
    .join('')
  const plain = ledgerCsv(activity)
  const closed = `${plain.replace(/$/gm, ',').replace('department,', 'department,reference').replace(/\n,$/, '\n')}${closing}`
  const profit = ({ statement }: Built) => statement('ProfitAndLoss')
  const before = await buildWith({ 'ledger.csv': plain }, profit)
  await buildWith(
    { 'company.yaml': companyYaml('closing: { references: [CLOSE] }'), 'ledger.csv': closed },
    (built) => {
      assert.is(profit(built).text, before.text, 'closing entries are not on the P&L')
      assert.is(profit(built).totals.NetIncome![11], '-120.00')
      const { rows, months } = sheetOf(built)
      const december = months.indexOf('2024-12')
      assert.is(rows.retained![december], '380.00')
      assert.is(rows['current-year-earnings']![december], '0.00', 'moved to equity once, not twice')
      assert.is(rows['current-year-earnings']![december + 1], '60.00')
      assert.is(rows['prior-years-not-closed'], undefined)
      assert.is(built.statement('CashFlow').rows.retained, undefined, 'nor on the cash flow')
    },
  )
})

test('Run my Accounts: float dust of 0.01', async () => {
  // Each amount is a fraction that binary floating point cannot hold; what comes in goes out in other portions.
  const entries = Array.from({ length: 999 }, (_, i) => {
    const amount = ((i * 37) % 100) / 100 + 0.1
    const text = amount.toFixed(2)
    return `i${i} 2025-01-10 debtors ${text}; i${i} 2025-01-10 sales -${text}`
  })
  const total = entries.reduce((sum, entry) => sum + cents(/debtors (\S+);/.exec(entry)![1]), 0n)
  const settled = `${total / 100n}.${String(total % 100n).padStart(2, '0')}`
  const thirds = Array.from(
    { length: 3 },
    (_, i) => `t${i} 2025-01-20 rent 33.33; t${i} 2025-01-20 refund 0.01; t${i} 2025-01-20 creditors -33.34`,
  )
  const paid = ['p 2025-01-31 creditors 100.02', 'p 2025-01-31 bank -100.02']
  const files: Files = {
    'chart.csv': `${CHART}refund,6900,Rounding,Expense,Expense\n`,
    'ledger.csv': ledgerCsv(
      [
        ...entries,
        ...thirds,
        ...paid,
        `r 2025-02-10 bank ${settled}; r 2025-02-10 debtors -${settled}`,
        'z 2025-03-31 bank 0.01; z 2025-03-31 sales -0.01',
      ].join(';'),
    ),
  }
  await buildWith(files, (built) => {
    const { rows, totals } = sheetOf(built)
    assert.equal(rows.debtors, [settled, '0.00', '0.00'], 'to the cent, then nothing')
    assert.is(rows.creditors, undefined, 'an account that is zero throughout has no row')
    assert.equal(totals.TotalAssets, totals.TotalLiabilitiesAndEquity)
    for (const name of ['ProfitAndLoss', 'BalanceSheet', 'CashFlow'] as const)
      for (const value of Object.values(built.statement(name).rows).flat())
        assert.match(value!, /^-?\d+\.\d\d$/)
    for (const { LargestDifference } of built.result.tieOuts) assert.is(LargestDifference, '0.00')
  })
})

test('QuickBooks: the balance sheet of a class is out of balance', async () => {
  // The class stands on one side only: on the sale, not on the bank; on the bill, not on its payment.
  const files: Files = {
    'company.yaml': WITH_CLASSES,
    'classes.csv': CLASSES,
    'ledger.csv': ledgerCsv(`
      1 2025-01-10 debtors 700.00; 1 2025-01-10 sales -500.00 east1; 1 2025-01-10 sales -200.00 west
      2 2025-01-12 rent 90.00 east; 2 2025-01-12 creditors -90.00 east
      3 2025-02-12 creditors 90.00; 3 2025-02-12 bank -90.00
      4 2025-02-20 plant 45.00 west; 4 2025-02-20 bank -45.00 east1`),
  }
  await buildWith(files, (built) => {
    const balancing: bigint[][] = []
    for (const classId of ['east', 'west', 'unassigned']) {
      const sheet = built.statement('BalanceSheet', { classId })
      assert.equal(sheet.totals.TotalAssets, sheet.totals.TotalLiabilitiesAndEquity, classId)
      const flow = built.statement('CashFlow', { classId })
      const change = flow.months.map(
        (_, p) => cents(flow.totals.EndingCash![p]) - cents(flow.totals.BeginningCash![p]),
      )
      assert.equal(
        flow.totals.NetChangeInCash!.map((text) => String(cents(text))),
        change.map(String),
        classId,
      )
      balancing.push(row(sheet, 'balancing'))
    }
    // From the ledger, by hand: east −500 + 90 − 90, then − 45; west −200, then + 45; the rest is the opposite.
    assert.equal(
      balancing.map((values) => values.map(String)),
      [
        ['-50000', '-54500'],
        ['-20000', '-15500'],
        ['70000', '70000'],
      ],
    )
    assert.is(sheetOf(built).rows.balancing, undefined)
  })
})

test('ERPNext: precomputed balances go stale', async () => {
  const first =
    '1 2025-01-10 bank 100.00; 1 2025-01-10 sales -100.00; 2 2025-03-10 rent 30.00; 2 2025-03-10 bank -30.00'
  // Posted later, dated in the first month: every balance after it moves.
  const backdated = '; 3 2025-01-20 bank 0.05; 3 2025-01-20 sales -0.05'
  const files: Files = { 'company.yaml': companyYaml(), 'chart.csv': CHART, 'ledger.csv': ledgerCsv(first) }
  await inWorkspace(files, async (workspace) => {
    const before = await buildIn(workspace, COMPANY)
    const old = sheetOf(before)
    assert.equal(old.rows.bank, ['100.00', '100.00', '70.00'])
    writeFiles(join(workspace.datasets, COMPANY), { 'ledger.csv': ledgerCsv(first + backdated) })
    const opened: Parameters<typeof buildIn>[2] = []
    try {
      const after = await buildIn(workspace, COMPANY, opened)
      assert.equal(sheetOf(after).rows.bank, ['100.05', '100.05', '70.05'])
      assert.is(sheetOf(before).text, old.text, 'what was published stays as it was')
      const books = await after.books()
      for (const statement of ['ProfitAndLoss', 'BalanceSheet', 'CashFlow'] as const) {
        const range = { startDate: '2025-01-01', endDate: '2025-03-31' }
        const fresh = await answerStatement(books, scopeOf(statement), range)
        const stored = sliceStatement(Buffer.from(after.statement(statement).text), range).toString()
        assert.is(fresh, stored, 'stored and computed anew')
      }
      const folder = snapshotFolder(workspace.snapshots, COMPANY, before.result.snapshotId!)
      assert.ok(existsSync(join(folder, statementPath(scopeOf('BalanceSheet')))))
    } finally {
      for (const books of opened) books.db.close()
    }
  })
})
