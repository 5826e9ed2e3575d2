/**
 * Random ledgers against hledger, an independent program: every account, total, month, class and department, to the
 * last decimal. Both sides are read as text; nothing passes through a double here. Skipped where hledger is missing.
 */
import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import * as assert from 'uvu/assert'
import { addDays, periodsOf } from '../../builder/contract/calendar.ts'
import type { DateRange, Period } from '../../builder/contract/document.ts'
import { STATEMENTS, type StatementName, UNASSIGNED } from '../../builder/contract/vocabulary.ts'
import { answerStatement } from '../../builder/statements/answer.ts'
import { seed as today } from '../seed.ts'
import { suite } from '../suite.ts'
import { seeded } from '../support/random.ts'
import { type Built, buildWith, type Read, readStatement, scopeOf } from '../support/workspace.ts'
import {
  ACCOUNTS,
  CLASSES,
  DEPARTMENTS,
  decimal,
  type Generated,
  generate,
  type Member,
  onSheet,
} from './ledger-generator.ts'

const found = spawnSync('hledger', ['--version'], { encoding: 'utf8' })
if (found.error)
  process.stdout.write('hledger is not installed (apt-get install hledger): its comparison is skipped\n')
const test = suite<{ folder: string }>('hledger')
const check = found.error ? test.skip : test
test.before((context) => {
  context.folder = mkdtempSync(join(tmpdir(), 'tieout-hledger-'))
})

interface Scope {
  readonly basis: 'ACCRUAL' | 'CASH'
  readonly classId: string | null
  readonly departmentId: string | null
}

/** Figures by account id, one per period, debit positive, minor units. */
type Figures = ReadonlyMap<string, readonly bigint[]>

/** Rows and totals as the text that Tieout should publish. */
type Expected = Record<StatementName, Pick<Read, 'rows' | 'totals'>>

/** Of five ledgers one a day. */
const seed = today % 5
check(`seed ${seed}: statements by month, class and department`, async ({ folder }) => {
  const ledger = generate(seed)
  const peer = new Hledger(ledger, folder, seed)
  await buildWith(ledger.files, async (built) => {
    assert.is(built.result.outcome, 'published', JSON.stringify(built.result.findings.slice(0, 5)))
    const periods = periodsOf(ledger.coverage)
    for (const scope of scopesOf(ledger, seed)) {
      const expected = await peer.statements(scope, periods)
      for (const statement of STATEMENTS)
        same(
          published(built, statement, scope, expected, periods),
          expected[statement],
          seed,
          scope,
          statement,
        )
    }
    await sameReports(peer, built, ledger, periods)
    await sameRanges(peer, built, ledger, seed)
  })
})

/** Unfiltered, and members and intersections by lot, all seeds together each of them several times. */
function scopesOf({ journals }: Generated, seed: number): Scope[] {
  const random = seeded(`scopes ${seed}`)
  const classes = [...CLASSES.map(({ id }) => id), UNASSIGNED]
  const departments = [...DEPARTMENTS.map(({ id }) => id), UNASSIGNED]
  const turn = <T>(list: readonly T[], count: number): T[] =>
    Array.from({ length: count }, (_, i) => list[(seed * count + i) % list.length]!)
  const pairs = [
    [null, null],
    ...turn(classes, 4).map((id) => [id, null]),
    ...turn(departments, 2).map((id) => [null, id]),
    ...Array.from({ length: 3 }, () => [random.pick(classes), random.pick(departments)]),
  ] as const
  const scopes = (basis: Scope['basis']) =>
    pairs.map(([classId, departmentId]): Scope => ({ basis, classId: classId!, departmentId: departmentId! }))
  return [...journals.keys()].flatMap((basis, i) => scopes(basis).slice(0, i === 0 ? undefined : 2))
}

/** The rows and totals of the cash flow that no entry moves. */
const OF_CASH = ['net-income', 'balancing', 'NetChangeInCash', 'BeginningCash', 'EndingCash']

