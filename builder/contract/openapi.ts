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
import { PRINTABLE } from './requests.ts'
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
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
      description:
        'Read-only financial statements and reference data from immutable snapshots. Unknown, repeated or ' +
        'malformed parameters are refused by name, and an empty filter counts as absent; HEAD answers as GET without the ' +
        'body. A sync of a company begins ' +
        'with the first request, or the first after ten seconds without one, and reads the snapshot that is current ' +
        'then until the next such pause, or for some minutes at most. Later pages of a list belong to the sync ' +
        'before. Requests that name a SnapshotId neither begin a sync nor change one. Without another version there ' +
        'may be more operations, optional parameters, members of answers, headers, and values of an ' +
        'x-extensible-enum: clients bear them. What is to go is marked deprecated, and stays for twelve months at least.',
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
  'WWW-Authenticate': header('RFC 6750 §3; at the token endpoint for clients that used Basic'),
  Allow: header('The methods that there are'),
  'Repr-Digest': header('RFC 9530: SHA-256 of the file as it was published'),
  'Content-Disposition': header('A name for the file'),
}

type HeaderName = keyof typeof HEADERS

function header(description: string): Json {
  return { description, schema: { type: 'string' } }
}

const headerRefs = (...names: HeaderName[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

function describe(id: string, operation: Operation): Json {
  return {
    operationId: id,
    tags: [operation.tag],
    summary: operation.summary,
    ...(operation.columnar && { description: COLUMNAR }),
    security: operation.scope === undefined ? [] : [{ oauth2: scopesOf(operation) }],
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

const scopesOf = ({ scope, ofLedger }: Operation): string[] =>
  scope ? [scope, ...(ofLedger ? [LEDGER_SCOPE] : [])] : []

const COLUMNAR = `With \`Accept: ${ARROW_STREAM}\` the same figures come as an Apache Arrow stream.`

const pathParameters = (path: string): Json[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    ...(name === FILE_PARAMETER && {
      description: 'Path of the file as in the manifest; its slashes stand as they are',
    }),
    schema: { type: 'string', minLength: 1, pattern: PRINTABLE },
  }))

/** A parameter is required where the request schema rejects its absence. */
const queryParameters = (query: z.ZodObject): Json[] =>
  Object.entries(query.shape).map(([name, field]) => {
    const { description, ...schema } = plain(field as z.ZodType, 'output')
    const required = !(field as z.ZodType).safeParse(undefined).success
    return { name, in: 'query', required, ...(description ? { description } : {}), schema }
  })

function responsesOf(operation: Operation): Json {
  const { method, tag, answer, problems, summary } = operation
  if (answer === 'html')
    return {
      200: { description: 'A login or consent page', content: { 'text/html': {} } },
      303: { description: 'To such a page, or back to the redirect_uri with `code` or `error`' },
      400: {
        description: 'A page: the request names no registered client and redirect_uri',
        content: { 'text/html': {} },
      },
      default: anyError('`method-not-allowed` (405), or a page with another error'),
    }
  const headers = successHeaders(operation)
  return {
    200: { description: summary, headers, content: contentOf(operation) },
    // Only GET is answered with 304.
    ...(method === 'GET' && { 304: { description: 'Not modified', headers } }),
    ...(tag === 'OAuth' ? oauthErrors(operation) : problemsOf(problems, operation.scope !== undefined)),
  }
}

const BYTES = { schema: { type: 'string', format: 'binary' } }

/** Describes JSON alone where an answer has other forms, too: generators of clients would make one type of both. */
function contentOf({ answer }: Operation): Json {
  if (answer === 'zip') return { 'application/zip': BYTES }
  if (answer === 'file')
    return {
      'application/json': { schema: {} },
      'application/vnd.apache.parquet': BYTES,
      'application/jose': BYTES,
      'application/octet-stream': BYTES,
    }
  return { 'application/json': { schema: bodyOf(answer as z.ZodType | 'openapi') } }
}

function successHeaders({ path, tag, answer, method }: Operation): Json {
  const names: HeaderName[] = ['Request-Id']
  if (method === 'GET' || tag !== 'OAuth') names.push('ETag')
  if (path.includes('{CompanyId}')) names.push('Snapshot-Current', 'RateLimit', 'RateLimit-Policy')
  if (path.includes('{CompanyId}') && !path.endsWith('/snapshots')) names.push('Snapshot-Id')
  if (tag === 'Statements') names.push('Tie-Out')
  if (answer === 'file') names.push('Repr-Digest')
  if (answer === 'zip') names.push('Content-Disposition')
  return headerRefs(...names)
}

const JSON_ERROR = { 'application/json': { schema: { $ref: '#/components/schemas/OAuthError' } } }
const PROBLEM_CONTENT = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } }

