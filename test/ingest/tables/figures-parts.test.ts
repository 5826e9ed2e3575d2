/** Budgets and metrics that are read in parts, by others or by threads, give what reading each file as a whole gives: rows, findings, order. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { AccountRow } from '../../../builder/ingest/format/intake.ts'
import { nameKeys } from '../../../builder/ingest/format/keys.ts'
import { type Call, PartHands } from '../../../builder/ingest/format/part-hands.ts'
import { type Figures, filesOf, readFound } from '../../../builder/ingest/tables/figures.ts'
import {
  type BudgetEntry,
  type FigureHands,
  type MetricEntry,
  WORK,
} from '../../../builder/ingest/tables/parts.ts'
import type { BudgetSetting, MetricSetting } from '../../../builder/workspace/company.ts'
import { Threads } from '../../../builder/workspace/threads.ts'
import { Copies, type Files } from '../../support/in-parts.ts'
import { workbook } from '../folder.ts'

const test = suite('budgets and metrics in parts')

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

/** Does what threads do, and notes what it gave. */
class Noted extends Copies<typeof WORK> {
  readonly given: unknown[] = []
  override run = async (call: Call<typeof WORK>): Promise<unknown> => {
    if (call.name === this.fails) throw new Error('no memory')
    const given = structuredClone(await WORK.readPart(structuredClone(call).given as never))
    this.given.push(given)
    return given
  }
}

type Entries = { readonly budgets?: readonly BudgetEntry[]; readonly metrics?: readonly MetricEntry[] }

