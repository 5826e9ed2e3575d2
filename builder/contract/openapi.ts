/** Generates the OpenAPI 3.1 description of the interface from the list of operations and the schemas. */
import { z } from 'zod'
import {
  ARROW_STREAM,
  DATA_SCOPE,
  FILE_PARAMETER,
  INTERFACE_VERSION,
  LEDGER_SCOPE,
  OPERATIONS,
  type Operation,
} from './operations.ts'
import { PROBLEMS, type ProblemCode } from './problem.ts'
import { components } from './schemas.ts'

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
        'malformed parameters are refused by name, and an empty filter counts as absent; HEAD answers as GET without the ' +
        'body. A sync of a company begins ' +
        'with the first request, or the first after ten seconds without one, and reads the snapshot that is current ' +
        'then until the next such pause, or for some minutes at most. Later pages of a list belong to the sync ' +
        'before. Requests that name a SnapshotId neither begin a sync nor change one.',
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
                openid: 'Sign in: user-info and an ID token',
                profile: 'Adds nothing: user-info has the name for every token',
                email: 'Adds nothing: user-info has the address for every token',
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
  'Snapshot-Current': header('The current snapshot of the company: what a sync that begins now reads'),
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
    : {
        200: success,
        304: { description: 'Not modified', headers: success.headers },
        ...problemsOf(operation.problems),
      }
}

const BYTES = { schema: { type: 'string', format: 'binary' } }

function contentOf({ answer, columnar }: Operation): Json {
  if (answer === 'file')
    return { 'application/json': { schema: {} }, 'application/vnd.apache.parquet': BYTES }
  if (answer === 'zip') return { 'application/zip': BYTES }
  return {
    'application/json': { schema: bodyOf(answer as z.ZodType | 'openapi') },
    ...(columnar && { [ARROW_STREAM]: BYTES }),
  }
}

function successHeaders({ tag, path }: Operation): Json {
  if (tag === 'OAuth') return {}
  const names: (keyof typeof HEADERS)[] = ['ETag', 'Request-Id']
  if (path.includes('{CompanyId}')) names.push('Snapshot-Current', 'RateLimit', 'RateLimit-Policy')
  if (path.includes('{CompanyId}') && !path.endsWith('/snapshots')) names.push('Snapshot-Id')
  if (tag === 'Statements') names.push('Tie-Out')
  return headerRefs(...names)
}

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