function same(
  actual: Pick<Read, 'rows' | 'totals'>,
  expected: Pick<Read, 'rows' | 'totals'>,
  seed: number,
  scope: object,
  statement: string,
): void {
  const where = `seed ${seed}, ${statement} ${JSON.stringify(scope)}`
  for (const part of ['rows', 'totals'] as const) {
    const ids = new Set([...Object.keys(actual[part]), ...Object.keys(expected[part])])
    // hledger knows no entries: what these move between rows of the cash flow is held against other oracles.
    for (const id of ids)
      if (statement !== 'CashFlow' || OF_CASH.includes(id))
        assert.equal(actual[part][id], expected[part][id], `${where}: ${id}, Tieout against hledger`)
  }
}

/** A combination without any data has no file: its figures are zeros. */
function published(
  built: Built,
  statement: StatementName,
  scope: Scope,
  expected: Expected,
  periods: readonly Period[],
): Pick<Read, 'rows' | 'totals'> {
  try {
    const read = built.statement(statement, scope)
    assert.equal(
      read.months,
      periods.map((period) => period.month),
    )
    return read
  } catch (problem) {
    if ((problem as NodeJS.ErrnoException).code !== 'ENOENT') throw problem
    assert.equal(expected[statement].rows, {}, 'hledger has figures where nothing was published')
    return expected[statement]
  }
}

/** hledger's own statements, with its own idea of what is cash, revenue and equity: their totals. */
async function sameReports(peer: Hledger, built: Built, ledger: Generated, periods: readonly Period[]) {
  const money = (values: readonly bigint[]) => values.map((value) => decimal(value, ledger.profile.decimals))
  for (const basis of ledger.journals.keys()) {
    const scope = { basis, classId: null, departmentId: null }
    const profitAndLoss = built.statement('ProfitAndLoss', scope).totals
    const sheet = built.statement('BalanceSheet', scope)
    const cashFlow = built.statement('CashFlow', scope).totals
    const income = await peer.report('incomestatement', basis, periods, ['not:tag:mark'])
    assert.equal(profitAndLoss.NetIncome, money(income.get('Net:')!), 'incomestatement')
    const balance = await peer.report('balancesheetequity', basis, periods, [])
    // To hledger, all cash is an asset: the overdraft too.
    const minor = (texts: readonly (string | null)[]) =>
      texts.map((text) => minorOf(text!, ledger.profile.decimals))
    const overdraft = minor(sheet.rows.overdraft ?? periods.map(() => '0'))
    for (const [total, section] of [
      ['TotalAssets', 'Assets'],
      ['TotalLiabilities', 'Liabilities'],
    ] as const)
      assert.equal(
        sheet.totals[total],
        money(plus(balance.get(section)!, overdraft)),
        `balancesheetequity: ${section}`,
      )
    // What hledger leaves as the difference is what Tieout shows as the two earnings rows.
    const earnings = (sheet.rows['current-year-earnings'] ?? []).map((text, p) => {
      const prior = sheet.rows['prior-years-not-closed']?.[p] ?? '0'
      return minorOf(text!, ledger.profile.decimals) + minorOf(prior, ledger.profile.decimals)
    })
    assert.equal(money(earnings), money(balance.get('Net:')!), 'balancesheetequity: net')
    const cash = await peer.report('cashflow', basis, periods, [])
    assert.equal(cashFlow.NetChangeInCash, money(cash.get('Cash flows')!), 'cashflow')
  }
}

/** Ranges that are cut anywhere, answered by the ad-hoc engine. */
async function sameRanges(peer: Hledger, built: Built, ledger: Generated, seed: number) {
  const random = seeded(`ranges ${seed}`)
  const { startDate, endDate } = ledger.coverage
  const books = await built.books()
  for (let i = 0; i < 3; i++) {
    const from = addDays(startDate, random.between(0, 600))
    const range: DateRange = { startDate: from, endDate: addDays(from, random.between(0, 40)) }
    if (range.endDate > endDate) continue
    const scope: Scope = {
      basis: 'ACCRUAL',
      classId: i % 2 === 0 ? null : random.pick(CLASSES).id,
      departmentId: null,
    }
    const expected = await peer.statements(scope, periodsOf(range))
    for (const statement of STATEMENTS) {
      const answer = readStatement(await answerStatement(books, scopeOf(statement, scope), range))
      same(answer, expected[statement], seed, { ...scope, ...range }, statement)
    }
  }
}

