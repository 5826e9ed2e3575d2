/**
 * Random ledgers from a seed, written twice from the same entries: as a company that Tieout builds, and as a journal
 * for hledger. What accounting.md decides about an entry (opening, closing entry of which year, transfer inside
 * equity) stands in the journal as the tag `mark`, so that hledger only has to add up.
 */
import { addDays, dateOf, dayOf, firstDay, lastDay, monthOf } from '../../builder/contract/calendar.ts'
import type { Classification } from '../../builder/contract/vocabulary.ts'
import { type Random, seeded } from '../support/random.ts'
import { companyYaml, type Files } from '../support/workspace.ts'

export interface Account {
  readonly id: string
  readonly number: string
  readonly classification: Classification
  readonly type: string
  readonly parent: string
  /** The chart's own `cash_flow` column. */
  readonly stated: string
  /** Where its movements belong on the cash flow; empty on the P&L. */
  readonly cashFlow: string
}

export interface Member {
  readonly id: string
  readonly parent: string
}

/** How a fiscal year ends: what moves its result to equity, and how the export says so. */
const CLOSINGS = ['none', 'accounts', 'members', 'late', 'closing-account', 'carried', 'repeated'] as const
type Closing = (typeof CLOSINGS)[number]

interface Profile {
  readonly currency: string
  readonly decimals: number
  readonly years: readonly { readonly start: string; readonly end: string }[]
  /** Lines of company.yaml that say the fiscal years. */
  readonly yearsYaml: string
  /** `before` the first day, `on` it, `mid` year, or none; with P&L balances or not. */
  readonly opening: 'none' | 'before' | 'on' | 'mid'
  readonly openingHoldsResults: boolean
  /** One per fiscal year but the last, which is still open. */
  readonly closings: readonly Closing[]
  readonly form: 'amount' | 'debit-credit' | 'continental'
  /** The column that says what is an opening and what a closing entry. */
  readonly markedBy: 'reference' | 'journal' | 'type'
  readonly bases: readonly ('accrual' | 'cash')[]
  readonly lockDate: string
}

const years = (...bounds: string[]): Profile['years'] =>
  bounds.slice(1).map((bound, i) => ({ start: bounds[i]!, end: addDays(bound, -1) }))
const stated = (list: Profile['years']): string =>
  `fiscalYears:\n${list.map(({ start, end }) => `  - { start: ${start}, end: ${end} }\n`).join('')}`

const SHORT_AND_LONG = years('2022-11-15', '2023-05-01', '2024-06-01', '2025-06-01')
const THIRTEEN = years('2023-01-01', '2024-02-01', '2025-02-01')

/** Between them: currencies of 0, 2, 3 and 4 decimals, every fiscal year shape, opening and way of closing. */
export const PROFILES: readonly Profile[] = [
  {
    currency: 'USD',
    decimals: 2,
    years: years('2023-01-01', '2024-01-01', '2025-01-01', '2026-01-01'),
    yearsYaml: 'fiscalMonthEnd: 12',
    opening: 'before',
    openingHoldsResults: false,
    closings: ['accounts', 'closing-account'],
    form: 'debit-credit',
    markedBy: 'reference',
    bases: ['accrual', 'cash'],
    lockDate: '2025-09-30',
  },
  {
    currency: 'JPY',
    decimals: 0,
    years: years('2022-04-01', '2023-04-01', '2024-04-01', '2025-04-01'),
    yearsYaml: 'fiscalMonthEnd: 3',
    opening: 'on',
    openingHoldsResults: true,
    closings: ['late', 'members'],
    form: 'amount',
    markedBy: 'journal',
    bases: ['accrual'],
    lockDate: '',
  },
  {
    currency: 'BHD',
    decimals: 3,
    years: SHORT_AND_LONG,
    yearsYaml: stated(SHORT_AND_LONG),
    opening: 'before',
    openingHoldsResults: true,
    closings: ['carried', 'none'],
    form: 'continental',
    markedBy: 'reference',
    bases: ['accrual'],
    lockDate: '2025-05-31',
  },
  {
    currency: 'CLF',
    decimals: 4,
    years: THIRTEEN,
    yearsYaml: stated(THIRTEEN),
    opening: 'mid',
    openingHoldsResults: true,
    closings: ['repeated'],
    form: 'amount',
    markedBy: 'type',
    bases: ['accrual'],
    lockDate: '',
  },
  {
    currency: 'EUR',
    decimals: 2,
    years: years('2023-07-01', '2024-07-01', '2025-07-01', '2026-07-01'),
    yearsYaml: 'fiscalMonthEnd: 6',
    opening: 'none',
    openingHoldsResults: false,
    closings: ['none', 'accounts'],
    form: 'debit-credit',
    markedBy: 'journal',
    bases: ['accrual'],
    lockDate: '',
  },
]

