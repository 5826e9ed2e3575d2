/**
 * The short way of an answer that lies ready. It makes the decisions of `guard.ts` in the same order, each from what is
 * known without waiting, and only ever answers 200 or 304: whatever it does not know, and whatever is to be refused,
 * goes the long way as if this were not there.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { DATA_SCOPE } from '../../builder/contract/openapi.ts'
import type { Answers } from '../companies/answers.ts'
import { createByteCache } from '../companies/byte-cache.ts'
import type { Grant } from '../oauth/grant.ts'
import type { Load } from './load.ts'
import type { RateLimiter } from './rate-limit.ts'
import { headersOfBody, type Sent } from './reply.ts'
import { headersOfVisit, type Visit, visitOf } from './visit.ts'

/** What was answered the long way to one question. Headers are names and values in turn. */
interface Ready {
  readonly route: string
  readonly company: string
  readonly snapshotId: string
  readonly manifestHash: string
  readonly etag: string
  /** Of a 304. What is each answer's own is filled in at its place, just before it is sent. */
  readonly unchanged: string[]
  /** Of a 200. */
  readonly whole: string[]
  /** Null where nobody has asked for more than a 304 yet. */
  readonly body: Buffer | null
}

export interface ReadyAnswers {
  /** True: answered. */
  answer(res: ServerResponse, heads: Heads, visit: Visit): boolean
  /** After the long way: the next one who asks the same takes the short one. */
  keep(req: IncomingMessage, grantId: string, sent: Sent): void
}

interface ReadyOptions {
  readonly knownGrant: (authorization: string) => Grant | null
  readonly answers: Pick<Answers, 'now'>
  readonly limiter: RateLimiter
  readonly load: Load
  readonly cacheBytes?: number
}

/** Places of the values that are each answer's own. */
const REQUEST_ID = 1
const RATE_LIMIT = 9
/** Headers and names of one answer in memory, about. */
const HEAD_BYTES = 2000

export function createReady(options: ReadyOptions): ReadyAnswers {
  const { knownGrant, answers, limiter, load, cacheBytes = 64 * 1024 * 1024 } = options
  const cache = createByteCache<Ready>(cacheBytes, ({ body }) => HEAD_BYTES + (body?.length ?? 0))

  /** Token, scope, company, snapshot: null where one of them is not known to be right. */
  function find(grant: Grant | null, asked: string): Ready | null {
    if (grant === null || !grant.scopes.has(DATA_SCOPE)) return null
    const ready = cache.held(asked)
    if (ready === undefined || !grant.companies.includes(ready.company)) return null
    const snapshot = answers.now(grant.grantId, ready.company)
    return snapshot?.manifestHash === ready.manifestHash ? ready : null
  }

  function answer(res: ServerResponse, heads: Heads, visit: Visit): boolean {
    if (!heads.isPlain || heads.authorization === undefined) return false
    visit.asked = questionOf(res.req, heads)
    const grant = knownGrant(heads.authorization)
    const ready = find(grant, visit.asked)
    if (grant === null || ready === null || !canAnswer(ready, heads.validator)) return false
    // An answer that lies ready is handed over at once, and takes up no room.
    const window = load.isLate() ? null : limiter.tryCount(grant.grantId)
    if (window === null) return false
    visit.route = ready.route
    visit.clientId = grant.clientId
    visit.userId = grant.userId
    visit.companyId = ready.company
    visit.snapshotId = ready.snapshotId
    visit.cached = true
    const body = heads.validator === undefined ? ready.body : null
    visit.bytes = body?.length ?? 0
    const headers = body === null ? ready.unchanged : ready.whole
    headers[REQUEST_ID] = visit.requestId
    headers[RATE_LIMIT] = limiter.state(window)
    res.writeHead(body === null ? 304 : 200, headers).end(body)
    return true
  }

  function keep(req: IncomingMessage, grantId: string, { reply, body }: Sent): void {
    const { asked, route, companyId } = visitOf(req)
    const { cached, snapshotId } = reply.answer
    if (asked === null || route === null || companyId === null || cached === null) return
    const snapshot = answers.now(grantId, companyId)
    // It is found by whoever names no snapshot: one that only this URL names is no answer to them.
    if (snapshot === null || snapshot.id !== snapshotId) return
    const own = [...headersOfVisit(''), 'RateLimit-Policy', limiter.policy, 'RateLimit', '']
    const unchanged = [...own, ...reply.headers]
    cache.keep(asked, {
      route,
      company: companyId,
      snapshotId,
      manifestHash: snapshot.manifestHash,
      etag: reply.etag,
      unchanged,
      whole: body === null ? [] : [...unchanged, ...headersOfBody(reply, body)],
      body,
    })
  }
  return { answer, keep }
}

/** Of the forms of If-None-Match only the plain one, which clients send. */
const canAnswer = ({ body, etag }: Ready, validator: string | undefined): boolean =>
  validator === undefined ? body !== null : validator === etag

/** Of a request's headers what decides, each as it was sent. */
export interface Heads {
  authorization: string | undefined
  validator: string | undefined
  requestId: string | undefined
  host: string | undefined
  accept: string | undefined
  coding: string | undefined
  expect: string | undefined
  hasBody: boolean
  /** There is a body, or a header that counts stands there twice: the long way. */
  isPlain: boolean
  repeatsHost: boolean
}

const FIELDS: ReadonlyMap<string, Exclude<keyof Heads, 'isPlain' | 'repeatsHost' | 'hasBody'> | 'body'> =
  new Map([
    ['authorization', 'authorization'],
    ['if-none-match', 'validator'],
    ['request-id', 'requestId'],
    ['host', 'host'],
    ['accept', 'accept'],
    ['accept-encoding', 'coding'],
    ['expect', 'expect'],
    ['content-length', 'body'],
    ['transfer-encoding', 'body'],
  ] as const)

/** From the raw list: `req.headers` would index every header first. */
export function headsOf({ method, rawHeaders }: IncomingMessage): Heads {
  const heads: Heads = {
    authorization: undefined,
    validator: undefined,
    requestId: undefined,
    host: undefined,
    accept: undefined,
    coding: undefined,
    expect: undefined,
    hasBody: false,
    isPlain: method === 'GET',
    repeatsHost: false,
  }
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const field = FIELDS.get(rawHeaders[i]!.toLowerCase())
    if (field === undefined) continue
    if (field === 'host' && heads.host !== undefined) heads.repeatsHost = true
    if (field === 'body' || field === 'expect' || heads[field] !== undefined) heads.isPlain = false
    if (field !== 'body') heads[field] = rawHeaders[i + 1]!
    else if (rawHeaders[i + 1] !== '0') heads.hasBody = true
  }
  return heads
}

/** Whatever an answer depends on besides grant, snapshot and validator. No header holds a line feed. */
const questionOf = (req: IncomingMessage, { accept = '', coding = '' }: Heads): string =>
  `${req.url}\n${accept}\n${coding}`
