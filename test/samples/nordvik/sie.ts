/**
 * Nordvik's books as one SIE 4E file (SIE-gruppen, format 4B/4E of 2008): two years, both dimensions, budget,
 * and every figure that the format states about itself (`#UB`, `#RES`, `#PSALDO`, `#OUB`) counted from the entries.
 */
import { monthOf } from '../calendar.ts'
import { money } from '../csv.ts'
import { byDate, type Line, share, type Transaction } from '../journal.ts'
import { ACCOUNTS, COST_CENTRES, LAST_BALANCES, PROJECTS, WORK_IN_PROGRESS } from './accounts.ts'
import { LAST_RESULT, MONTHS, YEAR } from './ledger.ts'

type Balances = Map<string, number>

const isBalanceSheet = (account: string): boolean => account < '3000'
const compact = (date: string): string => date.replaceAll('-', '')
const quoted = (text: string): string => (/^[\w-]+$/.test(text) ? text : `"${text.replaceAll('"', '\\"')}"`)

/** Closing balances of the year before: 2091 is what the other accounts leave. */
function opening(): Balances {
  const balances = new Map(Object.entries(LAST_BALANCES).map(([account, kronor]) => [account, kronor * 100]))
  balances.set('2099', LAST_RESULT)
  balances.set('2091', 0 - [...balances.values()].reduce((sum, amount) => sum + amount, 0))
  return balances
}

/** Income and costs of the year before: a little less of everything, sales so that the stated result comes out. */
function lastYearsResults(year: Balances): Balances {
  const known = { '8811': 36_500_000, '8850': 5_000_000, '8910': 22_184_000, '8999': 0 - LAST_RESULT }
  const results: Balances = new Map()
  for (const [account, amount] of year)
    if (!isBalanceSheet(account) && amount !== 0) results.set(account, share(amount, 93, 10_000) * 100)
  for (const [account, amount] of Object.entries(known)) results.set(account, amount)
  const others = [...results].filter(([account]) => account !== '3041')
  results.set('3041', 0 - others.reduce((sum, [, amount]) => sum + amount, 0))
  return results
}

/** Balances a year earlier, from which last year's entries led to `closing`: the bank takes what is left over. */
function yearBefore(closing: Balances): Balances {
  const dividend = 30_000_000
  const oldResult = -71_240_000
  const fixed = new Map([
    ['2124', 0],
    ['2150', -24_000_000],
    ['2099', oldResult],
    ['2091', closing.get('2091')! - oldResult - dividend],
  ])
  const unchanged = /^(11[13]0|12[1245]0|1380|1940|2081|2086|2123|2393)$/
  const balances: Balances = new Map()
  for (const [account, amount] of closing)
    balances.set(
      account,
      fixed.get(account) ?? (unchanged.test(account) ? amount : share(amount, 88, 10_000) * 100),
    )
  balances.set('1930', 0)
  balances.set('1930', 0 - [...balances.values()].reduce((sum, amount) => sum + amount, 0))
  return balances
}

const add = (sums: Balances, key: string, amount: number): void => {
  sums.set(key, (sums.get(key) ?? 0) + amount)
}

const objectsOf = (line: Line): string[] => [
  ...(line.department ? [`1 ${quoted(line.department)}`] : []),
  ...(line.class ? [`6 ${quoted(line.class)}`] : []),
]
const objectList = (line: Line): string => `{${objectsOf(line).join(' ')}}`

export function sieFile(transactions: readonly Transaction[]): string {
  const lines = transactions.flatMap((transaction) =>
    transaction.lines.map((line) => ({ ...line, month: monthOf(transaction.date) })),
  )
  const movements: Balances = new Map()
  for (const line of lines) add(movements, line.account, line.amount)
  const before = opening()
  const closing = new Map(before)
  for (const [account, amount] of movements) if (isBalanceSheet(account)) add(closing, account, amount)

  const rows = [
    ...header(),
    ...ACCOUNTS.flatMap(({ number, name, kind, sru }) => [
      `#KONTO ${number} ${quoted(name)}`,
      `#KTYP ${number} ${kind}`,
      `#SRU ${number} ${sru}`,
    ]),
    ...dimension(1, 'Kostnadsställe', COST_CENTRES),
    ...dimension(6, 'Projekt', PROJECTS),
    ...figures('IB', 0, before),
    ...figures('UB', 0, closing),
    ...figures('IB', -1, yearBefore(before)),
    ...figures('UB', -1, before),
    ...objectFigures('OIB', inOre(WORK_IN_PROGRESS)),
    ...objectFigures('OUB', workInProgress(lines)),
    ...figures('RES', 0, new Map([...movements].filter(([account]) => !isBalanceSheet(account)))),
    ...figures('RES', -1, lastYearsResults(movements)),
    ...monthMovements(lines),
    ...budget(lines),
    ...vouchers(transactions),
  ]
  return rows.map((row) => `${row}\r\n`).join('')
}

