/**
 * Every figure on the pages, in the terminal and in the board pack of random companies against sums of their ledger lines, which are
 * added up here from the heads of the columns alone, without the code of statements and reports: overdrafts, fiscal years of any
 * days, partial budgets, large sums.
 */
import { join } from 'node:path'
import readWorkbook from 'read-excel-file/node'
import * as assert from 'uvu/assert'
import { exportPack } from '../../builder/report/export/pack.ts'
import { keptGroups, reportPages } from '../../builder/report/pages/site.ts'
import { tieout } from '../cli/command.ts'
import { alike, seed } from '../seed.ts'
import { suite } from '../suite.ts'
import { reportOf } from '../support/asked.ts'
import { centsText } from '../support/oracle.ts'
import { inPublished } from '../support/published.ts'
import { type Random, seeded } from '../support/random.ts'
import { COMPANY, companyYaml } from '../support/workspace.ts'

const SEEDS = alike(Array.from({ length: 8 }, (_, n) => seed + n))

type Kind = 'Asset' | 'Liability' | 'Equity' | 'Income' | 'Expense'
const ACCOUNTS: Readonly<Record<string, readonly [name: string, kind: Kind, type: string]>> = {
  bank: ['House bank', 'Asset', 'Bank'],
  debtors: ['Debtors', 'Asset', 'AccountsReceivable'],
  overdraft: ['Overdraft', 'Liability', 'Bank'],
  loan: ['Bank loan', 'Liability', 'LongTermLiability'],
  capital: ['Share capital', 'Equity', 'Capital'],
  sales: ['Sales of goods', 'Income', 'Sales'],
  fees: ['Fees earned', 'Income', 'Sales'],
  rent: ['Rent of offices', 'Expense', 'Expense'],
}
const CASH = ['bank', 'overdraft']

interface Line {
  readonly date: string
  readonly account: string
  /** Cents, debit positive. */
  readonly amount: bigint
}
interface Company {
  readonly years: readonly (readonly [start: string, end: string])[]
  readonly lines: readonly Line[]
  /** `account month` → cents. */
  readonly budget: ReadonlyMap<string, bigint>
}

const DAY = 86_400_000
const plus = (date: string, days: number): string =>
  new Date(Date.parse(date) + days * DAY).toISOString().slice(0, 10)
const monthPlus = (month: string, by: number): string => {
  const number = Number(month.slice(0, 4)) * 12 + Number(month.slice(5, 7)) - 1 + by
  return `${Math.floor(number / 12)}-${String((number % 12) + 1).padStart(2, '0')}`
}
const endOf = (month: string): string => plus(`${monthPlus(month, 1)}-01`, -1)

/** Fiscal years of weeks, of months, of thirteen months before them, and of a change to weeks. */
const CALENDARS: readonly (readonly string[])[] = [
  ['2023-01-01', '2023-12-31', '2024-12-29', '2025-12-28'],
  ['2023-04-01', '2024-04-01', '2025-04-01', '2026-04-01'],
  ['2023-01-01', '2024-02-01', '2025-02-01', '2026-02-01'],
  ['2023-01-01', '2024-01-06', '2025-01-04', '2026-01-03'],
]

function companyOf(random: Random, seed: number): Company {
  const starts = CALENDARS[seed % CALENDARS.length]!
  const years = starts.slice(1).map((start, i) => [starts[i]!, plus(start, -1)] as const)
  const first = starts[0]!
  const span = (Date.parse('2025-09-30') - Date.parse(first)) / DAY
  const lines: Line[] = []
  for (let n = 0; n < 60; n++) {
    // Some entries stand beside the first day of a fiscal year.
    const near = random.chance(40)
    const base = near
      ? plus(random.pick(starts.slice(1, 3)), random.between(-4, 3))
      : plus(first, random.between(0, span))
    const date = base < first ? first : base
    const debit = random.pick(Object.keys(ACCOUNTS))
    const credit = random.pick(Object.keys(ACCOUNTS).filter((id) => id !== debit))
    const amount = BigInt(random.between(1, random.chance(20) ? 9_000_000_000_000 : 90_000))
    lines.push({ date, account: debit, amount }, { date, account: credit, amount: -amount })
  }
  lines.push(
    { date: '2025-09-30', account: 'rent', amount: 1n },
    { date: '2025-09-30', account: 'overdraft', amount: -1n },
  )
  const budget = new Map<string, bigint>()
  for (const account of ['sales', 'rent'])
    for (let month = '2024-06'; month <= '2025-09'; month = monthPlus(month, 1))
      if (!random.chance(seed % 2 === 0 ? 0 : 10))
        budget.set(`${account} ${month}`, BigInt(random.between(1, 900_000_000)) * 1_000_000n - 1n)
  return { years, lines, budget }
}

