/**
 * The figures that a SIE file states beside its vouchers: openings, earlier results, controls, and the months of the year
 * before. Each is turned into rows of the intake; sums are left to the books. Budgets are in budgets.ts.
 */
import { addDays } from '../../../contract/calendar.ts'
import { present } from '../../../contract/present.ts'
import { type Classification, isProfitAndLoss } from '../../../contract/vocabulary.ts'
import { error, type Finding, warning } from '../../../workspace/findings/finding.ts'
import { type ControlRow, type OpeningRow, type PriorResultRow, yearLabel } from '../../format/intake.ts'
import { lastDayOf } from '../../text/months.ts'
import { EntryText } from './csv.ts'
import type { Dimensions } from './dimensions.ts'
import { type Tags, UNTAGGED } from './dimensions.ts'
import type { SieBalance, SieFile } from './records.ts'
import type { Shown } from './stated.ts'
import { rowsOf, type SieYear } from './years.ts'

export interface Reading {
  readonly dimensions: Dimensions
  readonly classificationOf: (account: string) => Classification | null
  /** Money as text for the books to read. */
  readonly money: (minor: number) => string
  /** Money as in tables: 1,234.50. */
  readonly shown: Shown
}

/** A part of a stated figure, for one class and department. */
export interface Cell extends Tags {
  readonly account: string
  readonly month: string | null
  readonly amount: string
  readonly minor: number
  readonly line: number
}

/** What the accounts stood at when a year began. */
export interface StatedOpening {
  /** Null where no file states it. */
  readonly rows: readonly SieBalance[] | null
  /** The year whose figures the rows are: this one, or the year before with its closings. */
  readonly from: SieYear
}

/** A year's own openings, or else what a file states as the close of the year before. `stated` are all years of all files. */
export function openingOf(year: SieYear, stated: readonly SieYear[]): StatedOpening {
  const own = rowsOf(year, 'IB', 'OIB')
  if (own.length > 0) return { rows: own, from: year }
  const dayBefore = addDays(year.start, -1)
  for (const from of stated.filter(({ end }) => end === dayBefore)) {
    const rows = rowsOf(from, 'UB', 'OUB')
    if (rows.length > 0) return { rows, from }
  }
  // A file that states closings alone names every account with a balance: the others opened with nothing.
  return { rows: rowsOf(year, 'UB').length > 0 ? [] : null, from: year }
}

export function openings(
  year: SieYear,
  { rows: stated, from }: StatedOpening,
  reading: Reading,
): { rows: OpeningRow[]; findings: Finding[] } {
  const findings: Finding[] = []
  const { file } = from.file
  if (from !== year && stated?.[0] !== undefined)
    findings.push(
      warning(
        'opening-from-closing',
        `the file states no opening balances of ${year.start} (#IB): what it states as the close of the year before (#UB) opens the year`,
        {
          file,
          row: stated[0].line,
          column: '#UB',
          remedy:
            'nothing to do where that is right; else carry the balances forward in the accounting program and export again',
        },
      ),
    )
  const rows = groups(stated ?? []).flatMap((group) => {
    const { cells, total, rest } = share(group, from.file, reading)
    // Objects may hold more than the account, where the other postings were never tagged.
    if (rest !== null && total !== null && Math.sign(rest.minor) * Math.sign(total) < 0)
      findings.push(
        warning(
          'opening-rest-negative',
          `account ${rest.account} opens with ${reading.shown(total)}, its objects with ${reading.shown(total - rest.minor)}: ${reading.shown(rest.minor)} remain without class and department`,
          {
            file,
            row: rest.line,
            text: rest.account,
            remedy: 'check the opening balances of the objects (#OIB)',
          },
        ),
      )
    return cells
  })
  return {
    rows: rows.map(({ account, amount, line, class: classId, department }) => ({
      file,
      row: line,
      account,
      class: classId,
      department,
      amount,
      yearStart: year.start,
      basis: null,
    })),
    findings,
  }
}