const CHART = `
bank 1000 Asset Bank - - Cash
till 1010 Asset CashEquivalent bank - Cash
escrow 1020 Asset OtherAsset - - Cash
deposit 1030 Asset OtherCurrentAsset - Investing Investing
debtors 1100 Asset AccountsReceivable - - Operating
doubtful 1190 Asset AccountsReceivable debtors - Operating
stock 1200 Asset Inventory - - Operating
suspense 1290 Asset - - - Operating
plant 1500 Asset FixedAsset - - Investing
plantdep 1590 Asset AccumulatedDepreciation plant - Operating
goodwill 1700 Asset OtherAsset - - Investing
creditors 2000 Liability AccountsPayable - - Operating
overdraft 2010 Liability Bank - - Cash
card 2020 Liability CreditCard creditors - Operating
vat 2100 Liability SalesTax - - Operating
accrued 2200 Liability OtherCurrentLiability - - Operating
loan 2500 Liability LongTermLiability - - Financing
discount 2590 Liability LongTermLiability loan - Financing
capital 3000 Equity Capital - - Financing
drawings 3100 Equity Drawings - - Financing
treasury 3200 Equity OtherEquity capital - Financing
retained 3900 Equity RetainedEarnings - - Financing
reserve 3950 Equity - - - Financing
sales 4000 Income Sales - - -
export 4010 Income Sales sales - -
returns 4090 Income Sales sales - -
cogs 5000 CostOfSales CostOfSales - - -
rebates 5090 CostOfSales CostOfSales cogs - -
wages 6000 Expense Expense - - -
rent 6100 Expense Expense - - -
refunds 6190 Expense Expense rent - -
depreciation 6200 Expense Depreciation - - -
interest 8000 OtherIncome OtherIncome - - -
gain 8100 OtherIncome OtherIncome - - -
loss 8500 OtherExpense OtherExpense - - -
tax 8900 OtherExpense IncomeTax - - -
result 8999 OtherExpense OtherExpense - - -`

export const ACCOUNTS: readonly Account[] = CHART.trim()
  .split('\n')
  .map((line) => {
    const [id, number, classification, type, parent, stated, cashFlow] = line
      .split(' ')
      .map((word) => (word === '-' ? '' : word)) as [
      string,
      string,
      Classification,
      string,
      string,
      string,
      string,
    ]
    return { id, number, classification, type, parent, stated, cashFlow }
  })
const BY_ID = new Map(ACCOUNTS.map((account) => [account.id, account]))
const members = (text: string): Member[] =>
  text.split(' ').map((word) => ({ id: word.split('<')[0]!, parent: word.split('<')[1] ?? '' }))
export const CLASSES = members('east west<east coast<west pier<coast south closed<south')
export const DEPARTMENTS = members('shop web<shop field')

const SHEET = ['Asset', 'Liability', 'Equity']
export const onSheet = (account: Account): boolean => SHEET.includes(account.classification)

/** What the tag `mark` says. */
type Mark = 'opening' | 'opening-current' | 'transfer' | 'closing-current' | 'closing-prior'

interface Line {
  readonly account: string
  readonly minor: bigint
  readonly date: string
  readonly class: string
  readonly department: string
  readonly mark?: Mark
}

interface Entry {
  readonly id: string
  readonly reference: string
  readonly lines: readonly Line[]
  /** Stands in one of the two only: a repeated opening in the export, the closing it implies in the journal. */
  readonly only?: 'export' | 'journal'
}

export interface Generated {
  readonly profile: Profile
  readonly files: Files
  /** One journal per basis. */
  readonly journals: ReadonlyMap<'ACCRUAL' | 'CASH', string>
  readonly coverage: { readonly startDate: string; readonly endDate: string }
}

