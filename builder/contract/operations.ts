/**
 * Lists every endpoint as data. The server takes its methods, paths and scopes from this list, and `openapi.ts` the
 * description of the interface, so that the description cannot fall behind.
 */
import { z } from 'zod'
import { ageing } from './ageing-schema.ts'
import type { ProblemCode } from './problem.ts'
import { metricsBody, queries } from './requests.ts'
import * as schemas from './schemas.ts'

/** Version of the interface, not of the program. */
export const INTERFACE_VERSION = '1.0.3'
export const DATA_SCOPE = 'read:company'
/** Needed for files with postings, besides `read:company`; the user has to tick it. */
export const LEDGER_SCOPE = 'read:ledger'
export const ARROW_STREAM = 'application/vnd.apache.arrow.stream'
/** The only path parameter that may contain slashes. */
export const FILE_PARAMETER = 'Path'

export interface Operation {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly tag: 'OAuth' | 'Company' | 'Reference data' | 'Statements' | 'Extensions'
  readonly summary: string
  /** Scope that the access token needs; null where any token suffices, absent where no token is needed. */
  readonly scope?: typeof DATA_SCOPE | null
  /** Whether it needs the scope of the ledger too. */
  readonly ofLedger?: true
  readonly query: z.ZodObject
  readonly body?: { readonly type: string; readonly schema: z.ZodType }
  /** The body of the 200 answer. */
  readonly answer: z.ZodType | 'html' | 'openapi' | 'file' | 'zip'
  /** Whether the answer is also available as an Apache Arrow stream. */
  readonly columnar?: true
  readonly problems: readonly ProblemCode[]
}

const GUARDED = [
  'unauthorized',
  'insufficient-scope',
  'not-found',
  'invalid-request',
  'too-many-requests',
  'access-unavailable',
  'company-unavailable',
  'overloaded',
] as const
const IN_SNAPSHOT = [...GUARDED, 'unknown-snapshot'] as const
const FILTERED = [...IN_SNAPSHOT, 'unknown-budget', 'unknown-class', 'unknown-department'] as const

const list = (name: string, summary: string, answer: z.ZodType) =>
  ({
    method: 'GET',
    path: `/companies/{CompanyId}/${name}`,
    tag: 'Reference data',
    summary,
    scope: DATA_SCOPE,
    query: queries.list,
    answer,
    problems: IN_SNAPSHOT,
  }) as const
const statement = (name: string, summary: string, answer: z.ZodType) =>
  ({
    method: 'GET',
    path: `/companies/{CompanyId}/${name}`,
    tag: 'Statements',
    summary,
    scope: DATA_SCOPE,
    query: queries.statement,
    answer,
    columnar: true,
    problems: [...FILTERED, 'basis-not-available'],
  }) as const

const text = z.string()
const authorizeQuery = z.object({
  response_type: z.literal('code'),
  client_id: text,
  redirect_uri: z.url().describe('Exactly as registered'),
  scope: text.optional(),
  state: text.optional(),
  nonce: text.optional().describe('OpenID Connect: repeated in the ID token'),
  prompt: text.optional().describe('OpenID Connect: `login` asks for the password again'),
  max_age: text.optional().describe('OpenID Connect: seconds after which the password is asked for again'),
  code_challenge: text.optional().describe('PKCE, RFC 7636'),
  code_challenge_method: z.literal('S256').optional(),
})
const tokenForm = z.object({
  grant_type: z.enum(['authorization_code', 'refresh_token']),
  code: text.optional().describe('With grant_type authorization_code'),
  redirect_uri: z.url().optional().describe('Equal to that of the authorization request'),
  client_id: text,
  client_secret: text,
  refresh_token: text.optional().describe('With grant_type refresh_token'),
  scope: text.optional().describe('With grant_type refresh_token: the same or fewer'),
  code_verifier: text.optional().describe('PKCE, RFC 7636'),
})

