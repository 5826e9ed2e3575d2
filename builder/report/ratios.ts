/**
 * Ratios of published figures by month: each is a quotient of two whole numbers, rounded once, half away from zero. What the types of the
 * accounts do not prove is left out, with the reason.
 */
import type { Account } from '../books/reference/frame.ts'
import { currencyDecimals } from '../contract/currency.ts'
import { type StatementName, SUMMARY_LABELS, type SummaryName } from '../contract/vocabulary.ts'
import type { PublishedStatement } from '../snapshot/files/documents.ts'
import type { Limits, RatioName } from '../workspace/presentation.ts'
import { lastMonthsOf } from './charts/series.ts'
import { amountOf, type LineValue, quotient, type Whole } from './columns.ts'
import { type ReportLine, totalLine } from './groups.ts'
import { CURRENT_ASSETS, CURRENT_LIABILITIES } from './key-lines.ts'
import type { StatementChoice } from './report.ts'
import type { FigureSource } from './source.ts'
import { termsOf } from './terms.ts'
import { monthBefore, monthTitle } from './views.ts'

const MONTHS = 12
/** Months; a longer runway says nothing. */
const LONGEST = 120n

/** Where a figure stands: a line of a statement, or accounts whose balances are added up. */
export type Origin =
  | { readonly statement: StatementName; readonly line: string; readonly label: string }
  | { readonly accounts: readonly Account[] }

export interface ShownRatio {
  readonly id: string
  readonly label: string
  /** Behind its name: `%`, `USD`; empty where the name says it. */
  readonly unit: string
  /** Its values are whole numbers of its last decimal; of money, minor units. */
  readonly decimals: number
  readonly isMoney: boolean
  readonly better: ReportLine['better']
  readonly definition: string
  readonly origins: readonly Origin[]
  /** One for each month of {@link ShownRatios.months}. */
  readonly values: readonly LineValue[]
  readonly yearBefore: LineValue
  /** In the same unit; null where the company states none. */
  readonly target: LineValue
  readonly least: LineValue
  readonly most: LineValue
}

export interface ShownRatios {
  /** `YYYY-MM`, the newest first. */
  readonly months: readonly string[]
  readonly groups: readonly { readonly heading: string; readonly ratios: readonly ShownRatio[] }[]
  /** Sentences about what is left out, and what is annualised. */
  readonly notes: readonly string[]
}

/** A part and the whole that it is divided by; null where one of them is not published. */
type Division = readonly [part: bigint, whole: bigint] | null

interface Ratio extends Pick<ShownRatio, 'id' | 'label' | 'unit' | 'decimals' | 'better' | 'definition'> {
  readonly isMoney?: boolean
  readonly origins: readonly Origin[]
  readonly limits: Limits | undefined
  /** A whole of zero or less gives no ratio. */
  readonly at: (month: string) => Division
}

/** Of classes and departments there are margins and metrics alone: their balances need not be booked by class. */
export async function shownRatios(
  source: FigureSource,
  choice: Pick<StatementChoice, 'basis' | 'classId' | 'departmentId' | 'month'>,
): Promise<ShownRatios> {
  const { classId, departmentId, month } = choice
  const scope = { basis: choice.basis, budgetId: null, classId, departmentId }
  const isWhole = classId === null && departmentId === null
  const [result, position, cash, metrics] = await Promise.all([
    source.statement({ ...scope, statement: 'ProfitAndLoss' }),
    isWhole ? source.statement({ ...scope, statement: 'BalanceSheet' }) : null,
    isWhole ? source.statement({ ...scope, statement: 'CashFlow' }) : null,
    source.frame.metrics.length === 0 ? null : source.metrics({ budgetId: null, classId, departmentId }),
  ])
  if (!result) return { months: [], groups: [], notes: [] }
  const months = lastMonthsOf(result, month, MONTHS).toReversed()
  const valuesOf = (id: string): ReadonlyMap<string, string> =>
    new Map(
      metrics?.months.flatMap((each, i) => {
        const value = each < monthBefore(month, MONTHS) || each > month ? null : metrics.values.get(id)?.[i]
        return value == null ? [] : [[each, value] as const]
      }),
    )
  const figures = new Figures(source, result, position, cash)
  const groups = [
    { heading: 'Margins', ratios: figures.margins() },
    { heading: 'Liquidity', ratios: figures.liquidity() },
    { heading: 'Days', ratios: figures.days() },
    { heading: 'Cash', ratios: figures.runway() },
    { heading: 'Metrics', ratios: figures.metrics(valuesOf) },
  ].map(({ heading, ratios }) => ({ heading, ratios: ratios.flatMap((ratio) => shown(ratio, months) ?? []) }))
  const notes = isWhole
    ? figures.notes(
        groups.flatMap(({ ratios }) => ratios),
        months,
      )
    : ['Ratios of balances and of cash are those of the whole company.']
  return { months, groups: groups.filter(({ ratios }) => ratios.length > 0), notes }
}

