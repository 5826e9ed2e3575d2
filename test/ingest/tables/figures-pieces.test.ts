/** Large budgets and metrics, which are read in pieces, give what reading each file as a whole gives: rows, findings, order. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import type { AccountRow } from '../../../builder/ingest/format/intake.ts'
import { nameKeys } from '../../../builder/ingest/format/keys.ts'
import {
  type BudgetEntry,
  type Figures,
  type MetricEntry,
  readFigures,
} from '../../../builder/ingest/tables/figures.ts'
import type { BudgetSetting, MetricSetting } from '../../../builder/workspace/company.ts'
import { suite } from '../../suite.ts'
import type { Files } from '../../support/readings.ts'
import { workbook } from '../folder.ts'

const test = suite('budgets and metrics in pieces')

const account = (id: string, name: string, parentId: string | null = null): AccountRow => ({
  ...{ file: 'chart.csv', row: 1, id, number: id, name, parentId, cashFlow: null, isActive: true },
  ...(id < '2000'
    ? { classification: 'Asset' as const, type: 'Bank' as const }
    : { classification: 'Income' as const, type: 'Sales' as const }),
})
const ACCOUNTS = [
  account('1000', 'Bank'),
  account('2000', 'North'),
  account('2100', 'South'),
  ...Array.from({ length: 40 }, (_, i) => account(String(3000 + i), `Sales ${i}`)),
  account('4000', 'Rent', '2000'),
  account('4100', 'Rent', '2100'),
]
const members = (prefix: string) =>
  nameKeys(Array.from({ length: 6 }, (_, i) => ({ id: `${prefix}${i}`, name: `${prefix} number ${i}` })))
const CONTEXT = {
  classes: members('C'),
  departments: members('D'),
  parents: { class: new Map(), department: new Map() },
  calendar: { fiscalMonthEnd: 12, fiscalYears: [] },
}
const METRICS = ['units', 'rate', 'heads'].map((id) => ({ id, name: id }))

const budget = (files: string, more: Partial<BudgetSetting> = {}): BudgetEntry => ({
  ...{ role: 'budget', key: 'budgets.0', setting: { id: 'plan', name: 'Plan', files, ...more } },
  context: { ...CONTEXT, accounts: ACCOUNTS, currency: 'USD' },
})
const metric = (files: string, more: Partial<MetricSetting> = {}): MetricEntry => ({
  ...{ role: 'metrics', key: 'metrics.0', setting: { files, ...more } },
  context: {
    ...{ ...CONTEXT, metrics: nameKeys(METRICS), budgets: new Set(['plan']) },
    ...{ sums: new Set(['units']), added: new Set(['units']), percents: new Set<string>() },
  },
})

type Entries = { readonly budgets?: readonly BudgetEntry[]; readonly metrics?: readonly MetricEntry[] }

async function reading(files: Files, { budgets = [], metrics = [] }: Entries, piece: number | null) {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-figures-'))
  try {
    for (const [file, content] of Object.entries(files)) {
      mkdirSync(join(folder, file, '..'), { recursive: true })
      writeFileSync(join(folder, file), content)
    }
    const sizes = piece === null ? undefined : { least: 0, piece }
    return listed(await readFigures(folder, budgets, metrics, sizes))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** With rows as arrays, which can be compared. */
const listed = ({ budgets, metrics }: Figures) => ({
  budgets: budgets.map((each) => ({ ...each, rows: [...each.rows] })),
  metrics: metrics.map((each) => ({ ...each, rows: [...each.rows] })),
})

/** What is read of the whole, after pieces gave the same. */
async function same(files: Files | string | Buffer, entries: Entries) {
  const all = typeof files === 'string' || Buffer.isBuffer(files) ? { 'a.csv': files } : files
  const whole = await reading(all, entries, null)
  for (const piece of [150, 1000, 6000]) {
    const read = await reading(all, entries, piece)
    assert.equal(read, whole, `in pieces of ${piece} letters`)
    // Order of members too: what is published depends on nothing else.
    assert.is(JSON.stringify(read), JSON.stringify(whole))
  }
  return whole
}

