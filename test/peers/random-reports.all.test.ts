/**
 * Random books of two fiscal years as QuickBooks Desktop's General Ledger reports them, one file for each year: accounts
 * inside others, and a second year that brings forward the result of the first without an entry. Statements are compared
 * with sums over the postings that the reports were written from, which nothing of the builder has touched.
 */

import * as assert from 'uvu/assert'
import { withoutNotes } from '../../builder/workspace/findings/finding.ts'
import { alike } from '../seed.ts'
import { suite } from '../suite.ts'
import { type Random, seeded } from '../support/random.ts'
import { csvOf, grouped, type ReportRow } from '../support/report-files.ts'
import { type Built, buildWith, codes, type Files, findingsOf, findingsText } from '../support/workspace.ts'

/** By the first digit of the number: the kind of the account, and 1 where debits increase it. */
const KINDS: Readonly<Record<string, readonly [classification: string, type: string, sign: number]>> = {
  '1': ['Asset', 'Bank', 1],
  '2': ['Liability', 'OtherCurrentLiability', -1],
  '3': ['Equity', 'Capital', -1],
  '4': ['Income', 'Sales', -1],
  '5': ['CostOfSales', 'CostOfSales', 1],
  '6': ['Expense', 'Expense', 1],
  '7': ['OtherIncome', 'OtherIncome', -1],
  '8': ['OtherExpense', 'OtherExpense', 1],
}
const RETAINED = '3900'
const MONTHS = Array.from({ length: 24 }, (_, month) => month)
const LEVELS = 3

interface Account {
  readonly number: string
  readonly name: string
  readonly children: readonly Account[]
  /** Whether it has entries, and perhaps an opening, of its own. */
  readonly isPosted: boolean
}

/** Amounts are in cents, debits positive; months count from the first of the books. */
interface Line {
  readonly account: string
  readonly entry: number
  readonly month: number
  readonly day: number
  readonly amount: number
}

interface RandomBooks {
  readonly yearEnd: number
  readonly accounts: readonly Account[]
  readonly openings: ReadonlyMap<string, number>
  readonly lines: readonly Line[]
  /** Whether labels of sub-accounts stand in columns of their own. */
  readonly isIndented: boolean
}

const sum = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + amount, 0)
const isResult = (account: string): boolean => account >= '4'
const withChildren = (account: Account): Account[] => [account, ...account.children.flatMap(withChildren)]

function accountTree(random: Random, number: string, level: number): Account {
  const isRetained = number === RETAINED
  const count = level === LEVELS || isRetained ? 0 : random.between(level === 1 ? 1 : 0, 3)
  const step = 10 ** (LEVELS - level)
  const children = Array.from({ length: count }, (_, i) =>
    accountTree(random, String(Number(number) + (i + 1) * step), level + 1),
  )
  const name = isRetained ? 'Retained Earnings' : random.pick(['Main', 'Café, travel', 'A & B', 'Old - new'])
  return { number, name, children, isPosted: children.length === 0 || random.chance(50) }
}

function randomBooks(seed: number): RandomBooks {
  const random = seeded(`random reports ${seed}`)
  const accounts = [...Object.keys(KINDS).map((digit) => `${digit}000`), RETAINED]
    .sort()
    .map((number) => accountTree(random, number, 1))
  const posted = accounts
    .flatMap(withChildren)
    .filter(({ isPosted, number }) => isPosted && number !== RETAINED)
    .map(({ number }) => number)
  const openings = new Map(
    posted
      .filter((number) => !isResult(number) && random.chance(70))
      .map((number) => [number, random.between(-500_000, 500_000)]),
  )
  openings.set(RETAINED, -sum([...openings.values()]))
  const lines: Line[] = []
  let entry = 0
  for (const month of MONTHS)
    for (let i = random.between(1, 4); i > 0; i--) {
      entry++
      const day = random.between(1, 28)
      const amounts = Array.from({ length: random.between(1, 3) }, () => random.between(1, 400_000))
      for (const amount of [...amounts, -sum(amounts)])
        lines.push({ account: random.pick(posted), entry, month, day, amount })
    }
  return { yearEnd: random.pick([12, 6, 3]), accounts, openings, lines, isIndented: random.chance(50) }
}