/** One ledger in hledger: it adds up; sections and signs are put on here, in the words of the accounting rules. */
class Hledger {
  readonly #ledger: Generated
  readonly #files = new Map<string, string>()

  constructor(ledger: Generated, folder: string, seed: number) {
    this.#ledger = ledger
    for (const [basis, text] of ledger.journals) {
      const file = join(folder, `${seed}-${basis}.journal`)
      writeFileSync(file, text)
      this.#files.set(basis, file)
    }
  }

  async statements(scope: Scope, periods: readonly Period[]): Promise<Expected> {
    const filter = [
      ...tagQuery('class', scope.classId, CLASSES),
      ...tagQuery('department', scope.departmentId, DEPARTMENTS),
    ]
    const [activity, balances, earned] = await Promise.all([
      this.#balance(scope.basis, periods, [...filter, 'not:tag:mark']),
      this.#balance(scope.basis, [periodBefore(periods[0]!), ...periods], ['--historical', ...filter]),
      this.#currentEarnings(scope.basis, periods, filter),
    ])
    return {
      ProfitAndLoss: this.#profitAndLoss(activity, periods),
      BalanceSheet: this.#balanceSheet(afterFirst(balances), earned, periods),
      CashFlow: this.#cashFlow(activity, balances, periods),
    }
  }

