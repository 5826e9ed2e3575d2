/**
 * Budgets from spreadsheets: a figure per account and month, in natural signs. A yearly or quarterly figure of a P&L
 * account is spread evenly over its months, what does not divide in the last one; of a balance sheet account it is
 * the balance at the end of the period, and the months before have none. An empty cell is no figure, not zero.
 */
import { currencyDecimals, FIGURE_LIMIT, formatInteger, formatMinor } from '../contract/currency.ts'
import { isProfitAndLoss } from '../contract/vocabulary.ts'
import type { Company, TableSetting } from '../workspace/company.ts'
import { error, type Finding, warning } from '../workspace/finding.ts'
import { type AmountProblem, parseAmount } from './amount.ts'
import { amountRemedy } from './amount-remedy.ts'
import { notOneAccount } from './chart.ts'
import type { TextRow } from './csv.ts'
import { REQUIRED } from './header.ts'
import type { AccountRow, BudgetRow } from './intake.ts'
import { accountKeys, resolve } from './keys.ts'
import { type Figures, type FiscalCalendar, longFigures, periodColumns, wideFigures } from './periods.ts'
import { cellPlace, columnsNotRead, findColumns, type Table } from './table.ts'
import { type Dimensions, readTags, type Tags } from './tags.ts'
import { withoutTotals } from './totals.ts'

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
  setting: TableSetting,
  context: BudgetContext,
): BudgetReading {
  const readings = tables.map((table) => readTable(table, setting, context))
  const rows = readings.flatMap((reading) => reading.rows)
  return { rows, findings: [...readings.flatMap((reading) => reading.findings), ...overlapWarnings(rows)] }
}

function readTable(given: Table, setting: TableSetting, context: BudgetContext): BudgetReading {
  const {
    at,
    others,
    findings: columnFindings,
  } = findColumns(given, COLUMNS, REQUIRED.budget, setting.columns)
  const findings = [...columnFindings]
  if (at.account === undefined) return { rows: [], findings }
  const period = at.month ?? at.date
  const isLong = period !== undefined && at.amount !== undefined
  const { table, findings: totals } = withoutTotals(given, {
    figures: isLong ? [at.amount!] : periodColumns(given, others, setting.dateFormat),
    key: at.account,
    ...sumRule(context, setting),
  })
  findings.push(...totals)
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
  const decimals = currencyDecimals(context.currency)
  const rows = read.figures.flatMap(({ row, column, months, text }): BudgetRow[] => {
    if (!owners.has(row)) owners.set(row, ownerOf(row))
    const owner = owners.get(row)
    const { minor, problem } = readMinor(text, decimals, context.currency, setting)
    if (problem !== undefined) {
      findings.push(
        amountFinding(problem, text, formOf(setting, context.currency), cellPlace(table, row, column)),
      )
      return []
    }
    if (!owner) return []
    const parts = isProfitAndLoss(owner.account.classification)
      ? spread(minor, months)
      : [{ month: months.at(-1)!, minor }]
    return parts.map((part) => ({
      file: table.file,
      row: row.row,
      account: owner.account.id,
      ...owner.tags,
      month: part.month,
      amount: formatMinor(part.minor, decimals),
    }))
  })
  return { rows, findings }
}

/** How the totals of a budget are told and checked: sums of rows, or a result, in which costs count against income. */
function sumRule({ accounts, currency }: BudgetContext, setting: TableSetting) {
  const keys = accountKeys(accounts)
  const byId = new Map(accounts.map((account) => [account.id, account.classification]))
  const decimals = currencyDecimals(currency)
  return {
    meaning: (text: string) => {
      const { id, problem } = resolve(keys, text)
      if (problem !== undefined) return problem === 'ambiguous' ? { inResult: 0 as const } : null
      const kind = byId.get(id)!
      return {
        inResult: !isProfitAndLoss(kind) ? 0 : kind === 'Income' || kind === 'OtherIncome' ? 1 : -1,
      } as const
    },
    read: (text: string) => {
      const { minor } = readMinor(text, decimals, currency, setting)
      return minor === undefined ? null : BigInt(minor)
    },
    show: (value: bigint) => formatInteger(String(value), decimals),
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

const formOf = ({ decimal = '.', thousands = '' }: TableSetting, currency: string) => ({
  decimal,
  thousands,
  currency,
})

function readMinor(
  text: string,
  decimals: number,
  currency: string,
  setting: TableSetting,
): ReturnType<typeof parseAmount> {
  const read = parseAmount(text, decimals, formOf(setting, currency))
  return read.minor !== undefined && Math.abs(read.minor) >= FIGURE_LIMIT
    ? { problem: 'amount-too-large' }
    : read
}

const AMOUNT_PROBLEMS: Record<AmountProblem, readonly [what: string, remedy: string | null]> = {
  'unreadable-amount': ['is no amount', null],
  'too-many-decimals': ['has more decimals than', 'round it in the spreadsheet: nothing is rounded here'],
  'amount-too-large': ['is too large to be kept exactly in', 'check the digits'],
}

function amountFinding(
  problem: AmountProblem,
  text: string,
  form: ReturnType<typeof formOf>,
  place: ReturnType<typeof cellPlace>,
): Finding {
  const [what, remedy] = AMOUNT_PROBLEMS[problem]
  return error(problem, `"${text}" ${what}${problem === 'unreadable-amount' ? '' : ` ${form.currency}`}`, {
    ...place,
    remedy: remedy ?? amountRemedy(text, form),
  })
}

/** Rows of one account and month add up, which is right for details and wrong for the same figure given twice. */
function overlapWarnings(rows: readonly BudgetRow[]): Finding[] {
  const tagged = (row: BudgetRow) => row.class !== null || row.department !== null
  const byMonth = groupBy(rows, (row) => JSON.stringify([row.account, row.month]))
  const said = new Set<string>()
  const findings: Finding[] = []
  const say = (code: string, message: string, row: BudgetRow, remedy: string) => {
    if (said.has(`${code} ${row.account}`)) return
    said.add(`${code} ${row.account}`)
    findings.push(warning(code, message, { file: row.file, row: row.row, text: row.account, remedy }))
  }
  for (const group of byMonth.values()) {
    const [first] = group as [BudgetRow]
    if (group.some(tagged) && !group.every(tagged))
      say(
        'tagged-and-untagged',
        `account ${first.account} has figures with and without a class or department in ${first.month}; they add up`,
        group.find((row) => !tagged(row))!,
        'if the untagged figure is the total of the others, remove it',
      )
    const same = groupBy(group, (row) => JSON.stringify([row.class, row.department]))
    const repeated = [...same.values()].find((alike) => alike.length > 1)
    if (repeated !== undefined)
      say(
        'repeated-budget-row',
        `account ${first.account} has ${repeated.length} figures for ${first.month}; they add up`,
        repeated[1]!,
        'if this row repeats the other one, remove it',
      )
  }
  return findings
}

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group === undefined) groups.set(keyOf(item), [item])
    else group.push(item)
  }
  return groups
}