/** `2024-03` for a month of the books, which begin the day after the end of a fiscal year. */
function monthName({ yearEnd }: RandomBooks, month: number): string {
  const count = yearEnd + month
  return `${2023 + Math.floor(count / 12)}-${String((count % 12) + 1).padStart(2, '0')}`
}

const resultOfFirstYear = ({ lines }: RandomBooks): number =>
  sum(lines.filter(({ account, month }) => isResult(account) && month < 12).map(({ amount }) => amount))

/** What an account itself stands at after a month, debits positive; -1 is the day before the books. */
function balanceAfter(books: RandomBooks, account: string, last: number): number {
  const first = isResult(account) && last >= 12 ? 12 : 0
  const moved = books.lines.filter((line) => line.account === account && line.month >= first)
  return sum([
    books.openings.get(account) ?? 0,
    ...moved.filter(({ month }) => month <= last).map(({ amount }) => amount),
    account === RETAINED && last >= 12 ? resultOfFirstYear(books) : 0,
  ])
}

/** What the report of a year brings forward: the second begins after the first year was closed. */
const broughtForward = (books: RandomBooks, account: string, year: number): number =>
  sum([
    year === 1 && isResult(account) ? 0 : balanceAfter(books, account, year * 12 - 1),
    year === 1 && account === RETAINED ? resultOfFirstYear(books) : 0,
  ])

interface Report {
  readonly rows: ReportRow[]
  /** Indices of the headings and totals of accounts that have sub-accounts in the report. */
  readonly headings: number[]
  readonly totals: number[]
}

function reportOf(books: RandomBooks, year: number): Report {
  const columns = books.isIndented ? LEVELS : 1
  const blanks = (count: number): string[] => Array.from({ length: count }, () => '')
  const header = ['Type', 'Date', 'Num', 'Name', 'Memo', 'Split', 'Debit', 'Credit', 'Balance']
  const report: Report = { rows: [[...blanks(columns), ...header]], headings: [], totals: [] }
  const put = (depth: number, label: string, ...figures: readonly number[]) => {
    const at = books.isIndented ? depth : 0
    const cells = [...blanks(at), label, ...blanks(columns - at - 1 + header.length - figures.length)]
    return report.rows.push([...cells, ...figures.map(grouped)]) - 1
  }
  const linesOf = (number: string): Line[] =>
    books.lines
      .filter(({ account, month }) => account === number && Math.floor(month / 12) === year)
      .sort((a, b) => a.month - b.month || a.day - b.day)
  const sides = (lines: readonly Line[]): [number, number] => [
    sum(lines.map(({ amount }) => Math.max(amount, 0))),
    sum(lines.map(({ amount }) => Math.max(-amount, 0))),
  ]
  const section = (depth: number, label: string, number: string) => {
    let balance = broughtForward(books, number, year)
    const lines = linesOf(number)
    put(depth, label, balance)
    for (const { entry, month, day, amount } of lines) {
      balance += amount
      const [calendarYear, monthOfYear] = monthName(books, month).split('-')
      const date = `${monthOfYear}/${String(day).padStart(2, '0')}/${calendarYear}`
      const [debit, credit] = [Math.max(amount, 0), Math.max(-amount, 0)].map((side) => side && grouped(side))
      const cells = ['General Journal', date, String(entry), '', `Entry ${entry}`, '-SPLIT-']
      report.rows.push([...blanks(columns), ...cells, debit || '', credit || '', grouped(balance)])
    }
    put(depth, `Total ${label}`, ...sides(lines), balance)
  }
  const isShown = ({ number, children }: Account): boolean =>
    broughtForward(books, number, year) !== 0 || linesOf(number).length > 0 || children.some(isShown)
  const tree = (account: Account, depth: number) => {
    const label = `${account.number} · ${account.name}`
    const children = account.children.filter(isShown)
    if (children.length === 0) return section(depth, label, account.number)
    const numbers = withChildren(account).map(({ number }) => number)
    const lines = numbers.flatMap(linesOf)
    const begins = sum(numbers.map((number) => broughtForward(books, number, year)))
    report.headings.push(put(depth, label, begins))
    for (const child of children) tree(child, depth + 1)
    if (isShown({ ...account, children: [] })) section(depth + 1, `${label} - Other`, account.number)
    const ends = begins + sum(lines.map(({ amount }) => amount))
    report.totals.push(put(depth, `Total ${label}`, ...sides(lines), ends))
  }
  for (const account of books.accounts.filter(isShown)) tree(account, 0)
  put(0, 'TOTAL', ...sides(books.lines.filter(({ month }) => Math.floor(month / 12) === year)), 0)
  return report
}

