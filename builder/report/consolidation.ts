/** What is shown of a group: its members side by side, what they have with each other, and how members in other currencies were translated. */
import type { Account, Frame } from '../books/reference/frame.ts'
import { monthOf, monthText } from '../contract/calendar.ts'
import { currencyDecimals } from '../contract/currency.ts'
import { isProfitAndLoss, type StatementName } from '../contract/vocabulary.ts'
import { DIFFERENCE, TRANSLATED_PARTS, type TranslatedMonth } from '../workspace/group.ts'
import { amountOf, type LineValue } from './columns.ts'
import type { ReportLine } from './groups.ts'
import { composeLines, composeStatement, type ShownStatement, type StatementChoice } from './report.ts'
import type { FigureSource } from './source.ts'
import { monthsOfSpan, monthTitle, yearToDate } from './views.ts'

type Choice = Omit<StatementChoice, 'statement' | 'view'>

/** A group is shown whole: figures of one member or department have no other members beside them. */
export const isShownAsGroup = ({ frame }: Pick<FigureSource, 'frame'>, choice: Choice): boolean =>
  frame.consolidation !== undefined && choice.classId === null && choice.departmentId === null

/** The months of the fiscal year through this one; the month alone where the year does not begin with a month. */
function monthsOfYear(frame: Frame, month: string): string[] {
  const year = yearToDate({ frame, month })
  return year.start === undefined ? monthsOfSpan(year) : [month]
}

/** Members side by side with what is eliminated and the group: the result of the month and of the year, the balances, the cash of the year. */
export function worksheets(source: FigureSource, choice: Choice): Promise<ShownStatement[]> {
  const months = monthsOfYear(source.frame, choice.month).length
  const sheets: [StatementName, number][] = [
    ['ProfitAndLoss', 1],
    ...(months > 1 ? [['ProfitAndLoss', months] as [StatementName, number]] : []),
    ['BalanceSheet', 1],
    ['CashFlow', months],
  ]
  return Promise.all(
    sheets.map(([statement, months]) =>
      composeStatement(source, { ...choice, statement, view: 'classes', months }),
    ),
  )
}

/**
 * The accounts in which members state one matter from both sides, with the difference that elimination leaves in the column of the group:
 * results of the year, then balances. Empty where no pair has figures.
 */
export async function intercompany(source: FigureSource, choice: Choice): Promise<ShownStatement[]> {
  const { frame } = source
  const sets = linkedAccounts(frame)
  const shown: ShownStatement[] = []
  for (const statement of ['ProfitAndLoss', 'BalanceSheet'] as const) {
    const isResult = statement === 'ProfitAndLoss'
    const own = sets.filter(([one]) => one && isProfitAndLoss(one.classification) === isResult)
    const months = isResult ? monthsOfYear(frame, choice.month).length : 1
    const lines = own.flatMap((accounts) => linesOf(accounts, isResult ? 'sum' : 'last'))
    const found = await composeLines(source, { ...choice, statement, view: 'classes', months }, () => lines)
    if (found.lines.length > 0 && found.columns.length > 0) shown.push(found)
  }
  return shown
}

/** Accounts that pairs link with each other, directly or through others: each set is settled as a whole. */
function linkedAccounts({ accounts, consolidation }: Frame): Account[][] {
  let sets: ReadonlySet<string>[] = []
  for (const pair of consolidation?.pairs ?? []) {
    const isLinked = (set: ReadonlySet<string>) => pair.some((id) => set.has(id))
    const joined = new Set([...sets.filter(isLinked).flatMap((set) => [...set]), ...pair])
    sets = [...sets.filter((set) => !isLinked(set)), joined]
  }
  return sets.map((set) => accounts.filter(({ id }) => set.has(id)))
}

function linesOf(accounts: readonly Account[], measure: ReportLine['measure']): ReportLine[] {
  const [more, less] = [true, false].map((isMore) =>
    accounts.filter(
      ({ classification }) => ['Asset', 'Income', 'OtherIncome'].includes(classification) === isMore,
    ),
  )
  const ids = (of: readonly Account[] = []) => of.map(({ id }) => id)
  const names = (of: readonly Account[] = []) => of.map(({ name }) => name).join(', ')
  return [
    ...accounts.map(
      ({ id, number, name }): ReportLine => ({
        ...{ id, kind: 'account', depth: 0, number, label: name, measure, better: null },
        of: { accounts: [id] },
      }),
    ),
    {
      ...{ id: `difference:${ids(accounts).join(' ')}`, kind: 'total', depth: 0, number: '' },
      label: [names(more), names(less)].filter((text) => text !== '').join(' less '),
      ...{ measure, better: null, of: { accounts: ids(more), less: ids(less) } },
    },
  ]
}

