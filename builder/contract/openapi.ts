/**
 * Lists every endpoint as data and generates the OpenAPI 3.1 description from that list and the schemas. The
 * server takes its methods, paths and scopes from the same list, so that the description cannot fall behind.
 */
import { z } from 'zod'
import { PROBLEMS, type ProblemCode } from './problem.ts'
import { metricsBody, queries } from './requests.ts'
import * as schemas from './schemas.ts'
import { components } from './schemas.ts'

/** Version of the interface, not of the program. */
export const INTERFACE_VERSION = '1.0.3'
export const DATA_SCOPE = 'read:company'
/** Needed for files with postings, besides `read:company`; the user has to tick it. */
export const LEDGER_SCOPE = 'read:ledger'
export const ARROW_STREAM = 'application/vnd.apache.arrow.stream'
/** The only path parameter that may contain slashes. */
export const FILE_PARAMETER = 'Path'

interface Operation {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly tag: 'OAuth' | 'Company' | 'Reference data' | 'Statements' | 'Extensions'
  readonly summary: string
  /** Scope that the access token needs; null where any token suffices, absent where no token is needed. */
  readonly scope?: typeof DATA_SCOPE | null
  readonly query: z.ZodObject
  readonly body?: { readonly type: string; readonly schema: z.ZodType }
  /** The body of the 200 answer. */
  readonly answer: z.ZodType | 'html' | 'openapi' | 'file'
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

type Json = Record<string, unknown>

/** Makes the OpenAPI description. `issuer` is the configured base URL, never the Host header of a request. */
export function openApi(issuer: string): Json {
  const paths: Record<string, Json> = {}
  for (const [id, operation] of Object.entries<Operation>(OPERATIONS))
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method.toLowerCase()]: describe(id, operation),
    }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Reporting data source',
      version: INTERFACE_VERSION,
      description:
        'Read-only financial statements and reference data from immutable snapshots. Unknown, repeated or ' +
        'malformed parameters are refused by name; HEAD answers as GET without the body.',
    },
    servers: [{ url: issuer }],
    paths,
    components: {
      schemas: componentSchemas(),
      headers: HEADERS,
      securitySchemes: {
        oauth2: {
          type: 'oauth2',
          flows: {
            authorizationCode: {
              authorizationUrl: `${issuer}/oauth2/authorize`,
              tokenUrl: `${issuer}/oauth2/token`,
              refreshUrl: `${issuer}/oauth2/token`,
              scopes: {
                openid: 'Sign in',
                profile: 'First and last name',
                email: 'E-mail address',
                phone: 'Offered for completeness; no phone number is kept',
                [DATA_SCOPE]: 'Read the figures of the companies chosen at consent',
                [LEDGER_SCOPE]:
                  'With read:company: also read every posting, as files of a snapshot; only for clients that are allowed to ask for it',
              },
            },
          },
        },
      },
    },
  }
}

const HEADERS = {
  ETag: header('Strong validator: hash of the content, and its encoding'),
  'Snapshot-Id': header('The snapshot that the answer was read from'),
  'Tie-Out': header(
    '`pass`, or `not-checked` where the identity of the statement (of a balance sheet that it balances, of a cash flow that it leads to the cash) was not held, as of budgets that do not balance; `checked` names what was held of it (totals, earnings, balance, movements, cash); `manifest` is the SHA-256 of the manifest that proves it. RFC 8941: `pass; checked="totals, balance"; manifest="sha256-…"`',
  ),
  'Request-Id': header('Echo of a well-formed Request-Id, else a new one'),
  'Retry-After': header('Seconds'),
  RateLimit: header('Requests left and seconds until there are more (draft-ietf-httpapi-ratelimit-headers)'),
  'RateLimit-Policy': header('Requests (q) that a grant may send in so many seconds (w)'),
  'WWW-Authenticate': header('RFC 6750 §3'),
}

function header(description: string): Json {
  return { description, schema: { type: 'string' } }
}