export function generate(seed: number): Generated {
  const profile = PROFILES[seed % PROFILES.length]!
  const books = profile.bases.map((basis) => ({
    basis,
    entries: new Bookkeeper(profile, seeded(`${basis} ${seed}`)).entries,
  }))
  const activity = books.flatMap(({ entries }) => entries.filter((entry) => !isOpening(entry) && !entry.only))
  const dates = activity.flatMap((entry) => entry.lines.map((line) => line.date))
  const last = [...dates, profile.lockDate].sort().at(-1)!
  const startDate = firstDay(monthOf(profile.years[0]!.start))
  const mixed = seeded(`order ${seed}`)
  return {
    profile,
    coverage: { startDate, endDate: lastDay(monthOf(last)) },
    files: {
      'company.yaml': companyYaml(companySettings(profile)),
      'chart.csv': chartCsv(),
      'classes.csv': membersCsv(CLASSES),
      'departments.csv': membersCsv(DEPARTMENTS),
      ...Object.fromEntries(
        books.map(({ basis, entries }) => [`${basis}.csv`, exportCsv(profile, entries, mixed)]),
      ),
    },
    journals: new Map(
      books.map(({ basis, entries }) => [
        basis === 'cash' ? 'CASH' : 'ACCRUAL',
        journal(profile, entries, addDays(startDate, -1)),
      ]),
    ),
  }
}

const isOpening = (entry: Entry): boolean => entry.reference === 'OPEN'
const sum = (lines: readonly { readonly minor: bigint }[]): bigint =>
  lines.reduce((total, line) => total + line.minor, 0n)

/** Keeps one set of books: activity first, then each fiscal year's end. */
class Bookkeeper {
  readonly entries: Entry[] = []
  readonly #profile: Profile
  readonly #random: Random
  /** Months without any activity. */
  readonly #idle: ReadonlySet<number>
  #number = 0
  #huge = 3

  constructor(profile: Profile, random: Random) {
    this.#profile = profile
    this.#random = random
    const first = monthOf(profile.years[0]!.start)
    this.#idle = new Set([first + 5, first + 6, first + 14])
    this.#open()
    for (const year of profile.years) this.#activity(year)
    for (const [i, closing] of profile.closings.entries()) this.#close(profile.years[i]!, closing)
  }

