/** `tieout explain`, `proof` and `trial-balance` as a person and as a program meet them. */
import { chmodSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import * as assert from 'uvu/assert'
import { csvText } from '../../cli/terminal/csv.ts'
import { money, visible } from '../../cli/terminal/money.ts'
import { amountsText, type LineColumn, lineTable } from '../../cli/terminal/narrow.ts'
import { paintOf } from '../../cli/terminal/terminal.ts'
import { suite } from '../suite.ts'
import { writeFiles } from '../support/workspace.ts'
import { goodCompany, inFolder, says, tieout } from './command.ts'

/** Two months of a company, built. */
async function buildAcme(cwd: string): Promise<void> {
  writeFileSync(join(cwd, 'tieout.yaml'), '')
  const files = goodCompany('acme', '3 2025-02-20 rent 12345.67; 3 2025-02-20 bank -12345.67')
  writeFiles(join(cwd, 'datasets/acme'), files)
  assert.is((await tieout(['build', 'acme'], { cwd })).code, 0)
}

const commands = suite<{ cwd: string }>('explain, proof, trial-balance')

commands.before(async (at) => {
  at.cwd = mkdtempSync(join(tmpdir(), 'tieout-cli-'))
  await buildAcme(at.cwd)
})

commands('explain shows lines, source and verdict', async ({ cwd }) => {
  const said = await says(0, 'explain acme 1000 2025-02', { cwd })
  const lines = said.split('\n').map((line) => line.replace(/ {2,}/g, '  '))
  assert.is(lines[0], '1000 Bank, 2025-02')
  assert.is(lines[1], 'acme, balance sheet, accrual')
  assert.ok(lines.includes('Date  Transaction  Memo  Amount  Total  Source'))
  assert.ok(lines.includes('earlier  1 line of earlier months  1,000.00  1,000.00'))
  assert.ok(lines.includes('2025-02-20  3  -12,345.67  -11,095.67  ledger.csv:7'))
  assert.ok(lines.includes('--all lists the other 1 line.'))
  assert.ok(lines.includes('Published  -11,095.67  USD'))
  assert.is(lines.at(-2), 'Adds up to the published figure: yes')
  const all = await tieout(['explain', 'acme', 'bank', '2025-02', '--all'], { cwd })
  assert.match(all.out, /2025-01-01 .* ledger\.csv:2/)
  assert.not.match(all.out, '--all')
})

commands('a total is its rows, a computed row its accounts', async ({ cwd }) => {
  const total = await tieout(['explain', 'acme', 'netincome', '2025-02'], { cwd })
  assert.match(total.out, /^NetIncome, 2025-02$/m)
  assert.match(total.out, /^4000 +Sales +1 +250\.00$/m)
  assert.match(total.out, /^6000 +Rent +1 +-12,345\.67$/m)
  const { out } = await tieout(['explain', 'acme', 'net-income', '2025-02', '--json'], { cwd })
  const found = JSON.parse(out)
  assert.equal(
    [found.statement, found.account.kind, found.published, found.total, found.difference, found.addsUp],
    ['CashFlow', 'computed row', '-12095.67', '-12095.67', '0.00', true],
  )
  assert.equal(found.lines, [])
  const plant = ['explain', 'acme', 'plant', '2025-01', '--statement', 'cash-flow', '--class', 'unassigned']
  assert.match((await tieout(plant, { cwd })).out, 'No line of the books is behind this figure.')
  assert.match((await tieout(plant, { cwd })).out, '(also on the balance sheet)')
})

commands('--csv lists every line', async ({ cwd }) => {
  const { out } = await tieout(['explain', 'acme', 'EndingCash', '2025-02', '--csv'], { cwd })
  const rows = parse(out, { columns: true }) as Record<string, string>[]
  assert.equal(
    rows.map(({ date, account, debit, credit, amount, file, row }) => [
      date,
      account,
      debit,
      credit,
      amount,
      `${file}:${row}`,
    ]),
    [
      ['2025-01-01', 'bank', '1000.00', '', '1000.00', 'ledger.csv:2'],
      ['2025-02-10', 'bank', '250.00', '', '250.00', 'ledger.csv:4'],
      ['2025-02-20', 'bank', '', '12345.67', '-12345.67', 'ledger.csv:7'],
    ],
  )
  await says(2, 'trial-balance acme --csv --json', { cwd })
})

commands('a month whose cash flow a budget does not state is told with the reason', () =>
  inFolder(async (cwd) => {
    writeFileSync(join(cwd, 'tieout.yaml'), '')
    const good = goodCompany('acme')
    const plan = [
      'account,2025-01,2025-02',
      'bank,1000,1100',
      'capital,1000,1000',
      'retained,0,100',
      'sales,,100',
      '',
    ].join('\n')
    const setting =
      'budgets: [{ id: plan, name: Plan, files: plan.csv, equity: with-result, resultAccount: retained }]\n'
    const files = { ...good, 'company.yaml': `${good['company.yaml']}${setting}`, 'plan.csv': plan }
    writeFiles(join(cwd, 'datasets/acme'), files)
    await says(0, 'build acme', { cwd })
    const asked = ['--budget', 'plan', '--statement', 'cash-flow']
    const first = await tieout(['explain', 'acme', 'EndingCash', '2025-01', ...asked], { cwd })
    assert.is(first.code, 0, first.out + first.err)
    assert.match(first.out, /^Published +– +USD$/m)
    assert.match(
      first.out,
      /^Not stated: the budget states no balance sheet for 2024-12 \(NoMonthBefore\)\.$/m,
    )
    assert.not.match(first.out, 'Adds up')
    const { notStated } = JSON.parse(
      (await tieout(['explain', 'acme', 'capital', '2025-01', ...asked, '--json'], { cwd })).out,
    )
    assert.is(notStated.reason, 'NoMonthBefore')
    const second = await tieout(['explain', 'acme', 'EndingCash', '2025-02', ...asked], { cwd })
    assert.match(second.out, /^Published +1,100\.00 +USD$/m)
    assert.match(second.out, 'Adds up to the published figure: yes')
  }),
)

commands('a trial balance balances, in every form', async ({ cwd }) => {
  const said = await says(0, 'trial-balance acme', { cwd })
  assert.match(said, 'Trial balance, 2025-01-01 to 2025-02-28')
  assert.match(said, /^1000 +Bank +0\.00 +1,250\.00 +12,345\.67 +-11,095\.67$/m)
  assert.match(said, /^ +Total +0\.00 +13,595\.67 +13,595\.67 +0\.00$/m)
  const { rows, totals, balances } = JSON.parse(
    (await tieout(['trial-balance', 'acme', '2025-02', '--json'], { cwd })).out,
  )
  assert.equal([totals.debit, totals.credit, balances], ['12595.67', '12595.67', true])
  assert.equal(
    rows.map((row: { id: string }) => row.id),
    ['bank', 'capital', 'sales', 'rent'],
  )
  const csv = parse((await tieout(['trial-balance', 'acme', '2025-01', '--csv'], { cwd })).out)
  assert.equal(csv[1], ['bank', '1000', 'Bank', 'Asset', '0.00', '1000.00', '0.00', '1000.00'])
})

commands('a proof names identities, sources and hashes', async ({ cwd }) => {
  const said = await says(0, 'proof acme', { cwd })
  assert.match(said, /^Balance sheet, accrual$/m)
  assert.match(said, /^assets = liabilities \+ equity +\d+ +\d+ +-11,095\.67 +-11,095\.67 +0\.00$/m)
  assert.match(said, /^ledger\.csv +6 +2025-01-01 +2025-02-20 +13,595\.67 +13,595\.67 +yes$/m)
  assert.match(said, /^[0-9a-f]{64} {2}ledger\.csv$/m)
  assert.match(said, /^Proven: \d+ comparisons hold/m)
  assert.match((await tieout(['proof', 'acme', '--basis', 'cash'], { cwd })).err, 'have no cash basis')
})

commands('a changed file fails the proof and what it states', () =>
  inFolder(async (cwd) => {
    await buildAcme(cwd)
    const snapshots = join(cwd, 'snapshots/acme')
    const id = readdirSync(snapshots).find((name) => /^\d/.test(name))!
    const path = join(snapshots, id, 'statements/balance-sheet/accrual/actuals/all/all.json')
    chmodSync(path, 0o600)
    writeFileSync(path, readFileSync(path, 'utf8').replace('-11095.67', '-11095.68'))
    const changed = await tieout(['proof', 'acme'], { cwd })
    assert.is(changed.code, 1)
    assert.match(changed.out, /statements\/balance-sheet\S* of snapshot \S+ of acme was changed/)
    assert.match(changed.out, 'Not proven: 1 file is not as published')
    assert.is((await tieout(['explain', 'acme', 'bank', '2025-02'], { cwd })).code, 1)
  }),
)

const WRONG: [args: string[], says: string][] = [
  [['explain', 'acne', 'bank', '2025-02'], 'available: acme'],
  [['explain', 'acme', 'bank', '2025-03'], 'the books cover 2025-01 to 2025-02'],
  [['explain', 'acme', 'bank', '2025-02', '--snapshot', '../acme'], 'acme has no snapshot'],
  [['explain', 'acme', 'bank', '2025-02', '--basis', 'both'], 'Allowed choices are accrual, cash'],
  [['proof', '..'], 'nothing is published'],
  [['trial-balance', 'acme', 'february'], 'write it like 2025-03'],
]
commands('what is not there: exit code 2, and what there is', async ({ cwd }) => {
  for (const [args, says] of WRONG) {
    const { code, out, err } = await tieout(args, { cwd })
    assert.is(code, 2, args.join(' '))
    assert.is(out, '')
    assert.match(err, says)
  }
})

const tables = suite('tables that fit')

interface Posting {
  readonly date: string
  readonly memo: string
  readonly department: string
  readonly amount: string
}
const POSTINGS: Posting[] = [
  {
    date: '2025-03-01',
    memo: 'A memo that goes on and on and on and on',
    department: 'purchasing',
    amount: '1234567.50',
  },
  { date: '2025-03-02', memo: 'short\u001b[31m', department: '', amount: '-0.05' },
]
const COLUMNS: LineColumn<Posting>[] = [
  { title: 'Date', of: ({ date }) => date, dispensable: 0 },
  { title: 'Memo', of: ({ memo }) => memo, dispensable: 1, flexible: 12 },
  { title: 'Department', of: ({ department }) => department, dispensable: 2 },
  { title: 'Nothing', of: () => '', dispensable: 0 },
  { title: 'Amount', of: ({ amount }) => money(amount), right: true, dispensable: 0 },
]
const paint = paintOf(false)

for (const [width, omitted] of [
  [120, []],
  [80, []],
  [60, []],
  [45, ['department']],
  [30, ['department', 'memo']],
] as const)
  tables(`${width} columns`, () => {
    const table = lineTable(POSTINGS, COLUMNS, { paint, width })
    const lines = table.text.split('\n')
    assert.equal(table.omitted, omitted)
    assert.is(lines.length, 3)
    for (const line of lines) assert.ok(line.length <= width, line)
    // Amounts end in one column.
    assert.is(new Set(lines.map((line) => line.length)).size, 1)
    assert.not.match(table.text, /Nothing|\u001b/)
  })

tables('money, labels and CSV', () => {
  assert.equal(['0.00', '-1234567.5000', '1000', '999.99', null].map(money), [
    '0.00',
    '-1,234,567.5000',
    '1,000',
    '999.99',
    '–',
  ])
  assert.is(visible('a\tb\u0007'), 'a\\tb\\u0007')
  assert.is(
    amountsText(
      [
        ['All', '1000.00', 'USD'],
        ['Published', '-5.00', 'USD'],
      ],
      80,
    ),
    'All        1,000.00  USD\nPublished     -5.00  USD',
  )
  assert.is(
    csvText(
      ['a', 'b'],
      [
        ['x,"y"', null],
        ['line\nend', 7],
      ],
    ),
    'a,b\n"x,""y""",\n"line\nend",7',
  )
})