const headerRefs = (...names: (keyof typeof HEADERS)[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

function describe(id: string, operation: Operation): Json {
  return {
    operationId: id,
    tags: [operation.tag],
    summary: operation.summary,
    security: operation.scope === undefined ? [] : [{ oauth2: operation.scope ? [operation.scope] : [] }],
    parameters: [...pathParameters(operation.path), ...queryParameters(operation.query)],
    ...(operation.body && {
      requestBody: {
        required: true,
        content: { [operation.body.type]: { schema: plain(operation.body.schema, 'input') } },
      },
    }),
    responses: responsesOf(operation),
  }
}

const pathParameters = (path: string): Json[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    ...(name === FILE_PARAMETER && {
      description: 'Path of the file as in the manifest; its slashes stand as they are',
    }),
    schema: { type: 'string', minLength: 1 },
  }))

/** A parameter is required where the request schema rejects its absence. */
const queryParameters = (query: z.ZodObject): Json[] =>
  Object.entries(query.shape).map(([name, field]) => {
    const { description, ...schema } = plain(field as z.ZodType, 'output')
    const required = !(field as z.ZodType).safeParse(undefined).success
    return { name, in: 'query', required, ...(description ? { description } : {}), schema }
  })

function responsesOf(operation: Operation): Json {
  if (operation.answer === 'html')
    return {
      200: { description: 'A login or consent page', content: { 'text/html': {} } },
      303: { description: 'Back to the redirect_uri, with `code` or `error`' },
      400: { description: 'A page: the request names no registered client and redirect_uri' },
    }
  const success = {
    description: operation.summary,
    headers: successHeaders(operation),
    content: contentOf(operation),
  }
  return operation.tag === 'OAuth'
    ? { 200: success, ...OAUTH_ERRORS }
    : { 200: success, 304: { description: 'Not modified' }, ...problemsOf(operation.problems) }
}

const BYTES = { schema: { type: 'string', format: 'binary' } }

function contentOf({ answer, columnar }: Operation): Json {
  if (answer === 'file')
    return { 'application/json': { schema: {} }, 'application/vnd.apache.parquet': BYTES }
  return {
    'application/json': { schema: bodyOf(answer as z.ZodType | 'openapi') },
    ...(columnar && { [ARROW_STREAM]: BYTES }),
  }
}

const successHeaders = ({ tag }: Operation): Json =>
  tag === 'OAuth'
    ? {}
    : tag === 'Extensions'
      ? headerRefs('ETag', 'Request-Id')
      : tag === 'Statements'
        ? headerRefs('ETag', 'Snapshot-Id', 'Tie-Out', 'Request-Id')
        : headerRefs('ETag', 'Snapshot-Id', 'Request-Id')

const oauthError = (description: string) => ({
  description,
  content: { 'application/json': { schema: { $ref: '#/components/schemas/OAuthError' } } },
})
const OAUTH_ERRORS = {
  400: oauthError('The request is malformed, or the grant is not valid'),
  401: oauthError('The client, or the token, is not valid'),
  default: oauthError('Any other error'),
}

const PROBLEM_CONTENT = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } }

/** One response per status; where a status has several problem codes, its description lists them. */
function problemsOf(codes: readonly ProblemCode[]): Json {
  const responses: Record<string, Json> = {}
  for (const status of new Set(codes.map((code) => PROBLEMS[code].status))) {
    const here = codes.filter((code) => PROBLEMS[code].status === status)
    responses[status] = {
      description: here.map((code) => `\`${code}\`: ${PROBLEMS[code].title}`).join('. '),
      headers: headerRefs(
        'Request-Id',
        ...(status === 401 || status === 403 ? (['WWW-Authenticate'] as const) : []),
        ...(status === 503 ? (['Retry-After'] as const) : []),
        ...(status === 429 ? (['Retry-After', 'RateLimit', 'RateLimit-Policy'] as const) : []),
      ),
      content: PROBLEM_CONTENT,
    }
  }
  return {
    ...responses,
    default: {
      description:
        '`method-not-allowed` (405, with `Allow`), `expectation-failed` (417), `misdirected-request` (421) or `internal` (500)',
      headers: headerRefs('Request-Id'),
      content: PROBLEM_CONTENT,
    },
  }
}

const bodyOf = (answer: z.ZodType | 'openapi'): Json =>
  answer === 'openapi' ? { type: 'object' } : { $ref: `#/components/schemas/${components.get(answer)?.id}` }

function plain(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io })
  return rest
}

function componentSchemas(): Json {
  const { schemas: all } = z.toJSONSchema(components, { uri: (id) => `#/components/schemas/${id}` })
  return Object.fromEntries(
    Object.entries(all).map(([id, { $schema: _, $id: __, ...schema }]) => [id, schema]),
  )
}