  #add(lines: Line[], reference = '', only?: Entry['only']): void {
    const equityOnly =
      reference === '' && lines.every((line) => BY_ID.get(line.account)!.classification === 'Equity')
    const entry = {
      id: `${reference === '' ? 'T' : reference}${++this.#number}`,
      reference,
      lines: equityOnly ? lines.map((line): Line => ({ ...line, mark: 'transfer' })) : lines,
    }
    this.entries.push(only ? { ...entry, only } : entry)
  }

  #open(): void {
    const { opening, openingHoldsResults, years } = this.#profile
    if (opening === 'none') return
    const first = years[0]!.start
    const date = { before: addDays(first, -1), on: first, mid: addDays(first, 70) }[opening]
    const accounts = ACCOUNTS.filter((account) => onSheet(account) || openingHoldsResults)
    const lines = accounts
      .filter(() => this.#random.chance(60))
      .map((account): Line => {
        const mark = opening === 'mid' && !onSheet(account) ? 'opening-current' : 'opening'
        return { ...this.#tagged(account.id, this.#amount(), date), mark }
      })
    this.#add([...lines, { ...this.#tagged('capital', -sum(lines), date), mark: 'opening' }], 'OPEN')
  }

  #activity(year: Profile['years'][number]): void {
    const isFirst = year === this.#profile.years[0]
    const begin = isFirst && this.#profile.opening === 'mid' ? addDays(year.start, 71) : year.start
    const isLast = year === this.#profile.years.at(-1)
    // The last year is still going on.
    const end = isLast ? addDays(year.end, -100) : year.end
    for (const date of ['2024-02-29', begin, end])
      if (date >= begin && date <= end) this.#add(this.#entry(date))
    for (let i = 0; i < 55; i++) {
      const date = dateOf(this.#random.between(dayOf(begin), dayOf(end)))
      if (this.#idle.has(monthOf(date))) continue
      const lines = this.#entry(date)
      this.#add(lines)
      if (this.#random.chance(10)) this.#reverse(lines, end)
    }
  }

  /** The same lines with the opposite sign, some days later. */
  #reverse(lines: readonly Line[], end: string): void {
    const latest = lines
      .map((line) => line.date)
      .sort()
      .at(-1)!
    const date = dateOf(this.#random.between(dayOf(latest), dayOf(end)))
    if (!this.#idle.has(monthOf(date)))
      this.#add(lines.map((line) => ({ ...line, minor: -line.minor, date })))
  }

  #entry(date: string): Line[] {
    const random = this.#random
    const t = (account: string, minor: bigint) => this.#tagged(account, minor, date)
    const amount = this.#amount()
    const part = amount / 3n
    const kinds: (() => Line[])[] = [
      // One invoice over classes and departments, with tax; one third leaves a remainder.
      () => [
        t('debtors', amount),
        t('sales', -part),
        t('sales', -part),
        t('export', part + part + part / 7n - amount),
        t('vat', -(part / 7n)),
      ],
      () => [t('creditors', -amount), t('cogs', part), t('wages', amount - part)],
      () => [t('bank', amount), t('debtors', -amount)],
      () => [t('creditors', amount), t(random.pick(['bank', 'overdraft', 'card']), -amount)],
      () => [t(random.pick(['till', 'escrow', 'overdraft']), amount), t('bank', -amount)],
      () => [
        t('returns', amount),
        t('debtors', -part),
        t('bank', part - amount),
        t('rebates', -part),
        t('stock', part),
      ],
      () => [t('depreciation', amount), t('plantdep', -amount)],
      () => [t('plant', amount), t('bank', -part), t('loan', part - amount)],
      // A disposal: cost and depreciation go, the difference is a gain or a loss.
      () => [
        t('plant', -amount),
        t('plantdep', part),
        t('bank', part),
        t(random.pick(['gain', 'loss']), amount - part - part),
      ],
      () => [t('rent', amount), t('refunds', -part), t('accrued', part - amount)],
      () => [t('drawings', amount), t('till', -amount)],
      () => [t('retained', amount), t('reserve', -part), t('treasury', part - amount)],
      () => [t('tax', amount), t('bank', -amount), t('suspense', part), t('deposit', -part), t('wages', 0n)],
      () => this.#long(date),
      () => this.#twoDays(date),
    ]
    return random.pick(kinds)()
  }

  /** Many lines over any accounts, the same account several times. */
  #long(date: string): Line[] {
    const lines = Array.from({ length: this.#random.between(10, 60) }, () =>
      this.#tagged(this.#random.pick(ACCOUNTS).id, BigInt(this.#random.between(-5_000_000, 5_000_000)), date),
    ).filter((line) => line.account !== 'result')
    return [...lines, this.#tagged('bank', -sum(lines), date)]
  }

  /** Lines of one entry on several days of a month: it balances in the month, not on each day. */
  #twoDays(date: string): Line[] {
    const amount = this.#amount()
    const other = dateOf(this.#random.between(dayOf(date), dayOf(lastDay(monthOf(date)))))
    return [this.#tagged('stock', amount, date), this.#tagged('creditors', -amount, other)]
  }

  #close(year: Profile['years'][number], closing: Closing): void {
    const results = this.#balances(year.end, (line) => !onSheet(BY_ID.get(line.account)!))
    const total = sum(results)
    const mark: Mark = closing === 'late' ? 'closing-prior' : 'closing-current'
    const date = closing === 'late' ? addDays(year.end, 45) : year.end
    const plain = (account: string, minor: bigint): Line => ({
      account,
      minor,
      date,
      class: '',
      department: '',
      mark,
    })
    switch (closing) {
      case 'none':
        return
      case 'accounts':
      case 'repeated':
      case 'late': {
        const half = total / 2n
        const byAccount = merged(results, (line) => line.account)
        this.#add(
          [
            ...byAccount.map((line) => plain(line.account, -line.minor)),
            plain('retained', half),
            plain('reserve', total - half),
          ],
          'CLOSE',
        )
        if (closing === 'repeated') this.#reopen(year.end)
        return
      }
      case 'members':
        this.#add(
          [...results.map((line) => ({ ...line, minor: -line.minor, date, mark })), plain('retained', total)],
          'CLOSE',
        )
        return
      case 'closing-account': {
        // Tax in the same voucher is activity: only the closing account and its counterpart are the closing.
        const due = this.#amount()
        const tax = this.#tagged('tax', due, date)
        this.#add(
          [tax, this.#tagged('accrued', -due, date), plain('result', -total), plain('retained', total)],
          'YE',
        )
        return
      }
      case 'carried': {
        // The new year's opening moves it: on its first day, when all of it is a result of earlier years.
        const moved = {
          ...plain('retained', total),
          date: addDays(year.end, 1),
          mark: 'closing-prior' as const,
        }
        this.#add([moved, { ...moved, account: 'result', minor: -total }], 'IMPLIED', 'journal')
        this.#reopen(year.end, [moved])
      }
    }
  }

  /** The next year's opening stated again, with what it holds beyond the balances of the year's end. */
  #reopen(yearEnd: string, moved: readonly Line[] = []): void {
    const carried = merged(
      [...this.#balances(yearEnd, (line) => onSheet(BY_ID.get(line.account)!)), ...moved],
      (line) => line.account,
    )
    const lines = carried.map((line) => ({ ...line, class: '', department: '', date: addDays(yearEnd, 1) }))
    this.#add(lines, 'OPEN', 'export')
  }

  /** Per account and members, everything up to and including `date`. */
  #balances(date: string, wanted: (line: Line) => boolean): Line[] {
    const lines = this.entries
      .filter((entry) => entry.only !== 'export')
      .flatMap((entry) =>
        entry.lines.filter((line) => wanted(line) && (isOpening(entry) || line.date <= date)),
      )
    return merged(lines, (line) => `${line.account}/${line.class}/${line.department}`)
  }

  #tagged(account: string, minor: bigint, date: string): Line {
    const random = this.#random
    const pick = (list: readonly Member[]): string => (random.chance(45) ? '' : random.pick(list).id)
    return { account, minor, date, class: pick(CLASSES), department: pick(DEPARTMENTS) }
  }

  /** Minor units: mostly everyday amounts, some of the smallest unit, a few of 10^14, some negative. */
  #amount(): bigint {
    const random = this.#random
    const kind = random.between(1, 100)
    if (kind <= 6) return BigInt(random.between(1, 3))
    if (kind <= 8 && this.#huge-- > 0) return 10n ** 14n + BigInt(random.between(0, 99))
    const amount = BigInt(random.between(1, kind <= 20 ? 2_000_000_000 : 900_000))
    return kind > 92 ? -amount : amount
  }
}

