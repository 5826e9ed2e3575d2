/**
 * Random budgets as spreadsheets have them: costs in brackets, thousands, sections with totals, results, quarters, half-years.
 * Read, they are the figures that each sheet was written from; changed anywhere, they contradict a total.
 */

import * as assert from 'uvu/assert'
import { alike } from '../../seed.ts'
import { suite } from '../../suite.ts'
import { mutationsOf, sampled, shownMutation } from '../../support/mutations.ts'
import { seeded } from '../../support/random.ts'
import { ingestWith } from '../folder.ts'

const random = suite('random budgets')

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const HEADER = MONTHS.flatMap((month, m) => [
  month,
  ...(m % 3 === 2 ? [`Q${(m + 1) / 3}`] : []),
  ...(m % 6 === 5 ? [`H${(m + 1) / 6}`] : []),
])
const SECTIONS = [
  { name: 'Income', classification: 'Income', first: 4000, sign: 1 },
  { name: 'Cost of sales', classification: 'CostOfSales', first: 5000, sign: -1 },
  { name: 'Expenses', classification: 'Expense', first: 6000, sign: -1 },
]

/** Hundreds of dollars as thousands with one decimal, a minus as brackets. */
function written(hundreds: number): string {
  const digits = Math.abs(hundreds)
  const text = `${Math.floor(digits / 10).toLocaleString('en-US')}.${digits % 10}`
  return `"${hundreds < 0 ? `(${text})` : text}"`
}

const add = (rows: readonly (readonly number[])[]): number[] =>
  MONTHS.map((_, m) => rows.reduce((sum, row) => sum + row[m]!, 0))

/** Twelve months with their quarters, half-years and the year. */
const line = (label: string, of: readonly number[]): string => {
  const sum = (first: number, last: number) =>
    of.slice(first, last).reduce((total, value) => total + value, 0)
  const cells = of.flatMap((value, m) => [
    value,
    ...(m % 3 === 2 ? [sum(m - 2, m + 1)] : []),
    ...(m % 6 === 5 ? [sum(m - 5, m + 1)] : []),
  ])
  return [label, ...[...cells, sum(0, 12)].map(written)].join(',')
}

function sheetOf(seed: number) {
  const draw = seeded(`budget ${seed}`)
  const next = (below: number) => draw.between(0, below - 1)
  const accounts = SECTIONS.flatMap((section) =>
    Array.from({ length: 2 + next(4) }, (_, i) => ({
      ...section,
      id: String(section.first + i),
      months: MONTHS.map(() => section.sign * (1 + next(30_000))),
    })),
  )
  const under = (name: string) => accounts.filter((account) => account.name === name)
  const total = (...names: string[]) => add(names.flatMap(under).map(({ months }) => months))
  const section = (name: string) => [
    `${name}${','.repeat(HEADER.length + 1)}`,
    ...under(name).map(({ id, months }) => line(next(2) === 0 ? id : `${id} Account ${id}`, months)),
    line(`Total ${name}`, total(name)),
  ]
  const text = [
    "Budget 2025 (USD '000)",
    ['account', ...HEADER, 'Total'].join(','),
    ...section('Income'),
    ...section('Cost of sales'),
    line('Gross profit', total('Income', 'Cost of sales')),
    ...section('Expenses'),
    line('Net income', total('Income', 'Cost of sales', 'Expenses')),
    '',
  ].join('\n')
  const chart = accounts.map(({ id, classification }) => `${id},${id},Account ${id},${classification},`)
  return {
    text,
    chart: `id,number,name,classification,type\n1000,1000,Bank,Asset,Bank\n${chart.join('\n')}\n`,
    figures: accounts
      .flatMap(({ id, months }) =>
        months.map(
          (hundreds, m) => `${id} 2025-${String(m + 1).padStart(2, '0')} ${Math.abs(hundreds) * 100}.00`,
        ),
      )
      .sort(),
  }
}

const read = (sheet: string | Buffer, chart: string) =>
  ingestWith(
    { budgets: [{ id: 'b', name: 'B', files: 'b.csv', sign: 'costs-negative', thousands: ',' }] },
    {
      'b.csv': sheet,
      'chart.csv': chart,
      'ledger.csv':
        'transaction_id,date,account,debit,credit\n1,2025-01-15,1000,1.00,\n1,2025-01-15,4000,,1.00\n',
    },
    ({ budgets, findings }) => ({
      figures: [...budgets[0]!.rows]
        .map(({ account, month, amount }) => `${account} ${month} ${amount}`)
        .sort(),
      errors: findings.filter(({ severity }) => severity === 'error'),
    }),
  )

const SEEDS = alike(Array.from({ length: 12 }, (_, i) => i + 1))

random('are read as the figures that they were written from', async () => {
  for (const seed of SEEDS) {
    const { text, chart, figures } = sheetOf(seed)
    const found = await read(text, chart)
    assert.equal(found.errors, [], `seed ${seed}`)
    assert.equal(found.figures, figures, `seed ${seed}`)
  }
})

random('what contradicts a total is refused: rows that go or stand twice, amounts, totals', async () => {
  const seeds = alike([1, 2])
  let refused = 0
  for (const seed of seeds) {
    const { text, chart, figures } = sheetOf(seed)
    assert.equal((await read(text, chart)).errors, [], `seed ${seed}`)
    const mutations = mutationsOf(Buffer.from(text), { amount: /\d[\d,]*\.\d/g }).filter(
      // A sheet does not say where it ends: what a cut takes with its totals, nothing misses.
      ({ kind }) => kind !== 'cut',
    )
    for (const mutation of sampled(mutations, 30)) {
      const found = await read(mutation.bytes(), chart)
      const isRefused = found.errors.length > 0
      if (isRefused) refused++
      const name = `seed ${seed}, ${shownMutation(mutation)}`
      if (mutation.kind === 'changed') assert.ok(isRefused, name)
      else if (!isRefused) assert.equal(found.figures, figures, name)
    }
  }
  assert.ok(refused > 20 * seeds.length, `${refused} were refused`)
})