const filesOf = ({ years, lines, budget }: Company) => ({
  'company.yaml':
    companyYaml(`fiscalYears: [${years.map(([start, end]) => `{ start: ${start}, end: ${end} }`).join(', ')}]
budgets: [{ id: plan, name: Plan, files: plan.csv }]`),
  'chart.csv': `id,number,name,classification,type\n${Object.entries(ACCOUNTS)
    .map(([id, [name, kind, type]], i) => `${id},${1000 + i},${name},${kind},${type}\n`)
    .join('')}`,
  'ledger.csv': `transaction_id,date,account,amount\n${lines.map(({ date, account, amount }, i) => `t${i >> 1},${date},${account},${centsText(amount)}\n`).join('')}`,
  'plan.csv': `account,month,amount\n${[...budget].map(([key, cents]) => `${key.replace(' ', ',')},${centsText(cents)}\n`).join('')}`,
})

type Days = readonly [from: string, through: string]
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const monthIn = (name: string, year: string): string =>
  `${year}-${String(MONTHS.indexOf(name) + 1).padStart(2, '0')}`

/** `28 Dec 2024` or `Dec 2024`: its first and its last day. */
function daysOf(text: string): Days {
  const [, day, name, year] = /^(?:(\d+) )?([A-Z][a-z]{2}) (\d{4})$/.exec(text) ?? []
  const month = monthIn(name!, year!)
  return day
    ? [`${month}-${day.padStart(2, '0')}`, `${month}-${day.padStart(2, '0')}`]
    : [`${month}-01`, endOf(month)]
}

/** `Oct to 28 Dec 2024`, `29 to 31 Dec 2024`, `Jun 2020 to Jun 2021`. */
function spanOf(text: string): Days {
  const [left, right] = text.split(' to ') as [string, string?]
  if (right === undefined) return daysOf(left)
  const tail = right.split(' ')
  const whole = /\d{4}$/.test(left)
    ? left
    : /^\d+$/.test(left)
      ? `${left} ${tail.slice(-2).join(' ')}`
      : `${left} ${tail.at(-1)}`
  return [daysOf(whole)[0], daysOf(right)[1]]
}

class Oracle {
  readonly #company: Company
  readonly #month: string

  constructor(company: Company, month: string) {
    this.#company = company
    this.#month = month
  }

  /** The first day of the books. */
  get begin(): string {
    return this.#company.years[0]![0]
  }

  yearStart(day: string): string {
    return this.#company.years.find(([start, end]) => start <= day && day <= end)![0]
  }