export const OPERATIONS = {
  getOAuthDiscovery: {
    method: 'GET',
    path: '/auth/oauth-discovery',
    tag: 'OAuth',
    summary: 'OAuth discovery document',
    query: queries.none,
    answer: schemas.discovery,
    problems: [],
  },
  authorize: {
    method: 'GET',
    path: '/oauth2/authorize',
    tag: 'OAuth',
    summary: 'Starts the authorization flow: login and consent pages, then a redirect to the client',
    query: authorizeQuery,
    answer: 'html',
    problems: [],
  },
  getTokens: {
    method: 'POST',
    path: '/oauth2/token',
    tag: 'OAuth',
    summary: 'Exchanges a code or a refresh token for tokens',
    query: queries.none,
    body: { type: 'application/x-www-form-urlencoded', schema: tokenForm },
    answer: schemas.tokenResponse,
    problems: [],
  },
  getUserInfo: {
    method: 'GET',
    path: '/oauth2/user-info',
    tag: 'OAuth',
    summary: 'The user and the companies that the grant gives access to',
    scope: null,
    query: queries.none,
    answer: schemas.userInfo,
    problems: [],
  },
  getInfo: {
    method: 'GET',
    path: '/companies/{CompanyId}/info',
    tag: 'Company',
    summary: 'Name, fiscal month end, currency and coverage',
    scope: DATA_SCOPE,
    query: queries.company,
    answer: schemas.companyInfo,
    problems: IN_SNAPSHOT,
  },
  getChartOfAccounts: list('chart-of-accounts', 'Chart of accounts', schemas.chartOfAccounts),
  getBudgets: list('budgets', 'Budgets', schemas.budgets),
  getClasses: list('classes', 'Classes', schemas.classes),
  getDepartments: list('departments', 'Departments', schemas.departments),
  getNonFinancialList: list('non-financial-list', 'Non-financial metrics', schemas.nonFinancialList),
  getNonFinancial: {
    method: 'POST',
    path: '/companies/{CompanyId}/non-financial',
    tag: 'Reference data',
    summary: 'Monthly values of non-financial metrics over a date range',
    scope: DATA_SCOPE,
    query: queries.company,
    body: { type: 'application/json', schema: metricsBody },
    answer: schemas.nonFinancial,
    columnar: true,
    problems: [...FILTERED, 'payload-too-large', 'unsupported-media-type', 'unknown-metric'],
  },
  getProfitAndLoss: statement('profit-loss', 'Profit and loss statement', schemas.statements.ProfitAndLoss),
  getCashFlow: statement('cash-flow-statement', 'Cash flow statement', schemas.statements.CashFlow),
  getBalanceSheet: statement('balance-sheet', 'Balance sheet', schemas.statements.BalanceSheet),
  getAgeing: {
    method: 'GET',
    path: '/companies/{CompanyId}/ageing',
    tag: 'Extensions',
    summary: `Receivables and payables by party and age at the end of a day; needs the scope ${LEDGER_SCOPE} too`,
    scope: DATA_SCOPE,
    ofLedger: true,
    query: queries.ageing,
    answer: ageing,
    problems: [...IN_SNAPSHOT, 'unknown-account'],
  },
  getSnapshots: {
    method: 'GET',
    path: '/companies/{CompanyId}/snapshots',
    tag: 'Extensions',
    summary: 'Retained snapshots',
    scope: DATA_SCOPE,
    query: queries.none,
    answer: schemas.snapshots,
    problems: GUARDED,
  },
  getTieOuts: {
    method: 'GET',
    path: '/companies/{CompanyId}/snapshots/{SnapshotId}/tie-outs',
    tag: 'Extensions',
    summary: 'The identities that were checked before the snapshot was published, with both sides',
    scope: DATA_SCOPE,
    query: queries.none,
    answer: schemas.tieOuts,
    problems: IN_SNAPSHOT,
  },
  getSnapshotFile: {
    method: 'GET',
    path: `/companies/{CompanyId}/snapshots/{SnapshotId}/files/{${FILE_PARAMETER}}`,
    tag: 'Extensions',
    summary: `A file of the snapshot, byte for byte: those that its manifest lists, manifest.json itself, and its signature manifest.json.sig. All but statements, lists, metrics, tie-outs and the manifest need the scope ${LEDGER_SCOPE} too, and so do manifests of format 1, which name a computer. Without it a manifest whose warnings quote entries, or that has a reason, begins with Cut and ManifestSha256 and lacks both, its signature needs the scope, and Repr-Digest is that of the whole one`,
    scope: DATA_SCOPE,
    query: queries.none,
    answer: 'file',
    problems: IN_SNAPSHOT,
  },
  getSnapshotZip: {
    method: 'GET',
    path: '/companies/{CompanyId}/snapshots/{SnapshotId}/zip',
    tag: 'Extensions',
    summary: `The files of the snapshot as one zip: those that the token may read one by one, with ${LEDGER_SCOPE} all, else the figures and the manifest`,
    scope: DATA_SCOPE,
    query: queries.none,
    answer: 'zip',
    problems: IN_SNAPSHOT,
  },
  getOpenApi: {
    method: 'GET',
    path: '/openapi.json',
    tag: 'Extensions',
    summary: 'This description',
    query: queries.none,
    answer: 'openapi',
    problems: ['invalid-request'],
  },
} as const satisfies Record<string, Operation>
export type OperationId = keyof typeof OPERATIONS