const cell = (text: string) => (/["\n,]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
const csv = (rows: readonly (readonly string[])[], end = '\n'): string =>
  rows.map((row) => `${row.map(cell).join(',')}${end}`).join('')

const MONTHS = ['2025-01', '2025-02', '2025-03']
const rowsOf = (count: number, change: (i: number) => readonly string[] | null = () => null) =>
  Array.from({ length: count }, (_, i) => [
    ...(change(i) ?? [String(3000 + (i % 40)), `C${i % 6}`, `D${Math.floor(i / 40) % 6}`]),
    ...MONTHS.map((_, month) => (i % 11 === 0 && month === 1 ? '' : `${i}.${month}0`)),
  ])
const WIDE = ['account', 'class', 'department', ...MONTHS]
const wide = (count: number, change?: (i: number) => readonly string[] | null) => [
  WIDE,
  ...rowsOf(count, change),
]
const PLAN: Entries = { budgets: [budget('a.csv')] }

test('a budget with months as columns: rows, members, row numbers', async () => {
  const { budgets } = await same(csv(wide(200)), PLAN)
  assert.is(budgets[0]!.rows.length, 200 * 3 - Math.ceil(200 / 11))
  assert.is(budgets[0]!.rows.at(-1)!.row, 201)
  await same(csv(wide(200), '\r\n'), PLAN)
  await same(`\ufeff${csv(wide(200)).trimEnd()}`, PLAN)
  await same(csv(wide(200)).replaceAll(',', ';'), PLAN)
})

test('titles, blank rows, a unit in the title, names instead of ids, letters of any length', async () => {
  const title = [['Åkers & Söhne — “plan”'], ['in thousands of USD'], []]
  const named = (i: number) => [`Sales ${i % 40}`, `C number ${i % 6}`, `D number ${Math.floor(i / 40) % 6}`]
  const { budgets } = await same(csv([...title, ...wide(200, named)]), PLAN)
  assert.equal(
    budgets[0]!.ofFigures.map(({ code }) => code),
    ['scale-read'],
  )
  assert.is(budgets[0]!.rows.at(0)!.scale, 1000)
  await same(
    csv(wide(200)).replace(/(.*\n){20}/g, (rows) => `${rows},,\n\n`),
    PLAN,
  )
})

test('one figure in each row, quarters, years, and columns that sum up others', async () => {
  const long = rowsOf(200).map(([id, own, department], i) => [
    id!,
    own!,
    department!,
    i % 3 === 0 ? '2025' : `2025-Q${1 + (i % 4)}`,
    `${i}.07`,
  ])
  await same(csv([['account', 'class', 'department', 'month', 'amount'], ...long]), PLAN)
  const summed = rowsOf(200).map((row, i) => {
    const figures = [`${i}.00`, `${i}.25`, `${i}.50`]
    return [...row.slice(0, 3), ...figures, (3 * i + 0.75).toFixed(2)]
  })
  const { budgets } = await same(csv([[...WIDE, 'Q1 2025'], ...summed]), PLAN)
  assert.equal(
    budgets[0]!.ofFigures.map(({ code }) => code),
    ['total-left-out'],
  )
  summed[150]![6] = '1.00'
  await same(csv([[...WIDE, 'Q1 2025'], ...summed]), PLAN)
})

test('columns that are not read, and rows that only their notes tell apart', async () => {
  const noted = wide(200).map((row, i) => [...row, i === 0 ? 'remark' : `note, "${i}"`])
  const { budgets } = await same(csv(noted), PLAN)
  assert.equal(
    budgets[0]!.ofFigures.map(({ code }) => code),
    ['columns-not-read'],
  )
  const again = noted.map((row, i) => (i > 160 ? [...noted[5]!.slice(0, 6), `more ${i}`] : row))
  const details = await same(csv(again), PLAN)
  assert.ok(details.budgets[0]!.ofFigures.some(({ code }) => code === 'budget-details'))
  const twice = await same(csv([...noted, noted[7]!]), PLAN)
  assert.ok(twice.budgets[0]!.ofFigures.some(({ code }) => code === 'repeated-budget-row'))
  const untagged = wide(200, (i) => (i === 170 ? ['3010', '', ''] : null))
  const mixed = await same(csv(untagged), PLAN)
  assert.ok(mixed.budgets[0]!.ofFigures.some(({ code }) => code === 'tagged-and-untagged'))
})

test('where rows belong together the file is read as a whole', async () => {
  const total = wide(200)
  total.push(['Total', '', '', ...MONTHS.map(() => '1.00')])
  await same(csv(total), PLAN)
  const sections = [
    ['account', ...MONTHS],
    ...Array.from({ length: 120 }, (_, i) =>
      i % 30 === 0 ? [`D number ${i / 30}`, '', '', ''] : [`Sales ${i % 30}`, '1.00', '2.00', '3.00'],
    ),
  ]
  const { budgets } = await same(csv(sections), PLAN)
  assert.equal(
    [...new Set([...budgets[0]!.rows].map(({ department }) => department))],
    ['D0', 'D1', 'D2', 'D3'],
  )
  const titled = [
    ['account', ...MONTHS],
    ['North', '', '', ''],
    ...Array.from({ length: 80 }, (_, i) => [`Sales ${i % 40}`, `${i}.00`, '', '']),
    ['Rent', '1.00', '', ''],
  ]
  await same(csv(titled), PLAN)
  await same(csv([['what', ...MONTHS], ...rowsOf(120).map((row) => [row[0]!, ...row.slice(3)])]), PLAN)
  await same(csv([...wide(120), ['In thousands of USD'], ...rowsOf(30)]), PLAN)
})

test('mistakes in rows are found where they stand', async () => {
  const wrong: readonly (readonly string[])[] = [
    ['9999', 'C1', 'D1'],
    ['3001', 'C9', 'D1'],
    ['', 'C1', 'D1'],
  ]
  for (const row of wrong) {
    const { budgets } = await same(csv(wide(200, (i) => (i === 170 ? row : null))), PLAN)
    assert.is(budgets[0]!.ofFigures.find(({ severity }) => severity === 'error')!.row, 172)
  }
  await same(csv(wide(200)).replace('170.10', '170,1x'), PLAN)
  await same(csv(wide(200)).replace('170.10', '170.105'), PLAN)
  await same(csv(wide(200)).replace('170.10', '\ufffd'), PLAN)
  await same(csv(wide(200)).replace('170.10', '\0'), PLAN)
})

test('quotes: cells with line ends and delimiters, cells that look like rows, quotes that do not close', async () => {
  const noted = (change: (i: number) => string) =>
    csv(wide(200).map((row, i) => [...row, i === 0 ? 'remark' : change(i)]))
  await same(
    noted((i) => `first, line\nsecond "${i}" line`),
    PLAN,
  )
  const rows = `${'x\n3001,C1,D1,1.00,2.00,3.00,a\n'.repeat(60)}y`
  await same({ 'a.csv': noted((i) => (i === 80 ? rows : 'n')) }, PLAN)
  for (const fault of ['"150.20', '"150".20']) await same(csv(wide(200)).replace('150.20', fault), PLAN)
})

test('other encodings, CR alone, workbooks, no header; and small files', async () => {
  await same(Buffer.from(csv([['Åre'], ...wide(200)]), 'latin1'), PLAN)
  await same(Buffer.from(`\ufeff${csv(wide(200))}`, 'utf16le'), PLAN)
  await same({ 'a.csv': csv(wide(200), '\r') }, PLAN)
  await same(csv(rowsOf(200)), PLAN)
  await same('', PLAN)
  const stated = { budgets: [budget('a.csv', { encoding: 'windows-1252' })] }
  await same(csv([['Åre'], ...wide(200)]), stated)
  const files = {
    'plan/a.csv': csv(wide(200)),
    'plan/b.xlsx': await workbook({ Plan: [[...WIDE], ...rowsOf(20, (i) => [`${3000 + i}`, 'C5', 'D5'])] }),
    'plan/c.csv': csv([WIDE]),
    'plan/d.csv': csv([...wide(3, () => ['3001', '', '']), ['Total', '', '', '3.00', '3.00', '6.60']]),
    'plan/e.csv': csv(wide(90, () => ['nothing', '', ''])),
    'other.csv': csv(wide(150)),
    'none.csv': csv(wide(150)),
  }
  const entries = [budget('plan/*'), budget('missing.csv'), budget('other.csv')]
  await same(files, { budgets: entries, metrics: [metric('none.csv')] })
})

const DAYS = Array.from({ length: 28 }, (_, i) => `2025-02-${String(i + 1).padStart(2, '0')}`)
const daily = (change: (i: number, row: string[]) => readonly string[] = (_, row) => row) => [
  ['metric', 'date', 'value', 'class', 'budget'],
  ...Array.from({ length: 280 }, (_, i) =>
    change(i, [
      i < 168 ? 'units' : 'rate',
      DAYS[i % 28]!,
      i % 9 === 0 ? `${i % 50}%` : `${i}.5`,
      `C${Math.floor(i / 28) % 6}`,
      i % 2 === 0 ? '' : 'plan',
    ]),
  ),
]
const DAILY: Entries = { metrics: [metric('a.csv')] }

test('metrics with one value in each row, and with months as columns', async () => {
  const { metrics } = await same(csv(daily()), DAILY)
  assert.is(metrics[0]!.rows.length, 280)
  await same(csv(daily()), { metrics: [metric('a.csv', { scale: 1000 })] })
  await same(
    csv(daily((i, row) => row.map((text) => (text === DAYS[i % 28] ? text.slice(0, 7) : text)))),
    DAILY,
  )
  const months = Array.from({ length: 150 }, (_, i) => [
    METRICS[i % 3]!.id,
    `C${i % 6}`,
    ...MONTHS.map(() => `${i}`),
  ])
  await same(csv([['metric', 'class', ...MONTHS], ...months]), DAILY)
})

test('metrics with a column for each: values in the order of columns, whatever the pieces', async () => {
  const rows = Array.from({ length: 150 }, (_, i) => [
    DAYS[i % 28]!,
    `${i}`,
    i % 7 === 0 ? '' : `${i}.25`,
    `C${i % 6}`,
  ])
  const header = ['date', 'units', 'rate', 'class']
  const { metrics } = await same(csv([header, ...rows]), DAILY)
  assert.is(
    metrics[0]!.rows.findLastIndex(({ metric }) => metric === 'units'),
    149,
  )
  const other = rows.map((row, i) => [...row, i === 100 ? '5' : 'text'])
  await same(csv([[...header, 'unknown'], ...other]), DAILY)
  await same(csv([header, ...rows, ['Total', '11175', '', '']]), DAILY)
})

test('mistakes in values are found where they stand', async () => {
  const at = (column: number, text: string) => (i: number, row: string[]) =>
    i === 240 ? row.with(column, text) : row
  for (const [column, text] of [
    [0, 'nothing'],
    [1, '31.2.2025'],
    [2, 'n/a'],
    [2, '1.1234567'],
    [3, 'C9'],
    [4, 'other'],
  ] as const) {
    const { metrics } = await same(csv(daily(at(column, text))), DAILY)
    assert.is(metrics[0]!.ofFigures[0]!.row, 242)
  }
})

test.run()
