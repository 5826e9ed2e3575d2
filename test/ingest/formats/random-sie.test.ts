/**
 * Random books of two fiscal years as a Swedish program exports them, one SIE 4E file per year, built one after the other.
 * Every published figure is held against sums over the seed's own entries: nothing of the builder takes part in them.
 */

import * as assert from 'uvu/assert'
import { alike } from '../../seed.ts'
import { suite } from '../../suite.ts'
import { type Random, seeded } from '../../support/random.ts'
import {
  type Built,
  buildIn,
  COMPANY,
  findingsText,
  inWorkspace,
  writeFiles,
} from '../../support/workspace.ts'

const random = suite('random SIE books of two years')

const YEARS = [2024, 2025] as const
type Year = (typeof YEARS)[number]
const RESULT = '2099'
const CLOSING = '8999'
/** Number, name, and the sign that statements turn debits into. */
const ACCOUNTS = [
  ['1510', 'Kundfordringar', 1],
  ['1930', 'Bank', 1],
  ['2081', 'Aktiekapital', -1],
  ['2091', 'Balanserad vinst', -1],
  [RESULT, 'Årets resultat', -1],
  ['2440', 'Leverantörsskulder', -1],
  ['3010', 'Försäljning', -1],
  ['4010', 'Inköp', 1],
  ['5010', 'Lokalhyra', 1],
  ['8310', 'Ränteintäkter', -1],
  [CLOSING, 'Årets resultat', 1],
] as const
const isResult = (account: string): boolean => account >= '3000'
const BUDGETED = ['3010', '4010', '5010', '8310']

/** Minor units, debit positive. */
type Lines = readonly (readonly [account: string, minor: number])[]
interface Entry {
  readonly date: string
  readonly lines: Lines
}

interface Books {
  readonly isClosed: boolean
  readonly openings: ReadonlyMap<string, number>
  readonly entries: readonly Entry[]
  readonly budget: readonly { readonly month: string; readonly account: string; readonly minor: number }[]
}

const monthsOf = (year: Year): string[] =>
  Array.from({ length: 12 }, (_, month) => `${year}-${String(month + 1).padStart(2, '0')}`)
const MONTHS = YEARS.flatMap(monthsOf)

/** Debits minus credits of an account over the entries that `counts` lets through. */
const moved = (entries: readonly Entry[], account: string, counts: (date: string) => boolean): number =>
  entries
    .filter(({ date }) => counts(date))
    .flatMap(({ lines }) => lines)
    .reduce((sum, [id, minor]) => (id === account ? sum + minor : sum), 0)
const movedResult = (entries: readonly Entry[], counts: (date: string) => boolean): number =>
  BUDGETED.reduce((sum, account) => sum + moved(entries, account, counts), 0)

const moves = (debit: string, credit: string) => (amount: number) =>
  [
    [debit, amount],
    [credit, -amount],
  ] as const
const TRADE: readonly ((amount: number, part: number) => Lines)[] = [
  moves('1510', '3010'),
  (amount, part) => [
    ['1510', amount - part],
    ['1930', part],
    ['3010', -amount],
  ],
  moves('3010', '1510'),
  moves('1930', '1510'),
  moves('4010', '2440'),
  (amount, part) => [
    ['4010', amount - part],
    ['5010', part],
    ['2440', -amount],
  ],
  moves('2440', '1930'),
  moves('5010', '1930'),
  moves('1930', '8310'),
]

function tradeOf(draw: Random, year: Year): Entry[] {
  return monthsOf(year).flatMap((month) =>
    // Some months have no entry; the last of a year always has.
    Array.from({ length: draw.chance(15) && !month.endsWith('12') ? 0 : draw.between(1, 6) }, () => {
      const amount = draw.between(2, 9_999_999)
      const day = String(draw.between(1, 28)).padStart(2, '0')
      return { date: `${month}-${day}`, lines: draw.pick(TRADE)(amount, draw.between(1, amount - 1)) }
    }),
  )
}

