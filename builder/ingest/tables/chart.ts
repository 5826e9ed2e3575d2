/** Reads the chart of accounts from a spreadsheet, and applies the overrides of company.yaml to any chart. */

import {
  ACCOUNT_TYPES,
  type AccountType,
  CASH_FLOW_CATEGORIES,
  type CashFlowCategory,
  CLASSIFICATIONS,
  type Classification,
  COMPUTED_ROWS,
  isProfitAndLoss,
} from '../../contract/vocabulary.ts'
import { NOT_IN_STATEMENTS, type TableSetting } from '../../workspace/company.ts'
import { error, type Finding, warning } from '../../workspace/findings/finding.ts'
import { COMPANY_FILE } from '../../workspace/workspace.ts'
import type { AccountRow } from '../format/intake.ts'
import { accountKeys, resolve } from '../format/keys.ts'
import { COLUMNS, REQUIRED } from './header.ts'
import { type Cell, type ListKind, readActive, readList } from './lists.ts'
import type { Table } from './table.ts'

const TYPES = (Object.keys(ACCOUNT_TYPES) as AccountType[]).filter((type) => type !== 'Computed')

/** What charts call the kind of an account that is in no statement. */
const OUTSIDE = /^(not ?in ?statements|statistical|off[- ]?balance([- ]?sheet)?)$/i

interface ChartReading {
  readonly accounts: readonly AccountRow[]
  readonly findings: readonly Finding[]
}

/** `carried` are accounts that the ledger itself declares (SIE); a row of the chart replaces one of these. */
export function readChart(
  tables: readonly Table[],
  setting: TableSetting | undefined,
  carried: readonly AccountRow[],
): ChartReading {
  const { rows: accounts, findings } = readList(tables, setting, carried, CHART)
  return { accounts, findings: [...findings, ...kinshipFindings(accounts)] }
}

type Draft = Omit<AccountRow, 'parentId' | 'classification'> & {
  readonly classification: Classification | null
}

const CHART: ListKind<(typeof COLUMNS.chart)[number], AccountRow, Draft> = {
  columns: COLUMNS.chart,
  required: REQUIRED.chart,
  read: (cell, has, findings) => {
    const isInNone = OUTSIDE.test(cell('classification').text)
    const classification = isInNone ? 'Asset' : readClassification(cell('classification'), findings)
    const type = isInNone ? NOT_IN_STATEMENTS : readType(cell('type'), classification, findings)
    const cashFlow = readCashFlow(cell('cash_flow'), classification, findings)
    const isActive = readActive(cell('is_active'), findings)
    for (const name of ['id', 'name'] as const)
      if (cell(name).text === '')
        findings.push(
          error(`empty-${name}`, `the account has no ${name}`, {
            ...cell(name),
            remedy: `write its ${name}, or remove the row`,
          }),
        )
    const { text: id, file, row } = cell('id')
    // A chart without this column uses its ids as numbers; an empty cell is an account without a number.
    const number = has('number') ? cell('number').text : id
    const name = cell('name').text
    return id === '' ? null : { file, row, id, number, name, classification, type, cashFlow, isActive }
  },
  ifEmpty: ({ file, headerRow: row }) => [
    error('no-accounts', 'has a header, but no account', {
      ...{ file, row, remedy: 'export the chart of accounts again, with its accounts' },
    }),
  ],
  isReserved: (id) => Object.hasOwn(COMPUTED_ROWS, id),
  keysOf: accountKeys,
  // A row whose classification could not be read still counts as a parent, so that one mistake is one finding.
  rowOf: ({ classification, ...account }, parentId) =>
    classification === null ? null : { ...account, classification, parentId },
}

/** Finds a word of the contract in any capitals and spacing: `accounts receivable` is `AccountsReceivable`. */
function findWord<Word extends string>(words: readonly Word[], text: string): Word | undefined {
  const plain = (word: string) => word.toLowerCase().replace(/[\s_-]/g, '')
  return words.find((word) => plain(word) === plain(text))
}

function readClassification(cell: Cell, findings: Finding[]): Classification | null {
  const found = findWord(CLASSIFICATIONS, cell.text)
  if (found !== undefined) return found
  findings.push(
    error('unknown-classification', `the classification "${cell.text}" is not known`, {
      ...cell,
      remedy: `write one of ${CLASSIFICATIONS.join(', ')}; ${NOT_IN_STATEMENTS} of an account off the balance sheet, or of a statistical one`,
    }),
  )
  return null
}