/** Null where no month has a value. */
function shown(
  { limits, at, isMoney = false, ...ratio }: Ratio,
  months: readonly string[],
): ShownRatio | null {
  const { decimals } = ratio
  const scale = 10n ** BigInt(isMoney ? 0 : decimals)
  const valueAt = (month: string): LineValue => {
    const [part, whole] = at(month) ?? [0n, 0n]
    return whole <= 0n ? null : quotient(scale * part, whole)
  }
  const values = months.map(valueAt)
  if (values.every((value) => value === null)) return null
  const [target, least, most] = [limits?.target, limits?.least, limits?.most].map((text) =>
    text === undefined ? null : scaled(text.replace('%', ''), decimals),
  )
  return {
    ...{ ...ratio, isMoney, values, yearBefore: valueAt(monthBefore(months[0] ?? '', MONTHS)) },
    ...{ target: target ?? null, least: least ?? null, most: most ?? null },
  }
}

/** `1.5` of two decimals is 150. */
function scaled(text: string, decimals: number): Whole {
  const [whole = '', fraction = ''] = text.split('.')
  return Number(`${whole}${fraction.padEnd(decimals, '0')}`)
}

const ofTotal = (name: SummaryName): ReportLine => totalLine([name, null], 'sum', 'total')
const origin = (statement: StatementName, name: SummaryName): Origin => ({
  ...{ statement, line: name, label: SUMMARY_LABELS[name] },
})
const INCOME = origin('ProfitAndLoss', 'TotalIncome')
const COST = origin('ProfitAndLoss', 'TotalCostOfSales')

/** The published figures of one company or member that ratios are made of. */
class Figures {
  readonly #source: FigureSource
  readonly #result: PublishedStatement
  readonly #position: PublishedStatement | null
  readonly #cash: PublishedStatement | null

  constructor(
    source: FigureSource,
    result: PublishedStatement,
    position: PublishedStatement | null,
    cash: PublishedStatement | null,
  ) {
    this.#source = source
    this.#result = result
    this.#position = position
    this.#cash = cash
  }

