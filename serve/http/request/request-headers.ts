/** Reads in one pass the headers that decide how a request is answered. */
import type { IncomingMessage } from 'node:http'

/** These headers as they were sent. */
export interface RequestHeaders {
  authorization: string | undefined
  validator: string | undefined
  requestId: string | undefined
  host: string | undefined
  accept: string | undefined
  coding: string | undefined
  expect: string | undefined
  origin: string | undefined
  hasBody: boolean
  /**
   * False where a cached response cannot answer: another method than GET, a body, an expectation, a page of another
   * origin, or one of these headers given twice.
   */
  isPlain: boolean
  repeatsHost: boolean
}

const FIELDS: ReadonlyMap<
  string,
  Exclude<keyof RequestHeaders, 'isPlain' | 'repeatsHost' | 'hasBody'> | 'body'
> = new Map([
  ['authorization', 'authorization'],
  ['if-none-match', 'validator'],
  ['request-id', 'requestId'],
  ['host', 'host'],
  ['accept', 'accept'],
  ['accept-encoding', 'coding'],
  ['expect', 'expect'],
  ['origin', 'origin'],
  ['content-length', 'body'],
  ['transfer-encoding', 'body'],
] as const)

const NOT_PLAIN: ReadonlySet<string> = new Set(['body', 'expect', 'origin'])

/** Reads the raw list, since `req.headers` would index every header first. */
export function readHeaders({ method, rawHeaders }: IncomingMessage): RequestHeaders {
  const headers: RequestHeaders = {
    authorization: undefined,
    validator: undefined,
    requestId: undefined,
    host: undefined,
    accept: undefined,
    coding: undefined,
    expect: undefined,
    origin: undefined,
    hasBody: false,
    isPlain: method === 'GET',
    repeatsHost: false,
  }
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const field = FIELDS.get((rawHeaders[i] ?? '').toLowerCase())
    if (field === undefined) continue
    const value = rawHeaders[i + 1]
    if (field === 'host' && headers.host !== undefined) headers.repeatsHost = true
    if (NOT_PLAIN.has(field) || (field !== 'body' && headers[field] !== undefined)) headers.isPlain = false
    if (field !== 'body') headers[field] = value
    else if (value !== '0') headers.hasBody = true
  }
  return headers
}