function filesOf({ accounts, yearEnd }: RandomBooks, reports: readonly Report[]): Files {
  const kinds = accounts.flatMap(withChildren).map(({ number }) => {
    const [classification, type] = KINDS[number[0]!]!
    return `  "${number}": { classification: ${classification}, type: ${number === RETAINED ? 'RetainedEarnings' : type} }`
  })
  return {
    'company.yaml': [
      'id: acme\nname: Acme\ncurrency: USD',
      `fiscalMonthEnd: ${yearEnd}`,
      'accounts:',
      ...kinds,
      'ledger: [{ files: "gl-*.csv", format: quickbooks, dateFormat: MM/DD/YYYY }]\n',
    ].join('\n'),
    ...Object.fromEntries(reports.map(({ rows }, year) => [`gl-${year}.csv`, csvOf(rows)])),
  }
}

const plain = (minor: number): string => grouped(minor).replaceAll(',', '')

/** Accounts that are zero throughout have no row. */
function shown(figures: readonly (readonly [account: string, minor: readonly number[]])[]) {
  const rows = figures.filter(([, minor]) => minor.some((amount) => amount !== 0))
  return Object.fromEntries(rows.map(([account, minor]) => [account, minor.map((amount) => plain(amount))]))
}

function compare(books: RandomBooks, { result, statement }: Built): void {
  const told = codes(withoutNotes(result.findings)).filter((code) => code !== 'abnormal-balance')
  assert.equal(told, ['period-not-stated'])
  const numbers = books.accounts.flatMap(withChildren).map(({ number }) => number)
  const signOf = (number: string): number => KINDS[number[0]!]![2]
  const [sheet, profit] = [statement('BalanceSheet'), statement('ProfitAndLoss')]
  const names = MONTHS.map((month) => monthName(books, month))
  assert.equal([sheet.months, profit.months], [names, names])
  const earned = MONTHS.map(
    (last) => -sum(numbers.filter(isResult).map((number) => balanceAfter(books, number, last))),
  )
  const balances = numbers
    .filter((number) => !isResult(number))
    .map(
      (number) =>
        [number, MONTHS.map((month) => signOf(number) * balanceAfter(books, number, month))] as const,
    )
  assert.equal(sheet.rows, shown([...balances, ['current-year-earnings', earned]]))
  const moved = (number: string, month: number): number =>
    sum(
      books.lines
        .filter((line) => line.account === number && line.month === month)
        .map((line) => line.amount),
    )
  const movements = numbers
    .filter(isResult)
    .map((number) => [number, MONTHS.map((month) => signOf(number) * moved(number, month))] as const)
  assert.equal(profit.rows, shown(movements))
}

/** The report with the last figure of a row greater by a cent. */
function changed({ rows, ...report }: Report, at: number): Report {
  const row = rows[at]!
  const minor = Number(String(row.at(-1)).replace(/[,.]/g, ''))
  return { ...report, rows: rows.with(at, [...row.slice(0, -1), grouped(minor + 1)]) }
}

const test = suite('random reports')

for (const seed of alike([1, 2, 3, 4, 5, 6]))
  test(`books ${seed}: every month of two years by account, and no heading or total that differs`, async () => {
    const books = randomBooks(seed)
    const reports = [0, 1].map((year) => reportOf(books, year))
    await buildWith(filesOf(books, reports), (built) => {
      assert.is.not(built.result.snapshotId, null, findingsText(built.result.findings))
      compare(books, built)
    })
    const random = seeded(`changes ${seed}`)
    const year = random.between(0, 1)
    const report = reports[year]!
    for (const [code, rows] of [
      ['balance-differs', report.headings],
      ['total-differs', report.totals],
    ] as const) {
      const other = changed(report, random.pick(rows))
      const errors = (await findingsOf(filesOf(books, reports.with(year, other)))).filter(
        ({ severity }) => severity === 'error',
      )
      assert.equal(codes(errors), [code], findingsText(errors))
    }
  })