  margins(): Ratio[] {
    const margin = (id: RatioName, label: string, name: SummaryName): Ratio => ({
      ...{ id, label, unit: '%', decimals: 1, better: 'more', limits: this.#limits(id) },
      definition: `${SUMMARY_LABELS[name]} of the month ÷ total income of the month`,
      origins: [origin('ProfitAndLoss', name), INCOME],
      at: (month) => {
        const [part, whole] = [name, 'TotalIncome' as const].map((each) => this.#flow(each, month, 1))
        return part == null || whole == null ? null : [100n * part, whole]
      },
    })
    return [
      margin('grossMargin', 'Gross margin', 'GrossProfit'),
      margin('operatingMargin', 'Operating margin', 'OperatingIncome'),
      margin('netMargin', 'Net margin', 'NetIncome'),
    ]
  }

  liquidity(): Ratio[] {
    const terms = this.#terms()
    if (terms === null || typeof terms === 'string') return []
    const current = (line: string, label: string): Origin => ({ statement: 'BalanceSheet', line, label })
    const quick = this.#ofTypes('Bank', 'CashEquivalent', 'AccountsReceivable').filter(
      ({ classification }) => classification === 'Asset',
    )
    const ratio = (id: RatioName, label: string, definition: string, accounts: readonly string[]) => ({
      ...{ id, label, definition, unit: '', decimals: 2, better: 'more' as const },
      limits: this.#limits(id),
      at: (month: string): Division => {
        const [part, whole] = [accounts, terms.liabilities].map((each) => this.#balance(each, month))
        return part == null || whole == null ? null : [part, whole]
      },
    })
    const liabilities = current(CURRENT_LIABILITIES, 'Current liabilities')
    return [
      {
        ...ratio('currentRatio', 'Current ratio', 'Current assets ÷ current liabilities', terms.assets),
        origins: [current(CURRENT_ASSETS, 'Current assets'), liabilities],
      },
      {
        ...ratio('quickRatio', 'Quick ratio', 'Cash and receivables ÷ current liabilities', idsOf(quick)),
        origins: [{ accounts: quick }, liabilities],
      },
    ]
  }

  days(): Ratio[] {
    const days = (
      id: RatioName,
      of: string,
      accounts: readonly Account[],
      flow: SummaryName,
      better: 'less' | null,
    ): Ratio => ({
      ...{ id, label: `Days of ${of.toLowerCase()}`, unit: '', decimals: 1, better },
      limits: this.#limits(id),
      definition: `${of} at the end of the month ÷ ${SUMMARY_LABELS[flow].toLowerCase()} of the last twelve months × 365`,
      origins: [{ accounts }, flow === 'TotalIncome' ? INCOME : COST],
      at: (month) => {
        const balance = this.#balance(idsOf(accounts), month)
        const year = this.#flow(flow, month, MONTHS)
        if (balance === null || year === null) return null
        return [balance * 365n * BigInt(this.#monthsOf(month)), year * BigInt(MONTHS)]
      },
    })
    return this.#position === null
      ? []
      : [
          days(
            'daysOfReceivables',
            'Receivables',
            this.#ofTypes('AccountsReceivable'),
            'TotalIncome',
            'less',
          ),
          days('daysOfInventory', 'Inventory', this.#ofTypes('Inventory'), 'TotalCostOfSales', 'less'),
          days('daysOfPayables', 'Payables', this.#ofTypes('AccountsPayable'), 'TotalCostOfSales', null),
        ].filter(({ origins: [first] }) => first && 'accounts' in first && this.#isUsed(first.accounts))
  }

  runway(): Ratio[] {
    const names = ['NetCashFromOperating', 'NetCashFromInvesting'] as const
    const runway = (count: number, words: string, id: string): Ratio => ({
      ...{ id, label: `Runway in months, by the last ${words}`, unit: '', decimals: 1, better: 'more' },
      limits: this.#limits('runway'),
      definition: `Cash at the end of the month ÷ the average of what operating and investing activities took in the last ${words} months; none where they brought cash, or took so little that it lasts ten years`,
      origins: ['EndingCash' as const, ...names].map((name) => origin('CashFlow', name)),
      at: (month) => {
        const cash = this.#amount(this.#cash, ofTotal('EndingCash'), month, 1)
        const moved = names.map((name) => this.#amount(this.#cash, ofTotal(name), month, count))
        const [operating, investing] = moved
        if (cash === null || cash <= 0n || operating == null || investing == null) return null
        const taken = -(operating + investing)
        return cash * BigInt(count) > taken * LONGEST ? null : [cash * BigInt(count), taken]
      },
    })
    return this.#cash === null ? [] : [runway(3, 'three', 'runway'), runway(6, 'six', 'runwaySix')]
  }

  metrics(valuesOf: (id: string) => ReadonlyMap<string, string>): Ratio[] {
    const { frame } = this.#source
    const { incomePer = {}, beside = {} } = frame.presentation?.ratios ?? {}
    return frame.metrics.flatMap(({ id, name, unit }): Ratio[] => {
      const values = valuesOf(id)
      const per = incomePer[id]
      const own = beside[id]
      const decimals = Math.max(
        ...[...values.values(), ...Object.values(own ?? {})].map((text) => text.split('.')[1]?.length ?? 0),
        0,
      )
      const valueAt = (month: string): bigint | null => {
        const value = values.get(month)
        return value === undefined ? null : BigInt(scaled(value, decimals))
      }
      return [
        ...(per === undefined ? [] : [this.#incomePer(id, name, per, valueAt, decimals)]),
        ...(own === undefined
          ? []
          : [
              {
                ...{ id: `metric-${id}`, label: name, unit, decimals, better: null, limits: own },
                ...{ definition: 'A metric of the company', origins: [] },
                at: (month: string): Division => {
                  const value = valueAt(month)
                  return value === null ? null : [value, 10n ** BigInt(decimals)]
                },
              },
            ]),
      ]
    })
  }

  #incomePer(
    id: string,
    name: string,
    limits: Limits,
    valueAt: (month: string) => bigint | null,
    decimals: number,
  ): Ratio {
    return {
      ...{ id: `per-${id}`, label: `Income per ${name}`, unit: this.#source.frame.currency, isMoney: true },
      ...{ decimals: currencyDecimals(this.#source.frame.currency), better: 'more', limits },
      origins: [INCOME],
      definition: `Total income of the last twelve months ÷ ${name} of the month`,
      at: (month) => {
        const [year, value] = [this.#flow('TotalIncome', month, MONTHS), valueAt(month)]
        if (year === null || value === null) return null
        return [year * BigInt(MONTHS) * 10n ** BigInt(decimals), value * BigInt(this.#monthsOf(month))]
      },
    }
  }

  /** What is left out and why, for the ratios of the whole company. */
  notes(ratios: readonly ShownRatio[], months: readonly string[]): string[] {
    const terms = this.#terms()
    const oldest = months.at(-1) ?? ''
    const needsCost = ['Inventory', 'AccountsPayable'].some((type) => this.#isUsed(this.#ofTypes(type)))
    const isAnnualised = ratios.some(({ id }) => id.startsWith('daysOf') || id.startsWith('per-'))
    return [
      ...(typeof terms === 'string' ? [`Current and quick ratio are left out: ${terms}.`] : []),
      ...(needsCost && !ratios.some(({ id }) => id === 'daysOfInventory' || id === 'daysOfPayables')
        ? ['Days of inventory and payables are left out: there is no cost of sales to divide by.']
        : []),
      ...(isAnnualised && this.#monthsOf(oldest) < MONTHS
        ? [
            `Before ${monthTitle(monthBefore(this.#result.months[0] ?? '', 1 - MONTHS))} the books have fewer than twelve months: income and cost of sales of those that there are count as a part of a year.`,
          ]
        : []),
    ]
  }

  #terms() {
    return this.#position && termsOf([...this.#position.rows.values()], this.#source)
  }

  #limits(id: RatioName): Limits | undefined {
    return this.#source.frame.presentation?.ratios?.[id]
  }

  #ofTypes(...types: string[]): Account[] {
    return this.#source.frame.accounts.filter(
      ({ id, type }) => types.includes(type) && this.#position?.rows.has(id),
    )
  }

  #isUsed(accounts: readonly Account[]): boolean {
    return accounts.some(({ id }) => this.#position?.rows.get(id)?.figures.some((figure) => figure !== 0))
  }

  /** How many of the twelve months through this one the books have. */
  #monthsOf(month: string): number {
    return lastMonthsOf(this.#result, month, MONTHS).length
  }

  /** What the profit and loss has in the last `count` months, or in those that there are. */
  #flow(name: SummaryName, month: string, count: number): bigint | null {
    const held = lastMonthsOf(this.#result, month, count).length
    return this.#amount(this.#result, ofTotal(name), month, held)
  }

  #balance(accounts: readonly string[], month: string): bigint | null {
    return this.#amount(
      this.#position,
      { ...ofTotal('TotalAssets'), measure: 'last', of: { accounts } },
      month,
      1,
    )
  }

  #amount(
    document: PublishedStatement | null,
    line: ReportLine,
    month: string,
    count: number,
  ): bigint | null {
    if (count < 1) return null
    const amount = amountOf(line, document, { from: monthBefore(month, count - 1), through: month })
    return amount === null ? null : BigInt(amount)
  }
}

const idsOf = (accounts: readonly Account[]): string[] => accounts.map(({ id }) => id)
