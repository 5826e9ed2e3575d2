/**
 * Synthetic companies of any size, seeded: `node --import tsx test/bench/ledger.ts <folder> [postings] [seed]` writes a
 * workspace with one company `bench` (300 accounts, 40 classes, 25 departments, 60 months, both bases), deliberately
 * dense: at a million postings all combinations of class and department occur.
 */
import { once } from 'node:events'
import { createWriteStream, mkdirSync, type WriteStream, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { dateOf, dayOf } from '../../builder/contract/calendar.ts'

export interface Size {
  /** In all, half of them on each basis. */
  readonly postings: number
  readonly classes: number
  /** None where it is 0. */
  readonly departments: number
  /** The last of them is 2025-12. */
  readonly months: number
  readonly seed: number
  /** A file for each month, as accountants export them; one for each basis unless said. */
  readonly monthly?: boolean
  /** Budgets and metrics of the last year by class and department, as many of each. */
  readonly budgets?: number
  readonly metrics?: number
}

export const MEASURED: Size = { postings: 1_000_000, classes: 40, departments: 25, months: 60, seed: 1 }

const KINDS = [
  ['Asset', 'Bank', 5],
  ['Asset', 'AccountsReceivable', 10],
  ['Asset', 'FixedAsset', 30],
  ['Liability', 'AccountsPayable', 30],
  ['Liability', 'LongTermLiability', 10],
  ['Equity', 'Capital', 5],
  ['Income', 'Sales', 60],
  ['CostOfSales', 'CostOfSales', 30],
  ['Expense', 'Expense', 110],
  ['OtherIncome', 'OtherIncome', 5],
  ['OtherExpense', 'OtherExpense', 5],
] as const

export const BASES = ['accrual', 'cash'] as const

/** mulberry32: small, seeded, the same on every machine. */
export function random(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

const money = (minor: number): string =>
  `${minor < 0 ? '-' : ''}${Math.floor(Math.abs(minor) / 100)}.${String(Math.abs(minor) % 100).padStart(2, '0')}`

/** A tree of two levels: every eighth member is the parent of the next seven. */
const members = (prefix: string, count: number): string =>
  `id,name,parent,is_active\n${Array.from({ length: count }, (_, i) => `${prefix}${i + 1},${prefix} ${i + 1},${i % 8 === 0 ? '' : `${prefix}${Math.floor(i / 8) * 8 + 1}`},true`).join('\n')}\n`

/** A workspace without companies. */
export function writeWorkspace(folder: string, settings = '', datasets = 'datasets'): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'tieout.yaml'), `datasets: ${datasets}\nsnapshots: snapshots\n${settings}`)
}

export async function writeCompany(folder: string, id: string, size: Size): Promise<void> {
  const company = join(folder, 'datasets', id)
  mkdirSync(join(company, 'ledger'), { recursive: true })
  writeFileSync(
    join(company, 'company.yaml'),
    `id: ${id}
name: ${id}
fiscalMonthEnd: 12
currency: USD
chartOfAccounts: chart.csv
classes: classes.csv
${size.departments > 0 ? 'departments: departments.csv\n' : ''}ledger:
${BASES.map((basis) => `  - { files: "ledger/${basis}${size.monthly ? '/*' : ''}.csv", basis: ${basis} }`).join('\n')}
${planSettings(size)}`,
  )
  const accounts: string[] = []
  const chart = KINDS.flatMap(([classification, type, count]) =>
    Array.from({ length: count }, () => {
      const number = String(1000 + accounts.length * 10)
      accounts.push(number)
      return `${number},${number},${classification} ${number},${classification},${type},,,true`
    }),
  )
  writeFileSync(
    join(company, 'chart.csv'),
    `id,number,name,classification,type,parent,cash_flow,is_active\n${chart.join('\n')}\n`,
  )
  writeFileSync(join(company, 'classes.csv'), members('C', size.classes))
  if (size.departments > 0) writeFileSync(join(company, 'departments.csv'), members('D', size.departments))
  const next = random(size.seed)
  for (const id of ids('plan-', size.budgets))
    writeFileSync(join(company, `${id}.csv`), budgetRows(accounts.slice(EARNINGS), size, next).join('\n'))
  if (size.metrics) writeFileSync(join(company, 'metrics.csv'), metricRows(size, next).join('\n'))
  for (const basis of BASES) await writeLedger(join(company, 'ledger', basis), basis, accounts, size, next)
}

