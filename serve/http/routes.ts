/**
 * The company routes as data: which function answers which operation of the contract. They are guarded in
 * `guard.ts`.
 */

import { LRUCache } from 'lru-cache'
import { FILE_PARAMETER, type OperationId } from '../../builder/contract/operations.ts'
import { present } from '../../builder/contract/present.ts'
import { invalidRequest } from '../../builder/contract/problem.ts'
import {
  type ReadRequest,
  readAgeingQuery,
  readCompanyQuery,
  readListQuery,
  readMetricsBody,
  readNoQuery,
  readStatementQuery,
  type StatementRequest,
} from '../../builder/contract/requests.ts'
import type { StatementName } from '../../builder/contract/vocabulary.ts'
import type { ListName } from '../../builder/snapshot/files/layout.ts'
import type { Answer, CompanyAnswers, Grantee } from '../companies/answers.ts'
import type { Download } from './files.ts'

interface CompanyRequest {
  readonly reader: Grantee
  /** Path parameters, decoded. */
  readonly params: Readonly<Record<string, string>>
  /** The raw query string without its question mark. */
  readonly search: string
  /** The body of a POST; empty otherwise. */
  readonly body: Buffer
}

export interface CompanyRoute {
  readonly operation: OperationId
  /** Checks the parameters first (400), then the ids in them (404), then the basis (422). */
  readonly answer: (request: CompanyRequest) => Promise<Answer | Download>
}

export function companyRoutes(answers: CompanyAnswers): CompanyRoute[] {
  /** A sync asks the same of every company. */
  const parsed = new LRUCache<string, StatementRequest>({ max: 1000 })
  const statementOf = (search: string): StatementRequest => {
    const known = parsed.get(search)
    if (known !== undefined) return known
    const request = valid(readStatementQuery(search))
    parsed.set(search, request)
    return request
  }
  const list = (operation: OperationId, name: ListName): CompanyRoute => ({
    operation,
    answer: async ({ reader, search }) => answers.list(reader, name, valid(readListQuery(search))),
  })
  const statement = (operation: OperationId, name: StatementName): CompanyRoute => ({
    operation,
    answer: async ({ reader, search }) => answers.statement(reader, name, statementOf(search)),
  })
  return [
    {
      operation: 'getInfo',
      answer: async ({ reader, search }) => answers.info(reader, valid(readCompanyQuery(search))),
    },
    list('getChartOfAccounts', 'chart-of-accounts'),
    list('getBudgets', 'budgets'),
    list('getClasses', 'classes'),
    list('getDepartments', 'departments'),
    list('getNonFinancialList', 'non-financial-list'),
    {
      operation: 'getNonFinancial',
      answer: async ({ reader, search, body }) =>
        answers.metrics(reader, both(readCompanyQuery(search), readMetricsBody(body))),
    },
    statement('getProfitAndLoss', 'ProfitAndLoss'),
    statement('getCashFlow', 'CashFlow'),
    statement('getBalanceSheet', 'BalanceSheet'),
    {
      operation: 'getAgeing',
      answer: async ({ reader, search }) => answers.ageing(reader, valid(readAgeingQuery(search))),
    },
    {
      operation: 'getSnapshots',
      answer: async ({ reader, search }) => {
        valid(readNoQuery(search))
        return answers.snapshots(reader)
      },
    },
    {
      operation: 'getTieOuts',
      answer: async ({ reader, search, params }) => {
        valid(readNoQuery(search))
        return answers.tieOuts(reader, pathParameter(params, 'SnapshotId'))
      },
    },
    {
      operation: 'getSnapshotZip',
      answer: async ({ reader, search, params }) => {
        valid(readNoQuery(search))
        return {
          snapshot: await answers.snapshot(reader, pathParameter(params, 'SnapshotId')),
          path: null,
        }
      },
    },
    {
      operation: 'getSnapshotFile',
      answer: async ({ reader, search, params }) => {
        valid(readNoQuery(search))
        return {
          snapshot: await answers.snapshot(reader, pathParameter(params, 'SnapshotId')),
          path: pathParameter(params, FILE_PARAMETER),
        }
      },
    },
  ]
}

/** The route's pattern contains the parameter, so that every request has it. */
const pathParameter = (params: Readonly<Record<string, string>>, name: string): string =>
  present(params[name], `${name} in the path`)

export function valid<T>(read: ReadRequest<T>): T {
  if (read.ok) return read.value
  throw invalidRequest(read.problems)
}

/** Reports the problems of query and body in one answer. */
function both<A, B>(a: ReadRequest<A>, b: ReadRequest<B>): A & B {
  if (a.ok && b.ok) return { ...a.value, ...b.value }
  throw invalidRequest([a, b].flatMap((read) => (read.ok ? [] : read.problems)))
}
