/**
 * Budgets from spreadsheets: a figure per account and month, in natural signs. A yearly or quarterly figure of a P&L
 * account is spread evenly over its months, what does not divide in the last one; of a balance sheet account it is
 * the balance at the end of the period, and the months before have none. An empty cell is no figure, not zero. What
 * the figures are counted in, and with which signs they are written, is turned here into units and natural signs.
 */
import { displayMinor, formatMinor } from '../../../contract/currency.ts'
import { isProfitAndLoss } from '../../../contract/vocabulary.ts'
import type { BudgetSetting, Company } from '../../../workspace/company.ts'
import { error, type Finding } from '../../../workspace/finding.ts'
import type { AccountRow, BudgetRow } from '../../format/intake.ts'
import type { TextRow } from '../../text/csv.ts'
import { notOneAccount } from '../chart.ts'
import { headerFor, positionsOf } from '../header.ts'
import { withYears } from '../header-years.ts'
import { filesWithoutFigures } from '../no-figures.ts'
import { type Figures, type FiscalCalendar, longFigures, periodColumns, wideFigures } from '../periods.ts'
import { scaleOf } from '../stated-scale.ts'
import { type ColumnRule, checkSubtotals, subtotalColumns } from '../subtotal-columns.ts'
import { cellPlace, columnsNotRead, findColumns, missingColumn, type Table } from '../table.ts'
import { type Dimensions, readTags, type Tags } from '../tags.ts'
import { withoutTotals } from '../totals.ts'
import { amountReader } from './amounts.ts'
import { byDepartment, sheetsByDepartment } from './departments.ts'
import { AccountLabels, labelColumn, labelsOf } from './labels.ts'
import { type DetailedRow, repeatFindings } from './repeats.ts'
import { inResult, signOf } from './signs.ts'

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
  const divided = sheetsByDepartment(tables, context.departments, (table) => namesDepartments(table, setting))
  const readings = divided.tables.map((table) => readTable(table, setting, context))
  const rows = readings.flatMap((reading) => reading.rows)
  const findings = [...divided.findings, ...readings.flatMap((reading) => reading.findings)]
  // A budget without any figure is refused as a whole.
  const empty = rows.length === 0 ? [] : filesWithoutFigures(tables, rows, findings)
  return {
    rows: rows.map(({ detail: _, ...row }) => row),
    findings: [...findings, ...empty, ...repeatFindings(rows)],
  }
}

const namesDepartments = ({ header }: Table, { columns = {} }: BudgetSetting): boolean =>
  positionsOf(header, headerFor('department', columns)).length > 0

function divide(
  table: Table,
  setting: BudgetSetting,
  { departments }: BudgetContext,
  accounts: AccountLabels,
) {
  if (namesDepartments(table, setting)) return { table, isDivided: false }
  return byDepartment(table, departments, (text) => accounts.find(text).problem !== 'unknown')
}