const header = (): string[] => [
  '#FLAGGA 0',
  '#FORMAT PC8',
  '#SIETYP 4',
  '#PROGRAM "Tieout samples" 1.0',
  '#GEN 20250819 "KE"',
  '#FNAMN "Nordvik Bygg AB"',
  '#ORGNR 555555-5555',
  '#ADRESS "Åsa Kjellberg" "Hamngatan 12" "852 29 SUNDSVALL" "060-00 00 00"',
  `#RAR 0 ${compact(YEAR.start)} ${compact(YEAR.end)}`,
  '#RAR -1 20230701 20240630',
  '#TAXAR 2026',
  '#KPTYP EUBAS97',
  '#VALUTA SEK',
]

const dimension = (number: number, name: string, objects: Record<string, string>): string[] => [
  `#DIM ${number} ${quoted(name)}`,
  ...Object.entries(objects).map(([id, object]) => `#OBJEKT ${number} ${quoted(id)} ${quoted(object)}`),
]

const inOrder = (balances: Balances): [string, number][] => [...balances].sort(([a], [b]) => (a < b ? -1 : 1))

const figures = (label: string, year: number, balances: Balances): string[] =>
  inOrder(balances)
    .filter(([, amount]) => amount !== 0)
    .map(([account, amount]) => `#${label} ${year} ${account} ${money(amount)}`)

const inOre = (kronor: Record<string, number>): Balances =>
  new Map(Object.entries(kronor).map(([project, amount]) => [project, amount * 100]))

function workInProgress(lines: readonly Line[]): Balances {
  const balances = inOre(WORK_IN_PROGRESS)
  for (const line of lines) if (line.account === '1470' && line.class) add(balances, line.class, line.amount)
  return balances
}

const objectFigures = (label: string, balances: Balances): string[] =>
  inOrder(balances).map(([project, amount]) => `#${label} 0 1470 {6 ${project}} ${money(amount)}`)

/** Whole accounts as `{}`, and each object with all entries that carry it. */
function monthMovements(lines: readonly (Line & { month: string })[]): string[] {
  const sums: Balances = new Map()
  for (const line of lines)
    for (const object of ['', ...objectsOf(line)])
      add(sums, `${compact(line.month)} ${line.account} {${object}}`, line.amount)
  return inOrder(sums)
    .filter(([, amount]) => amount !== 0)
    .map(([key, amount]) => `#PSALDO 0 ${key} ${money(amount)}`)
}

/** Planned by project as well: what projects sell and use. */
const BY_PROJECT = new Set(['3041', '3051', '3231', '4010', '4425', '7010'])

/** Last spring's plan: each month a twelfth of what then became of the year, in whole thousands; `{}` is the total. */
function budget(lines: readonly Line[]): string[] {
  const years: Balances = new Map()
  for (const { account, amount, class: project } of lines)
    if (!isBalanceSheet(account) && account < '8800')
      add(years, `${account} ${BY_PROJECT.has(account) && project ? `6 ${project}` : ''}`, amount)
  const rows: Balances = new Map()
  for (const [key, amount] of years) {
    const [account, object] = [key.slice(0, 4), key.slice(5)]
    const month = Math.round((amount * 103) / 100 / 12 / 100_000) * 100_000
    add(rows, `${account} {}`, month)
    if (object !== '') add(rows, `${account} {${object}}`, month)
  }
  return inOrder(rows)
    .filter(([, month]) => month !== 0)
    .flatMap(([key, month]) => MONTHS.map((name) => `#PBUDGET 0 ${compact(name)} ${key} ${money(month)}`))
}

function vouchers(transactions: readonly Transaction[]): string[] {
  const numbers = new Map<string, number>()
  return byDate(transactions).flatMap((transaction) => {
    const series = transaction.id.split('-')[0]!
    const number = (numbers.get(series) ?? 0) + 1
    numbers.set(series, number)
    const date = compact(transaction.date)
    return [
      `#VER ${series} ${number} ${date} ${quoted(transaction.memo)} ${date}`,
      '{',
      ...entries(transaction).map((entry) => `   ${entry}`),
      '}',
    ]
  })
}

const trans = (line: Line, label = 'TRANS'): string =>
  `#${label} ${line.account} ${objectList(line)} ${money(line.amount)}`

/** One voucher was changed after it was booked: a line struck out, another put in, which a reader has to skip. */
const CHANGED = 'Skrivare'
function entries({ memo, lines }: Transaction): string[] {
  if (memo !== CHANGED) return lines.map((line) => trans(line))
  const [first, ...rest] = lines as [Line, ...Line[]]
  return [
    trans({ ...first, account: '5410' }, 'BTRANS'),
    trans(first, 'RTRANS'),
    trans(first),
    ...rest.map((line) => trans(line)),
  ]
}