export interface TranslationTable {
  readonly caption: string
  readonly heads: readonly string[]
  readonly rows: readonly {
    readonly label: string
    readonly isTotal: boolean
    /** Rates as text; amounts in minor units of a currency with so many decimals. */
    readonly cells: readonly (string | { readonly minor: LineValue; readonly decimals: number })[]
  }[]
}

const BALANCE: ReportLine = {
  ...{ id: DIFFERENCE, kind: 'account', depth: 0, number: '', label: '' },
  ...{ measure: 'last', better: null, of: { accounts: [DIFFERENCE] } },
}
const PARTS = { opening: 'Opening net assets', result: 'Result', equity: 'Movements of equity' } as const

/** How the members in other currencies were translated, two tables for each: the month by its formula, and the months of the year. */
export async function translations(source: FigureSource, choice: Choice): Promise<TranslationTable[]> {
  const { frame } = source
  const shown = new Set(monthsOfYear(frame, choice.month))
  const tables = (frame.consolidation?.translations ?? []).map(async ({ member, currency, months }) => {
    const scope = { basis: choice.basis, budgetId: null, classId: member, departmentId: null }
    const document = await source.statement({ ...scope, statement: 'BalanceSheet' })
    const name = frame.classes.members.find(({ id }) => id === member)?.name ?? member
    const own = months.filter(({ month }) => shown.has(month))
    return [
      ...own.slice(-1).map((each) => formulaOf(each, name, currency, frame)),
      byMonth(own, name, frame, (month) => amountOf(BALANCE, document, { from: month, through: month })),
    ]
  })
  return (await Promise.all(tables)).flat()
}

function formulaOf(
  { month, rates, parts, difference }: TranslatedMonth,
  name: string,
  currency: string,
  frame: Frame,
): TranslationTable {
  const ownRate = { opening: rates.before, result: rates.average, equity: 'of its days' }
  const minor = (of: number, code: string) => ({ minor: of, decimals: currencyDecimals(code) })
  const row = (label: string, cells: TranslationTable['rows'][number]['cells'], isTotal = false) => ({
    ...{ label, cells, isTotal },
  })
  return {
    caption: `${name}, ${monthTitle(month)}: amount × (closing rate − its rate)`,
    heads: [currency, 'Its rate', 'Closing rate', `Difference in ${frame.currency}`],
    rows: [
      ...TRANSLATED_PARTS.map((part) =>
        row(PARTS[part], [
          minor(parts[part].amount, currency),
          ...[parts[part].amount === 0 ? '' : ownRate[part], rates.closing],
          minor(parts[part].difference, frame.currency),
        ]),
      ),
      row('Rounding', ['', '', '', minor(roundingOf({ parts, difference }), frame.currency)]),
      row('Difference of the month', ['', '', '', minor(difference, frame.currency)], true),
    ],
  }
}

function byMonth(
  months: readonly TranslatedMonth[],
  name: string,
  frame: Frame,
  balanceOf: (month: string) => LineValue,
): TranslationTable {
  const decimals = currencyDecimals(frame.currency)
  const amounts = (label: string, of: (month: TranslatedMonth) => LineValue, isTotal = false) => ({
    ...{ label, isTotal, cells: months.map((month) => ({ minor: of(month), decimals })) },
  })
  const texts = (label: string, of: (month: TranslatedMonth) => string) => ({
    ...{ label, isTotal: false, cells: months.map(of) },
  })
  // What others hold of the difference is in their row of equity, and what a member that leaves takes is income.
  const moved = (month: TranslatedMonth): number => {
    const before = balanceOf(monthText(monthOf(`${month.month}-01`) - 1))
    return Number(balanceOf(month.month) ?? 0) - Number(before ?? 0) - month.difference
  }
  const others = months.some((month) => moved(month) !== 0)
    ? [amounts('Opening, part of others, or moved to income', moved)]
    : []
  return {
    caption: `${name} by month, ${frame.currency}`,
    heads: months.map(({ month }) => monthTitle(month)),
    rows: [
      texts('Average rate', ({ rates }) => rates.average),
      texts('Closing rate', ({ rates }) => rates.closing),
      ...TRANSLATED_PARTS.map((part) => amounts(PARTS[part], ({ parts }) => parts[part].difference)),
      amounts('Rounding', roundingOf),
      amounts('Difference of the month', ({ difference }) => difference, true),
      ...others,
      amounts('Translation difference on the balance sheet', ({ month }) => balanceOf(month), true),
    ],
  }
}

const roundingOf = ({ parts, difference }: Pick<TranslatedMonth, 'parts' | 'difference'>): number =>
  TRANSLATED_PARTS.reduce((rest, part) => rest - parts[part].difference, difference)
