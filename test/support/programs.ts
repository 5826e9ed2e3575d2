/** The books of program-books.ts as six accounting programs export them, after the layouts that their manuals and public readers show. */
import { ACCOUNTS, ENTRIES, LISTED, type ProgramAccount, type ProgramEntry } from './program-books.ts'
import { csvOf, grouped, type ReportRow, usDate } from './report-files.ts'

const by = new Map(ACCOUNTS.map((each) => [each.number, each]))
export const nameOf = (number: string): string => by.get(number)!.name

const plain = (amount: number): string => amount.toFixed(2)
const money = (amount: number): string => grouped(Math.round(100 * amount))
const debit = (amount: number, text = money): string => (amount > 0 ? text(amount) : '')
const credit = (amount: number, text = money): string => (amount < 0 ? text(-amount) : '')
/** `1/5/25`. */
const short = (date: string): string =>
  `${Number(date.slice(5, 7))}/${Number(date.slice(8))}/${date.slice(2, 4)}`

interface AccountLine {
  readonly entry: ProgramEntry
  readonly amount: number
  readonly balance: number
}

export interface Period {
  readonly first: string
  readonly last: string
}
export const BOTH: Period = { first: '2025-01-01', last: '2025-02-28' }
export const JANUARY: Period = { first: '2025-01-01', last: '2025-01-31' }
export const FEBRUARY: Period = { first: '2025-02-01', last: '2025-02-28' }

/** What a ledger of the period shows of an account. */
function ledgerOf(
  number: string,
  { first, last }: Period,
  entries = ENTRIES,
  start = by.get(number)!.opening,
) {
  let balance = start
  let opening = balance
  const lines: AccountLine[] = []
  for (const each of entries)
    for (const [own, amount] of each.lines) {
      if (own !== number || each.date > last) continue
      balance += amount
      if (each.date < first) opening = balance
      else lines.push({ entry: each, amount, balance })
    }
  const moved = { debit: 0, credit: 0 }
  for (const { amount } of lines) moved[amount > 0 ? 'debit' : 'credit'] += Math.abs(amount)
  return { opening, lines, balance, moved }
}
const sides = (net: number) => ({ debit: Math.max(net, 0), credit: Math.max(-net, 0) })

export const odooItems = (entries = LISTED): string =>
  csvOf([
    'Date,Journal Entry,Account,Partner,Label,Analytic Distribution,Debit,Credit,Balance'.split(','),
    ...entries.flatMap(({ date, number, party, memo, department, lines }) =>
      lines.map(([own, amount]) => [
        date,
        number,
        `${own} ${nameOf(own)}`,
        party,
        memo,
        isResult(own) ? department : '',
        plain(Math.max(amount, 0)),
        plain(Math.max(-amount, 0)),
        plain(amount),
      ]),
    ),
  ])

const isResult = (number: string): boolean => number >= '4000'

/** Grouped by account: the opening of all, then a group for each account, then the totals of all. */
export function erpnextLedger(
  period = BOTH,
  { numbered = true, entries = LISTED }: { numbered?: boolean; entries?: readonly ProgramEntry[] } = {},
): string {
  const rows: ReportRow[] = [
    'Posting Date,Account,Debit (USD),Credit (USD),Balance (USD),Voucher Type,Voucher No,Against Account,Party Type,Party,Project,Cost Center,Remarks'.split(
      ',',
    ),
  ]
  const row = (label: string, { debit: dr, credit: cr }: { debit: number; credit: number }): ReportRow => [
    '',
    label,
    plain(dr),
    plain(cr),
    plain(dr - cr),
  ]
  const whole = { opening: { debit: 0, credit: 0 }, total: { debit: 0, credit: 0 } }
  const groups: ReportRow[] = []
  for (const { number, name } of ACCOUNTS) {
    const before = entries === LISTED ? 0 : by.get(number)!.opening
    const { opening, lines, moved } = ledgerOf(number, period, entries, before)
    const start = sides(opening)
    whole.opening.debit += start.debit
    whole.opening.credit += start.credit
    if (lines.length === 0) continue
    whole.total.debit += moved.debit
    whole.total.credit += moved.credit
    groups.push([], row("'Opening'", start))
    for (const { entry: of, amount, balance } of lines)
      groups.push([
        of.date,
        numbered ? `${number} - ${name} - CO` : `${name} - CO`,
        plain(Math.max(amount, 0)),
        plain(Math.max(-amount, 0)),
        plain(balance),
        of.type === 'Journal' ? 'Journal Entry' : of.type,
        of.number,
        '',
        '',
        of.party,
        '',
        of.department === '' ? '' : `${of.department} - CO`,
        of.memo,
      ])
    groups.push(row("'Total'", moved), row("'Closing (Opening + Total)'", plus(start, moved)))
  }
  rows.push(row("'Opening'", whole.opening), ...groups, [])
  rows.push(row("'Total'", whole.total), row("'Closing (Opening + Total)'", plus(whole.opening, whole.total)))
  return csvOf(rows)
}
const plus = (a: { debit: number; credit: number }, b: { debit: number; credit: number }) => ({
  debit: a.debit + b.debit,
  credit: a.credit + b.credit,
})

const dollars = (amount: number): string => (amount < 0 ? `($${money(-amount)})` : `$${money(amount)}`)
const MONTHS = 'Jan,Feb,Mar,Apr,May,Jun,Jul,Aug,Sep,Oct,Nov,Dec'.split(',')
const monthName = (date: string): string => `${MONTHS[Number(date.slice(5, 7)) - 1]} ${date.slice(0, 4)}`

