/**
 * Reads budgets from spreadsheets: a figure for each account and month, in natural signs. A yearly or quarterly
 * figure of a P&L account is spread evenly over its months, with the remainder in the last one; for a balance sheet
 * account it is the balance at the end of the period, and the other months have none. An empty cell is no figure,
 * which is not zero. Figures are converted here from the sheet's unit and signs.
 */
import { currencyDecimals, displayMinor, formatInteger, formatMinor } from '../../../contract/currency.ts'
import { present } from '../../../contract/present.ts'
import { isProfitAndLoss } from '../../../contract/vocabulary.ts'
import type { BudgetSetting, Company, Scale } from '../../../workspace/company.ts'
import { error, type Finding } from '../../../workspace/findings/finding.ts'
import type { ColumnRows } from '../../format/column-rows.ts'
import type { AccountRow } from '../../format/intake.ts'
import { shiftPoint } from '../../text/amount.ts'
import { type TextRow, textAt } from '../../text/csv.ts'
import { notOneAccount } from '../chart.ts'
import { COLUMNS, headerFor, positionsOf } from '../header.ts'
import { withYears } from '../header-years.ts'
import { type DetailedBudgetRow, joinedRows, keptBudget } from '../kept-rows.ts'
import { withUsualNames } from '../other-headers.ts'
import { ParentRows, withoutParentRows } from '../parents/in-budgets.ts'
import { type Figure, type FiscalCalendar, longFigures, periodColumns, wideFigures } from '../periods.ts'
import { scaleOf } from '../stated-scale.ts'
import { type ColumnRule, checkSubtotals, otherYears, subtotalColumns } from '../subtotal-columns.ts'
import { cellPlace, columnsNotRead, findColumns, missingColumn, type Table } from '../table.ts'
import { type Dimensions, memberColumns, mergedMembers, readTags, type Tags } from '../tags.ts'
import { withoutTotals } from '../totals.ts'
import { ownOfMonths } from '../unread/cumulative.ts'
import { claimFigures, withLetters, withoutSkipped } from '../unread/unread.ts'
import { type AmountReader, amountReader, inResult, signOf } from './amounts.ts'
import { byDepartment, sheetsByDepartment } from './departments.ts'
import { AccountLabels, type Label, labelColumn, labelsOf } from './labels.ts'

export interface BudgetContext extends Dimensions {
  readonly accounts: readonly AccountRow[]
  readonly currency: Company['currency']
  readonly calendar: FiscalCalendar
}

interface BudgetReading {
  readonly rows: ColumnRows<DetailedBudgetRow>
  readonly findings: readonly Finding[]
}