function readType(cell: Cell, classification: Classification | null, findings: Finding[]): string {
  if (cell.text === '') return ''
  const type = findWord(TYPES, cell.text)
  if (type === undefined) {
    findings.push(
      error('unknown-type', `the account type "${cell.text}" is not known`, {
        ...cell,
        remedy: `write one of ${TYPES.join(', ')}; or leave it empty`,
      }),
    )
    return ''
  }
  const fits: readonly Classification[] = ACCOUNT_TYPES[type]
  if (classification !== null && !fits.includes(classification))
    findings.push(
      error('type-does-not-fit', `the type ${type} does not fit the classification ${classification}`, {
        ...cell,
        remedy: `${type} stands under ${fits.join(' or ')}; under ${classification} stand ${TYPES.filter(
          (name) => (ACCOUNT_TYPES[name] as readonly Classification[]).includes(classification),
        ).join(', ')}`,
      }),
    )
  return type
}

function readCashFlow(
  cell: Cell,
  classification: Classification | null,
  findings: Finding[],
): CashFlowCategory | null {
  if (cell.text === '') return null
  const category = findWord(CASH_FLOW_CATEGORIES, cell.text)
  if (category === undefined) {
    findings.push(
      error('unknown-cash-flow', `the cash flow category "${cell.text}" is not known`, {
        ...cell,
        remedy: `write one of ${CASH_FLOW_CATEGORIES.join(', ')}; or leave it empty`,
      }),
    )
    return null
  }
  if (classification === null || !isProfitAndLoss(classification)) return category
  // The indirect method shows all P&L accounts in one row, net income, which is Operating.
  if (category !== 'Operating') findings.push(profitAndLossCategory(cell, category))
  return null
}

const profitAndLossCategory = (place: Partial<Cell>, category: CashFlowCategory): Finding =>
  warning('cash-flow-of-profit-and-loss', `${category} is not used: this account is part of net income`, {
    ...place,
    remedy: 'leave it empty; only balance sheet accounts have a cash flow category',
  })

function kinshipFindings(accounts: readonly AccountRow[]): Finding[] {
  const byId = new Map(accounts.map((account) => [account.id, account]))
  return accounts.flatMap((account) => {
    const parent = account.parentId === null ? undefined : byId.get(account.parentId)
    if (parent === undefined || parent.classification === account.classification) return []
    if (account.type === NOT_IN_STATEMENTS || parent.type === NOT_IN_STATEMENTS) return []
    return [
      error(
        'parent-of-another-classification',
        `"${account.name}" is ${account.classification}, its parent "${parent.name}" is ${parent.classification}`,
        {
          file: account.file,
          row: account.row,
          column: 'parent',
          text: account.parentId,
          remedy: 'give it a parent of its own classification, or none',
        },
      ),
    ]
  })
}

/** `cashFlow` and `overdrafts` of company.yaml, by account id or number, replace what the chart states; the first of the two wins. */
export function overrideCashFlow(
  accounts: readonly AccountRow[],
  overrides: { readonly [account: string]: CashFlowCategory } = {},
  overdrafts: readonly string[] = [],
): ChartReading {
  const keys = accountKeys(accounts)
  const findings: Finding[] = []
  const byId = new Map<string, CashFlowCategory>()
  const classifications = new Map(accounts.map(({ id, classification }) => [id, classification]))
  const stated = [
    ...overdrafts.map((text, i) => [`overdrafts.${i}`, text, 'Financing'] as const),
    ...Object.entries(overrides).map(([text, category]) => [`cashFlow.${text}`, text, category] as const),
  ]
  for (const [column, text, category] of stated) {
    const place = { file: COMPANY_FILE, column, text }
    const found = resolve(keys, text)
    if (found.problem !== undefined) {
      findings.push(notOneAccount(text, found.problem, place))
      continue
    }
    const classification = classifications.get(found.id)
    if (column.startsWith('overdrafts.') && classification !== 'Liability')
      findings.push(
        error('unknown-account', `"${text}" is not a liability account of the chart`, {
          ...place,
          remedy: 'name liabilities only: a bank account that may be overdrawn needs no setting',
        }),
      )
    else if (classification !== undefined && isProfitAndLoss(classification))
      findings.push(profitAndLossCategory(place, category))
    else byId.set(found.id, category)
  }
  return {
    accounts: accounts.map((account) => ({ ...account, cashFlow: byId.get(account.id) ?? account.cashFlow })),
    findings,
  }
}

/** The finding about a cell or key that should name an account and does not. */
export const notOneAccount = (
  text: string,
  problem: 'unknown' | 'ambiguous',
  place: Partial<Finding>,
  nearest: string | null = null,
): Finding =>
  problem === 'unknown'
    ? error('unknown-account', `there is no account "${text}"`, {
        ...place,
        remedy: `${nearest === null ? '' : `is it ${nearest}? Else `}write the id or the number of an account, or add it to the chart of accounts`,
      })
    : error('ambiguous-account', `"${text}" means more than one account`, {
        ...place,
        remedy: 'write the id of the one that is meant, or give each account its own number',
      })