  /** Totals of a compound report, by the name of the section or `Net:`. */
  async report(
    command: string,
    basis: string,
    periods: readonly Period[],
    query: readonly string[],
  ): Promise<Figures> {
    const rows = await this.#run(basis, command, [
      ...between(periods[0]!, periods.at(-1)!),
      '--monthly',
      ...query,
    ])
    const totals = new Map<string, bigint[]>()
    const zeros = periods.map(() => 0n)
    let section = ''
    for (const [name, commodity, ...values] of rows) {
      if (name === 'total' || name === 'Net:')
        totals.set(
          name === 'total' ? section : name,
          values.map((value) => this.#minor(value)),
        )
      else if (commodity === '') {
        section = name!
        totals.set(section, zeros)
      }
    }
    return totals
  }

  #profitAndLoss(activity: Figures, periods: readonly Period[]) {
    const statement = new Statement(periods.length, this.#ledger.profile.decimals)
    for (const account of ACCOUNTS.filter((candidate) => !onSheet(candidate))) {
      const sign = ['Income', 'OtherIncome'].includes(account.classification) ? -1n : 1n
      statement.row(account.id, account.classification, activity.get(account.id), sign)
    }
    const of = (section: string) => statement.section(section)
    const gross = plus(of('Income'), of('CostOfSales'), -1n)
    const operating = plus(gross, of('Expense'), -1n)
    return statement.with({
      TotalIncome: of('Income'),
      TotalCostOfSales: of('CostOfSales'),
      GrossProfit: gross,
      TotalExpense: of('Expense'),
      OperatingIncome: operating,
      TotalOtherIncome: of('OtherIncome'),
      TotalOtherExpense: of('OtherExpense'),
      NetIncome: plus(plus(operating, of('OtherIncome')), of('OtherExpense'), -1n),
    })
  }

  #balanceSheet(balances: Figures, earned: readonly bigint[], periods: readonly Period[]) {
    const statement = new Statement(periods.length, this.#ledger.profile.decimals)
    for (const account of ACCOUNTS.filter(onSheet))
      statement.row(
        account.id,
        account.classification,
        balances.get(account.id),
        account.classification === 'Asset' ? 1n : -1n,
      )
    const results = total(balances, periods, (id) => !SHEET.has(id))
    statement.row('current-year-earnings', 'Equity', earned, -1n)
    statement.row('prior-years-not-closed', 'Equity', plus(results, earned, -1n), -1n)
    statement.row('balancing', 'Equity', total(balances, periods), 1n)
    const [assets, liabilities, equity] = ['Asset', 'Liability', 'Equity'].map((name) =>
      statement.section(name),
    )
    return statement.with({
      TotalAssets: assets!,
      TotalLiabilities: liabilities!,
      TotalEquity: equity!,
      TotalLiabilitiesAndEquity: plus(liabilities!, equity!),
    })
  }

  #cashFlow(activity: Figures, balances: Figures, periods: readonly Period[]) {
    const statement = new Statement(periods.length, this.#ledger.profile.decimals)
    for (const account of ACCOUNTS)
      if (onSheet(account) && account.cashFlow !== 'Cash')
        statement.row(account.id, account.cashFlow, activity.get(account.id), -1n)
    statement.row(
      'net-income',
      'Operating',
      total(activity, periods, (id) => !SHEET.has(id)),
      -1n,
    )
    statement.row('balancing', 'Operating', total(activity, periods), 1n)
    const [operating, investing, financing] = ['Operating', 'Investing', 'Financing'].map((name) =>
      statement.section(name),
    )
    const cash = total(balances, [EVER, ...periods], (id) => CASH.has(id))
    const beginning = cash.slice(0, -1)
    const ending = cash.slice(1)
    return statement.with({
      NetCashFromOperating: operating!,
      NetCashFromInvesting: investing!,
      NetCashFromFinancing: financing!,
      // Not the sum of the three: what hledger finds on the cash accounts.
      NetChangeInCash: plus(ending, beginning, -1n),
      BeginningCash: beginning,
      EndingCash: ending,
    })
  }

  /** Results of each period's fiscal year so far, without what closing entries took out of earlier years. */
  async #currentEarnings(
    basis: string,
    periods: readonly Period[],
    filter: readonly string[],
  ): Promise<bigint[]> {
    const query = [...filter, 'not:tag:mark=^(closing-prior|opening)$', 'type:RX']
    const first = periods[0]!
    const { years, opening } = this.#ledger.profile
    const starts = [...years.map((year) => year.start), addDays(years.at(-1)!.end, 1)]
    const yearStart = starts.filter((start) => start <= first.startDate).at(-1) ?? first.startDate
    const openedInside = opening === 'mid' && first.startDate < starts[1]!
    const [movements, earlier, opened] = await Promise.all([
      this.#balance(basis, periods, query),
      yearStart === first.startDate
        ? new Map<string, bigint[]>()
        : this.#balance(
            basis,
            [{ ...first, startDate: yearStart, endDate: addDays(first.startDate, -1) }],
            query,
          ),
      openedInside
        ? this.#balance(basis, [EVER], [...filter, 'tag:mark=^opening-current$'])
        : new Map<string, bigint[]>(),
    ])
    let soFar = total(earlier, [EVER])[0]! + total(opened, [EVER])[0]!
    return total(movements, periods).map((movement, p) => {
      if (p > 0 && starts.includes(periods[p]!.startDate)) soFar = 0n
      soFar += movement
      return soFar
    })
  }

  /** Own postings of each account: one run where the periods are whole months, else one per period. */
  async #balance(basis: string, periods: readonly Period[], query: readonly string[]): Promise<Figures> {
    const whole = periods.every(
      ({ startDate, endDate }) => startDate.endsWith('-01') && addDays(endDate, 1).endsWith('-01'),
    )
    if (whole && periods.length > 1)
      return this.#accounts(basis, [...between(periods[0]!, periods.at(-1)!), '--monthly', ...query])
    const columns = await Promise.all(
      periods.map((period) => this.#accounts(basis, [...between(period, period), ...query])),
    )
    const ids = new Set(columns.flatMap((column) => [...column.keys()]))
    return new Map([...ids].map((id) => [id, columns.map((column) => column.get(id)?.[0] ?? 0n)]))
  }

  async #accounts(basis: string, options: readonly string[]): Promise<Figures> {
    const [, ...rows] = await this.#run(basis, 'balance', ['--flat', '--no-total', ...options])
    return new Map(
      rows.map(([path, , ...values]) => [
        path!.split(':').at(-1)!,
        values.map((value) => this.#minor(value)),
      ]),
    )
  }

  async #run(basis: string, command: string, options: readonly string[]): Promise<string[][]> {
    const args = ['-f', this.#files.get(basis)!, command, '-O', 'csv', '--layout=bare', ...options]
    const { stdout } = await promisify(execFile)('hledger', args, {
      env: { ...process.env, LC_ALL: 'C.UTF-8' },
    })
    return stdout
      .trim()
      .split('\n')
      .map((line) => line.slice(1, -1).split('","'))
  }

  #minor = (text: string): bigint => minorOf(text, this.#ledger.profile.decimals)
}

