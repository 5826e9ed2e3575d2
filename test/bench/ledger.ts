/**
 * A synthetic company of any size, seeded: `node --import tsx test/bench/ledger.ts <folder> [postings] [seed]` writes a
 * workspace with one company `bench` (300 accounts, 40 classes, 25 departments, 60 months, both bases), deliberately
 * dense: at a million postings all combinations of class and department occur.
 */

import { once } from 'node:events'
import { createWriteStream, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { dateOf, dayOf } from '../../builder/contract/calendar.ts'

const [folder = '', postingsText = '1000000', seedText = '1'] = process.argv.slice(2)
if (folder === '') throw new Error('usage: ledger.ts <folder> [postings] [seed]')
const postings = Number(postingsText)

/** mulberry32: small, seeded, the same on every machine. */
function random(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}
const next = random(Number(seedText))
const pick = (count: number): number => Math.floor(next() * count)

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

const company = join(folder, 'datasets', 'bench')
mkdirSync(join(company, 'ledger'), { recursive: true })
writeFileSync(join(folder, 'tieout.yaml'), 'datasets: datasets\nsnapshots: snapshots\n')
writeFileSync(
  join(company, 'company.yaml'),
  `id: bench
name: Bench
fiscalMonthEnd: 12
currency: USD
chartOfAccounts: chart.csv
classes: classes.csv
departments: departments.csv
ledger:
  - { files: "ledger/accrual.csv", basis: accrual }
  - { files: "ledger/cash.csv", basis: cash }
`,
)
const accounts: string[] = []
const chart = KINDS.flatMap(([classification, type, count]) =>
  Array.from({ length: count }, () => {
    const id = String(1000 + accounts.length * 10)
    accounts.push(id)
    return `${id},${id},${classification} ${id},${classification},${type},,,true`
  }),
)
writeFileSync(
  join(company, 'chart.csv'),
  `id,number,name,classification,type,parent,cash_flow,is_active\n${chart.join('\n')}\n`,
)
const members = (prefix: string, count: number): string =>
  `id,name,parent,is_active\n${Array.from({ length: count }, (_, i) => `${prefix}${i + 1},${prefix} ${i + 1},${i % 8 === 0 ? '' : `${prefix}${Math.floor(i / 8) * 8 + 1}`},true`).join('\n')}\n`
writeFileSync(join(company, 'classes.csv'), members('C', 40))
writeFileSync(join(company, 'departments.csv'), members('D', 25))

const money = (minor: number): string =>
  `${minor < 0 ? '-' : ''}${Math.floor(Math.abs(minor) / 100)}.${String(Math.abs(minor) % 100).padStart(2, '0')}`
const firstDay = dayOf('2021-01-01')
const days = dayOf('2025-12-31') - firstDay + 1
for (const basis of ['accrual', 'cash']) {
  const out = createWriteStream(join(company, 'ledger', `${basis}.csv`))
  out.write('transaction_id,date,account,amount,class,department,memo,line_id\n')
  let written = 0
  for (let transaction = 1; written < postings / 2; transaction++) {
    const date = dateOf(firstDay + pick(days))
    const lines = 2 + pick(4)
    let rest = 0
    let text = ''
    for (let line = 1; line <= lines; line++) {
      const amount = line === lines ? -rest : pick(2_000_000) - 1_000_000
      rest += amount
      const tag = next() < 0.03 ? ',' : `C${1 + pick(40)},D${1 + pick(25)}`
      text += `${basis[0]}${transaction},${date},${accounts[pick(accounts.length)]},${money(amount)},${tag},entry ${transaction},${basis[0]}${transaction}-${line}\n`
    }
    written += lines
    if (!out.write(text)) await once(out, 'drain')
  }
  out.end()
  await once(out, 'finish')
}