function booksOf(seed: number): Books {
  const draw = seeded(`sie ${seed}`)
  const isClosed = seed % 2 === 0
  const opened = ['1510', '1930', '2081', '2440'].map(
    (account) => [account, draw.between(-5_000_000, 50_000_000)] as const,
  )
  const openings = new Map([...opened, ['2091', 0 - opened.reduce((sum, [, minor]) => sum + minor, 0)]])
  const first = tradeOf(draw, 2024)
  const result = movedResult(first, () => true)
  const closing: Entry = {
    date: '2024-12-31',
    lines: [
      [CLOSING, -result],
      [RESULT, result],
    ],
  }
  // The meeting of May carries the result forward.
  const carried: Entry = {
    date: '2025-05-15',
    lines: [
      [RESULT, -result],
      ['2091', result],
    ],
  }
  return {
    isClosed,
    openings,
    entries: [...first, ...(isClosed ? [closing] : []), ...tradeOf(draw, 2025), carried],
    budget: MONTHS.flatMap((month) =>
      BUDGETED.map((account) => ({ month, account, minor: draw.between(-9_999_999, 9_999_999) })),
    ),
  }
}

const money = (minor: number): string => {
  const digits = String(Math.abs(minor)).padStart(3, '0')
  return `${minor < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** What the books hold at the begin of a year: the second one's has the first one's result in equity, by an entry or not. */
function openingsOf({ openings, entries, isClosed }: Books, year: Year): Map<string, number> {
  const opened = new Map<string, number>()
  for (const [account] of ACCOUNTS) {
    if (isResult(account)) continue
    const own = (openings.get(account) ?? 0) + moved(entries, account, (date) => date < `${year}-01-01`)
    const rolled =
      account === RESULT && year === 2025 && !isClosed ? movedResult(entries, (date) => date < '2025') : 0
    opened.set(account, own + rolled)
  }
  return opened
}

function sieOf(books: Books, year: Year): string {
  const { entries, budget } = books
  const own = entries.filter(({ date }) => date.startsWith(String(year)))
  const balances = (index: number, of: Year): string[] => {
    const within = (date: string) => date.startsWith(String(of))
    const opened = openingsOf(books, of)
    return ACCOUNTS.flatMap(([account]) => {
      const change = moved(entries, account, within)
      if (isResult(account)) return change === 0 ? [] : [`#RES ${index} ${account} ${money(change)}`]
      const begin = opened.get(account)!
      return [`#IB ${index} ${account} ${money(begin)}`, `#UB ${index} ${account} ${money(begin + change)}`]
    })
  }
  return [
    '#FLAGGA 0',
    '#PROGRAM "Bokföring" 1.0',
    '#FORMAT PC8',
    '#SIETYP 4',
    '#FNAMN "Slumpen AB"',
    `#RAR 0 ${year}0101 ${year}1231`,
    `#RAR -1 ${year - 1}0101 ${year - 1}1231`,
    ...ACCOUNTS.map(([account, name]) => `#KONTO ${account} "${name}"`),
    ...balances(0, year),
    ...(year === 2025 ? balances(-1, 2024) : []),
    ...monthsOf(year).flatMap((month) =>
      ACCOUNTS.flatMap(([account]) => {
        const change = moved(own, account, (date) => date.startsWith(month))
        return change === 0 ? [] : [`#PSALDO 0 ${month.replace('-', '')} ${account} {} ${money(change)}`]
      }),
    ),
    // Programs write each figure of a budget under this year and the one before, with the same month.
    ...[0, -1].flatMap((index) =>
      budget
        .filter(({ month }) => month.startsWith(String(year)))
        .map(
          ({ month, account, minor }) =>
            `#PBUDGET ${index} ${month.replace('-', '')} ${account} {} ${money(minor)}`,
        ),
    ),
    ...own.flatMap(({ date, lines }, i) => [
      `#VER A ${i + 1} ${date.replaceAll('-', '')} "Verifikat"`,
      '{',
      ...lines.map(([account, minor]) => `#TRANS ${account} {} ${money(minor)}`),
      '}',
    ]),
    '',
  ].join('\n')
}