/** Lines of one key as one line; zeros dropped. */
function merged(lines: readonly Line[], keyOf: (line: Line) => string): Line[] {
  const byKey = new Map<string, Line>()
  for (const line of lines) {
    const { mark: _, ...plain } = line
    const known = byKey.get(keyOf(line))
    byKey.set(keyOf(line), { ...plain, minor: line.minor + (known?.minor ?? 0n) })
  }
  return [...byKey.values()].filter((line) => line.minor !== 0n)
}

/** Exact decimal text of minor units. */
export function decimal(minor: bigint, decimals: number): string {
  const digits = String(minor < 0n ? -minor : minor).padStart(decimals + 1, '0')
  const text = decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
  return minor < 0n ? `-${text}` : text
}

function companySettings(profile: Profile): string {
  const continental =
    profile.form === 'continental' ? ', decimal: ",", thousands: ".", dateFormat: DD.MM.YYYY' : ''
  return `currency: ${profile.currency}
${profile.yearsYaml}
classes: classes.csv
departments: departments.csv
opening: { ${profile.markedBy}s: [OPEN] }
closing: { accounts: ["8999"], ${profile.markedBy}s: [CLOSE] }
cashFlow: { "1020": Cash }
${profile.lockDate === '' ? '' : `lockDate: ${profile.lockDate}`}
ledger:
${profile.bases.map((basis) => `  - { files: ${basis}.csv, basis: ${basis}${continental} }`).join('\n')}`
}

const chartCsv = (): string =>
  `id,number,name,classification,type,parent,cash_flow\n${ACCOUNTS.map(
    ({ id, number, classification, type, parent, stated }) =>
      `${id},${number},Account ${number},${classification},${type},${parent},${stated}\n`,
  ).join('')}`

const membersCsv = (list: readonly Member[]): string =>
  `id,name,parent,is_active\n${list.map(({ id, parent }) => `${id},The ${id},${parent},${id === 'closed' ? 'no' : 'yes'}\n`).join('')}`