const SHEET = new Set(ACCOUNTS.filter(onSheet).map(({ id }) => id))
const CASH = new Set(ACCOUNTS.filter(({ cashFlow }) => cashFlow === 'Cash').map(({ id }) => id))
const EVER: Period = { month: '', startDate: '1900-01-01', endDate: '2100-12-31' }

/** Up to the day before: a whole month before a whole month. */
function periodBefore(period: Period): Period {
  const endDate = addDays(period.startDate, -1)
  return {
    ...EVER,
    startDate: period.startDate.endsWith('-01') ? `${endDate.slice(0, 8)}01` : endDate,
    endDate,
  }
}

const afterFirst = (figures: Figures): Figures =>
  new Map([...figures].map(([id, values]) => [id, values.slice(1)]))

const between = (first: Period, last: Period): string[] => [
  '-b',
  first.startDate,
  '-e',
  addDays(last.endDate, 1),
]

/** A member with its descendants; `unassigned` are postings without the tag. */
function tagQuery(tag: string, id: string | null, members: readonly Member[]): string[] {
  if (id === null) return []
  if (id === UNASSIGNED) return [`not:tag:^${tag}$`]
  const below = (parent: string): string[] => [
    parent,
    ...members.filter((member) => member.parent === parent).flatMap((member) => below(member.id)),
  ]
  return [`tag:^${tag}$=^(${below(id).join('|')})$`]
}

/** Decimal text as minor units, exactly. */
function minorOf(text: string, decimals: number): bigint {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text)
  if (!match || (match[3] ?? '').length > decimals) throw new Error(`no amount: ${text}`)
  const minor = BigInt(match[2]! + (match[3] ?? '').padEnd(decimals, '0'))
  return match[1] === '-' ? -minor : minor
}

const plus = (a: readonly bigint[], b: readonly bigint[], factor = 1n): bigint[] =>
  a.map((value, p) => value + factor * b[p]!)

function total(
  figures: Figures,
  periods: readonly Period[],
  wanted: (id: string) => boolean = () => true,
): bigint[] {
  let result = periods.map(() => 0n)
  for (const [id, values] of figures) if (wanted(id)) result = plus(result, values)
  return result
}

/** Rows that are zero throughout are left out; sections add up. */
class Statement {
  readonly #rows: Record<string, string[]> = {}
  readonly #sections = new Map<string, bigint[]>()
  readonly #length: number
  readonly #decimals: number

  constructor(length: number, decimals: number) {
    this.#length = length
    this.#decimals = decimals
  }

  row(id: string, section: string, debits: readonly bigint[] | undefined, sign: bigint): void {
    if (!debits?.some((value) => value !== 0n)) return
    const values = debits.map((value) => sign * value)
    this.#rows[id] = this.#text(values)
    this.#sections.set(section, plus(this.section(section), values))
  }

  section = (name: string): bigint[] =>
    this.#sections.get(name) ?? Array.from({ length: this.#length }, () => 0n)

  with(totals: Record<string, readonly bigint[]>): Pick<Read, 'rows' | 'totals'> {
    const entries = Object.entries(totals).map(([name, values]) => [name, this.#text(values)])
    return { rows: this.#rows, totals: Object.fromEntries(entries) }
  }

  #text = (values: readonly bigint[]): string[] => values.map((value) => decimal(value, this.#decimals))
}