export function readBudget(
  tables: readonly Table[],
  setting: BudgetSetting,
  context: BudgetContext,
): BudgetReading {
  const divided = sheetsByDepartment(tables, context.departments, (table) => namesDepartments(table, setting))
  const readings = divided.tables.map((table) => readSheet(table, setting, context))
  const own = new Set(readings.flatMap((reading) => reading.ownParents))
  const joined = joinedRows(
    readings.map((reading) => reading.rows),
    keptBudget,
  )
  const isBalance = new Set(
    context.accounts.flatMap(({ id, classification }) => (isProfitAndLoss(classification) ? [] : [id])),
  )
  const decimals = currencyDecimals(context.currency)
  const monthly = ownOfMonths(setting.figures, joined, keptBudget(), context.calendar, {
    place: ({ account, class: class_, department, detail, month, amount }) =>
      isBalance.has(account)
        ? null
        : { of: JSON.stringify([account, class_, department, detail]), date: month, figure: amount },
    with: (row, figure) => ({ ...row, amount: formatInteger(shiftPoint(figure, decimals), decimals) }),
  })
  const { rows, findings: ofParents } = withoutParentRows(
    monthly.rows,
    own,
    setting,
    context,
    tables[0]?.key ?? '',
  )
  const inSheets = readings.flatMap((reading) => reading.findings)
  return { rows, findings: [...divided.findings, ...monthly.findings, ...inSheets, ...ofParents] }
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

/** Positions of the figures in a sheet, and of the column that names what each row is about. */
interface Layout {
  readonly table: Table
  /** Each account stands below a title that names a department. */
  readonly isDivided: boolean
  readonly at: { readonly [name in (typeof COLUMNS.budget)[number]]?: number }
  readonly others: readonly number[]
  readonly key: number
  /** The columns of a sheet with one figure in each row; null where months are columns. */
  readonly long: { readonly period: number; readonly amount: number } | null
  readonly figures: readonly number[]
  readonly subtotals: ReturnType<typeof subtotalColumns>
}

function layoutOf(
  source: Table,
  setting: BudgetSetting,
  context: BudgetContext,
  accounts: AccountLabels,
): { readonly layout: Layout | null; readonly findings: readonly Finding[] } {
  const { dateFormat } = setting
  const { calendar } = context
  const isNamed = positionsOf(source.header, headerFor('account', setting.columns ?? {})).length > 0
  const lettered = isNamed ? withLetters(source) : source
  const { table: counted, findings: ofSkipped } = withoutSkipped(lettered, setting)
  const { table: dated, findings: unclear } = withYears(counted, calendar)
  if (unclear.length > 0) return { layout: null, findings: unclear }
  const { table: whole, isDivided } = divide(dated, setting, context, accounts)
  const { findings: ofColumns, ...columns } = findColumns(whole, COLUMNS.budget, [], setting.columns)
  const members = memberColumns(whole, columns, context)
  const at = withUsualNames(members.at, whole.header)
  const unnamed = members.others.filter((column) => column !== at.month && column !== at.amount)
  const claims = claimFigures(whole, unnamed, setting, {
    ...{ of: 'budget', currency: context.currency },
    isCumulative: setting.figures !== undefined,
  })
  const years = otherYears(whole, claims.others, { calendar, dateFormat })
  const others = claims.others.filter((column) => !years.columns.includes(column))
  const findings = [...ofSkipped, ...ofColumns, ...claims.findings, ...years.findings]
  const period = at.month ?? at.date
  const long =
    at.account === undefined || period === undefined || at.amount === undefined
      ? null
      : { period, amount: at.amount }
  const periods = long === null ? periodColumns(whole, others, dateFormat) : []
  const found =
    at.account === undefined && periods.length > 1 && setting.columns?.account === undefined
      ? labelColumn(whole, periods, accounts)
      : null
  const { table, key } = found ?? { table: whole, key: at.account }
  if (key === undefined)
    return { layout: null, findings: [...findings, missingColumn(whole, 'account', 'account')] }
  const subtotals = long === null ? subtotalColumns(table, others, { dateFormat, calendar }) : []
  const isSubtotal = new Set(subtotals.map(({ column }) => column))
  const figures = long === null ? periods.filter((column) => !isSubtotal.has(column)) : [long.amount]
  return { layout: { table, isDivided, at, others, key, long, figures, subtotals }, findings }
}

interface SheetBudget {
  readonly rows: ColumnRows<DetailedBudgetRow>
  /** Places of rows of parents that a total of the sheet proves to be figures of their own. */
  readonly ownParents: readonly string[]
  readonly findings: readonly Finding[]
}

function readSheet(source: Table, setting: BudgetSetting, context: BudgetContext): SheetBudget {
  const accounts = new AccountLabels(context.accounts)
  const { layout, findings } = layoutOf(source, setting, context, accounts)
  if (layout === null) return { rows: keptBudget(), ownParents: [], findings }
  const sheet = new BudgetSheet(layout, setting, context, accounts)
  sheet.read()
  const { rows, ownParents } = sheet
  return { rows, ownParents, findings: mergedMembers([...findings, ...sheet.findings]) }
}

interface Owner {
  readonly account: AccountRow
  readonly tags: Tags
}

/** Reads one sheet: its totals are checked and left out, and each other figure becomes a row of the budget. */
class BudgetSheet {
  readonly rows = keptBudget()
  readonly findings: Finding[] = []
  readonly #layout: Layout
  readonly #setting: BudgetSetting
  readonly #context: BudgetContext
  readonly #accounts: AccountLabels
  readonly #scale: Scale
  readonly #reader: AmountReader
  readonly #labels: ReadonlyMap<TextRow, Label>
  readonly #byId: ReadonlyMap<string, AccountRow>
  ownParents: readonly string[] = []
  #isOutsideTold = false

  constructor(layout: Layout, setting: BudgetSetting, context: BudgetContext, accounts: AccountLabels) {
    const { table, key, figures } = layout
    this.#layout = layout
    this.#setting = setting
    this.#context = context
    this.#accounts = accounts
    const { scale, findings } = scaleOf(table, figures, setting.scale, { follow: true })
    this.findings.push(...findings)
    this.#scale = scale
    this.#reader = amountReader(setting, context.currency, scale)
    this.#labels = labelsOf(table, key, figures, accounts)
    this.#byId = new Map(context.accounts.map((account) => [account.id, account]))
  }

  read(): void {
    const table = this.#withoutTotals()
    const figures = this.#figures(table)
    const detailOf = this.#detailOf(table)
    // A row is looked up once, and only if it has a figure: titles between the rows are not mistakes.
    let [last, owner, detail]: [TextRow | null, Owner | null, string] = [null, null, '']
    for (const figure of figures) {
      const { row, column, text } = figure
      if (row !== last) [last, owner, detail] = [row, this.#ownerOf(table, row), detailOf(row)]
      const { minor, problem } = this.#reader.minor(text)
      if (problem !== undefined)
        this.findings.push(this.#reader.finding(problem, text, cellPlace(table, row, column)))
      else if (owner !== null) this.#add(table.file, figure, minor, owner, detail)
    }
  }

  #accountOf(row: TextRow): AccountRow | undefined {
    return this.#byId.get(this.#labels.get(row)?.id ?? '')
  }

  #withoutTotals(): Table {
    const { sign = 'natural', dateFormat } = this.#setting
    const { table: given, key, figures, subtotals } = this.#layout
    const written = {
      read: (text: string) => {
        const { minor } = this.#reader.minor(text)
        return minor === undefined ? null : BigInt(minor)
      },
      show: (value: bigint) => displayMinor(value, this.#reader.decimals),
    }
    let parents: ParentRows | null = null
    const { table, sums, findings } = withoutTotals(given, {
      figures,
      key,
      ...written,
      sign,
      repeats: (row) => {
        parents ??= new ParentRows(given, this.#layout, this.#labels, this.#context, written.read)
        this.ownParents = parents.own
        return this.#setting.parents !== 'own' && parents.sums.has(row)
      },
      meaning: (row) => {
        const kind = this.#accountOf(row)?.classification
        if (kind === undefined) return this.#labels.get(row)?.problem === 'ambiguous' ? { inResult: 0 } : null
        return { inResult: (inResult(kind) * signOf(sign, kind)) as -1 | 0 | 1 }
      },
    })
    const columnRule: ColumnRule = {
      ...written,
      dateFormat,
      calendar: this.#context.calendar,
      sums: (row) => {
        const account = this.#accountOf(row)
        if (account === undefined) return sums.has(row) ? 'added or last' : null
        const isAdded = isProfitAndLoss(account.classification) && this.#setting.figures === undefined
        return isAdded ? 'added' : 'added or last'
      },
    }
    this.findings.push(...findings, ...checkSubtotals(given, subtotals, columnRule))
    return table
  }

  #figures(table: Table): readonly Figure[] {
    const { at, others, key, long, subtotals } = this.#layout
    const { calendar } = this.#context
    const { dateFormat } = this.#setting
    if (long !== null) {
      const { figures, findings } = longFigures(table, long.period, long.amount, calendar, dateFormat)
      const notRead = others.map((column) => textAt(table.header, column))
      this.findings.push(...columnsNotRead(table, notRead, COLUMNS.budget), ...findings)
      return figures
    }
    const isSubtotal = new Set(subtotals.map(({ column }) => column))
    const unused = [at.month, at.date, at.amount].filter((column) => column !== undefined)
    const wide = others.filter((column) => column !== key && !isSubtotal.has(column))
    const { figures, findings } = wideFigures(table, [...unused, ...wide], calendar, dateFormat)
    this.findings.push(...findings)
    return figures
  }

  /** {@link DetailedBudgetRow.detail} */
  #detailOf(table: Table): (row: TextRow) => string {
    const { at, key, figures, subtotals } = this.#layout
    const sums = subtotals.map(({ column }) => column)
    const named = new Set<number>([key, ...figures, ...sums, ...Object.values(at)])
    const details = table.header.flatMap((_, column) => (named.has(column) ? [] : [column]))
    return ({ cells }) => details.map((column) => cells[column]).join('\n')
  }

  #ownerOf(table: Table, row: TextRow): Owner | null {
    const { key, at, isDivided } = this.#layout
    const { id, problem } = present(this.#labels.get(row), 'label of the row')
    const place = problem === undefined && !isDivided ? null : cellPlace(table, row, key)
    if (problem !== undefined && place !== null)
      this.findings.push(
        place.text === ''
          ? error('empty-account', 'has figures, but no account', {
              ...place,
              remedy: 'write the account; remove rows that only sum up others',
            })
          : notOneAccount(place.text, problem, place, this.#accounts.nearest(place.text)),
      )
    const { tags, findings } = readTags(table, row, at, this.#context)
    this.findings.push(...findings)
    if (
      place !== null &&
      isDivided &&
      tags?.department === null &&
      id !== undefined &&
      !this.#isOutsideTold
    ) {
      this.#isOutsideTold = true
      this.findings.push(outsideDepartments(place))
    }
    if (id === undefined || tags === null) return null
    return { account: present(this.#byId.get(id), `account ${id}`), tags }
  }

  /** A row for each month of the figure's period; for a balance only the last month. */
  #add(file: string, { row, months }: Figure, minor: number, { account, tags }: Owner, detail: string): void {
    const { classification, id } = account
    const natural = signOf(this.#setting.sign ?? 'natural', classification) * minor + 0
    const parts =
      months.length > 1 && isProfitAndLoss(classification) && this.#setting.figures === undefined
        ? spread(natural, months)
        : months.slice(-1).map((month) => ({ month, minor: natural }))
    for (const part of parts) {
      const own = {
        detail,
        file,
        row: row.row,
        account: id,
        class: tags.class,
        department: tags.department,
        month: part.month,
        amount: formatMinor(part.minor, this.#reader.decimals),
      }
      this.rows.push(this.#scale === 1 ? own : { ...own, scale: this.#scale })
    }
  }
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
