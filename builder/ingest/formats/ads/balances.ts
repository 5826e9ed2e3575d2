/**
 * Trial_Balance: the balance of each account. The beginnings of a year's first period are openings, the endings are what
 * the books must agree with.
 */
import { lastDay } from '../../../contract/calendar.ts'
import { currencyDecimals, FIGURE_LIMIT, formatInteger } from '../../../contract/currency.ts'
import { isProfitAndLoss } from '../../../contract/vocabulary.ts'
import type { Company } from '../../../workspace/company.ts'
import { error, type Finding, warning } from '../../../workspace/findings/finding.ts'
import type { AccountKind } from '../../format/account-kinds.ts'
import { fiscalYearAt } from '../../format/fiscal-years.ts'
import type { ControlRow, OpeningRow, UnreadRow } from '../../format/intake.ts'
import { type FirstRows, noteFirst } from '../../format/members.ts'
import { parseAmount } from '../../text/amount.ts'
import { ISO_DATE, parseDate } from '../../text/months.ts'
import {
  type AdsTable,
  cellAt,
  currencyMismatch,
  isoDate,
  type Measure,
  measureIn,
  memberColumns,
  periodNumber,
  rowsOf,
  TARGETS,
  usedMeasures,
} from './tables.ts'

export interface AdsBalances {
  readonly file: string
  readonly openings: readonly OpeningRow[]
  readonly controls: readonly ControlRow[]
  /** Account, and member, → the row that names it first. */
  readonly accounts: FirstRows
  readonly members: { readonly class: FirstRows; readonly department: FirstRows }
  /** Rows whose balance cannot be read, nor the opening where the row is of the first period of a year. */
  readonly unread: readonly UnreadRow[]
  readonly findings: readonly Finding[]
}

interface Balance {
  readonly row: number
  readonly account: string
  readonly class: string | null
  readonly department: string | null
  readonly date: string
  readonly period: number | null
  /** Minor units. */
  readonly beginning: number
  readonly ending: number
}

export async function readBalances(
  table: AdsTable,
  company: Company,
  kindOf: (account: string) => AccountKind | null,
): Promise<AdsBalances> {
  const findings: Finding[] = []
  const accounts: FirstRows = new Map()
  const endings = usedMeasures(table, 'ending')
  const rows: { readonly row: number; readonly cells: readonly string[] }[] = []
  for await (const { row, cells } of rowsOf(table, findings)) {
    const account = cellAt(cells, table.at.account)
    if (account === '') continue
    noteFirst(accounts, account, row)
    for (const { measure, currencies } of endings)
      currencies.add(cellAt(cells, measure.currency).toUpperCase())
    rows.push({ row, cells })
  }
  const used = measureIn(endings, company.currency)
  const { file } = table
  const unread: UnreadRow[] = []
  const members = { class: new Map<string, number>(), department: new Map<string, number>() }
  const nothing = { file, openings: [], controls: [], accounts, members, unread }
  if (used === undefined) {
    findings.push(currencyMismatch(file, endings, company.currency))
    return { ...nothing, findings }
  }
  const balances = rows.flatMap(({ row, cells }) => {
    const read = balanceOf(table, used.measure, company, row, cells)
    if (!('code' in read)) {
      for (const target of TARGETS) noteFirst(members[target], read[target] ?? '', row)
      return [read]
    }
    findings.push(read)
    const period = periodNumber(cellAt(cells, table.at.period))
    const of = period === null || period === 1 ? 'either' : 'entry'
    unread.push({ file, row, of, account: cellAt(cells, table.at.account) })
    return []
  })
  const money = (minor: number) => formatInteger(String(minor), currencyDecimals(company.currency))
  const first = balances.filter(({ period, date }) => period === 1 || isWholeYear(date, period, company))
  if (first.length === 0 && balances.length > 0) findings.push(noFirstPeriod(table))
  const controlRow = ({ ending, period: _, beginning: __, ...place }: Balance): ControlRow => {
    const kind = kindOf(place.account)
    const isResult = kind !== null && isProfitAndLoss(kind.classification)
    return { ...place, file, amount: money(ending), kind: isResult ? 'result' : 'closing' }
  }
  return {
    ...nothing,
    openings: first
      .filter(({ beginning }) => beginning !== 0)
      .map(({ beginning, date, ending: _, period: __, ...place }) => ({
        ...{ ...place, file, amount: money(beginning), basis: null },
        yearStart: fiscalYearAt(date, company).start,
      })),
    controls: controlsOf(balances).map(controlRow),
    findings,
  }
}