type Rows = Record<string, readonly string[]>
const isZero = (cells: readonly (string | null)[]): boolean =>
  cells.every((cell) => cell === '0.00' || cell === null)
const withoutZeros = (rows: Readonly<Record<string, readonly (string | null)[]>>) =>
  Object.fromEntries(Object.entries(rows).filter(([, cells]) => !isZero(cells)))

const signOf = (account: string): number => ACCOUNTS.find(([id]) => id === account)![2]

function profitAndLoss({ entries }: Books, months: readonly string[]): Rows {
  return Object.fromEntries(
    BUDGETED.map((account) => [
      account,
      months.map((month) =>
        money(signOf(account) * moved(entries, account, (date) => date.startsWith(month))),
      ),
    ]),
  )
}

function budgeted({ budget }: Books, months: readonly string[]): Rows {
  return Object.fromEntries(
    BUDGETED.map((account) => [
      account,
      months.map((month) =>
        money(
          signOf(account) *
            budget.find((figure) => figure.account === account && figure.month === month)!.minor,
        ),
      ),
    ]),
  )
}

function balanceSheet(books: Books, months: readonly string[]): Rows {
  const opened = { 2024: openingsOf(books, 2024), 2025: openingsOf(books, 2025) }
  const at = (account: string, month: string): number => {
    const year = month.startsWith('2024') ? 2024 : 2025
    const within = (date: string) => date >= `${year}-01-01` && date <= `${month}-31`
    return opened[year].get(account)! + moved(books.entries, account, within)
  }
  const earned = (month: string): number => {
    const within = (date: string) => date >= `${month.slice(0, 4)}-01-01` && date <= `${month}-31`
    return movedResult(books.entries, within) + moved(books.entries, CLOSING, within)
  }
  return Object.fromEntries([
    ...[...opened[2024].keys()].map(
      (account) => [account, months.map((month) => money(signOf(account) * at(account, month)))] as const,
    ),
    ['current-year-earnings', months.map((month) => money(0 - earned(month)))],
  ])
}

function agrees(built: Built, books: Books, months: readonly string[]): void {
  assert.is(built.result.outcome, 'published', findingsText(built.result.findings))
  assert.is(built.result.restatement, null)
  const rows = (name: 'ProfitAndLoss' | 'BalanceSheet', budgetId: string | null = null) => {
    const read = built.statement(name, { budgetId })
    assert.equal(read.months, months)
    return withoutZeros(read.rows)
  }
  assert.equal(rows('ProfitAndLoss'), withoutZeros(profitAndLoss(books, months)))
  assert.equal(rows('ProfitAndLoss', 'budget'), withoutZeros(budgeted(books, months)))
  assert.equal(rows('BalanceSheet'), withoutZeros(balanceSheet(books, months)))
  assert.equal(
    built.statement('ProfitAndLoss').totals.NetIncome,
    months.map((month) => money(0 - movedResult(books.entries, (date) => date.startsWith(month)))),
  )
}

const YAML =
  'id: acme\nname: Slumpen AB\nfiscalMonthEnd: 12\ncurrency: SEK\nlockDate: 2024-12-31\nledger: [{ files: "*.se" }]\n'

for (const seed of alike([1, 2, 3, 4, 5, 6])) {
  const books = booksOf(seed)
  const how = books.isClosed ? 'closed by an entry' : 'rolled over without an entry'
  random(`seed ${seed}: the first year, then both, ${how}`, () =>
    inWorkspace({ 'company.yaml': YAML, '2024.se': sieOf(books, 2024) }, async (workspace) => {
      agrees(await buildIn(workspace, COMPANY), books, monthsOf(2024))
      writeFiles(`${workspace.datasets}/${COMPANY}`, { '2025.se': sieOf(books, 2025) })
      agrees(await buildIn(workspace, COMPANY), books, MONTHS)
    }),
  )
}