/**
 * The results of the year before, debit positive. That year may itself have opened with results of still earlier years that
 * no entry had moved. They count where they are what the opening of the next year lacks.
 */
export function priorResults(
  year: SieYear,
  { rows: opening }: StatedOpening,
  { money }: Reading,
): PriorResultRow[] {
  const place = { file: year.file.file, yearStart: year.start }
  const results = rowsOf(year, 'RES')
  const before = rowsOf(year, 'IB')
  const [first] = before
  const earlier = netOf(before)
  const isUnmoved = earlier !== 0 && netOf(opening ?? []) === earlier - netOf(results)
  return [
    ...results.map(({ account, amount, line }) => ({ ...place, row: line, account, amount })),
    ...(first !== undefined && isUnmoved
      ? [{ ...place, row: first.line, account: first.account, amount: money(0 - earlier) }]
      : []),
  ]
}

/** What balances of accounts add up to, objects aside. */
export const netOf = (rows: readonly SieBalance[]): number =>
  rows.filter(({ objects }) => objects.length === 0).reduce((sum, { minor }) => sum + minor, 0)

/** What the vouchers of the file must add up to, as the file itself states it. */
export const controls = (year: SieYear, reading: Reading): ControlRow[] =>
  controlsOf(year, rowsOf(year, 'UB', 'OUB', 'RES', 'PSALDO'), reading)

/**
 * What a file states of a year whose vouchers are in another file: results and monthly movements only. Its balances follow
 * from its own openings, and the entry that closes the year may have been made after the other file was exported.
 */
export const controlsOfOther = (
  year: SieYear,
  reading: Reading,
  closingAccounts: readonly string[],
): ControlRow[] =>
  controlsOf(
    year,
    rowsOf(year, 'RES', 'PSALDO').filter(
      ({ account }) => !closingAccounts.includes(account) && reading.classificationOf(account) !== 'Equity',
    ),
    reading,
  )

function controlsOf(
  year: SieYear,
  rows: readonly SieBalance[],
  { dimensions, classificationOf }: Reading,
): ControlRow[] {
  return rows.flatMap((row) => {
    const classification = classificationOf(row.account)
    const tags = dimensions.isMapped(row.objects) ? dimensions.tags(row.objects) : null
    if (classification === null || tags === null) return []
    // company.yaml may move an account from the P&L to the balance sheet, which has no result to compare.
    if (row.label === 'RES' && !isProfitAndLoss(classification)) return []
    const kind = row.label === 'PSALDO' ? 'movement' : isProfitAndLoss(classification) ? 'result' : 'closing'
    // A year that begins or ends inside a month states its part of that month.
    const monthEnd = row.month === null ? year.end : lastDayOf(row.month)
    const date = row.month === year.end.slice(0, 7) ? year.end : monthEnd
    const isPart = row.month === year.start.slice(0, 7) && !year.start.endsWith('-01')
    const from = isPart ? { from: year.start } : {}
    return [
      {
        file: year.file.file,
        row: row.line,
        kind,
        account: row.account,
        ...tags,
        date,
        amount: row.amount,
        ...from,
      },
    ]
  })
}

/** Rows of months, and what their tags mean. */
interface MonthRows {
  readonly csv: string
  readonly tags: ReadonlyMap<string, Tags>
}

/**
 * The months of a year without vouchers as postings, one entry per month. The books say whether each balances, and whether they lead from
 * the openings to the closings and results of every account.
 */
export function monthsAsPostings(
  year: SieYear,
  reading: Reading,
): MonthRows & { readonly accounts: readonly string[]; readonly findings: readonly Finding[] } {
  const { file } = year.file
  const movements = rowsOf(year, 'PSALDO')
  const place = { file, row: movements[0]?.line ?? null, column: '#PSALDO' }
  const remedy = 'remove "priorYear: psaldo" from company.yaml, or add the SIE file of that year'
  if (movements.length === 0)
    return {
      ...{ csv: '', tags: new Map(), accounts: [] },
      findings: [
        error('prior-year', `the file states no months (#PSALDO) of ${year.start} to ${year.end}`, {
          ...place,
          remedy,
        }),
      ],
    }
  const cells = monthly(groups(movements).flatMap((group) => share(group, year.file, reading).cells))
  return { ...entriesOf(year, cells), accounts: cells.map(({ account }) => account), findings: [] }
}