function readTable(
  source: Table,
  setting: BudgetSetting,
  context: BudgetContext,
): { readonly rows: readonly DetailedRow[]; readonly findings: readonly Finding[] } {
  const { dateFormat, sign = 'natural' } = setting
  const accounts = new AccountLabels(context.accounts)
  const { table: yeared, isDivided } = divide(withYears(source, context.calendar), setting, context, accounts)
  const columns = findColumns(yeared, COLUMNS, [], setting.columns)
  const { at, others } = columns
  const findings = [...columns.findings]
  const period = at.month ?? at.date
  const isLong = at.account !== undefined && period !== undefined && at.amount !== undefined
  const periods = isLong ? [] : periodColumns(yeared, others, dateFormat)
  const found =
    at.account === undefined && periods.length > 1 && setting.columns?.account === undefined
      ? labelColumn(yeared, periods, accounts)
      : null
  const { table: given, key } = found ?? { table: yeared, key: at.account }
  if (key === undefined)
    return { rows: [], findings: [...findings, missingColumn(yeared, 'account', 'account')] }
  const subtotals = isLong ? [] : subtotalColumns(given, others, { dateFormat, calendar: context.calendar })
  const isSubtotal = new Set(subtotals.map(({ column }) => column))
  const figures = isLong ? [at.amount!] : periods.filter((column) => !isSubtotal.has(column))
  const { scale, findings: scaled } = scaleOf(given, figures, setting.scale, { follow: true })
  const reader = amountReader(setting, context.currency, scale)
  const labels = labelsOf(given, key, figures, accounts)
  const byId = new Map(context.accounts.map((account) => [account.id, account]))
  const accountOf = (row: TextRow) => byId.get(labels.get(row)?.id ?? '')
  const written = {
    read: (text: string) => {
      const { minor } = reader.minor(text)
      return minor === undefined ? null : BigInt(minor)
    },
    show: (value: bigint) => displayMinor(value, reader.decimals),
  }
  const {
    table,
    sums,
    findings: totals,
  } = withoutTotals(given, {
    figures,
    key,
    ...written,
    sign,
    meaning: (row) => {
      const kind = accountOf(row)?.classification
      if (kind === undefined) return labels.get(row)?.problem === 'ambiguous' ? { inResult: 0 } : null
      return { inResult: (inResult(kind) * signOf(sign, kind)) as -1 | 0 | 1 }
    },
  })
  const columnRule: ColumnRule = {
    ...written,
    dateFormat,
    calendar: context.calendar,
    sums: (row) => {
      const account = accountOf(row)
      if (account === undefined) return sums.has(row) ? 'added or last' : null
      return isProfitAndLoss(account.classification) ? 'added' : 'added or last'
    },
  }
  findings.push(...scaled, ...totals, ...checkSubtotals(given, subtotals, columnRule))
  let read: Figures
  if (isLong) {
    read = longFigures(table, period!, at.amount!, context.calendar, dateFormat)
    findings.push(
      ...columnsNotRead(
        table,
        others.map((i) => table.header[i]!),
        COLUMNS,
      ),
    )
  } else {
    const unused = [at.month, at.date, at.amount].flatMap((i) => (i === undefined ? [] : [i]))
    const wide = others.filter((column) => column !== key && !isSubtotal.has(column))
    read = wideFigures(table, [...unused, ...wide], context.calendar, dateFormat)
  }
  findings.push(...read.findings)

  const named = new Set<number>([key, ...figures, ...isSubtotal, ...Object.values(at)])
  const details = table.header.flatMap((_, column) => (named.has(column) ? [] : [column]))
  // A row is looked up once, and only where it has a figure: titles between the rows are no mistake.
  const owners = new Map<TextRow, { account: AccountRow; tags: Tags } | null>()
  let outside = 0
  const ownerOf = (row: TextRow) => {
    const place = cellPlace(table, row, key)
    const { id, problem } = labels.get(row)!
    if (problem !== undefined)
      findings.push(
        place.text === ''
          ? error('empty-account', 'has figures, but no account', {
              ...place,
              remedy: 'write the account; remove rows that only sum up others',
            })
          : notOneAccount(place.text, problem, place, accounts.nearest(place.text)),
      )
    const { tags, findings: tagFindings } = readTags(table, row, at, context)
    findings.push(...tagFindings)
    if (isDivided && tags?.department === null && id !== undefined && outside++ === 0)
      findings.push(outsideDepartments(place))
    return id === undefined || tags === null ? null : { account: byId.get(id)!, tags }
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
    const natural = signOf(sign, classification) * minor + 0
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
      ...(scale === 1 ? {} : { scale }),
      detail: details.map((i) => row.cells[i]).join('\n'),
    }))
  })
  return { rows, findings }
}

const outsideDepartments = (place: ReturnType<typeof cellPlace>): Finding =>
  error(
    'outside-departments',
    `"${place.text}" has figures under no title of a department, where others have one: do the rows from here sum up the departments?`,
    {
      ...place,
      remedy:
        'remove the rows if they do; else write a title with the name of a department above them, or use a column "department"',
    },
  )

/** 100.00 over three months is 33.33, 33.33, 33.34. */
function spread(minor: number, months: readonly string[]): { month: string; minor: number }[] {
  const share = Math.trunc(minor / months.length)
  return months.map((month, i) => ({
    month,
    minor: i === months.length - 1 ? minor - share * (months.length - 1) : share,
  }))
}