async function reading(files: Files, { budgets = [], metrics = [] }: Entries, hands: FigureHands | null) {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-figures-'))
  try {
    for (const [file, content] of Object.entries(files)) {
      mkdirSync(join(folder, file, '..'), { recursive: true })
      writeFileSync(join(folder, file), content)
    }
    const found = await Promise.all([...budgets, ...metrics].map((entry) => filesOf(folder, entry)))
    return listed(await readFound(budgets, metrics, found, hands))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** With rows as arrays, which can be compared. */
const listed = ({ budgets, metrics }: Figures) => ({
  budgets: budgets.map((each) => ({ ...each, rows: [...each.rows] })),
  metrics: metrics.map((each) => ({ ...each, rows: [...each.rows] })),
})

/** How many parts were read, and how many of these could not be, all sizes together; after each gave the same as the whole. */
async function same(files: Files, entries: Entries, sizes = [150, 1000, 6000]) {
  const whole = await reading(files, entries, null)
  let [parts, refused] = [0, 0]
  for (const partBytes of sizes) {
    const noted = new Noted(WORK)
    const read = await reading(files, entries, new PartHands(noted, { partBytes, atOnce: 3 }))
    assert.equal(read, whole, `in parts of ${partBytes} bytes`)
    // Order of members too: what is published depends on nothing else.
    assert.is(JSON.stringify(read), JSON.stringify(whole))
    parts += noted.given.length
    refused += noted.given.filter((given) => given === null).length
  }
  return { parts, refused, whole }
}

/** The file is read in parts, and never as a whole. */
async function divided(files: Files | string | Buffer, entries: Entries) {
  const all = typeof files === 'string' || Buffer.isBuffer(files) ? { 'a.csv': files } : files
  const { parts, refused, whole } = await same(all, entries)
  assert.ok(parts > 10, `${parts} parts`)
  assert.is(refused, 0)
  return whole
}

/** Parts do not suffice. */
async function whole(content: string | Buffer, entries: Entries) {
  const { parts, refused, whole } = await same({ 'a.csv': content }, entries)
  assert.ok(parts === 0 || refused > 0, `${refused} of ${parts} parts were refused`)
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
  const { budgets } = await divided(csv(wide(200)), PLAN)
  assert.is(budgets[0]!.rows.length, 200 * 3 - Math.ceil(200 / 11))
  assert.is(budgets[0]!.rows.at(-1)!.row, 201)
  await divided(csv(wide(200), '\r\n'), PLAN)
  await divided(`\ufeff${csv(wide(200)).trimEnd()}`, PLAN)
  await divided(csv(wide(200)).replaceAll(',', ';'), PLAN)
})

test('titles, blank rows, a unit in the title, names instead of ids, letters of any length', async () => {
  const title = [['Åkers & Söhne — “plan”'], ['in thousands of USD'], []]
  const named = (i: number) => [`Sales ${i % 40}`, `C number ${i % 6}`, `D number ${Math.floor(i / 40) % 6}`]
  const { budgets } = await divided(csv([...title, ...wide(200, named)]), PLAN)
  assert.equal(
    budgets[0]!.ofFigures.map(({ code }) => code),
    ['scale-read'],
  )
  assert.is(budgets[0]!.rows.at(0)!.scale, 1000)
  await divided(
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
  await divided(csv([['account', 'class', 'department', 'month', 'amount'], ...long]), PLAN)
  const summed = rowsOf(200).map((row, i) => {
    const figures = [`${i}.00`, `${i}.25`, `${i}.50`]
    return [...row.slice(0, 3), ...figures, (3 * i + 0.75).toFixed(2)]
  })
  const { budgets } = await divided(csv([[...WIDE, 'Q1 2025'], ...summed]), PLAN)
  assert.equal(
    budgets[0]!.ofFigures.map(({ code }) => code),
    ['total-left-out'],
  )
  summed[150]![6] = '1.00'
  await whole(csv([[...WIDE, 'Q1 2025'], ...summed]), PLAN)
})

test('columns that are not read, and rows that only their notes tell apart', async () => {
  const noted = wide(200).map((row, i) => [...row, i === 0 ? 'remark' : `note, "${i}"`])
  const { budgets } = await divided(csv(noted), PLAN)
  assert.equal(
    budgets[0]!.ofFigures.map(({ code }) => code),
    ['columns-not-read'],
  )
  const again = noted.map((row, i) => (i > 160 ? [...noted[5]!.slice(0, 6), `more ${i}`] : row))
  const details = await divided(csv(again), PLAN)
  assert.ok(details.budgets[0]!.ofFigures.some(({ code }) => code === 'budget-details'))
  const twice = await divided(csv([...noted, noted[7]!]), PLAN)
  assert.ok(twice.budgets[0]!.ofFigures.some(({ code }) => code === 'repeated-budget-row'))
  const untagged = wide(200, (i) => (i === 170 ? ['3010', '', ''] : null))
  const mixed = await divided(csv(untagged), PLAN)
  assert.ok(mixed.budgets[0]!.ofFigures.some(({ code }) => code === 'tagged-and-untagged'))
})

test('where rows belong together the file is read as a whole', async () => {
  const total = wide(200)
  total.push(['Total', '', '', ...MONTHS.map(() => '1.00')])
  await whole(csv(total), PLAN)
  const sections = [
    ['account', ...MONTHS],
    ...Array.from({ length: 120 }, (_, i) =>
      i % 30 === 0 ? [`D number ${i / 30}`, '', '', ''] : [`Sales ${i % 30}`, '1.00', '2.00', '3.00'],
    ),
  ]
  const { budgets } = await whole(csv(sections), PLAN)
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
  await whole(csv(titled), PLAN)
  await whole(csv([['what', ...MONTHS], ...rowsOf(120).map((row) => [row[0]!, ...row.slice(3)])]), PLAN)
  await whole(csv([...wide(120), ['In thousands of USD'], ...rowsOf(30)]), PLAN)
})

test('mistakes in rows are found where they stand', async () => {
  const wrong: readonly (readonly string[])[] = [
    ['9999', 'C1', 'D1'],
    ['3001', 'C9', 'D1'],
    ['', 'C1', 'D1'],
  ]
  for (const row of wrong) {
    const { budgets } = await whole(csv(wide(200, (i) => (i === 170 ? row : null))), PLAN)
    assert.is(budgets[0]!.ofFigures.find(({ severity }) => severity === 'error')!.row, 172)
  }
  await whole(csv(wide(200)).replace('170.10', '170,1x'), PLAN)
  await whole(csv(wide(200)).replace('170.10', '170.105'), PLAN)
  await whole(csv(wide(200)).replace('170.10', '\ufffd'), PLAN)
  await whole(csv(wide(200)).replace('170.10', '\0'), PLAN)
})

test('quotes: cells with line ends and delimiters, cells that look like rows, quotes that do not close', async () => {
  const noted = (change: (i: number) => string) =>
    csv(wide(200).map((row, i) => [...row, i === 0 ? 'remark' : change(i)]))
  await divided(
    noted((i) => `first, line\nsecond "${i}" line`),
    PLAN,
  )
  const rows = `${'x\n3001,C1,D1,1.00,2.00,3.00,a\n'.repeat(60)}y`
  await same({ 'a.csv': noted((i) => (i === 80 ? rows : 'n')) }, PLAN)
  for (const fault of ['"150.20', '"150".20']) await whole(csv(wide(200)).replace('150.20', fault), PLAN)
})

test('what cannot be cut: other encodings, CR alone, workbooks, no header; and small files', async () => {
  await whole(Buffer.from(csv([['Åre'], ...wide(200)]), 'latin1'), PLAN)
  await whole(Buffer.from(`\ufeff${csv(wide(200))}`, 'utf16le'), PLAN)
  await same({ 'a.csv': csv(wide(200), '\r') }, PLAN)
  await whole(csv(rowsOf(200)), PLAN)
  await whole('', PLAN)
  const stated = { budgets: [budget('a.csv', { encoding: 'windows-1252' })] }
  await whole(csv([['Åre'], ...wide(200)]), stated)
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
  const { parts, refused } = await same(files, { budgets: entries, metrics: [metric('none.csv')] })
  assert.ok(parts > 20 && refused > 0)
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
  const { metrics } = await divided(csv(daily()), DAILY)
  assert.is(metrics[0]!.rows.length, 280)
  await divided(csv(daily()), { metrics: [metric('a.csv', { scale: 1000 })] })
  await divided(
    csv(daily((i, row) => row.map((text) => (text === DAYS[i % 28] ? text.slice(0, 7) : text)))),
    DAILY,
  )
  const months = Array.from({ length: 150 }, (_, i) => [
    METRICS[i % 3]!.id,
    `C${i % 6}`,
    ...MONTHS.map(() => `${i}`),
  ])
  await divided(csv([['metric', 'class', ...MONTHS], ...months]), DAILY)
})

test('metrics with a column for each: values in the order of columns, whatever the parts', async () => {
  const rows = Array.from({ length: 150 }, (_, i) => [
    DAYS[i % 28]!,
    `${i}`,
    i % 7 === 0 ? '' : `${i}.25`,
    `C${i % 6}`,
  ])
  const header = ['date', 'units', 'rate', 'class']
  const { metrics } = await divided(csv([header, ...rows]), DAILY)
  assert.is(
    metrics[0]!.rows.findLastIndex(({ metric }) => metric === 'units'),
    149,
  )
  const other = rows.map((row, i) => [...row, i === 100 ? '5' : 'text'])
  await whole(csv([[...header, 'unknown'], ...other]), DAILY)
  await whole(csv([header, ...rows, ['Total', '11175', '', '']]), DAILY)
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
    const { metrics } = await whole(csv(daily(at(column, text))), DAILY)
    assert.is(metrics[0]!.ofFigures[0]!.row, 242)
  }
})

const threads = (count: number, partBytes: number) => {
  const module = new URL('../../../builder/ingest/tables/part-thread.ts', import.meta.url)
  const work = { module, name: 'this test', remedy: '', errors: {} }
  const hands = new Threads<Call<typeof WORK>, unknown>(work, null, count, 200 * 1024 ** 2)
  return new PartHands<typeof WORK>(hands, { partBytes, atOnce: 2 * count })
}

test('by threads, with the loader of this process', async () => {
  const files = { 'a.csv': csv(wide(200)), 'b.csv': csv(daily()), 'c.csv': csv(wide(90)).slice(0, -30) }
  const entries = { budgets: [budget('a.csv'), budget('c.csv')], metrics: [metric('b.csv')] }
  const hands = threads(3, 700)
  try {
    assert.equal(await reading(files, entries, hands), await reading(files, entries, null))
  } finally {
    await hands.close()
  }
})

test('where one of those who read fails, the reading ends with its reason', async () => {
  const failing = new Noted(WORK)
  failing.fails = 'readPart'
  const hands = new PartHands(failing, { partBytes: 700, atOnce: 2 })
  const reason = await reading({ 'a.csv': csv(wide(200)) }, PLAN, hands).catch(
    ({ message }: Error) => message,
  )
  assert.is(reason, 'no memory')
})

test.run()