/** One entry for each month, whose lines stand where they stand in the file. */
function entriesOf(year: SieYear, cells: readonly (Cell & { readonly month: string })[]): MonthRows {
  const entries = new Map<string, EntryText>()
  for (const { month } of cells)
    if (!entries.has(month)) {
      const entry = new EntryText()
      entry.begin({
        id: `${yearLabel(year)} ${month} #PSALDO`,
        reference: '',
        journal: '',
        enteredOn: '',
        enteredBy: '',
      })
      entries.set(month, entry)
    }
  const tags = new Map<string, Tags>()
  let csv = ''
  for (const cell of cells) {
    const { month, line, account, amount, class: own, department } = cell
    const entry = present(entries.get(month), 'entry of a month')
    const tag = own === null && department === null ? '' : `#PSALDO ${JSON.stringify([own, department])}`
    if (tag !== '') tags.set(tag, { class: own, department })
    entry.add({
      ...{ row: line, date: lastDayOf(month), account, amount, tag },
      memo: `Movement of ${month}`,
    })
    csv += entry.written()
  }
  return { csv, tags }
}

export const monthly = (cells: readonly Cell[]): (Cell & { readonly month: string })[] =>
  cells.flatMap((cell) => (cell.month === null ? [] : [{ ...cell, month: cell.month }]))

/** Rows that state one figure: of the same account and month, with and without objects. */
type Group = [SieBalance, ...SieBalance[]]

export function groups(rows: readonly SieBalance[]): Group[] {
  const byFigure = new Map<string, Group>()
  for (const row of rows) {
    const key = `${row.account} ${row.month ?? ''}`
    const group = byFigure.get(key)
    if (group === undefined) byFigure.set(key, [row])
    else group.push(row)
  }
  return [...byFigure.values()]
}

/**
 * Splits a figure over its objects. The row without objects is the account's total (SIE: `{}` = all postings): rows
 * with objects are shares of it, and what they leave is untagged. Real files also state objects alone (typ3.se in the
 * public test files does, per cost centre); then there is no total and each row stands for itself. Under a total, a
 * row of a dimension that is mapped to nothing is a part of the total and adds nothing.
 */
export function share(
  group: Group,
  { file }: SieFile,
  { dimensions, money }: Reading,
): { cells: Cell[]; total: number | null; rest: Cell | null; kinds: number } {
  const isShare = ({ label }: SieBalance) => label === 'OIB' || label === 'OUB'
  const whole = group.filter((row) => row.objects.length === 0 && !isShare(row))
  // #OIB and #OUB are always shares: where there is no #IB the account opens with nothing.
  const hasTotal = whole.length > 0 || isShare(group[0])
  const parts = group.filter(
    (row) =>
      (row.objects.length > 0 || isShare(row)) &&
      (!hasTotal || (row.objects.length > 0 && dimensions.isMapped(row.objects))),
  )
  const cells = parts.map(({ account, month, amount, minor, line, objects }) => {
    const tags = dimensions.use(objects, { file, row: line })
    return { account, month, amount, minor, line, ...tags }
  })
  const kinds = hasTotal
    ? 0
    : new Set(parts.map(({ objects }) => objects.map((o) => o.dimension).join())).size
  if (!hasTotal) return { cells, total: null, rest: null, kinds }
  const total = whole.reduce((sum, { minor }) => sum + minor, 0)
  const first = whole[0] ?? group[0]
  const minor = cells.reduce((left, cell) => left - cell.minor, total)
  const amount = cells.length === 0 && whole.length === 1 ? first.amount : money(minor)
  const rest = { account: first.account, month: first.month, line: first.line, amount, minor, ...UNTAGGED }
  return { cells: minor === 0 && cells.length > 0 ? cells : [...cells, rest], total, rest, kinds }
}