  /** The days of a column of actuals; null where its head says none, such as a budget's. */
  days(title: string): Days | null {
    const end = endOf(this.#month)
    const before = endOf(monthPlus(this.#month, -12))
    if (title === 'Year to date') return [this.yearStart(end), end]
    const twelve = `${monthPlus(this.#month, -11)}-01`
    const first = twelve < this.begin ? `${this.begin.slice(0, 7)}-01` : twelve
    if (title === 'Total') return [first, end]
    if (title === 'Year before') return [`${monthPlus(first.slice(0, 7), -12)}-01`, before]
    if (title === 'Prior YTD') {
      // A year before that is longer or shorter is compared by the same months.
      const [own, prior] = [this.yearStart(end), this.yearStart(before)]
      const isAlike = Math.abs((Date.parse(own) - Date.parse(prior)) / DAY - 365) <= 15
      return [isAlike ? prior : `${monthPlus(own.slice(0, 7), -12)}-01`, before]
    }
    const [, from] = /^(?:YTD|Prior) from (.*)$/.exec(title) ?? []
    if (from) return [daysOf(from)[0], title.startsWith('YTD') ? end : before]
    const [, yearEnd] = /^Year to (.*)$/.exec(title) ?? []
    if (yearEnd) return [this.yearStart(daysOf(yearEnd)[1]), daysOf(yearEnd)[1]]
    const [, quarter, year, rest] = /^Q(\d) (\d{4})(?:\/\d\d)?(.*)$/.exec(title) ?? []
    if (quarter) return this.#quarter(Number(quarter), Number(year), rest!)
    return /^(\d+ )?([A-Z][a-z]{2} |\d+ to )/.test(title) ? spanOf(title) : null
  }

  /** A quarter of the fiscal year that begins in `year`, but for its first or last days. */
  #quarter(number: number, year: number, rest: string): Days {
    if (rest.startsWith(': ')) return spanOf(rest.slice(2))
    const [start, end] = this.#company.years.find(([start]) => plus(start, 15).startsWith(String(year)))!
    const first = Number(start.slice(8)) > 16 ? monthPlus(start.slice(0, 7), 1) : start.slice(0, 7)
    const shown = endOf(this.#month)
    const last = rest === '' ? endOf(monthPlus(first, number * 3 - 1)) : end < shown ? end : shown
    return [number === 1 ? start : `${monthPlus(first, number * 3 - 3)}-01`, last]
  }

  sum(accounts: readonly string[], [from, through]: Days): bigint {
    return this.#company.lines
      .filter(({ account, date }) => accounts.includes(account) && date >= from && date <= through)
      .reduce((sum, { amount }) => sum + amount, 0n)
  }

  /** What equity moves against operating accounts and results, without cash: it is operating (accounting.md §5). */
  withoutCash([from, through]: Days): bigint {
    const { lines } = this.#company
    // Entries have two lines, one behind the other.
    return lines
      .filter(({ account, date }, i) => {
        const other = lines[i ^ 1]!.account
        return account === 'capital' && ![...CASH, 'loan'].includes(other) && date >= from && date <= through
      })
      .reduce((sum, { amount }) => sum + amount, 0n)
  }

  /** What a row of a statement states for some days; null for a row that is not told here. */
  figure(statement: 'result' | 'position' | 'cash', label: string, days: Days): bigint | null {
    const of = (...kinds: Kind[]) => Object.keys(ACCOUNTS).filter((id) => kinds.includes(ACCOUNTS[id]![1]))
    const all: Days = ['0000', days[1]]
    const net = (span: Days) => -this.sum(of('Income', 'Expense'), span)
    const cash = (through: string) => this.sum(CASH, ['0000', through])
    const account = Object.keys(ACCOUNTS).find((id) => ACCOUNTS[id]![0] === label)
    const start = this.yearStart(days[1])
    if (statement === 'result') {
      if (account)
        return ACCOUNTS[account]![1] === 'Expense' ? this.sum([account], days) : -this.sum([account], days)
      if (['Total income', 'Income', 'Gross profit'].includes(label)) return -this.sum(of('Income'), days)
      if (['Total expenses', 'Expenses', 'Costs'].includes(label)) return this.sum(of('Expense'), days)
      return ['Net income', 'Operating income'].includes(label) ? net(days) : null
    }
    if (statement === 'position') {
      if (account)
        return ACCOUNTS[account]![1] === 'Asset' ? this.sum([account], all) : -this.sum([account], all)
      const equity = -this.sum(of('Equity', 'Income', 'Expense'), all)
      return (
        {
          Cash: cash(days[1]),
          Receivables: this.sum(['debtors'], all),
          'Total assets': this.sum(of('Asset'), all),
          'Total liabilities': -this.sum(of('Liability'), all),
          'Total equity': equity,
          Equity: equity,
          'Total liabilities and equity': this.sum(of('Asset'), all),
          'Current-year earnings': net([start, days[1]]),
          'Earnings of earlier years': net(['0000', plus(start, -1)]),
        }[label] ?? null
      )
    }
    if (account) return -this.sum([account], days) + (account === 'capital' ? this.withoutCash(days) : 0n)
    return (
      {
        'Net income': net(days),
        'Net cash from operating activities':
          net(days) - this.sum(['debtors'], days) - this.withoutCash(days),
        'Entries without cash': -this.withoutCash(days),
        'Net cash from financing activities': -this.sum(['loan', 'capital'], days) + this.withoutCash(days),
        'Net change in cash': this.sum(CASH, days),
        'Cash at the beginning': cash(plus(days[0], -1)),
        'Cash at the end': cash(days[1]),
        Cash: cash(days[1]),
      }[label] ?? null
    )
  }

  /** The budget of the month, or of the months of the year that its head names; null where one is missing. */
  budget(title: string, label: string): bigint | null {
    const account = Object.keys(ACCOUNTS).find((id) => ACCOUNTS[id]![0] === label)
    const [, name] = /^YTD budget from (.*)$/.exec(title) ?? []
    const from = name
      ? daysOf(name)[0].slice(0, 7)
      : title === 'Budget'
        ? this.#month
        : this.yearStart(endOf(this.#month)).slice(0, 7)
    let sum = 0n
    for (let month = from; month <= this.#month; month = monthPlus(month, 1)) {
      const own = this.#company.budget.get(`${account} ${month}`)
      if (own === undefined) return null
      sum += own
    }
    return sum
  }
}

const plain = (text: string): string =>
  text
    .replace(/<span class="number">.*?<\/span>|<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()

interface Row {
  readonly label: string
  /** The exact minor units of each cell; null for an empty cell or a percentage. */
  readonly cells: readonly (bigint | null)[]
}

type Statement = 'result' | 'position' | 'cash'

interface Shown {
  readonly statement: Statement
  /** Where it stands: a page, a command or a sheet. */
  readonly where: string
  readonly heads: readonly string[]
  readonly rows: readonly Row[]
}

/** The tables of a page that are parts of a statement. */
const ofPage = (path: string, page: string): Shown[] =>
  [...page.matchAll(/<table>\s*<caption>(.*?)<\/caption>(.*?)<\/table>/gs)].flatMap(
    ([, caption = '', table = '']) => {
      const statement = statementOf(path, caption)
      if (statement === null) return []
      const heads = [...table.matchAll(/<th scope="col"[^>]*>(.*?)<\/th>/g)].map(([, head]) => plain(head!))
      const rows = [...table.matchAll(/<th scope="row">(.*?)<\/th>(.*?)<\/tr>/gs)].map(
        ([, label, cells]): Row => ({
          label: plain(label!),
          cells: [...cells!.matchAll(/<td([^>]*)>/g)].map(([, attributes]) => {
            const minor = /data-minor="(-?\d+)"/.exec(attributes!)?.[1]
            return minor === undefined ? null : BigInt(minor)
          }),
        }),
      )
      return [{ statement, where: path, heads, rows }]
    },
  )

const statementOf = (path: string, caption: string): Statement | null =>
  path.includes('profit-loss') || /^(Result|Income)/.test(caption)
    ? 'result'
    : /cash-flow/.test(path) || /^Cash at the end/.test(caption)
      ? 'cash'
      : path.includes('balance-sheet') || /^Position/.test(caption)
        ? 'position'
        : null

const STATEMENTS = [
  ['result', 'profit-loss', 'Profit and loss'],
  ['position', 'balance-sheet', 'Balance sheet'],
  ['cash', 'cash-flow', 'Cash flow'],
] as const

/** `-1,234.50*`, `0.10 ▲` or `–` in cents; null for nothing and for percentages. */
function centsOf(text: string): bigint | null {
  const plainly = text.replace(/[,*▲▼\s]/g, '')
  if (plainly === '–') return 0n
  return /^-?\d+\.\d\d$/.test(plainly) ? BigInt(plainly.replace('.', '')) : null
}

/** What `tieout show` prints: every column ends below the end of its head. */
async function inTerminal(cwd: string, month: string): Promise<Shown[]> {
  const found: Shown[] = []
  for (const by of [null, 'month', 'quarter', 'year']) {
    const args = ['show', COMPANY, month, '--statement', 'all', '--cents', ...(by ? ['--by', by] : [])]
    const { code, out, err } = await tieout(args, { cwd })
    assert.is(code, 0, err)
    for (const [i, text] of out.split('\n\n\n').entries()) {
      const statement = STATEMENTS[i]![0]
      const [head = '', ...rows] = text.slice(text.indexOf('\n\n') + 2).split('\n')
      const columns = [...head.matchAll(/\S+(?: \S+)*/g)].map(({ 0: title, index }) => ({
        title,
        end: index + title.length,
      }))
      const labels = Math.max(
        ...rows.map((row) => (/^ *\S+(?: \S+)*(?= {2,}[-–\d])/.exec(row)?.[0] ?? '').length),
      )
      found.push({
        statement,
        where: `${args.join(' ')}: ${statement}`,
        heads: columns.map(({ title }) => title),
        rows: rows.map((row) => ({
          label: (/^ *(\S+(?: \S+)*)/.exec(row)?.[1] ?? '').trim(),
          cells: columns.map(({ end }, i) => {
            const start = Math.max(labels, columns[i - 1]?.end ?? 0)
            return centsOf(row.slice(start, end))
          }),
        })),
      })
    }
  }
  return found
}

/** What a spreadsheet shows of the board pack; a sum that no double holds is its text. */
async function inPack(root: string, month: string, to: string): Promise<Shown[]> {
  const { findings } = await exportPack(root, {
    ...{ company: COMPANY, to, month, snapshotId: null, basis: null, budgetId: null },
    ...{ classId: null, departmentId: null, cents: true, software: 'Tieout test' },
  })
  assert.is(findings, undefined, JSON.stringify(findings))
  const book = await readWorkbook(to)
  return [...STATEMENTS, ['result', '', 'Profit and loss by month'] as const].map(([statement, , name]) => {
    const data = book.find(({ sheet }) => sheet === name)!.data
    const head = data.findIndex((row) => row.includes('No.'))
    // A date is shown as its month, and above balances as the day that it is.
    const titleOf = (cell: unknown) =>
      cell instanceof Date
        ? `${statement === 'position' ? `${cell.getUTCDate()} ` : ''}${MONTHS[cell.getUTCMonth()]} ${cell.getUTCFullYear()}`
        : String(cell)
    const heads = data[head]!.slice(2).map(titleOf)
    const cell = (value: unknown, title: string) =>
      title.endsWith('%')
        ? null
        : centsOf(typeof value === 'number' ? value.toFixed(2) : String(value ?? '').replace(/^0$/, '0.00'))
    const rows = data
      .slice(head + 1)
      .map((row) => ({ label: String(row[1]), cells: heads.map((title, i) => cell(row[i + 2], title)) }))
    return { statement, where: `${name} of the pack`, heads, rows }
  })
}

/** How many figures were compared. */
function compare(sums: Oracle, { statement, where, heads, rows }: Shown, seed: string): number {
  let compared = 0
  // Headings and lines of text have no figure.
  for (const { label, cells } of rows.filter((row) => row.cells.some((cell) => cell !== null)))
    for (const [i, title] of heads.entries()) {
      const at = `${seed}, ${where}, ${label}, ${title}`
      const days = sums.days(title)
      const cell = cells[i] ?? null
      if (/budget/i.test(title) && cell !== null && statement === 'result') {
        const planned = sums.budget(title, label)
        if (planned !== null) {
          assert.is(String(cell), String(planned), at)
          compared++
        }
      }
      if (/variance$/i.test(title) && cell !== null)
        assert.is(String(cell), String(cells[i - 2]! - cells[i - 1]!), at)
      const [, since] = /^Change since (.*)$/.exec(title) ?? []
      if (since && cell !== null)
        assert.is(String(cell), String(cells[0]! - cells[heads.indexOf(since)]!), at)
      if (days === null || days[0] < sums.begin) continue
      const expected = sums.figure(statement, label, days)
      if (expected === null) continue
      assert.is(String(cell ?? 'nothing'), String(expected), at)
      compared++
    }
  return compared
}

const oracle = suite('figures of reports against the ledger')

for (const seed of SEEDS)
  oracle(`seed ${seed}`, () => {
    const company = companyOf(seeded(`pages ${seed}`), seed)
    return inPublished(filesOf(company), async (workspace) => {
      const opened = await reportOf(workspace)
      const compared = { pages: 0, terminal: 0, pack: 0 }
      for (const month of ['2025-09', '2025-01', '2024-12', company.years[1]![0].slice(0, 7)]) {
        const sums = new Oracle(company, month)
        const where = `seed ${seed}, ${month}`
        const pages = await reportPages(opened.source, month, keptGroups(opened.source.frame))
        for (const [path, page] of pages)
          for (const shown of ofPage(path, page)) compared.pages += compare(sums, shown, where)
        for (const shown of await inTerminal(workspace.root, month))
          compared.terminal += compare(sums, shown, where)
        const pack = join(workspace.root, `${month}.xlsx`)
        for (const shown of await inPack(workspace.snapshots, month, pack))
          compared.pack += compare(sums, shown, where)
      }
      for (const [what, count] of Object.entries(compared))
        assert.ok(count > 300, `${what}: ${count} figures`)
    })
  })