/** A saved search: one row for each line of a transaction. */
export const netsuiteSearch = (entries = LISTED): string =>
  csvOf([
    'Internal ID,Date,Period,Type,Document Number,Name,Account,Memo,Department,Class,Amount (Debit),Amount (Credit),Posting'.split(
      ',',
    ),
    ...entries.flatMap(({ date, number, type, party, memo, department, lines }, i) =>
      lines.map(([own, amount]) => [
        String(101 + i),
        usDate(date),
        monthName(date),
        type,
        number,
        party,
        `${own} ${nameOf(own)}`,
        memo,
        department,
        '',
        debit(amount),
        credit(amount),
        'Yes',
      ]),
    ),
    '900,02/28/2025,Feb 2025,Sales Order,SO1,Ann,4000 Sales,Not yet,East,,,50.00,No'.split(','),
  ])

const GNUCASH_HEAD =
  'Date,Transaction ID,Number,Description,Notes,Commodity/Currency,Void Reason,Action,Memo,Full Account Name,Account Name,Amount With Sym,Amount Num.,Value With Sym,Value Num.,Reconcile,Reconcile Date,Rate/Price'

/** `carried`: older versions leave out what splits share with the first one of their transaction. */
export const gnucashTransactions = (entries = LISTED, carried = true): string =>
  [
    GNUCASH_HEAD,
    ...entries.flatMap(({ date, memo, lines }, i) =>
      lines.map(([own, amount], line) => {
        const shared = [date, String(i + 1).padStart(32, '0'), '', memo, '', 'CURRENCY::USD', '', '', '']
        return csvOf([
          [
            ...(carried && line > 0 ? shared.map(() => '') : shared),
            by.get(own)!.path,
            nameOf(own),
            dollars(amount),
            money(amount),
            dollars(amount),
            money(amount),
            'n',
            '',
            '1.0000',
          ],
        ]).trim()
      }),
    ),
    '',
  ].join('\n')

const monthEnds = (period: Period): readonly Period[] =>
  [JANUARY, FEBRUARY].filter(({ first, last }) => first >= period.first && last <= period.last)

/** `stacked`: account ID and description stand one below the other, as in the printed report. */
export function sage50Ledger(period = BOTH, stacked = false): string {
  const rows: ReportRow[] = [
    ['Acme Inc.'],
    ['General Ledger'],
    [
      `For the Period From ${period.first === '2025-01-01' ? 'Jan 1' : 'Feb 1'}, 2025 to ${period.last === '2025-01-31' ? 'Jan 31' : 'Feb 28'}, 2025`,
    ],
    ['Filter Criteria includes: Report order is by ID. Report is printed in Detail Format.'],
    [],
    [
      'Account ID',
      stacked ? '' : 'Account Description',
      'Date',
      'Reference',
      'Jrnl',
      'Trans Description',
      'Debit Amt',
      'Credit Amt',
      'Balance',
    ],
    ...(stacked ? [['Account Description']] : []),
  ]
  for (const { number, name } of ACCOUNTS) {
    const own: ReportRow[] = []
    const head = (i: number): [string, string] =>
      stacked ? [i === 0 ? number : i === 1 ? name : '', ''] : i === 0 ? [number, name] : ['', '']
    const add = (...cells: string[]) => own.push([...head(own.length), ...cells])
    for (const [i, month] of monthEnds(period).entries()) {
      const { opening, lines, balance, moved } = ledgerOf(number, month)
      add(short(month.first), '', '', 'Beginning Balance', '', '', money(opening))
      for (const { entry: of, amount } of lines)
        add(
          short(of.date),
          of.number,
          of.type === 'Invoice' ? 'SJ' : of.type === 'Bill' ? 'PJ' : of.type === 'Journal' ? 'GEN' : 'CDJ',
          of.memo,
          debit(amount),
          credit(amount),
          '',
        )
      add(
        '',
        '',
        '',
        'Current Period Change',
        debit(moved.debit),
        debit(moved.credit),
        money(balance - opening),
      )
      if (i === monthEnds(period).length - 1)
        add(short(month.last), '', '', 'Ending Balance', '', '', money(balance))
    }
    rows.push(...own, [])
  }
  return csvOf(rows)
}

const chart = (head: ReportRow, row: (account: ProgramAccount) => ReportRow): string =>
  csvOf([head, ...ACCOUNTS.map(row)])

export const CHARTS = {
  odoo: chart(['Code', 'Account Name', 'Type', 'Allow Reconciliation'], ({ number, name, types }) => [
    number,
    name,
    types[0]!,
    'False',
  ]),
  erpnext: chart(
    ['Account Name', 'Account Number', 'Root Type', 'Account Type', 'Is Group'],
    ({ number, name, types }) => [name, number, types[1]!, types[2]!, '0'],
  ),
  netsuite: chart(['Number', 'Name', 'Type'], ({ number, name, types }) => [number, name, types[3]!]),
  gnucash: chart(
    'Type,Full Account Name,Account Name,Account Code,Description,Account Color,Notes,Symbol,Namespace,Hidden,Tax Info,Placeholder'.split(
      ',',
    ),
    ({ name, path, types }) => [types[4]!, path, name, '', '', '', '', 'USD', 'CURRENCY', 'F', 'F', 'F'],
  ),
  'business-central': chart(
    'No.,Name,Net Change,Balance,Income/Balance,Account Category,Account Subcategory,Account Type'.split(','),
    ({ number, name, types }) => [
      number,
      name,
      '0.00',
      '0.00',
      isResult(number) ? 'Income Statement' : 'Balance Sheet',
      types[5]!,
      types[6]!,
      'Posting',
    ],
  ),
  sage50: chart(
    ['Account ID', 'Account Description', 'Active?', 'Account Type'],
    ({ number, name, types }) => [number, name, 'Yes', types[7]!],
  ),
} as const