/** One row per line, in no order; accounts by id or by number, the mark on all lines of an entry or on one only. */
function exportCsv(profile: Profile, entries: readonly Entry[], random: Random): string {
  const { form, decimals, markedBy } = profile
  const rows = entries
    .filter((entry) => entry.only !== 'journal')
    .flatMap((entry) => {
      const markedOnce = random.chance(50)
      return entry.lines.map((line, i) => ({
        entry,
        line,
        mark: markedOnce && i > 0 ? '' : entry.reference,
        order: random.between(0, 1_000_000),
      }))
    })
    .sort((a, b) => a.order - b.order)
  const separator = form === 'continental' ? ';' : ','
  const columns = form === 'debit-credit' ? ['debit', 'credit'] : ['amount']
  const amounts = (minor: bigint): string[] => {
    const text = decimal(minor, decimals)
    if (form === 'amount') return [text]
    if (form === 'continental') return [continental(text)]
    // Some systems write a credit as a negative debit.
    if (random.chance(10)) return [text, '']
    return minor < 0n ? ['', text.slice(1)] : [text, '']
  }
  const dates = (date: string): string =>
    form === 'continental' ? date.split('-').reverse().join('.') : date
  const cells = rows.map(({ entry, line, mark }) => {
    const { entered, period } = isOpening(entry)
      ? unperiodic(line.date)
      : periodic(profile, line.date, random)
    return [
      entry.id,
      dates(entered),
      period,
      random.chance(50) ? line.account : BY_ID.get(line.account)!.number,
      ...amounts(line.minor),
      line.class,
      line.department,
      mark,
    ]
  })
  const header = ['transaction_id', 'date', 'period', 'account', ...columns, 'class', 'department', markedBy]
  return `${[header, ...cells].map((row) => row.join(separator)).join('\n')}\n`
}

interface Dating {
  readonly entered: string
  readonly period: string
}

const unperiodic = (date: string): Dating => ({ entered: date, period: '' })

/** Ways to write an effective date: as it is, or with a posting period that it is the nearest day of. */
function periodic({ years }: Profile, date: string, random: Random): Dating {
  if (random.chance(50)) return unperiodic(date)
  const period = date.slice(0, 7)
  if (years.some((year) => year.end === date) && random.chance(50))
    return { entered: addDays(date, random.between(-60, 60)), period: `${date.slice(0, 4)}-13` }
  if (date === lastDay(monthOf(date))) return { entered: addDays(date, random.between(0, 60)), period }
  if (date.endsWith('-01')) return { entered: addDays(date, -random.between(0, 60)), period }
  return { entered: date, period }
}

function continental(text: string): string {
  const [whole, fraction] = text.split('.')
  const grouped = whole!.replace(/\B(?=(\d{3})+$)/g, '.')
  return fraction === undefined ? grouped : `${grouped},${fraction}`
}

const ROOTS: Record<Classification, string> = {
  Asset: 'assets',
  Liability: 'liabilities',
  Equity: 'equity',
  Income: 'revenues',
  OtherIncome: 'revenues',
  CostOfSales: 'expenses',
  Expense: 'expenses',
  OtherExpense: 'expenses',
}
const TYPES: Record<string, string> = {
  assets: 'A',
  liabilities: 'L',
  equity: 'E',
  revenues: 'R',
  expenses: 'X',
}

function pathOf({ id, classification, parent }: Account): string {
  return parent === '' ? `${ROOTS[classification]}:${id}` : `${pathOf(BY_ID.get(parent)!)}:${id}`
}

/** Openings stand on `before`, the day before the coverage: they are state, whenever in the first year they were taken. */
function journal({ currency, decimals }: Profile, entries: readonly Entry[], before: string): string {
  const accounts = ACCOUNTS.map(
    (account) =>
      `account ${pathOf(account)}  ; type: ${account.cashFlow === 'Cash' ? 'C' : TYPES[ROOTS[account.classification]]}\n`,
  )
  const posting = (line: Line, date: string): string => {
    const tags = [
      `date:${date}`,
      ...(['class', 'department', 'mark'] as const).flatMap((tag) =>
        line[tag] ? [`${tag}:${line[tag]}`] : [],
      ),
    ]
    return `    ${pathOf(BY_ID.get(line.account)!)}  ${decimal(line.minor, decimals)} ${currency}  ; ${tags.join(', ')}\n`
  }
  const transactions = entries
    .filter((entry) => entry.only !== 'export')
    .map((entry) => {
      const dated = entry.lines.map((line) => ({ line, date: isOpening(entry) ? before : line.date }))
      return `${dated[0]!.date} ${entry.id}\n${dated.map(({ line, date }) => posting(line, date)).join('')}\n`
    })
  const format = `commodity ${decimal(1000n * 10n ** BigInt(decimals), decimals)}${decimals === 0 ? '.' : ''} ${currency}\n`
  return `decimal-mark .\n${format}${accounts.join('')}\n${transactions.join('')}`
}
