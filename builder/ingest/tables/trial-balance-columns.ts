/**
 * Finds the columns of a trial balance, whichever program wrote it: accounts, and a balance or debits and credits;
 * and the header among the titles.
 */

import { TITLE_ROWS } from '../text/csv.ts'
import { ISO_DATE, lastDayOf, parseDate, parseMonth } from '../text/months.ts'
import type { ColumnMap } from './header.ts'

export interface BalanceColumns {
  /** Number or code, else the column with names. */
  readonly account: number
  readonly name: number | null
  /** Debit positive. */
  readonly balance: number | null
  readonly debit: number | null
  readonly credit: number | null
  readonly date: number | null
}

/** Headers by their first words: `Debit - Year to date` is a debit. Earlier names are preferred. */
const NAMES: { readonly [column in keyof BalanceColumns]: readonly string[] } = {
  account: [
    'account',
    'account_id',
    'account id',
    'account number',
    'account no',
    'account code',
    'acct',
    'acct no',
    'gl account',
    'gl account number',
    'gl code',
    'nominal code',
    'n/c',
    'a/c',
    'no',
    'number',
    'code',
    'konto',
    'kontonummer',
    'kontonr',
    'comptenum',
    'account name',
    'full name',
    'name',
  ],
  name: [
    'account name',
    'name',
    'account',
    'description',
    'bezeichnung',
    'kontobezeichnung',
    'benämning',
    'comptelib',
  ],
  balance: [
    'balance',
    'closing',
    'closing balance',
    'ending balance',
    'end balance',
    'balance at date',
    'amount ending',
    'ytd balance',
    'net balance',
    'net',
    'amount',
    'saldo',
    'schlusssaldo',
    'utgående balans',
  ],
  debit: ['debit', 'dr', 'debits', 'balance debit', 'debit balance', 'closing debit', 'soll', 'debet'],
  credit: [
    'credit',
    'cr',
    'credits',
    'balance credit',
    'credit balance',
    'closing credit',
    'haben',
    'kredit',
  ],
  date: ['date', 'as of', 'as at', 'balance as of date', 'period end', 'datum'],
}

const plain = (header: string): string =>
  header
    .toLowerCase()
    .replace(/[-–]? ?\(?(year[- ]to[- ]date|ytd)\)?$/, '')
    .replace(/[_.]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()

/** The position of each column; null where the row is not the header of a trial balance. */
export function balanceColumns(cells: readonly string[], map: ColumnMap = {}): BalanceColumns | null {
  const names = cells.map(plain)
  const find = (column: keyof BalanceColumns): number | null => {
    if (Object.hasOwn(map, column)) {
      const at = cells.findIndex((cell) => cell.trim() === map[column])
      return at === -1 ? null : at
    }
    const wanted = NAMES[column].find((name) => names.includes(name))
    return wanted === undefined ? null : names.indexOf(wanted)
  }
  const sides = { debit: find('debit'), credit: find('credit') }
  const balance = find('balance')
  const hasSides = sides.debit !== null && sides.credit !== null
  if (balance === null && !hasSides) return null
  const coded = NAMES.account.filter(
    (name) => name !== 'account' && name !== 'account name' && name !== 'name',
  )
  const code = Object.hasOwn(map, 'account') ? null : coded.find((name) => names.includes(name))
  // A report of QuickBooks leaves the column of the accounts without a header.
  const first = names[0] === '' && hasSides ? 0 : null
  const account = code === undefined || code === null ? (find('account') ?? first) : names.indexOf(code)
  if (account === null) return null
  const name = find('name')
  // Beside a closing balance, debits and credits are movements.
  const useBalance = balance !== null
  return {
    account,
    name: name === account ? null : name,
    balance: useBalance ? balance : null,
    debit: useBalance ? null : sides.debit,
    credit: useBalance ? null : sides.credit,
    date: find('date'),
  }
}

/** The header's index among the first rows. */
export function findBalanceHeader(
  rows: readonly (readonly string[])[],
  map: ColumnMap = {},
): { readonly at: number; readonly columns: BalanceColumns } | null {
  for (const [at, cells] of rows.slice(0, TITLE_ROWS + 1).entries()) {
    const columns = balanceColumns(cells, map)
    if (columns !== null) return { at, columns }
  }
  return null
}

const DAY = /\b(\d{1,2})(?:st|nd|rd|th)? ([a-z]{3})[a-z]*\.?,? (\d{4})\b/gi
const AMERICAN = /\b([a-z]{3})[a-z]*\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})\b/gi
const NUMBERS = /\b(\d{4}-\d{2}-\d{2}|\d{1,2}\.\d{1,2}\.\d{4})\b/g
const MONTH = /\b[a-z]{3,9}\.?,? \d{4}\b/gi

/**
 * The last day that titles name, such as `As of December 31, 2025` or `31.12.2025`; else the end of the last month
 * named; null where none is.
 */
export function dateOfTitle(text: string): string | null {
  const days = [
    ...[...text.matchAll(DAY)].map(([, day, month, year]) =>
      parseDate(`${day} ${month} ${year}`, 'D MMM YYYY'),
    ),
    ...[...text.matchAll(AMERICAN)].map(([, month, day, year]) =>
      parseDate(`${day} ${month} ${year}`, 'D MMM YYYY'),
    ),
    ...[...text.matchAll(NUMBERS)].map(([day]) => parseDate(day, ISO_DATE) ?? parseDate(day, 'D.M.YYYY')),
  ]
  const months = [...text.matchAll(MONTH)].map(([found]) => parseMonth(found.replace(',', '')))
  const latest = (dates: readonly (string | null)[]) =>
    dates
      .filter((date) => date !== null)
      .sort()
      .at(-1) ?? null
  const month = latest(months)
  return latest(days) ?? (month === null ? null : lastDayOf(month))
}

/** `trial-balance-2025-12-31.csv`, `TB_20251231.xlsx`. */
export function dateOfName(file: string): string | null {
  const dates = [...file.matchAll(/(?<!\d)(20\d{2})[-_.]?(\d{2})[-_.]?(\d{2})(?!\d)/g)].map(
    ([, year, month, day]) => parseDate(`${year}-${month}-${day}`, ISO_DATE),
  )
  return (
    dates
      .filter((date) => date !== null)
      .sort()
      .at(-1) ?? null
  )
}
