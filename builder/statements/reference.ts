/**
 * Makes the wire form of company info and of the reference lists: accounts, budgets, classes, departments.
 */
import {
  type Account,
  COMPUTED_CODES,
  computedOnCashFlow,
  type Frame,
  resultsOnCashFlow,
} from '../books/reference/frame.ts'
import type { Tree } from '../books/reference/tree.ts'
import {
  byCodePoint,
  COMPUTED_ROWS,
  type ComputedRow,
  isProfitAndLoss,
  STATEMENTS,
  type StatementName,
  UNASSIGNED,
} from '../contract/vocabulary.ts'

export const infoOf = (frame: Frame): object => ({
  Id: frame.companyId,
  Name: frame.name,
  FiscalMonthEnd: frame.fiscalMonthEnd,
  Currency: frame.currency,
  BooksThrough: frame.coverage.endDate.slice(0, 7),
  LockedThrough: frame.lockedThrough,
  FiscalYears: frame.fiscalYears.map((year) => ({ StartDate: year.start, EndDate: year.end })),
  AccountingBases: frame.bases,
})

/**
 * Lists every account that can appear on a statement, each once: accounts of the chart first, then computed
 * rows.
 */
export function chartOf(frame: Frame): object[] {
  const onCashFlow = resultsOnCashFlow(frame)
  const statements = statementsOf(frame, onCashFlow)
  return [
    ...frame.accounts.map((account, code) =>
      accountEntry(account, onCashFlow.includes(code), statements[code] ?? []),
    ),
    ...computedEntries(frame),
  ]
}

const DEBIT: readonly string[] = ['Asset', 'CostOfSales', 'Expense', 'OtherExpense']
/** Contra accounts have the normal balance opposite to that of their section. */
const CONTRA: readonly string[] = ['AccumulatedDepreciation', 'Drawings']

const accountEntry = (
  account: Account,
  isOnCashFlow: boolean,
  statements: readonly StatementName[],
): object => ({
  Id: account.id,
  Number: account.number,
  Name: account.name,
  Classification: account.classification,
  Type: account.type,
  ParentId: account.parentId,
  IsHeader: account.isHeader,
  IsActive: account.isActive,
  IsComputed: false,
  NormalBalance:
    DEBIT.includes(account.classification) !== CONTRA.includes(account.type) ? 'Debit' : 'Credit',
  CashFlowCategory: isOnCashFlow ? 'Operating' : account.cashFlow,
  Statements: statements,
})

/**
 * The statements of each account, by code. A header has no figures; it gets the statements of the accounts
 * below it.
 */
function statementsOf({ accounts }: Frame, onCashFlow: readonly number[]): (readonly StatementName[])[] {
  const own = accounts.map((account, code) =>
    account.isHeader ? [] : ownStatements(account, onCashFlow.includes(code)),
  )
  const nodes = accounts.map((account, code) => ({ account, found: new Set(own[code]) }))
  const byId = new Map(nodes.map((node) => [node.account.id, node]))
  const parentOf = ({ parentId }: Account) => (parentId === null ? undefined : byId.get(parentId))
  for (const [code, { account }] of nodes.entries())
    for (let above = parentOf(account); above !== undefined; above = parentOf(above.account))
      if (above.account.isHeader) for (const statement of own[code] ?? []) above.found.add(statement)
  return nodes.map(({ found }) => STATEMENTS.filter((statement) => found.has(statement)))
}

function ownStatements(account: Account, isResultOnCashFlow: boolean): StatementName[] {
  if (isResultOnCashFlow) return ['ProfitAndLoss', 'CashFlow']
  if (isProfitAndLoss(account.classification)) return ['ProfitAndLoss']
  return account.cashFlow === 'Cash' ? ['BalanceSheet'] : ['BalanceSheet', 'CashFlow']
}

/** Lists the computed rows that can occur in these books, with the statements on which they appear. */
function computedEntries(frame: Frame): object[] {
  const occurring: [ComputedRow, StatementName[]][] = [
    ['net-income', ['CashFlow']],
    ['current-year-earnings', ['BalanceSheet']],
    ['prior-years-not-closed', ['BalanceSheet']],
  ]
  // Only a filtered slice of the books can be out of balance.
  if (frame.classes.members.length + frame.departments.members.length > 0)
    occurring.push(['balancing', ['BalanceSheet', 'CashFlow']])
  if (frame.basisSources.CASH === 'Derived')
    for (const row of COMPUTED_CODES)
      if (isProfitAndLoss(COMPUTED_ROWS[row].classification)) occurring.push([row, ['ProfitAndLoss']])
  for (const row of computedOnCashFlow(frame)) occurring.push([row, ['CashFlow']])
  return occurring.map(([id, statements]) => ({
    Id: id,
    Number: '',
    Name: COMPUTED_ROWS[id].name,
    Classification: COMPUTED_ROWS[id].classification,
    Type: 'Computed',
    ParentId: null,
    IsHeader: false,
    IsActive: true,
    IsComputed: true,
    NormalBalance: DEBIT.includes(COMPUTED_ROWS[id].classification) ? 'Debit' : 'Credit',
    CashFlowCategory: COMPUTED_ROWS[id].cashFlow,
    Statements: statements,
  }))
}

/** The budgets by name. */
export const budgetsOf = (frame: Frame): object[] =>
  [...frame.budgets]
    .sort((a, b) => byCodePoint(a.name, b.name) || byCodePoint(a.id, b.id))
    .map((budget) => ({
      Id: budget.id,
      Name: budget.name,
      StartMonth: budget.startMonth,
      EndMonth: budget.endMonth,
    }))

/** Lists the members of a class or department tree by name; a non-empty list ends with `unassigned`. */
export function memberListOf(tree: Tree): object[] {
  const members = [...tree.members].sort((a, b) => byCodePoint(a.name, b.name) || byCodePoint(a.id, b.id))
  const entries = members.map(({ id, name, parentId, isActive }) => ({
    Id: id,
    Name: name,
    ParentId: parentId,
    IsActive: isActive,
  }))
  if (entries.length > 0) entries.push({ Id: UNASSIGNED, Name: 'Unassigned', ParentId: null, IsActive: true })
  return entries
}

export const metricsListOf = (frame: Frame): object[] =>
  [...frame.metrics]
    .sort((a, b) => byCodePoint(a.name, b.name) || byCodePoint(a.id, b.id))
    .map(({ id, name, unit, aggregation }) => ({ Id: id, Name: name, Unit: unit, Aggregation: aggregation }))