/** The balance that a row states, or the finding of what is wrong with the row. */
function balanceOf(
  table: AdsTable,
  measure: Measure,
  company: Company,
  row: number,
  cells: readonly string[],
): Balance | Finding {
  const { file, at } = table
  const decimals = currencyDecimals(company.currency)
  const amounts = { beginning: 0, ending: 0 }
  for (const column of ['beginning', 'ending'] as const) {
    const text = cellAt(cells, measure[column])
    const { minor } = text === '' ? { minor: 0 } : parseAmount(text, decimals)
    if (minor === undefined || Math.abs(minor) >= FIGURE_LIMIT)
      return error('unreadable-amount', `"${text}" is not an amount in ${company.currency}`, {
        file,
        row,
        column: column === 'beginning' ? 'Amount_Beginning' : 'Amount_Ending',
        text,
        remedy: 'export the trial balance again, with a decimal point and no other separators',
      })
    amounts[column] = minor
  }
  const period = periodNumber(cellAt(cells, at.period))
  const date = asOf(isoDate(cellAt(cells, at.asOf)), Number(cellAt(cells, at.year)), period, company)
  if (parseDate(date, ISO_DATE) === null)
    return error('unreadable-date', `"${date}" is not a date of a balance`, {
      file,
      row,
      column: 'Balance_As_Of_Date',
      text: date,
      remedy: 'write it as 2025-12-31',
    })
  const columns = memberColumns(table, company.dimensions)
  const member = (target: 'class' | 'department') =>
    columns[target].map((column) => cellAt(cells, column)).find((text) => text !== '') ?? null
  return {
    row,
    account: cellAt(cells, at.account),
    class: member('class'),
    department: member('department'),
    date,
    period,
    ...amounts,
  }
}

/** Without a date: the end of the period, of the fiscal year that ends in the calendar year of its number. */
function asOf(date: string, year: number, period: number | null, { fiscalMonthEnd }: Company): string {
  if (date !== '' || period === null || !Number.isInteger(year) || year < 1900) return date
  const last = year * 12 + fiscalMonthEnd - 1
  return lastDay(Math.min(last, last - 12 + period))
}

/**
 * Each account as a whole, and each of its members; the rest of the account has no member. Where two periods end on
 * one day (12 and 13), the later one is what the books hold.
 */
function controlsOf(balances: readonly Balance[]): Balance[] {
  const latest = new Map<string, number>()
  for (const { date, period } of balances) latest.set(date, Math.max(latest.get(date) ?? 0, period ?? 0))
  const sums = new Map<string, Balance>()
  const add = (balance: Balance) => {
    const key = JSON.stringify([balance.account, balance.class, balance.department, balance.date])
    const known = sums.get(key)
    sums.set(key, known === undefined ? balance : { ...known, ending: known.ending + balance.ending })
  }
  for (const balance of balances) {
    if ((balance.period ?? 0) !== latest.get(balance.date)) continue
    add({ ...balance, class: null, department: null })
    if (balance.class !== null) add({ ...balance, department: null })
    if (balance.department !== null) add({ ...balance, class: null })
  }
  return [...sums.values()]
}

/** A balance without a period, at a year's end, is that of the year. */
const isWholeYear = (date: string, period: number | null, company: Company): boolean =>
  period === null && fiscalYearAt(date, company).end === date

const noFirstPeriod = ({ file }: AdsTable): Finding =>
  warning('no-openings', 'holds no first period of a year: what the accounts opened with is not known', {
    file,
    row: 1,
    remedy:
      'nothing to do, if the company began in this year; else export the trial balance of the first period too',
  })