/** Accounts of the balance sheet come first. */
const EARNINGS = 90

const ids = (prefix: string, count = 0): string[] =>
  Array.from({ length: count }, (_, i) => `${prefix}${i + 1}`)

function planSettings({ budgets = 0, metrics = 0 }: Size): string {
  if (budgets + metrics === 0) return ''
  const plans = ids('plan-', budgets).map(
    (id) => `  - { id: ${id}, name: ${id}, files: ${id}.csv, parents: own }\n`,
  )
  const defined = ids('metric-', metrics).map(
    (id) => `  - { id: ${id}, name: ${id}, unit: pieces, aggregation: sum }\n`,
  )
  return `budgets:\n${plans.join('')}metrics:\n  - { files: metrics.csv, parents: own }\nnonFinancial:\n${defined.join('')}`
}

/** Of each class and department, twenty accounts over twelve months. */
function budgetRows(
  accounts: readonly string[],
  { classes, departments }: Size,
  next: () => number,
): string[] {
  const months = Array.from({ length: 12 }, (_, i) => `2025-${String(i + 1).padStart(2, '0')}`)
  const rows = [`account,class,department,${months.join(',')}`]
  for (const own of ids('C', classes))
    for (const department of departments === 0 ? [''] : ids('D', departments)) {
      const first = Math.floor(next() * (accounts.length - 20))
      for (const account of accounts.slice(first, first + 20))
        rows.push(
          `${account},${own},${department},${months.map(() => money(Math.floor(next() * 1_000_000))).join(',')}`,
        )
    }
  return rows
}

/** Of each class, each day of the last year. */
function metricRows({ metrics, classes }: Size, next: () => number): string[] {
  const first = dayOf('2025-01-01')
  const days = Array.from({ length: 365 }, (_, i) => dateOf(first + i))
  return [
    'metric,date,value,class',
    ...ids('metric-', metrics).flatMap((metric) =>
      ids('C', classes).flatMap((own) =>
        days.map((day) => `${metric},${day},${Math.floor(next() * 1000)},${own}`),
      ),
    ),
  ]
}

/** `path` is a file without its ending, or the folder of monthly ones. */
async function writeLedger(
  path: string,
  basis: string,
  accounts: readonly string[],
  { postings, classes, departments, months, monthly }: Size,
  next: () => number,
): Promise<void> {
  const pick = (count: number): number => Math.floor(next() * count)
  const firstYear = 2026 - Math.ceil(months / 12)
  const firstMonth = 12 - ((months - 1) % 12)
  const firstDay = dayOf(`${firstYear}-${String(firstMonth).padStart(2, '0')}-01`)
  const days = dayOf('2025-12-31') - firstDay + 1
  if (monthly) mkdirSync(path)
  const files = new Map<string, WriteStream>()
  const fileOf = (date: string): WriteStream => {
    const name = monthly ? join(path, `${date.slice(0, 7)}.csv`) : `${path}.csv`
    const known = files.get(name)
    if (known) return known
    const file = createWriteStream(name)
    file.write('transaction_id,date,account,amount,class,department,memo,line_id\n')
    files.set(name, file)
    return file
  }
  let written = 0
  for (let transaction = 1; written < postings / BASES.length; transaction++) {
    const date = dateOf(firstDay + pick(days))
    const lines = 2 + pick(4)
    let rest = 0
    let text = ''
    for (let line = 1; line <= lines; line++) {
      const amount = line === lines ? -rest : pick(2_000_000) - 1_000_000
      rest += amount
      const tag =
        next() < 0.03 ? ',' : `C${1 + pick(classes)},${departments > 0 ? `D${1 + pick(departments)}` : ''}`
      text += `${basis[0]}${transaction},${date},${accounts[pick(accounts.length)]},${money(amount)},${tag},entry ${transaction},${basis[0]}${transaction}-${line}\n`
    }
    written += lines
    const out = fileOf(date)
    if (!out.write(text)) await once(out, 'drain')
  }
  await Promise.all([...files.values()].map((out) => once(out.end(), 'finish')))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [folder = '', postings = '1000000', seed = '1'] = process.argv.slice(2)
  if (folder === '') throw new Error('usage: ledger.ts <folder> [postings] [seed]')
  writeWorkspace(folder)
  await writeCompany(folder, 'bench', { ...MEASURED, postings: Number(postings), seed: Number(seed) })
}