const anyError = (description: string): Json => ({
  description,
  headers: headerRefs('Request-Id', 'Retry-After', 'Allow'),
  content: { ...JSON_ERROR, ...PROBLEM_CONTENT },
})

/** Refusals of OAuth; what is refused before an endpoint is reached is a problem (RFC 9457) there too. */
function oauthErrors({ scope, body }: Operation): Json {
  const error = (description: string, ...names: HeaderName[]): Json => ({
    description,
    headers: headerRefs('Request-Id', ...names),
    content: JSON_ERROR,
  })
  return {
    400: {
      ...error('The request is malformed, or the grant is not valid'),
      content: { ...JSON_ERROR, ...PROBLEM_CONTENT },
    },
    ...(body && {
      401: error('The client is not valid', 'WWW-Authenticate'),
      413: error('The body is too long'),
    }),
    ...(scope !== undefined && {
      401: error('The token is not valid, or has expired', 'WWW-Authenticate'),
      403: error('The token has neither openid nor read:company', 'WWW-Authenticate'),
    }),
    default: anyError('Any other error, such as 503 with `Retry-After`'),
  }
}

/** One response per status; where a status has several problem codes, its description lists them. */
function problemsOf(codes: readonly ProblemCode[], isLimited: boolean): Json {
  const limit: HeaderName[] = isLimited ? ['RateLimit', 'RateLimit-Policy'] : []
  const more: Readonly<Record<number, readonly HeaderName[]>> = {
    401: ['WWW-Authenticate'],
    403: ['WWW-Authenticate'],
    429: ['Retry-After', ...limit],
    503: ['Retry-After', ...limit],
  }
  const responses: Record<string, Json> = {}
  for (const status of new Set(codes.map((code) => PROBLEMS[code].status))) {
    const here = codes.filter((code) => PROBLEMS[code].status === status)
    responses[status] = {
      description: here.map((code) => `\`${code}\`: ${PROBLEMS[code].title}`).join('. '),
      headers: headerRefs('Request-Id', ...(more[status] ?? limit)),
      content: PROBLEM_CONTENT,
    }
  }
  return {
    ...responses,
    default: {
      description:
        '`method-not-allowed` (405, with `Allow`), `expectation-failed` (417), `misdirected-request` (421) or `internal` (500)',
      headers: headerRefs('Request-Id', 'Allow', ...limit),
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
    Object.entries(all).map(([id, { $schema: _, $id: __, ...schema }]) => [id, growing(schema)]),
  )
}

/**
 * A schema of answers as clients may rely on it: members and values may be added, so that neither an unknown member nor
 * an unknown value is an error. Written as generators of clients read it: `null` is one of two types.
 */
function growing(schema: Json): Json {
  const { additionalProperties: _, default: __, enum: values, const: value, anyOf, ...rest } = schema
  if (Array.isArray(values) || value !== undefined)
    return { ...rest, type: 'string', 'x-extensible-enum': Array.isArray(values) ? values : [value] }
  if (Array.isArray(anyOf)) {
    const [one = {}] = anyOf as Json[]
    const { type, ...other } = growing(one)
    return { ...other, ...rest, type: [type, 'null'] }
  }
  if (rest.maximum === Number.MAX_SAFE_INTEGER) delete rest.maximum
  const { properties, items } = rest as { properties?: Record<string, Json>; items?: Json }
  return {
    ...rest,
    ...(properties && { properties: mapped(properties, growing) }),
    ...(items && { items: growing(items) }),
  }
}

const mapped = (all: Record<string, Json>, change: (one: Json) => Json): Json =>
  Object.fromEntries(Object.entries(all).map(([name, one]) => [name, change(one)]))
