/**
 * Every published figure is explained: the lines that `explain` names add up to it, for accounts, computed rows and
 * totals, under any filter, and each of them stands in the source where it says. Sums are made here, with BigInt.
 */
import { appendFileSync, chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { build } from '../../builder/build/build.ts'
import type { Basis, StatementName } from '../../builder/contract/vocabulary.ts'
import { type Explanation, explain } from '../../builder/inspect/explain.ts'
import { type Proof, proof } from '../../builder/inspect/proof.ts'
import { type TrialBalanceRequest, trialBalance } from '../../builder/inspect/trial-balance.ts'
import { readPointer } from '../../builder/snapshot/files/open.ts'
import { openWorkspace, type Workspace } from '../../builder/workspace/workspace.ts'
import { seed, times } from '../seed.ts'
import { suite } from '../suite.ts'
import { type Explained, toExplain, trialBalanceOf } from '../support/asked.ts'
import { inPublished, publishedSuite } from '../support/published.ts'
import { buildIn, CHART, COMPANY, companyYaml, inWorkspace, ledgerCsv } from '../support/workspace.ts'

async function explained(
  { snapshots }: Pick<Workspace, 'snapshots'>,
  asked: Explained,
): Promise<Explanation> {
  const answer = await explain(snapshots, toExplain(asked))
  if (answer.findings) throw new Error(answer.findings.map((found) => found.message).join('; '))
  return answer.value
}

async function refused({ snapshots }: Workspace, asked: Explained): Promise<string[]> {
  const answer = await explain(snapshots, toExplain(asked))
  return (answer.findings ?? []).map((found) => `${found.code}: ${found.remedy}`)
}

const minor = (amount: string | null): bigint => BigInt((amount ?? '0').replace('.', ''))
const sum = (amounts: readonly (string | null)[]): bigint =>
  amounts.reduce((total, amount) => total + minor(amount), 0n)

/** Shares, and the lines where all are listed, add up to the published figure. */
function assertAddsUp(found: Explanation, what: string): void {
  assert.ok(found.addsUp, `${what}: ${found.total} against ${found.published}`)
  const published = minor(found.published)
  assert.is(sum(found.shares.map((share) => share.amount)), published, `${what}: shares`)
  if (!found.allLines) return
  assert.is(sum(found.lines.map((line) => line.amount)), published, `${what}: lines`)
  if (found.lines.length > 0) assert.is(minor(found.lines.at(-1)!.total), published, `${what}: running total`)
}

const TREE = 'id,name,parent\nshops,Shops,\nnorth,North,shops\nsouth,South,shops\nweb,Web,\n'
const TWO_YEARS = {
  'company.yaml': companyYaml(`
classes: classes.csv
departments: departments.csv
budgets: [{ id: plan, name: Plan, files: plan.csv }]
opening: { transactions: [open] }
closing: { references: [close] }
`),
  'chart.csv': CHART,
  'classes.csv': TREE,
  'departments.csv': 'id,name\nsales,Sales\nshed,Shed\n',
  'plan.csv': [
    'account,month,class,department,amount',
    'sales,2025-01,north,,1000.00',
    'sales,2025-01,south,,500.50',
    'sales,2025-02,web,,0.00',
    'rent,2025-01,,shed,300.00',
    'bank,2025-01,,,12000.00',
    '',
  ].join('\n'),
  'ledger.csv': [
    'transaction_id,date,account,amount,class,department,reference,memo',
    'open,2024-01-01,bank,5000.00,,,,',
    'open,2024-01-01,loan,-2000.00,,,,',
    'open,2024-01-01,capital,-3000.00,,,,',
    '1,2024-01-15,bank,1200.10,north,sales,,"Till, north"',
    '1,2024-01-15,sales,-1200.10,north,sales,,"Till, north"',
    '2,2024-02-20,rent,300.00,south,shed,,Rent',
    '2,2024-02-20,bank,-300.00,,,,Rent',
    '3,2024-06-30,debtors,800.00,web,sales,,Invoice 1',
    '3,2024-06-30,sales,-500.00,web,sales,,Invoice 1',
    '3,2024-06-30,sales,-300.00,south,sales,,Invoice 1',
    '4,2024-12-31,depreciation,100.00,,shed,,',
    '4,2024-12-31,plantdep,-100.00,,shed,,',
    '5,2025-01-10,bank,800.00,web,,,Paid invoice 1',
    '5,2025-01-10,debtors,-800.00,web,,,Paid invoice 1',
    '6,2025-01-12,sales,-250.25,north,sales,,',
    '6,2025-01-12,bank,250.25,north,sales,,',
    '6,2025-01-12,returns,20.00,north,sales,,',
    '6,2025-01-12,till,-20.00,north,sales,,',
    // The year 2024 is closed in March 2025, its costs left as they are.
    '7,2025-03-31,sales,2000.10,,,close,Close 2024',
    '7,2025-03-31,retained,-2000.10,,,close,Close 2024',
    '8,2025-03-31,retained,400.00,,,,Dividend moved',
    '8,2025-03-31,drawings,-400.00,,,,Dividend moved',
    '9,2025-04-02,rent,333.33,shops,shed,,',
    '9,2025-04-02,bank,-333.33,shops,shed,,',
    '',
  ].join('\n'),
}

const two = publishedSuite('explain: two years of a small company', TWO_YEARS)

two('a P&L figure is the activity of the month, line by line', async (workspace) => {
  const found = await explained(workspace, { account: 'sales', month: '2024-06' })
  assertAddsUp(found, 'sales')
  assert.is(found.statement, 'ProfitAndLoss')
  assert.is(found.published, '800.00')
  assert.equal(
    found.lines.map(({ date, transactionId, classId, credit, amount, total, memo, file, row }) => [
      date,
      transactionId,
      classId,
      credit,
      amount,
      total,
      memo,
      `${file}:${row}`,
    ]),
    [
      ['2024-06-30', '3', 'web', '500.00', '500.00', '500.00', 'Invoice 1', 'ledger.csv:10'],
      ['2024-06-30', '3', 'south', '300.00', '300.00', '800.00', 'Invoice 1', 'ledger.csv:11'],
    ],
  )
  // By number, and under a member that stands for those below it.
  const shops = await explained(workspace, { account: '4000', month: '2024-06', classId: 'shops' })
  assert.equal([shops.published, shops.lines.length], ['300.00', 1])
  // Closing entries are not on the P&L.
  const closed = await explained(workspace, { account: 'sales', month: '2025-03' })
  assert.equal([closed.published, closed.lines], ['0.00', []])
})

two('a balance is the opening, what was carried, and the month', async (workspace) => {
  const found = await explained(workspace, { account: '1000', month: '2025-01' })
  assertAddsUp(found, 'bank')
  assert.equal(
    found.shares.map(({ id, amount, total, lines }) => [id, amount, total, lines]),
    [
      ['opening', '5000.00', '5000.00', 1],
      ['earlier', '900.10', '5900.10', 2],
      ['month', '1050.25', '6950.35', 2],
    ],
  )
  assert.is(found.allLines, false)
  assert.equal(
    found.lines.map(({ phase, file, row, total }) => [phase, `${file}:${row}`, total]),
    [
      ['opening', 'ledger.csv:2', '5000.00'],
      ['month', 'ledger.csv:14', '6700.10'],
      ['month', 'ledger.csv:17', '6950.35'],
    ],
  )
  const whole = await explained(workspace, { account: '1000', month: '2025-01', all: true })
  assertAddsUp(whole, 'bank, all')
  assert.equal([whole.allLines, whole.lines.length], [true, 5])
  // Liabilities are positive when credit.
  assert.is((await explained(workspace, { account: 'loan', month: '2025-01' })).published, '2000.00')
})

two('earnings rows follow years and closing entries', async (workspace) => {
  const figure = async (account: string, month: string) => {
    const found = await explained(workspace, { account, month, all: true })
    assertAddsUp(found, `${account} ${month}`)
    return found.published
  }
  assert.is(await figure('current-year-earnings', '2024-12'), '1600.10')
  assert.is(await figure('prior-years-not-closed', '2025-01'), '1600.10')
  assert.is(await figure('current-year-earnings', '2025-01'), '230.25')
  // 2,000.10 of income was closed; 400.00 of costs still are not.
  assert.is(await figure('prior-years-not-closed', '2025-03'), '-400.00')
  assert.is(await figure('net-income', '2025-01'), '230.25')
  assert.is(await figure('TotalEquity', '2025-03'), '4830.35')
  // A transfer inside equity is on the balance sheet, not on the cash flow.
  assert.is(await figure('3100', '2025-03'), '400.00')
  const drawings = await explained(workspace, { account: '3100', month: '2025-03', statement: 'CashFlow' })
  assert.equal([drawings.published, drawings.addsUp], ['0.00', true])
})

two(
  'every row and total of every statement adds up, in every month and under every filter',
  async (workspace) => {
    await everyFigure(workspace, COMPANY, {
      bases: ['ACCRUAL'],
      classes: [null, 'shops', 'north', 'web', 'unassigned'],
      departments: [null, 'sales', 'shed', 'unassigned'],
      months: ['2024-01', '2024-02', '2024-06', '2024-12', '2025-01', '2025-03', '2025-04'],
      accounts: CHART.split('\n')
        .slice(1, -1)
        .map((line) => line.split(',')[0]!),
      runs: 60,
      seed: 3,
    })
  },
)

two('a budget is explained by its own rows; no figure is not zero', async (workspace) => {
  const plan = async (asked: Explained) => explained(workspace, { budgetId: 'plan', ...asked })
  const sales = await plan({ account: 'sales', month: '2025-01' })
  assertAddsUp(sales, 'sales')
  assert.is(sales.published, '1500.50')
  assert.equal(
    sales.lines.map(({ amount, file, row, debit }) => [amount, `${file}:${row}`, debit]),
    [
      ['1000.00', 'plan.csv:2', null],
      ['500.50', 'plan.csv:3', null],
    ],
  )
  const net = await plan({ account: 'NetIncome', month: '2025-01' })
  assert.equal([net.published, net.total, net.addsUp], ['1200.50', '1200.50', true])
  const balance = await plan({ account: 'bank', month: '2025-01' })
  assert.equal([balance.statement, balance.published], ['BalanceSheet', '12000.00'])
  const zero = await plan({ account: 'sales', month: '2025-02' })
  assert.equal([zero.published, zero.total, zero.addsUp], ['0.00', '0.00', true])
  const none = await plan({ account: 'rent', month: '2025-02' })
  assert.equal([none.published, none.total, none.addsUp], [null, null, true])
  const web = await plan({ account: 'rent', month: '2025-02', classId: 'web' })
  assert.equal([web.published, web.total, web.addsUp], [null, null, true])
})

two('what is not there is said together, with what is', async (workspace) => {
  const found = await refused(workspace, {
    account: 'sale',
    month: '2026-01',
    classId: 'nort',
    departmentId: 'Shed',
    basis: 'CASH',
  })
  assert.is(found.length, 5)
  assert.match(found[0]!, 'they have accrual')
  assert.match(found[1]!, 'available: shops, north, south, web, unassigned')
  assert.match(found[2]!, '"Shed" has the id shed')
  assert.match(found[3]!, 'the books cover 2024-01 to 2025-04')
  assert.match(found[4]!, '4000 Sales')
  const refuse = async (asked: Partial<Explained>) =>
    (await refused(workspace, { account: 'sales', month: '2025-01', ...asked }))[0]!
  assert.match(await refuse({ company: 'acm' }), 'unknown-company: available: acme')
  assert.match(await refuse({ snapshotId: '2025-04-r9-000000' }), /unknown-snapshot: available: 2025-04-r1/)
  assert.match(await refuse({ month: '2025-1' }), 'write it like 2025-03')
  assert.match(await refuse({ budgetId: 'plane' }), 'available: plan')
  assert.match(await refuse({ statement: 'BalanceSheet' }), 'it stands on the profit and loss')
  assert.match(await refuse({ account: 'bank', statement: 'CashFlow' }), 'stands on the balance sheet')
  assert.match(await refuse({ account: 'EndingCash', budgetId: 'plan' }), 'leave --budget out')
  assert.match(await refuse({ account: 'balancing', budgetId: 'plan' }), 'leave --budget out')
})

two('an older snapshot explains its own figures; a damaged one explains nothing', async () => {
  await inWorkspace(TWO_YEARS, async (workspace) => {
    const first = (await buildIn(workspace, COMPANY)).result.snapshotId!
    appendFileSync(
      join(workspace.datasets, COMPANY, 'ledger.csv'),
      '10,2025-04-03,sales,-1.00,,,,\n10,2025-04-03,bank,1.00,,,,\n',
    )
    const second = (await buildIn(workspace, COMPANY)).result.snapshotId!
    const asked = { account: 'sales', month: '2025-04' }
    assert.is((await explained(workspace, asked)).published, '1.00')
    assert.is((await explained(workspace, { ...asked, snapshotId: first })).published, '0.00')
    const old = join(workspace.snapshots, COMPANY, first, 'manifest.json')
    const manifest = readFileSync(old, 'utf8')
    chmodSync(old, 0o600)
    writeFileSync(old, manifest.replace('"Revision":1', '"Revision": 1'))
    const isDamaged = async (snapshotId: string | null) => {
      const problem = await explained(workspace, { ...asked, snapshotId }).catch((caught: Error) => caught)
      assert.is((problem as { code?: string }).code, 'snapshot-damaged')
    }
    await isDamaged(first)
    writeFileSync(old, manifest)
    const ask = { company: COMPANY, snapshotId: null, basis: null }
    const before = (await proof(workspace.snapshots, ask)).value as Proof
    assert.equal([before.proven, before.previous?.state], [true, 'unchanged'])
    const path = join(workspace.snapshots, COMPANY, second, 'books/postings.parquet')
    const bytes = readFileSync(path)
    bytes[100] = bytes[100]! ^ 1
    chmodSync(path, 0o600)
    writeFileSync(path, bytes)
    await isDamaged(null)
    const after = (await proof(workspace.snapshots, ask)).value as Proof
    assert.equal([after.proven, after.files.damaged.length], [false, 1])
  })
})

two('the trial balance of a month: results by year, debits equal credits', async (workspace) => {
  const ask = async (asked: Partial<TrialBalanceRequest>) =>
    (await trialBalance(workspace.snapshots, trialBalanceOf(asked))).value!
  const march = await ask({ month: '2025-03' })
  assert.ok(march.balances)
  const row = (id: string) => {
    const { opening, debit, credit, closing } = march.rows.find((each) => each.id === id)!
    return [opening, debit, credit, closing]
  }
  assert.equal(row('sales'), ['-250.25', '0.00', '0.00', '-250.25'])
  assert.equal(row('prior-years-not-closed'), ['-1600.10', '2000.10', '0.00', '400.00'])
  assert.equal(row('retained'), ['0.00', '400.00', '2000.10', '-1600.10'])
  const whole = await ask({})
  assert.equal([whole.totals.debit, whole.totals.credit, whole.balances], ['6203.78', '6203.78', true])
  assert.not((await ask({ classId: 'web' })).balances)
})

const odd = suite('explain: openings inside a year, yen, both bases, disposals')

odd('an opening of results belongs to the year it was taken in', async () => {
  const files = {
    'company.yaml': companyYaml(`currency: JPY
fiscalYears: [{ start: 2024-05-16, end: 2024-12-31 }, { start: 2025-01-01, end: 2025-12-31 }]
opening: { transactions: [open] }`),
    'chart.csv': CHART,
    'ledger.csv': ledgerCsv(`open 2024-05-20 bank 1000; open 2024-05-20 sales -1500; open 2024-05-20 rent 500
      1 2024-05-21 bank 70; 1 2024-05-21 sales -70; 2 2025-02-01 rent 30; 2 2025-02-01 bank -30`),
  }
  await inPublished(files, async (workspace) => {
    const figure = async (account: string, month: string) => {
      const found = await explained(workspace, { account, month, all: true })
      assertAddsUp(found, `${account} ${month}`)
      return found.published
    }
    assert.is(await figure('current-year-earnings', '2024-05'), '1070')
    assert.is(await figure('sales', '2024-05'), '70')
    assert.is(await figure('prior-years-not-closed', '2024-12'), '0')
    assert.is(await figure('prior-years-not-closed', '2025-02'), '1070')
    assert.is(await figure('current-year-earnings', '2025-02'), '-30')
    assert.is(await figure('BeginningCash', '2024-05'), '1000')
    assert.is(await figure('EndingCash', '2025-02'), '1040')
  })
})

odd('each basis has its own openings and postings', async () => {
  const files = {
    'company.yaml': companyYaml('opening: { transactions: [open] }'),
    'chart.csv': CHART,
    'ledger.csv': [
      'basis,transaction_id,date,account,amount',
      ...['accrual,open,2025-01-01,bank,100.00', 'accrual,open,2025-01-01,capital,-100.00'],
      ...['cash,open,2025-01-01,bank,90.00', 'cash,open,2025-01-01,capital,-90.00'],
      ...['accrual,1,2025-01-02,debtors,7.00', 'accrual,1,2025-01-02,sales,-7.00'],
      ...['cash,2,2025-01-03,bank,5.00', 'cash,2,2025-01-03,sales,-5.00', ''],
    ].join('\n'),
  }
  await inPublished(files, async (workspace) => {
    for (const [basis, bank, sales] of [
      ['ACCRUAL', '100.00', '7.00'],
      ['CASH', '95.00', '5.00'],
    ] as const) {
      const found = await explained(workspace, { account: 'bank', month: '2025-01', basis })
      assertAddsUp(found, basis)
      assert.is(found.published, bank)
      assert.is((await explained(workspace, { account: 'sales', month: '2025-01', basis })).published, sales)
    }
  })
})

odd('a disposal: its proceeds, what was added back, and nothing twice', async () => {
  const files = {
    'company.yaml': companyYaml('disposals: { gainsAndLosses: [gain] }'),
    'chart.csv': CHART,
    'ledger.csv': ledgerCsv(`1 2025-01-02 plant 900.00; 1 2025-01-02 bank -900.00
      2 2025-02-10 bank 700.00; 2 2025-02-10 plantdep 300.00; 2 2025-02-10 plant -900.00; 2 2025-02-10 gain -100.00`),
  }
  await inPublished(files, async (workspace) => {
    const figure = async (account: string, statement: StatementName | null = null) => {
      const found = await explained(workspace, { account, month: '2025-02', statement, all: true })
      assertAddsUp(found, account)
      return found.published
    }
    assert.is(await figure('plant', 'CashFlow'), '0.00')
    assert.is(await figure('disposal-proceeds'), '700.00')
    assert.is(await figure('plantdep', 'CashFlow'), '0.00')
    assert.is(await figure('gain', 'CashFlow'), '-100.00')
    assert.is(await figure('net-income'), '100.00')
    assert.is(await figure('NetCashFromOperating'), '0.00')
    assert.is(await figure('plant'), '0.00')
    assert.is(await figure('gain'), '100.00')
    assert.is(await figure('current-year-earnings'), '100.00')
    assert.is(await figure('EndingCash'), '-200.00')
    const month = trialBalanceOf({ month: '2025-02' })
    assert.ok((await trialBalance(workspace.snapshots, month)).value!.balances)
  })
})

odd('a derived cash figure leads to the document that was settled', async () => {
  const files = {
    'company.yaml': companyYaml('cashBasis: { derive: auto }'),
    'chart.csv': `${CHART}vat,2200,Sales tax,Liability,SalesTax\n`,
    'ledger.csv': [
      'transaction_id,date,account,amount,settles',
      'inv,2025-01-10,debtors,8305.95,',
      'inv,2025-01-10,sales,-7920.00,',
      'inv,2025-01-10,vat,-385.95,',
      'pay,2025-02-03,bank,4240.00,',
      'pay,2025-02-03,debtors,-4240.00,inv',
      '',
    ].join('\n'),
  }
  await inPublished(files, async (workspace) => {
    const asked = { account: 'sales', month: '2025-02', basis: 'CASH' as Basis }
    const found = await explained(workspace, asked)
    assertAddsUp(found, 'sales')
    assert.equal([found.published, found.basisSource], ['4042.98', 'Derived'])
    assert.equal(
      found.lines.map(({ amount, file, row }) => [amount, `${file}:${row}`]),
      [['4042.98', 'ledger.csv:3']],
    )
    assertAddsUp(
      await explained(workspace, { ...asked, account: 'current-year-earnings', all: true }),
      'earnings',
    )
    assertAddsUp(await explained(workspace, { ...asked, account: 'unapplied-receipts' }), 'unapplied')
  })
})

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const harbor = suite<{ root: string; workspace: Workspace }>('explain: Harbor Supply Co.')

harbor.before(async (at) => {
  at.root = mkdtempSync(join(tmpdir(), 'tieout-explain-'))
  writeFileSync(join(at.root, 'tieout.yaml'), `datasets: ${JSON.stringify(join(ROOT, 'datasets'))}\n`)
  at.workspace = openWorkspace(at.root)
  const result = await build(at.workspace, 'harbor', { publish: true })
  assert.is(result.outcome, 'published')
})
harbor.after((at) => rmSync(at.root, { recursive: true, force: true }))

harbor('random figures add up', async ({ workspace }) => {
  const chart = parse(readFileSync(join(ROOT, 'datasets/harbor/chart-of-accounts.csv')), {
    columns: true,
  }) as {
    id: string
    parent: string
  }[]
  const parents = new Set(chart.map((account) => account.parent))
  await everyFigure(workspace, 'harbor', {
    bases: ['ACCRUAL', 'CASH'],
    classes: [null, null, 'retail', 'wholesale-ne', 'services-rigging', 'unassigned'],
    departments: [null, null, 'sales', 'ops', 'unassigned'],
    months: [
      '2023-01',
      '2023-12',
      '2024-01',
      '2024-06',
      '2025-03',
      '2025-12',
      '2026-01',
      '2026-03',
      '2026-10',
    ],
    accounts: chart.filter((account) => !parents.has(account.id)).map((account) => account.id),
    runs: 60,
    seed: 11,
  })
})

harbor('each line stands in its file and row', async ({ workspace }) => {
  const files = new Map<string, string[][]>()
  const recordOf = (file: string, row: number): Record<string, string> => {
    if (!files.has(file))
      files.set(
        file,
        parse(readFileSync(join(ROOT, 'datasets/harbor', file)), { relax_column_count: true }) as string[][],
      )
    const [header, ...records] = files.get(file)!
    return Object.fromEntries(header!.map((name, i) => [name, records[row - 2]![i]!]))
  }
  let seen = 0
  for (const asked of [
    { account: '1011', month: '2025-03' },
    { account: '4110', month: '2024-11', basis: 'CASH' as Basis },
    { account: 'current-year-earnings', month: '2026-04', classId: 'retail', all: true },
    { account: 'EndingCash', month: '2023-06', departmentId: 'unassigned', all: true },
  ]) {
    const found = await explained(workspace, { company: 'harbor', ...asked })
    assertAddsUp(found, asked.account)
    for (const line of found.lines) {
      const record = recordOf(line.file!, line.row)
      const none = (text: string | null) => text ?? ''
      assert.is(record.account, line.account)
      assert.is(
        minor(line.debit) - minor(line.credit),
        minor(record.debit || '0') - minor(record.credit || '0'),
      )
      assert.equal([record.class, record.department], [none(line.classId), none(line.departmentId)])
      if (line.phase !== 'opening')
        assert.equal(
          [record.transaction_id, record.date, record.memo],
          [line.transactionId, line.date, none(line.memo)],
        )
      seen++
    }
  }
  assert.ok(seen > 400, `${seen} lines`)
})

harbor(
  'the trial balance closes with the balance sheet, and the proof with the manifest',
  async ({ workspace }) => {
    const asked = { company: 'harbor', month: '2025-12', basis: 'CASH' } as const
    const { value } = await trialBalance(workspace.snapshots, trialBalanceOf(asked))
    assert.ok(value!.balances)
    for (const id of ['1011', '2011', '2510']) {
      const found = await explained(workspace, { ...asked, account: id })
      const closing = minor(value!.rows.find((row) => row.id === id)!.closing)
      assert.is(found.account.section === 'Asset' ? closing : -closing, minor(found.published), id)
    }
    const { value: proven } = await proof(workspace.snapshots, {
      company: 'harbor',
      snapshotId: null,
      basis: 'CASH',
    })
    assert.ok(proven!.proven)
    assert.is(proven!.manifestSha256, (await readPointer(workspace.snapshots, 'harbor'))!.ManifestSha256)
    assert.equal([...new Set(proven!.tieOuts.map((entry) => entry.Basis))].sort(), ['BUDGET', 'CASH'])
    assert.ok(proven!.sources.filter((source) => source.balanced !== null).every((source) => source.balanced))
  },
)

interface Space {
  readonly bases: readonly Basis[]
  readonly classes: readonly (string | null)[]
  readonly departments: readonly (string | null)[]
  readonly months: readonly string[]
  readonly accounts: readonly string[]
  readonly runs: number
  readonly seed: number
}

const COMPUTED: readonly [string, StatementName][] = [
  ['net-income', 'CashFlow'],
  ['current-year-earnings', 'BalanceSheet'],
  ['prior-years-not-closed', 'BalanceSheet'],
  ['balancing', 'BalanceSheet'],
  ['balancing', 'CashFlow'],
]
const TOTALS = ['NetIncome', 'GrossProfit', 'OperatingIncome', 'TotalAssets', 'TotalEquity']
const CASH_TOTALS = [
  'TotalLiabilitiesAndEquity',
  'NetCashFromOperating',
  'NetChangeInCash',
  'BeginningCash',
  'EndingCash',
]

/** A random figure out of `space`, explained; a counter-example is shrunk towards the first of each list. */
async function everyFigure(workspace: Workspace, company: string, space: Space): Promise<void> {
  const row = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...space.accounts).map((id) => [id, null] as const) },
    { weight: 1, arbitrary: fc.constantFrom(...space.accounts).map((id) => [id, 'CashFlow'] as const) },
    { weight: 2, arbitrary: fc.constantFrom(...COMPUTED) },
    { weight: 2, arbitrary: fc.constantFrom(...TOTALS, ...CASH_TOTALS).map((id) => [id, null] as const) },
  )
  await fc.assert(
    fc.asyncProperty(
      row,
      fc.constantFrom(...space.months),
      fc.constantFrom(...space.bases),
      fc.constantFrom(...space.classes),
      fc.constantFrom(...space.departments),
      fc.boolean(),
      async ([account, statement], month, basis, classId, departmentId, all) => {
        const asked = { company, account, month, statement, basis, classId, departmentId, all }
        const answer = await explain(workspace.snapshots, toExplain(asked))
        if (answer.findings) {
          // The only figure that there is not: an account that is not on the cash flow.
          assert.equal(
            [statement, answer.findings.map((found) => found.code)],
            ['CashFlow', ['not-on-statement']],
          )
          return
        }
        assertAddsUp(answer.value, JSON.stringify(asked))
      },
    ),
    { numRuns: times(space.runs), seed: seed + space.seed },
  )
}
