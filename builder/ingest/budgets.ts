/**
 * Budgets from spreadsheets: a figure per account and month, in natural signs. A yearly or quarterly figure of a P&L
 * account is spread evenly over its months, what does not divide in the last one; of a balance sheet account it is
 * the balance at the end of the period, and the months before have none. An empty cell is no figure, not zero. What
 * the figures are counted in, and with which signs they are written, is turned here into units and natural signs.
 */
import { formatInteger, formatMinor } from '../contract/currency.ts'
import { isProfitAndLoss } from '../contract/vocabulary.ts'
import type { BudgetSetting, Company } from '../workspace/company.ts'
import { error, type Finding } from '../workspace/finding.ts'
import { type AmountReader, amountReader } from './budget-amounts.ts'
import { type DetailedRow, repeatFindings } from './budget-repeats.ts'
import { inResult, signOf } from './budget-signs.ts'
import { notOneAccount } from './chart.ts'
import type { TextRow } from './csv.ts'
import { REQUIRED } from './header.ts'
import type { AccountRow, BudgetRow } from './intake.ts'
import { accountKeys, resolve } from './keys.ts'
import { type Figures, type FiscalCalendar, longFigures, periodColumns, wideFigures } from './periods.ts'
import { scaleOf } from './scale.ts'
import { cellPlace, columnsNotRead, findColumns, type Table } from './table.ts'
import { type Dimensions, readTags, type Tags } from './tags.ts'
import { type SumRule, withoutTotals } from './totals.ts'

const COLUMNS = ['account', 'class', 'department', 'month', 'date', 'amount'] as const

export interface BudgetContext extends Dimensions {
  readonly accounts: readonly AccountRow[]
  readonly currency: Company['currency']
  readonly calendar: FiscalCalendar
}

interface BudgetReading {
  readonly rows: readonly BudgetRow[]
  readonly findings: readonly Finding[]
}

export function readBudget(
  tables: readonly Table[],
  setting: BudgetSetting,
  context: BudgetContext,
): BudgetReading {
  const readings = tables.map((table) => readTable(table, setting, context))
  const rows = readings.flatMap((reading) => reading.rows)
  return {
    rows: rows.map(({ detail: _, ...row }) => row),
    findings: [...readings.flatMap((reading) => reading.findings), ...repeatFindings(rows)],
  }
}

function readTable(
  given: Table,
  setting: BudgetSetting,
  context: BudgetContext,
): { readonly rows: readonly DetailedRow[]; readonly findings: readonly Finding[] } {
  const {
    at,
    others,
    findings: columnFindings,
  } = findColumns(given, COLUMNS, REQUIRED.budget, setting.columns)
  const findings = [...columnFindings]
  if (at.account === undefined) return { rows: [], findings }
  const period = at.month ?? at.date
  const isLong = period !== undefined && at.amount !== undefined
  const figures = isLong ? [at.amount!] : periodColumns(given, others, setting.dateFormat)
  const { scale, findings: scaled } = scaleOf(given, figures, setting.scale, { follow: true })
  const reader = amountReader(setting, context.currency, scale)
  const { table, findings: totals } = withoutTotals(given, {
    figures,
    key: at.account,
    ...sumRule(context, setting, reader),
  })
  findings.push(...scaled, ...totals)
  let read: Figures
  if (isLong) {
    read = longFigures(table, period!, at.amount!, context.calendar, setting.dateFormat)
    findings.push(
      ...columnsNotRead(
        table,
        others.map((i) => table.header[i]!),
        COLUMNS,
      ),
    )
  } else {
    const unused = [at.month, at.date, at.amount].flatMap((i) => (i === undefined ? [] : [i]))
    read = wideFigures(table, [...unused, ...others], context.calendar, setting.dateFormat)
  }
  findings.push(...read.findings)

  const keys = accountKeys(context.accounts)
  const byId = new Map(context.accounts.map((account) => [account.id, account]))
  const details = others.filter((column) => !figures.includes(column))
  // A row is looked up once, and only where it has a figure: titles between the rows are no mistake.
  const owners = new Map<TextRow, { account: AccountRow; tags: Tags } | null>()
  const ownerOf = (row: TextRow) => {
    const place = cellPlace(table, row, at.account!)
    const found = resolve(keys, place.text)
    if (found.problem !== undefined)
      findings.push(
        place.text === ''
          ? error('empty-account', 'has figures, but no account', {
              ...place,
              remedy: 'write the account; remove rows that only sum up others',
            })
          : notOneAccount(place.text, found.problem, place),
      )
    const { tags, findings: tagFindings } = readTags(table, row, at, context)
    findings.push(...tagFindings)
    return found.id === undefined || tags === null ? null : { account: byId.get(found.id)!, tags }
  }
  const rows = read.figures.flatMap(({ row, column, months, text }): DetailedRow[] => {
    if (!owners.has(row)) owners.set(row, ownerOf(row))
    const owner = owners.get(row)
    const { minor, problem } = reader.minor(text)
    if (problem !== undefined) {
      findings.push(reader.finding(problem, text, cellPlace(table, row, column)))
      return []
    }
    if (!owner) return []
    const { classification, id } = owner.account
    const natural = signOf(setting.sign ?? 'natural', classification) * minor + 0
    const parts = isProfitAndLoss(classification)
      ? spread(natural, months)
      : [{ month: months.at(-1)!, minor: natural }]
    return parts.map((part) => ({
      file: table.file,
      row: row.row,
      account: id,
      ...owner.tags,
      month: part.month,
      amount: formatMinor(part.minor, reader.decimals),
      detail: details.map((i) => row.cells[i]).join('\n'),
    }))
  })
  return { rows, findings }
}

/** How the totals of a budget are told and checked: sums of rows, or a result, in which costs count against income. */
function sumRule(
  { accounts }: BudgetContext,
  { sign = 'natural' }: BudgetSetting,
  reader: AmountReader,
): Omit<SumRule, 'figures' | 'key'> {
  const keys = accountKeys(accounts)
  const byId = new Map(accounts.map((account) => [account.id, account.classification]))
  return {
    meaning: (text) => {
      const { id, problem } = resolve(keys, text)
      if (problem !== undefined) return problem === 'ambiguous' ? { inResult: 0 } : null
      const kind = byId.get(id)!
      return { inResult: (inResult(kind) * signOf(sign, kind)) as -1 | 0 | 1 }
    },
    read: (text) => {
      const { minor } = reader.minor(text)
      return minor === undefined ? null : BigInt(minor)
    },
    show: (value) => formatInteger(String(value), reader.decimals),
    sign,
  }
}

/** 100.00 over three months is 33.33, 33.33, 33.34. */
function spread(minor: number, months: readonly string[]): { month: string; minor: number }[] {
  const share = Math.trunc(minor / months.length)
  return months.map((month, i) => ({
    month,
    minor: i === months.length - 1 ? minor - share * (months.length - 1) : share,
  }))
}
